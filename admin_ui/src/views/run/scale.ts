// How the time of a run is laid out: to scale where something happened, idle time cut short. Without a view.

/** Microseconds. */
export type Span = { from: number; to: number };
/** A part of the run's time and where it is drawn, in parts of the whole width. */
export type Piece = Span & { left: number; width: number; isCut: boolean };

/** An idle time longer than this part of the busy time is drawn this long. */
export const LONGEST_GAP = 0.05;

/** Microseconds since 1970 of an RFC 3339 time; `Date` would drop what is under a millisecond. */
export function micros(text: string): number {
  const fraction = /\.(\d+)/.exec(text)?.[1] ?? "";
  return Date.parse(text.replace(/\.\d+/, "")) * 1000 + Number(fraction.slice(0, 6).padEnd(6, "0"));
}

/** Spans as they cover time: in order, those that touch made one. */
export function merged(spans: readonly Span[]): Span[] {
  const covered: Span[] = [];
  for (const span of [...spans].sort((one, other) => one.from - other.from)) {
    const last = covered.at(-1);
    if (last && span.from <= last.to) last.to = Math.max(last.to, span.to);
    else covered.push({ ...span });
  }
  return covered;
}

/** Lays out [from, to) in which the spans are busy. The pieces join without a hole, and their widths add up to 1.
 * `isWhole`: idle time is drawn as long as it was. */
export function pieces(whole: Span, spans: readonly Span[], isWhole = false): Piece[] {
  const within = spans.map(({ from, to }) => ({ from: Math.max(from, whole.from), to: Math.min(to, whole.to) }));
  const busy = merged(within.filter((span) => span.to >= span.from));
  const longest = LONGEST_GAP * busy.reduce((sum, span) => sum + span.to - span.from, 0);
  const parts: (Span & { drawn: number; isCut: boolean })[] = [];
  let at = whole.from;
  const idle = (to: number): void => {
    const isCut = !isWhole && longest > 0 && to - at > longest;
    if (to > at) parts.push({ from: at, to, drawn: isCut ? longest : to - at, isCut });
  };
  for (const span of busy) {
    idle(span.from);
    if (span.to > span.from) parts.push({ ...span, drawn: span.to - span.from, isCut: false });
    at = span.to;
  }
  idle(whole.to);
  return placed(parts);
}

function placed(parts: readonly (Span & { drawn: number; isCut: boolean })[]): Piece[] {
  const total = parts.reduce((sum, part) => sum + part.drawn, 0);
  let left = 0;
  return parts.map(({ from, to, drawn, isCut }) => {
    const piece = { from, to, isCut, left, width: drawn / total };
    left += piece.width;
    return piece;
  });
}

/** Where an instant is drawn, 0 to 1. */
export function place(at: number, laid: readonly Piece[]): number {
  for (const piece of laid) {
    if (at < piece.from) return piece.left;
    if (at <= piece.to) return piece.left + (piece.width * (at - piece.from)) / (piece.to - piece.from);
  }
  const last = laid.at(-1);
  return last ? last.left + last.width : 0;
}

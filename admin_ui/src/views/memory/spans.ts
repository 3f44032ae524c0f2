// Where words stand in a text: the server counts code points, the browser UTF-16 units, and the reader sees whole characters.

/** Code points [start, end) of a text, and whose they are. */
export type Span = { start: number; end: number; of: string };
/** A part of a text under the same spans throughout. `begins` and `ends` are those that do so with it. */
export type Piece = {
  text: string;
  of: readonly string[];
  begins: readonly string[];
  ends: readonly string[];
};

const SURROGATE = /[\ud800-\udfff]/;
const PLAIN = /[ -~]/; // a character begins at each of these, whatever is before it
const WINDOW = 64; // units looked at on either side of a place: a segmenter copies all that it is given
const characters = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** The length of a text in code points. */
export function length(text: string): number {
  return SURROGATE.test(text) ? [...text].length : text.length;
}

/** The UTF-16 place of each code point, in the order asked; null outside of the text. One walk over the text for all of them. */
export function places(text: string, points: readonly number[]): (number | null)[] {
  if (!SURROGATE.test(text)) return points.map((point) => (point >= 0 && point <= text.length ? point : null));
  const order = points.map((_, at) => at).sort((a, b) => (points[a] ?? 0) - (points[b] ?? 0));
  const found: (number | null)[] = points.map(() => null);
  let unit = 0;
  let passed = 0;
  for (const at of order) {
    const point = points[at] ?? -1;
    if (point < 0) continue;
    while (passed < point && unit < text.length) {
      unit += (text.codePointAt(unit) ?? 0) > 0xffff ? 2 : 1;
      passed += 1;
    }
    if (passed !== point) break; // the text ended before, and the later ones lie further still
    found[at] = unit;
  }
  return found;
}

/** The spans in UTF-16 units; one that does not lie within the text, or is empty, is left out. */
export function fitting(text: string, spans: readonly Span[]): Span[] {
  const ends = places(
    text,
    spans.flatMap(({ start, end }) => [start, end]),
  );
  return spans.flatMap(({ of }, at) => {
    const [start, end] = [ends[2 * at] ?? null, ends[2 * at + 1] ?? null];
    return start !== null && end !== null && start < end ? [{ start, end, of }] : [];
  });
}

/** The nearest place at or before (after) a UTF-16 place that does not tear what is seen as one character. */
export function whole(text: string, place: number, side: "before" | "after"): number {
  if (place <= 0 || place >= text.length) return Math.min(Math.max(place, 0), text.length);
  if (PLAIN.test(text.charAt(place))) return place;
  let from = place;
  do from -= 1;
  while (from > 0 && from > place - WINDOW && !PLAIN.test(text.charAt(from)));
  const seen = characters.segment(text.slice(from, place + WINDOW)).containing(place - from);
  if (!seen || seen.index === place - from) return place;
  return from + seen.index + (side === "before" ? 0 : seen.segment.length);
}

/** The part [from, until) of a text in pieces, by spans which may overlap, all in UTF-16 units. Together the pieces are that part. */
export function pieces(text: string, spans: readonly Span[], from = 0, until = text.length): Piece[] {
  const [begin, end] = [whole(text, from, "before"), whole(text, until, "before")];
  const kept = spans
    .filter((span) => span.start < end && span.end > begin)
    .map((span) => ({
      of: span.of,
      start: Math.max(whole(text, span.start, "before"), begin),
      end: Math.min(whole(text, span.end, "after"), end),
    }));
  const bounds = [...new Set([begin, end, ...kept.flatMap((span) => [span.start, span.end])])].sort((a, b) => a - b);
  const starting = grouped(kept);
  let over: typeof kept = [];
  return bounds.slice(0, -1).map((at, index) => {
    const to = bounds[index + 1] ?? end;
    over = [...over.filter((span) => span.end > at), ...(starting.get(at) ?? [])];
    return {
      text: text.slice(at, to),
      of: names(over),
      begins: names(over.filter((span) => span.start === at)),
      ends: names(over.filter((span) => span.end === to)),
    };
  });
}

/** The first `until` units of a text in blocks of about `size`, which end with a line, else with a word, else with a character. */
export function blocks(text: string, until: number, size: number): [from: number, until: number][] {
  const found: [number, number][] = [];
  const end = whole(text, until, "before");
  let from = 0;
  while (from < end) {
    const to = from + size < end ? ending(text, from, from + size) : end;
    found.push([from, to]);
    from = to;
  }
  return found;
}

function ending(text: string, from: number, to: number): number {
  const half = (from + to) / 2;
  for (const sign of ["\n", " "]) {
    const at = text.lastIndexOf(sign, to - 1);
    if (at >= half) return at + 1;
  }
  const at = whole(text, to, "before");
  return at > from ? at : whole(text, to, "after");
}

function grouped(spans: readonly Span[]): Map<number, Span[]> {
  const found = new Map<number, Span[]>();
  for (const span of spans) {
    const those = found.get(span.start);
    if (those) those.push(span);
    else found.set(span.start, [span]);
  }
  return found;
}

const names = (spans: readonly Span[]): string[] => [...new Set(spans.map((span) => span.of))];

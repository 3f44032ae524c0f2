// The text of an answer, cut at its citations `[n]`. A number without a source stays text.

export type Slice = { text: string; n: number | null };

const MARK = /\[\s?(\d{1,4}(?:\s?[,;]\s?\d{1,4})*)\s?\]/g;

/** `[3, 4]` is two citations. The slices' texts, of citations as `[n]`, read as the answer does. */
export function slices(answer: string, known: ReadonlySet<number>): Slice[] {
  const found: Slice[] = [];
  let at = 0;
  for (const mark of answer.matchAll(MARK)) {
    const numbers = (mark[1] ?? "").split(/[,;]/).map(Number);
    if (!numbers.some((n) => known.has(n))) continue;
    found.push({ text: answer.slice(at, mark.index), n: null });
    found.push(...numbers.map((n) => ({ text: `[${n}]`, n: known.has(n) ? n : null })));
    at = mark.index + mark[0].length;
  }
  return [...found, { text: answer.slice(at), n: null }].filter((each) => each.text);
}

/** The numbers that each memory is cited by, by what is kept of its id. */
export function citedBy(
  citations: readonly { n: number; memory_id: string }[],
  keep: (id: string) => string,
): Map<string, number[]> {
  const cited = new Map<string, number[]>();
  for (const { n, memory_id } of citations) cited.set(keep(memory_id), [...(cited.get(keep(memory_id)) ?? []), n]);
  return cited;
}

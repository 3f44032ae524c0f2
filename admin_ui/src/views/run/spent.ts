// What the model calls of a run came to, in words. A sum is of the calls that say something, so it is a lower bound.
import type { Run } from "../runs/operations";

type Sums = Pick<Run, "calls" | "input_tokens" | "output_tokens" | "cost">;

/** A cost, in the unit that the server's price table has. */
export const money = (cost: number): string => cost.toLocaleString(undefined, { maximumFractionDigits: 6 });

export function tokensOf({
  input_tokens: put,
  output_tokens: got,
}: Pick<Sums, "input_tokens" | "output_tokens">): string {
  if (put === null && got === null) return "no tokens counted";
  return `${(put ?? 0).toLocaleString()} tokens in, ${(got ?? 0).toLocaleString()} out`;
}

export function spent(sums: Sums): string {
  const calls = `${sums.calls.toLocaleString()} ${sums.calls === 1 ? "model call" : "model calls"}`;
  return [calls, tokensOf(sums), sums.cost === null ? null : `cost ${money(sums.cost)}`].filter(Boolean).join(" · ");
}

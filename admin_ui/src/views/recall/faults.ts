// Which field of a form the server found at fault, and what it says of it.
import type { Problem } from "../../api/client";

export type Fault = { name: string; words: string };

const ASKED_AS: Record<string, string> = { explain_ids: "explain" };

/** Null where the problem is of none of the fields: then it is told in the place of the answer. */
export function faultOf(problem: Problem | null, names: readonly string[]): Fault | null {
  if (!problem?.field || (problem.status !== 400 && problem.status !== 404)) return null;
  const field = problem.field.replace(/^filters\./, "");
  const name = names.find((each) => each === (ASKED_AS[field] ?? field.split(".")[0]));
  if (!name) return null;
  const said = `${problem.field}: `;
  return { name, words: problem.message.startsWith(said) ? problem.message.slice(said.length) : problem.message };
}

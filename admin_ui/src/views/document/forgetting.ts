// Forgets what a document is kept as, a text at a time, and brings it back: the server forgets single memories.
import { get, type Problem, problemOf, send } from "../../api/client";
import type { Page, Schema } from "../../api/types";
import { drop, keep } from "../memory/receipts";

type Text = Schema<"DocumentTextReply">;
const PAGE = 200;

export type Told = (done: number, of: number) => void;
/** What was done before something went wrong, if it did. */
export type Outcome = { done: string[]; until: string | null; problem: Problem | null };

export async function textsOf(address: string, dataset: string): Promise<string[]> {
  const found: string[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<Text> = await get<Page<Text>>(`${address}/texts`, { dataset, limit: PAGE, cursor });
    found.push(...page.data.map((each) => each.memory_id));
    cursor = page.has_more ? page.next_cursor : null;
  } while (cursor);
  return found;
}

/** One that is gone already counts as done. */
export async function forget(ids: readonly string[], tell: Told): Promise<Outcome> {
  let until: string | null = null;
  const outcome = await each(ids, tell, async (id) => {
    const { receipt } = await send<Schema<"ForgetReply">>("DELETE", `/v1/memories/${encodeURIComponent(id)}?mode=soft`);
    keep(receipt);
    until ??= receipt.restorable_until;
  });
  return { ...outcome, until };
}

export async function restore(ids: readonly string[], tell: Told): Promise<Outcome> {
  const outcome = await each(ids, tell, async (id) => {
    await send<unknown>("POST", `/v1/memories/${encodeURIComponent(id)}/restore`);
    drop(id);
  });
  return { ...outcome, until: null };
}

async function each(
  ids: readonly string[],
  tell: Told,
  act: (id: string) => Promise<void>,
): Promise<Omit<Outcome, "until">> {
  const done: string[] = [];
  for (const id of ids) {
    try {
      await act(id);
    } catch (error) {
      const problem = problemOf(error);
      if (problem.status !== 404) return { done, problem };
    }
    done.push(id);
    tell(done.length, ids.length);
  }
  return { done, problem: null };
}

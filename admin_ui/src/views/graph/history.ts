// All that was ever said of the entity in the middle, and the kinds of those that only the past knows.
import { get } from "../../api/client";
import type { Page, Schema } from "../../api/types";
import { type History, type Statement, standing } from "./scene";

const MOST = 500; // statements looked at
const KINDS = 60; // entities whose kind is asked for

export async function historyOf(entity: string, dataset: string, signal: AbortSignal): Promise<History> {
  const asked = { entity, dataset, include_superseded: true, limit: MOST };
  const { data } = await get<Page<Statement>>("/v1/statements", asked, signal);
  const held = data.filter((each) => each.object && standing(each, Date.now()) !== "holds");
  const ends = held.flatMap((each) => [each.subject.entity_id, each.object?.entity_id ?? ""]);
  const ids = [...new Set(ends)].slice(0, KINDS);
  const kinds = await Promise.all(ids.map((id) => kindOf(id, signal)));
  return { statements: data, kinds: new Map(ids.map((id, at) => [id, kinds[at] ?? "not known"])) };
}

/** An entity that nobody speaks of any more has none. */
async function kindOf(id: string, signal: AbortSignal): Promise<string> {
  try {
    return (await get<Schema<"EntityReply">>(`/v1/entities/${encodeURIComponent(id)}`, {}, signal)).kind;
  } catch (error) {
    if (signal.aborted) throw error;
    return "not known";
  }
}

// Memories that name an entity, found by its names and looked into: only what is really a mention counts.
import { ask, get } from "../../api/client";
import type { Schema } from "../../api/types";

export type Entity = Schema<"EntityReply">;
type Hit = Schema<"HitReply">;
/** `names`: the words by which the memory calls the entity. */
export type Mention = { memory: Schema<"MemoryReply">; names: string[] };

const NAMES = 6; // names searched for
const HITS = 8; // memories of each
const LOOKED_INTO = 24;
const AT_ONCE = 4;

/** The newest first. `most`: memories looked into. */
export async function mentionsOf(entity: Entity, signal: AbortSignal, most = LOOKED_INTO): Promise<Mention[]> {
  const found = await Promise.all(entity.aliases.slice(0, NAMES).map((name) => hits(entity.dataset, name, signal)));
  const ids = [...new Set(alternating(found.map((each) => each.map((hit) => hit.memory_id))))].slice(0, most);
  const seen: Schema<"InspectionReply">[] = [];
  for (let at = 0; at < ids.length; at += AT_ONCE)
    seen.push(...(await Promise.all(ids.slice(at, at + AT_ONCE).map((id) => inspect(id, signal)))));
  const mentions = seen.flatMap((each) => mentionIn(each, entity.entity_id));
  return mentions.sort((a, b) => Date.parse(b.memory.occurred_at) - Date.parse(a.memory.occurred_at));
}

/** Nothing if the memory names the entity nowhere. */
export function mentionIn({ memory, entities }: Schema<"InspectionReply">, entity: string): Mention[] {
  // The server counts characters, not UTF-16 units.
  const signs = [...memory.text];
  const spans = entities.filter((each) => each.entity.entity_id === entity).flatMap((each) => each.spans);
  const names = [...new Set(spans.map(([from, to]) => signs.slice(from, to).join("")))];
  return names.length ? [{ memory, names }] : [];
}

/** The memories found that call it by a name, whatever the case of its letters. */
export function sources(alias: string, mentions: readonly Mention[]): Mention[] {
  const folded = alias.toLocaleLowerCase();
  return mentions.filter((each) => each.names.some((name) => name.toLocaleLowerCase() === folded));
}

/** The first of each, then the second of each: no name crowds the others out. */
const alternating = (lists: readonly (readonly string[])[]): string[] =>
  Array.from({ length: HITS }, (_, at) => lists.flatMap((each) => each[at] ?? [])).flat();

async function hits(dataset: string, cue: string, signal: AbortSignal): Promise<Hit[]> {
  const body = JSON.stringify({ cue, dataset, limit: HITS });
  const init = { method: "POST", headers: { "content-type": "application/json" }, body, signal };
  return (await ask<Schema<"RecallReply">>("/v1/recall", init)).hits;
}

const inspect = (id: string, signal: AbortSignal): Promise<Schema<"InspectionReply">> =>
  get(`/v1/memories/${encodeURIComponent(id)}/inspect`, {}, signal);

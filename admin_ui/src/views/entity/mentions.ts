// Memories that name an entity, and the words by which each calls it.
import { get } from "../../api/client";
import type { Page, Schema } from "../../api/types";

export type Entity = Schema<"EntityReply">;
/** One that was asked for by its id. */
export type EntityDetail = Schema<"EntityDetailReply">;
type Memory = Schema<"MemoryReply">;
/** `names`: those of the entity's names that are in the memory's text. */
export type Mention = { memory: Memory; names: string[] };

const SHOWN = 50; // memories

/** The newest first. `most`: memories asked for. */
export async function mentionsOf(entity: Entity, signal: AbortSignal, most = SHOWN): Promise<Mention[]> {
  const asked = { dataset: entity.dataset, entity: entity.entity_id, limit: most };
  const { data } = await get<Page<Memory>>("/v1/memories", asked, signal);
  return data.map((memory) => ({ memory, names: namesIn(memory.text, entity.aliases) }));
}

/** Those of the names that are in a text, as whole words and whatever their case. */
export function namesIn(text: string, names: readonly string[]): string[] {
  const folded = text.toLocaleLowerCase();
  return names.filter((name) => isIn(folded, name.toLocaleLowerCase()));
}

function isIn(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const [before, after] = [text[at - 1] ?? "", text[at + name.length] ?? ""];
    if (!WORD.test(before) && !WORD.test(after)) return true;
  }
  return false;
}

const WORD = /[\p{L}\p{N}]/u;

/** The memories that call it by a name. */
export function sources(alias: string, mentions: readonly Mention[]): Mention[] {
  return mentions.filter((each) => each.names.includes(alias));
}

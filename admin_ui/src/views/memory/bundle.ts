// What the server tells of a memory, and what of it lies in its text.
import type { Schema } from "../../api/types";
import { fitting, type Span } from "./spans";

export type Bundle = Schema<"InspectionReply">;
export type Memory = Schema<"MemoryReply">;
export type Revision = Bundle["versions"][number];
export type Statement = Schema<"StatementReply">;
export type Evidence = Schema<"EvidenceReply">;
export type Edge = Schema<"EdgeReply">;

/** The most that the server tells of each. */
export const MOST = { statements: 500, edges: 1000, versions: 50 };

/** How a piece of evidence stands to the revision that is looked at: its words are in the text, no longer are, or are elsewhere. */
export type Standing = "here" | "lost" | "elsewhere";
/** Where the text carries its statements and names its entities, in UTF-16 units, and the evidence whose words are there. */
export type Layout = { spans: Span[]; here: ReadonlySet<Evidence> };

/** Evidence that lies outside of the text, or not at the words that it quotes, is no span of it. */
export function layOut({ memory, statements, entities }: Bundle): Layout {
  const said = statements.flatMap((statement) =>
    statement.evidence
      .filter((evidence) => evidence.memory_id === memory.memory_id)
      .map((evidence) => ({ evidence, start: evidence.start, end: evidence.end, of: statement.statement_id })),
  );
  const named = entities.flatMap(({ entity, spans }) =>
    spans.map(([start, end]) => ({ evidence: null, start, end, of: entity.entity_id })),
  );
  const all = [...said, ...named];
  const here = new Set<Evidence>();
  const spans = fitting(
    memory.text,
    all.map(({ start, end }, at) => ({ start, end, of: String(at) })),
  ).flatMap(({ start, end, of: at }) => {
    const found = all[Number(at)];
    if (!found) return [];
    const { evidence, of } = found;
    if (evidence?.quote && memory.text.slice(start, end) !== evidence.quote) return [];
    if (evidence) here.add(evidence);
    return [{ start, end, of }];
  });
  return { spans, here };
}

export function standing(memory: Memory, evidence: Evidence, here: ReadonlySet<Evidence>): Standing {
  if (evidence.memory_id !== memory.memory_id) return "elsewhere";
  return here.has(evidence) ? "here" : "lost";
}

/** The statements that rest on nothing but this memory, in whichever of its revisions. */
export function alone({ statements, versions }: Bundle): Statement[] {
  const own = new Set(versions.map((each) => each.memory_id));
  return statements.filter(
    (each) => each.evidence.length === each.evidence_count && each.evidence.every((found) => own.has(found.memory_id)),
  );
}

/** The first words of a text on one line. */
export function opening(text: string, limit: number): string {
  const line = text
    .slice(0, limit * 4)
    .trim()
    .replace(/\s+/gu, " ");
  if (line.length <= limit) return line;
  const cut = line.slice(0, limit);
  const space = cut.lastIndexOf(" ");
  return `${(space > limit / 2 ? cut.slice(0, space) : cut).replace(/[\ud800-\udbff]$/, "")}…`;
}

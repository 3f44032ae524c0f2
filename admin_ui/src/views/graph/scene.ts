// What is drawn of a graph: the entities, what holds between them, and what held before around the one in the middle.
import type { Schema } from "../../api/types";
import type { Link } from "./layout";

export type Graph = Schema<"GraphReply">;
export type Statement = Schema<"StatementReply">;
export type Node = { id: string; name: string; kind: string; degree: number };
/** `bend`: how far it goes around other relations of the same two; 0 is straight. */
export type Edge = { from: number; to: number; words: string; holds: boolean; bend: number };
export type Scene = {
  nodes: readonly Node[];
  edges: readonly Edge[];
  relations: readonly Statement[];
  /** Who was ever tied to whom, by ids, the same at every time: whoever comes when time moves has a place already. */
  ties: readonly Link[];
};
export type History = { statements: readonly Statement[]; kinds: ReadonlyMap<string, string> };

export const said = (predicate: string): string => predicate.replaceAll("_", " ");

/** How a statement stood at an instant. */
export function standing(statement: Statement, at: number): "holds" | "held" | "not yet" | "never" {
  if (!statement.validities.length) return "never";
  const begun = statement.validities.filter((each) => !each.valid_from || Date.parse(each.valid_from) <= at);
  if (!begun.length) return "not yet";
  return begun.some((each) => !each.valid_to || at < Date.parse(each.valid_to)) ? "holds" : "held";
}

/** The instants known at which something begins or ends, in their order. */
export function changes(statements: readonly Statement[]): number[] {
  const instants = statements.flatMap((each) =>
    each.validities.flatMap((held) => [held.valid_from ?? "", held.valid_to ?? ""]),
  );
  return [...new Set(instants.map((at) => Date.parse(at)).filter(Number.isFinite))].sort((a, b) => a - b);
}

/** The scene at an instant. A statement that holds comes from the graph, one that held from the history. */
export function sceneOf(graph: Graph, history: History, at: number): Scene {
  const shown = new Set(graph.relations.map((each) => each.statement_id));
  const held = history.statements.filter(
    (each) => each.object && !shown.has(each.statement_id) && standing(each, at) === "held",
  );
  const names = new Map(graph.entities.map((each) => [each.entity_id, { name: each.name, kind: each.kind }]));
  for (const { entity_id: id, name } of held.flatMap((each) => [each.subject, each.object as typeof each.subject]))
    if (!names.has(id)) names.set(id, { name, kind: history.kinds.get(id) ?? "not known" });
  const places = new Map([...names.keys()].map((id, place) => [id, place]));
  const edges = bent([
    ...graph.relations.flatMap((each) => edgeOf(each, places, true)),
    ...held.flatMap((each) => edgeOf(each, places, false)),
  ]);
  const degrees = degreesOf(edges);
  const nodes = [...names].map(([id, known], place) => ({ id, ...known, degree: degrees.get(place) ?? 0 }));
  return { nodes, edges, relations: [...graph.relations, ...held], ties: tiesOf(history.statements) };
}

const tiesOf = (statements: readonly Statement[]): Link[] =>
  statements.flatMap(({ subject, object }): Link[] =>
    object && object.entity_id !== subject.entity_id ? [[subject.entity_id, object.entity_id]] : [],
  );

function edgeOf(of: Statement, places: ReadonlyMap<string, number>, holds: boolean): Edge[] {
  const [from, to] = [places.get(of.subject.entity_id), places.get(of.object?.entity_id ?? "")];
  if (from === undefined || to === undefined || from === to) return [];
  const words = of.status === "contradicted" ? `≠ ${said(of.predicate)}` : said(of.predicate);
  return [{ from, to, words, holds, bend: 0 }];
}

function degreesOf(edges: readonly Edge[]): Map<number, number> {
  const found = new Map<number, number>();
  for (const place of edges.flatMap((each) => [each.from, each.to])) found.set(place, (found.get(place) ?? 0) + 1);
  return found;
}

/** Relations of the same two side by side: 0, 1, -1, 2, … seen from the first of them. */
function bent(edges: readonly Edge[]): Edge[] {
  const counts = new Map<string, number>();
  return edges.map((edge) => {
    const pair = `${Math.min(edge.from, edge.to)} ${Math.max(edge.from, edge.to)}`;
    const nth = counts.get(pair) ?? 0;
    counts.set(pair, nth + 1);
    const side = Math.ceil(nth / 2) * (nth % 2 ? 1 : -1) || 0;
    return { ...edge, bend: edge.from < edge.to ? side : -side || 0 };
  });
}

// Memories for tests, as the server tells of them.
import type { Bundle, Edge, Memory, Revision, Statement } from "./bundle";

export const ID = "mem_0000000000001G000004000000";
export const OTHER = "mem_0000000000002G000004000000";
const AT = "2026-12-01T02:59:10.023396Z";

export const memory = (more: Partial<Memory> = {}): Memory => ({
  memory_id: ID,
  is_current: true,
  text: "😀 I live in Bonn and work at Acme.",
  dataset: "default",
  agent: "Ada",
  session: null,
  kind: "episodic",
  salience: 0.6,
  occurred_at: AT,
  created_at: AT,
  recorded_at: AT,
  lsn: 7,
  metadata: {},
  document_id: null,
  state: "live",
  ...more,
});

export const revision = (more: Partial<Revision> = {}): Revision => {
  const made = memory(more);
  return { ...made, characters: [...made.text].length, is_cut: false, ...more };
};

type Words = { start: number; end: number; quote: string; memory_id?: string };

export const statement = (id: string, words: Words[], more: Partial<Statement> = {}): Statement => ({
  statement_id: id,
  dataset: "default",
  subject: { entity_id: "ent_1", name: "Ada" },
  predicate: "lives_in",
  object: { entity_id: "ent_2", name: "Bonn" },
  value: null,
  value_type: null,
  text: `Ada ${id}`,
  confidence: 0.85,
  status: "current",
  validities: [{ valid_from: AT, valid_to: null, superseded_by: null, recorded_at: AT, invalidated_at: null }],
  evidence: words.map((each) => ({
    memory_id: ID,
    confidence: 0.85,
    tier: "pattern",
    asserted_at: AT,
    valid_from: null,
    valid_to: null,
    time_phrase: null,
    ...each,
  })),
  evidence_count: words.length,
  contradicts: [],
  created_at: AT,
  ...more,
});

export const edge = (more: Partial<Edge> = {}): Edge => ({
  source: ID,
  target: OTHER,
  kind: "similar_to",
  weight: 0.9,
  made_by: "auto_edge",
  created_at: AT,
  ...more,
});

export const bundle = (more: Partial<Bundle> = {}): Bundle => ({
  memory: memory(),
  vector: { dimensions: 64, windows: 1, model: "hash", fingerprint: "fc5625e9b5160e39" },
  terms: ["live", "bonn"],
  questions: [{ text: "Where does Ada live?", source: "template" }],
  edges: [],
  entities: [{ entity: { entity_id: "ent_2", name: "Bonn" }, kind: "place", spans: [[12, 16]] }],
  statements: [
    statement("stm_lives", [{ start: 2, end: 16, quote: "I live in Bonn" }]),
    statement("stm_works", [{ start: 2, end: 33, quote: "I live in Bonn and work at Acme" }]),
  ],
  versions: [revision()],
  runs: [],
  truncated: [],
  ...more,
});

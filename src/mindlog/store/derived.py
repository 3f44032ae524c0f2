"""What a stage has found, applied inside the transaction that ends the stage; and where memories' words have gone.

Knows the sorts of results; the operations of each are in their own modules. Applied again, nothing changes.
"""

from __future__ import annotations

import json
from types import MappingProxyType
from typing import Final

import numpy as np

from mindlog.errors import InvalidInput
from mindlog.store.connect import Row, fetch
from mindlog.store.graphrows import GraphWrite, MemoryEdges, MemoryQuestions, MemoryTerms, QuestionsChange
from mindlog.store.graphwrite import apply_graph
from mindlog.store.links import apply_edges, check_kinds
from mindlog.store.queries import q
from mindlog.store.runrows import StageResults
from mindlog.store.transaction import Transaction

__all__ = ["CONTENT", "SHARED", "apply_results"]

_OWN_STATEMENTS = """SELECT e.statement FROM evidence AS e WHERE e.slot = :slot AND NOT EXISTS (
    SELECT 1 FROM evidence AS o WHERE o.statement = e.statement AND o.slot != :slot)"""
_OWN_ALIASES = """SELECT u.alias FROM alias_uses AS u WHERE u.slot = :slot AND NOT EXISTS (
    SELECT 1 FROM alias_uses AS o WHERE o.alias = u.alias AND o.slot != :slot)"""
_OWN_ENTITIES = """SELECT id FROM entities AS x WHERE id IN (
    SELECT entity FROM mentions WHERE slot = :slot
    UNION SELECT a.entity FROM alias_uses AS u JOIN aliases AS a ON a.id = u.alias WHERE u.slot = :slot
    UNION SELECT s.subject FROM evidence AS e JOIN statements AS s ON s.id = e.statement WHERE e.slot = :slot
    UNION SELECT s.object FROM evidence AS e JOIN statements AS s ON s.id = e.statement WHERE e.slot = :slot
    UNION SELECT r.entity FROM points AS p JOIN series AS r ON r.id = p.series WHERE p.slot = :slot
) AND NOT EXISTS (SELECT 1 FROM mentions AS n WHERE n.entity = x.id AND n.slot != :slot)
AND NOT EXISTS (
    SELECT 1 FROM aliases AS a JOIN alias_uses AS u ON u.alias = a.id WHERE a.entity = x.id AND u.slot != :slot
) AND NOT EXISTS (
    SELECT 1 FROM statements AS s JOIN evidence AS e ON e.statement = s.id WHERE s.subject = x.id AND e.slot != :slot
) AND NOT EXISTS (
    SELECT 1 FROM statements AS s JOIN evidence AS e ON e.statement = s.id WHERE s.object = x.id AND e.slot != :slot
) AND NOT EXISTS (
    SELECT 1 FROM series AS r JOIN points AS p ON p.series = r.id WHERE r.entity = x.id AND p.slot != :slot
)"""
_OWN_SERIES = """SELECT p.series FROM points AS p WHERE p.slot = :slot AND NOT EXISTS (
    SELECT 1 FROM points AS o WHERE o.series = p.series AND o.slot IS NOT :slot)
UNION SELECT id FROM series WHERE entity IN (/*entities*/)""".replace("/*entities*/", _OWN_ENTITIES)
_DOCUMENTS = (
    """SELECT r.document FROM remember_texts AS t JOIN remember_runs AS r ON r.id = t.run WHERE t.slot = :slot"""
)
_RUNS = "SELECT id FROM remember_runs WHERE document IN (/*documents*/)".replace("/*documents*/", _DOCUMENTS)

CONTENT: Final = MappingProxyType({
    "images": "slot = :slot",
    "places": f"slot = :slot OR entity IN ({_OWN_ENTITIES})",
    "points": f"slot = :slot OR series IN ({_OWN_SERIES})",
    "series": f"id IN ({_OWN_SERIES})",
    "remember_texts": "slot = :slot",
    "merge_proposals": f"entity IN ({_OWN_ENTITIES}) OR other IN ({_OWN_ENTITIES})",
    "merges": f"entity IN ({_OWN_ENTITIES}) OR into_entity IN ({_OWN_ENTITIES})",
    "alias_grams": f"rowid IN ({_OWN_ALIASES})",
    "aliases": f"id IN ({_OWN_ALIASES})",
    "entities": f"id IN ({_OWN_ENTITIES})",
    "statements": f"id IN ({_OWN_STATEMENTS})",
    "evidence": "slot = :slot",
    "questions": "slot = :slot",
    "memory_terms": "slot = :slot",
    "edges": "source = :slot OR target = :slot",
    "inferences": "run IN (SELECT id FROM encode_runs WHERE slot = :slot)",
    "encode_run_outputs": "run IN (SELECT id FROM encode_runs WHERE slot = :slot)",
    "encode_runs": "slot = :slot",
    "memory_versions": "slot = :slot",
    "embeddings": "slot = :slot",
    "requests": "slot = :slot",
    "memories": "slot = :slot",
})  # fmt: skip
"""Every table that holds words of memories or what was made of them, and the condition under which a row is of one memory alone.

`:slot` is the memory. To be asked before anything is deleted: a table's
condition looks at others. What rests on other memories too keeps what it was first called: an entity its name and vector,
a statement its sentence, an alias its spelling, a series its name; who erases a memory for good has to say these anew.
A picture is also a file, `blobs/<fingerprint>`: it is the memory's alone if no other row of `images` has the fingerprint.
"""

SHARED: Final = MappingProxyType({
    "documents": f"number IN ({_DOCUMENTS})",
    "remember_runs": f"id IN ({_RUNS})",
    "remember_sources": f"run IN ({_RUNS})",
    "remember_run_stage_outputs": f"run IN ({_RUNS})",
    "query_runs": "EXISTS (SELECT 1 FROM json_each(cited_slots(citations)) WHERE value = :slot) OR status != 'succeeded'",
    "inferences": f"run IS NULL OR (run_id LIKE 'rem%' AND run IN ({_RUNS}))",
})  # fmt: skip
"""Tables whose rows may hold words of a memory and are never one memory's alone, and the condition under which a row may.

A document with its runs has the words of every memory that was made of it; an answer quotes what it cites (`cited_slots` is
`querylist.register`'s), and the error of a query that failed may quote anything. Which memories the model calls of queries
quote is not on record: they are found too. Who erases a memory for good drops these rows whole, or erases the words in them.
"""


def apply_results(tx: Transaction, slot: int, version: int, dataset: int, results: StageResults) -> dict[str, int]:
    """Apply what a stage found for a live current revision; returns how many rows of each sort are new or were refused.

    Raises `InvalidInput` for results that contradict themselves or the revision, before anything is changed.
    """
    match results:
        case MemoryEdges(made_by=made_by, edges=edges):
            check_kinds(edges)
            return dict(apply_edges(tx, slot, dataset, made_by, edges))
        case MemoryTerms():
            return _put_terms(tx, slot, version, results)
        case MemoryQuestions():
            return _put_questions(tx, slot, version, dataset, results)
        case GraphWrite():
            if (results.dataset, results.slot, results.version) != (dataset, slot, version):
                raise InvalidInput("slot: the write is of another revision than the stage", field="slot")
            return apply_graph(tx, results)


def _put_terms(tx: Transaction, slot: int, version: int, terms: MemoryTerms) -> dict[str, int]:
    tx.connection.execute(q.put_terms, (slot, version, json.dumps(terms.terms, ensure_ascii=False)))
    return {"terms": len(terms.terms)}


def _put_questions(
    tx: Transaction, slot: int, version: int, dataset: int, questions: MemoryQuestions
) -> dict[str, int]:
    """Replace the memory's questions and tell of it, unless they are what they were."""
    count, width = len(questions.texts), tx.known.model.dimensions
    if questions.vectors.shape != (count, width):
        raise InvalidInput(f"vectors: have shape {questions.vectors.shape}, not ({count}, {width})", field="vectors")
    vectors = np.ascontiguousarray(questions.vectors, dtype="<f4")
    said = (version, questions.source, tx.known.model_id)
    new: list[Row] = [(*said, text, row.tobytes()) for text, row in zip(questions.texts, vectors, strict=True)]
    if fetch(tx.connection, q.questions_of, (slot,)) == new:
        return {"questions": 0}
    tx.connection.execute(q.delete_questions, (slot,))
    for number, source, model, text, vector in new:
        tx.connection.execute(q.insert_question, (slot, number, dataset, tx.lsn, source, model, text, vector))
    tx.questions.append(QuestionsChange(slot=slot, version=version, vectors=vectors))
    return {"questions": count}

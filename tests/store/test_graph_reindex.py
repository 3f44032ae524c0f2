"""A change of the model ends with no vector of the old one: not of questions and not of names."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mindlog.store.graphrows import MemoryQuestions
from mindlog.store.sqlite import SqliteStore
from mindlog.testing.conformance import Bench
from mindlog.testing.conformance.knowing import Fact, Knowing, derived, listed
from tests.store.made import MODEL, OTHER

LIKES: Fact = ("Anna", "likes", '"tea"')


async def test_questions_and_name_vectors_of_the_old_model_go_and_the_graph_stays(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path, model=MODEL)
    bench = Bench(store)
    knowing = Knowing(bench)
    slot = (await knowing.learn("Anna likes tea", facts=[LIKES])).id.slot
    await derived(bench, MemoryQuestions(source="llm", texts=("Who?",), vectors=bench.vectors("Who?")), "hype")
    await store.aclose()
    store = SqliteStore.open(tmp_path, model=OTHER, model_check=False)
    rows = np.ones((1, OTHER.dimensions), dtype=np.float32)
    await store.replace_vectors([(slot, 1, rows, None)], OTHER)
    await store.finish_reindex(OTHER)
    await store.aclose()
    store = SqliteStore.open(tmp_path, model=OTHER)
    knowing.bench = bench = Bench(store)
    assert (store.questions([slot]), store.question_vectors(0, 9)) == ([], [])
    ids, vectors = store.entity_vectors(knowing.number)
    assert (len(ids), vectors.shape) == (0, (0, OTHER.dimensions))
    assert (knowing.facts(), list(listed(bench))) == ([LIKES], ["Anna"])
    await derived(bench, MemoryQuestions(source="llm", texts=("Who?",), vectors=bench.vectors("Who?")), "hype")
    assert len(store.question_vectors(0, 9)) == 1
    await store.aclose()

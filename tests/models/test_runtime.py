"""onnxruntime and usearch in one process, in both orders; each in a process of its own, since one order can crash it."""

from __future__ import annotations

import subprocess
import sys

import pytest

EMBEDS = """
import asyncio
from mindlog.errors import ModelError
from mindlog.models.load import load_default

async def use():
    try:
        embedder = load_default()
    except ModelError as refusal:
        print("refused:", refusal)
        return
    print("embeds", (await embedder.embed(["a text"]))[0].vectors.shape)
    await embedder.aclose()
"""
HERE = "asyncio.run(use())"
ON_A_THREAD = """
import threading
thread = threading.Thread(target=lambda: asyncio.run(use()))
thread.start()
thread.join()
"""
INDEXES = """
import numpy as np
from usearch.index import Index
index = Index(ndim=8, metric="cos")
index.add(np.arange(100), np.eye(8, dtype=np.float32)[np.arange(100) % 8])
print("finds", len(index.search(np.ones(8, np.float32), 3)))
"""


def run(*parts: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", "\n".join(parts)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("how", [HERE, ON_A_THREAD], ids=["main thread", "another thread"])
def test_the_built_in_model_before_usearch_leaves_both_working(how: str) -> None:
    assert run(EMBEDS, how, INDEXES) == ["embeds (1, 384)", "finds 3"]


@pytest.mark.parametrize("how", [HERE, ON_A_THREAD], ids=["main thread", "another thread"])
@pytest.mark.parametrize("then", ["", "import tokenizers"], ids=["", "then tokenizers"])
def test_usearch_before_the_built_in_model_is_refused_where_it_would_crash_the_process(how: str, then: str) -> None:
    found, outcome = run(INDEXES, then, EMBEDS, how)
    assert found == "finds 3"
    # A usearch without a C++ runtime of its own does no harm, and then nothing may be refused.
    own = subprocess.run(
        [sys.executable, "-c", f"{INDEXES}\n{then}\nimport onnxruntime"], capture_output=True, check=False
    )
    assert outcome.startswith("refused: onnxruntime" if own.returncode else "embeds")


def test_usearch_after_a_library_that_numbered_the_ids_is_no_reason_to_refuse() -> None:
    assert run("import tokenizers", INDEXES, EMBEDS, HERE) == ["finds 3", "embeds (1, 384)"]


def test_a_graph_of_the_index_built_before_the_built_in_model_is_opened_does_no_harm() -> None:
    graph = "from threading import Event\nfrom mindlog.index.hnsw import Graph\nprint(Graph.build([], lambda *_: None, 8, Event()).rows)"
    assert run(graph, EMBEDS, ON_A_THREAD) == ["0", "embeds (1, 384)"]

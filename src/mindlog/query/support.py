"""Whether what was found is about the question at all. Owns the floor; knows no answer.

Measured on five LoCoMo conversations with the default embedder: of 759 questions asked of their own conversation 1 % stay below the
floor, of 996 asked of another conversation and 206 about other things 90 %. Of 237 questions that their own conversation seems to
answer and does not, 2 %: what is near the question in words and meaning, and does not answer it, no floor can tell.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import TYPE_CHECKING, Final

from mindlog.index.analyzer import analyze
from mindlog.models.catalog import DEFAULT_NAME

if TYPE_CHECKING:
    from mindlog.recall.job import RecallJob
    from mindlog.records import Memory

__all__ = ["is_supported", "share_of", "term_weights"]

_FLOOR: Final = 0.5
_OTHER_FLOOR: Final = 0.35  # the cosine that is a sign by itself, of an embedder for which nothing was measured
_COVERAGE, _GRAPH = 0.3, 0.3  # what the share of words and of statements count beside the cosine
_MOST_TEXT = 20_000  # characters of a memory whose words are looked at


def is_supported(job: RecallJob) -> bool:
    """Say whether any hit is about the cue: by its words, by a statement, by a question it answers, by its time, or by its meaning.

    Cosines mean different things for different embedders: with another than the default one, any sign is enough.
    """
    if not job.hits or job.pool is None or job.order is None:
        return False
    best = {name: float(values[job.order].max()) for name, values in job.pool.features.items()}
    # A time that is named outright ("on 8 May") is a sign of its own; "last week" is a filter on what is found otherwise.
    if job.inside_first is not None and bool(job.inside_first[job.pool.rows[job.order]].any()):
        return True
    coverage = _coverage(job)
    if job.tools.embedder.name != DEFAULT_NAME:
        return coverage > 0 or best["graph"] > 0 or best["time"] > 0 or best["semantic"] >= _OTHER_FLOOR
    return best["semantic"] + _COVERAGE * coverage + _GRAPH * best["graph"] >= _FLOOR


def term_weights(job: RecallJob) -> dict[str, float]:
    """Return what each term of the cue weighs; one that no memory holds weighs most."""
    assert job.cue is not None
    assert job.match is not None
    return {term: job.match.idf(term) for term in job.cue.terms}


def share_of(weights: Mapping[str, float], terms: frozenset[str]) -> float:
    """Return how much of the weights the terms meet, from 0 to 1."""
    whole = sum(weights.values())
    return sum(weight for term, weight in weights.items() if term in terms) / whole if whole else 0.0


def _coverage(job: RecallJob) -> float:
    weights = term_weights(job)
    return max(share_of(weights, _terms(hit.memory)) for hit in job.hits)


def _terms(memory: Memory) -> frozenset[str]:
    return frozenset(chain(analyze(memory.agent or ""), analyze(memory.text[:_MOST_TEXT])))

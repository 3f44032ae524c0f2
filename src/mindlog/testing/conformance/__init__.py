"""The store's contract as tests: every backend runs `CHECKS`, unchanged, in a few lines. Knows no backend.

Parametrise an async test over `CHECKS`; give each check a coroutine function that opens the store under test: the first
call a fresh one, later calls the same data again. A check raises `AssertionError` if the contract is broken.
"""

from mindlog.testing.conformance import (
    admin,
    asking,
    beliefs,
    derivedrows,
    graph,
    graphqueries,
    measuring,
    merging,
    order,
    placing,
    reads,
    remembering,
    revisions,
    runreads,
    runs,
    stagecommits,
    texts,
    visible,
    writes,
)
from mindlog.testing.conformance.bench import Bench, Check, Opener

__all__ = ["CHECKS", "Bench", "Check", "Opener"]

#: Every check, in an order that goes from the simple to the involved.
CHECKS: tuple[Check, ...] = (
    *writes.CHECKS,
    *order.CHECKS,
    *revisions.CHECKS,
    *reads.CHECKS,
    *runs.CHECKS,
    *stagecommits.CHECKS,
    *runreads.CHECKS,
    *graph.CHECKS,
    *graphqueries.CHECKS,
    *beliefs.CHECKS,
    *visible.CHECKS,
    *merging.CHECKS,
    *derivedrows.CHECKS,
    *remembering.CHECKS,
    *texts.CHECKS,
    *asking.CHECKS,
    *measuring.CHECKS,
    *placing.CHECKS,
    *admin.CHECKS,
)

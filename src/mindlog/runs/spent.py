"""What the model calls of runs came to, filled into the runs that are shown: one query for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace

from mindlog.store.derivation import DerivationStore
from mindlog.views import Run

__all__ = ["with_spent"]


def with_spent(runs: Sequence[Run], store: DerivationStore) -> tuple[Run, ...]:
    """Return the runs with their calls counted and summed. Reads."""
    sums = store.call_sums([run.run_id for run in runs]) if runs else {}
    return tuple(replace(run, **asdict(sums[run.run_id])) if run.run_id in sums else run for run in runs)

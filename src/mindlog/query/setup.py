"""What happens to a question before it is on record: it is checked. What is refused here leaves no run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mindlog.encode.validate import check_label, check_time
from mindlog.errors import InvalidInput
from mindlog.query.job import QueryJob
from mindlog.recall.recall import check_cue
from mindlog.runs.options import check_options
from mindlog.store.stages import QUERY_STAGES

if TYPE_CHECKING:
    from mindlog.query.job import QueryTools
    from mindlog.records import Dataset
    from mindlog.views import QueryRequest

__all__ = ["MAX_LIMIT", "accept"]

MAX_LIMIT = 100


def accept(request: QueryRequest, dataset: Dataset, tools: QueryTools, *, user: str | None = None) -> QueryJob:
    """Return the job of a question. user: the caller's key, None for whoever runs the process.

    Raises `InvalidInput` naming the field.
    """
    question = check_cue(request.question, "question")
    check_label(request.session, "session")
    as_of = None if request.as_of is None else check_time(request.as_of, "as_of", dataset.timezone)
    return QueryJob(
        request=request,
        dataset=dataset,
        tools=tools,
        options=check_options(request.options, QUERY_STAGES),
        limit=tools.settings.query_limit if request.limit is None else _checked_limit(request.limit),
        as_of=as_of,
        asked_by=user,
        cue=question,
    )


def _checked_limit(limit: object) -> int:
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= MAX_LIMIT:
        raise InvalidInput(f"limit: must be 1 to {MAX_LIMIT}", field="limit", limit=MAX_LIMIT)
    return limit

"""How verbs become calls of the engine: one function for each verb that is not one of its methods already."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from mindlog import verbs
from mindlog.access import LOCAL
from mindlog.clock import from_iso
from mindlog.engine import Engine
from mindlog.errors import InvalidInput, MindlogError
from mindlog.filters import Filters, parse_filters
from mindlog.ids import Operation, operation_of
from mindlog.records import (
    ApiKey,
    Dataset,
    EncodeResult,
    ForgetReceipt,
    Health,
    MemoryPage,
    RecallRequest,
    RecallResult,
    Scope,
)
from mindlog.runs.desk import RunDesk
from mindlog.runs.logdesk import LogDesk
from mindlog.views import (
    Edge,
    Entity,
    EntityDetail,
    EntityRequest,
    Graph,
    GraphRequest,
    Inference,
    Page,
    Proposal,
    Run,
    Statement,
    StatementRequest,
)


async def encode_batch(engine: Engine, batch: verbs.Batch) -> list[EncodeResult | MindlogError]:
    """Keep many texts."""
    return batch.outcomes(await engine.encode_batch(batch.requests) if batch.requests or not batch.items else [])


async def recall(engine: Engine, asked: verbs.Recall) -> RecallResult:
    """Find memories."""
    zone = zone_of(engine, asked.dataset)
    request = RecallRequest(
        cue=asked.cue,
        dataset=asked.dataset,
        limit=asked.limit,
        filters=filters_of(asked.filters, zone),
        as_of=from_iso(asked.as_of, field="as_of", default_zone=zone) if isinstance(asked.as_of, str) else asked.as_of,
        budget_tokens=asked.budget_tokens,
        trace=asked.trace,
        explain_ids=asked.explain_ids,
    )
    return await engine.recall(request)


async def list_page(engine: Engine, asked: verbs.ListPage) -> MemoryPage:
    """List memories."""
    filters = filters_of(asked.filters, zone_of(engine, asked.dataset))
    return await engine.list_memories(
        asked.dataset, filters=filters, entity=asked.entity, limit=asked.limit, cursor=asked.cursor
    )


async def forget(engine: Engine, asked: verbs.Forget) -> ForgetReceipt:
    """Forget a memory."""
    return await engine.forget([asked.memory_id], mode=asked.mode)


async def datasets(engine: Engine, sizes: bool) -> list[Dataset]:
    """List datasets."""
    return await engine.datasets(sizes=sizes)


async def put_dataset(engine: Engine, asked: verbs.PutDataset) -> Dataset:
    """Create a dataset, or set its zone."""
    return await engine.put_dataset(asked.name, timezone=asked.timezone)


async def create_key(engine: Engine, asked: verbs.NewKey) -> tuple[ApiKey, str]:
    """Create an API key."""
    return await engine.create_key(asked.name, scopes=_scopes(asked.scopes), datasets=asked.datasets)


async def keys(engine: Engine, _: None) -> list[ApiKey]:
    """List API keys."""
    return await engine.keys()


async def health(engine: Engine, _: None) -> Health:
    """Say how the engine is."""
    return await engine.health()


async def settled(engine: Engine, timeout: float | None) -> bool:
    """Wait until all is derived."""
    return await engine.settled(timeout)


# -- knowledge ----------------------------------------------------------------------------------------------------------
async def entities(engine: Engine, asked: EntityRequest) -> Page[Entity]:
    """List entities."""
    return await engine.knowledge.entities(asked)


async def entity(engine: Engine, entity_id: str) -> EntityDetail:
    """Return one entity."""
    return await engine.knowledge.entity(entity_id)


async def merge_entities(engine: Engine, asked: verbs.Merge) -> EntityDetail:
    """Make one entity of two."""
    return await engine.knowledge.merge(asked.entity_id, asked.into)


async def unmerge_entity(engine: Engine, entity_id: str) -> EntityDetail:
    """Take a merge back."""
    return await engine.knowledge.unmerge(entity_id)


async def statements(engine: Engine, asked: StatementRequest) -> Page[Statement]:
    """List statements."""
    return await engine.knowledge.statements(asked)


async def statement(engine: Engine, statement_id: str) -> Statement:
    """Return one statement."""
    return await engine.knowledge.statement(statement_id)


async def graph(engine: Engine, asked: GraphRequest) -> Graph:
    """Return what is around an entity."""
    return await engine.knowledge.graph(asked)


async def links(engine: Engine, memory_id: str) -> list[Edge]:
    """List a memory's links."""
    return list(await engine.knowledge.links(memory_id))


async def link(engine: Engine, asked: verbs.Link) -> Edge:
    """Link two memories."""
    return await engine.knowledge.link(asked.memory_id, asked.target, asked.kind, weight=asked.weight)


async def unlink(engine: Engine, asked: verbs.Link) -> None:
    """Take a link away."""
    await engine.knowledge.unlink(asked.memory_id, asked.target, asked.kind)


async def proposals(engine: Engine, asked: verbs.ProposalPage) -> Page[Proposal]:
    """List merge proposals."""
    return await engine.knowledge.proposals(asked.dataset, status=asked.status, limit=asked.limit, cursor=asked.cursor)


async def decide_proposal(engine: Engine, asked: verbs.Decision) -> Proposal:
    """Decide a merge proposal."""
    return await engine.knowledge.decide(asked.proposal_id, asked.status)


# -- runs ---------------------------------------------------------------------------------------------------------------
async def runs(engine: Engine, asked: verbs.RunPage) -> Page[Run]:
    """List runs."""
    return await _log(engine, asked.operation).list_runs(asked.request, caller=LOCAL)


async def run_counts(engine: Engine, operation: Operation) -> dict[str, Any]:
    """Count runs."""
    return await _log(engine, operation).counts(caller=LOCAL)


async def run(engine: Engine, asked: verbs.OneRun) -> Run:
    """Return one run."""
    return await _log(engine, operation_of(asked.run_id)).run(asked.run_id, outputs=asked.outputs, caller=LOCAL)


async def run_outputs(engine: Engine, run_id: str) -> dict[str, Mapping[str, Any]]:
    """Return what a run's stages produced."""
    return dict(await _log(engine, operation_of(run_id)).outputs(run_id, caller=LOCAL))


async def retry_runs(engine: Engine, asked: verbs.RunChange) -> int:
    """Start runs again."""
    desk = _work(engine, asked.operation)
    if asked.run_ids is None:
        return await desk.retry_where(asked.request, stages=asked.stages, caller=LOCAL)
    return await desk.retry(asked.run_ids, stages=asked.stages, caller=LOCAL)


async def cancel_runs(engine: Engine, asked: verbs.RunChange) -> int:
    """Cancel runs."""
    desk = _work(engine, asked.operation)
    if asked.run_ids is None:
        return await desk.cancel_where(asked.request, caller=LOCAL)
    return await desk.cancel(asked.run_ids, caller=LOCAL)


async def inferences(engine: Engine, asked: verbs.InferencePage) -> Page[Inference]:
    """List model calls."""
    return await engine.runs.inferences(
        run_id=asked.run_id,
        stage=asked.stage,
        failed=asked.failed,
        limit=asked.limit,
        cursor=asked.cursor,
        caller=LOCAL,
    )


async def inference(engine: Engine, inference_id: str) -> Inference:
    """Return one model call."""
    return await engine.runs.inference(inference_id, caller=LOCAL)


def _log(engine: Engine, operation: Operation) -> LogDesk[Any]:
    return engine.query_runs if operation == "query" else _work(engine, operation)


def _work(engine: Engine, operation: Operation) -> RunDesk[Any]:
    return engine.remember_runs if operation == "remember" else engine.runs


def _scopes(names: Iterable[str]) -> tuple[Scope, ...]:
    try:
        return tuple(map(Scope, names))
    except ValueError as exc:
        raise InvalidInput(f"scopes: must be of {', '.join(Scope)}: {exc}", field="scopes") from exc


def zone_of(engine: Engine, dataset: str) -> str | None:
    """Return the zone that a dataset's naive times are taken in."""
    found = engine.store.dataset(dataset)
    return found.timezone if found else None


def filters_of(filters: verbs.FilterForm | None, zone: str | None) -> Filters:
    """Return filters as a value. Raises `UnknownFilter` or `InvalidInput`."""
    return filters if isinstance(filters, Filters) else parse_filters(filters, default_zone=zone)

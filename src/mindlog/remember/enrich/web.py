"""The stage web_search: what the document leaves open is looked up, and what is found is kept with its address.

A text from the web is nobody's word: it is known by its address and the trust `web`, its numbers become no points, and nothing it
says ends what a user has said.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from mindlog.errors import ConfigError, LlmBudgetExceeded, MindlogError
from mindlog.knowledge.extraction import name_key
from mindlog.models.llm import NO_LLM
from mindlog.remember.enrich.openquestions import queries_by_model, queries_by_rules
from mindlog.remember.enrich.texts import Added, chunks_at_once, namings, raise_all

if TYPE_CHECKING:
    from mindlog.providers.search.provider import WebResult, WebSearch
    from mindlog.remember.job import RememberJob
    from mindlog.store.graphrows import EntityRow

__all__ = ["web_search"]

_STAGE = "web_search"
_AGENT = "web"
_RESULTS = 5  # of one query
_MOST_TOLD = 12_000  # characters of the document that a model is told
_LONGEST_TITLE = 200
_BATCH = 500


async def web_search(job: RememberJob) -> None:
    """Search for what is open and reconcile what is found; the errors of providers and models are raised after that."""
    search = job.tools.search
    if search is None:
        raise ConfigError("web_search: was asked for, but no search is configured", field="web_search")
    added = Added(job, "web", _STAGE, "web", _AGENT)
    await added.load()
    await added.go_on()
    most = job.tools.settings.web_search_queries
    queries = await _queries(job, most, added.errors)
    job.output(_STAGE)["queries"] = queries
    found = await _found(search, queries, added.errors)
    await _keep(job, added, found, most * _RESULTS)
    raise_all("searches", added.errors)


# -- queries ------------------------------------------------------------------------------------------------------------
async def _queries(job: RememberJob, most: int, errors: list[Exception]) -> list[str]:
    """Return what to ask: by the model if there is one; what it cannot say the rules say."""
    told = NO_LLM
    if job.tools.llm is not None:
        model, reasoning = job.model(_STAGE)
        try:
            about = await asyncio.to_thread(_told, job)
            queries = await queries_by_model(job.tools.llm, about, most, model=model, reasoning=reasoning)
        except LlmBudgetExceeded as exc:
            told = f"skipped: {exc.detail}"
        except MindlogError as exc:
            if job.broken(_STAGE, exc):
                raise
            errors.append(exc)
            told = "failed"
        else:
            job.output(_STAGE)["model"] = "asked"
            return queries
    job.output(_STAGE)["model"] = told
    return await asyncio.to_thread(_by_rules, job, most)


def _told(job: RememberJob) -> str:
    """Return the title and the summaries of the chunks, or the beginning of the text if it is short or has none."""
    text = job.document.text
    if len(text) > _MOST_TOLD:
        rows = job.tools.store.texts(job.run.id, "chunk")
        text = "\n".join(row.summary for row in rows if row.summary) or text
    return f"{job.document.title or ''}\n\n{text}".strip()[:_MOST_TOLD]


def _by_rules(job: RememberJob, most: int) -> list[str]:
    texts = (text.text for some in chunks_at_once(job) for text in some)
    return queries_by_rules(texts, _named(job), job.document.title, most)


def _named(job: RememberJob) -> Iterable[tuple[EntityRow, int]]:
    found = namings(job)
    numbers = sorted(found)
    for start in range(0, len(numbers), _BATCH):
        for row in job.tools.store.entities(job.dataset.number, numbers[start : start + _BATCH]):
            yield row, found[row.id].times


# -- results ------------------------------------------------------------------------------------------------------------
async def _found(search: WebSearch, queries: Iterable[str], errors: list[Exception]) -> list[tuple[str, WebResult]]:
    """Return what the searches find, with its query. One that fails is the last."""
    found: list[tuple[str, WebResult]] = []
    for query in queries:
        try:
            found += [(query, result) for result in await search.search(query, _RESULTS)]
        except MindlogError as exc:
            errors.append(exc)
            break
    return found


async def _keep(job: RememberJob, added: Added, found: list[tuple[str, WebResult]], most: int) -> None:
    """Keep every page and every text once, at most so many for the run."""
    addresses = [result.url for _, result in found]
    earlier = await asyncio.to_thread(job.tools.store.texts_from, job.dataset.number, "web", addresses)
    seen = {name_key(words) for words in added.texts}
    for query, result in found:
        words = _words(result)
        if result.url in added or name_key(words) in seen:
            job.count(_STAGE, "duplicates")
            continue
        if len(added) >= most:
            job.count(_STAGE, "left_out")
            continue
        seen.add(name_key(words))
        known = earlier.get(result.url)
        same = known if known is not None and known.text == words else None
        how = await added.add(words, result.url, earlier=same, revises=False, metadata=_metadata(query, result))
        job.output(_STAGE).setdefault("kept", []).append({"url": result.url, "query": query, "text": how})


def _words(result: WebResult) -> str:
    title = result.title.strip()[:_LONGEST_TITLE]
    return f"{title}\n\n{result.text}" if title else result.text


def _metadata(query: str, result: WebResult) -> dict[str, Any]:
    metadata: dict[str, Any] = {"source": "web", "url": result.url, "query": query}
    if result.published_at is not None:
        metadata["published_at"] = result.published_at.isoformat()
    return metadata

"""A data directory with something of everything, made by the real pipelines: what the admin UI is looked at and tested with.

    async with made(path) as full:
        full.engine, full.ids

No model and no network: a hash embedder, and a language model and a web of loopback that answer as told.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import AsyncGenerator
from contextlib import ExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.parse import quote

from mindlog.access import LOCAL
from mindlog.api import Metrics
from mindlog.engine import Engine
from mindlog.errors import MindlogError
from mindlog.filters import Filters
from mindlog.records import EditRequest, EncodeRequest, RecallRequest
from mindlog.settings import Settings
from mindlog.testing.fakes import HashEmbedder
from mindlog.testing.llm_answers import Sayable, refuse, sample
from mindlog.testing.llm_server import FakeLLM
from mindlog.testing.llm_wire import FakeRequest
from mindlog.testing.web_answers import FakePage, Misbehaviour
from mindlog.testing.web_server import FakeWeb
from mindlog.views import EntityRequest, QueryRequest, RememberRequest, RunRequest

DEMO = Path(__file__).resolve().parents[2] / "demo" / "lighthouse.jsonl"
SETTLE_SECONDS = 120.0
HELD_SECONDS = 30.0
REFUSED = "vault"  # the model declines every chunk that has this word
HELD = "Kilimanjaro"  # the model answers nothing about this until it is let
UNSTORABLE = "Nobody can embed this memory."
UNANSWERABLE = "Which question can nobody embed?"
NAMES = ("Alice Chen", "Alice Cole", "Alice C", "Tom Weber", "Bella Ortiz")

MARKUP = "<img src=x onerror=\"alert('run')\"><script>window.ran = true</script><svg onload=alert(1)>"
REVERSED = "\u202egnihton si siht\u202c and \u2067שלום עולם\u2069"
LONG = "Donaudampfschifffahrtselektrizitaeten" * 12
HOSTILE = {"markup": MARKUP, "rtl": f"{REVERSED} \u202e", "long": LONG, "link": "javascript:alert('link')//"}


STORY = (
    ("2019-03-01T10:00:00Z", "Mara Voss lives in Lisbon. Mara Voss works at Harbor Labs. Harbor Labs is located in Lisbon."),
    ("2019-05-01T10:00:00Z", "Ines Duarte works at Harbor Labs. Ines Duarte lives in Lisbon. Ines Duarte is married to Farid Haddad."),
    ("2021-06-01T10:00:00Z", "Mara Voss moved to Porto. Mara Voss is married to Jonas Reil."),
    ("2022-01-10T10:00:00Z", "Farid Haddad works at Tidewater Group. Tidewater Group is located in Vienna."),
    ("2023-02-01T10:00:00Z", "Mara Voss works at Tidewater Group. Mara Voss lives in Vienna."),
    ("2024-05-01T10:00:00Z", "Jonas Reil lives in Vienna. Jonas Reil works at Harbor Labs. Jonas Reil likes sailing."),
    ("2025-01-01T10:00:00Z", "Mara Voss is allergic to walnuts. Mara Voss likes sailing."),
)  # fmt: skip


# Each two of them may be one; told while there is no model that would decide.
DOUBLES = (
    "Alice Chen works at Acme.",
    "Alice C works at Globex.",
    "Dr. Lind lives in Bonn.",
    "Eva Lind lives in Bonn.",
    "Dr. Okoro lives in Accra.",
    "Ada Okoro lives in Accra.",
)


@dataclass
class Full:
    """An open engine over the data, its metrics, ids of what a test wants to open, by name, and the gate of the held model."""

    engine: Engine
    metrics: Metrics
    ids: dict[str, str] = field(default_factory=dict)
    gate: threading.Event = field(default_factory=threading.Event)


@asynccontextmanager
async def made(path: Path, *, lines: int | None = None) -> AsyncGenerator[Full]:
    """An engine over a fresh directory in `path` that holds everything. lines: how many lines of the demo it is told; all, if unset."""
    with ExitStack() as closing:
        # It takes ten seconds to be made, in every fresh directory.
        closing.enter_context(patch("mindlog.background.LazyGazetteer", lambda folder: lambda: None))
        gate = threading.Event()
        closing.callback(gate.set)
        web, llm = closing.enter_context(FakeWeb()), closing.enter_context(FakeLLM(partial(answer, gate)))
        async with await Engine.open(_settings(path), embedder=HashEmbedder()) as engine:
            await _converse(engine, lines)
        embedder, metrics = HashEmbedder(), Metrics()
        embedder.fail_texts = {UNANSWERABLE, UNSTORABLE}
        providers = _settings(
            path, llm="openai", llm_url=llm.url, llm_model="fake", llm_api_key="any", **web.settings()
        )
        async with await Engine.open(providers, embedder=embedder, observe=metrics.observe) as engine:
            full = Full(engine, metrics, gate=gate)
            for make in (_document, _people, _series, _hostile, _ledger, _queries):
                await make(full, web)
            await _remember_ids(full)
            yield full


def answer(gate: threading.Event, request: FakeRequest) -> Sayable:
    """What the model says: it declines the marked text, finds the known names, and answers with the first source."""
    said, schema = request.messages[-1][1], request.schema
    if HELD in said:
        gate.wait(HELD_SECONDS)
    if REFUSED in said and len(said) < 1500:
        return refuse("I cannot help with the vault.")
    if schema is None:
        return _first_source(said)
    known = {
        "claims": lambda: {"mentions": [{"name": name, "kind": "person"} for name in _names(said)], "claims": []},
        "summary": lambda: {"summary": re.sub(r"\W+", " ", said[-160:]).strip()},
        "queries": lambda: {"queries": ["capacity of the Aurora battery"]},
    }
    return next((known[name]() for name in known if name in schema.get("properties", {})), None) or sample(schema)


def _names(said: str) -> list[str]:
    return [name for name in (*NAMES, MARKUP) if re.search(rf"{re.escape(name)}(?!\w)", said)]


def _first_source(said: str) -> str:
    sources = [json.loads(line) for line in said.split("\n") if line.startswith("{")]
    return f"{sources[0]['text'].splitlines()[0]} [1]" if sources and "text" in sources[0] else "ok"


def _settings(path: Path, **more: Any) -> Settings:
    quick = {
        "derive_backoff_seconds": 0.01,
        "derive_attempts": 2,
        "remember_attempts": 2,
        "llm_pause_seconds": 0.1,
        "chunk_tokens": 48,
        "chunk_max_tokens": 96,
    }
    return Settings(data=path / "data", classifier=False, provider_seconds=2, **quick, **more)


# -- what is kept ---------------------------------------------------------------------------------------------------------
async def _converse(engine: Engine, lines: int | None) -> None:
    told = DEMO.read_text(encoding="utf-8").splitlines()[:lines]
    await engine.put_dataset("lighthouse", timezone="Europe/Berlin")
    requests = [EncodeRequest(**json.loads(line), dataset="lighthouse") for line in told]
    for outcome in await engine.encode_batch(requests):
        assert not isinstance(outcome, MindlogError), outcome
    for text in DOUBLES:
        await engine.encode(EncodeRequest(text=text, wait="derived"))
    diary = {
        "I live in Bonn and work at Acme.": "2025-01-05T10:00:00Z",
        "My friend Omar plays the cello in Cologne.": "2025-02-14T19:00:00Z",
        "I moved to Berlin last week.": "2025-03-10T10:00:00Z",
    }
    for text, at in diary.items():
        await engine.encode(EncodeRequest(text=text, agent="Ada", session="diary", occurred_at=at, wait="derived"))
    assert await engine.settled(SETTLE_SECONDS)


async def _document(full: Full, web: FakeWeb) -> None:
    web.misbehave("geocoder", Misbehaviour.RESET)
    web.data.pages = [
        FakePage(title="Aurora", url="https://example.org/aurora", text="The Aurora battery holds 90 kWh.")
    ]
    result = await full.engine.remember(
        RememberRequest(
            text=_book(),
            name="house.md",
            content_type="text/markdown",
            document_id="house",
            agent="Anna",
            web_search=True,
        )
    )
    full.ids |= {"document": result.document_id, "remember_run": result.remember_run_id}
    assert await full.engine.settled(SETTLE_SECONDS)


def _book() -> str:
    rooms = [
        f"## Room {n}\n\nTom Weber works at Acme and looks after room {n} of the house in Tharandt (50.9836, 13.5800). "
        f"The shelf of room {n} holds {n + 3} boxes with lamps and wicks for the long nights of the winter."
        for n in range(1, 29)
    ]
    rooms.insert(
        7, "## The lock\n\nThe vault below the stairs is opened with two keys that Bella Ortiz holds day and night."
    )
    return "# The house\n\nThe capacity of the Aurora battery is unknown. Anna lives in Munich.\n\n" + "\n\n".join(
        rooms
    )


async def _people(full: Full, web: FakeWeb) -> None:
    for at, text in STORY:
        ack = await full.engine.encode(EncodeRequest(text=text, agent="Archive", occurred_at=at, wait="derived"))
        if "walnuts" in text:
            full.ids["memory"] = str(ack.memory_id)
    ack = await full.engine.encode(EncodeRequest(text="The tide tables are in drawer three.", wait="derived"))
    edited = await full.engine.edit(
        EditRequest(memory_id=str(ack.memory_id), text="The tide tables are in drawer four.")
    )
    full.ids["edited"] = str(edited.memory_id)
    assert await full.engine.settled(SETTLE_SECONDS)


async def _series(full: Full, web: FakeWeb) -> None:
    for quarters in ("3.1M in Q1 2023 and 3.4M in Q2 2023", "3.9M in Q3 2023 and 4.6M in Q4 2023"):
        await full.engine.remember(RememberRequest(text=f"The revenue of Acme was {quarters}.", name="acme.md"))
        assert await full.engine.settled(SETTLE_SECONDS)


async def _ledger(full: Full, web: FakeWeb) -> None:
    """What went otherwise: statements that contradict each other, a revised point, a forgotten memory, a quarantined run."""
    engine, dataset = full.engine, "ledger"
    for at, town in (("2020-01-01T10:00:00Z", "Oslo"), ("2021-01-01T10:00:00Z", "Rome")):
        text = f"Nora Bruun was born in {town}."
        await engine.encode(EncodeRequest(text=text, dataset=dataset, occurred_at=at, wait="derived"))
    for revenue in ("3.1M in Q1 2023 and 3.4M in Q2 2023", "3.3M in Q1 2023"):
        text = f"The revenue of Globex was {revenue}."
        await engine.remember(RememberRequest(text=text, name="globex.md", dataset=dataset))
        assert await engine.settled(SETTLE_SECONDS)
    secret = await engine.encode(
        EncodeRequest(text="The combination of the safe is 7-4-1.", dataset=dataset, wait="derived")
    )
    await engine.forget([str(secret.memory_id)])
    await engine.remember(RememberRequest(text=UNSTORABLE, name="odd.md", dataset=dataset))
    assert await engine.settled(SETTLE_SECONDS)
    entities = (await engine.knowledge.entities(EntityRequest(dataset=dataset))).data
    full.ids |= {
        "forgotten": str(secret.memory_id),
        "torn": next(each.entity_id for each in entities if each.name == "Nora Bruun"),
        "revised": (await engine.knowledge.series(dataset)).data[0].series_id,
    }


async def _hostile(full: Full, web: FakeWeb) -> None:
    await full.engine.put_dataset("hostile")
    for name, text in HOSTILE.items():
        label = text[:200]
        for number in range(2):
            ack = await full.engine.encode(
                EncodeRequest(
                    text=f"{text} {number}",
                    dataset="hostile",
                    agent=_label(label),
                    session=_label(label),
                    metadata={"note": text, name: [label, {"deep": text}]},
                )
            )
        full.ids[f"hostile_{name}_memory"] = str(ack.memory_id)
        result = await full.engine.remember(
            RememberRequest(
                text=f"# {text}\n\nTom Weber said {text} of {text}. The revenue of {label} was 3M in 2021 and 4M in 2022.",
                name=_label(f"{label}.md"),
                document_id=f"{_label(label)} {name}",
                dataset="hostile",
            )
        )
        full.ids |= {
            f"hostile_{name}": result.remember_run_id,
            f"hostile_{name}_document": quote(result.document_id, ""),
        }
        await full.engine.query(QueryRequest(question=f"What is {text}?", dataset="hostile", session=_label(label)))
    assert await full.engine.settled(SETTLE_SECONDS)


def _label(text: str) -> str:
    """What may be the name of something: no control and formatting signs."""
    return "".join(sign for sign in text if sign.isprintable()).strip()


async def _queries(full: Full, web: FakeWeb) -> None:
    ask = full.engine.query
    full.ids["query_run"] = (await ask(QueryRequest(question="Where does Tom Weber work?", session="s"))).query_run_id
    await ask(QueryRequest(question="When does the lamp arrive?", dataset="lighthouse"))
    full.ids["empty_query_run"] = (
        await ask(QueryRequest(question="xyzzy qwertz?", filters=Filters(agent=("nobody",))))
    ).query_run_id
    with suppress(MindlogError):
        await ask(QueryRequest(question=UNANSWERABLE))
    await full.engine.recall(RecallRequest(cue="Tom Weber"))


async def _remember_ids(full: Full) -> None:
    runs, knowledge = full.engine.runs, full.engine.knowledge
    full.ids["encode_run"] = (await runs.list_runs(RunRequest(dataset="default"), caller=LOCAL)).data[0].run_id
    entities = (await knowledge.entities(EntityRequest(limit=500))).data
    full.ids["entity"] = next(each.entity_id for each in entities if each.name == "Mara Voss")
    series = (await knowledge.series("default")).data
    full.ids["series"] = series[0].series_id

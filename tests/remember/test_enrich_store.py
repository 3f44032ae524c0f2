"""What the enrichments ask of the store: texts by their source, those of older versions, and series by whose words gave them."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from mindlog.errors import StoreFull
from mindlog.store import rememberquery, seriesreads
from mindlog.store.connect import DATABASE
from mindlog.store.seriesreads import SeriesQuery
from tests.remember.enriched import stage, world
from tests.store.test_run_plans import plan

SAID = "The revenue of Acme was 3.1M in Q1 2023 and 3.4M in Q2 2023."


async def test_texts_are_found_by_their_source_while_they_are_live(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        (text,) = here.texts(await here.remember(SAID), "series")
        source = text.source or ""
        number = here.number()
        assert here.store.texts_from(number, "series", [source, "ser_0000000000099"]) == {source: text}
        assert here.store.texts_from(number, "web", [source]) == {}
        assert here.store.texts_from(number + 1, "series", [source]) == {}
        await here.store.forget(number, [text.memory_id.slot])
        assert here.store.texts_from(number, "series", [source]) == {}


async def test_former_texts_are_those_of_earlier_runs_of_the_document_alone(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        first = await here.remember(SAID, document_id="a")
        other = await here.remember("The price of tea was $3 in 2021 and $5 in 2022.", document_id="b")
        assert here.store.former_texts(first.id, "series") == []
        assert here.store.former_texts(other.id, "series") == []
        run = await here.accept(f"{SAID} Again.", document_id="a")
        assert [text.key.run for text in here.store.former_texts(run, "series")] == [first.id]


async def test_series_are_found_by_the_memories_that_gave_points(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        (one,) = here.texts(await here.remember(SAID), "chunk")
        (two,) = here.texts(await here.remember("The price of tea was $3 in 2021 and $5 in 2022."), "chunk")
        number = here.number()

        def names(*slots: int) -> list[str]:
            return sorted(row.name for row in here.store.series(number, slots=slots))

        assert names(one.memory_id.slot) == ["revenue"]
        assert len(names(one.memory_id.slot, two.memory_id.slot)) == 2
        assert names(999) == []


async def test_each_is_found_by_an_index(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        connection = apsw.Connection(str(here.tools.settings.data / DATABASE))
        asked = [
            rememberquery.texts_from(1, "web", ["x"]),
            rememberquery.former_texts(1, "series"),
            seriesreads.compile_series(SeriesQuery(dataset=1, slots=[1]), []),
        ]
        for each in asked:
            steps = plan(connection, *each)
            assert not [step for step in steps if step.startswith("SCAN") and "VIRTUAL" not in step], steps


async def test_what_the_store_refuses_ends_the_attempt_and_is_gone_on_with_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world(tmp_path) as here:
        await here.say("something")
        run = await here.accept("Anna lives in Tharandt (50.9836, 13.5800).")

        async def full(*_: object) -> int:
            raise StoreFull("no room")

        with monkeypatch.context() as patch:
            patch.setattr(here.store, "put_places", full)
            attempt = await here.attempt()
        assert isinstance(attempt.failures["resolve_geo"], StoreFull)
        assert stage(here.run(run), "resolve_geo")[0] in ("started", "not_started")
        here.tools.clock.at += 3_600_000_000  # type: ignore[attr-defined]
        await here.attempt()
        assert stage(here.run(run), "resolve_geo") == ("succeeded", None)
        assert set(here.places()) == {"Tharandt"}

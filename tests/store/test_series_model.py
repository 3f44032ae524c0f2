"""Series against a model: whatever is written, forgotten, restored, edited and merged, the points are those of the plain rules."""

from __future__ import annotations

import asyncio
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from mindlog.store.documentrows import NewPoint, NewSeries, SeriesWrite
from mindlog.store.sqlite import SqliteStore
from mindlog.testing.conformance import Bench
from tests.store.made import MODEL

Given = list[tuple[int, int]]  # (at, value)

SLOTS = (1, 2, 3)
slots = st.sampled_from(SLOTS)
points = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), max_size=4)
steps = st.one_of(
    st.tuples(st.just("put"), slots, points),
    st.tuples(st.just("tell"), st.sampled_from(("p", "q")), points),
    st.tuples(st.sampled_from(("forget", "restore", "edit")), slots, st.just([])),
)


@dataclass(slots=True)
class Model:
    """What was given, in order: (giver, version or None, at, value), and which memories are forgotten."""

    rows: list[tuple[int | str, int | None, int, int]] = field(
        default_factory=list[tuple[int | str, int | None, int, int]]
    )
    version: dict[int, int] = field(default_factory=lambda: dict.fromkeys(SLOTS, 1))
    forgotten: set[int] = field(default_factory=set[int])

    def put(self, slot: int, given: Given) -> None:
        """Replace what the revision gave, time by time."""
        version, new = self.version[slot], list(dict.fromkeys(given))
        old = [row[2:] for row in self.rows if row[:2] == (slot, version)]
        for at in {at for at, _ in (*old, *new)}:
            now = [each for each in new if each[0] == at]
            if [each for each in old if each[0] == at] != now:
                self.rows = [row for row in self.rows if row[:3] != (slot, version, at)]
                self.rows += [(slot, version, *each) for each in now]

    def tell(self, provider: str, given: Given) -> None:
        """Add what the provider did not say last."""
        for at, value in given:
            said = [row[3] for row in self.rows if row[0] == provider and row[2] == at]
            if said[-1:] != [value]:
                self.rows.append((provider, None, at, value))

    def shown(self) -> list[tuple[int, float, tuple[float, ...]]]:
        """Return (at, value, what was) as the store must show it."""
        live = [(at, value) for giver, version, at, value in self.rows if self._is_live(giver, version)]
        found: list[tuple[int, float, tuple[float, ...]]] = []
        for at in sorted({at for at, _ in live}):
            *former, current = [value for when, value in live if when == at]
            was = dict.fromkeys(value for value in reversed(former) if value != current)
            found.append((at, float(current), tuple(map(float, was))))
        return found

    def _is_live(self, giver: int | str, version: int | None) -> bool:
        return isinstance(giver, str) or (giver not in self.forgotten and self.version[giver] == version)


async def apply(bench: Bench, model: Model, step: tuple[str, int | str, Given]) -> None:
    """Do the step to both."""
    how, whose, given_ = step
    store, number = bench.store, bench.number()
    if isinstance(whose, str):
        model.tell(whose, given_)
        await store.put_series(SeriesWrite(dataset=number, series=(series(given_, whose),)))
    elif how == "forget":
        model.forgotten.add(whose)
        await store.forget(number, [whose])
    elif how == "restore":
        model.forgotten.discard(whose)
        await store.restore(number, [whose], 0)
    elif whose not in model.forgotten and how == "put":
        model.put(whose, given_)
        version = model.version[whose]
        await store.put_series(SeriesWrite(dataset=number, slot=whose, version=version, series=(series(given_),)))
    elif whose not in model.forgotten:
        model.version[whose] += 1
        await store.edit(bench.edit(bench.get(whose), metadata={"n": model.version[whose]}))


def series(given_: Given, source: str | None = None) -> NewSeries:
    """Return the points as those of the only series there is."""
    rows = tuple(NewPoint(at=at, value=float(value), source=source) for at, value in given_)
    return NewSeries(entity=None, name="n", key="k", unit=None, dimension=None, points=rows)


async def hold(directory: Path, done: list[tuple[str, int | str, Given]]) -> None:
    """Do the steps and compare after each."""
    store = SqliteStore.open(directory, model=MODEL)
    bench, model = Bench(store), Model()
    await bench.fill(f"text {slot}" for slot in SLOTS)
    for step in done:
        await apply(bench, model, step)
        found = store.series(bench.number())
        shown = [(point.at, point.value, point.was) for each in found for point in store.points(each.id)]
        assert shown == model.shown()
        assert [(each.points, each.first_at, each.last_at) for each in found] == (
            [(len(shown), shown[0][0], shown[-1][0])] if shown else []
        )
    await store.aclose()


@settings(max_examples=40, deadline=None)
@given(st.lists(steps, max_size=12))
def test_points_are_those_of_the_model(done: list[tuple[str, int | str, Given]]) -> None:
    with tempfile.TemporaryDirectory() as directory:
        asyncio.run(hold(Path(directory) / "data", done))

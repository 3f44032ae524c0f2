"""Checks of what stages keep of a memory beside the graph: links, terms, questions; and of links made by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mindlog.errors import InvalidInput, MemoryNotFound
from mindlog.store.graphrows import EdgeRow, MemoryEdges, MemoryQuestions, MemoryTerms, NewEdge, QuestionsChange
from mindlog.testing.conformance.bench import Bench, Check, Opener, opened, refused
from mindlog.testing.conformance.knowing import Knowing, stage
from mindlog.testing.conformance.work import claim

__all__ = ["CHECKS"]


async def _memories(bench: Bench, count: int) -> list[int]:
    """Persist memories whose runs are claimed; returns their runs by slot order (slots are 1, 2, ..)."""
    await bench.fill(f"memory {n}" for n in range(count))
    return [run.id for run in sorted(await claim(bench), key=lambda run: run.slot)]


def _edges(*edges: tuple[int, str, float], made_by: str = "auto_edge") -> MemoryEdges:
    return MemoryEdges(made_by=made_by, edges=tuple(NewEdge(target=t, kind=k, weight=w) for t, k, w in edges))


def _links(rows: Sequence[EdgeRow]) -> list[tuple[int, str, int, float]]:
    return [(row.source, row.kind, row.target, row.weight) for row in rows]


async def _commit(bench: Bench, run: int, results: Any, name: str = "auto_edge") -> dict[str, int]:
    return dict((await bench.store.commit_stage(stage(run, name, results))).added)


async def the_links_of_a_stage_replace_its_former_ones(open_store: Opener) -> None:
    """Other stages' and people's stay; what is found again keeps its first moment; reversed links count as the memory's."""
    async with opened(open_store) as bench:
        runs = await _memories(bench, 4)
        number = bench.number()
        assert await _commit(bench, runs[3], _edges((1, "supports", 0.9), (2, "supports", 1.5))) == {"edges": 2}
        follows = NewEdge(target=3, kind="followed_by", weight=0.5, reverse=True)
        temporal = MemoryEdges(made_by="temporal_edge", edges=(follows,))
        await _commit(bench, runs[3], temporal, "temporal_edge")
        await bench.store.put_link(number, 4, 3, "references", 0.7)
        first = bench.store.edges([4])
        assert _links(first) == [
            (4, "supports", 2, 1.0),
            (4, "supports", 1, 0.9),
            (4, "references", 3, 0.7),
            (3, "followed_by", 4, 0.5),
        ]
        assert [row.made_by for row in first] == ["auto_edge", "auto_edge", "user", "temporal_edge"]
        assert _links(bench.store.edges([4], 2)) == _links(first)[:2]
        again = _edges((1, "supports", 0.9), (3, "supports", 0.8), (3, "references", 0.1))
        assert await _commit(bench, runs[3], again) == {"edges": 1}
        second = bench.store.edges([4, 4])
        assert _links(second) == [
            (4, "supports", 1, 0.9),
            (4, "supports", 3, 0.8),
            (4, "references", 3, 0.7),
            (3, "followed_by", 4, 0.5),
        ]
        assert second[0] == first[1]
        assert await _commit(bench, runs[3], again) == {"edges": 0}
        await _commit(bench, runs[3], MemoryEdges(made_by="temporal_edge", edges=()), "temporal_edge")
        assert len(bench.store.edges([4])) == 3


async def links_that_cannot_be_are_counted(open_store: Opener) -> None:
    """To itself, to what is gone, forgotten or of another dataset; an unknown kind refuses them all."""
    async with opened(open_store) as bench:
        runs = await _memories(bench, 3)
        foreign = (await bench.persist("foreign", dataset="other")).id.slot
        await bench.store.forget(bench.number(), [2])
        targets = [(1, 0.5), (2, 0.5), (3, 0.5), (foreign, 0.5), (99, 0.5)]
        edges = _edges(*((target, "supports", weight) for target, weight in targets))
        assert await _commit(bench, runs[2], edges) == {"edges": 1, "dangling": 3, "self_loop": 1}
        with refused(InvalidInput):
            await _commit(bench, runs[2], _edges((1, "resembles", 0.5)))
        assert _links(bench.store.edges([1, 2, 3])) == [(3, "supports", 1, 0.5)]


async def a_likeness_is_stored_once_and_holds_for_the_texts_it_was_found_in(open_store: Opener) -> None:
    """The later finder keeps it; an edit of either end ends it until it is found again; what a person said stays."""
    async with opened(open_store) as bench:
        runs = await _memories(bench, 3)
        number = bench.number()
        await _commit(bench, runs[1], _edges((1, "similar_to", 0.9)))
        await _commit(bench, runs[0], _edges((2, "similar_to", 0.9)))
        assert _links(bench.store.edges([1, 2])) == [(1, "similar_to", 2, 0.9)]
        await bench.store.put_link(number, 1, 3, "similar_to", 0.4)
        assert await _commit(bench, runs[0], _edges((2, "similar_to", 0.9), (3, "similar_to", 0.8))) == {"edges": 0}
        await bench.store.edit(bench.edit(bench.get(2), "another text"))
        assert _links(bench.store.edges([1])) == [(3, "similar_to", 1, 0.4)]
        (edited,) = [run for run in await claim(bench) if run.slot == 2]
        await _commit(bench, edited.id, _edges((1, "similar_to", 0.95), (3, "similar_to", 0.95)))
        assert _links(bench.store.edges([2])) == [(2, "similar_to", 3, 0.95), (2, "similar_to", 1, 0.95)]
        await bench.store.edit(bench.edit(bench.get(2), metadata={"a": 1}))
        assert bench.store.edges([2]) == []
        (edited,) = [run for run in await claim(bench) if run.slot == 2]
        await _commit(bench, edited.id, _edges((1, "similar_to", 0.95)))
        assert _links(bench.store.edges([2])) == [(2, "similar_to", 1, 0.95)]


async def links_are_made_and_taken_by_hand(open_store: Opener) -> None:
    """Told to the log, changed by a second word, found either way round if they hold both ways, hidden with their ends."""
    async with opened(open_store) as bench:
        await bench.fill(["a", "b", "c"])
        number, store = bench.number(), bench.store
        made = await store.put_link(number, 1, 2, "caused", 0.5)
        assert (made.made_by, store.edges([2])) == ("user", [made])
        entry = store.log(made.lsn, 1)[0]
        ids = {"source": str(bench.get(1).id), "target": str(bench.get(2).id)}
        assert (entry.type, entry.slot, dict(entry.payload)) == (
            "link_added",
            1,
            {**ids, "kind": "caused", "weight": 0.5},
        )
        assert await store.put_link(number, 1, 2, "caused", 0.5) == made
        assert store.last_lsn == made.lsn
        heavier = await store.put_link(number, 1, 2, "caused", 1)
        assert (heavier.weight, heavier.created_at, heavier.lsn > made.lsn) == (1.0, made.created_at, True)
        both = await store.put_link(number, 1, 3, "similar_to", 0.3)
        assert (both.source, both.target) == (3, 1)
        assert (await store.put_link(number, 3, 1, "similar_to", 0.2)).weight == 0.2
        assert len(store.edges([1])) == 2
        await store.forget(number, [2])
        assert _links(store.edges([1, 2])) == [(3, "similar_to", 1, 0.2)]
        assert await store.delete_link(number, 1, 2, "caused") is False
        await store.restore(number, [2], 0)
        assert store.edges([2]) == [heavier]
        assert await store.delete_link(number, 2, 1, "caused") is False
        assert await store.delete_link(number, 1, 2, "caused") is True
        assert await store.delete_link(number, 1, 3, "similar_to") is True
        assert [entry.type for entry in store.log(store.last_lsn - 1, 9)] == ["link_removed"] * 2
        assert await store.delete_link(number, 1, 3, "similar_to") is False
        assert store.edges([1, 2, 3]) == []


async def links_by_hand_are_checked(open_store: Opener) -> None:
    """Kind, weight, ends: what is wrong is named."""
    async with opened(open_store) as bench:
        await bench.fill(["a", "b", "c"])
        foreign = (await bench.persist("d", dataset="other")).id.slot
        number = bench.number()
        await bench.store.forget(number, [3])
        for weight in (-0.1, 1.1, float("nan"), float("inf"), True):
            assert await _field(bench, 1, 2, "caused", weight) == "weight"
        assert await _field(bench, 1, 2, "resembles", 0.5) == "kind"
        assert await _field(bench, 1, 1, "caused", 0.5) == "target"
        for source, target in ((1, 3), (3, 1), (1, foreign), (1, 99)):
            with refused(MemoryNotFound):
                await bench.store.put_link(number, source, target, "caused", 0.5)
        with refused(InvalidInput):
            await bench.store.delete_link(number, 1, 2, "resembles")


async def _field(bench: Bench, source: int, target: int, kind: str, weight: float) -> str | None:
    try:
        await bench.store.put_link(bench.number(), source, target, kind, weight)
    except InvalidInput as refusal:
        return refusal.field
    return None


async def terms_are_those_of_the_last_derivation(open_store: Opener) -> None:
    """In order, of the current revision, gone while it is forgotten."""
    async with opened(open_store) as bench:
        (run,) = await _memories(bench, 1)
        terms = ("zebra", "été", "換算")
        assert await _commit(bench, run, MemoryTerms(terms=("old",)), "memory_text") == {"terms": 1}
        await _commit(bench, run, MemoryTerms(terms=terms), "memory_text")
    async with opened(open_store) as bench:
        assert bench.store.terms(1) == terms
        await bench.store.forget(bench.number(), [1])
        assert bench.store.terms(1) == ()
        await bench.store.restore(bench.number(), [1], 0)
        assert bench.store.terms(1) == terms
        assert bench.store.terms(99) == ()


async def questions_are_replaced_whole_and_told_of_before_the_ack(open_store: Opener) -> None:
    """What is the same again is told to nobody; vectors are read by rising id, of live current revisions alone."""
    async with opened(open_store) as bench:
        first, second = await _memories(bench, 2)
        told: list[QuestionsChange] = []
        bench.store.on_questions(told.extend)

        async def ask(run: int, *texts: str) -> dict[str, int]:
            vectors = np.array([bench.vectors(text)[0] for text in texts], np.float32).reshape(
                -1, bench.store.model.dimensions
            )
            return await _commit(bench, run, MemoryQuestions(source="llm", texts=texts, vectors=vectors), "hype")

        assert await ask(first, "Who?", "When?") == {"questions": 2}
        assert [(change.slot, change.version, change.vectors.shape[0]) for change in told] == [(1, 1, 2)]
        assert await ask(first, "Who?", "When?") == {"questions": 0}
        await ask(second, "Where?")
        await ask(first, "Why?")
        assert [(change.slot, change.vectors.shape[0]) for change in told] == [(1, 2), (2, 1), (1, 1)]
        np.testing.assert_array_equal(told[-1].vectors, bench.vectors("Why?"))
        assert [(row.slot, row.text, row.source) for row in bench.store.questions([2, 1, 9])] == [
            (1, "Why?", "llm"),
            (2, "Where?", "llm"),
        ]
        for run in (first, second):
            wrong = MemoryQuestions(source="llm", texts=("a", "b"), vectors=bench.vectors("a"))
            with refused(InvalidInput):
                await _commit(bench, run, wrong, "hype")
    async with opened(open_store) as bench:
        where, why = bench.store.question_vectors(0, 9)
        assert [(each[1], each[2]) for each in (where, why)] == [(2, 1), (1, 1)]
        np.testing.assert_array_equal(where[3], bench.vectors("Where?")[0])
        assert [row[0] for row in bench.store.question_vectors(0, 1)] == [where[0]]
        assert [row[0] for row in bench.store.question_vectors(where[0], 9)] == [why[0]]
        await bench.store.forget(bench.number(), [2])
        assert [row[1] for row in bench.store.question_vectors(0, 9)] == [1]
        await bench.store.restore(bench.number(), [2], 0)
        await bench.store.edit(bench.edit(bench.get(1), "another"))
        assert [row[1] for row in bench.store.question_vectors(0, 9)] == [2]
        assert [row.slot for row in bench.store.questions([1, 2])] == [2]


async def no_questions_are_an_answer(open_store: Opener) -> None:
    """A memory may lose all of its questions."""
    async with opened(open_store) as bench:
        (run,) = await _memories(bench, 1)
        told: list[QuestionsChange] = []
        bench.store.on_questions(told.extend)
        none = np.empty((0, bench.store.model.dimensions), np.float32)
        for texts, vectors in ((("Who?",), bench.vectors("Who?")), ((), none), ((), none)):
            await _commit(bench, run, MemoryQuestions(source="template", texts=texts, vectors=vectors), "hype")
        assert [change.vectors.shape[0] for change in told] == [1, 0]
        assert bench.store.questions([1]) == []


async def results_of_another_revision_are_refused(open_store: Opener) -> None:
    """A stage cannot write for another memory than its run's."""
    async with opened(open_store) as bench:
        runs = await _memories(bench, 2)
        knowing = Knowing(bench)
        with refused(InvalidInput):
            await _commit(bench, runs[0], knowing.write(2, ["memory 1"]), "extractor")
        assert bench.store.mentions([1, 2]) == {}


CHECKS: tuple[Check, ...] = (
    the_links_of_a_stage_replace_its_former_ones,
    links_that_cannot_be_are_counted,
    a_likeness_is_stored_once_and_holds_for_the_texts_it_was_found_in,
    links_are_made_and_taken_by_hand,
    links_by_hand_are_checked,
    terms_are_those_of_the_last_derivation,
    questions_are_replaced_whole_and_told_of_before_the_ack,
    no_questions_are_an_answer,
    results_of_another_revision_are_refused,
)

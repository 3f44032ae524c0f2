"""Checks of queries of the graph: pages, filters, evidence, dates, names, spellings; and that datasets are apart."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

from mindlog.filters import Filters
from mindlog.store.base import Listing
from mindlog.store.graphrows import AliasRow, EvidenceRow
from mindlog.testing.conformance.bench import Check, Opener, opened
from mindlog.testing.conformance.knowing import Fact, Knowing, listed

__all__ = ["CHECKS"]

LIVES: Fact = ("Anna", "lives_in", "Berlin")
LIKES: Fact = ("Anna", "likes", '"green tea"')


async def pages_of_statements_are_exact(open_store: Opener) -> None:
    """Newest first, each once, none left out, whatever lies between: hidden ones, other subjects, other objects."""
    async with opened(open_store) as bench:
        knowing = Knowing(bench)
        people = ["Anna", "Bert", "Carl"]
        facts = [(people[n % 3], "met", people[(n + 1 + n % 2) % 3]) for n in range(30)]
        facts = [(subject, f"met_{n:02}", other) for n, (subject, _, other) in enumerate(facts)]
        slots = [
            (await knowing.learn(f"{fact[0]} {n} {fact[2]}", facts=[fact])).id.slot for n, fact in enumerate(facts)
        ]
        hidden = facts[3::4]
        await bench.store.forget(knowing.number, slots[3::4])
        shown = [fact for fact in facts if fact not in hidden][::-1]
        assert knowing.facts() == shown
        anna, bert = knowing.entities["Anna"], knowing.entities["Bert"]
        for query, expected in (
            ({}, shown),
            ({"subjects": (anna,)}, [each for each in shown if each[0] == "Anna"]),
            ({"objects": (anna,)}, [each for each in shown if each[2] == "Anna"]),
            ({"either": (anna, bert)}, [each for each in shown if "Carl" not in each or {"Anna", "Bert"} & {*each}]),
            ({"subjects": (anna,), "objects": (bert,)}, [each for each in shown if each[::2] == ("Anna", "Bert")]),
        ):
            found: list[Fact] = []
            before: int | None = None
            while page := knowing.known(**query, limit=4, before_id=before):
                found += knowing.facts(**query, limit=4, before_id=before)
                before = page[-1].id
                assert len(page) == 4 or len(found) == len(expected)
            assert found == expected


async def statements_are_found_by_every_filter(open_store: Opener) -> None:
    """Predicate, memory, ids, words with wildcards in them, in any combination; unknown ones find nothing."""
    async with opened(open_store) as bench:
        knowing = Knowing(bench)
        first = await knowing.learn("Anna lives in Berlin, likes green tea", facts=[LIVES, LIKES])
        rate: Fact = ("Anna", "rates", '"50%_off"')
        second = await knowing.learn("Anna rates 50%_off, likes green tea", facts=[rate, LIKES])
        ids = knowing.statements
        for query, expected in (
            ({"predicate": "likes"}, [LIKES]),
            ({"slot": first.id.slot}, [LIKES, LIVES]),
            ({"slot": second.id.slot}, [rate, LIKES]),
            ({"slot": second.id.slot, "predicate": "likes"}, [LIKES]),
            ({"slot": second.id.slot, "ids": (ids[LIVES], ids[rate])}, [rate]),
            ({"ids": (ids[LIVES], 999)}, [LIVES]),
            ({"text": "GREEN"}, [LIKES]),
            ({"text": "0%_o"}, [rate]),
            ({"text": "%"}, [rate]),
            ({"text": "_t"}, []),
            ({"text": "\\"}, []),
            ({"subjects": (knowing.entities["Berlin"],)}, []),
            ({"subjects": (999,)}, []),
            ({"slot": 999}, []),
        ):
            assert knowing.facts(**query) == expected, query


async def evidence_is_paged_and_counted_whole(open_store: Opener) -> None:
    """A statement shows its 50 newest pieces and counts all; pages of evidence leave none out; the group has them all."""
    async with opened(open_store) as bench:
        knowing = Knowing(bench)
        slots = [(await knowing.learn(f"Anna likes green tea {n}", facts=[LIKES])).id.slot for n in range(58)]
        twice = knowing.write(slots[-1], [], [LIKES])
        pieces = [replace(twice.evidence[0], start=start, end=end) for start, end in ((0, 4), (0, 9), (3, 5))]
        await bench.store.write_graph(replace(twice, evidence=tuple(pieces)))
        row = knowing.row(LIKES)
        assert (len(row.evidence), row.evidence_count) == (50, 60)
        (whole,) = bench.store.group(knowing.number, row.subject, "likes")
        assert len(whole.evidence) == whole.evidence_count == 60
        found: list[EvidenceRow] = []
        after: tuple[int, int, int] | None = None
        while page := bench.store.evidence(row.id, 7, after):
            found += page
            after = (page[-1].slot, page[-1].start, page[-1].end)
        assert found == list(whole.evidence)
        assert found[:50] == list(row.evidence)
        assert [each.slot for each in found[2:]] == slots[::-1]


async def the_evidence_of_a_memory_asked_for_comes_first(open_store: Opener) -> None:
    """Of a statement of much evidence and of one of little; the rest follows newest first, and all is counted."""
    async with opened(open_store) as bench:
        knowing = Knowing(bench)
        slots = [(await knowing.learn(f"Anna likes green tea {n}", facts=[LIKES])).id.slot for n in range(130)]
        for learnt in (3, 60, 130):
            await bench.store.forget(knowing.number, slots[learnt:])
            for own in (slots[0], slots[learnt // 2], slots[learnt - 1]):
                (row,) = knowing.known(slot=own)
                others = [slot for slot in slots[:learnt][::-1] if slot != own]
                assert [each.slot for each in row.evidence] == [own, *others][:50]
                assert row.evidence_count == learnt
                assert knowing.known(slot=own, known_at=1 << 60) == [row]
            await bench.store.restore(knowing.number, slots[learnt:], 0)


async def dates_of_evidence_are_found_by_time(open_store: Opener) -> None:
    """Evidence whose own dates meet the window, newest memory first; an open end goes on, an instant is met."""
    async with opened(open_store) as bench:
        knowing = Knowing(bench)
        spans = [(10, 20), (20, 30), (None, 15), (25, None), (12, 12), (None, None)]
        for n, (start, end) in enumerate(spans):
            slot = (await bench.persist(f"Anna likes green tea {n}")).id.slot
            write = knowing.write(slot, [], [LIKES])
            dated = replace(write.evidence[0], valid_from=start, valid_to=end)
            await bench.store.write_graph(replace(write, evidence=(dated,)))
        statement = knowing.statements[LIKES]
        for window, expected in (
            ((12, 13), [5, 3, 1]),
            ((13, 14), [3, 1]),
            ((20, 21), [2]),
            ((29, 99), [4, 2]),
            ((15, 16), [1]),
            ((0, 1), [3]),
        ):
            found = bench.store.evidence_in_time(knowing.number, *window, 10)
            assert found == [(slot, statement) for slot in expected], window
        assert bench.store.evidence_in_time(knowing.number, 12, 13, 2) == [(5, statement), (3, statement)]
        assert bench.store.evidence_in_time(knowing.number + 1, 12, 13, 10) == []


async def entities_are_listed_by_page_prefix_and_kind(open_store: Opener) -> None:
    """By rising id; a prefix of any name in any script; limits of counting count no further."""
    async with opened(open_store) as bench:
        knowing = Knowing(bench)
        names = ["Anna Bloch", "Ben", "Łódź", "Анна", "Anna"]
        slot = (await bench.persist(" ".join(names))).id.slot
        write = knowing.write(slot, names)
        lodz = replace(write.entities[2], kind="place")
        also = AliasRow(entity=knowing.entities["Ben"], key="annabel", name="Annabel")
        write = replace(
            write, entities=(*write.entities[:2], lodz, *write.entities[3:]), aliases=(*write.aliases, also)
        )
        await bench.store.write_graph(write)
        assert list(listed(bench)) == names
        assert list(listed(bench, key="anna")) == ["Anna Bloch", "Ben", "Anna"]
        assert list(listed(bench, key="anna ")) == ["Anna Bloch"]
        assert list(listed(bench, key="анн")) == ["Анна"]
        assert list(listed(bench, kind="place")) == ["Łódź"]
        assert list(listed(bench, kind="place", key="a")) == []
        first = listed(bench, limit=2)
        assert [*first, *listed(bench, after_id=first["Ben"].id, limit=3)] == names
        assert first["Ben"].aliases == ("Ben", "Annabel")
        await knowing.learn("Ben again", ["Ben"])
        assert [listed(bench, count_limit=limit)["Ben"].mentions for limit in (1, 2, None)] == [1, 2, 2]


async def mentions_of_an_entity_come_newest_first(open_store: Opener) -> None:
    """Each memory once, `limit` for each entity."""
    async with opened(open_store) as bench:
        knowing = Knowing(bench)
        slots = [(await knowing.learn(f"Anna and Bert {n} Anna", ["Anna", "Bert"])).id.slot for n in range(5)]
        anna, bert = knowing.entities["Anna"], knowing.entities["Bert"]
        found = bench.store.mention_slots(knowing.number, [bert, anna], 3)
        assert sorted(found) == sorted((each, slot) for each in (anna, bert) for slot in slots[2:])
        for each in (anna, bert):
            of_one = [slot for entity, slot in found if entity == each]
            assert all(newer > older for newer, older in pairwise(of_one))


async def memories_are_listed_by_what_they_name(open_store: Opener) -> None:
    """Newest first, each once, of any of the entities asked for, by any of their ids; filters and pages hold; none names nobody."""
    async with opened(open_store) as bench:
        knowing, everybody = Knowing(bench), Filters()
        names = [["Anna", "Bert"], ["Anna"], ["Bert"], ["Carl"], ["Anna", "Carl"]]
        slots = [
            (await knowing.learn(f"{' '.join(each)} {n} Anna", each, session=f"s{n % 2}")).id.slot
            for n, each in enumerate(names)
        ]
        anna, bert, carl = (knowing.entities[name] for name in ("Anna", "Bert", "Carl"))

        def listed(*entities: int, **facts: Any) -> list[int]:
            values: dict[str, Any] = {"dataset": knowing.number, "filters": everybody, "limit": 9} | facts
            found = bench.store.list_memories(Listing(**values, entities=entities))
            return [slots.index(memory.id.slot) for memory in found]

        assert [listed(each) for each in (anna, bert, carl)] == [[4, 1, 0], [2, 0], [4, 3]]
        assert listed(bert, carl) == [4, 3, 2, 0]
        assert listed(anna, bert, limit=2) == [4, 2]
        assert listed(anna, bert, before_slot=slots[2]) == [1, 0]
        assert listed(anna, filters=Filters(session=("s0",))) == [4, 0]
        assert listed() == listed(999) == listed(anna, dataset=knowing.number + 1) == []
        await bench.store.merge_entities(knowing.number, bert, anna, "by hand")
        assert listed(anna) == listed(bert) == listed(anna, bert) == [4, 2, 1, 0]
        await bench.store.forget(knowing.number, [slots[1]])
        await bench.store.edit(bench.edit(bench.get(slots[2]), "nobody"))
        assert listed(anna) == [4, 0]
        assert listed(anna, include_forgotten=True) == [4, 1, 0]


async def datasets_know_nothing_of_each_other(open_store: Opener) -> None:
    """The same names and facts in two datasets are different things, whatever ids are asked for."""
    async with opened(open_store) as bench:
        one, two = Knowing(bench, "one"), Knowing(bench, "two")
        await one.learn("Anna lives in Berlin", facts=[LIVES])
        await two.learn("Anna lives in Berlin now", facts=[LIVES])
        assert [each.facts() for each in (one, two)] == [[LIVES], [LIVES]]
        anna = one.entities["Anna"]
        assert [row.id for row in bench.store.entities_by_key(two.number, ["anna"])["anna"]] == [two.entities["Anna"]]
        assert [row.id for row, _ in bench.store.entities_like(two.number, "anna", 9)] == [two.entities["Anna"]]
        assert bench.store.entities(two.number, [anna]) == []
        assert two.known(subjects=(anna,)) == []
        assert two.known(ids=(one.statements[LIVES],)) == []
        assert two.known(slot=1) == []
        assert bench.store.group(two.number, anna, "lives_in") == []
        assert bench.store.mention_slots(two.number, [anna], 9) == []
        assert bench.store.entity_vectors(two.number)[0].tolist() == sorted(two.entities.values())


async def similar_names_are_found_in_any_script(open_store: Opener) -> None:
    """Best first, with the share of trigrams; keys of one letter too; nothing of another dataset, nothing unlike."""
    async with opened(open_store) as bench:
        here, there = Knowing(bench, "here"), Knowing(bench, "there")
        names = ["johannes schmidt", "johann schmitt", "jo", "анна каренина", "李明", "محمد علي", "é", "x"]
        await here.learn(" | ".join(names), names)
        await there.learn("johannes schmidt", ["johannes schmidt"])
        for key, best in (
            ("johanes schmidt", "johannes schmidt"),
            ("анна карелина", "анна каренина"),
            ("李明明", "李明"),
            ("محمد عل", "محمد علي"),
            ("é", "é"),
            ("joe", "jo"),
        ):
            found = bench.store.entities_like(here.number, key, 3)
            assert found[0][0].name == best, key
            assert all(1 >= better >= worse > 0 for (_, better), (_, worse) in pairwise(found))
        first, second = bench.store.entities_like(here.number, "johannes schmidt", 2)
        assert (first[1], second[0].name) == (1.0, "johann schmitt")
        assert bench.store.entities_like(here.number, "qqqq", 9) == []
        assert len(bench.store.entities_like(here.number, "johannes schmidt", 1)) == 1
        assert [row.dataset for row, _ in bench.store.entities_like(there.number, "johannes", 9)] == [there.number]


CHECKS: tuple[Check, ...] = (
    pages_of_statements_are_exact,
    statements_are_found_by_every_filter,
    evidence_is_paged_and_counted_whole,
    the_evidence_of_a_memory_asked_for_comes_first,
    dates_of_evidence_are_found_by_time,
    entities_are_listed_by_page_prefix_and_kind,
    mentions_of_an_entity_come_newest_first,
    memories_are_listed_by_what_they_name,
    datasets_know_nothing_of_each_other,
    similar_names_are_found_in_any_script,
)

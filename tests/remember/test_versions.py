"""A new version of a document: what stays is the memory it was, what changed is its next revision, what went is out of sight."""

from __future__ import annotations

from pathlib import Path

from mindlog.ids import MemoryId
from mindlog.records import MemoryState
from mindlog.store.documentrows import RememberRow
from tests.remember.enriched import World, world
from tests.remember.test_pipeline import MORE, SMALL


def parts(**said: str) -> str:
    return "\n\n".join(f"# {name}\n\n{each} {MORE}" for name, each in said.items())


async def kept(home: World, text: str, **more: object) -> tuple[RememberRow, list[MemoryId]]:
    row = await home.remember(text, document_id="book", **more)
    assert row.state == "succeeded"
    return row, [each.memory_id for each in home.texts(row, "chunk")]


ONE = {"A": "Anna lives in Porto.", "B": "Bruno lives in Faro.", "C": "Clara lives in Evora."}


async def test_chunks_with_the_same_words_are_adopted_and_not_read_again(tmp_path: Path) -> None:
    async with world(tmp_path, **SMALL) as home:
        _, first = await kept(home, parts(**ONE))
        believed = home.sentences()
        row, second = await kept(home, parts(**ONE))
        assert second == first
        assert home.output(row, "chunk_text")["adopted"] == 3
        assert "texts" not in home.output(row, "extract_graph")
        assert home.sentences() == believed
        assert (row.read, row.stored, row.chunks) == (3, 3, 3)


async def test_a_chunk_that_moved_is_still_itself_and_a_changed_one_is_a_revision_whose_old_words_are_history(
    tmp_path: Path,
) -> None:
    async with world(tmp_path, **SMALL) as home:
        _, first = await kept(home, parts(**ONE))
        changed = {"C": ONE["C"], "A": ONE["A"], "B": "Bruno lives in Braga."}
        row, second = await kept(home, parts(**changed))
        assert second[:2] == [first[2], first[0]]
        assert (second[2].slot, second[2].version) == (first[1].slot, 2)
        assert home.output(row, "chunk_text") == {"chunks": 3, "adopted": 2, "revised": 1, "forgotten": 0} | {
            "tokens": home.output(row, "chunk_text")["tokens"]
        }
        told = "; ".join(home.sentences())
        assert "Braga" in told
        assert "Faro" not in told
        old = home.store.memory(first[1].slot, 1)
        assert old is not None
        assert not old.is_current
        assert "Bruno lives in Faro." in old.text


async def test_what_the_new_version_does_not_say_is_forgotten_with_what_only_it_said(tmp_path: Path) -> None:
    async with world(tmp_path, **SMALL) as home:
        _, first = await kept(home, parts(**ONE))
        row, second = await kept(home, parts(A=ONE["A"], C=ONE["C"]))
        assert second == [first[0], first[2]]
        assert home.output(row, "chunk_text")["forgotten"] == 1
        gone = home.store.memory(first[1].slot)
        assert gone is not None
        assert gone.state is MemoryState.FORGOTTEN
        assert [text.memory_id for text in home.store.document_texts(home.number(), "book")] == second
        assert not [text for text in home.sentences() if "Bruno" in text]
        # Said again later, it is there again.
        _, third = await kept(home, parts(**ONE))
        assert (third[0], third[2]) == (first[0], first[2])
        assert any("Bruno" in text for text in home.sentences())


async def test_a_version_by_another_hand_shares_no_memory_with_the_old_one(tmp_path: Path) -> None:
    async with world(tmp_path, **SMALL) as home:
        _, first = await kept(home, parts(**ONE), agent="Ines")
        _, second = await kept(home, parts(**ONE), agent="Rui")
        assert not {each.slot for each in first} & {each.slot for each in second}
        for identity in first:
            memory = home.store.memory(identity.slot)
            assert memory is not None
            assert memory.state is MemoryState.FORGOTTEN


async def test_other_metadata_make_a_revision_of_the_same_words(tmp_path: Path) -> None:
    async with world(tmp_path, **SMALL) as home:
        _, first = await kept(home, parts(**ONE), metadata={"edition": 1})
        _, second = await kept(home, parts(**ONE), metadata={"edition": 2})
        assert [(each.slot, each.version) for each in second] == [(each.slot, 2) for each in first]
        memory = home.store.memory(second[0].slot)
        assert memory is not None
        assert memory.metadata["edition"] == 2


async def test_a_chunk_that_somebody_forgot_stays_forgotten_and_its_place_is_taken_by_a_new_one(tmp_path: Path) -> None:
    async with world(tmp_path, **SMALL) as home:
        _, first = await kept(home, parts(**ONE))
        await home.store.forget(home.number(), [first[1].slot])
        _, second = await kept(home, parts(A=ONE["A"], B="Bruno lives in Braga.", C=ONE["C"]))
        assert second[1].slot != first[1].slot
        gone = home.store.memory(first[1].slot)
        assert gone is not None
        assert gone.state is MemoryState.FORGOTTEN

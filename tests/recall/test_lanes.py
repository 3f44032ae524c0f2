"""What one lane alone finds comes through: a word the vectors miss, a meaning the words miss, any script, any syntax."""

from __future__ import annotations

from pathlib import Path

import pytest

from mindlog.engine import Engine
from mindlog.errors import InvalidInput
from mindlog.testing.fakes import HashEmbedder
from tests.engine.made import Chosen, found, hit_of, ids, keep, keep_all, needs_model, opened, recall, texts

ERROR = "the unit shows ERR-7F3A-99 and stops"
CATS = [f"cat number {n} sleeps on the {place}" for n in range(50) for place in ("sofa", "sill", "stairs", "bed")]


async def test_an_identifier_whose_vector_says_nothing_is_first(tmp_path: Path) -> None:
    # Cosine 0 between the cue and the memory that holds it; the cats are not far from the cue.
    embedder = Chosen({"unit shows": [0, 1, 0, 0], "ERR": [1, 0, 0, 0], "cat number": [0.4, 0, 0.9, 0]}, dimensions=4)
    async with opened(tmp_path, embedder) as engine:
        await keep_all(engine, CATS)
        memory_id = await keep(engine, ERROR)
        result = await recall(engine, "ERR-7F3A-99", limit=5)
        assert ids(result)[0] == memory_id
        assert hit_of(result, memory_id).lanes["lexical"].rank == 1


async def test_a_name_deep_in_a_long_text_is_among_the_hits(tmp_path: Path) -> None:
    # A word's share of a very long text is nothing, and its vector is orthogonal to the cue.
    embedder = Chosen(
        {"chapter": [0, 1, 0, 0], "Lindqvist": [1, 0, 0, 0], "cat number": [0.9, 0, 0.4, 0]}, dimensions=4
    )
    async with opened(tmp_path, embedder) as engine:
        await keep_all(engine, CATS)
        memory_id = await keep(engine, "the first chapter of the log " * 2000 + "and Osk Lindqvist was the keeper")
        result = await recall(engine, "Lindqvist", limit=5)
        assert ids(result)[-1] == memory_id
        assert set(hit_of(result, memory_id).lanes) == {"lexical"}


@pytest.mark.parametrize("cue", ["ERR-7F3A-99", "err-7f3a-99", "7F3A", "what does ERR-7F3A-99 mean?"])
async def test_an_identifier_is_found_whole_in_any_case_and_by_part(engine: Engine, cue: str) -> None:
    await keep_all(engine, CATS)
    memory_id = await keep(engine, ERROR)
    assert (await found(engine, cue, limit=5))[0] == memory_id


@needs_model
async def test_a_meaning_without_a_common_word_is_found_and_a_stuffed_decoy_is_not_always_first(tmp_path: Path) -> None:
    async with await _real(tmp_path) as engine:
        car = await keep(engine, "Last week we bought a car from our neighbour.")
        await keep_all(engine, ["We painted the kitchen.", "My sister plays the violin.", "The train was late again."])
        decoy = await keep(
            engine, "purchase order purchase automobile list purchase purchase tax automobile forms " * 6
        )
        result = await recall(engine, "automobile purchase", limit=10)
        assert set(hit_of(result, car).lanes) == {"semantic"}
        assert set(hit_of(result, decoy).lanes) == {"semantic", "lexical"}
        assert car in ids(result)[:2]
        assert ids(await recall(engine, "Did they get a new vehicle recently?"))[0] == car


async def _real(tmp_path: Path) -> Engine:
    from mindlog.settings import Settings

    return await Engine.open(Settings(data=tmp_path / "data"))


class Elsewhere(HashEmbedder):
    """Every cue is nearer to the crowd than to any other text: the semantic lane brings up nothing else."""

    def __init__(self) -> None:
        super().__init__(dimensions=4, name="elsewhere")
        self._crowd = Chosen({"crowd": [0.1, 1, 0, 0], "": [0, 0, 1, 0]}, dimensions=4)
        self._cue = Chosen({"": [1, 0, 0, 0]}, dimensions=4)

    async def embed(self, texts, kind="document"):
        return await (self._cue if kind == "query" else self._crowd).embed(texts, kind)


SCRIPTS = [
    ("外币汇率换算在 docker 里", "汇率"),
    ("外币汇率换算在 docker 里", "換算"),  # the traditional form of a simplified word
    ("外币汇率换算在 docker 里", "docker"),
    ("환율 계산은 도커에서 합니다", "환율"),
    ("환율 계산은 도커에서 합니다", "도커"),
    ("การแปลงอัตราแลกเปลี่ยนเงินตรา", "อัตราแลกเปลี่ยน"),
    ("為替レートの換算を行う", "換算"),
    ("We met in Łódź in the rain", "Lodz"),
    ("We met in Lodz in the rain", "Łódź"),
    ("a na\u00efve plan", "nai\u0308ve"),
    ("a nai\u0308ve plan", "na\u00efve"),
    ("a nai\u0308ve plan", "naive"),
    ("Straße nach Köln", "STRASSE"),
    ("سعر الصرف اليوم", "الصرف"),
    ("שער החליפין היום", "החליפין"),
    ("обменный курс рубля", "КУРС"),
    ("ｆｕｌｌｗｉｄｔｈ ｔｅｘｔ", "fullwidth"),
]


async def test_every_script_is_found_by_the_lexical_lane_alone(tmp_path: Path) -> None:
    async with opened(tmp_path, Elsewhere()) as engine:
        await keep_all(engine, [f"the crowd says {n}" for n in range(450)])
        for text, cue in SCRIPTS:
            memory_id = await keep(engine, text, allow_duplicates=True)
            result = await recall(engine, cue, limit=100)
            assert ids(result)[0] == memory_id, (text, cue)
            assert set(result.hits[0].lanes) == {"lexical"}, (text, cue)
            await engine.forget([memory_id])


SYNTAX = ['"', '"lamp', "(", "lamp)", "a AND", "AND OR NOT", "GB/s", "$prev", "don't", "*", "lam*", "NEAR(", "NEAR(lamp oil)",
          "-x", "-lamp", "^", "^lamp", "lamp:oil", "{lamp}", "[lamp TO oil]", "lamp~2", "lamp^3", "\\", "%", "_", "';--",
          "lamp || oil", "+lamp", "\0", "lamp\0oil", "👩‍👩‍👧", "\u202elamp\u202c", "\ufeff", "\u200b", "." * 50, "a" * 5000]  # fmt: skip


async def test_no_cue_is_syntax_and_words_in_it_are_still_found(engine: Engine) -> None:
    await engine.put_dataset("my-group")
    memory_id = await keep(engine, "The lamp don't run dry of oil at 5 GB/s, says $prev.", dataset="my-group")
    for cue in SYNTAX:
        result = await recall(engine, cue, dataset="my-group", trace=True)
        assert ids(result) == [memory_id], ascii(cue)
        named = {"lamp", "GB/s", "don't", "$prev"} & {cue, "lamp" if "lamp" in cue and cue != "lam*" else cue}
        assert ("lexical" in result.hits[0].lanes) or not named, ascii(cue)


LONG = ["(" * 10_240, "lamp " * 2048, "é" * 5120, "外" * 3413, "a-" * 5120, "👩‍👩‍👧" * 560, " " * 10_239 + "x"]


@pytest.mark.parametrize("cue", LONG, ids=[ascii(cue[:4]) for cue in LONG])
async def test_a_cue_of_ten_kilobytes_is_answered(engine: Engine, cue: str) -> None:
    memory_id = await keep(engine, "lamp 外 a x")
    assert await found(engine, cue) == [memory_id]


@pytest.mark.parametrize("cue", ["", " ", "\t\n\u3000", "(" * 10_241, "é" * 5121, "\ud800", "a\udfffb", 5, None, b"x"])
async def test_a_cue_that_says_nothing_or_too_much_is_refused(engine: Engine, cue: str) -> None:
    await keep(engine, "x")
    with pytest.raises(InvalidInput) as refusal:
        await recall(engine, cue)
    assert refusal.value.field == "cue"


async def test_an_empty_dataset_answers_with_nothing(engine: Engine) -> None:
    await engine.put_dataset("empty")
    result = await recall(engine, "?", dataset="empty", trace=True, budget_tokens=100)
    assert (result.hits, result.context) == ((), "")
    assert result.trace is not None
    assert result.trace["fusion"]["pool"] == 0


async def test_punctuation_and_single_characters_are_memories_too(engine: Engine) -> None:
    for text in ("?", "!", "7", "é", "水", "👍"):
        memory_id = await keep(engine, text)
        assert text in texts(await recall(engine, text))
        assert (await engine.get(memory_id)).text == text

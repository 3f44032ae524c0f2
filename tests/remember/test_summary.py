"""What a chunk says: its most central sentences, or a language model's words over real HTTP that are checked."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindlog.errors import LlmBadOutput, LlmRefused
from mindlog.models.counting import estimate_tokens
from mindlog.models.embedder import TextEmbedding
from mindlog.remember.summary import MOST_TOKENS, sentence_vectors, summarize, summarize_with, telling_spans
from mindlog.testing.fakes import HashEmbedder
from mindlog.testing.llm_answers import refuse, say
from mindlog.testing.llm_server import FakeLLM
from tests.models.llm_made import opened

HARBOUR = [
    "The weather was fair for the season on that Monday.",
    "The harbour of Bergen was closed after the storm broke its cranes.",
    "Somebody had forgotten an umbrella in the hall again.",
    "After the storm the cranes of the harbour of Bergen were broken.",
    "The broken cranes of the harbour are repaired in June.",
]
TEXT = " ".join(HARBOUR)


def vectors(sentences: list[str]) -> np.ndarray:
    embedder = HashEmbedder()
    return np.stack([embedder.vector(sentence) for sentence in sentences])


@pytest.fixture
def server():
    with FakeLLM() as served:
        yield served


async def told(server: FakeLLM, answer: Any, text: str = TEXT, language: str = "en", **options: Any) -> str:
    server.script(answer)
    async with opened(server) as llm:
        return await summarize_with(llm, text, language, **options)


def test_the_sentences_most_like_the_others_are_taken_in_their_order() -> None:
    assert summarize(HARBOUR, vectors(HARBOUR)) == f"{HARBOUR[3]} {HARBOUR[4]}"
    assert summarize(HARBOUR[::-1], vectors(HARBOUR[::-1])) == f"{HARBOUR[4]} {HARBOUR[3]}"


def test_one_sentence_is_its_own_summary_and_none_has_none() -> None:
    assert summarize(["Ann sails\n to Bergen."], vectors(["Ann"])) == "Ann sails to Bergen."
    assert summarize([], np.zeros((0, 8), np.float32)) == ""


def test_nearly_the_same_is_not_said_twice() -> None:
    said = [HARBOUR[1], HARBOUR[1].upper(), HARBOUR[4]]
    assert (
        summarize(said, vectors(said)).count("CRANES") + summarize(said, vectors(said)).count("storm broke its cranes")
        == 1
    )


def test_a_short_cry_is_taken_only_where_nothing_else_is() -> None:
    said = ["Ahoy!", "Ahoy!!", "Ahoy, you there!", HARBOUR[1]]
    assert HARBOUR[1] in summarize(said, vectors(said))
    assert summarize(said[:2], vectors(said[:2])) == "Ahoy!"


def test_a_sentence_too_long_for_a_summary_is_passed_over_or_cut_if_there_is_no_other() -> None:
    long = "The harbour of Bergen, " + "the cranes and the ropes, " * 40 + "was closed."
    said = [long, HARBOUR[1], HARBOUR[4]]
    assert long not in summarize(said, vectors(said))
    cut = summarize([long, long + " Twice."], vectors([long, long]))
    assert long.startswith(cut.rstrip("…"))
    assert estimate_tokens([cut.rstrip("…")])[0] <= MOST_TOKENS


def test_sentences_of_scripts_without_blanks_are_put_together_without_one() -> None:
    said = ["港は嵐の後で閉まった。", "港の起重機は嵐で壊れた。"]
    assert summarize(said, np.eye(2, 8, dtype=np.float32)) == "".join(said)


@settings(deadline=None)
@given(st.lists(st.sampled_from([*HARBOUR, "Why?", "漢字です。", "x" * 500]), min_size=2, max_size=30), st.randoms())
def test_a_summary_is_made_of_the_texts_own_sentences_and_short(said: list[str], random: Any) -> None:
    made = np.array([[random.uniform(-1, 1) for _ in range(8)] for _ in said], np.float32)
    found = summarize(said, made)
    assert found == summarize(said, made)
    assert 0 < estimate_tokens([found.rstrip("…")])[0] <= MOST_TOKENS
    assert sum(sentence in found for sentence in set(said) - {"Why?"}) <= 2


def test_vectors_of_zeros_or_no_numbers_harm_nothing() -> None:
    made = np.zeros((5, 8), np.float32)
    assert summarize(HARBOUR, made) == f"{HARBOUR[0]} {HARBOUR[1]}"
    made[2] = np.nan
    assert summarize(HARBOUR, made) == f"{HARBOUR[0]} {HARBOUR[1]}"


def test_a_sentence_without_its_vector_is_an_error() -> None:
    with pytest.raises(ValueError, match="4 vectors for 5 sentences"):
        summarize(HARBOUR, vectors(HARBOUR[:4]))


def test_sentences_that_tell_are_found_in_a_chunk_without_its_headings_tables_and_signs() -> None:
    text = "## Port\n\nIt is open. Come in!\n\n- the ropes\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n<!-- hidden -->\n"
    assert [text[start:end] for start, end in telling_spans(text)] == ["It is open.", "Come in!", "the ropes"]
    assert telling_spans("| a | b |\n|---|---|") == [(0, 19)]


def test_vectors_of_sentences_are_the_mean_states_of_their_tokens() -> None:
    states = np.array([[127, 0], [0, 127], [0, 127], [-127, 0]], np.int8)
    places = np.array([[0, 3], [4, 9], [10, 12], [13, 20]], np.int32)
    embedding = TextEmbedding(
        vectors=np.eye(1, 4, dtype=np.float32), windows=((0, 20),), states=states, state_spans=places
    )
    found = sentence_vectors(embedding, [(0, 9), (10, 12), (20, 25)])
    assert found is not None
    assert np.allclose(found, [[0.5**0.5, 0.5**0.5], [0, 1], [0, 0]])
    bare = TextEmbedding(vectors=embedding.vectors, windows=embedding.windows)
    assert sentence_vectors(bare, [(0, 9)]) is None


async def test_a_model_summarizes_in_the_language_of_the_text_which_is_data(server) -> None:
    found = await told(server, say({"summary": " The harbour\nis closed. "}), language="de", model="other-model")
    assert found == "The harbour is closed."
    shown = "\n".join(str(message["content"]) for message in server.requests[-1].body["messages"])
    assert 'in its language ("de")' in shown
    assert f"\n{TEXT}\n=====TEXT-" in shown
    assert server.requests[-1].body["model"] == "other-model"


@pytest.mark.parametrize("summary", ["", " \n", "...", TEXT, f"{TEXT} And more."])
async def test_a_summary_that_says_nothing_or_is_no_shorter_is_an_error_that_keeps_it(server, summary: str) -> None:
    with pytest.raises(LlmBadOutput) as caught:
        await told(server, say({"summary": summary}))
    assert caught.value.extra["raw_output"] == " ".join(summary.split())
    assert caught.value.extra["inference_id"]


async def test_a_summary_of_endless_length_is_an_error(server) -> None:
    with pytest.raises(LlmBadOutput, match="characters"):
        await told(server, say({"summary": "It is closed. " * 100}), text=TEXT * 20)


async def test_a_refusal_is_an_error(server) -> None:
    with pytest.raises(LlmRefused):
        await told(server, refuse())

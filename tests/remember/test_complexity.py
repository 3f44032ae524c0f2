"""How a document is to be read: by rules, and with a language model over real HTTP that is not believed in everything."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindlog.errors import LlmBadOutput, LlmRefused
from mindlog.remember.complexity import PROMPT, classify, classify_with
from mindlog.remember.language import language_of
from mindlog.remember.marks import DocumentKind, ReadDocument, mark_text
from mindlog.remember.prompts import load_prompt
from mindlog.testing.llm_answers import refuse, say, wrong_schema
from mindlog.testing.llm_server import FakeLLM
from tests.models.llm_made import opened

SENTENCES = {
    "en": "The cat sat on the mat and it was happy with its life. It will be there when you come.",
    "de": "Der Hund läuft durch den Garten und sieht die Katze, die auf dem Dach sitzt.",
    "fr": "Le chat est sur la table et il mange une pomme avec son ami dans le jardin.",
    "es": "El perro corre por el parque y los niños juegan con la pelota que está en el suelo.",
    "pt": "O gato está em cima da mesa e não quer sair para comer com os amigos.",
    "it": "Il gatto è sul tavolo e non vuole mangiare la mela che gli ho dato.",
    "nl": "De kat zit op het dak en wil niet naar beneden komen voor het eten.",
    "sv": "Katten sitter på taket och vill inte komma ner för att äta.",
    "da": "Katten sidder på taget og vil ikke komme ned, fordi den er blevet bange af hunden ved huset.",
    "pl": "Kot siedzi na dachu i nie chce zejść, bo jest tam ciepło i się boi.",
    "cs": "Kočka sedí na střeše a nechce se vrátit, protože je to tam pro ni bezpečné.",
    "tr": "Bu kedi çok güzel ve bir evde yaşıyor ama dışarı için bekliyor.",
    "ru": "Кот сидит на крыше и не хочет спускаться, потому что ему там тепло.",
    "uk": "Кіт сидить на даху і не хоче спускатися, бо йому там тепло, але він голодний.",
    "ja": "猫は屋根の上に座っています。",
    "zh": "猫坐在屋顶上，不想下来。",
    "ko": "고양이가 지붕 위에 앉아 있다.",
    "ar": "القط يجلس على السطح ولا يريد أن ينزل من هناك",
    "hi": "बिल्ली छत पर बैठी है और नीचे नहीं आना चाहती।",
    "he": "החתול יושב על הגג",
    "el": "Η γάτα κάθεται στη στέγη",
    "th": "แมวนั่งอยู่บนหลังคา",
    "und": "x = foo(bar, baz); 12345 qwrt",
}
NOTE = "Ann sails to Bergen. She likes it there."
REPORT = (
    "# Harbour report\n\n"
    + "The harbour, which had been closed since the storm that came in on the second of May and that broke two of its cranes, "
    "was opened again when the third crane, lent by the port of Bergen, had been set up. "
    * 4
    + "\n\n| month | ships |\n|---|---|\n| May | 31 |\n| June | 44 |\n\n- cranes\n- ropes\n- boats and all that is in them\n"
)
TALK = "Ann: Hi Bob!\nBob: Hello.\nAnn: Do you sail?\nBob: Only in May.\nAnn: Then come along.\n"


def read(text: str, kind: DocumentKind = "markdown") -> ReadDocument:
    return ReadDocument(None, kind, text, mark_text(text, kind))


@pytest.fixture
def server():
    with FakeLLM() as served:
        yield served


async def judged(server: FakeLLM, answer: Any, text: str = NOTE, **options: Any):
    server.script(answer)
    async with opened(server) as llm:
        return await classify_with(llm, read(text), **options)


def sent(server: FakeLLM) -> str:
    return "\n".join(str(message["content"]) for message in server.requests[-1].body["messages"])


@pytest.mark.parametrize("code", SENTENCES)
def test_a_sentence_is_told_to_be_in_its_language(code: str) -> None:
    assert language_of(SENTENCES[code]) == code


@pytest.mark.parametrize("text", ["", "123 + 4", "OK", "Ann Bob Carla", "\u0301"])
def test_too_little_text_is_in_no_known_language(text: str) -> None:
    assert language_of(text) == "und"


def test_a_name_in_another_script_changes_no_language() -> None:
    assert language_of(f"{SENTENCES['en']} Her name is 山田花子.") == "en"


@given(st.text(max_size=80))
def test_any_text_is_classified(text: str) -> None:
    found = classify(read(text))
    assert found.level in ("simple", "complex")
    assert found.characters == len(text)


def test_a_note_is_simple_and_a_report_is_complex() -> None:
    note, report = classify(read(NOTE)), classify(read(REPORT))
    assert (note.level, note.language, note.holds, note.words) == ("simple", "en", ("prose",), 8)
    assert (report.level, report.language, report.holds) == ("complex", "en", ("prose", "tables", "lists"))
    assert (report.model, report.reasoning) == (None, None)


def test_what_a_document_holds_is_told() -> None:
    assert "dialogue" in classify(read(TALK)).holds
    assert classify(read("```\nx = 1\ny = 2\n```\n")).holds == ("code",)
    assert "dialogue" not in classify(read(REPORT)).holds


async def test_the_model_judges_the_level_and_prose_and_a_complex_text_is_read_with_reasoning(server) -> None:
    found = await judged(server, say({"level": "complex", "language": "en", "holds": ["dialogue"]}), REPORT)
    assert (found.level, found.reasoning, found.holds) == ("complex", "low", ("dialogue", "tables", "lists"))
    assert (await judged(server, say({"level": "simple", "language": "en", "holds": []}), REPORT)).reasoning is None


async def test_what_the_rules_know_is_not_changed_by_the_model(server) -> None:
    answer = {"level": "simple", "language": "de", "holds": ["prose", "tables", "code"]}
    found = await judged(server, say(answer))
    assert (found.language, found.holds, found.characters) == ("en", ("prose",), len(NOTE))


@pytest.mark.parametrize(("said", "kept"), [("fi-FI", "fi"), ("Finnish, I think", "und"), ("", "und")])
async def test_a_language_the_rules_do_not_know_is_the_models_if_it_is_a_code(server, said: str, kept: str) -> None:
    found = await judged(server, say({"level": "simple", "language": said, "holds": ["prose"]}), "Ann Bob Carla. Dora.")
    assert found.language == kept


async def test_a_long_document_is_shown_in_three_bounded_parts_as_data(server) -> None:
    text = "Beginning. " + "Ann sails. " * 5_000 + "Middle. " + "Bob stays. " * 5_000 + "The end."
    await judged(server, say({"level": "simple", "language": "en", "holds": ["prose"]}), text)
    shown = sent(server)
    assert len(shown) < 15_000
    assert load_prompt(PROMPT).text in shown
    assert "Beginning." in shown
    assert "The end.\n=====TEXT-" in shown
    assert shown.count("[...]\n") == 2


async def test_the_options_of_the_call_reach_the_endpoint_and_stay_with_it(server) -> None:
    answer = say({"level": "simple", "language": "en", "holds": []})
    found = await judged(server, answer, model="other-model", reasoning="high")
    assert server.requests[-1].body["model"] == "other-model"
    assert (found.model, found.reasoning) == (None, None)


@pytest.mark.parametrize(("answer", "error"), [(refuse(), LlmRefused), (wrong_schema(), LlmBadOutput)])
async def test_a_model_that_does_not_judge_is_an_error(server, answer: Any, error: type[Exception]) -> None:
    server.script(answer, answer)
    async with opened(server) as llm:
        with pytest.raises(error):
            await classify_with(llm, read(NOTE))

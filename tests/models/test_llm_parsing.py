"""What a model says is read tolerantly around the answer and strictly in it: never "ok, nothing found"."""

from __future__ import annotations

import json
from datetime import date
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import AnyUrl, BaseModel, Field

from mindlog.errors import ConfigError
from mindlog.models.schema import answer_schema
from mindlog.models.structured import Flaw, parse_answer, without_thoughts
from mindlog.testing.llm_answers import fenced, prose, sample, think, truncated


class Fact(BaseModel):
    subject: str
    value: int | None = None


class Facts(BaseModel):
    facts: list[Fact] = []
    note: str = ""


class Node(BaseModel):
    name: str
    children: list[Node] = []


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int = Field(ge=1, le=9)


class Dog(BaseModel):
    kind: Literal["dog"]
    title: str


class Pet(BaseModel):
    pet: Cat | Dog = Field(discriminator="kind")


FACTS = answer_schema(Facts)
TEA = {"facts": [{"subject": "tea", "value": 3}], "note": 'a } brace { and "quotes"'}
GOOD = Facts.model_validate(TEA)


def parsed(text: str, schema=FACTS):
    return parse_answer(text, schema)


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(TEA),
        json.dumps(TEA, indent=2),
        prose(TEA).text,
        think(TEA).text,
        fenced(TEA).text,
        f"about {{x}} here: {json.dumps(TEA)}",
        f'For {{"other": {{}}}} and {{}} I say {json.dumps(TEA)}.',
        f'{{"answer": {json.dumps(TEA)}}}',
        f'I thought about {{"facts": []}}.</think>{json.dumps(TEA)}',
        f"<THINK>never {{</THINK>\n```\n{json.dumps(TEA)}\n```",
        f'The form is {{"facts": [..]}}; filled in: {json.dumps(TEA)}',
        json.dumps(TEA)[:-1] + ",}",
        json.dumps(TEA).replace("}]", "},]"),
    ],
)
def test_an_answer_is_found_whatever_is_around_it(text):
    assert parsed(text).value == GOOD


@pytest.mark.parametrize(
    ("text", "flaw"),
    [
        ("", Flaw.NO_OBJECT),
        ("I could not find any facts.", Flaw.NO_OBJECT),
        ("{}", Flaw.NO_OBJECT),
        ('about {} and {"x": 1}', Flaw.NO_OBJECT),
        ('<think>{"facts": []}</think>', Flaw.NO_OBJECT),
        ('<think>it could be {"facts": []}', Flaw.NO_OBJECT),
        (truncated(TEA).text, Flaw.TRUNCATED),
        ('{"facts": [{"subject": "te', Flaw.TRUNCATED),
        ('{"facts": [{"value": 3}]}', Flaw.WRONG_SCHEMA),
        ('{"facts": "none"}', Flaw.WRONG_SCHEMA),
        ("{'facts': []}", Flaw.NO_OBJECT),
        ('{"facts": [NaN]}', Flaw.WRONG_SCHEMA),
        ('{"facts": [None]}', Flaw.WRONG_SCHEMA),
        ('{"facts": [{"subject": "a", "value": ' + "9" * 5000 + "}]}", Flaw.WRONG_SCHEMA),
        ('{"facts": ' + "[" * 100_000 + "]" * 100_000 + "}", Flaw.WRONG_SCHEMA),
        ('{"facts": [{"subject": "\\ud800"}]}', Flaw.WRONG_SCHEMA),
        ("{" * 5000, Flaw.NO_OBJECT),
        ('{"facts": []}' + " " * (1 << 18), Flaw.WRONG_SCHEMA),
    ],
)
def test_what_is_no_answer_is_a_flaw_with_a_reason_and_never_an_empty_value(text, flaw):
    found = parsed(text)
    assert (found.value, found.flaw) == (None, flaw)
    assert found.reason


def test_an_explicitly_empty_answer_is_an_answer():
    assert parsed('Nothing there: {"facts": []}').value == Facts()


def test_a_fitting_part_of_a_wrong_or_cut_off_answer_is_no_answer():
    node = answer_schema(Node)
    assert parsed('{"children": [{"name": "b", "children": []}]}', node).flaw is Flaw.WRONG_SCHEMA
    assert parsed('{"name": "a", "children": [{"name": "b", "children": []}, bad]}', node).flaw is Flaw.WRONG_SCHEMA
    assert parsed('{"name": "a", "children": [{"name": "b", "children": []}', node).flaw is Flaw.TRUNCATED
    whole = '{"name": "a", "children": [{"name": "b", "children": []}]}'
    assert parsed(whole, node).value == Node(name="a", children=[Node(name="b")])


def test_the_reason_tells_the_model_where_and_does_not_repeat_the_value():
    reason = parsed('{"facts": [{"subject": "x", "value": "top secret"}]}').reason
    assert "facts.0.value" in reason
    assert "secret" not in reason


def test_thoughts_are_cut_but_tags_inside_an_answer_are_kept():
    text = '{"note": "uses <think> tags </think> a lot"}'
    assert parsed(text).value == Facts(note="uses <think> tags </think> a lot")
    assert without_thoughts("<think>a</think><think>b</think> Paris") == "Paris"
    assert without_thoughts("<think>and on and on") == ""
    assert without_thoughts("hm, or not\n</think>\nParis") == "Paris"


json_text = st.text(alphabet=st.sampled_from('{}[]",: ax\\n\n<think>/`'), max_size=60)


@given(before=json_text, after=json_text, value=st.text(max_size=30))
def test_an_answer_that_is_read_is_the_one_that_was_written(before, after, value):
    answer = Facts(facts=[Fact(subject=value)], note="x")
    found = parsed(f"{before}\n{answer.model_dump_json()}\n{after}")
    # Garbage before may swallow the answer (an unclosed thought); it never turns it into another.
    assert found.value in (None, answer)


@given(after=json_text, value=st.text(max_size=30))
def test_an_answer_at_the_start_is_always_read(after, value):
    answer = Facts(facts=[Fact(subject=value)])
    assert parsed(f"{answer.model_dump_json()}{after}").value == answer


@given(st.recursive(st.none() | st.integers() | st.text(max_size=5), lambda inner: st.lists(inner, max_size=3)))
def test_reading_never_raises(value):
    parsed(json.dumps({"facts": value}))
    parsed(json.dumps({"facts": value})[:-2])


def test_the_strict_schema_closes_every_object_and_requires_every_property():
    strict = FACTS.strict
    assert strict["additionalProperties"] is False
    assert strict["required"] == ["facts", "note"]
    fact = strict["$defs"]["Fact"]
    assert (fact["additionalProperties"], fact["required"]) == (False, ["subject", "value"])
    pet = answer_schema(Pet).strict
    assert "anyOf" in pet["properties"]["pet"]
    assert pet["$defs"]["Dog"]["required"] == ["kind", "title"]
    assert "minimum" not in json.dumps(pet)


def test_the_bounded_schema_keeps_the_bounds_that_decoders_know():
    class Bounded(BaseModel):
        tags: list[str] = Field(max_length=3)
        day: date
        link: AnyUrl
        code: str = Field(pattern=r"^[A-Z]{3}$", max_length=9)
        loose: str = Field(pattern="x")

    schema = answer_schema(Bounded)
    kept = {name: set(each) - {"type", "items"} for name, each in schema.bounded["properties"].items()}
    assert kept == {"tags": {"maxItems"}, "day": {"format"}, "link": set(), "code": {"pattern"}, "loose": set()}
    assert schema.bounded["required"] == list(kept)
    assert all(set(each) <= {"type", "items"} for each in schema.strict["properties"].values())


def test_a_schema_without_bounds_has_one_strict_form():
    assert FACTS.bounded == FACTS.strict


def test_a_schema_with_free_keys_is_not_made_strict_and_a_root_that_is_no_object_is_refused():
    class Free(BaseModel):
        tags: dict[str, int]

    assert answer_schema(Free).strict is None
    with pytest.raises(ConfigError, match="object"):
        answer_schema({"type": "array", "items": {}})
    with pytest.raises(ConfigError):
        answer_schema({"type": "no such type"})


def test_a_json_schema_is_checked_like_a_model():
    schema = answer_schema(Facts.model_json_schema())
    assert parsed(json.dumps(TEA), schema).value == TEA
    wrong = parsed('{"facts": [{"value": 3}]}', schema)
    assert wrong.flaw is Flaw.WRONG_SCHEMA
    assert "facts.0" in wrong.reason


@pytest.mark.parametrize("model", [Facts, Node, Pet])
def test_the_sample_of_a_schema_fits_it(model):
    model.model_validate(sample(model.model_json_schema()))
    assert parsed(json.dumps(sample(answer_schema(model).strict)), answer_schema(model)).value is not None

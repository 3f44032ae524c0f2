"""What an answer holds is read strictly: by pointer, as JSON and as plain numbers, or not at all."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindlog.providers.addresses import pointer
from mindlog.providers.answers import BadAnswer, WebReply, at_path, json_answer, number

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=12,
)


def reply(content: bytes, content_type: str = "application/json") -> WebReply:
    return WebReply(content=content, content_type=content_type, url="http://127.0.0.1/")


@given(VALUES)
def test_every_value_is_found_at_its_pointer(value):
    def check(found, path):
        assert at_path(value, path) is found
        if isinstance(found, dict):
            for key, each in found.items():
                check(each, f"{path}/{key.replace('~', '~0').replace('/', '~1')}")
        if isinstance(found, list):
            for index, each in enumerate(found):
                check(each, f"{path}/{index}")

    check(value, "")


@pytest.mark.parametrize("path", ["/b", "/a/3", "/a/-1", "/a/01", "/a/x", "/a/0/b", "/a/99999999999999999999", "/"])
def test_where_there_is_nothing_the_path_is_named(path):
    with pytest.raises(BadAnswer, match=f"nothing at {path}"):
        at_path({"a": [1, 2, 3]}, path)


def test_a_bare_name_is_a_field_of_the_root():
    assert [pointer(each) for each in ("", "date", "a/b", "/a/b")] == ["", "/date", "/a/b", "/a/b"]


@pytest.mark.parametrize(
    "content",
    [b"", b"<html>", b"{", b"[NaN]", b'{"a": Infinity}', b"\xff\xff", b"[" * 200_000, b"1" * 5000, b"{'a': 1}"],
)
def test_what_is_not_json_is_not_read(content):
    with pytest.raises(BadAnswer):
        json_answer(reply(content))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_json_is_read_in_the_encodings_it_comes_in(encoding):
    assert json_answer(reply(json.dumps({"å": "茶"}, ensure_ascii=False).encode(encoding))) == {"å": "茶"}


@pytest.mark.parametrize("value", [None, "", " ", ".", "NA", "N/A", "null"])
def test_a_missing_value_is_none(value):
    assert number(value) is None


@pytest.mark.parametrize(
    "value",
    [
        *("1,234", "1.234.5", "1 234", "1_000", "12%", "nan", "NaN", "inf", "0x10", "١٢", "1e999", "--1"),
        *(True, [], {}, float("nan"), float("inf"), 10**400),
    ],
)
def test_what_may_be_another_number_is_none_at_all(value):
    with pytest.raises(BadAnswer):
        number(value)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_is_the_same_as_a_number_and_as_its_text(value):
    assert number(value) == number(repr(value)) == value

"""What happens to a document before its ack: checked, got, read; what it was asked with is what the run has."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from mindlog.errors import AddressRefused, DocumentEmpty, DocumentTooLarge, DocumentTypeUnknown, InvalidInput
from mindlog.records import Dataset
from mindlog.remember.resume import unpacked
from mindlog.remember.setup import accept, document_id_of
from mindlog.settings import Settings
from mindlog.store.documentrows import NewRemember
from mindlog.views import RememberRequest
from tests.derive.made import Clock

NOW = 1_700_000_000_000_000
TEXT = "# Title\n\nAnna lives in Porto."


async def accepted(
    given: Mapping[str, Any] | None = None, dataset: Dataset | None = None, **settings: Any
) -> NewRemember:
    request = RememberRequest(**{"text": TEXT, "content_type": "text/markdown", **(given or {})})
    return await accept(request, dataset, Settings(**settings), Clock(NOW), user="key_1")


async def test_a_text_is_read_and_what_it_was_given_with_is_what_the_run_has() -> None:
    new = await accepted(
        {
            "dataset": "books",
            "session": "s",
            "agent": "Ines",
            "metadata": {"shelf": 3},
            "options": {"extract_graph": {"model": "m", "reasoning": "low"}, "classify_complexity": {}},
            "web_search": True,
            "occurred_at": "2024-01-02T03:04:05Z",
            "request_id": "r1",
        }
    )
    document = unpacked(new.content)
    assert (document.text, document.title, document.kind) == (TEXT, "Title", "markdown")
    assert (new.dataset, new.title, new.kind, new.characters) == ("books", "Title", "markdown", len(TEXT))
    assert (new.user, new.request_id) == ("key_1", "r1")
    assert new.params == {
        "session": "s",
        "agent": "Ines",
        "occurred_at": 1_704_164_645_000_000,
        "metadata": {"shelf": 3},
        "options": {"extract_graph": {"model": "m", "reasoning": "low"}, "classify_complexity": {}},
        "web_search": True,
        "fetch_series": False,
        "name": None,
        "url": None,
    }


async def test_without_a_time_it_is_the_moment_of_the_ack_and_a_naive_one_is_of_the_datasets_zone() -> None:
    assert NOW < (await accepted()).params["occurred_at"] <= NOW + 10
    lisbon = Dataset(number=1, name="default", timezone="Europe/Lisbon", created_at=0)
    new = await accepted({"occurred_at": "2024-07-01T12:00:00"}, lisbon)
    assert new.params["occurred_at"] == 1_719_831_600_000_000


async def test_the_same_text_is_the_same_document_however_it_comes_and_a_name_of_ones_own_counts_before_that() -> None:
    one, two = await accepted(), await accepted({"text": None, "data": TEXT.encode(), "name": "a.md", "dataset": "x"})
    assert one.document_id == two.document_id == document_id_of(unpacked(one.content))
    assert (await accepted({"text": TEXT + "!"})).document_id != one.document_id
    assert (await accepted({"document_id": "mine"})).document_id == "mine"


async def test_a_request_is_known_by_all_that_shapes_its_run_and_by_nothing_else() -> None:
    base = (await accepted({"request_id": "r1"})).request_params
    assert (await accepted()).request_params is None
    same = [{"wait": "derived"}, {"request_id": "r2"}]
    other = [
        {"text": TEXT + "!"},
        {"agent": "Ines"},
        {"session": "s"},
        {"document_id": "d"},
        {"metadata": {"a": 1}},
        {"web_search": True},
        {"fetch_series": True},
        {"occurred_at": 1},
        {"options": {"extract_graph": {"model": "m"}}},
        {"name": "n"},
    ]
    assert {(await accepted({"request_id": "r1", **given})).request_params for given in same} == {base}
    hashes = [(await accepted({"request_id": "r1", **given})).request_params for given in other]
    assert base not in hashes
    assert len(set(hashes)) == len(other)


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"text": None}, "text"),
        ({"data": b"a"}, "text"),
        ({"text": "a\ud800"}, "text"),
        ({"dataset": ""}, "dataset"),
        ({"session": "s" * 257}, "session"),
        ({"agent": ""}, "agent"),
        ({"document_id": "a\x00b"}, "document_id"),
        ({"request_id": 3}, "request_id"),
        ({"name": ""}, "name"),
        ({"metadata": {"$a": 1}}, "metadata"),
        ({"metadata": [1]}, "metadata"),
        ({"occurred_at": "2024-07-01T12:00:00"}, "occurred_at"),
        ({"web_search": "yes"}, "web_search"),
        ({"fetch_series": 1}, "fetch_series"),
        ({"wait": "long"}, "wait"),
        ({"options": [1]}, "options"),
        ({"options": {"nothing": {}}}, "options.nothing"),
        ({"options": {"store": {}}}, "options.store"),
        ({"options": {"extract_graph": "fast"}}, "options.extract_graph"),
        ({"options": {"extract_graph": {"speed": 1}}}, "options.extract_graph"),
        ({"options": {"extract_graph": {"model": ""}}}, "options.extract_graph.model"),
        ({"options": {"extract_graph": {"reasoning": "hard"}}}, "options.extract_graph.reasoning"),
    ],
)
async def test_what_cannot_be_asked_for_is_named(given: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidInput) as failure:
        await accepted(given)
    assert failure.value.field == field


@pytest.mark.parametrize(
    ("given", "settings", "refused"),
    [
        ({"text": ""}, {}, DocumentEmpty),
        ({"text": None, "data": bytes(range(256)) * 8, "content_type": None}, {}, DocumentTypeUnknown),
        ({"text": "word " * 100}, {"max_document_bytes": 100}, DocumentTooLarge),
        ({"text": None, "url": "http://example.org/"}, {}, AddressRefused),
        ({"text": None, "url": "http://169.254.169.254/latest/"}, {"remember_hosts": ["*"]}, AddressRefused),
        ({"text": None, "url": "http://127.0.0.1:1/"}, {"remember_hosts": ["*"]}, AddressRefused),
        ({"text": None, "url": "file:///etc/passwd"}, {"remember_hosts": ["*"]}, AddressRefused),
        ({"text": None, "url": "../../etc/passwd"}, {"remember_hosts": ["*"]}, AddressRefused),
    ],
)
async def test_what_cannot_be_got_or_read_is_refused(
    given: dict[str, Any], settings: dict[str, Any], refused: type[Exception]
) -> None:
    with pytest.raises(refused):
        await accepted(given, **settings)


async def test_a_path_in_a_name_opens_no_file(tmp_path: Path) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text("a secret", encoding="utf-8")
    new = await accepted({"text": None, "data": b"The tide was low.", "name": str(secret), "content_type": None})
    assert unpacked(new.content).text == "The tide was low."
    assert new.name == str(secret)

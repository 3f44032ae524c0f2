"""A prompt may show pictures: both protocols carry them, a repair shows them again, a record names them and no more."""

from __future__ import annotations

import pytest
from blake3 import blake3

from mindlog.errors import LlmBudgetExceeded, LlmFailed
from mindlog.models.budget import Budget, Limit
from mindlog.models.inference import text_hash, without_images
from mindlog.models.llm import ImagePart, Message
from mindlog.models.prompts import token_bound
from mindlog.runs.inferences import row_of
from mindlog.testing.inferences import HeldInferences
from mindlog.testing.llm_answers import say, truncated
from mindlog.testing.llm_server import FakeLLM
from tests.models.llm_made import ASK, TEA, Facts, opened

RED, BLUE = ImagePart("image/png", b"\x89PNG red"), ImagePart("image/jpeg", b"\xff\xd8 blue")
LOOK = (Message("system", "You look."), Message("user", "What is it?", (RED, BLUE)))
both = pytest.mark.parametrize("protocol", ["openai", "anthropic"])


@pytest.fixture
def server():
    with FakeLLM() as served:
        yield served


@both
async def test_images_come_to_the_model_before_the_text_in_their_order(server, protocol):
    server.script("a flag")
    async with opened(server, protocol) as llm:
        assert (await llm.text(LOOK)).text == "a flag"
    (request,) = server.requests
    assert [(each.media_type, each.data) for each in request.images] == [
        (each.media_type, each.data) for each in (RED, BLUE)
    ]
    assert request.messages == [("system", "You look."), ("user", "What is it?")]
    kinds = [part["type"] for part in request.body["messages"][-1]["content"]]
    assert kinds == {"openai": ["image_url", "image_url", "text"], "anthropic": ["image", "image", "text"]}[protocol]


@both
async def test_a_text_alone_is_sent_as_it_always_was(server, protocol):
    async with opened(server, protocol) as llm:
        await llm.text(ASK)
    assert server.requests[0].body["messages"][-1] == {"role": "user", "content": "I like tea"}
    assert server.requests[0].images == []


@both
@pytest.mark.parametrize("bad", [say("no idea"), truncated(TEA)], ids=["prose", "truncated"])
async def test_a_repair_shows_the_images_again(server, protocol, bad):
    server.script(bad, TEA)
    async with opened(server, protocol) as llm:
        assert (await llm.structured(LOOK, Facts)).value == Facts(facts=["likes tea"])
    assert [len(each.images) for each in server.requests] == [2, 2]
    assert "cannot be used" in server.requests[1].prompt


async def test_a_record_names_each_image_and_holds_none(server):
    store = HeldInferences()
    async with opened(server, store=store) as llm:
        await llm.text(LOOK)
    (record,) = store.records
    named = (
        f"[image/png, 8 bytes, {blake3(RED.data).hexdigest()}]\n[image/jpeg, 7 bytes, {blake3(BLUE.data).hexdigest()}]"
    )
    assert record.prompt == (LOOK[0], Message("user", f"{named}\nWhat is it?"))
    assert row_of(record).prompt == (("system", "You look."), ("user", f"{named}\nWhat is it?"))
    assert record.prompt_hash == text_hash(LOOK) == text_hash(without_images(LOOK))


def test_the_hash_of_a_prompt_tells_images_apart_and_a_text_alone_keeps_its_own():
    other = (LOOK[0], Message("user", "What is it?", (BLUE, RED)))
    assert len({text_hash(LOOK), text_hash(other), text_hash((LOOK[0], Message("user", "What is it?")))}) == 3
    assert text_hash(ASK) == text_hash('[["system", "You read texts."], ["user", "I like tea"]]')


async def test_an_image_counts_against_the_budget_before_it_is_sent(server):
    without = (LOOK[0], Message("user", "What is it?"))
    assert token_bound(LOOK, None) - token_bound(without, None) == 2 * 4096
    async with opened(server, budget=Budget(day=Limit(tokens=4096))) as llm:
        await llm.text(without)
        with pytest.raises(LlmBudgetExceeded):
            await llm.text(LOOK)
    assert len(server.requests) == 1


async def test_an_endpoint_may_refuse_images(server):
    server.unsupported = {"image"}
    async with opened(server) as llm:
        assert (await llm.text(ASK)).text == "ok"
        with pytest.raises(LlmFailed, match="'image' is not supported"):
            await llm.text(LOOK)

"""One call is bounded in time, size and place, its error tells what happened and no key, and it is on record."""

from __future__ import annotations

import asyncio
import logging
import sys

import pytest

from mindlog.errors import MindlogError, MissingExtra, ProviderFailed
from mindlog.models.inference import InferenceLog, TextPolicy, run_scope, text_hash
from mindlog.pipeline import Stage, Timeline, run
from mindlog.providers.answers import BadAnswer, json_answer, number
from mindlog.providers.http import CallLimits, WebCall, WebGetter
from mindlog.testing.inferences import HeldInferences
from mindlog.testing.web_answers import FakePage, Misbehaviour
from tests.providers.made import BOUND, KEY, closing


def getter(*, seconds=15.0, max_bytes=1 << 20, at_once=4, store=None, texts=TextPolicy.KEEP) -> WebGetter:
    return WebGetter(
        "engine",
        "web",
        limits=CallLimits(seconds=seconds, max_bytes=max_bytes, at_once=at_once),
        headers={"X-Subscription-Token": KEY},
        secrets=[KEY],
        inferences=InferenceLog(store, texts=texts),
    )


def call(web, asked="tea", **given) -> WebCall:
    url = f"{web.url}/search"
    return WebCall(**{"asked": asked, "endpoint": url, "url": url, "params": {"q": asked}, **given})


async def failure_of(web, lie, **limits) -> ProviderFailed:
    web.misbehave("search", lie)
    async with asyncio.timeout(BOUND), closing(getter(**limits)) as engine:
        with pytest.raises(ProviderFailed) as failure:
            await engine.ask(call(web), json_answer)
    return failure.value


async def test_an_answer_is_read_and_the_request_says_what_was_asked(web):
    async with closing(getter()) as engine:
        answer = await engine.ask(call(web), json_answer)
    assert [each["title"] for each in answer["results"]] == ["Tea", "More tea"]
    (visit,) = web.visits
    assert (visit.method, visit.query, visit.key) == ("GET", {"q": "tea"}, KEY)
    assert visit.headers["accept"] == "application/json"
    assert visit.headers["user-agent"].startswith("mindlog/")
    assert "cookie" not in visit.headers


@pytest.mark.parametrize(
    ("lie", "says", "retryable", "status"),
    [
        (Misbehaviour.ERROR, "answered 500", True, 500),
        (Misbehaviour.LIMITED, "answered 429", True, 429),
        (Misbehaviour.UNAUTHORIZED, "answered 401", False, 401),
        (Misbehaviour.RESET, "gave no answer", True, None),
        (Misbehaviour.CUT, "gave no answer", True, None),
        (Misbehaviour.HUGE, "more than 1048576 bytes", True, None),
        (Misbehaviour.BOMB, "more than 1048576 bytes", True, None),
        (Misbehaviour.LOOP, "redirects more than 3 times", True, None),
        (Misbehaviour.HTML, "not JSON (text/html)", True, None),
        (Misbehaviour.BROKEN, "not JSON", True, None),
        (Misbehaviour.DEEP, "not JSON", True, None),
    ],
)
async def test_what_goes_wrong_is_told_with_the_provider_and_whether_later_may_help(web, lie, says, retryable, status):
    failure = await failure_of(web, lie)
    assert failure.detail.startswith("engine ")
    assert says in failure.detail
    assert (failure.retryable, failure.extra["provider"], failure.status) == (retryable, "engine", 502)
    assert failure.extra.get("http_status") == status


async def test_a_server_that_asks_to_wait_is_quoted(web):
    assert (await failure_of(web, Misbehaviour.LIMITED)).extra["retry_after"] == 7.0


async def test_a_server_that_is_down_cannot_be_reached(web):
    asking = call(web)
    web.stop()
    async with closing(getter()) as engine:
        with pytest.raises(ProviderFailed, match="gave no answer") as failure:
            await engine.ask(asking, json_answer)
    assert failure.value.retryable


@pytest.mark.parametrize("lie", [Misbehaviour.HANG, Misbehaviour.DRIP])
async def test_a_server_that_hangs_or_drips_is_left_when_the_time_is_over(web, lie):
    failure = await failure_of(web, lie, seconds=0.3)
    assert "did not answer within 0.3 s" in failure.detail
    assert await asyncio.to_thread(web.wait_gone)


async def test_a_call_that_never_got_its_turn_is_not_blamed_on_the_server(web):
    web.misbehave("search", Misbehaviour.HANG)
    async with asyncio.timeout(BOUND), closing(getter(seconds=0.5, at_once=1)) as engine:
        asking = [engine.ask(call(web), json_answer) for _ in range(20)]
        answers = await asyncio.gather(*asking, return_exceptions=True)
    details = [each.detail for each in answers if isinstance(each, ProviderFailed)]
    assert len(details) == 20
    assert details[0] == "engine did not answer within 0.5 s"
    assert details[-1] == "engine was busy with other calls and not asked within 0.5 s"


async def test_no_more_calls_are_under_way_than_allowed_and_all_get_their_answer(web):
    web.misbehave("search", Misbehaviour.HANG)
    async with asyncio.timeout(BOUND), closing(getter(at_once=2)) as engine:
        asking = [asyncio.create_task(engine.ask(call(web), json_answer)) for _ in range(6)]
        assert await asyncio.to_thread(web.wait_for, 2)
        assert not await asyncio.to_thread(web.wait_for, 3, timeout=0.2)
        web.release()
        assert all(each["results"] for each in await asyncio.gather(*asking))


async def test_a_redirect_to_another_host_is_not_followed_and_named(web):
    failure = await failure_of(web, Misbehaviour.REDIRECT)
    assert f"redirects elsewhere: to http://localhost:{web.port}" in failure.detail
    assert "tea" not in failure.detail
    assert len(web.visits) == 1


async def test_a_redirect_within_the_host_is_followed(web):
    web.misbehave("search", Misbehaviour.MOVED)
    async with closing(getter()) as engine:
        answer = await engine.ask(call(web), json_answer)
    assert len(answer["results"]) == len(web.visits) == 2
    assert {visit.key for visit in web.visits} == {KEY}


async def test_a_post_is_not_sent_again_to_where_it_is_redirected(web):
    web.misbehave("search", Misbehaviour.MOVED)
    async with closing(getter()) as engine:
        with pytest.raises(ProviderFailed, match="redirects elsewhere"):
            await engine.ask(call(web, url=f"{web.url}/tavily", params={}, body={"query": "tea"}), json_answer)
    assert len(web.visits) == 1


@pytest.mark.parametrize("lie", list(Misbehaviour))
async def test_no_error_record_or_log_holds_the_key(web, lie, caplog):
    caplog.set_level(logging.DEBUG)
    web.misbehave("search", lie)
    web.data.pages[0] = FakePage(title=KEY, url="https://example.org/key", text=f"the key is {KEY}")
    store = HeldInferences()
    asking = call(web, endpoint=f"{web.url}/search?key={KEY}", params={"q": "tea", "key": KEY})
    error: MindlogError | None = None
    async with asyncio.timeout(BOUND), closing(getter(store=store, seconds=0.5)) as engine:
        try:
            await engine.ask(asking, json_answer)
        except ProviderFailed as exc:
            error = exc
    logged = [each.getMessage() for each in caplog.records if not each.name.startswith(("httpcore2", "asyncio"))]
    told = repr(store.records) + repr(logged) + repr(error and (error.detail, error.extra, error.__cause__))
    assert web.visits[0].key == KEY
    assert len(store.records) == 1
    assert KEY not in told
    assert "sk%2Fvery%2Bsecret" not in told


async def test_an_unusable_answer_that_repeats_the_key_is_quoted_without_it(web):
    def refuse(reply):
        raise BadAnswer(f"it says {KEY}")

    async with closing(getter()) as engine:
        with pytest.raises(ProviderFailed) as failure:
            await engine.ask(call(web), refuse)
    assert failure.value.detail == "engine gave an answer that cannot be used: it says (key)"
    assert failure.value.__suppress_context__


async def test_a_call_is_on_record_under_its_stage_and_run(web):
    store = HeldInferences()
    async with closing(getter(store=store)) as engine:

        async def web_search(job: object) -> None:
            with run_scope("rem_1", "letters"):
                await engine.ask(call(web), json_answer)

        timeline = Timeline()
        await run((Stage("web_search", web_search),), None, timeline)
    (record,) = store.records
    assert timeline["web_search"].inference_ids == (record.id,)
    assert (record.stage, record.run_id, record.dataset) == ("web_search", "rem_1", "letters")
    assert (record.provider, record.model, record.mode) == ("web", "engine", "get")
    assert record.parameters == {"endpoint": f"{web.url}/search"}
    assert [each.content for each in record.prompt] == ["tea"]
    assert record.prompt_hash == text_hash(record.prompt)
    assert record.output.startswith('{"query": "tea"')
    assert record.output_hash == text_hash(record.output)
    assert record.finished_at >= record.started_at > 0
    assert record.latency_us > 0
    assert record.error is None


async def test_a_record_keeps_the_beginning_of_a_long_answer_and_why_it_was_not_used(web):
    store = HeldInferences()
    web.data.pages *= 300

    def refuse(reply):
        raise BadAnswer("it is too good")

    async with closing(getter(store=store)) as engine:
        with pytest.raises(ProviderFailed):
            await engine.ask(call(web), refuse)
    (record,) = store.records
    assert len(record.output) == 2000
    assert record.error == "engine gave an answer that cannot be used: it is too good"


async def test_with_the_hash_policy_a_record_holds_nothing_of_what_was_asked_or_said(web):
    store = HeldInferences()
    async with closing(getter(store=store, texts=TextPolicy.HASH)) as engine:
        await engine.ask(call(web), json_answer)
        with pytest.raises(ProviderFailed, match="tea"):
            await engine.ask(call(web), lambda reply: number(reply.content.decode()[:40]))
    assert "tea" not in repr(store.records).lower()
    assert all(each.output_hash for each in store.records)
    assert store.records[1].error == "engine gave an answer that cannot be used"


async def test_a_cancelled_call_is_on_record_and_leaves_the_server(web):
    web.misbehave("search", Misbehaviour.HANG)
    store = HeldInferences()
    async with asyncio.timeout(BOUND), closing(getter(store=store)) as engine:
        asking = asyncio.create_task(engine.ask(call(web), json_answer))
        assert await asyncio.to_thread(web.wait_for, 1)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
    assert [each.error for each in store.records] == ["cancelled"]
    assert await asyncio.to_thread(web.wait_gone)


async def test_a_record_that_cannot_be_kept_fails_no_call(web):
    store = HeldInferences()
    store.error = RuntimeError("no disk")
    async with closing(getter(store=store)) as engine:
        assert (await engine.ask(call(web), json_answer))["results"]


@pytest.mark.parametrize("url", ["/search", "ftp://example.org/", "http://example.org:port/"])
async def test_an_address_that_is_none_fails_and_no_retry_will_help(url, web):
    async with closing(getter()) as engine:
        with pytest.raises(ProviderFailed) as failure:
            await engine.ask(call(web, url=url, params={}), json_answer)
    assert not failure.value.retryable


def test_a_missing_client_is_named_with_the_command_that_installs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "httpx2", None)
    with pytest.raises(MissingExtra, match=r"pip install 'mindlog\[client\]'"):
        getter()

"""Budgets by run and by day: what is spent never passes a limit by more than calls take beyond what they reserved."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from mindlog.errors import LlmBudgetExceeded, LlmFailed
from mindlog.models.budget import Budget, Limit
from mindlog.models.chat import Prices
from mindlog.models.inference import run_scope
from mindlog.models.llm import Message, Usage
from mindlog.testing.inferences import HeldInferences
from mindlog.testing.llm_answers import hang, say, server_error
from mindlog.testing.llm_server import FakeLLM
from tests.models.llm_made import ASK, TEA, Facts, ManualClock, opened

DAY_US = 86_400_000_000


@pytest.fixture
def server():
    with FakeLLM() as served:
        yield served


def test_a_call_starts_only_if_its_worst_case_fits():
    budget = Budget(day=Limit(tokens=100))
    first = budget.reserve(None, tokens=60)
    with pytest.raises(LlmBudgetExceeded, match="60 of 100"):
        budget.reserve(None, tokens=41)
    second = budget.reserve(None, tokens=40)
    budget.settle(first, Usage(input_tokens=5))
    budget.settle(second, Usage(output_tokens=5))
    assert budget.spent().tokens == 10
    budget.settle(budget.reserve(None, tokens=90), Usage(input_tokens=90))
    with pytest.raises(LlmBudgetExceeded):
        budget.reserve(None, tokens=1)


def test_a_days_budget_comes_back_with_the_next_utc_day():
    clock = ManualClock(DAY_US * 20_000 + DAY_US - 5_000_000)
    budget = Budget(day=Limit(tokens=10), clock=clock)
    over_midnight = budget.reserve(None, tokens=10)
    with pytest.raises(LlmBudgetExceeded) as failure:
        budget.reserve(None, tokens=1)
    assert (failure.value.retryable, failure.value.extra["scope"]) == (True, "day")
    assert failure.value.extra["retry_after"] == 5
    clock.at += 5_000_000
    held = budget.reserve(None, tokens=10)
    budget.settle(over_midnight, Usage(input_tokens=10))
    budget.settle(held, Usage(input_tokens=10))
    assert budget.spent().tokens == 10


def test_a_runs_budget_is_its_own_and_does_not_come_back():
    budget = Budget(run=Limit(tokens=10, cost=1.0))
    budget.settle(budget.reserve("a", tokens=10, cost=0.1), Usage(input_tokens=10, cost=0.1))
    with pytest.raises(LlmBudgetExceeded) as failure:
        budget.reserve("a", tokens=1)
    assert (failure.value.retryable, failure.value.extra["scope"]) == (False, "run")
    with pytest.raises(LlmBudgetExceeded, match="cost"):
        budget.reserve("b", tokens=1, cost=1.5)
    budget.reserve("b", tokens=10, cost=1.0)
    budget.reserve(None, tokens=1000)


def test_what_an_earlier_process_spent_can_be_given_back():
    budget = Budget(run=Limit(tokens=10), day=Limit(tokens=100))
    budget.restore(Usage(input_tokens=95))
    budget.restore(Usage(input_tokens=10), run_id="a")
    with pytest.raises(LlmBudgetExceeded, match="day"):
        budget.reserve(None, tokens=6)
    with pytest.raises(LlmBudgetExceeded, match="run"):
        budget.reserve("a", tokens=1)


def test_the_sums_of_runs_stay_bounded_and_those_under_way_are_kept():
    budget = Budget(run=Limit(tokens=10))
    held = budget.reserve("open", tokens=10)
    for number in range(6000):
        budget.settle(budget.reserve(f"run_{number}", tokens=1), Usage(input_tokens=1))
    assert len(budget._runs) <= 4096
    with pytest.raises(LlmBudgetExceeded):
        budget.reserve("open", tokens=1)
    budget.settle(held, Usage())


def test_threads_together_pass_no_limit():
    budget = Budget(day=Limit(tokens=1000))

    def spend(_: int) -> int:
        try:
            held = budget.reserve("run", tokens=7)
        except LlmBudgetExceeded:
            return 0
        budget.settle(held, Usage(input_tokens=7))
        return 7

    with ThreadPoolExecutor(8) as threads:
        taken = sum(threads.map(spend, range(400)))
    assert taken == budget.spent().tokens == 994


class Spending(RuleBasedStateMachine):
    """Reservations, settlements and days in any order, against sums kept by hand."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = ManualClock(DAY_US * 20_000)
        self.budget = Budget(run=Limit(tokens=60), day=Limit(tokens=100), clock=self.clock)
        self.open: list[tuple[object, int, str]] = []
        self.day_spent = self.day_excess = 0
        self.runs = {"a": 0, "b": 0}
        self.excess = {"a": 0, "b": 0}
        self.days = {}

    @rule(run=st.sampled_from("ab"), tokens=st.integers(0, 40))
    def reserve(self, run: str, tokens: int) -> None:
        held_run = sum(each for _, each, name in self.open if name == run)
        held_day = sum(each for held, each, _ in self.open if self.days[id(held)] == self.clock.at // DAY_US)
        fits = self.runs[run] + held_run + tokens <= 60 and self.day_spent + held_day + tokens <= 100
        try:
            held = self.budget.reserve(run, tokens=tokens)
        except LlmBudgetExceeded:
            assert not fits
            return
        assert fits
        self.days[id(held)] = self.clock.at // DAY_US
        self.open.append((held, tokens, run))

    @precondition(lambda self: self.open)
    @rule(data=st.data(), extra=st.integers(-40, 10))
    def settle(self, data: st.DataObject, extra: int) -> None:
        held, tokens, run = self.open.pop(data.draw(st.integers(0, len(self.open) - 1)))
        took = max(tokens + extra, 0)
        self.budget.settle(held, Usage(output_tokens=took))
        self.runs[run] += took
        self.excess[run] += max(took - tokens, 0)
        if self.days.pop(id(held)) == self.clock.at // DAY_US:
            self.day_spent += took
            self.day_excess += max(took - tokens, 0)

    @rule()
    def sleep_a_day(self) -> None:
        self.clock.at += DAY_US
        self.day_spent = self.day_excess = 0

    @invariant()
    def limits_hold(self) -> None:
        assert self.budget.spent().tokens == self.day_spent <= 100 + self.day_excess
        for run in "ab":
            assert self.budget.spent(run).tokens == self.runs[run] <= 60 + self.excess[run]


Spending.TestCase.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)
TestSpending = Spending.TestCase


async def test_fifty_calls_at_once_do_not_pass_the_days_limit(server):
    server.rule = lambda request: say(TEA, tokens=(20, 200))
    budget = Budget(day=Limit(tokens=2000))
    store = HeldInferences()
    async with opened(server, budget=budget, store=store, max_tokens=200) as llm:
        results = await asyncio.gather(*(llm.structured(ASK, Facts) for _ in range(50)), return_exceptions=True)
        denied = [each for each in results if isinstance(each, LlmBudgetExceeded)]
        assert denied
        assert len(denied) < 50
        assert budget.spent().tokens <= 2000
        sent = len(server.requests)
        assert sent == 50 - len(denied) == len(store.records)
        for _ in range(20):
            try:
                await llm.structured(ASK, Facts)
            except LlmBudgetExceeded:
                break
        assert budget.spent().tokens <= 2000


async def test_a_call_over_budget_is_not_sent(server):
    async with opened(server, budget=Budget(run=Limit(tokens=100))) as llm:
        with run_scope("enc_1"), pytest.raises(LlmBudgetExceeded):
            await llm.structured(ASK, Facts)
        assert not server.requests
        assert (await llm.text(ASK)).text == "ok"


async def test_what_was_turned_down_costs_nothing_and_what_may_have_been_worked_on_its_prompt(server):
    budget = Budget(day=Limit(tokens=10_000))
    server.script(server_error())
    async with opened(server, budget=budget, timeout=0.3) as llm:
        with pytest.raises(LlmFailed):
            await llm.text(ASK)
        assert budget.spent().tokens == 0
        server.script(hang())
        with pytest.raises(LlmFailed):
            await llm.text(ASK)
        assert 0 < budget.spent().tokens < 100


async def test_a_call_that_ends_in_whatever_way_holds_no_budget(server):
    budget = Budget(day=Limit(tokens=600))
    async with opened(server, budget=budget, max_tokens=400) as llm:
        server.script(hang())
        call = asyncio.create_task(llm.text(ASK))
        assert await asyncio.to_thread(server.wait_for, 1)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        with pytest.raises(UnicodeEncodeError):
            await llm.text([Message("user", "half a pair: \ud800")])
        assert 0 < budget.spent().tokens < 100
        assert (await llm.text(ASK)).text == "ok"


async def test_cost_is_limited_by_the_prices(server):
    server.rule = lambda request: say("ok", tokens=(100, 50))
    budget = Budget(day=Limit(cost=0.01))
    async with opened(server, budget=budget, prices=Prices(input=10.0, output=20.0), max_tokens=100) as llm:
        for _ in range(10):
            try:
                await llm.text(ASK)
            except LlmBudgetExceeded:
                break
        else:
            pytest.fail("ten calls of 0.002 each fit into 0.01")
    assert 0.006 <= budget.spent().cost <= 0.01

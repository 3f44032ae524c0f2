"""How much model calls may spend, by run and by UTC day. Owns the sums; knows no provider and sends nothing.

A call reserves its worst case, is sent, and settles what it took. The rule, for each limit, in tokens and in cost:
a call starts only if spent + reserved + its own worst case is within the limit. So what is spent can pass a limit only by
what calls under way take beyond their own reservation, however many there are at once; no call starts after that.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock

from mindlog.clock import Clock, SystemClock
from mindlog.errors import LlmBudgetExceeded
from mindlog.models.llm import Usage

__all__ = ["Budget", "Limit", "Reservation"]

_DAY_US = 86_400_000_000
# Sums of runs are kept for the most recent ones; one with calls under way is never dropped.
_KEPT_RUNS = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """Most tokens (input and output together) and most cost; None for no limit."""

    tokens: int | None = None
    cost: float | None = None


@dataclass(slots=True)
class _Sum:
    spent_tokens: int = 0
    spent_cost: float = 0.0
    reserved_tokens: int = 0
    reserved_cost: float = 0.0
    open: int = 0

    def over(self, limit: Limit, tokens: int, cost: float) -> str | None:
        """What would pass the limit, in words."""
        taken = self.spent_tokens + self.reserved_tokens
        if limit.tokens is not None and taken + tokens > limit.tokens:
            return f"{taken} of {limit.tokens} tokens are spent or reserved and the call may take {tokens}"
        costs = self.spent_cost + self.reserved_cost
        if limit.cost is not None and costs + cost > limit.cost:
            return f"{costs:.6g} of {limit.cost:.6g} is spent or reserved and the call may cost {cost:.6g}"
        return None

    def reserve(self, tokens: int, cost: float) -> None:
        self.reserved_tokens += tokens
        self.reserved_cost += cost
        self.open += 1

    def settle(self, held: Reservation, usage: Usage) -> None:
        self.open -= 1
        self.reserved_tokens -= held.tokens
        # The last one out clears what rounding left.
        self.reserved_cost = self.reserved_cost - held.cost if self.open else 0.0
        self.charge(usage)

    def charge(self, usage: Usage) -> None:
        self.spent_tokens += usage.tokens
        self.spent_cost += usage.cost or 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Reservation:
    """What a call under way may take; settle it once, whatever became of the call."""

    run_id: str | None
    day: int
    tokens: int
    cost: float


class Budget:
    """The sums of one engine, safe from any thread.

    A call belongs to the day in which it was reserved: one that runs over midnight is not charged to the new day.
    The sums live in this object; `restore` gives them what a process before has spent.
    """

    def __init__(self, *, run: Limit | None = None, day: Limit | None = None, clock: Clock | None = None) -> None:
        self._run_limit = run or Limit()
        self._day_limit = day or Limit()
        self._clock = clock or SystemClock()
        self._lock = Lock()
        self._runs: OrderedDict[str, _Sum] = OrderedDict()
        self._day, self._day_sum = self._today(), _Sum()

    def reserve(self, run_id: str | None, *, tokens: int, cost: float | None = None) -> Reservation:
        """Hold the worst case of a call. A call of no run counts for the day alone.

        Raises:
            LlmBudgetExceeded: it does not fit. `extra` holds `scope` ("run" or "day"); for a day the error is retryable
                and `retry_after` is the seconds to the next.
        """
        with self._lock:
            self._turn_day()
            run = self._run(run_id) if run_id is not None else None
            held = Reservation(run_id, self._day, tokens, cost or 0.0)
            if run is not None and (why := run.over(self._run_limit, held.tokens, held.cost)):
                raise LlmBudgetExceeded(f"the run's budget: {why}", scope="run", retryable=False)
            if why := self._day_sum.over(self._day_limit, held.tokens, held.cost):
                raise self._day_exceeded(why)
            for each in (run, self._day_sum):
                if each is not None:
                    each.reserve(held.tokens, held.cost)
            return held

    def settle(self, held: Reservation, usage: Usage) -> None:
        """Give a reservation back and charge what the call took."""
        with self._lock:
            self._turn_day()
            if held.run_id is not None:
                self._run(held.run_id).settle(held, usage)
            if held.day == self._day:
                self._day_sum.settle(held, usage)

    def restore(self, usage: Usage, *, run_id: str | None = None) -> None:
        """Add what was spent before this object was made: by the run if one is named, otherwise today."""
        with self._lock:
            self._turn_day()
            (self._day_sum if run_id is None else self._run(run_id)).charge(usage)

    def spent(self, run_id: str | None = None) -> Usage:
        """What the run, or today without one, has spent; tokens are all counted as input."""
        with self._lock:
            self._turn_day()
            known = self._day_sum if run_id is None else self._runs.get(run_id, _Sum())
            return Usage(input_tokens=known.spent_tokens, cost=known.spent_cost)

    def _run(self, run_id: str) -> _Sum:
        known = self._runs.setdefault(run_id, _Sum())
        self._runs.move_to_end(run_id)
        if len(self._runs) > _KEPT_RUNS:
            idle = next((name for name, each in self._runs.items() if not each.open and name != run_id), None)
            if idle is not None:
                del self._runs[idle]
        return known

    def _today(self) -> int:
        return self._clock.now() // _DAY_US

    def _turn_day(self) -> None:
        if (today := self._today()) != self._day:
            self._day, self._day_sum = today, _Sum()

    def _day_exceeded(self, why: str) -> LlmBudgetExceeded:
        seconds = ((self._day + 1) * _DAY_US - self._clock.now()) / 1_000_000
        return LlmBudgetExceeded(f"the day's budget: {why}", scope="day", retryable=True, retry_after=seconds)

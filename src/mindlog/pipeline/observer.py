"""Who is told of a run: the four calls, how observers combine, and the one that keeps the record in memory.

Owns the words of the record (statuses, error texts). Must not know what runs, nor where a record is stored.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, TypeAlias, cast

logger = logging.getLogger(__name__)

MAX_ERROR_CHARS = 2000
"""How much of an error's text a record keeps."""

Pending: TypeAlias = Awaitable[object] | None
"""What an observer returns: `None`, or what has to be awaited before the run goes on."""


class Observer(Protocol):
    """Is told what becomes of every stage, in order, on the event loop.

    A call may be a plain method or `async def`; the next call comes after it has ended. Names given together are a
    stage and those it does too. A stage, in an `Each` too, is started once and done once, or skipped once, or neither
    if the run never got to it. An observer that raises never fails the run (see `Fanout`).
    """

    def start(self, *stages: str) -> Pending:
        """The stages begin."""
        ...

    def done(self, error: BaseException | None, /, *stages: str) -> Pending:
        """The stages ended: well, or with this error."""
        ...

    def skip(self, *stages: str) -> Pending:
        """The stages are not used in this run."""
        ...

    def add_inference(self, stage: str, inference_id: str, /) -> None:
        """The stage made this model call. Told before the stage is done; an observer notes it and writes it then."""
        ...


class Fanout:
    """Many observers as one. All of them get every call; one that fails is logged once and counted in `failures`."""

    __slots__ = ("_complained", "failures", "observers")

    def __init__(self, *observers: Observer) -> None:
        self.observers = observers
        self.failures = 0
        self._complained: set[int] = set()

    def start(self, *stages: str) -> Pending:
        """Tells every observer."""
        return self._tell(lambda observer: observer.start(*stages))

    def done(self, error: BaseException | None, /, *stages: str) -> Pending:
        """Tells every observer."""
        return self._tell(lambda observer: observer.done(error, *stages))

    def skip(self, *stages: str) -> Pending:
        """Tells every observer."""
        return self._tell(lambda observer: observer.skip(*stages))

    def add_inference(self, stage: str, inference_id: str, /) -> None:
        """Tells every observer."""
        self._tell(lambda observer: observer.add_inference(stage, inference_id))

    def _tell(self, call: Callable[[Observer], Pending]) -> Pending:
        waiting: list[Awaitable[None]] = []
        for observer in self.observers:
            try:
                pending = call(observer)
            except Exception as error:  # noqa: BLE001  the record never fails a call
                self._failed(observer, error)
            else:
                if pending is not None:
                    waiting.append(self._awaited(observer, pending))
        return together(waiting)

    async def _awaited(self, observer: Observer, pending: Awaitable[object]) -> None:
        try:
            await pending
        # The runner shields this, so a cancellation here is the observer's own and not the call's.
        except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001
            self._failed(observer, error)

    def _failed(self, observer: Observer, error: BaseException) -> None:
        self.failures += 1
        if id(observer) in self._complained:
            return
        self._complained.add(id(observer))
        sentence = "Observer %s failed; the run goes on, but its record has a gap"
        logger.error(sentence, type(observer).__name__, exc_info=error, extra={"action": "observer_failed"})


def together(calls: Sequence[Pending]) -> Pending:
    """What is left to await of several calls."""
    pending = [call for call in calls if call is not None]
    if len(pending) > 1:
        return asyncio.gather(*pending)
    return pending[0] if pending else None


class StageStatus(StrEnum):
    """What became of a stage."""

    NOT_STARTED = "not_started"  #: the run never got to it
    STARTED = "started"  #: it runs, or its process died
    SUCCEEDED = "succeeded"  #: it ended well, for all of its items, or stopped the run
    FAILED = "failed"  #: it ended with an error, was cancelled, or was cut off before its last item
    SKIPPED = "skipped"  #: this run did not use it


@dataclass(frozen=True, slots=True, kw_only=True)
class StageRecord:
    """What a record says of one stage. Times are microseconds since the epoch."""

    name: str
    status: StageStatus = StageStatus.NOT_STARTED
    started_at: int | None = None
    finished_at: int | None = None
    error: str | None = None
    inference_ids: tuple[str, ...] = ()


def _wall() -> int:
    return time.time_ns() // 1000


class Timeline:
    """An observer that keeps the record of one run in memory.

    It holds the stages given (`names(steps)`) whether the run gets to them or not, and others it is told of. `wall`
    (microseconds since the epoch) is read once, `monotonic` (nanoseconds) from then on: no stage ends before it starts.
    """

    def __init__(
        self,
        stages: Iterable[str] = (),
        *,
        wall: Callable[[], int] = _wall,
        monotonic: Callable[[], int] = time.perf_counter_ns,
    ) -> None:
        self._monotonic = monotonic
        self._began_at = wall()
        self._began = monotonic()
        self._status = dict.fromkeys(stages, StageStatus.NOT_STARTED)
        self._started: dict[str, int] = {}
        self._finished: dict[str, int] = {}
        self._errors: dict[str, str] = {}
        self._inferences: defaultdict[str, list[str]] = defaultdict(list)

    @property
    def stages(self) -> tuple[StageRecord, ...]:
        """The record as it is now, in the order of the stages."""
        return tuple(map(self.__getitem__, self._status))

    def __getitem__(self, stage: str) -> StageRecord:
        return StageRecord(
            name=stage,
            status=self._status[stage],
            started_at=self._started.get(stage),
            finished_at=self._finished.get(stage),
            error=self._errors.get(stage),
            inference_ids=tuple(self._inferences.get(stage, ())),
        )

    def start(self, *stages: str) -> None:
        """Notes when the stages began."""
        self._status.update(dict.fromkeys(stages, StageStatus.STARTED))
        self._started.update(dict.fromkeys(stages, self._now()))

    def done(self, error: BaseException | None, /, *stages: str) -> None:
        """Notes when and how the stages ended."""
        self._finished.update(dict.fromkeys(stages, self._now()))
        self._status.update(dict.fromkeys(stages, StageStatus.SUCCEEDED if error is None else StageStatus.FAILED))
        if error is not None:
            self._errors.update(dict.fromkeys(stages, describe(error)))

    def skip(self, *stages: str) -> None:
        """Notes that the stages were not used."""
        self._status.update(dict.fromkeys(stages, StageStatus.SKIPPED))

    def add_inference(self, stage: str, inference_id: str, /) -> None:
        """Notes a model call of the stage."""
        self._inferences[stage].append(inference_id)

    def _now(self) -> int:
        return self._began_at + (self._monotonic() - self._began) // 1000


def describe(error: BaseException) -> str:
    """The text a record keeps of an error, at most `MAX_ERROR_CHARS` characters: `cancelled`, or its type and message.

    Of an exception group: its message, then the text of each error in it.
    """
    return _text(error)[:MAX_ERROR_CHARS]


def _text(error: BaseException) -> str:
    if isinstance(error, asyncio.CancelledError):
        return "cancelled"
    if isinstance(error, BaseExceptionGroup):
        group = cast("BaseExceptionGroup[BaseException]", error)
        return f"{group.message}: {'; '.join(map(_text, group.exceptions))}"
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__

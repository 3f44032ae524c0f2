"""What a pipeline is made of: stages, groups of stages that run for every item, and the names of them all.

Owns the words of the pattern. Must not know how a list is run (`runner`) or who watches it (`observer`).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import KW_ONLY, dataclass
from enum import StrEnum
from typing import Any, Generic, TypeAlias, TypeVar

Job = TypeVar("Job", contravariant=True)
Item = TypeVar("Item")


class Policy(StrEnum):
    """What the failure of a stage means for the run."""

    FATAL = "fatal"  #: it ends the run and is the call's error; later stages stay not started
    ADVISORY = "advisory"  #: it is recorded, and the run goes on


FATAL = Policy.FATAL
ADVISORY = Policy.ADVISORY


class Stop(BaseException):
    """Raised by a stage to end the run without an error: this stage succeeded, the stages after it are skipped.

    It is no `Exception`, so no `except Exception` on the way swallows it. From a task of a `TaskGroup` it arrives in an
    exception group, and means the same; beside an error it means nothing.
    """


@dataclass(frozen=True, slots=True)
class Stage(Generic[Job]):
    """One named part of a run.

    `run` reads what earlier stages left in the job, leaves what later ones need. It returns, raises or raises `Stop`.
    `enabled` says whether this job uses the stage (`None`: always); an error in it is the stage's own failure.
    `also` names the stages that this one does too: they start and end with it.
    """

    name: str
    run: Callable[[Job], Awaitable[None]]
    _: KW_ONLY
    policy: Policy = FATAL
    enabled: Callable[[Job], bool] | None = None
    also: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Its own name and those in `also`: what an observer is told of together."""
        return (self.name, *self.also)


@dataclass(frozen=True, slots=True)
class Each(Generic[Job, Item]):
    """A group of steps that runs for every item of the job, each item to the end before the next.

    `items` is asked once, when the run gets here; an error in it ends the run. In the group the item is the job: stages
    are given an item, which holds, say, the state of one chunk and what that needs of the whole.
    """

    items: Callable[[Job], Iterable[Item]]
    steps: Steps[Item]


Steps: TypeAlias = tuple[Stage[Job] | Each[Job, Any], ...]
"""A pipeline: the steps of one operation in the order they run."""


def stages(steps: Steps[Any]) -> Iterator[Stage[Any]]:
    """The stages of a list in order, those inside groups included."""
    for step in steps:
        if isinstance(step, Stage):
            yield step
        else:
            yield from stages(step.steps)


def names(steps: Steps[Any]) -> tuple[str, ...]:
    """The name of every stage in order, each followed by those it does too.

    Raises `ValueError` if a name occurs twice, since a record has one place for it.
    """
    found = tuple(name for stage in stages(steps) for name in stage.names)
    if twice := sorted({name for name in found if found.count(name) > 1}):
        raise ValueError(f"a stage name may occur once, these occur more often: {', '.join(twice)}")
    return found

"""What one attempt at a run came to, as its run log saw it. Owns no rule of what follows from it (see `retry`)."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["Attempt"]


@dataclass(slots=True, kw_only=True)
class Attempt:
    """One attempt: which stages failed with what, and whether the run was there to the end.

    failures: by stage, its own error or that of its record. gone: the revision is no longer current or is forgotten.
    lost: another holds the run, or it was ended meanwhile. unrecorded: ends of stages that the store did not take.
    """

    failures: dict[str, BaseException] = field(default_factory=dict[str, BaseException])
    gone: bool = False
    lost: bool = False
    unrecorded: int = 0

    @property
    def is_over(self) -> bool:
        """Whether nothing more of this attempt can be recorded."""
        return self.gone or self.lost

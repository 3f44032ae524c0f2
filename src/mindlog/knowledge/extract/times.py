"""When a claim holds, from the time its words name: an event begins then, a past state lasts so long. Knows no sentence."""

from __future__ import annotations

from mindlog.knowledge.dates import says_since, says_until
from mindlog.knowledge.extraction import DateMention, ValueType
from mindlog.knowledge.wordlist import wordlist

__all__ = ["HAPPENED", "validity"]

HAPPENED = wordlist(
    """
failed crashed died exploded leaked burned burnt collapsed broke_down broke arrived stopped restarted ended opened closed
"""
)
"""What is over as it happens: it holds of the time that is named and of no other."""

_EVENTS = wordlist(
    """
moved_to moved_from joined left switched_to switched_from born_on bought sold visited met founded acquired colour attended won signed_up_for started finished volunteers_at
"""
)
_PAST = ("lived_", "worked_", "studied", "grew_")
_TIMELESS = ("has_", "favourite_")


def validity(
    predicate: str, value_type: ValueType | None, date: DateMention | None, text: str
) -> tuple[int | None, int | None, str | None]:
    """Return from when, until when and by which words a claim holds, of which the text says this time; None: not said."""
    if date is None or (value_type is ValueType.DATE and predicate not in HAPPENED):
        return None, None, None
    if predicate.endswith("_of") or predicate.startswith(_TIMELESS):
        return None, None, None
    if predicate == "has" and not says_since(text, date):
        return None, None, None  # "my laptop crashed last week": it was mine before
    if predicate in HAPPENED:
        return date.start, date.end, date.phrase
    if says_since(text, date):
        return date.start, None, date.phrase
    if says_until(text, date):
        return None, date.end, date.phrase
    if predicate in _EVENTS:
        return date.start, None, date.phrase
    return (date.start, date.end, date.phrase) if predicate.startswith(_PAST) else (None, None, date.phrase)

"""The first tier: reads a text by shapes and tables alone. Always there, no model, well under a millisecond a short text."""

from __future__ import annotations

from bisect import bisect_left
from typing import TypeVar

from mindlog.knowledge.dates import find_dates
from mindlog.knowledge.extract.contacts import find_contacts
from mindlog.knowledge.extract.copula import read_copulas
from mindlog.knowledge.extract.draft import Draft
from mindlog.knowledge.extract.events import read_event
from mindlog.knowledge.extract.identifiers import find_identifiers
from mindlog.knowledge.extract.markup import direct_speech, without_code, without_markup
from mindlog.knowledge.extract.names import Names
from mindlog.knowledge.extract.possessives import read_contacts, read_possessives
from mindlog.knowledge.extract.quantities import find_quantities
from mindlog.knowledge.extract.scene import Line, Scene
from mindlog.knowledge.extract.scripts import find_script_names
from mindlog.knowledge.extract.source import Source
from mindlog.knowledge.extract.statements import read_statements
from mindlog.knowledge.extract.things import read_paint
from mindlog.knowledge.extract.tokens import Sentence, Turn, sentences, turns
from mindlog.knowledge.extraction import SPEAKER, DateMention, EntityKind, Extraction, Quantity, Span, Tier

__all__ = ["PatternTier"]

_Found = TypeVar("_Found", DateMention, Quantity)
_BLANK = "\x1f"
"""Stands for contact data and identifiers while sentences are read: their dots end none, their capitals name none."""


class PatternTier:
    """Patterns and tables."""

    def extract(self, source: Source) -> Extraction:
        """Return what the patterns find in any string."""
        text = without_code(source.readable)
        draft = Draft(text, Tier.PATTERN, find_dates(text, source.occurred_at, source.zone), find_quantities(text))
        contacts = [(contact.value, span) for contact, span in find_contacts(text)]
        taken = [span for _, span in contacts]
        for span in taken:
            draft.mention(span, EntityKind.CONTACT, 0.95)
        taken += _identify(draft, taken)
        plain = _blanked(without_markup(text), taken)
        read = [(turn, list(sentences(plain, turn.start, turn.end))) for turn in turns(plain)]
        names = Names.of([sentence for _, found in read for sentence in found], source.known)
        scene = Scene(draft, earlier=source.earlier, author=source.speaker, speech=direct_speech(plain))
        for turn, found in read:
            _read_turn(scene, turn, found, names, contacts)
        for span, kind, confidence in find_script_names(text):
            if not any(span.overlaps(other) for other in taken):
                draft.mention(span, kind, confidence)
        return draft.finish()


def _identify(draft: Draft, contacts: list[Span]) -> list[Span]:
    blocked = [*contacts, *(date.span for date in draft.dates)]
    starts = sorted(blocked)
    found = [span for span in find_identifiers(draft.text) if not _touches(starts, span)]
    for span in found:
        draft.mention(span, EntityKind.IDENTIFIER, 0.9)
    return found


def _touches(starts: list[Span], span: Span) -> bool:
    at = bisect_left(starts, span)
    return any(other.overlaps(span) for other in starts[max(0, at - 1) : at + 1])


def _blanked(text: str, taken: list[Span]) -> str:
    pieces: list[str] = []
    at = 0
    for span in sorted(taken):
        if span.start >= at:
            pieces += [text[at : span.start], _BLANK * (span.end - span.start)]
            at = span.end
    return "".join([*pieces, text[at:]])


def _read_turn(scene: Scene, turn: Turn, found: list[Sentence], names: Names, contacts: list[tuple[str, Span]]) -> None:
    scene.speaker = scene.draft.mention(turn.speaker, EntityKind.PERSON, 0.85) if turn.speaker else SPEAKER
    scene.kin.clear()
    for sentence in found:
        line = Line(
            scene,
            sentence,
            list(names.find(sentence)),
            _inside(scene.draft.dates, sentence),
            _inside(scene.draft.quantities, sentence),
            _contacts_inside(contacts, sentence),
        )
        _read_line(line)


def _read_line(line: Line) -> None:
    line.scene.own_thing = None
    read_contacts(line)
    read_possessives(line)
    read_statements(line)
    read_copulas(line)
    for at in range(1, len(line.sentence)):
        read_event(line, at)
        read_paint(line, at)
    for name in line.names:
        line.scene.name(line.span(name.first, name.end), name.kind, name.confidence)
    line.scene.thing = line.scene.own_thing or line.scene.thing


def _inside(found: tuple[_Found, ...], sentence: Sentence) -> list[_Found]:
    begin = bisect_left(found, sentence.start, key=lambda item: item.span.start)
    end = bisect_left(found, sentence.end, key=lambda item: item.span.start)
    return list(found[begin:end])


def _contacts_inside(found: list[tuple[str, Span]], sentence: Sentence) -> list[tuple[str, Span]]:
    begin = bisect_left(found, sentence.start, key=lambda item: item[1].start)
    end = bisect_left(found, sentence.end, key=lambda item: item[1].start)
    return found[begin:end]

"""The second tier: a small language model's entities and parse, read by rules into mentions and claims.

Owns which entities count and how long texts are cut; the rules over the parse are in `dependencies`. English.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping
from typing import Any

from mindlog.knowledge.dates import find_dates
from mindlog.knowledge.extract.coreference import Referents
from mindlog.knowledge.extract.dependencies import Parse, read_parse
from mindlog.knowledge.extract.draft import Draft
from mindlog.knowledge.extract.gazetteer import NAME_KINDS
from mindlog.knowledge.extract.markup import direct_speech, without_markup
from mindlog.knowledge.extract.names import PREFIXES, is_gerund
from mindlog.knowledge.extract.source import Source
from mindlog.knowledge.extract.spacy_model import Doc, Token, load, missing
from mindlog.knowledge.extract.tokens import pieces, turns
from mindlog.knowledge.extract.words import CAPITALISED, NO_NAMES
from mindlog.knowledge.extraction import SPEAKER, EntityKind, Extraction, Span, Tier

__all__ = ["ClassifierTier"]

_PIECE = 8_000
_KINDS = {
    "PERSON": EntityKind.PERSON,
    "ORG": EntityKind.ORGANIZATION,
    "GPE": EntityKind.PLACE,
    "LOC": EntityKind.PLACE,
    "FAC": EntityKind.PLACE,
    "PRODUCT": EntityKind.PRODUCT,
    "EVENT": EntityKind.EVENT,
    "WORK_OF_ART": EntityKind.WORK,
    "LAW": EntityKind.WORK,
}
_LEADING = re.compile(r"(?:the|a|an|my|our|his|her|their|dr|mr|mrs|ms|prof)\.?", re.IGNORECASE)
_FIRST = re.compile(r"[\"“'‘]?(?P<word>[^\s\"“”]+)[\s\"”]+(?=\S)")
# One name: no list of them, no code.
_NAME = re.compile(r"(?!.*\sor\s)[^\W_](?:[\w.&'’\- ]|\+\+?(?=\s|$))*", re.DOTALL)
_TRAILING = re.compile(r"(?:\s+v?\d+(?:\.\d+)+|\s+v\d+)?(?:['’]s?|[^\w)])*$")
# A text in another language would be parsed into nonsense: it has words of its own and none of English.
_ENGLISH = re.compile(
    r"\b(?:the|of|and|is|I|my|to|at|with|for|he|she|it|we|are|have|by|from|has|this|that|they|you|was)\b", re.IGNORECASE
)
_FOREIGN = re.compile(
    r"[^\W\d_a-zA-ZÀ-ž]|\b(?:el|la|los|las|un|una|y|en|del?|con|por|que|se|es|mi|les?|et|je|est|der|die|das|und|ist|ich|nicht|ein|il|che|di|o|um|não)\b",
    re.IGNORECASE,
)
_LATIN = re.compile(r"[A-Za-z]")


class ClassifierTier:
    """The tier of the model. One parse at a time: the pipeline is not made for threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    @property
    def unavailable(self) -> str | None:
        """Why the tier cannot run, None if it can."""
        return missing()

    def extract(self, source: Source) -> Extraction:
        """Return what the model finds in any string. Raises `ModelMissing` if it is not installed."""
        text = without_markup(source.readable)
        draft = Draft(text, Tier.CLASSIFIER, find_dates(text, source.occurred_at, source.zone))
        for start, end, speaker in _pieces(text):
            piece = text[start:end]
            if not _LATIN.search(piece) or (_FOREIGN.search(piece) and not _ENGLISH.search(piece)):
                continue
            with self._lock:
                doc = load()(piece)
            said = draft.mention(speaker, EntityKind.PERSON, 0.85) if speaker else SPEAKER
            _read(draft, doc, start, said, source)
        return draft.finish()


def _pieces(text: str) -> Iterator[tuple[int, int, Span | None]]:
    for turn in turns(text):
        yield from ((start, end, turn.speaker) for start, end in pieces(text, _PIECE, turn.start, turn.end))


def _read(draft: Draft, doc: Doc, offset: int, speaker: str, source: Source) -> None:
    referents = Referents(speaker)
    parse = Parse(draft, offset, referents, source.earlier, source.speaker, direct_speech(draft.text))
    known = {name.casefold(): kind for name, kind in source.known.items()}
    found = [
        (entity.root, span, kind) for entity in doc.ents for span, kind in _entity(entity, offset, known, source.text)
    ]
    found += [(token, span, kind) for token in doc for span, kind in _unseen(parse, token, known)]
    for root, span, kind in sorted(found, key=lambda item: item[1]):
        parse.names[root.i] = draft.mention(span, kind, 0.7)
        referents.say(span.start, parse.names[root.i], kind)
    read_parse(parse, doc)


def _entity(entity: Any, offset: int, known: Mapping[str, EntityKind], text: str) -> Iterator[tuple[Span, EntityKind]]:
    kind = _KINDS.get(entity.label_)
    span = _trimmed(entity.text, offset + entity.start_char)
    if kind is None or span is None:
        return
    # What the dataset or the gazetteer knows repairs the kind the model gives.
    said = span.of(text)
    surer = known.get(said.casefold()) or NAME_KINDS.get(said.lower())
    if surer is None and entity.start == entity.sent.start and said[1:].isalpha() and said[1:].islower():
        return  # the first word of a sentence has a capital whatever it is: "Nature helps"
    yield span, surer or kind


def _unseen(parse: Parse, token: Token, known: Mapping[str, EntityKind]) -> Iterator[tuple[Span, EntityKind]]:
    """Yield a known name that the model took for no entity."""
    if token.pos_ != "PROPN" or token.ent_type_ in _KINDS or token.dep_ == "compound":
        return
    span = parse.span(
        [*(child for child in token.children if child.dep_ == "compound" and child.pos_ == "PROPN"), token]
    )
    if (kind := known.get(span.of(parse.draft.text).casefold())) is not None:
        yield span, kind


def _trimmed(said: str, start: int) -> Span | None:
    """Return the name without articles, titles and possessives; None if it is none (lower case, a word of custom, a list)."""
    begin = 0
    while (word := _FIRST.match(said, begin)) and _is_no_name(word["word"]):
        begin = word.end()
    name = _TRAILING.sub("", said[begin:])
    if not _NAME.fullmatch(name) or not any(map(str.isupper, name)) or _is_no_name(name) or name.lower() in NO_NAMES:
        return None
    return Span(start + begin, start + begin + len(name))


def _is_no_name(word: str) -> bool:
    if _LEADING.fullmatch(word) or is_gerund(word):
        return True
    return word.istitle() and word.lower() in CAPITALISED - PREFIXES

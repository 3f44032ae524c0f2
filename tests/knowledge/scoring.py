"""Scores tiers on the labelled sentences: precision and recall of entities and claims. Run as a module, it prints them.

An entity counts by its name, a claim by subject, predicate, object or value, and whether it is denied; spelling is compared
as `name_key` does. What is said of a relative without a name ("my sister lives in Oslo") is left out of the score. Part "a" was
written beside the rules; "b" after their first version, and rules have been made since from what it missed; "c" after
those, before any of its sentences had been read, and no rule was changed for it: it is the fair measure (one claim was
added to it when "attended" became a predicate).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from mindlog.knowledge.extract.source import Source
from mindlog.knowledge.extraction import SPEAKER, Extraction, name_key, validate

LABELLED = Path(__file__).with_name("labelled.jsonl")
AT = 1_709_287_200_000_000  # 2024-03-01T10:00:00Z

Reader = Callable[[Source], Extraction]


@dataclass(frozen=True, slots=True)
class Sentence:
    half: str
    language: str
    text: str
    entities: frozenset[str]
    kinds: dict[str, str]
    claims: frozenset[tuple[str, ...]]


@dataclass(slots=True)
class Score:
    found: int = 0
    right: int = 0
    wanted: int = 0

    def add(self, found: frozenset, wanted: frozenset) -> None:
        self.found += len(found)
        self.right += len(found & wanted)
        self.wanted += len(wanted)

    @property
    def precision(self) -> float:
        return self.right / self.found if self.found else 1.0

    @property
    def recall(self) -> float:
        return self.right / self.wanted if self.wanted else 1.0


@dataclass(frozen=True, slots=True)
class Scores:
    entities: Score
    kinds: Score
    claims: Score


def sentences(half: str | None = None, language: str | None = None) -> Iterator[Sentence]:
    for line in LABELLED.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if half in (None, row["half"]) and language in (None, row["language"]):
            kinds = {name_key(name): kind for name, kind in row["entities"]}
            yield Sentence(
                half=row["half"],
                language=row["language"],
                text=row["text"],
                entities=frozenset(kinds),
                kinds=kinds,
                claims=frozenset((_key(s), p, _key(o), *denied) for s, p, o, *denied in row["claims"]),
            )


def score(read: Reader, labelled: list[Sentence]) -> Scores:
    scores = Scores(Score(), Score(), Score())
    for sentence in labelled:
        entities, kinds, claims = reading(read, sentence)
        scores.entities.add(entities, sentence.entities)
        scores.kinds.add(frozenset(kinds.items()), frozenset(sentence.kinds.items()))
        if sentence.language == "en":
            scores.claims.add(claims, sentence.claims)
    return scores


def reading(read: Reader, sentence: Sentence) -> tuple[frozenset[str], dict[str, str], frozenset[tuple[str, ...]]]:
    found = validate(read(Source(text=sentence.text, occurred_at=AT)), sentence.text)
    kinds = {name_key(m.name): str(m.kind) for m in found.mentions if not _is_nameless(m.name)}
    claims = frozenset(
        (_key(c.subject), c.predicate, _key(c.object or c.value or ""), *(["not"] if c.negated else []))
        for c in found.claims
        if not any(_is_nameless(end) for end in (c.subject, c.object) if end)
    )
    return frozenset(kinds), kinds, claims


def _is_nameless(name: str) -> bool:
    """Whether "my sister" stands for somebody without a name: nothing the labels speak of."""
    return name.lower().startswith(("my ", "our "))


def _key(end: str) -> str:
    return SPEAKER if end == SPEAKER else name_key(end)


def readers() -> dict[str, Reader]:
    from tests.knowledge import tiers

    return tiers.readers()


def main(show: bool) -> None:
    for name, read in readers().items():
        for half in ("a", "b", "c", None):
            labelled = list(sentences(half))
            scores = score(read, labelled)
            parts = [
                f"{label} {s.precision:.3f}/{s.recall:.3f}"
                for label, s in (("entities", scores.entities), ("with kind", scores.kinds), ("claims", scores.claims))
            ]
            print(
                f"{name:10} half {half or 'all':3} ({len(labelled):3} sentences)  precision/recall: {'  '.join(parts)}"
            )
        if show:
            _differences(name, read)


def _differences(name: str, read: Reader) -> None:
    for sentence in sentences(sys.argv[2] if len(sys.argv) > 2 else "a"):
        entities, _, claims = reading(read, sentence)
        wrong = (claims ^ sentence.claims) if sentence.language == "en" else frozenset()
        if wrong or entities != sentence.entities:
            print(f"  {name}: {sentence.text}")
            print("    extra  ", sorted(entities - sentence.entities), sorted(claims - sentence.claims))
            print("    missing", sorted(sentence.entities - entities), sorted(sentence.claims - claims))


if __name__ == "__main__":
    main(show="--show" in sys.argv)

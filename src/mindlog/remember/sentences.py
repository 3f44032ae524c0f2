"""Finds where the sentences of running text end, in any script. Knows no structure: one call is about one paragraph.

A line break ends nothing: text is wrapped anywhere. A full stop ends a sentence unless what stands before it or after it says
that it does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from mindlog.knowledge.wordlist import wordlist

__all__ = ["sentence_spans"]

_CLOSING = "\"'”’»›)\\]}」』】）〉》"
_END = re.compile(
    rf"(?<![.!?…])[.!?…]++[{_CLOSING}]*+(?=\s|$)"  # the scripts that put a blank after a sentence
    rf"|[。！？｡]+[{_CLOSING}]*"  # those that put none
    rf"|[؟۔।॥።፧፨։။៕᙮꘎]+[{_CLOSING}]*"
    r"|\n[^\S\n]*\n\s*"
)
_WORD_BEFORE = re.compile(r"[^\s(\[{\"'“‘«/]*$")
_LONGEST_WORD = 24
# Titles and the like: a word follows, so the sentence goes on whatever its first letter is.
_BEFORE_MORE = wordlist(
    """
mr mrs ms dr prof st sra srta dra mme mlle mm messrs rev fr hon gen col maj capt cpt lt sgt cmdr adm gov sen rep mt ft
vs cf viz ca approx eg ie e.g i.e z.b d.h u.a v.a o.ä s.o s.u p.ex es p.es bijv bv t.ex f.eks np t.d tj resp incl excl
eds hrsg hg dhr mevr ing dipl geb gest verh zzgl inkl exkl evtl ggf bzw sog mio mrd им ул гг стр рис см др
"""
)
# A number follows these where they are cut short; otherwise they are words and end a sentence as words do.
_BEFORE_NUMBER = wordlist(
    """
no nr nos nº núm num fig figs eq eqs sec ch chap vol vols pp pg p par art ed tab abb bd kap str tel max min г
jan feb mar apr jun jul aug sep sept oct okt nov dec dez mon tue tues wed thu thur thurs fri sat sun
"""
)
# These end a sentence as often as not: the next letter decides.
_BEFORE_ANY = wordlist("etc inc ltd co corp llc plc jr sr bros dept est usw etc. ff a.m p.m ph.d b.c a.d и.т.д т.д т.п")
_INITIALS = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]$")
_MONTH = re.compile(
    r"\s+(?:jan|feb|fév|mär|mar|apr|avr|mai|may|maj|jun|juin|jul|juil|aug|août|sep|okt|oct|nov|dez|dec|déc|led|úno|bře|dub|kvě"
    r"|stycz|lut|mar[zc]|kwie|czerw|lip|sierp|wrze|paźdz|listop|grud)",
    re.IGNORECASE,
)
_VOWEL = re.compile(r"[aeiouyàâäåæéèêëíîïóôöøúûüąęаеиоуыэюяіїєё]", re.IGNORECASE)
_QUOTING = re.compile(r"と|って|という")


def sentence_spans(text: str, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
    """Yield the places [start, end) of the sentences of a stretch, without the blanks around them; they hold all else."""
    end = len(text) if end is None else end
    begin = start
    for match in _END.finditer(text, start, end):
        if _ends(text, begin, match, end):
            yield from _trimmed(text, begin, match.end())
            begin = match.end()
    yield from _trimmed(text, begin, end)


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    said = text[start:end]
    if bare := said.strip():
        first = start + len(said) - len(said.lstrip())
        yield first, first + len(bare)


def _ends(text: str, begin: int, match: re.Match[str], end: int) -> bool:
    """Say whether a sentence ends at what looks like an end."""
    mark = match.group()
    if mark[0] == "\n":
        return True
    if mark[0] in "。！？｡":
        return mark[-1] not in "」』" or not _QUOTING.match(text, match.end())
    following = _next_letter(text, match.end(), end)
    if mark[0] in "!?…" or mark[:2] == ".." or mark[0] not in ".":
        return not following.islower()
    return _stop_ends(text, begin, match, following)


def _stop_ends(text: str, begin: int, match: re.Match[str], following: str) -> bool:
    """Say whether a single full stop ends a sentence: not after a title, an initial or the number of a day or an item."""
    word = _before(text, begin, match.start())
    bare = word.lower().strip(".")
    if not bare or not following:
        return True
    if bare in _BEFORE_ANY:
        return following.isupper() and len(match.group()) == 1
    if bare in _BEFORE_NUMBER and following.isdigit():
        return False
    if bare in _BEFORE_MORE or (_INITIALS.match(word) and len(match.group()) == 1):
        return False
    if bare.isdigit() and len(bare) <= 3:
        is_item = not text[begin : match.start() - len(word)].strip()
        return not (is_item or following.islower() or (len(bare) <= 2 and _MONTH.match(text, match.end())))
    return not following.islower() or (len(bare) >= 3 and _VOWEL.search(bare) is not None)


def _before(text: str, begin: int, end: int) -> str:
    """Return the word that stands before a place."""
    match = _WORD_BEFORE.search(text, max(begin, end - _LONGEST_WORD), end)
    return match.group() if match else ""


def _next_letter(text: str, at: int, end: int) -> str:
    """Return the first character after a place that is no blank, quotation mark or bracket; empty if there is none."""
    for index in range(at, min(at + 40, end)):
        if not text[index].isspace() and text[index] not in "\"'“‘«‹([{*_—–-":
            return text[index]
    return ""

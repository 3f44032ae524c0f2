"""Splits folded text into terms: words, identifiers whole and in parts, numbers, and runs of scripts without spaces.

Owns what a term is; knows no index. A cue's terms are always among those of a text that contains the cue's words.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from hashlib import blake2b
from itertools import pairwise

import regex
import Stemmer

__all__ = ["MAX_TERM_BYTES", "is_spaced", "terms_of"]

MAX_TERM_BYTES = 256
_KEPT_OF_LONG = 64
_MAX_PREFIXES = 4
_MAX_ACRONYM = 8
_ENCLITICS = frozenset(("s", "ll", "re", "ve", "d", "m"))
_EDGES = ".,;:!?\"'()[]{}<>*|^"

_CJK = r"[\p{Han}\p{Hiragana}\p{Katakana}ー々〆]"
_HANGUL = r"\p{Hangul}"
_STACKED = r"[\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]"
_UNSPACED = r"[\p{Han}\p{Hiragana}\p{Katakana}ー々〆\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]"
_WORD = rf"[[\p{{L}}\p{{N}}]--{_UNSPACED}][[\p{{L}}\p{{N}}\p{{M}}]--{_UNSPACED}]*+"

# Possessive quantifiers everywhere: a token is matched or passed over in one pass, whatever the input.
_TOKEN = regex.compile(
    rf"(?P<cjk>{_CJK}++)|(?P<hangul>{_HANGUL}++)|(?P<stacked>{_STACKED}++)"
    rf"|(?P<money>\p{{Sc}}(?=\p{{N}}))?+(?P<word>{_WORD}(?:(?:://|__++|[._'/\\@:?=&#%~+,$-]){_WORD})*+)(?P<suffix>\+\+|[+\#%](?!\+))?+"
    r"|(?P<emoji>\p{RI}{2}|(?=[^©®\p{N}#*])\p{Extended_Pictographic})",
    regex.VERSION1,
)
_SPACELESS = regex.compile(_UNSPACED, regex.VERSION1)
_STRONG = regex.compile(r"(?:://|[/\\@:?=&#%~+$]|(?<!\d),|,(?!\d\d\d(?!\d)))++")
_WEAK = regex.compile(r"[._,'-]++")
_HUMPS = regex.compile(r"(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu}\p{Lu})(?=\p{Lu}\p{Ll}\p{Ll})")
_LETTERS_THEN_DIGITS = regex.compile(r"([^\W\d_]{2,}+)(\d++)")
_DIGITS_THEN_LETTERS = regex.compile(r"(\d++)(?:st|nd|rd|th|([^\W\d_]++))")
_CLUSTER = regex.compile(r"\P{M}\p{M}*+|\p{M}++")

_stemmer = Stemmer.Stemmer("english", 0)
_stemmer_lock = threading.Lock()


def is_spaced(text: str) -> bool:
    """Say whether the text has only scripts whose words stand apart, so that a cue's terms are a text's terms."""
    return text.isascii() or _SPACELESS.search(text) is None


def terms_of(text: str, *, cue: bool = False) -> Iterator[str]:
    """Yield the terms of folded text in order, with repeats.

    A cue leaves out what a text only carries so that shorter cues find it (single characters of longer runs).
    """
    if (word := _plain_word(text)) is not None:
        yield _stem(word)
        return
    for token in _TOKEN.finditer(text):
        match token.lastgroup:
            case "cjk":
                yield from _bigrams(token.group(), singles=not cue, whole=False)
            case "hangul":
                yield from _hangul(token.group(), cue)
            case "stacked":
                yield from _stacked(token.group(), cue)
            case "emoji":
                yield token.group()
            case _:
                yield from _compound(token["money"], token["word"], token["suffix"])


def _plain_word(text: str) -> str | None:
    # Most stretches are one English word with a comma or so: the same answer as below at a tenth of the cost.
    word = text.strip(_EDGES)
    if word.isascii() and word.isalpha() and (word.islower() or word.istitle() or word.isupper()):
        return word.lower()
    return None


def _bigrams(run: str, *, singles: bool, whole: bool) -> Iterator[str]:
    if len(run) == 1:
        yield run
        return
    yield from (run[i : i + 2] for i in range(len(run) - 1))
    if singles:
        yield from run
    if whole and len(run) > 2:
        yield _bounded(run)


def _hangul(run: str, cue: bool) -> Iterator[str]:
    yield from _bigrams(run, singles=False, whole=True)
    if not cue and 2 <= len(run) <= 4:
        # A noun of one syllable is written together with its particle: 집에서 is found by 집.
        yield run[0]


def _stacked(run: str, cue: bool) -> Iterator[str]:
    clusters = _CLUSTER.findall(run)
    if len(clusters) == 1:
        yield _bounded(run)
        return
    yield from (_bounded(left + right) for left, right in pairwise(clusters))
    if not cue:
        # A base with its vowel or tone signs can be a word of its own (ดี, ปี).
        yield from (_bounded(cluster) for cluster in clusters if len(cluster) > 1)


def _compound(money: str | None, word: str, suffix: str | None) -> Iterator[str]:
    pieces = _STRONG.split(word)
    if len(pieces) > 1:
        yield _bounded(word.casefold())
    for piece in pieces:
        yield from _piece(piece)
    if money:
        yield _bounded(money + pieces[0].replace(",", "").casefold())
    if suffix:
        yield _bounded(pieces[-1].casefold() + suffix)


def _piece(piece: str) -> Iterator[str]:
    if "'" in piece:
        yield from _apostrophes(piece)
        return
    parts = _WEAK.split(piece)
    if len(parts) == 1:
        yield from _word(piece)
    elif all(part.isdecimal() for part in parts):
        yield from _number(piece.replace(",", ""))
    elif len(parts) <= _MAX_ACRONYM and all(len(part) == 1 and part.isalpha() for part in parts):
        yield _stem("".join(parts).casefold())  # an acronym: U.S.A., p.m.
    else:
        yield _whole(piece, parts)
        for part in parts:
            yield from _word(part)


def _whole(piece: str, parts: list[str]) -> str:
    # Letters joined by - or _ are one word however they are joined: e-mail, snake_case, snakeCase.
    if "." not in piece and "," not in piece and all(part.isalpha() for part in parts):
        return _stem("".join(parts).casefold())
    return _bounded(piece.casefold())


def _apostrophes(piece: str) -> Iterator[str]:
    head, _, tail = piece.rpartition("'")
    if tail.casefold() in _ENCLITICS:
        yield from _piece(head)
        return
    parts = piece.split("'")
    yield _stem("".join(parts).casefold())
    if tail.casefold() == "t":
        return  # don't, isn't: their first halves are no words
    for part in parts:
        if len(part) > 2:
            yield from _piece(part)


def _number(number: str) -> Iterator[str]:
    parts = _WEAK.split(number)
    yield _bounded(number)
    if len(parts) == 1:
        return
    end = len(parts[0])
    for part in parts[1 : min(len(parts) - 1, _MAX_PREFIXES)]:
        end += 1 + len(part)
        yield _bounded(number[:end])
    yield from map(_bounded, parts)


def _word(word: str) -> Iterator[str]:
    lowered = word.casefold()
    yield _stem(lowered)
    if word != lowered and len(humps := _HUMPS.split(word)) > 1:
        yield from (_stem(hump.casefold()) for hump in humps)
    elif not word.isalpha() and not word.isdecimal():
        yield from _letters_and_digits(lowered)
    elif word.startswith("ال") and len(word) > 4:
        yield word[2:]  # the Arabic article is written together with its noun


def _letters_and_digits(word: str) -> Iterator[str]:
    if split := _LETTERS_THEN_DIGITS.fullmatch(word):
        yield _stem(split[1])
        yield _bounded(split[2])
    elif split := _DIGITS_THEN_LETTERS.fullmatch(word):
        yield _bounded(split[1])
        if split[2]:
            yield _stem(split[2])


def _stem(word: str) -> str:
    if len(word) < 3 or len(word) > _KEPT_OF_LONG or not (word.isascii() and word.isalpha()):
        return _bounded(word)
    with _stemmer_lock:  # one stemmer works on one word at a time
        return _stemmer.stemWord(word)


def _bounded(term: str) -> str:
    if len(term) <= _KEPT_OF_LONG:
        return term
    encoded = term.encode()
    if len(encoded) <= MAX_TERM_BYTES:
        return term
    return f"{encoded[:_KEPT_OF_LONG].decode(errors='ignore')}…{blake2b(encoded, digest_size=16).hexdigest()}"

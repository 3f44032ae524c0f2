"""Which words in lower case are worth being what a claim is about, by what its verb takes. Knows no sentence.

Every claim is shown to users, so what is said of the moment only ("I love the colour") or of nothing in particular ("a lot")
is none.
"""

from __future__ import annotations

from collections.abc import Sequence

from mindlog.knowledge.extract.belongings import OWNED
from mindlog.knowledge.extract.verbs import Takes
from mindlog.knowledge.extract.words import NO_NAMES
from mindlog.knowledge.wordlist import wordlist

__all__ = ["is_activity", "is_doing", "is_role", "is_worth_saying"]

# Their meaning stays behind when a phrase is taken out of its text.
_REFERRING = wordlist("it them him this that these those here there you your one ones")
_MOMENTARY = wordlist("the this that these those your his her their its all such")
# What "the" before it does not make one of a kind.
_GENERAL = wordlist(
    """
ocean sea beach mountains outdoors countryside city country rain sun snow cold heat summer winter spring autumn fall night woods forest
desert piano guitar violin cello drums flute harp saxophone trumpet theatre theater opera cinema internet news gym environment
"""
)
_EMPTY = wordlist(
    """
way idea thought color colour part bit lot look fact feeling vibe kind sort mix bunch stuff thing things people others everyone people's
time moment reminder one ones hard well together alone everywhere sound feel world day ton tons project projects task tasks
"""
)
_NO_ACTIVITIES = wordlist(
    "thing something anything everything nothing king spring string ring wing evening morning sibling ceiling"
)
_THESE = wordlist("team group call meeting conversation chat discussion company firm business club class band")
_OCCASIONS = wordlist(
    """
parade workshop concert festival conference class group meeting wedding party museum exhibition exhibit gala seminar lecture show play match
game tournament fair retreat camp funeral ceremony reunion meetup convention summit hackathon race marathon dinner brunch picnic event rally
march protest interview audition premiere launch fundraiser auction course lesson session competition contest championship trophy award prize
expo service run triathlon webinar
"""
)
_WEAK = wordlist(
    """
seeing getting having being hearing knowing doing making going taking feeling thinking looking finding saying bringing letting keeping
giving trying putting breaking prepping
see get have be do go make take help feel look find bring keep give try put use meet
"""
)
_SAYING = wordlist(
    "hear know think say believe point add ask tell mention note imagine admit thank wish call start begin"
)


_PRAISE = wordlist(
    """
good great bad big huge nice long best worst same only real true total such amazing awesome inspiring beautiful wonderful lovely fantastic
incredible special perfect fun cool wild sweet tough hard crazy must-visit must-see must colorful colourful better terrible awful powerful
important major massive little small few sad happy significant practical strategic fundamental simpler modern key essential crucial popular
useful valuable common simple effective
"""
)
_NO_ROLES = wordlist(
    """
reminder symbol mix thing time idea bit lot little few kind sort pleasure joke shame fan way part sucker experience story week day moment
help support supporter treat choice dream blast mess surprise gift struggle challenge journey ride process classic must place city town win
game-changer lifesaver start step bummer hit relief honor honour chance plan picture photo painting friend person member guy girl one
"""
)


def is_role(words: Sequence[str]) -> bool:
    """Say whether a noun with its modifiers (lower case) says what somebody is, and not what is thought of him."""
    return bool(words) and words[-1] not in _NO_ROLES and words[0] not in _NO_ROLES and _PRAISE.isdisjoint(words)


def is_worth_saying(takes: Takes, before: str, words: Sequence[str]) -> bool:
    """Say whether a noun with the words that make it what it is (as written) can be an object; `before`: what determines it."""
    last = words[-1].lower()
    if last in _EMPTY:
        return False
    if takes is Takes.ORGANIZATION:
        return before != "the" or len(words) > 1 or last not in _THESE
    if takes is Takes.OWNED:
        return last in OWNED or last.removesuffix("s") in OWNED or words[0].lower() == "collection"
    if takes is Takes.OCCASION:
        return last.removesuffix("s") in _OCCASIONS and (len(words) > 1 or last != "event")
    if takes is Takes.TOOL:
        return last not in NO_NAMES and any(any(map(str.isupper, word)) for word in words)
    if takes in (Takes.TASTE, Takes.CHOICE):
        return before not in _MOMENTARY or (before == "the" and last in _GENERAL)
    return True


def is_doing(word: str) -> bool:
    """Say whether a word in lower case looks like something one does: hiking."""
    return len(word) > 4 and word.endswith("ing") and word not in _NO_ACTIVITIES


def is_activity(words: Sequence[str]) -> bool:
    """Say whether words in lower case, the first a verb, name an activity of their own, wherever they are read."""
    if not words or words[0] in _SAYING or words[1:2] == ["sure"] or not _REFERRING.isdisjoint(words):
        return False
    return words[0] not in _WEAK or len(words) > 1 + (not words[0].endswith("ing"))

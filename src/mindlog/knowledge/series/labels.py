"""Says what was measured, and of what: from the words before a verb, a caption or a column's header to a name and an entity.

"Acme's net revenue" and "the net revenue of Acme" are the net revenue of Acme. Knows no number and no time.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from mindlog.knowledge.extract.gazetteer import ORGANIZATIONS, PLACES
from mindlog.knowledge.extraction import SPEAKER
from mindlog.knowledge.wordlist import wordlist

__all__ = [
    "Label",
    "can_stand_alone",
    "counted",
    "entity_of",
    "is_entity_header",
    "is_place",
    "label_of",
    "name_of_dimension",
    "object_label",
]

_MOST_WORDS: Final = 7
_METRICS = wordlist(
    """
revenue revenues sales turnover profit profits loss losses income earnings margin margins cost costs expenses spending budget ebitda debt
deficit surplus gdp cpi inflation unemployment employment rate rates ratio share price prices rent wage wages salary population inhabitants residents
people households employees staff headcount workforce users customers subscribers members visitors visits downloads followers students pupils
patients passengers tourists clients orders shipments deliveries exports imports production output emissions consumption demand
supply capacity temperature temperatures rainfall precipitation humidity pressure speed weight mass height length depth level levels
volume area distance concentration intensity score scores grade index rating balance savings turnout attendance births deaths cases
yield yields latency throughput errors requests traffic reach views clicks conversions churn retention accuracy density fertility
steps calories mileage hba1c cholesterol glucose bmi pulse battery voltage current power energy value valuation capitalization stock
umsatz gewinn bevölkerung einwohner preis temperatur gewicht anteil arbeitslosenquote chiffre population température prix poids ingresos
población precio temperatura peso
"""
)
_KNOWN = (PLACES | ORGANIZATIONS | {"us", "usa", "uk", "eu"}) - _METRICS
_ENTITY_HEADERS = wordlist(
    """
country countries city cities company companies firm region state province county district station site location place country/region
product brand model name person player student patient team department store branch store_name city_name country_name entity area economy
land stadt firma pays ville país ciudad sensor device symbol ticker
"""
)
_DIMENSION_NAMES = {"temperature": "temperature", "speed": "speed", "pressure": "pressure", "heart rate": "heart rate"}
_PRONOUNS = wordlist(
    "it this that they these those he she which who there one figure number value latter former es er sie elle il ce ello that's"
)
_SPEAKERS = wordlist("i we ich wir je nous yo nosotros")
_ARTICLE = re.compile(
    r"(?:(?:the|a|an|its|their|his|her|this|that|these|those|total number of|der|die|das|den|dem|ein|eine|le|la|les|el|los|las|un|une|una)(?!\w)[ ]?|l['’])",
    re.IGNORECASE,
)
_MINE = re.compile(r"(?:my|our|mein|meine|unser|unsere|mon|ma|mes|mi|mis|nuestro|nuestra)(?!\w)[ ]?", re.IGNORECASE)
_LEADING = re.compile(
    r"(?:[\s,;:–—•*>|)(\]\[-]+|(?:and|but|while|whereas|then|so|yet|when|where|after|before|although|though|because|since|as|if|with|also|however|meanwhile"
    r"|overall|again|later|now|here|today|from|in|on|at|for|during|by|und|aber|et|mais|y|pero|where|both|reportedly|according to)(?![\w'’-]))",
    re.IGNORECASE,
)
_TRAILING = re.compile(
    r"(?:[\s,;:(–—-]|['’](?:ve|d|m|re|ll)|(?<![\w'’-])(?:\w+ly|was|had|has|have|also|only|then|already|still|now|and|but|that|which|who|have|been|steadily|once|just|of|in|at|for|to|the|a|an))+$",
    re.IGNORECASE,
)
_OWNED = re.compile(r"(?P<whose>.+?)(?:['’]s|(?<=s)['’])[ ](?P<what>\S.*)", re.DOTALL)
# Only what is written with a capital is somebody's: "the number of users" is one name.
_OF = re.compile(
    r"(?P<what>\S.*?)[ ](?:of|in|at|for|von|in|bei|de|du|des|del|à|en)[ ](?:(?:the|der|die|das|la|le|el)[ ])?(?P<whose>[^\W\d_a-zà-ÿ].*)",
    re.DOTALL,
)
_PLACED = re.compile(
    r"(?:^|[,\s])[Ii]n[ ](?:the[ ])?(?P<place>[^\W\d_a-z][\w.'’-]*(?:[ ][^\W\d_a-z][\w.'’-]*){0,3})\s*(?:,|$)"
)
_WORD = re.compile(r"[^\W_][\w'’&./%-]*")
_ASIDE = re.compile(r"\([^()]{0,80}\)|\[[^\[\]]{0,80}\]")


@dataclass(frozen=True, slots=True)
class Label:
    """What is measured and whose it is; either may be unknown. `refers`: it points back to what was named before."""

    name: str | None = None
    entity: str | None = None
    refers: bool = False

    def after(self, earlier: Label | None) -> Label:
        """Return the label with what it leaves open taken from an earlier one."""
        if earlier is None or (self.name and self.entity):
            return self
        return Label(self.name or earlier.name, self.entity or earlier.entity)


def label_of(said: str) -> Label:
    """Return the label that the words of a subject, caption or header make, empty if they make none."""
    words = _ASIDE.sub(" ", said[-240:] if len(said) > 240 else said).replace("\n", " ")
    place = _PLACED.search(words)
    phrase = _phrase(words)
    label = _whose(phrase) if phrase else Label(refers=True)
    if place and label.entity is None and not label.refers and not phrase.startswith(place["place"]):
        return Label(label.name, place["place"])
    return label


def entity_of(said: str) -> Label:
    """Return who has something, from the words before "had" or "reported": named, the speaker, or pointing back."""
    phrase = _phrase(_ASIDE.sub(" ", said[-240:]).replace("\n", " "))
    if phrase.lower() in _SPEAKERS:
        return Label(None, SPEAKER)
    bare = _ARTICLE.sub("", phrase, count=1) if _ARTICLE.match(phrase) else phrase
    if not bare or not _is_capital(bare) or bare.lower() in _PRONOUNS or _MINE.match(phrase):
        return Label(refers=True)
    return Label(None, _entity(bare))


def object_label(said: str, after: str) -> str | None:
    """Return what somebody has: the words between verb and number ("revenue of"), else the noun after the number."""
    before = _phrase(_ASIDE.sub(" ", said[-120:]))
    if before and before.lower() not in _PRONOUNS and not before.lower().endswith("ly") and not _COMPARED.search(said):
        return _tidy(before)
    return counted(after)


def counted(after: str) -> str | None:
    """Return the thing that a number counts, from the words after it ("inhabitants"), None if it counts nothing."""
    noun = _NOUN.match(after, 0, 80)
    return None if noun is None or noun["noun"].split()[0] in _NO_NOUNS else noun["noun"]


_NO_NOUNS = wordlist(
    """
in on at for by and to from per as or but of than more less fewer up down during last this the a an with which while when if is was year years
higher lower respectively compared versus increase decrease im en und auf bei von et y à um bis vs against followed then after before respectively
"""
)
_NOUN = re.compile(rf"\s+(?P<noun>[a-zà-ÿ][\w-]+(?:\s(?!(?:{'|'.join(_NO_NOUNS)})(?!\w))[a-zà-ÿ][\w-]+)?)")
_COMPARED = re.compile(r"(?<!\w)(?:compared|versus|vs|against|up|down|from|followed|than)(?!\w)", re.IGNORECASE)


def is_entity_header(header: str) -> bool:
    """Say whether a column of this header names whose the numbers of a row are."""
    return header.strip().lower() in _ENTITY_HEADERS


def is_place(entity: str) -> bool:
    """Say whether it is a place that everybody knows."""
    return entity.lower() in PLACES


def can_stand_alone(name: str) -> bool:
    """Say whether one number of this name is a reading of a series and no remark in passing."""
    return not _METRICS.isdisjoint(re.findall(r"[^\W\d_]+[\w]*", name.lower()))


def name_of_dimension(dimension: str) -> str | None:
    """Return what a reading without a name is one of: degrees Celsius are a temperature, kilograms can be anything."""
    return _DIMENSION_NAMES.get(dimension)


def _phrase(words: str) -> str:
    """Return the noun phrase that ends a stretch: after its last comma, without what leads up to it."""
    parts = [part for part in re.split(r"[,;:]\s|\s[–—-]\s", words) if part.strip(" ,;:")]
    for part in reversed(parts):
        phrase = _TRAILING.sub("", _stripped(part)).strip("*_`#\"“”' ")
        if phrase and not phrase.lower().endswith("ly") and phrase.lower() not in _ASIDES:
            return phrase
    return ""


_ASIDES = wordlist("however meanwhile therefore though too first second third again instead also")


def _stripped(part: str) -> str:
    while match := _LEADING.match(part):
        part = part[match.end() :]
    return part


def _whose(phrase: str) -> Label:
    if phrase.lower() in _SPEAKERS:
        return Label(None, SPEAKER)
    if phrase.lower() in ("mine", "ours"):
        return Label(None, SPEAKER, refers=True)
    if (mine := _MINE.match(phrase)) and not _OWNED.fullmatch(phrase[mine.end() :]):
        return Label(_tidy(phrase[mine.end() :]), SPEAKER)
    phrase = phrase[mine.end() :] if mine else phrase
    owned = _OWNED.fullmatch(phrase)
    bare = _ARTICLE.sub("", phrase, count=1) if _ARTICLE.match(phrase) else phrase
    if not bare or bare.lower() in _PRONOUNS:
        return Label(refers=True)
    if bare is not phrase and not owned and not _OF.fullmatch(bare):
        return Label(_tidy(phrase))
    if owned:
        whose = _ARTICLE.sub("", owned["whose"], count=1) if _ARTICLE.match(owned["whose"]) else owned["whose"]
        return Label(_tidy(owned["what"]), _entity(whose))
    if of := _OF.fullmatch(bare):
        return Label(_tidy(of["what"]), _entity(of["whose"]))
    return _compound(bare)


def _compound(bare: str) -> Label:
    """Part the capitals from the measure: "Acme Corp revenue", "US GDP", "Berlin"."""
    words = _WORD.findall(bare)
    if not words:
        return Label()
    first = next((i for i, word in enumerate(words) if i and not _is_capital(word)), len(words))
    if _is_known(words) and (len(words) == 1 or first == len(words)):
        return Label(None, bare)
    if words[-1].lower() in _METRICS and first == len(words) and len(words) > 1:
        first = len(words) - 1
    starts = _is_capital(words[0])
    if starts and 0 < first < len(words) and (first > 1 or words[0].lower() in _KNOWN):
        return Label(_tidy(" ".join(words[first:])), " ".join(words[:first]))
    return Label(_tidy(bare))


def _is_known(words: list[str]) -> bool:
    return all(_is_capital(word) for word in words) and " ".join(words).lower() in _KNOWN


def _is_capital(word: str) -> bool:
    return word[0].isupper()


def _entity(whose: str) -> str | None:
    return " ".join(whose.split()[:_MOST_WORDS]).strip(" ,;:*_") or None


def _tidy(name: str) -> str | None:
    """Return a name in one spelling: the capital of a sentence's first word is not its own."""
    said = " ".join(name.split()).strip(" .,;:*_`#\"'|")
    name = _ARTICLE.sub("", said, count=1) if _ARTICLE.match(said) else said
    if not name or len(name.split()) > _MOST_WORDS or not _WORD.search(name):
        return None
    first, _, rest = name.partition(" ")
    return (
        name if name != said or not first[1:].islower() else f"{first[0].lower()}{first[1:]}{' ' if rest else ''}{rest}"
    )

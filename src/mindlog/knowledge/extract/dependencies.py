"""Rules over a dependency parse: subject, verb and object with prepositions, "to be", possessives and appositions.

Owns what a parse says and whether it says it as a fact; knows no model and no entity recogniser.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from mindlog.knowledge.dates import says_since
from mindlog.knowledge.extract.coreference import Referents, antecedent
from mindlog.knowledge.extract.draft import Draft
from mindlog.knowledge.extract.phrases import is_doing, is_role, is_worth_saying
from mindlog.knowledge.extract.spacy_model import Doc, Token
from mindlog.knowledge.extract.verbs import OF_THINGS, WORDED, Takes, Verb, is_believed, longest
from mindlog.knowledge.extract.words import HEDGES
from mindlog.knowledge.extraction import SPEAKER, Claim, EntityKind, Mention, Rejection, Span, ValueType
from mindlog.knowledge.kin import KIN
from mindlog.knowledge.pronouns import EITHER, FIRST, THINGS
from mindlog.knowledge.wordlist import wordlist

__all__ = ["Parse", "read_parse"]

_SUBJECTS = frozenset({"nsubj", "nsubjpass"})
_MODALS = wordlist("might may could would should must can will 'll 'd wo ca shall")
# Verbs whose complement is no fact: "I hope to move", "she thinks he lives in Rome".
_OPAQUE = wordlist(
    """
want hope wish plan intend consider think believe guess suspect imagine suppose doubt wonder dream pretend need
try decide
"""
)
_ROLE_OF = {"founder": "founder_of", "co": "founder_of", "ceo": "ceo_of", "director": "director_of", "head": "head_of", "president": "president_of",
            "owner": "owner_of", "author": "author_of", "member": "member_of", "manager": "manager_of", "capital": "capital_of"}  # fmt: skip
_PLACE_PREPOSITIONS = frozenset({"in", "from"})
_PEOPLE = wordlist("woman man girl boy guy lady gentleman person kid baby lad couple")
_MODIFIERS = frozenset({"compound", "amod", "nummod", "nmod"})


@dataclass(slots=True)
class Parse:
    """One parsed piece of a text."""

    draft: Draft
    offset: int  # of the piece in the text
    referents: Referents
    earlier: Sequence[Mention] = ()
    author: str | None = None  # the name of whoever wrote the text
    speech: Sequence[Span] = ()  # what somebody else is quoted as saying
    names: dict[int, str] = field(default_factory=dict[int, str])  # by the token that heads the name

    def span(self, tokens: Iterable[Token]) -> Span:
        """Return the characters from the first token to the last."""
        listed = list(tokens)
        first = min(token.idx for token in listed)
        return Span(self.offset + first, self.offset + max(token.idx + len(token) for token in listed))

    def says(self, at: int) -> bool:
        """Say whether whoever speaks the text says the word at a character, and not somebody he quotes."""
        return not any(span.start <= at < span.end for span in self.speech)

    def who(self, token: Token) -> str | None:
        """Return the mention or the speaker a token stands for."""
        if token.i in self.names:
            return self.names[token.i]
        if token.lower_ in FIRST and not self.says(self.offset + token.idx):
            return None
        if token.pos_ == "PRON":
            said = self.referents.of(token.lower_, self.offset + token.idx)
            return said or self._before(token)
        if token.lower_ not in _PEOPLE and token.lower_ not in KIN:
            return None
        return next(
            (self.names[child.i] for child in token.children if child.dep_ == "appos" and child.i in self.names), None
        )

    def _before(self, token: Token) -> str | None:
        found = antecedent(token.lower_, self.earlier, self.author)
        return self.draft.refer(self.span([token]), found) if found else None


def read_parse(parse: Parse, doc: Doc) -> None:
    """Add the claims of a parsed piece to its draft."""
    for token in doc:
        if token.dep_ == "appos":
            _apposition(parse, token)
        elif token.dep_ == "poss":
            _possessive(parse, token)
        if token.pos_ in ("VERB", "AUX"):
            _verb(parse, token)


def _verb(parse: Parse, verb: Token) -> None:
    subjects = list(_subjects(verb))
    if not subjects:
        return
    copula = verb.lemma_ == "be"
    found = list(_copula(parse, verb) if copula else _objects(parse, verb))
    if not found:
        return
    doubt, negated = _doubt(verb), _negated(verb)
    for token in subjects:
        who = parse.who(token)
        for meaning, target, thing in found:
            if who is None or who == thing or _is_aside(parse, token, who, meaning.predicate):
                continue
            said = (meaning.predicate, False) if not negated else _denied(meaning)
            if doubt or said is None:
                parse.draft.reject(doubt or Rejection.NEGATED)
                continue
            evidence = parse.span([token, verb, *target])
            _say(parse, who, said[0], target, thing, evidence, negated=said[1])


def _is_aside(parse: Parse, subject: Token, who: str, predicate: str) -> bool:
    """Say whether a verb is not to be believed of a subject: "I run them on GitHub", "it's a great story"."""
    if predicate in OF_THINGS and who == parse.referents.speaker:
        return True
    if predicate == "is_a" and subject.lower_ in THINGS | EITHER:
        return True
    if subject.pos_ != "PRON" or subject.lower_ in FIRST:
        return False
    return not is_believed(predicate, subject.lower_, far=parse.draft.is_resolved(who))


def _denied(meaning: Verb) -> tuple[str, bool] | None:
    if meaning.denied:
        return meaning.denied, False
    return (meaning.predicate, True) if meaning.ended else None


def _say(
    parse: Parse, who: str, predicate: str, target: list[Token], thing: str | None, evidence: Span, *, negated: bool
) -> None:
    date = next((d for d in parse.draft.dates if 0 <= d.span.start - evidence.end <= 24), None)
    text = parse.draft.text
    value = None if thing is not None else parse.span(target).of(text)
    parse.draft.claim(
        Claim(
            subject=who,
            predicate=predicate,
            object=thing,
            value=value,
            value_type=None if value is None else ValueType.TEXT,
            negated=negated,
            spans=(evidence,),
            valid_from=date.start if date and says_since(text, date) else None,
            time_phrase=date.phrase if date else None,
            confidence=0.7 if who == SPEAKER else 0.65,
            tier=parse.draft.tier,
        )
    )


def _subjects(verb: Token) -> Iterator[Token]:
    """Yield who a verb is said of: its own subject, that of the verb it is joined to, or the noun it describes."""
    own = [child for child in verb.children if child.dep_ in _SUBJECTS]
    if not own and verb.dep_ == "conj" and verb.head.pos_ in ("VERB", "AUX"):
        yield from _subjects(verb.head)
        return
    for subject in own:
        if subject.lower_ in ("who", "which", "that") and verb.dep_ == "relcl":
            yield verb.head
            continue
        yield subject
        yield from (child for child in subject.children if child.dep_ == "conj")


def _doubt(verb: Token) -> Rejection | None:
    sentence = verb.sent
    if sentence.text.rstrip(" \"'”’)").endswith("?"):
        return Rejection.QUESTION
    at: Token = verb
    for _ in range(12):
        lowered = {child.lower_ for child in at.children if child.dep_ in ("aux", "mark", "advmod")}
        if lowered & _MODALS or lowered & HEDGES or _going(at):
            return Rejection.HYPOTHETICAL
        if at.dep_ in ("xcomp", "ccomp", "advcl", "pcomp") and (at.head.lemma_ in _OPAQUE or at.head.lower_ in HEDGES):
            return Rejection.HYPOTHETICAL
        if at.head is at or at.head.i == at.i:
            return None
        if at.dep_ not in ("conj", "xcomp", "ccomp"):
            return None
        at = at.head
    return None


def _going(verb: Token) -> bool:
    return verb.dep_ == "xcomp" and verb.head.lower_ in ("going", "about", "supposed")


def _negated(verb: Token) -> bool:
    if any(child.dep_ == "neg" or child.lower_ in ("never", "not", "n't", "nor") for child in verb.children):
        return True
    if any(
        child.lower_ in ("longer", "more") and any(c.lower_ == "no" for c in child.children) for child in verb.children
    ):
        return True
    # "I don't drink or smoke" denies both.
    either = verb.dep_ == "conj" and any(child.lower_ in ("or", "nor") for child in verb.head.children)
    return either and _negated(verb.head)


def _objects(parse: Parse, verb: Token) -> Iterator[tuple[Verb, list[Token], str | None]]:
    particle = next((child.lower_ for child in verb.children if child.dep_ == "prt"), "")
    words = [verb.lower_, particle] if particle else [verb.lower_]
    for child in verb.children:
        if child.dep_ in ("dobj", "attr") and child.pos_ in ("NOUN", "PROPN"):
            yield from _meant(parse, words, child)
        elif child.dep_ in ("prep", "agent"):
            for target in child.children:
                if target.dep_ == "pobj" and target.pos_ in ("NOUN", "PROPN"):
                    yield from _meant(parse, [*words, child.lower_], target)


def _meant(parse: Parse, words: list[str], target: Token) -> Iterator[tuple[Verb, list[Token], str | None]]:
    """Yield what a verb with its preposition says of an object and of those joined to it."""
    found = longest(words, 0)
    if found is None or found[0] != len(words) or found[1].takes in (Takes.DATE, Takes.MONEY, Takes.NAMED):
        return
    before = _determiner(target)
    for token in (target, *_joined(target)):
        thing = parse.who(token)
        phrase = _phrase(token)
        whole = phrase[-1].i - phrase[0].i < len(phrase)  # a gap is a slip of the parse: "hiking and board games"
        if thing is not None and before == "the" and found[1].takes is Takes.TASTE:
            continue  # "I love the thought, Nate"
        if thing is not None or (whole and _is_worth_saying(found[1].takes, before, phrase)):
            yield found[1], phrase, thing


def _is_worth_saying(takes: Takes, before: str, phrase: list[Token]) -> bool:
    words = [token.text for token in phrase if token.text != "-"]
    plain = all(word[0].isalnum() for word in words)
    return (
        takes in WORDED - {Takes.TOOL}
        and plain
        and not is_doing(words[0].lower())
        and is_worth_saying(takes, before, words)
    )


def _determiner(noun: Token) -> str:
    """Return what determines a noun first: "all" of "all the leaves"; "their" for whoever owns it that is not the speaker."""
    first = next((child for child in noun.children if child.dep_ in ("det", "poss", "predet")), None)
    if first is None:
        return ""
    return "their" if first.dep_ == "poss" and first.lower_ not in ("my", "our") else first.lower_


def _joined(token: Token) -> Iterator[Token]:
    for child in token.children:
        if child.dep_ == "conj" and child.pos_ in ("NOUN", "PROPN"):
            yield child
            yield from _joined(child)


def _copula(parse: Parse, verb: Token) -> Iterator[tuple[Verb, list[Token], str | None]]:
    if verb.tag_ == "VBD":
        return  # what somebody was is not what he is
    for child in verb.children:
        if child.dep_ == "attr" and child.pos_ in ("NOUN", "PROPN") and child.i not in parse.names:
            yield from _role(parse, child)
        elif child.dep_ == "prep" and child.lower_ == "from":
            yield from _from(parse, child)
        elif child.dep_ == "acomp":
            for prep in child.children:
                if prep.dep_ == "prep":
                    for target in prep.children:
                        yield from _meant(parse, [child.lower_, prep.lower_], target)


def _role(parse: Parse, noun: Token) -> Iterator[tuple[Verb, list[Token], str | None]]:
    """Yield what a noun says: "my sister", "the founder of Nokia", "a pilot from Oslo at Lufthansa"."""
    owner = next((child for child in noun.children if child.dep_ == "poss"), None)
    if owner is not None:
        kin, who = KIN.get(noun.lower_), parse.who(owner)
        if kin and who:
            yield Verb(predicate=kin.predicate, takes=Takes.PERSON), [owner, noun], who
        return
    of = next((t for p in noun.children if p.lower_ == "of" for t in p.children if t.i in parse.names), None)
    if of is not None and noun.lower_ in _ROLE_OF:
        yield Verb(predicate=_ROLE_OF[noun.lower_], takes=Takes.NAME), [noun, of], parse.names[of.i]
        return
    words = [token.lower_ for token in _phrase(noun)]
    if _determiner(noun) in ("a", "an") and _follows(noun) and is_role(words):
        yield Verb(predicate="is_a", takes=Takes.THING), _phrase(noun), None
        for child in noun.children:
            if child.lower_ == "from":
                yield from _from(parse, child)
            elif child.lower_ in ("at", "for"):
                yield from (
                    (Verb(predicate="works_at", takes=Takes.ORGANIZATION), [noun, t], parse.names[t.i])
                    for t in child.children
                    if t.i in parse.names and parse.draft.kind_of(parse.names[t.i]) is EntityKind.ORGANIZATION
                )


def _follows(noun: Token) -> bool:
    """Say whether a noun comes after what it is said of: "what a wild week" is said of nobody."""
    verb = noun.head
    return noun.dep_ != "attr" or all(child.i < verb.i < noun.i for child in verb.children if child.dep_ in _SUBJECTS)


def _from(parse: Parse, preposition: Token) -> Iterator[tuple[Verb, list[Token], str | None]]:
    for target in preposition.children:
        if target.i in parse.names:
            yield Verb(predicate="from", takes=Takes.PLACE), [target], parse.names[target.i]


def _apposition(parse: Parse, token: Token) -> None:
    """Read "Grace, a pilot from Oslo" and "my sister Grace"."""
    head = token.head
    who = parse.names.get(head.i)
    if who is not None and token.i not in parse.names and token.pos_ == "NOUN":
        for meaning, target, thing in _role(parse, token):
            if thing != who:
                _say(parse, who, meaning.predicate, target, thing, parse.span([head, token, *target]), negated=False)


def _possessive(parse: Parse, owner: Token) -> None:
    """Read "my sister Grace" and "Tom's brother Leo": the name stands beside the relative as an apposition or compound."""
    noun = owner.head
    named = [child for child in noun.children if child.dep_ == "appos" and child.i in parse.names]
    relative = KIN.get(noun.lower_)
    if relative is None and noun.i in parse.names:
        relative = next(
            (kin for child in noun.children if child.dep_ in ("compound", "nmod") and (kin := KIN.get(child.lower_))),
            None,
        )
        named = [noun]
    whose = parse.who(owner)
    if relative is None or whose is None:
        return
    for token in named:
        name = parse.names[token.i]
        if name != whose:
            _say(parse, name, relative.predicate, [owner, noun], whose, parse.span([owner, noun, token]), negated=False)


def _phrase(noun: Token) -> list[Token]:
    """Return a noun with the words that make it what it is, those before a hyphen as well: "sci-fi movies"."""
    phrase = [*(child for child in noun.children if child.dep_ in _MODIFIERS and child.i < noun.i), noun]
    first = phrase[0]
    while first.i >= 2 and first.nbor(-1).text == "-" and first.nbor(-1).idx + 1 == first.idx:
        phrase[:0] = [first.nbor(-2), first.nbor(-1)]
        first = phrase[0]
    return phrase

"""The words by which a question asks for a predicate. Knows no statement and no cue."""

from __future__ import annotations

from functools import cache
from typing import Final

from mindlog.index.analyzer import FUNCTION_TERMS, analyze

__all__ = ["predicate_terms"]

# The first word of a row is the predicate; the others ask for it without saying it. Only what is not one of its own words.
_ROWS = """
lives_in       live home house address city town country reside residence based move moved where
located_in     location place address where
works_at       work job employer company employed office workplace career
works_as       work job profession occupation career living role position title
has_age        age old
has_address    address live
has_name       name called
has_birthday   birthday born birth date age
born_on        birthday born birth date
born_in        birthplace born birth hometown
grew_up_in     childhood hometown raised
married_to     wife husband spouse married marriage partner wedding
engaged_to     fiance engaged engagement partner
dating         girlfriend boyfriend partner relationship date
scheduled_for  when date time appointment schedule
costs          price cost expensive pay
colour         color colour painted paint
moved_to       move moved live city where
moved_from     move moved from lived
joined         join joined work job company member
left           leave left quit job work company
uses           use tool software stack
switched_to    use switch
switched_from  used switch
likes          like love enjoy favourite favorite hobby hobbies interest prefer fan
dislikes       dislike hate avoid
prefers        prefer favourite favorite preference like
prefers_less   prefer preference
allergic_to    allergy allergies allergic eat avoid
follows_diet   diet eat food vegan vegetarian
speaks         language languages speak
plays          play game sport instrument
studies        study student degree subject school university major
studies_at     study school university college student
graduated_from graduate degree school university college
has_phone      phone number call telephone
has_email      email mail address
has_url        website url link site
visited        visit visited trip travel travelled vacation
bought         buy bought purchase purchased
owns           own owner
has            have own
wrote          write written author
created        create made make
leads          lead leader boss head
manages        manage manager boss
reads          read book books
"""
_WORDS: Final = {row.split()[0]: row.split()[1:] for row in _ROWS.strip().splitlines()}
_FUNCTION = frozenset(FUNCTION_TERMS)
_REMEMBERED = 4096


@cache
def _asking(name: str) -> frozenset[str]:
    return frozenset(analyze(" ".join(_WORDS.get(name, ())))) - _FUNCTION


class _Terms(dict[str, frozenset[str]]):
    def __missing__(self, name: str) -> frozenset[str]:
        if len(self) >= _REMEMBERED:
            self.clear()
        own = name.replace("_", " ").removesuffix(" of").removesuffix(" to")
        self[name] = found = (frozenset(analyze(own)) - _FUNCTION) | _asking(name)
        return found


_terms = _Terms()


def predicate_terms(name: str) -> frozenset[str]:
    """Return the terms of the predicate's own words ("sister_of") and of those that ask for it ("hometown")."""
    return _terms[name]

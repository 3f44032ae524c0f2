"""Words for how people (and their animals) belong to somebody, and the predicates they stand for. Knows no text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from mindlog.knowledge.extraction import EntityKind
from mindlog.knowledge.wordlist import wordlist

__all__ = ["KIN", "PETS", "Kin"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kin:
    """A relation word: "my <word> NAME" says (NAME, predicate, speaker)."""

    predicate: str
    inverse: str
    kind: EntityKind = EntityKind.PERSON


# predicate, inverse, the words for it
_ROWS = """
sister_of      sibling_of      sister
brother_of     sibling_of      brother
sibling_of     sibling_of      sibling twin
mother_of      child_of        mother mom mum mama mommy
father_of      child_of        father dad daddy papa
parent_of      child_of        parent
son_of         parent_of       son
daughter_of    parent_of       daughter
child_of       parent_of       child kid
wife_of        husband_of      wife
husband_of     spouse_of       husband
spouse_of      spouse_of       spouse
partner_of     partner_of      partner
girlfriend_of  partner_of      girlfriend
boyfriend_of   partner_of      boyfriend
fiance_of      fiance_of       fiancé fiancée fiance fiancee
grandmother_of grandchild_of   grandmother grandma granny nana
grandfather_of grandchild_of   grandfather grandpa
grandchild_of  grandparent_of  grandson granddaughter grandchild
aunt_of        relative_of     aunt auntie
uncle_of       relative_of     uncle
cousin_of      cousin_of       cousin
niece_of       relative_of     niece
nephew_of      relative_of     nephew
friend_of      friend_of       friend bestie buddy
neighbour_of   neighbour_of    neighbour neighbor
roommate_of    roommate_of     roommate flatmate housemate
colleague_of   colleague_of    colleague coworker co-worker teammate
boss_of        reports_to      boss supervisor
manager_of     reports_to      manager
mentor_of      mentored_by     mentor
coach_of       coached_by      coach trainer
teacher_of     taught_by       teacher tutor professor
student_of     teacher_of      student
doctor_of      patient_of      doctor physician gp
dentist_of     patient_of      dentist
therapist_of   patient_of      therapist
landlord_of    tenant_of       landlord landlady
assistant_of   assisted_by     assistant
"""
PETS: Final = wordlist("dog cat puppy kitten horse parrot rabbit hamster pony tortoise")
"""Animals that belong to somebody as relatives do."""


def _table() -> dict[str, Kin]:
    table = {
        word: Kin(predicate=row[0], inverse=row[1])
        for row in map(str.split, _ROWS.strip().splitlines())
        for word in row[2:]
    }
    pet = Kin(predicate="pet_of", inverse="has_pet", kind=EntityKind.OTHER)
    return table | dict.fromkeys(PETS, pet)


KIN: Final = _table()
"""By the English word, lower case, singular."""

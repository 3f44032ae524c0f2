from __future__ import annotations

import pytest

from mindlog.knowledge.places.gazetteer import Gazetteer
from mindlog.knowledge.places.spotting import place_names

QUESTIONS = [
    ("What happened near Paris?", ["Paris"]),
    ("What happened in Paris last May?", ["Paris"]),
    ("Which meetings were in New York City in May?", ["New York City"]),
    ("How is Rio de Janeiro in July?", ["Rio de Janeiro"]),
    ("Who lives within 50 km of Munich?", ["Munich"]),
    ("Tell me about Ada's trip to Berlin.", ["Berlin"]),
    ("Compare Paris, London and Rome.", ["Paris", "London", "Rome"]),
    ("What did Berlin's mayor say?", ["Berlin"]),
    ("Any news from the UK, France or the US?", ["UK", "France", "US"]),
    ("Where is Paris, Texas?", ["Paris"]),
    ("What happened in Saint-Denis?", ["Saint-Denis"]),
    ("Was passierte in München und bei Köln?", ["München", "Köln"]),
    ("Qu'est-ce qui s'est passé à Lyon ?", ["Lyon"]),
    ("東京で何がありましたか", ["東京"]),
    ("서울에서 무슨 일이 있었나요", ["서울"]),
    ("Где находится Москва?", ["Москва"]),
    ("what happened near paris?", ["paris"]),
    ("anything around san francisco", ["san francisco"]),
    ("I went to Victoria yesterday", ["Victoria"]),
    ("I met Victoria yesterday", []),
    ("What did Paris Hilton say?", []),
    ("Who works at Oxford University?", []),
    ("Did Nokia sell to Microsoft?", []),
    ("What did I read in March?", []),
    ("Who is Will?", []),
    ("What should us do in general?", []),
    ("is it in nice weather", []),
    ("", []),
]


@pytest.mark.parametrize(("text", "names"), QUESTIONS)
def test_a_question_names_its_places(gazetteer: Gazetteer, text: str, names: list[str]) -> None:
    assert [span.of(text) for span in place_names(text, gazetteer)] == names

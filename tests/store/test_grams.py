"""Spellings as pieces: any script, any length, alike keys share many."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from mindlog.store.grams import jaccard, search_tokens, tokens, trigrams


@given(st.text(min_size=1, max_size=300), st.integers(1, 999))
def test_every_key_has_pieces_that_are_plain_words_of_its_dataset(key: str, dataset: int) -> None:
    found = tokens(dataset, key)
    assert len(set(found)) == len(found) >= 1
    assert all(re.fullmatch(rf"{dataset}x[0-9a-f]+", token) for token in found)
    assert set(search_tokens(dataset, key)) <= set(found)
    assert 1 <= len(search_tokens(dataset, key)) <= 32


@given(st.text(min_size=1, max_size=40), st.text(min_size=1, max_size=40))
def test_likeness_is_a_share_and_the_same_both_ways(one: str, other: str) -> None:
    share = jaccard(trigrams(one), trigrams(other))
    assert 0 <= share <= 1
    assert share == jaccard(trigrams(other), trigrams(one))
    assert jaccard(trigrams(one), trigrams(one)) == 1


def test_one_letter_more_or_less_leaves_names_alike() -> None:
    for one, other in (("anna", "ana"), ("каренина", "карелина"), ("李明", "李明明"), ("o", "o")):
        assert jaccard(trigrams(one), trigrams(other)) >= 0.28
    assert jaccard(trigrams("anna"), trigrams("bert")) == 0
    assert set(tokens(1, "anna")).isdisjoint(tokens(2, "anna"))

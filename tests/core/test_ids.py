"""Ids: what is given out is read back, what was mistyped in Crockford's manner too, and anything else is refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindlog.errors import InvalidInput
from mindlog.ids import MAX_SHARD, MAX_SLOT, MAX_VERSION, MemoryId, new_id

identities = st.builds(MemoryId, st.integers(0, MAX_SHARD), st.integers(0, MAX_SLOT), st.integers(0, MAX_VERSION))


@given(identities)
def test_an_id_is_read_back_from_its_text(identity: MemoryId) -> None:
    text = str(identity)
    assert len(text) == 30
    assert MemoryId.parse(text) == identity
    assert MemoryId.parse("mem_" + text[4:].lower().replace("0", "o").replace("1", "l")) == identity


@given(identities, identities)
def test_text_forms_sort_as_the_ids_do(first: MemoryId, second: MemoryId) -> None:
    assert (str(first) < str(second)) is (first < second)


@given(st.text(max_size=40))
def test_any_other_text_is_refused_with_its_field(text: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        MemoryId.parse(text)
    assert refusal.value.field == "memory_id"
    assert refusal.value.detail.isprintable()


@pytest.mark.parametrize(
    "bad",
    ["", "mem_", "mem_" + "0" * 25, "mem_" + "0" * 27, "mem_" + "U" * 26, "mem_" + "0" * 25 + "1", "mem_8" + "0" * 25,
     "key_" + "0" * 26, " mem_" + "0" * 26, "mem_" + "0" * 26 + "\n", "mem_" + "٠" * 26, 7, None, b"mem_"],
)  # fmt: skip
def test_near_misses_are_refused(bad: Any) -> None:
    with pytest.raises(InvalidInput) as refusal:
        MemoryId.parse(bad, "explain_ids")
    assert refusal.value.field == "explain_ids"


@pytest.mark.parametrize("parts", [(-1, 0, 0), (MAX_SHARD + 1, 0, 0), (0, MAX_SLOT + 1, 0), (0, 0, MAX_VERSION + 1)])
def test_parts_outside_their_bits_are_refused(parts: tuple[int, int, int]) -> None:
    with pytest.raises(InvalidInput):
        MemoryId(*parts)


def test_other_ids_are_a_prefix_and_never_the_same() -> None:
    made = [new_id("fgt") for _ in range(1000)]
    assert len(set(made)) == 1000
    assert all(len(each) == 30 and each.startswith("fgt_") for each in made)

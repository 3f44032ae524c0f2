"""The lexical terms of a memory, as people who inspect it see them."""

from __future__ import annotations

from pathlib import Path

from mindlog.index.analyzer import analyze
from tests.derive.made import world


async def test_the_terms_are_those_of_the_index_in_order_each_once_with_the_speaker(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        memory = await here.keep("The lamp, the lamps: and 東京タワー!", agent="Ruth")
        await here.derive()
        terms = here.store.terms(memory.slot)
        assert terms == tuple(dict.fromkeys(analyze("Ruth: The lamp, the lamps: and 東京タワー!")))
        assert terms[0] == "ruth"
        assert here.output(memory, "memory_text")["terms"] == len(terms)


async def test_a_long_text_has_all_its_terms(tmp_path: Path) -> None:
    words = [f"word{n}" for n in range(4000)]
    async with world(tmp_path) as here:
        memory = await here.keep(" ".join(words))
        await here.derive()
        terms = here.store.terms(memory.slot)
        assert set(words) <= set(terms)
        await here.again(memory, ["memory_text"])
        assert here.store.terms(memory.slot) == terms

"""A memory is read to models and indexes with its speaker, and stored without."""

from __future__ import annotations

from mindlog.spoken import spoken


def test_the_speaker_stands_before_the_text() -> None:
    assert spoken("Ruth", "I like tea") == "Ruth: I like tea"
    assert spoken(None, "I like tea") == "I like tea"

"""Make `src/mindlog/index/han_variants.txt` from a folder of OpenCC dictionaries (Apache-2.0).

Usage: python scripts/make_han_variants.py OPENCC/dictionary src/mindlog/index/han_variants.txt
"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path

HEADER = """\
# Han characters that are one character to a searcher: the form kept, a tab, the forms folded to it.
# Made by scripts/make_han_variants.py from the OpenCC dictionaries TSCharacters, JPVariants, HKVariants and
# TWVariants (Copyright BYVoid and the OpenCC contributors, Apache License 2.0).
"""


def pairs(path: Path) -> list[tuple[str, str]]:
    """Return the (character, first counterpart) lines of one dictionary; those of several characters are left out."""
    lines = [line.split() for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    return [(left, right) for left, right, *_ in lines if len(left) == len(right) == 1 and left != right]


def folding(source: Path) -> dict[str, str]:
    """Map every variant to its simplified form; regional forms go by way of their traditional one."""
    table = dict(pairs(source / "TSCharacters.txt"))
    kept = set(table.values())
    for name in ("JPVariants.txt", "HKVariants.txt", "TWVariants.txt"):
        for traditional, regional in pairs(source / name):
            if regional not in table and regional not in kept:
                table[regional] = traditional
    return {variant: settle(table, variant) for variant in table}


def settle(table: dict[str, str], character: str) -> str:
    """Follow the table until nothing changes."""
    seen: set[str] = set()
    while character in table and character not in seen:
        seen.add(character)
        character = table[character]
    return character


def main() -> None:
    """Write the table."""
    source, target = Path(sys.argv[1]), Path(sys.argv[2])
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for variant, kept in sorted(folding(source).items()):
        if variant != kept:
            groups[kept].append(variant)
    body = "".join(f"{kept}\t{''.join(variants)}\n" for kept, variants in sorted(groups.items()))
    target.write_text(HEADER + body, encoding="utf-8")


if __name__ == "__main__":
    main()

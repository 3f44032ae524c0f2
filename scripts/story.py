"""Runs the code of docs/story.md and writes below each block what it printed: `story.py`, or `story.py --check` to compare."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent / "docs" / "story.md"
PAIR = re.compile(r"^```python\n(?P<code>.*?)^```\n\n^```text\n(?P<printed>.*?)^```", re.MULTILINE | re.DOTALL)
BETWEEN = "---- end of a block ----"
# What differs from one run to the next, and says nothing.
CHANGES = re.compile(r"\b(mem|stm|ent|enc|inf)_[0-9A-Z]+|\b\d{4}-\d\d-\d\dT[0-9:.]+Z")


def run(blocks: list[str]) -> list[str]:
    """Run the blocks as one program in an empty directory; return what each one printed."""
    program = "".join(f"{block}\nprint({BETWEEN!r})\n" for block in blocks)
    with tempfile.TemporaryDirectory() as place:
        done = subprocess.run([sys.executable, "-c", program], cwd=place, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"the story does not run:\n{done.stderr[-3000:]}")
    return done.stdout.split(f"{BETWEEN}\n")[:-1]


def main() -> int:
    """Write the page, or with --check print where it differs."""
    page = PAGE.read_text(encoding="utf-8")
    pairs = list(PAIR.finditer(page))
    printed = run([pair["code"] for pair in pairs])
    if "--check" not in sys.argv:
        outputs = iter(printed)
        PAGE.write_text(PAIR.sub(lambda pair: _pair(pair["code"], next(outputs)), page), encoding="utf-8")
        return 0
    wrong = [
        (pair["printed"], now)
        for pair, now in zip(pairs, printed, strict=True)
        if _masked(pair["printed"]) != _masked(now)
    ]
    for page_says, now in wrong:
        print(f"docs/story.md says:\n{page_says}\nand the code prints:\n{now}")
    return 1 if wrong else 0


def _pair(code: str, printed: str) -> str:
    return f"```python\n{code}```\n\n```text\n{printed}```"


def _masked(text: str) -> str:
    return CHANGES.sub("#", text)


if __name__ == "__main__":
    sys.exit(main())

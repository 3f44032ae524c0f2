"""The documents are true: their examples run, their generated pages are what the code says, their links lead somewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from mindlog.models.catalog import DEFAULT_FOLDER

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    [ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "demo").glob("*.md")]
)
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
STORY = "story.md"  # its blocks are one program: test_the_story_...
LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)")


def examples() -> list[tuple[str, str]]:
    found = []
    for page in (page for page in PAGES if page.name != STORY):
        blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
        found += [(f"{page.name}-{number}", code) for number, code in enumerate(blocks) if "import mindlog" in code]
    return found


@pytest.mark.skipif(not (DEFAULT_FOLDER / "model.onnx").exists(), reason="the default model is not built (make model)")
@pytest.mark.parametrize("code", [pytest.param(code, id=name) for name, code in examples()])
def test_every_example_runs_offline(code: str, tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]


def test_there_are_examples() -> None:
    assert len(examples()) >= 3


def test_the_readme_example_finds_what_it_says(tmp_path: Path) -> None:
    if not (DEFAULT_FOLDER / "model.onnx").exists():
        pytest.skip("the default model is not built (make model)")
    code = BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8"))[0]
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    first, *_, last = done.stdout.splitlines()
    assert "Lisbon" in first
    assert "ERR-7F3A-99" in last


@pytest.mark.skipif(not (DEFAULT_FOLDER / "model.onnx").exists(), reason="the default model is not built (make model)")
def test_the_story_runs_and_prints_what_its_page_shows() -> None:
    done = subprocess.run(
        [sys.executable, "scripts/story.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_block_of_the_story_shows_what_it_prints() -> None:
    page = (ROOT / "docs" / STORY).read_text(encoding="utf-8")
    assert len(BLOCK.findall(page)) == len(re.findall(r"^```text\n.+?^```", page, re.MULTILINE | re.DOTALL)) >= 8


def test_generated_pages_are_what_the_code_says() -> None:
    done = subprocess.run(
        [sys.executable, "scripts/docs.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    missing = [link for link in LINK.findall(page.read_text(encoding="utf-8")) if not (page.parent / link).exists()]
    assert not missing

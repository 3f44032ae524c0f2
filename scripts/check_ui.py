"""Whether the committed admin UI is what its source makes: types, built files byte for byte, and the size of a first visit."""

from __future__ import annotations

import filecmp
import gzip
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parent.parent
UI = ROOT / "admin_ui"
STATIC = ROOT / "src/mindlog/api/static"
LARGEST_FIRST_LOAD = 60_000  # bytes, packed
FIRST_VIEW = "assets/overview.js"

_LINKED = re.compile(r'(?:src|href)="/admin/([^"]+)"')
_IMPORTED = re.compile(r'(?:\bfrom|\bimport)\s*"\./([^"]+)"')


def main() -> None:
    """Print what differs and the size; exit 1 if anything does or the size is over the limit."""
    with tempfile.TemporaryDirectory() as folder:
        faults = [*_types(Path(folder)), *_build(Path(folder) / "static")]
    size = first_load(STATIC)
    print(f"first load: {size:,} of {LARGEST_FIRST_LOAD:,} bytes, packed")
    if size > LARGEST_FIRST_LOAD:
        faults.append("the first load is too large")
    for fault in faults:
        print(f"{fault}; run `make ui`", file=sys.stderr)
    sys.exit(1 if faults else 0)


def _types(folder: Path) -> Iterable[str]:
    document, schema = folder / "openapi.json", folder / "schema.ts"
    subprocess.run([sys.executable, ROOT / "scripts/openapi.py", document], check=True)
    if document.read_bytes() != (UI / "openapi.json").read_bytes():
        yield "admin_ui/openapi.json is not the document of this API"
    # From the committed document, so that one fault is told once.
    _npx("openapi-typescript", "openapi.json", "-o", str(schema))
    if schema.read_bytes() != (UI / "src/api/schema.ts").read_bytes():
        yield "admin_ui/src/api/schema.ts is not made of admin_ui/openapi.json"


def _build(folder: Path) -> Iterable[str]:
    _npx("vite", "build", "--outDir", str(folder), "--emptyOutDir", "--logLevel", "warn")
    made, kept = _files(folder), _files(STATIC)
    for name in sorted(made | kept):
        if name not in made or name not in kept or not filecmp.cmp(folder / name, STATIC / name, shallow=False):
            yield f"src/mindlog/api/static/{name} is not what the source makes"


def first_load(folder: Path) -> int:
    """Return how many bytes a browser without a cache is sent for the page and its first view."""
    page = (folder / "index.html").read_text(encoding="utf-8")
    needed, waiting = {"index.html"}, [*_LINKED.findall(page), FIRST_VIEW]
    while waiting:
        name = waiting.pop()
        if name not in needed:
            needed.add(name)
            waiting += [f"assets/{found}" for found in _imports(folder / name)]
    return sum(len(gzip.compress((folder / name).read_bytes(), 9)) for name in needed)


def _imports(path: Path) -> list[str]:
    return _IMPORTED.findall(path.read_text(encoding="utf-8")) if path.suffix == ".js" else []


def _files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def _npx(*words: str) -> None:
    subprocess.run(["npx", "--no-install", *words], cwd=UI, check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()

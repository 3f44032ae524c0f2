"""The pages of the admin UI: the files that its build left in this package, and nothing beside them."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from fastapi import APIRouter, Request
from starlette.responses import Response

from mindlog.errors import NotFound

__all__ = ["router"]

router = APIRouter(include_in_schema=False)

FOLDER = Path(__file__).parent / "static"

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; "
    "font-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    # Names stay the same from build to build, so a browser asks each time whether it still has the newest.
    "Cache-Control": "no-cache",
    "Vary": "Accept-Encoding",
}
# Not what the machine thinks of a suffix: that differs, and a script of a wrong type is not run.
_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
_PAGE = "index.html"
_ASSETS = "assets/"


@dataclass(frozen=True, slots=True)
class _File:
    """A file as it is sent. `tag` names its content."""

    kind: str
    tag: str
    plain: bytes
    packed: bytes


@router.api_route("/admin", methods=["GET", "HEAD"])
@router.api_route("/admin/{path:path}", methods=["GET", "HEAD"])
async def page(request: Request, path: str = "") -> Response:
    """The file of a path, or the page whose script shows the view of that path. Raises `NotFound`."""
    file = await asyncio.to_thread(_file, FOLDER, path)
    is_packed = "gzip" in request.headers.get("accept-encoding", "")
    tag = f'"{file.tag}{"-gzip" if is_packed else ""}"'
    headers = _HEADERS | {"ETag": tag}
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    if is_packed:
        headers["Content-Encoding"] = "gzip"
    return Response(file.packed if is_packed else file.plain, media_type=file.kind, headers=headers)


def _file(folder: Path, path: str) -> _File:
    # Looked up among the files that are there, never joined: no path leads out of the folder.
    files = {each.relative_to(folder).as_posix(): each for each in folder.rglob("*") if _is_ours(each)}
    name = path if path in files or path.startswith(_ASSETS) else _PAGE
    found = files.get(name)
    if found is None:
        what = "there is no such file" if files else "the admin UI is not built here; `make ui` builds it"
        raise NotFound(f"path: {what}", field="path")
    facts = found.stat()
    return _read(found, facts.st_mtime_ns, facts.st_size)


def _is_ours(path: Path) -> bool:
    return path.suffix in _TYPES and path.is_file() and not path.is_symlink()


@lru_cache(maxsize=256)  # by time and size too, so that a new build is seen
def _read(path: Path, _changed: int, _size: int) -> _File:
    content = path.read_bytes()
    tag = hashlib.sha256(content).hexdigest()[:32]
    return _File(_TYPES[path.suffix], tag, content, gzip.compress(content, 9, mtime=0))

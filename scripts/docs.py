"""Writes the reference pages that are made from tables in the code: `docs.py`, or `docs.py --check` to compare only."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from pydantic.fields import FieldInfo

from mindlog import errors
from mindlog.runs.eventtypes import EVENT_TYPES
from mindlog.settings import Settings
from mindlog.store.stages import DERIVE_STAGES, ENCODE_STAGES, QUERY_STAGES, REMEMBER_STAGES, StageInfo

REFERENCE = Path(__file__).resolve().parent.parent / "docs" / "reference"
NOTE = "<!-- Made by scripts/docs.py from the code; do not edit. -->\n\n"


def settings_page() -> str:
    """Every setting: variable, type, default, help."""
    rows = [
        f"| `MINDLOG_{name.upper()}` | {_type(field)} | {_default(field)} | {field.description} |"
        for name, field in Settings.model_fields.items()
    ]
    head = (
        "# Settings\n\nEach is an environment variable, a key of `mindlog.toml` (lower case, without the prefix), or a "
        "keyword of `mindlog.open`.\n\n| variable | type | default | what it does |\n|---|---|---|---|\n"
    )
    return NOTE + head + "\n".join(rows) + "\n"


def _type(field: FieldInfo) -> str:
    return _named(field.annotation)


def _named(annotation: Any) -> str:
    """Return a type in words: `list of str`, `str to int`, `str or int`, the values of a Literal."""
    kind, arguments = get_origin(annotation), get_args(annotation)
    if kind is None:
        return getattr(annotation, "__name__", str(annotation))
    if kind is Literal:
        return " or ".join(map(str, arguments))
    if kind is dict:
        return " to ".join(map(_named, arguments))
    names = " or ".join(_named(each) for each in arguments if each is not NoneType)
    return names if kind in (Union, UnionType) else f"{kind.__name__} of {names}"


def _default(field: FieldInfo) -> str:
    if field.default in (None, ""):
        return "unset" if field.default is None else "empty"
    return f"`{field.default}`"


def errors_page() -> str:
    """Every error: class, code, status, whether a retry may help, meaning."""
    rows = [
        f"| `{kind.__name__}` | `{kind.code}` | {kind.status} | {'yes' if kind.retryable else 'no'} | {kind.__doc__} |"
        for kind in _tree(errors.MindlogError)
    ]
    head = (
        "# Errors\n\nOver HTTP each is an RFC 9457 problem with `code`, `detail`, `request_id` and `retryable`, and `field` "
        "where one value is at fault.\n\n| class | code | HTTP | retryable | meaning |\n|---|---|---|---|---|\n"
    )
    return NOTE + head + "\n".join(rows) + "\n"


def _tree(kind: type[errors.MindlogError]) -> Iterator[type[errors.MindlogError]]:
    yield kind
    for child in kind.__subclasses__():
        yield from _tree(child)


def stages_page() -> str:
    """Every stage of every operation."""
    tables = {"encode": ENCODE_STAGES, "derive": DERIVE_STAGES, "remember": REMEMBER_STAGES, "query": QUERY_STAGES}
    return NOTE + "# Stages\n\n" + "\n".join(_stages(*each) for each in tables.items())


def _stages(operation: str, stages: tuple[StageInfo, ...]) -> str:
    rows = "\n".join(f"| `{stage.name}` | {stage.does} |" for stage in stages)
    return f"## {operation}\n\n| stage | does |\n|---|---|\n{rows}\n"


def events_page() -> str:
    """Every type of event that `subscribe` tells of."""
    rows = "\n".join(f"| `{name}` | {tells} |" for name, tells in EVENT_TYPES.items())
    head = (
        "# Events\n\nWhat `subscribe`, `GET /v1/subscribe` and `mindlog watch` tell of, in the order of the log. Each event has "
        "`lsn`, `at`, `type`, `dataset`, `memory_id`, `session` and `kind` where it is about a memory, and `data`.\n\n"
        "| type | what it tells |\n|---|---|\n"
    )
    return NOTE + head + rows + "\n"


PAGES = {"settings.md": settings_page, "errors.md": errors_page, "stages.md": stages_page, "events.md": events_page}


def main() -> int:
    """Write the pages, or with --check say which differ."""
    stale = []
    REFERENCE.mkdir(parents=True, exist_ok=True)
    for name, make in PAGES.items():
        path, text = REFERENCE / name, make()
        if "--check" in sys.argv:
            stale += [] if path.exists() and path.read_text(encoding="utf-8") == text else [name]
        else:
            path.write_text(text, encoding="utf-8")
    for name in stale:
        print(f"docs/reference/{name} is not what the code says; run `make docs`")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())

"""The page that shows the API: plain HTML made from its description, with no script and nothing from another address."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from html import escape
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse

from mindlog.api.openapi import operations
from mindlog.api.problems import catalogue

__all__ = ["docs_page", "router"]

router = APIRouter(include_in_schema=False)

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
_STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
code, pre { font: .875rem/1.45 ui-monospace, monospace }
pre { overflow: auto; padding: .75rem; background: color-mix(in srgb, currentColor 7%, transparent); border-radius: .4rem }
details { border: 1px solid color-mix(in srgb, currentColor 20%, transparent); border-radius: .4rem; margin: .5rem 0; padding: .5rem .75rem }
summary { cursor: pointer }
summary b { display: inline-block; min-width: 4rem }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid color-mix(in srgb, currentColor 15%, transparent) }
"""


@router.get("/docs")
async def docs(request: Request) -> HTMLResponse:
    """The page."""
    return HTMLResponse(docs_page(request.app.openapi()), headers={"Content-Security-Policy": _POLICY})


def docs_page(document: dict[str, Any]) -> str:
    """Return the page for an OpenAPI document."""
    title = escape(f"{document['info']['title']} {document['info']['version']}")
    parts = [
        f"<!doctype html><html lang=en><meta charset=utf-8><title>{title}</title>",
        f"<meta name=viewport content='width=device-width'><style>{_STYLE}</style><h1>{title}</h1>",
        f"<p>{_prose(document['info']['description'])}</p>",
        "<p>The same for machines: <a href=/openapi.json>openapi.json</a>.</p><h2>Operations</h2>",
        *(_operation(path, method, operation) for path, method, operation in operations(document)),
        "<h2>Bodies</h2>",
        *(_schema(name, schema) for name, schema in document["components"]["schemas"].items()),
        "<h2>Errors</h2>",
        _table(("code", "status", "meaning"), _errors()),
        "</html>",
    ]
    return "\n".join(parts)


def _operation(path: str, method: str, operation: dict[str, Any]) -> str:
    shown = f"<summary><b>{method.upper()}</b> <code>{escape(path)}</code> {escape(operation['summary'])}</summary>"
    parameters = [
        (parameter["name"], parameter["in"], _prose(parameter.get("description", "")))
        for parameter in operation.get("parameters", ())
    ]
    responses = [
        (status, _content(response), _prose(response["description"]))
        for status, response in operation["responses"].items()
    ]
    body = _content(operation.get("requestBody", {}))
    return "".join(
        [
            f"<details>{shown}<p>{_prose(operation.get('description', ''))}</p>",
            f"<p>Body: {body}</p>" if body else "",
            _table(("parameter", "in", "meaning"), parameters) if parameters else "",
            _table(("status", "body", "meaning"), responses),
            "</details>",
        ]
    )


def _schema(name: str, schema: dict[str, Any]) -> str:
    required = schema.get("required", ())
    fields = [
        (
            f"<code>{escape(field)}</code>",
            _type(facts),
            "yes" if field in required else "",
            _prose(facts.get("description", "")),
        )
        for field, facts in schema.get("properties", {}).items()
    ]
    return (
        f"<details id='{escape(name)}'><summary><code>{escape(name)}</code> {_prose(schema.get('description', ''))}</summary>"
        f"{_table(('field', 'type', 'required', 'meaning'), fields)}</details>"
    )


def _errors() -> Iterator[tuple[str, ...]]:
    for kind in catalogue():
        yield _error(kind.code, kind.status, (kind.__doc__ or "").strip())
    yield _error("method_not_allowed", 405, "This address knows other methods; the header Allow names them.")


def _error(code: str, status: int, meaning: str) -> tuple[str, ...]:
    return f"<code id='{code}'>{code}</code>", str(status), escape(meaning)


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    header = "".join(f"<th>{title}" for title in head)
    return f"<table><tr>{header}{''.join('<tr>' + ''.join(f'<td>{cell}' for cell in row) for row in rows)}</table>"


def _content(holder: dict[str, Any]) -> str:
    return ", ".join(_type(media.get("schema", {})) or kind for kind, media in holder.get("content", {}).items())


def _type(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        name = escape(schema["$ref"].rsplit("/", 1)[1])
        return f"<a href='#{name}'>{name}</a>"
    if choices := schema.get("anyOf") or schema.get("oneOf"):
        return " or ".join(_type(choice) for choice in choices)
    if "enum" in schema:
        return " | ".join(escape(json.dumps(value)) for value in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {})) or 'anything'}"
    return escape(str(schema.get("format") or schema.get("type") or json.dumps(schema.get("const", ""))))


def _prose(text: str) -> str:
    pieces = escape(text).split("`")
    return "".join(f"<code>{piece}</code>" if at % 2 else piece for at, piece in enumerate(pieces))

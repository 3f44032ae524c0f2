"""Bodies that may bring a file: JSON, or a form whose one file part is taken in as it comes.

Owns how a form is read: each field once, JSON-valued ones as JSON text, the file spooled to disk beyond a megabyte. A file's
name is only a name: nothing is ever opened by it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from fastapi import Request
from pydantic import ValidationError
from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser

from mindlog.api.problems import as_invalid_input
from mindlog.api.route import json_of
from mindlog.api.schemas import Body
from mindlog.api.strict_json import parse_json_text
from mindlog.errors import DocumentTooLarge, InvalidInput, MindlogError, TooLarge

if TYPE_CHECKING:
    from mindlog.settings import Settings

__all__ = ["FORM_BYTES", "Form", "Room", "is_form", "read_upload", "request_body", "rooms"]

FORM_BYTES = 256 << 10
"""What a form may hold beside its file, and of that the most that one field may."""

_MOST_FIELDS = 64
_MAX_NAME = 64
_FORM = "multipart/form-data"
_UNKNOWN_TYPE = "application/octet-stream"
_FLAGS = {"true": True, "false": False}

JsonBody = TypeVar("JsonBody", bound=Body)
FormBody = TypeVar("FormBody", bound="Form")


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """How large a body may be: `limit` bytes of what `field` names, with `beside` bytes around it. error: raised beyond."""

    field: str
    limit: int
    beside: int = 0
    error: type[MindlogError] = TooLarge

    def check(self, size: int) -> None:
        """Refuse a body that is larger."""
        if size > self.limit + self.beside:
            raise self.over()

    def over(self) -> MindlogError:
        """Return the error for what is larger."""
        detail = f"{self.field}: larger than the limit of {self.limit} bytes"
        return self.error(detail, field=self.field, limit=self.limit)


def rooms(settings: Settings) -> dict[str, Room]:
    """Return by path what a form with a file may hold there."""
    return {
        "/v1/remember": Room(
            field="document", limit=settings.max_document_bytes, beside=FORM_BYTES, error=DocumentTooLarge
        ),
        "/v1/images": Room(field="image", limit=settings.max_image_bytes, beside=FORM_BYTES),
    }


class Form(Body):
    """A form with one file. part: the file's field; json_fields, flags: fields that are JSON text, and `true` or `false`."""

    part: ClassVar[str]
    json_fields: ClassVar[frozenset[str]] = frozenset({"metadata"})
    flags: ClassVar[frozenset[str]] = frozenset()


def is_form(content_type: str) -> bool:
    """Whether a body of that type is a form with files."""
    return content_type.partition(";")[0].strip().lower() == _FORM


async def read_upload(request: Request, body: type[JsonBody], form: type[FormBody]) -> JsonBody | FormBody:
    """Return the request's body as one of the two. Raises `InvalidInput`, and the error of its path's `Room`."""
    if not is_form(request.headers.get("content-type", "")):
        return _checked(body, await json_of(request))
    return _checked(form, await _form_of(request, form))


def request_body(body: type[Body], form: type[Form]) -> dict[str, Any]:
    """Return the OpenAPI entry of a route that reads either."""
    content = {
        "application/json": {"schema": {"$ref": f"#/components/schemas/{body.__name__}"}},
        _FORM: {
            "schema": {"$ref": f"#/components/schemas/{form.__name__}"},
            "encoding": {name: {"contentType": "application/json"} for name in sorted(form.json_fields)},
        },
    }
    return {"requestBody": {"required": True, "content": content}}


async def _form_of(request: Request, form: type[Form]) -> dict[str, Any]:
    room: Room = request.app.state.rooms[request.scope["path"]]
    parser = MultiPartParser(
        request.headers, request.stream(), max_files=1, max_fields=_MOST_FIELDS, max_part_size=FORM_BYTES
    )
    try:
        parts = await parser.parse()
    except MultiPartException as exc:
        raise InvalidInput(f"body: not a form that can be read: {exc.message}", field="body") from exc
    try:
        values: dict[str, Any] = {}
        for name, value in parts.multi_items():
            field = name[:_MAX_NAME]
            if name in values:
                raise InvalidInput(f"{field}: given more than once", field=field)
            values[name] = await _file(value, room) if isinstance(value, UploadFile) else value
        return _read_fields(values, form, parts.get(form.part))
    finally:
        await parts.close()


async def _file(file: UploadFile, room: Room) -> bytes:
    if (file.size or 0) > room.limit:
        raise room.over()
    return await file.read()


def _read_fields(values: dict[str, Any], form: type[Form], file: UploadFile | str | None) -> dict[str, Any]:
    for name, value in values.items():
        if isinstance(value, bytes) != (name == form.part):
            wanted = "a file" if name == form.part else "no file"
            raise InvalidInput(f"{name[:_MAX_NAME]}: must be {wanted}", field=name[:_MAX_NAME])
    if isinstance(file, UploadFile):
        # What is said of the file in fields of their own goes before; these can hold any name.
        values.setdefault("name", file.filename or None)
        if "content_type" in form.model_fields:
            values.setdefault("content_type", _type_of(file))
    for name in form.json_fields & values.keys():
        values[name] = parse_json_text(values[name], name)
    for name in form.flags & values.keys():
        values[name] = _FLAGS.get(values[name], values[name])
    return values


def _type_of(file: UploadFile) -> str | None:
    # What clients say who do not know.
    return None if file.content_type in (None, "", _UNKNOWN_TYPE) else file.content_type


def _checked(model: type[Any], value: Any) -> Any:
    try:
        return model.model_validate(value)
    except ValidationError as exc:
        faults = exc.errors(include_url=False, include_input=False)
        raise as_invalid_input([fault | {"loc": ("body", *fault["loc"])} for fault in faults]) from exc

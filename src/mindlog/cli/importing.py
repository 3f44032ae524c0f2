"""`mindlog import`: the texts of a JSONL file, in batches, an outcome for every line.

Owns the file's form (one object a line: encode's options) and the request ids that make a second run harmless.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO

from blake3 import blake3

from mindlog import verbs
from mindlog.cli.output import print_json, print_line, warn
from mindlog.cli.progress import Step, progress
from mindlog.cli.selection import piped_in
from mindlog.cli.target import DEFAULT, Target
from mindlog.errors import InvalidInput, MindlogError
from mindlog.records import EncodeRequest, EncodeResult

__all__ = ["import_"]

_BATCH = 500
_BATCH_BYTES = 8 << 20
_SPACE = b" \t\r\n"


@dataclass(slots=True)
class _Tally:
    """What became of the lines."""

    created: int = 0
    already_there: int = 0
    failed: int = 0


@dataclass(slots=True, kw_only=True)
class _Line:
    """A line that can be asked for."""

    number: int
    size: int
    request: EncodeRequest


@dataclass(slots=True)
class _Reader:
    """Turns lines into requests. Counts equal lines, so that each of them has a request id of its own."""

    dataset: str
    seen: Counter[bytes] = field(default_factory=Counter[bytes])

    def read(self, number: int, raw: bytes) -> _Line | MindlogError:
        """Return the line as a request, or what is wrong with it."""
        try:
            values = json.loads(raw)
            if not isinstance(values, dict):
                raise InvalidInput("must be an object with a text")
            request = verbs.item({"dataset": self.dataset, **values}, "line")
        except UnicodeDecodeError as exc:
            return InvalidInput(f"not UTF-8 at byte {exc.start}")
        except ValueError as exc:
            return InvalidInput(f"not JSON: {exc}")
        except RecursionError:
            return InvalidInput("nested too deeply")
        except MindlogError as exc:
            return exc
        if request.request_id is None:
            request = replace(request, request_id=self._request_id(raw))
        return _Line(number=number, size=len(raw), request=request)

    def _request_id(self, raw: bytes) -> str:
        # From what the line says, not where it stands: lines may be added to the file between two runs.
        digest = blake3(self.dataset.encode("utf-8", "surrogatepass") + b"\0" + raw.strip(_SPACE)).digest(16)
        self.seen[digest] += 1
        return f"import-{digest.hex()}-{self.seen[digest]}"


def import_(file: Path | None = None, /, *, dataset: str = "default", target: Target = DEFAULT) -> int:
    """Keep the texts of a JSONL file: one object a line, with `text` and any of encode's options.

    Every line that fails is named on stderr and the others are kept. Run it again after an interruption or a
    correction: lines that were kept are recognised for 24 hours by their request ids, and after that by their text.

    Args:
        file: The file; standard input if it is missing.
        dataset: The collection for lines that name none (`default` if missing).
        target: Where to work, and the form of the output.
    """
    tally = _Tally()
    with _opened(file) as (lines, size), target.connect() as db, progress("import", size) as step:
        for batch in _batches(_requests(lines, _Reader(dataset), tally, step)):
            _count(batch, db.encode_batch([line.request for line in batch]), tally, step)
    if target.json:
        print_json({"created": tally.created, "already_there": tally.already_there, "failed": tally.failed})
    else:
        print_line(f"{tally.created} kept, {tally.already_there} already there, {tally.failed} failed")
    return 1 if tally.failed else 0


@contextmanager
def _opened(file: Path | None) -> Generator[tuple[BinaryIO, int | None]]:
    if file is None:
        yield piped_in("file"), None
        return
    try:
        opened = file.open("rb")
    except OSError as exc:
        raise InvalidInput(f"file: {file}: {exc.strerror}", field="file") from exc
    with opened:
        yield opened, file.stat().st_size


def _requests(lines: Iterable[bytes], reader: _Reader, tally: _Tally, step: Step) -> Iterator[_Line]:
    for number, raw in enumerate(lines, 1):
        if not raw.strip(_SPACE):
            step(len(raw))
            continue
        line = reader.read(number, raw)
        if isinstance(line, MindlogError):
            _fail(number, line, tally)
            step(len(raw))
        else:
            yield line


def _batches(lines: Iterable[_Line]) -> Iterator[list[_Line]]:
    batch: list[_Line] = []
    size = 0
    for line in lines:
        if batch and (len(batch) == _BATCH or size + line.size > _BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(line)
        size += line.size
    if batch:
        yield batch


def _count(batch: list[_Line], outcomes: list[EncodeResult | MindlogError], tally: _Tally, step: Step) -> None:
    for line, outcome in zip(batch, outcomes, strict=True):
        if isinstance(outcome, MindlogError):
            _fail(line.number, outcome, tally)
        elif outcome.was_deduplicated or outcome.was_replayed:
            tally.already_there += 1
        else:
            tally.created += 1
        step(line.size)


def _fail(number: int, error: MindlogError, tally: _Tally) -> None:
    tally.failed += 1
    warn(f"line {number}: {error.code}: {error.detail}")

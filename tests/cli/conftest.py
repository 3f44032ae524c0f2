"""Two ways to run the command line: in this process with an embedder without a model, and as a process of its own."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from mindlog.cli import main
from mindlog.testing.fakes import HashEmbedder


@dataclass(frozen=True)
class Done:
    """What a command came to."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> list[Any]:
        return [json.loads(line) for line in self.out.splitlines()]


Cli = Callable[..., Done]


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    """Runs a command in this process, in an empty working directory, on `./mindlog-data`, without a gazetteer."""
    monkeypatch.setattr("mindlog.engine.load_embedder", lambda settings: HashEmbedder())
    monkeypatch.setattr("mindlog.reindex.load_embedder", lambda settings: HashEmbedder(dimensions=32))
    monkeypatch.setattr("mindlog.checkup.load_embedder", lambda settings: HashEmbedder())
    # In a fresh directory it takes ten seconds to be made.
    monkeypatch.setattr("mindlog.background.LazyGazetteer", lambda folder: lambda: None)
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, stdin: bytes | None = None) -> Done:
        if stdin is not None:
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsys.readouterr()
        code = main(arguments)
        captured = capsys.readouterr()
        return Done(code=code, out=captured.out, err=captured.err)

    return run


def run_process(*arguments: str, cwd: Path, stdin: str | None = None) -> Done:
    """Run a command as a process of its own, with the real model."""
    done = subprocess.run(
        [sys.executable, "-m", "mindlog.cli", *arguments],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    return Done(code=done.returncode, out=done.stdout, err=done.stderr)

"""The command line as people run it: processes of their own, with the real model, on a real directory."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import mindlog
from mindlog.models.catalog import DEFAULT_FOLDER
from mindlog.testing.fakes import HashEmbedder

from .conftest import run_process

BOUND = 60
COMMAND = [sys.executable, "-m", "mindlog.cli"]

needs_model = pytest.mark.skipif(
    not (DEFAULT_FOLDER / "model.onnx").exists(), reason="the model is not built: make model"
)


@needs_model
def test_a_memory_lives_through_processes_from_encode_to_undo(tmp_path: Path) -> None:
    encoded = run_process("encode", "Ana is allergic to peanuts", "--session", "s", "--json", cwd=tmp_path)
    assert encoded.code == 0, encoded.err
    memory_id = encoded.json[0]["memory_id"]
    run_process("encode", cwd=tmp_path, stdin="The ferry leaves at nine")
    recalled = run_process("recall", "what food makes Ana ill?", "--json", cwd=tmp_path)
    assert recalled.json[0]["memory_id"] == memory_id
    assert run_process("forget", memory_id, cwd=tmp_path).code == 0
    gone = run_process("get", memory_id, cwd=tmp_path)
    assert (gone.code, gone.out) == (3, "")
    assert "Traceback" not in gone.err
    assert run_process("forget", "--undo", memory_id, cwd=tmp_path).code == 0
    assert run_process("doctor", cwd=tmp_path).code == 0


def test_a_second_process_on_the_directory_is_refused_and_told_by_whom(tmp_path: Path) -> None:
    with mindlog.open(tmp_path / "mindlog-data", embedder=HashEmbedder()):
        refused = run_process("list", cwd=tmp_path)
    assert refused.code == 1
    assert "is open in process" in refused.err
    assert str(os.getpid()) in refused.err
    assert len(refused.err.splitlines()) == 1


def test_help_loads_no_engine_no_server_and_no_client() -> None:
    heavy = ["mindlog.engine", "mindlog.embedded", "mindlog.client", "numpy", "onnxruntime", "tantivy", "apsw", "fastapi", "httpx2", "pydantic", "mindlog.cli.knowledge", "mindlog.cli.runs", "mindlog.cli.watching", "mindlog.cli.remembering", "mindlog.cli.asking", "mindlog.cli.documents"]  # fmt: skip
    code = (
        "import sys; from mindlog.cli import main; code = main(['--help'])\n"
        f"print(code, sorted(set({heavy!r}) & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=BOUND)
    assert done.stderr.strip() == "0 []"
    for command in (
        "serve",
        "encode",
        "recall",
        "import",
        "doctor",
        "bench",
        "inspect",
        "statements",
        "watch",
        "runs",
        "drain",
        "remember",
        "query",
        "documents",
        "series",
        "places",
        "near",
        "image",
    ):
        assert command in done.stdout


def test_a_reader_that_leaves_early_is_no_traceback(tmp_path: Path) -> None:
    with mindlog.open(tmp_path / "mindlog-data", embedder=HashEmbedder()) as db:
        db.encode_batch([{"text": f"{n} " + "long text " * 300} for n in range(200)])
    code = (
        "import sys; import mindlog.engine; from mindlog.testing.fakes import HashEmbedder\n"
        "mindlog.engine.load_embedder = lambda settings: HashEmbedder()\n"
        "from mindlog.cli import main; sys.exit(main(['list', '--all', '--json']))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(BOUND) == 1


@needs_model
def test_ctrl_c_ends_an_import_with_130_and_the_next_run_goes_on(tmp_path: Path) -> None:
    lines = [json.dumps({"text": f"text {n}", "allow_duplicates": True}) + "\n" for n in range(520)]
    with subprocess.Popen(
        [*COMMAND, "import"],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        process.stdin.writelines(lines)
        process.stdin.flush()  # the first batch goes its way, the rest waits for more
        wait_for(tmp_path / "mindlog-data" / "LOCK", process)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=BOUND)
    assert process.returncode == 130
    assert err.splitlines()[-1] == "mindlog: interrupted"
    assert "Traceback" not in err
    file = tmp_path / "texts.jsonl"
    file.write_text("".join(lines))
    again = run_process("import", "texts.jsonl", "--json", cwd=tmp_path)
    tally = again.json[0]
    assert (again.code, tally["failed"], tally["created"] + tally["already_there"]) == (0, 0, 520)
    assert len(run_process("list", "--all", "--json", cwd=tmp_path).json) == 520


def wait_for(path: Path, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + BOUND
    while not path.exists():
        assert process.poll() is None, "the process ended too soon"
        assert time.monotonic() < deadline
        try:
            process.wait(0.02)
        except subprocess.TimeoutExpired:
            continue

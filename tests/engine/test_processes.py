"""Several processes at one directory: one is let in, the others are told so; through a server all work together."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mindlog.client import Client
from mindlog.engine import Engine
from mindlog.records import RecallRequest
from mindlog.settings import Settings
from tests.engine.made import everything, needs_model, opened

CONTENDER = """
import sys, mindlog
from mindlog.errors import StoreLocked
from mindlog.testing.fakes import HashEmbedder

try:
    db = mindlog.open(sys.argv[1], embedder=HashEmbedder())
except StoreLocked as refusal:
    print("locked", str(refusal.extra.get("pid", refusal.detail)), flush=True)
else:
    with db:
        print("open", flush=True)
        sys.stdin.readline()
        for n in range(50):
            db.encode(f"memory {n}")
        print("done", flush=True)
"""

CLIENT = """
import json, random, sys
from mindlog.client import Client

url, model, number, count = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
dice = random.Random(number)
with Client(url) as client:
    acks = {}
    for n in range(count):
        vector = [dice.gauss(0, 1) for _ in range(384)]
        text = f"client {number} wrote item {n} unique{number}x{n}"
        acks[client.encode_vector(text, vector, model, dataset="many").memory_id] = text
print(json.dumps(acks))
"""


def start(code: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


async def test_of_four_processes_one_gets_in_and_three_are_told_who_has_it(tmp_path: Path) -> None:
    contenders = [start(CONTENDER, str(tmp_path / "data")) for _ in range(4)]
    said = {contender.pid: line(contender) for contender in contenders}
    winners = [contender for contender in contenders if said[contender.pid] == "open"]
    assert len(winners) == 1, said
    for contender in contenders:
        # Communicating closes standard input: the winner goes on, the others have ended.
        rest, errors = contender.communicate(timeout=60)
        assert (contender.returncode, errors) == (0, "")
        if contender is winners[0]:
            assert rest.strip() == "done"
        else:
            assert said[contender.pid].startswith("locked")
            assert str(winners[0].pid) in said[contender.pid]
    async with opened(tmp_path) as engine:
        assert len(await everything(engine)) == 50


@contextmanager
def served(directory: Path) -> Iterator[str]:
    command = [sys.executable, "-m", "mindlog.cli", "serve", "--data", str(directory), "--port", "0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        announced = line(server)
        assert "http://" in announced, server.communicate(timeout=10)
        yield "http://" + announced.split("http://")[1].split()[0]
    finally:
        server.send_signal(signal.SIGTERM)
        _, errors = server.communicate(timeout=60)
    assert server.returncode == 0, errors


def files(directory: Path) -> int:
    return sum(path.stat().st_size for path in directory.rglob("*") if path.is_file())


@needs_model
async def test_four_processes_write_through_one_server_and_everything_is_found(tmp_path: Path) -> None:
    count = 500
    with served(tmp_path / "data") as url:
        with Client(url) as client:
            model = client.health().embedder["fingerprint"]
        clients = [start(CLIENT, url, model, str(number), str(count)) for number in range(4)]
        acks: dict[str, str] = {}
        for process in clients:
            said, errors = process.communicate(timeout=100)
            assert process.returncode == 0, errors
            acks |= json.loads(said)
        assert len(acks) == 4 * count
        with Client(url) as client:
            for memory_id in list(acks)[:: count // 5]:
                assert client.get(memory_id).text == acks[memory_id]
                hit = client.recall(acks[memory_id], dataset="many", limit=1).hits[0]
                assert (str(hit.memory.id), hit.lanes["lexical"].rank) == (memory_id, 1)
    async with await Engine.open(Settings(data=tmp_path / "data")) as engine:
        assert {str(memory.id): memory.text for memory in await everything(engine, "many")} == acks
        hits = (await engine.recall(RecallRequest(cue="item", dataset="many", limit=5000))).hits
        assert {str(hit.memory.id) for hit in hits} == set(acks)
        assert {frozenset(hit.lanes) for hit in hits} == {frozenset({"semantic", "lexical"})}
        assert not engine.indexes.audit(engine.store)
    assert files(tmp_path / "data" / "index") <= 3 * (tmp_path / "data" / "mindlog.db").stat().st_size

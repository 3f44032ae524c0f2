"""Nothing leaves the machine: opening, writing, asking and closing with the real model touch no network."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.engine.made import needs_model

SCRIPT = """
import sys

NETWORK = ("socket.connect", "socket.bind", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "socket.sendmsg")
seen = []
# On import, urllib3 (which spaCy brings) takes a port of this machine for a moment to see whether it has IPv6.
OWN = ("socket.bind", (("::1", 0),))
sys.addaudithook(
    lambda event, arguments: seen.append((event, arguments[1:]))
    if event in NETWORK and (event, arguments[1:]) != OWN
    else None
)

import mindlog

with mindlog.open(sys.argv[1]) as db:
    ids = [db.encode(f"The keeper wrote letter {n} to his daughter.", session="s").memory_id for n in range(20)]
    db.encode_batch(["a batch", "of texts"])
    db.encode("long text " * 500)
    assert len(db.recall("what did the keeper write?", trace=True, budget_tokens=200).hits) == 10
    edited = db.edit(ids[0], text="The keeper burnt it.").memory_id
    db.forget(edited)
    db.restore(edited)
    assert db.list(limit=5).has_more
    assert db.health().ready
with mindlog.open(sys.argv[1]) as db:
    assert db.recall("burnt").hits
assert "mindlog.client" not in sys.modules
print(len(seen), seen[:5])
"""


@needs_model
def test_the_whole_life_of_a_store_makes_no_connection(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", SCRIPT, str(tmp_path / "data")],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=60,
        check=False,
    )
    assert (done.stdout.strip(), done.stderr) == ("0 []", "")


def test_the_hook_would_have_seen_a_connection() -> None:
    code = (
        SCRIPT[: SCRIPT.index("import mindlog")]
        + "import socket\nsocket.socket().connect_ex(('127.0.0.1', 9))\nprint(len(seen))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "1"

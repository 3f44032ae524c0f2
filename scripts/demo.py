"""The main job, once, on real text: load, recall, see what was understood, read a document, ask, kill the server, lose nothing.

Leaves the server running on a fresh directory and prints the address of its admin UI last.
"""

from __future__ import annotations

import json
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from pydoc_data.topics import topics
from typing import Any

from rich.console import Console
from rich.table import Table

from mindlog.client import Client
from mindlog.errors import MindlogError
from mindlog.records import Hit, RecallResult

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "demo-data"
TEXT = ROOT / "demo" / "lighthouse.jsonl"
PORT = 7464
WRITERS = 8
BEFORE_KILL = 300  # acknowledged writes, then SIGKILL
START_SECONDS = 60
DERIVE_SECONDS = 120
READ_SECONDS = 120
MOVE = (
    ("2025-01-05T10:00:00Z", "I live in Bonn and work at Acme."),
    ("2025-02-14T19:00:00Z", "My friend Omar plays the cello in Cologne."),
    ("2025-03-10T10:00:00Z", "I moved to Berlin last week."),
)

CUES = (
    "Who is allergic to something, and to what?",
    "When does the lamp arrive and who is bringing it?",
    "error code LMP-4417-C",
)
# Of Python's own manual, which every installation has.
READ = ("pass", "break", "try", "with", "yield", "exceptions", "debugger", "formatstrings")
BROKEN_OFF = ("typesmapping", "string-methods", "bltin-null-object", "calls", "import", "numbers")
QUESTIONS = (
    "What does the pass statement do?",
    "When is the finally clause executed?",
    "Which debugger command continues until the current function returns?",
    "What is the capital of Atlantis?",
)
OPEN = ("waiting", "running", "retrying")

console = Console(width=110, highlight=False)


def main() -> None:
    """Run the demo."""
    stop_earlier_server()
    shutil.rmtree(DATA, ignore_errors=True)
    port = free_port()
    server = start(port)
    try:
        with Client(f"http://127.0.0.1:{port}") as mind:
            load(mind)
            for cue in CUES:
                show(cue, mind.recall(cue, dataset="lighthouse", limit=3, trace=True))
            understood(mind)
            moved(mind)
            read_document(mind)
            for question in QUESTIONS:
                ask(mind, question)
            started = mind.remember(manual(BROKEN_OFF), document_id="manual-2", dataset="manual").remember_run_id
            acked = burst_and_kill(mind, server)
        server = start(port)
        with Client(f"http://127.0.0.1:{port}") as mind:
            check(mind, acked)
            check_derived(mind)
            check_document(mind, started)
    except BaseException:
        server.kill()
        raise
    (DATA / "server.pid").write_text(str(server.pid))
    console.print(f"\nThe server keeps running (process {server.pid}; its log is demo-data/server.log).")
    console.print(
        f"API and its description: [bold]http://127.0.0.1:{port}[/bold]  http://127.0.0.1:{port}/docs", soft_wrap=True
    )
    console.print(f"See all of it: [bold]http://127.0.0.1:{port}/admin[/bold]", soft_wrap=True)


def start(port: int) -> subprocess.Popen[bytes]:
    """Start a server on the demo's directory and wait until it is ready."""
    DATA.mkdir(exist_ok=True)
    command = [sys.executable, "-m", "mindlog.cli", "serve", "--data", str(DATA), "--port", str(port)]
    with (DATA / "server.log").open("ab") as log:
        server = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True)
    began = time.monotonic()
    with Client(f"http://127.0.0.1:{port}", max_retries=0) as mind:
        while True:
            if server.poll() is not None or time.monotonic() - began > START_SECONDS:
                server.kill()
                sys.exit(f"The server did not start; its log:\n{(DATA / 'server.log').read_text()[-3000:]}")
            try:
                mind.health()
            except MindlogError:
                time.sleep(0.05)
            else:
                console.print(f"server ready in {time.monotonic() - began:.1f} s (process {server.pid})")
                return server


def load(mind: Client) -> None:
    """Write the text in batches."""
    items = [json.loads(line) | {"dataset": "lighthouse"} for line in TEXT.read_text(encoding="utf-8").splitlines()]
    began = time.monotonic()
    outcomes = [outcome for at in range(0, len(items), 100) for outcome in mind.encode_batch(items[at : at + 100])]
    failed = [outcome for outcome in outcomes if isinstance(outcome, MindlogError)]
    if failed:
        sys.exit(f"{len(failed)} memories were refused, the first: {failed[0]}")
    seconds = time.monotonic() - began
    sessions = len({item["session"] for item in items})
    console.print(
        f"encoded {len(items)} memories of {sessions} sessions in {seconds:.1f} s, each committed and fsynced"
    )


def show(cue: str, result: RecallResult) -> None:
    """Print one recall and where each hit came from."""
    trace: dict[str, Any] = dict(result.trace or {})
    console.print(f"\n[bold]recall[/bold] {cue}")
    table = Table("score", "lanes (rank)", "when", "memory", box=None, pad_edge=False)
    for hit in result.hits:
        table.add_row(f"{hit.score:.2f}", _lanes(hit), _when(hit), f"{hit.memory.agent}: {hit.memory.text}")
    console.print(table)
    lanes = ", ".join(f"{name} {len(lane['candidates'])}" for name, lane in trace.get("lanes", {}).items())
    console.print(f"[dim]trace: candidates {lanes}; {_timings(trace)}[/dim]")


def _lanes(hit: Hit) -> str:
    return " ".join(f"{name} {lane.rank}" for name, lane in hit.lanes.items()) or "neighbour"


def _when(hit: Hit) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(hit.memory.occurred_at / 1e6))


def _timings(trace: dict[str, Any]) -> str:
    return ", ".join(f"{stage['name']} {stage['ms']:.1f} ms" for stage in trace.get("stages", ()))


def understood(mind: Client) -> None:
    """Wait until the text is derived; print what is known of one of its people, and the words it rests on."""
    began = time.monotonic()
    drain(mind)
    runs = mind.run_counts()["by_dataset"]["lighthouse"]
    console.print(
        f"\nafter {time.monotonic() - began:.1f} s more everything is derived, without a language model: {runs}"
    )
    console.print("[bold]statements[/bold] about Ines")
    table = Table("statement", "sure", "because of", box=None, pad_edge=False)
    for statement in mind.statements("lighthouse", entity="Ines").data:
        table.add_row(statement.text, f"{statement.confidence:.2f}", repr(statement.evidence[0].quote))
    console.print(table)


def moved(mind: Client) -> None:
    """Tell of a move and print what holds before and after it; inspect the memory that told of it."""
    acks = [mind.encode(text, dataset="diary", agent="Ada", occurred_at=at, wait="derived") for at, text in MOVE]
    for day in ("2025-02-01", "2025-04-01"):
        page = mind.statements("diary", subject="Ada", predicate="lives_in", as_of=f"{day}T12:00:00Z")
        console.print(f"[bold]as of[/bold] {day}: {', '.join(statement.text for statement in page.data)}")
    found = mind.inspect(acks[-1].memory_id)
    console.print(f"[bold]inspect[/bold] {found.memory.text!r}")
    console.print(f"  statements: {', '.join(statement.text for statement in found.statements)}")
    console.print(f"  questions it answers: {', '.join(question.text for question in found.questions)}")
    console.print(f"  stages: {', '.join(f'{stage.name} {stage.status}' for stage in found.runs[0].stages)}")


def manual(names: tuple[str, ...]) -> str:
    """Return some topics of Python's manual as one document."""
    return "\n\n".join(topics[name] for name in names if name in topics)


def read_document(mind: Client) -> None:
    """Remember a document; print when its first chunk could be recalled, and how every stage went."""
    text = manual(READ)
    began, first = time.monotonic(), None
    run_id = mind.remember(text, name="manual.txt", document_id="manual-1", dataset="manual").remember_run_id
    while (run := mind.run(run_id)).state in OPEN:
        if first is None and mind.recall("the pass statement", dataset="manual", limit=1).hits:
            first = time.monotonic() - began
        if time.monotonic() - began > READ_SECONDS:
            sys.exit(f"the document is not read after {READ_SECONDS} s: {run}")
        time.sleep(0.05)
    if run.state != "succeeded":
        sys.exit(f"the document could not be read: {run}")
    chunks = (run.progress or {})["chunks"]
    console.print(
        f"\n[bold]remember[/bold] {len(text.split())} words of Python's manual: {chunks} chunks, read and reconciled in "
        f"{time.monotonic() - began:.1f} s; the first could be recalled after {first or 0:.1f} s"
    )
    console.print(f"  stages: {', '.join(f'{stage.name} {stage.status}' for stage in run.stages)}")


def ask(mind: Client, question: str) -> None:
    """Print the answer to a question, and the words it rests on."""
    began = time.monotonic()
    found = mind.query(question, dataset="manual", session="demo")
    console.print(f"[bold]query[/bold] {question} [dim]({found.answered_by}, {time.monotonic() - began:.2f} s)[/dim]")
    console.print(f"  {found.answer}", markup=False)
    for each in found.citations:
        console.print(f"  [{each.n}] {each.document_id}, {each.memory_id}: {each.quote!r}", markup=False)


def drain(mind: Client) -> None:
    """Wait until every memory is derived."""
    if not mind.settled(DERIVE_SECONDS):
        sys.exit(f"the derivation is not over after {DERIVE_SECONDS} s: {mind.run_counts()}")


def burst_and_kill(mind: Client, server: subprocess.Popen[bytes]) -> dict[str, str]:
    """Write from several threads, SIGKILL the server in the middle; return what was acknowledged, text by id."""
    acked: dict[str, str] = {}
    enough, over = threading.Event(), threading.Event()

    def write(writer: int) -> None:
        for number in range(100_000):
            if over.is_set():
                return
            text = f"I live in Bonn. Burst note {number}: the tide gauge reads {number * 7 % 331} cm."
            name = f"writer-{writer}"
            try:
                acked[mind.encode(text, dataset="burst", session=name, agent=name).memory_id] = text
            except MindlogError:
                return
            if len(acked) >= BEFORE_KILL:
                enough.set()

    threads = [threading.Thread(target=write, args=(writer,)) for writer in range(WRITERS)]
    for thread in threads:
        thread.start()
    if not enough.wait(60):
        sys.exit("the burst did not get going")
    server.send_signal(signal.SIGKILL)
    server.wait()
    over.set()
    for thread in threads:
        thread.join()
    console.print(f"\nSIGKILL in the middle of {WRITERS} writers' burst, after {len(acked)} acknowledged writes")
    return acked


def check(mind: Client, acked: dict[str, str]) -> None:
    """Read every acknowledged memory back by id and by listing."""
    missing = [memory_id for memory_id, text in acked.items() if mind.get(memory_id).text != text]
    listed = {str(memory.id) for memory in mind.iterate(dataset="burst")}
    lost = [memory_id for memory_id in acked if memory_id not in listed]
    if missing or lost:
        sys.exit(f"LOST {len(missing)} of {len(acked)} acknowledged memories; {len(lost)} are not listed")
    extra = len(listed) - len(acked)
    console.print(
        f"after the restart all {len(acked)} are there, whole; {extra} more were committed but not yet acknowledged"
    )
    sample = next(iter(acked.items()))
    hits = mind.recall(sample[1], dataset="burst", limit=1).hits
    console.print(f"and recall finds them: {hits[0].memory.text!r}" if hits else "but recall does not find them")


def check_derived(mind: Client) -> None:
    """See that derivation, which the kill broke off as well, comes to its end with nothing lost and nothing doubled."""
    drain(mind)
    memories = sum(1 for _ in mind.iterate(dataset="burst"))
    states = mind.run_counts()["by_dataset"]["burst"]
    if states != {"succeeded": memories}:
        sys.exit(f"{memories} memories, but their derivations are {states}")
    found = mind.statements("burst", predicate="lives_in", limit=500).data
    evidence = sum(statement.evidence_count for statement in found)
    if (len(found), evidence) != (WRITERS, memories):
        sys.exit(
            f"{WRITERS} writers said {memories} times where they live; kept are {len(found)} statements, {evidence} pieces"
        )
    console.print(
        f"the derivations that the kill broke off are done: {memories} runs, all succeeded; {WRITERS} writers' one statement "
        f"each, resting on {evidence} memories"
    )


def check_document(mind: Client, run_id: str) -> None:
    """See that the document under way at the kill was read on from where it stood, every chunk once."""
    run = mind.run(run_id)
    chunks = (run.progress or {}).get("chunks")
    texts = mind.document_texts("manual-2", "manual", limit=10_000).data
    positions = [text.position for text in texts if text.origin == "chunk"]
    states = {text.state for text in texts}
    if run.state != "succeeded" or positions != list(range(chunks or 0)) or states != {"stored"}:
        sys.exit(f"the document that the kill broke off is not whole: {run}, chunks {positions}, states {states}")
    console.print(
        f"the document that was being read then is read: {chunks} chunks, each kept and reconciled once, in {run.attempts} attempts"
    )


def free_port() -> int:
    """Return the usual port, or another one if it is taken."""
    for port in (PORT, 0):
        with socket.socket() as probe, _ignore_taken():
            probe.bind(("127.0.0.1", port))
            return int(probe.getsockname()[1])
    raise AssertionError("the system gives a free port when asked for any")


@contextmanager
def _ignore_taken() -> Iterator[None]:
    try:
        yield
    except OSError:
        return


def stop_earlier_server() -> None:
    """End the server that an earlier demo left running, if it still is that server."""
    note = DATA / "server.pid"
    if not note.exists():
        return
    pid = int(note.read_text())
    command = Path(f"/proc/{pid}/cmdline")
    if command.exists() and str(DATA).encode() in command.read_bytes():
        subprocess.run(["kill", str(pid)], check=False)
        _wait_gone(command)


def _wait_gone(command: Path) -> None:
    began = time.monotonic()
    while command.exists() and time.monotonic() - began < 15:
        time.sleep(0.05)


if __name__ == "__main__":
    main()

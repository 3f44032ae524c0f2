"""A language model server on loopback that answers as told. Real HTTP, no model, no dependency beyond the standard library.

Public for users' own tests: point any OpenAI or Anthropic client at it. Owns the script, the sockets and what came in.

    with FakeLLM() as server:
        server.script(prose({"facts": []}), rate_limited(2), hang())
        llm = OpenAI(base_url=server.url, api_key="any")        # or Anthropic(base_url=server.anthropic_url, ..)
"""

from __future__ import annotations

import json
import select
import socket
import struct
import threading
from collections import deque
from collections.abc import Callable, Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self, cast

from mindlog.testing.llm_answers import Answer, Fate, Sayable, as_answer, sample
from mindlog.testing.llm_wire import FakeRequest, Protocol, answer_body, error_body, stream_events

__all__ = ["FakeLLM", "Rule"]

Rule = Callable[[FakeRequest], Sayable]

_PROTOCOLS: dict[str, Protocol] = {"/v1/chat/completions": "openai", "/v1/messages": "anthropic"}
# How often a thread that holds an answer back looks whether the client is still there.
_LOOK_SECONDS = 0.02


class FakeLLM:
    """Serves while its `with` block is open, or between `start` and `stop`, from threads of its own; safe from any thread.

    Answers come from the script first, then from the rule. The rule may be replaced at any time; the one it starts
    with gives a small value that fits the schema asked for, or the text "ok".

    Controls: `unsupported`, names of parameters or modes ("json_schema", "tool", "temperature", ..), or "image", answered with 400;
    `models`, the only ones known (404 for others); `api_key`, the only one accepted (401 for others). None accepts all.
    Records: `requests`, every request in order; `gone`, how many clients went away from an answer held back.
    """

    def __init__(
        self, rule: Rule | None = None, *, unsupported: Iterable[str] = (), api_key: str | None = None
    ) -> None:
        self.rule: Rule = rule or _fitting
        self.unsupported = set(unsupported)
        self.api_key = api_key
        self.models: tuple[str, ...] | None = None
        self.requests: list[FakeRequest] = []
        self.gone = 0
        self._script: deque[Answer] = deque()
        self._changed = threading.Condition()
        self._released = threading.Event()
        self._server: _Server | None = None
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> Self:
        """Listen on a free port of 127.0.0.1."""
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(_LOOK_SECONDS,), daemon=True)
        self._thread.start()
        return self

    def stop(self) -> None:
        """Release what hangs, close every connection and the port. Does nothing a second time."""
        server, thread = self._server, self._thread
        self._server = self._thread = None
        if server is None or thread is None:
            return
        self._released.set()
        server.shutdown()
        server.drop_connections()
        server.server_close()
        thread.join()

    @property
    def port(self) -> int:
        """The port it listens on."""
        if self._server is None:
            raise RuntimeError("the fake LLM server is not started")
        return self._server.server_address[1]

    @property
    def url(self) -> str:
        """Base URL for OpenAI clients."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def anthropic_url(self) -> str:
        """Base URL for Anthropic clients."""
        return f"http://127.0.0.1:{self.port}"

    def script(self, *answers: Sayable) -> None:
        """Add answers for the next requests, one each."""
        with self._changed:
            self._script.extend(as_answer(each) for each in answers)

    def release(self) -> None:
        """Let every answer that hangs go out, also those that come later."""
        self._released.set()

    def wait_for(self, requests: int, *, timeout: float = 10.0) -> bool:
        """Wait until so many requests have come in, in all; `False` if they have not in time."""
        return self._wait(lambda: len(self.requests) >= requests, timeout)

    def wait_gone(self, clients: int = 1, *, timeout: float = 10.0) -> bool:
        """Wait until so many clients have gone away from an answer held back; `False` if they have not in time."""
        return self._wait(lambda: self.gone >= clients, timeout)

    def answer(self, request: FakeRequest) -> Answer:
        """Take a request in and decide on its answer. Called by the server's threads."""
        with self._changed:
            self.requests.append(request)
            self._changed.notify_all()
            if (refused := self._refused(request)) is not None:
                return refused
            if self._script:
                return self._script.popleft()
        return as_answer(self.rule(request))

    def hold(self, connection: socket.socket, seconds: float | None = None) -> bool:
        """Wait until released, or for so long; `False` as soon as the client has gone. Called by the threads."""
        while not self._released.wait(_LOOK_SECONDS if seconds is None else seconds):
            if _has_gone(connection):
                with self._changed:
                    self.gone += 1
                    self._changed.notify_all()
                return False
            if seconds is not None:
                break
        return True

    def _wait(self, ready: Callable[[], bool], timeout: float) -> bool:
        with self._changed:
            return self._changed.wait_for(ready, timeout)

    def _refused(self, request: FakeRequest) -> Answer | None:
        if self.api_key is not None and request.key != self.api_key:
            return Answer(code=401, message="Incorrect API key provided")
        if self.models is not None and request.model not in self.models:
            return Answer(code=404, message=f"The model `{request.model}` does not exist")
        for name in sorted(self.unsupported & request.features):
            spoken = {"json_schema": "response_format.json_schema", "tool": "tools"}.get(name, name)
            return Answer(code=400, message=f"Unsupported parameter: '{spoken}' is not supported with this model.")
        return None


def _fitting(request: FakeRequest) -> Sayable:
    return "ok" if request.schema is None else cast("dict[str, Any]", sample(request.schema))


def _has_gone(connection: socket.socket) -> bool:
    try:
        readable, _, _ = select.select([connection], [], [], 0)
        return bool(readable) and connection.recv(1, socket.MSG_PEEK) == b""
    except (OSError, ValueError):
        return True


class _Server(ThreadingHTTPServer):
    request_queue_size = 256
    server_address: tuple[str, int]  # pyright: ignore[reportIncompatibleVariableOverride]

    def __init__(self, fake: FakeLLM) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.fake = fake
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._lock:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._lock:
            self._open.discard(request)
        super().shutdown_request(request)

    def drop_connections(self) -> None:
        """Wake the threads that wait for a client's next request."""
        with self._lock:
            for each in self._open:
                try:
                    each.shutdown(socket.SHUT_RDWR)
                except OSError:
                    continue

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away in the middle is what the tests are about."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Head and body are two writes; without this the second waits 40 ms for the client's acknowledgement.
    disable_nagle_algorithm = True
    server: _Server  # pyright: ignore[reportIncompatibleVariableOverride]
    connection: socket.socket

    def do_GET(self) -> None:
        models = [{"id": name, "object": "model"} for name in self.server.fake.models or ("fake-model",)]
        known = self.path.split("?")[0] == "/v1/models"
        self._send(
            *((200, {"object": "list", "data": models}) if known else (404, error_body("openai", 404, "no page")))
        )

    def do_POST(self) -> None:
        content = self.rfile.read(int(self.headers.get("content-length", 0)))
        protocol = _PROTOCOLS.get(self.path.split("?")[0])
        if protocol is None:
            self._send(404, error_body("openai", 404, f"no such path: {self.path}"))
            return
        try:
            body = json.loads(content)
        except ValueError:
            self._send(400, error_body(protocol, 400, "the body is not JSON"))
            return
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = FakeRequest(protocol=protocol, path=self.path, headers=headers, body=body)
        self._give(request, self.server.fake.answer(request))

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """Say nothing."""

    def _give(self, request: FakeRequest, answer: Answer) -> None:
        streams = bool(request.body.get("stream"))
        if answer.fate is Fate.RESET or (answer.fate is Fate.BREAK_OFF and not streams):
            self._reset()
        elif (answer.fate is Fate.HANG or (answer.fate is Fate.STALL and not streams)) and not self.server.fake.hold(
            self.connection
        ):
            self.close_connection = True
        elif answer.code != 200:
            self._send(answer.code, error_body(request.protocol, answer.code, answer.message), answer)
        elif streams:
            self._stream(request, answer)
        else:
            self._send(200, answer_body(request, answer), answer)

    def _send(self, code: int, body: dict[str, Any], answer: Answer | None = None) -> None:
        content = json.dumps(body).encode()
        headers = dict(answer.headers) if answer else {}
        self._head(code, {"Content-Type": "application/json", "Content-Length": str(len(content)), **headers})
        if answer is None or answer.fate is not Fate.DRIP:
            self.wfile.write(content)
            return
        for at in range(len(content)):
            if not self.server.fake.hold(self.connection, answer.gap):
                self.close_connection = True
                return
            self.wfile.write(content[at : at + 1])

    def _stream(self, request: FakeRequest, answer: Answer) -> None:
        self._head(200, {"Content-Type": "text/event-stream", "Connection": "close"})
        self.close_connection = True
        for event in stream_events(request, answer):
            self.wfile.write(event.encode())
            if "delta" not in event:
                continue
            if answer.fate is Fate.BREAK_OFF:
                return
            if answer.fate is Fate.STALL and not self.server.fake.hold(self.connection):
                return
            if answer.fate is Fate.DRIP and not self.server.fake.hold(self.connection, answer.gap):
                return

    def _head(self, code: int, headers: dict[str, str]) -> None:
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def _reset(self) -> None:
        # A linger of zero seconds makes the close a reset; the shutdown that the server would do first is skipped.
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True

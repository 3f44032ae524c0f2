"""A real HTTP server on loopback that answers `/v1/embeddings` as told: well, badly, slowly or not at all."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = tuple[int, dict[str, str], bytes]


def vector(text: str, dimensions: int) -> list[float]:
    return [float((len(text) * 31 + place * 7) % 11 + 1) for place in range(dimensions)]


def good(body: dict[str, Any], dimensions: int = 8) -> Reply:
    data = [{"index": at, "embedding": vector(text, dimensions)} for at, text in enumerate(body["input"])]
    return 200, {}, json.dumps({"data": data[::-1], "model": body["model"]}).encode()


class Endpoint:
    """`script` holds answers for the next requests; when it is empty, `usual` answers."""

    def __init__(self) -> None:
        self.script: list[Callable[[dict[str, Any]], Reply]] = []
        self.usual: Callable[[dict[str, Any]], Reply] = good
        self.bodies: list[dict[str, Any]] = []
        self.authorizations: list[str | None] = []
        self.release = threading.Event()
        self.arrived = threading.Event()
        self.url = ""

    def say(self, status: int, body: bytes = b"{}", **headers: str) -> None:
        self.script.append(lambda _: (status, {key.replace("_", "-"): value for key, value in headers.items()}, body))

    def say_vectors(self, *vectors: str) -> None:
        """Vectors as JSON text, so that NaN can be among them."""
        data = ",".join(f'{{"index":{at},"embedding":{each}}}' for at, each in enumerate(vectors))
        self.say(200, f'{{"data":[{data}]}}'.encode())

    def hang(self) -> None:
        """Take the next request, set `arrived`, and answer when `release` is set."""

        def wait(body: dict[str, Any]) -> Reply:
            self.arrived.set()
            self.release.wait(30)
            return good(body)

        self.script.append(wait)

    def refuse(self, text: str, status: int, *, wait: bool = False) -> None:
        """From now on refuse every request that holds this text; if `wait`, as `hang` does."""

        def judge(body: dict[str, Any]) -> Reply:
            if text not in body["input"]:
                return good(body)
            if wait:
                self.arrived.set()
                self.release.wait(30)
            return status, {}, f"cannot embed {text!r}".encode()

        self.usual = judge


@contextmanager
def serve() -> Iterator[Endpoint]:
    endpoint = Endpoint()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            endpoint.bodies.append(body)
            endpoint.authorizations.append(self.headers.get("authorization"))
            answer = endpoint.script.pop(0) if endpoint.script else endpoint.usual
            status, headers, content = answer(body) if self.path == "/v1/embeddings" else (404, {}, b"no such path")
            try:
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(content))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)
            except OSError:
                self.close_connection = True

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    endpoint.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield endpoint
    finally:
        endpoint.release.set()
        server.shutdown()
        server.server_close()
        thread.join()

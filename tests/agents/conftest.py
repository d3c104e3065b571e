from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest


class ChatServer(ThreadingHTTPServer):
    """Answers chat completions by a function of the request; keeps the requests.

    Attributes:
        choice: makes the answer's choice (`message` and what stands beside it) of a request's JSON data; a text alone
            is the message's.
        requests: the JSON data of the requests until now, each with the `key` that it brought.
    """

    daemon_threads = True
    request_queue_size = 256

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.choice: Callable[[dict[str, Any]], dict[str, Any] | str] = lambda request: "What is the base fee?"
        self.requests: list[dict[str, Any]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ChatServer  # pyright: ignore[reportIncompatibleVariableOverride]

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.requests.append({**request, "key": self.headers["authorization"].removeprefix("Bearer ")})
        choice = self.server.choice(request)
        if isinstance(choice, str):
            choice = {"message": {"role": "assistant", "content": choice}}
        usage = {"prompt_tokens": 100, "completion_tokens": 10}
        body = json.dumps({"choices": [{"finish_reason": "stop", **choice}], "usage": usage}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing on standard error."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    with ChatServer() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()

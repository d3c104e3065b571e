"""A chat completions server that goes wrong on demand: the fault is the name of the model that is asked for.

`FAULT#ANYTHING` is the same fault, counted by itself.

Started as a process of its own (`python fault_server.py`) it prints its port and serves until standard input closes.
`GET /log/MODEL` gives the requests that asked for that model. `python fault_server.py --table` starts one, sends a
`ChatUser` through every fault and prints what became of it.
"""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

GOOD = "The base fee is 15 euros."
KEY = "sk-very-secret-0123456789"


@dataclass(frozen=True)
class Step:
    """What the server does with one request.

    Attributes:
        status, headers, body: the answer; `{key}` in a body is the key that the request brought.
        stall: seconds of silence before it.
        trickle: seconds between two bytes of it.
        drop: bytes of the body after which the connection is dropped; -1 for a whole answer.
    """

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    stall: float = 0.0
    trickle: float = 0.0
    drop: int = -1


@dataclass(frozen=True)
class Scenario:
    """A fault and what a user has to make of it.

    Attributes:
        steps: the answers, in order; the last one is repeated for ever.
        requests: how many requests the user may make of it.
        says: pattern of the whole reply, if there is to be one.
        fails: pattern in the text of the SimulatorError otherwise.
        options: the user's options.
        longest: seconds after which the user must be done.
    """

    steps: tuple[Step, ...]
    requests: int
    says: str | None = None
    fails: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    longest: float = 8.0


def completion(content: Any, reason: str = "stop", **extra: Any) -> bytes:
    """The body of a well-formed answer."""
    message = {"role": "assistant", "content": content, **extra}
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    answer = {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": usage,
    }
    return json.dumps(answer).encode()


def failure(status: int, message: str, **headers: str) -> Step:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Step(status, json.dumps({"error": {"message": message, "type": "x"}}).encode(), named)


def says(content: Any, reason: str = "stop", **extra: Any) -> Step:
    return Step(body=completion(content, reason, **extra))


def twice(step: Step, fails: str) -> Scenario:
    """A faulty reply that stays faulty when it is asked for again."""
    return Scenario((step,), 2, fails=fails)


FINE = says(GOOD)
FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
SOON = {"retry_after_ms": "50"}
REFERENCE_LINE = "fee = 15 if weight <= 2 else 15 + (weight - 2) * surcharge_rate"

SCENARIOS: dict[str, Scenario] = {
    "none": Scenario((FINE,), 1, says=re.escape(GOOD)),
    # the way there
    "401": Scenario((failure(401, "Incorrect API key provided: {key}"),), 1, fails=r"refuses the API key \(401\)"),
    "403": Scenario((failure(403, "forbidden"),), 1, fails=r"refuses the API key \(403\)"),
    "404, no such model": Scenario((failure(404, "model does not exist"),), 1, fails=r"no such model or path \(404\)"),
    "400, context too long": Scenario((failure(400, "maximum context length"),), 1, fails=r"\(400\).*maximum context"),
    "429 twice, Retry-After": Scenario(
        (failure(429, "slow down", retry_after="0.4"), failure(429, "slow down", retry_after="0.4"), FINE),
        3,
        says=re.escape(GOOD),
    ),
    "429 for ever": Scenario((failure(429, "slow down", **SOON),), 3, fails=r"429\) after 3 requests"),
    "429, come back in an hour": Scenario(
        (failure(429, "slow down", retry_after="3600"),), 1, fails=r"429\).*wait '3600' s"
    ),
    "429, Retry-After past the limit": Scenario(
        (failure(429, "slow down", retry_after="30"),),
        1,
        fails=r"asked again within 1 s of backing off \(1 request, the last answered by 429\)",
        options={"deadline": 0.5, "backoff": 1.0},
    ),
    "500 once": Scenario((failure(500, "oops", **SOON), FINE), 2, says=re.escape(GOOD)),
    "500 for ever": Scenario((failure(500, "oops", **SOON),), 3, fails=r"fails \(500\) after 3 requests"),
    "503 with a page": Scenario(
        (Step(503, b"<html>down</html>", {"content-type": "text/html", "retry-after-ms": "50"}),), 3, fails=r"\(503\)"
    ),
    "stall": Scenario((Step(stall=3.0),), 2, fails="was silent for 0.4 s", options={"timeout": 0.4, "retries": 1}),
    "stall once": Scenario((Step(stall=3.0), FINE), 2, says=re.escape(GOOD), options={"timeout": 0.4, "retries": 1}),
    "slow": Scenario((Step(body=completion(GOOD), stall=1.0),), 1, says=re.escape(GOOD)),
    "slow trickle": Scenario(
        (Step(body=completion(GOOD), trickle=0.05),),
        1,
        fails=r"no whole answer within 1 s",
        options={"deadline": 1.0, "timeout": 0.4},
    ),
    "dropped before the answer": Scenario(
        (Step(status=0),), 2, fails="broke the connection off", options={"retries": 1}
    ),
    "dropped in mid-body": Scenario(
        (Step(body=completion(GOOD), drop=40),), 2, fails="broke the connection off", options={"retries": 1}
    ),
    "dropped in mid-body once": Scenario((Step(body=completion(GOOD), drop=40), FINE), 2, says=re.escape(GOOD)),
    # what stands in the body
    "malformed JSON": twice(Step(body=b'{"choices": [{"mess'), "malformed JSON.*the same twice"),
    "malformed JSON once": Scenario((Step(body=b"{"), FINE), 2, says=re.escape(GOOD)),
    "a web page": twice(Step(body=b"<html>Sign in</html>", headers={"content-type": "text/html"}), "malformed JSON"),
    "an empty body": twice(Step(), "malformed JSON"),
    "invalid unicode escapes": twice(
        Step(body=completion("X").replace(b'"X"', b'"15 \\uZZ99 euros"')), "malformed JSON"
    ),
    "bytes that are no UTF-8": twice(Step(body=completion("X").replace(b"X", b"caf\xe9")), "malformed JSON"),
    "nested too deep": twice(Step(body=b"[" * 200_000), "malformed JSON"),
    "an event stream": twice(Step(body=b'data: {"choices": []}\n\ndata: [DONE]\n\n'), "malformed JSON"),
    "no choices": twice(Step(body=b'{"object": "chat.completion"}'), "without choices"),
    "empty choices": twice(Step(body=b'{"choices": []}'), "without choices"),
    "choices of nothing": twice(Step(body=b'{"choices": [null]}'), "wrong form"),
    "a list": twice(Step(body=b"[1, 2]"), "wrong form"),
    "null": twice(Step(body=b"null"), "wrong form"),
    "an error with status 200": twice(Step(body=b'{"error": {"message": "overloaded"}}'), "error in place.*overloaded"),
    "content is a number": twice(says(15), "wrong form"),
    "content in parts": Scenario((says([{"type": "text", "text": GOOD}]),), 1, says=re.escape(GOOD)),
    "content null": twice(says(None), "empty"),
    "content empty": twice(says(""), "empty"),
    "content blank": twice(says(" \n\t "), "empty"),
    "content dots": twice(says("..."), "empty"),
    "tool_calls": twice(
        says(None, tool_calls=[{"id": "1", "function": {"name": "f", "arguments": "{}"}}]), "tool call"
    ),
    "refusal field": twice(says(None, refusal="I can't do that."), "refusal"),
    "content filter": twice(says(None, "content_filter"), "content filter"),
    # what was said
    "refusal": twice(says("I'm sorry, but I can't assist with that request."), "refusal"),
    "refusal once": Scenario((says("I cannot help with that."), FINE), 2, says=re.escape(GOOD)),
    "as an AI": twice(says("As an AI language model, I have no fees."), "role confusion"),
    "assistant label": twice(says("Assistant: The base fee is 15 euros."), "role confusion"),
    "own label": Scenario((says("**User:** " + GOOD),), 1, says=re.escape(GOOD)),
    "plays on both sides": Scenario((says(GOOD + "\nAgent: And the surcharge?\nUser: 3."),), 1, says=re.escape(GOOD)),
    "answers for the agent": twice(says("I WANT TO ANSWER: nothing"), "role confusion"),
    "cannot see": twice(says("I can't see the attached file, sorry."), "cannot see"),
    "code": twice(says("```python\ndef fee(weight):\n    return 15\n```"), "code"),
    "code, then words": Scenario((says("It's fee(weight) + 3."), FINE), 2, says=re.escape(GOOD)),
    "an operator": twice(says("The fee is 15 if weight <= 2."), "code"),
    "an inner name": twice(says("We use the surcharge_rate above two kilos."), "code"),
    "a name of the request": Scenario((says("The key is total_fee."),), 1, says=r"The key is total_fee\."),
    "prompt echo": twice(says("PROMPT"), "prompt echo"),
    "reference echo": twice(says(REFERENCE_LINE), "code|reference echo"),
    "reasoning left in": Scenario(
        (says("<think>The reference says fee = 15.</think>\n\n" + GOOD),), 1, says=re.escape(GOOD)
    ),
    "reasoning without end": twice(says("<think>The reference says", "length"), "only reasoning"),
    "cut off by max_tokens": Scenario(
        (says("The base fee is 15 euros. Each kilo adds 1", "length"),), 1, says=re.escape(GOOD)
    ),
    "cut off at once": twice(says("The base fee is 1", "length"), "unfinished"),
    "five sentences": Scenario((says("One. Two! Three? Four. Five."),), 1, says=r"One\. Two!"),
    "10,000 characters": Scenario(
        (says("The fee is fifteen euros for them " * 300),),
        1,
        says=r"(The fee is fifteen euros for them ){11}The fee is fifteen\.\.\.",
    ),
    "10,000 characters, no blank": Scenario((says("\u4e16" * 10_000),), 1, says="\u4e16{397}\\.\\.\\."),
    "10,000 emoji": Scenario((says(FAMILY * 2_000),), 1, says=f"({FAMILY}){{79}}\\.\\.\\."),
    "clip inside an emoji": Scenario((says(GOOD + " \ud83d"),), 1, says=re.escape(GOOD)),
    "clip inside a family": Scenario((says(GOOD + " \U0001f468\u200d"),), 1, says=re.escape(GOOD) + " \U0001f468"),
    "an undecodable end": Scenario((says(GOOD + " \ufffd"),), 1, says=re.escape(GOOD)),
    "control characters": Scenario((says("The base\x00 fee\x1b is 15\r\n euros."),), 1, says=re.escape(GOOD)),
    "a stop token": Scenario((says(GOOD + "<|im_end|>\n<|im_start|>assistant"),), 1, says=re.escape(GOOD)),
    "bullet points": Scenario(
        (says("It costs:\n- 15 up to two kilos\n- 18 above"),), 1, says="It costs: 15 up to two kilos; 18 above"
    ),
}


class Handler(BaseHTTPRequestHandler):
    """Plays scenarios."""

    protocol_version = "HTTP/1.1"
    lock = threading.Lock()
    log: ClassVar[dict[str, list[dict[str, Any]]]] = {}

    def do_GET(self) -> None:
        model = urllib.parse.unquote(self.path.removeprefix("/log/"))
        with self.lock:
            body = json.dumps(self.log.get(model, [])).encode()
        self._send(Step(body=body))

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        key = self.headers.get("authorization", "").removeprefix("Bearer ")
        with self.lock:
            seen = self.log.setdefault(request["model"], [])
            seen.append({"at": time.monotonic(), "path": self.path, "key": key, "request": request})
            count = len(seen)
        steps = SCENARIOS[request["model"].partition("#")[0]].steps
        step = steps[min(count, len(steps)) - 1]
        body = step.body.replace(b"{key}", key.encode())
        if b'"PROMPT"' in body:
            body = completion(request["messages"][0]["content"])
        self._send(Step(step.status, body, step.headers, step.stall, step.trickle, step.drop))

    def _send(self, step: Step) -> None:
        time.sleep(step.stall)
        if step.status == 0:
            self.close_connection = True
            return
        self.send_response(step.status)
        for name, value in {"content-type": "application/json", **step.headers}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(step.body)))
        self.end_headers()
        try:
            if step.trickle:
                for byte in step.body:
                    self.wfile.write(bytes([byte]))
                    self.wfile.flush()
                    time.sleep(step.trickle)
            else:
                self.wfile.write(step.body if step.drop < 0 else step.body[: step.drop])
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the other side had enough
        if step.drop >= 0:
            self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing on standard error."""


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 1024


@contextmanager
def serving() -> Iterator[str]:
    """A server process; gives its URL up to `/v1`."""
    process = subprocess.Popen([sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
    finally:
        process.stdin.close()
        process.wait(timeout=10)
        process.stdout.close()


def log_of(url: str, model: str) -> list[dict[str, Any]]:
    """The requests that asked for a model."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(f"{url.removesuffix('/v1')}/log/{urllib.parse.quote(model)}", timeout=10) as answer:
        return json.load(answer)


def closed_port() -> int:
    """A port on which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def print_table() -> None:
    import os

    from colbench_gym.errors import SimulatorError
    from colbench_gym.simulators.chat import ChatUser
    from colbench_gym.types import Task

    os.environ["COLBENCH_USER_API_KEY"] = KEY
    task = example_task(Task)
    dialogue: Any = [
        {"role": "user", "content": task.description},
        {"role": "assistant", "content": "What is the base fee?"},
    ]

    def row(fault: str, user: ChatUser) -> None:
        began = time.monotonic()
        try:
            outcome = f"said {user.reply(task, dialogue)!r}"
        except SimulatorError as error:
            outcome = f"SimulatorError: {error}".partition(" at ")[2].partition(" ")[2].partition(" Mend:")[0]
            outcome = f"SimulatorError: {outcome}"
        seconds = time.monotonic() - began
        shown = outcome if len(outcome) <= 150 else outcome[:147] + "..."
        sys.stdout.write(f"| {fault} | {shown} | {user.usage.requests} | {seconds:.2f} |\n")

    sys.stdout.write("| fault | what the user did | requests | seconds |\n|---|---|---|---|\n")
    with serving() as url:
        row("connection refused", ChatUser("m", f"http://127.0.0.1:{closed_port()}/v1", retries=1))
        row("no such host", ChatUser("m", "http://nowhere.invalid/v1", retries=1))
        row("TLS to a plain server", ChatUser("m", url.replace("http:", "https:"), retries=0))
        for fault, scenario in SCENARIOS.items():
            row(fault, ChatUser(fault, url, **{"retries": 2, **scenario.options}))


def example_task(kind: Any) -> Any:
    """A task of our own (`kind` is `Task`: the server itself needs none of the package)."""
    reference = f"def parcel(weight):\n    surcharge_rate = 3\n    {REFERENCE_LINE}\n    return {{'total_fee': fee}}\n"
    description = "Work out what a parcel costs; return a dict with total_fee. Signature: def parcel(weight)"
    return kind("parcel", "backend", description, reference, tests={"t": "parcel(1)"})


def main() -> None:
    if "--table" in sys.argv:
        print_table()
        return
    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdout.write(f"{server.server_port}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))
    main()

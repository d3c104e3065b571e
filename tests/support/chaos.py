"""A run of a chat agent and a chat user against a server that fails in every way a server fails in.

`python tests/support/chaos.py` plays it and prints how many episodes failed, by boundary and cause. What goes wrong
with a request follows from its dialogue and a seed; only bursts of 429 hit whoever comes.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from colbench_gym.protocol import ANSWER_MARKER, signature_in
from colbench_gym.rollouts import RunConfig, collect, read_episodes

EPISODES = 150
TURN_SECONDS = 5.0
PATIENCE = (3, 2.0)
"""So many refusals in a row of one request, each with so many seconds to wait: more than a turn may take."""

WEIGHTS = {
    "fine": 71.0,
    "dropped": 3.0,
    "dropped in mid-body": 2.0,
    "429": 2.0,
    "429 with Retry-After": 2.0,
    "429 until patience ends": 1.5,
    "503": 2.0,
    "stalled": 3.0,
    "dropped for ever": 0.7,
    "stalled for ever": 0.7,
    "garbage": 2.0,
    "nothing said": 1.5,
    "out of the part": 10.0,
}
RETRIES = 4
TIMEOUT_SECONDS = 0.5
BURST_EVERY, BURST = 150, 25


class Chaos(ThreadingHTTPServer):
    """The models `agent` and `user`.

    Attributes:
        faults: how often each was played.
    """

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, seed: int) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.seed = seed
        self.faults: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._tries: Counter[str] = Counter()
        self._requests = 0
        self._burst = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that had enough is no news."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)

    def fault(self, body: bytes) -> str:
        """What happens to this request, the n-th with this body."""
        with self._lock:
            self._requests += 1
            self._burst = BURST if self._requests % BURST_EVERY == 0 else max(0, self._burst - 1)
            if self._burst:
                fault = "429 in a burst"
            else:
                digest = hashlib.sha256(body).hexdigest()
                fault = self._planned(digest, self._tries[digest])
                self._tries[digest] += 1
            self.faults[fault] += 1
            return fault

    def _planned(self, digest: str, number: int) -> str:
        drawn = random.Random(f"{self.seed}/{digest}")
        kinds, weights = list(WEIGHTS), list(WEIGHTS.values())
        for _ in range(number + 1):
            (fault,) = drawn.choices(kinds, weights)
            if fault == "429 until patience ends":
                return fault if number < PATIENCE[0] else "fine"
            if fault.endswith("for ever"):
                return fault
        return fault


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Chaos  # pyright: ignore[reportIncompatibleVariableOverride]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        if not body:
            return  # the client has gone
        request = json.loads(body)
        fault = self.server.fault(body)
        if fault.startswith("stalled"):
            time.sleep(3 * TIMEOUT_SECONDS)
        if fault.startswith("stalled") or fault in ("dropped", "dropped for ever"):
            self.close_connection = True
        elif fault.startswith("429"):
            wait = {"429": None, "429 until patience ends": PATIENCE[1]}.get(fault, 0.3)
            self._send(429, b'{"error": {"message": "slow down"}}', {} if wait is None else {"retry-after": str(wait)})
        elif fault == "503":
            self._send(503, b"<html>down</html>", {})
        elif fault == "garbage":
            self._send(200, b'{"choices": [{"mess', {})
        else:
            answer = completion("" if fault == "nothing said" else says(request, fault))
            self._send(200, answer, {}, whole=fault != "dropped in mid-body")

    def _send(self, status: int, body: bytes, headers: Mapping[str, str], *, whole: bool = True) -> None:
        self.send_response(status)
        for name, value in {**headers, "content-length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body if whole else body[:40])
        self.close_connection = not whole

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing on standard error."""


def says(request: Mapping[str, Any], fault: str) -> str:
    """The words of the model that is asked for."""
    if request["model"] == "user":
        return "As an AI language model, I cannot say." if fault == "out of the part" else "Up to ten of them, I think."
    said = sum(message["role"] == "assistant" for message in request["messages"])
    if said < 2:
        return ("Is there a limit I should know about?", "How do you want the result rounded?")[said]
    description = request["messages"][1]["content"]
    return f"{ANSWER_MARKER}\n{signature_in(description)}:\n    return None"


def completion(text: str) -> bytes:
    choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    return json.dumps({"choices": [choice], "usage": {"prompt_tokens": 100, "completion_tokens": 10}}).encode()


@contextmanager
def serving(seed: int = 0) -> Iterator[Chaos]:
    with Chaos(seed) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def play(server: Chaos, directory: Path, episodes: int = EPISODES) -> list[dict[str, Any]]:
    """The episodes of a run against it."""
    options = f"timeout={TIMEOUT_SECONDS}&retries={RETRIES}"
    config = RunConfig(
        "ColBench-Backend-v0",
        f"chat:agent@{server.url}?{options}",
        tasks="embedded-backend:test",
        user=f"chat:user@{server.url}?{options}",
    )
    collect(config, directory, episodes=episodes, concurrency=32, turn_seconds=TURN_SECONDS, failures_in_a_row=None)
    return list(read_episodes(directory))


def cause_of(error: Mapping[str, str]) -> str:
    """An error's text without what differs from one episode to the next."""
    told = error["message"].partition(" Mend: ")[0]
    told = re.sub(r"^the \w+ chat:\w+ at [\d.:]+ ", "", told)
    return re.sub(r" ?\((?:'|\"|[^()]*requests?).*?\)|: ['\"].*| and asks to wait.*", "", told).rstrip(". ")


def table(episodes: Sequence[Mapping[str, Any]]) -> str:
    """How many failed, by boundary and cause, as Markdown."""
    failed = [episode["error"] for episode in episodes if episode["status"] == "failed"]
    counts = Counter((error["boundary"], cause_of(error)) for error in failed)
    rows = [f"| {boundary} | {cause} | {count} |" for (boundary, cause), count in sorted(counts.items())]
    return "\n".join(["| boundary | cause | episodes |", "|---|---|---|", *rows])


def main() -> None:
    with serving() as server, tempfile.TemporaryDirectory() as folder:
        began = time.monotonic()
        episodes = play(server, Path(folder))
        seconds = time.monotonic() - began
    failed = sum(episode["status"] == "failed" for episode in episodes)
    faults = ", ".join(f"{fault} {count}" for fault, count in sorted(server.faults.items()))
    waited = max(max(episode["timings"]["agent_s"], default=0.0) for episode in episodes if episode["status"] == "ok")
    sys.stdout.write(
        f"{sum(server.faults.values())} requests: {faults}\n\n{table(episodes)}\n\n"
        f"{failed} of {len(episodes)} episodes failed in {seconds:.1f} s; rewards among them: "
        f"{sum(episode['reward'] is not None for episode in episodes if episode['status'] == 'failed')}\n"
        f"longest agent turn of an episode that went well: {waited:.1f} s, of {TURN_SECONDS:g} s that it may take "
        "without back-off\n"
    )


if __name__ == "__main__":
    main()

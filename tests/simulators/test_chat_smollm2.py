"""A real small model as the user: SmolLM2-135M-Instruct behind `transformers serve`. See docs/users.md.

Runs when the environment variable COLBENCH_SMOLLM2 names the model's folder (safetensors, served here by the command
`transformers` of this Python's environment or of PATH) or the URL of a server, `/v1` included. So small a model is a
poor person; what is tested is that whatever it says becomes a legal reply or an error that names the fault.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from colbench_gym.errors import SimulatorError
from colbench_gym.protocol import USER_CHARACTERS
from colbench_gym.simulators.chat import ChatUser
from colbench_gym.simulators.chat_replies import FAULTS, fault_in, sentence_ends
from colbench_gym.tasks import load_tasks
from colbench_gym.types import Message

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        "COLBENCH_SMOLLM2" not in os.environ,
        reason="COLBENCH_SMOLLM2 names no model folder and no server (docs/users.md, a small model offline)",
    ),
]

QUESTIONS = (
    "Hi! What does a normal delivery cost?",
    "From which order value on is delivery free?",
    "What does express add?",
    "How are partial kilos counted?",
    "Could you show me the code?",
)
START_SECONDS = 180


def _opened(url: str) -> bytes:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(url, timeout=10) as answer:
        return answer.read()


@pytest.fixture(scope="module")
def server() -> Iterator[tuple[str, str]]:
    """URL and model name."""
    place = os.environ["COLBENCH_SMOLLM2"]
    if place.startswith(("http://", "https://")):
        yield place, json.loads(_opened(f"{place}/models"))["data"][0]["id"]
        return
    beside = Path(sys.executable).with_name("transformers")
    command = str(beside) if beside.exists() else shutil.which("transformers")
    if command is None:
        pytest.skip("COLBENCH_SMOLLM2 is a folder, but there is no command 'transformers' to serve it with")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [command, "serve", place, "--device", "cpu", "--dtype", "float32", "--host", "127.0.0.1", "--port", str(port)],
        env={**os.environ, "HF_HUB_OFFLINE": "1", "OMP_WAIT_POLICY": "PASSIVE"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        url = f"http://127.0.0.1:{port}/v1"
        began = time.monotonic()
        while True:
            assert process.poll() is None, "transformers serve ended by itself"
            assert time.monotonic() - began < START_SECONDS, "transformers serve did not come up"
            try:
                _opened(f"{url}/models")
                break
            except (urllib.error.URLError, ConnectionError):
                time.sleep(1)
        yield url, place
    finally:
        process.terminate()
        process.wait(timeout=30)


def test_a_dialogue_with_a_real_model(server: tuple[str, str]) -> None:
    url, model = server
    user = ChatUser(model, url, max_tokens=80, timeout=120, retries=1, deadline=400)
    tasks = load_tasks("embedded-backend:test")
    task = tasks[7]
    assert "delivery fee" in task.description
    messages: list[Message] = [{"role": "user", "content": task.description}]
    said = 0
    for question in QUESTIONS:
        messages.append({"role": "assistant", "content": question})
        try:
            reply = user.respond(task, messages)
        except SimulatorError as error:
            told = str(error)
            assert any(fault in told for fault in FAULTS), told
            print(f"\nAgent: {question}\n  {told}")  # noqa: T201 (what a reader of the closing note wants to see)
            messages.pop()
            continue
        said += 1
        assert reply.text.strip()
        assert len(reply.text) <= USER_CHARACTERS["backend"]
        assert len(sentence_ends(reply.text)) <= 2
        assert fault_in(reply.text, task, messages, frozenset()) is None
        print(f"\nAgent: {question}\nUser:  {reply.text}  {list(reply.disclosed)}")  # noqa: T201
        messages.append({"role": "user", "content": reply.text})
    usage = user.usage
    print(f"\n{said} of {len(QUESTIONS)} answered; faults {dict(user.faults)}; {usage}")  # noqa: T201
    assert said >= 1
    assert usage.replies == said
    assert usage.prompt_tokens > 1000
    assert usage.completion_tokens > 0


def test_the_same_twice(server: tuple[str, str]) -> None:
    url, model = server
    task = load_tasks("embedded-backend:test")[7]
    dialogue: list[Message] = [
        {"role": "user", "content": task.description},
        {"role": "assistant", "content": QUESTIONS[2]},
    ]
    outcomes = []
    for _ in range(2):
        user = ChatUser(model, url, max_tokens=40, timeout=120, retries=1)
        try:
            outcomes.append(user.reply(task, dialogue))
        except SimulatorError as error:
            outcomes.append(str(error))
    assert outcomes[0] == outcomes[1]

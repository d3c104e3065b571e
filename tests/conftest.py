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
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

import fault_server
from colbench_gym import assets, provision
from colbench_gym.errors import MissingExtra

RECORDS = [
    {
        "id": "tax",
        "problem_description": "Work out the total with tax. Signature: def total(net)",
        "ground_truth": "def total(net):\n    return round(net * 1.19, 2)",
        "test_cases": {"test1": "total(100)", "test2": "total(0)", "test3": "total(9.99)"},
    },
    {
        "id": "greet",
        "problem_description": "Greet somebody, 世界 🌍. Signature: def greet(name)",
        "ground_truth": "def greet(name):\n    return 'Grüße, ' + (name or 'Fremder') + '!'",
        "test_cases": {"test1": "greet('Ana')", "test2": "greet('')"},
    },
]


@pytest.fixture
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither proxies nor a key from outside."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """Address of a server that goes wrong on demand (`support/fault_server.py`)."""
    with fault_server.serving() as address:
        yield address


@pytest.fixture
def task_file(tmp_path: Path) -> str:
    """A small file in the official format, with text beyond ASCII."""
    path = tmp_path / "tasks.jsonl"
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in RECORDS), encoding="utf-8")
    return str(path)


PAGES = [
    {
        "id": "bakery",
        "problem_description": "A warm page for a bakery with a header and opening hours.",
        "ground_truth": "<html><body style='background: wheat'><h1>Müller</h1><p>Open from five.</p></body></html>",
    },
    {
        "id": "club",
        "problem_description": "A page for a chess club, in dark colours.",
        "ground_truth": "<html><body style='background: #222'><h1>Chess</h1><p>Tuesdays.</p></body></html>",
    },
]


@pytest.fixture
def page_file(tmp_path: Path) -> str:
    """A small file of frontend tasks in the official format."""
    path = tmp_path / "pages.jsonl"
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in PAGES), encoding="utf-8")
    return str(path)


# ----------------------------------------------------------------------------------------------------- language models


@pytest.fixture(scope="module")
def one_thread() -> Iterator[None]:
    """Torch computes with one thread: several wait for each other, very long where tests share the cores."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def smollm2() -> Path:
    """The folder of SmolLM2-135M-Instruct, fetched and converted by the first test run on a machine."""
    try:
        thing = provision.provide_model(print)
    except MissingExtra as error:
        pytest.skip(f"no SmolLM2 here: {error}")
    if not thing.ok:
        pytest.skip(f"no SmolLM2 here: {thing.detail}. Mend: {thing.mend}")
    return assets.small_model_folder()


@pytest.fixture(scope="session")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[Path], str]]:
    """Starts `transformers serve` on a model's folder: `MODEL@URL` of the server, which ends with the test run."""
    with ExitStack() as servers:
        yield lambda folder: servers.enter_context(_served(folder, tmp_path_factory.mktemp("serve") / "log"))


@pytest.fixture(scope="session")
def smollm2_at(smollm2: Path, serve: Callable[[Path], str]) -> str:
    """`MODEL@URL` of a server with SmolLM2."""
    return serve(smollm2)


@contextmanager
def _served(folder: Path, told: Path, seconds: float = 180) -> Iterator[str]:
    beside = Path(sys.executable).with_name("transformers")
    command = str(beside) if beside.exists() else shutil.which("transformers")
    if command is None:
        pytest.skip("no command 'transformers' here. Mend: pip install 'transformers[serving]'")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = ["--device", "cpu", "--dtype", "float32", "--host", "127.0.0.1", "--port", str(port)]
    with told.open("w") as log:
        process = subprocess.Popen(
            [command, "serve", folder.name, *options],
            cwd=folder.parent,
            env={"OMP_NUM_THREADS": "1", **os.environ, "HF_HUB_OFFLINE": "1", "OMP_WAIT_POLICY": "PASSIVE"},
            stdout=log,
            stderr=log,
        )
    try:
        url = f"http://127.0.0.1:{port}/v1"
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        began = time.monotonic()
        while True:
            assert process.poll() is None, f"transformers serve ended by itself: {told.read_text()}"
            assert time.monotonic() - began < seconds, f"transformers serve did not come up: {told.read_text()}"
            try:
                opener.open(f"{url}/models", timeout=10).close()
                break
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.5)
        yield f"{folder.name}@{url}"
    finally:
        process.terminate()
        process.wait(timeout=30)

from __future__ import annotations

import hashlib
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from colbench_gym import assets
from colbench_gym.errors import ConfigError

CONTENT = {"one.txt": b"first", "two.txt": b"second"}
EXPECTED = {name: hashlib.sha256(content).hexdigest() for name, content in CONTENT.items()}


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format, *args):
        self.server.requests.append(self.path)  # type: ignore[attr-defined]


@pytest.fixture
def source(tmp_path, monkeypatch):
    """A local server with the files, and an empty cache."""
    folder = tmp_path / "served"
    folder.mkdir()
    for name, content in CONTENT.items():
        (folder / name).write_bytes(content)
    monkeypatch.setenv("COLBENCH_CACHE", str(tmp_path / "cache"))
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        server.requests = []  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", server, folder
        server.shutdown()
        thread.join()


def test_fetches_once(source):
    address, server, _ = source
    first = assets.fetch_official_prompts(source=address, expected=EXPECTED)
    assert [(path.read_bytes(), fetched) for path, fetched in first] == [(b"first", True), (b"second", True)]
    again = assets.fetch_official_prompts(source=address, expected=EXPECTED)
    assert [fetched for _, fetched in again] == [False, False]
    assert len(server.requests) == 2


def test_a_damaged_copy_is_fetched_again(source):
    address, _, _ = source
    [(path, _), _] = assets.fetch_official_prompts(source=address, expected=EXPECTED)
    path.write_bytes(b"tampered")
    assert [fetched for _, fetched in assets.fetch_official_prompts(source=address, expected=EXPECTED)] == [True, False]
    assert path.read_bytes() == b"first"


def test_another_content_is_refused(source):
    address, _, folder = source
    (folder / "one.txt").write_bytes(b"other")
    with pytest.raises(ConfigError, match=r"one.txt has sha256 .* refused"):
        assets.fetch_official_prompts(source=address, expected=EXPECTED)
    assert not (assets.official_prompt_folder() / "one.txt").exists()


def test_unreachable_names_the_mend(tmp_path, monkeypatch):
    monkeypatch.setenv("COLBENCH_CACHE", str(tmp_path))
    with pytest.raises(ConfigError, match=r"cannot be fetched.*Mend"):
        assets.fetch_official_prompts(source="http://127.0.0.1:9", expected=EXPECTED, seconds=2)


def test_reading_one(tmp_path, monkeypatch):
    monkeypatch.setenv("COLBENCH_CACHE", str(tmp_path))
    name = "llm_agent_code_prompt.txt"
    with pytest.raises(ConfigError, match="--official-prompts"):
        assets.official_prompt(name)
    with pytest.raises(ConfigError, match="no official prompt"):
        assets.official_prompt("mine.txt")
    folder = assets.official_prompt_folder()
    folder.mkdir(parents=True)
    (folder / name).write_text("not it")
    with pytest.raises(ConfigError, match="not the official file"):
        assets.official_prompt(name)

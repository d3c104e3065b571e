"""Every hostile page ends, leaks nothing, shows no file, and leaves the next page as it was."""

from __future__ import annotations

import importlib.util
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from colbench_gym.grading import render
from colbench_gym.grading.browser import service

PATH = Path(__file__).with_name("hostile_pages.py")
ORDINARY = "<html><body style='background:#def'><h1>Hello</h1><p style='width:9em'>An ordinary page.</p></body></html>"
MARGIN_SECONDS = 20.0
"""Above the limit: launches of the browser and preparation, on a busy machine."""

pytestmark = [pytest.mark.browser, pytest.mark.slow]


class Canary:
    """A TCP and a UDP port of this machine that nobody may touch. TCP answers as an HTTP server would."""

    def __init__(self) -> None:
        self.touched: list[str] = []
        self.tcp = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", 0))
        threading.Thread(target=self._accept, daemon=True).start()
        threading.Thread(target=self._receive, daemon=True).start()

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.tcp.getsockname()[1]}"

    def _accept(self) -> None:
        while True:
            connection, _ = self.tcp.accept()
            with connection:
                connection.settimeout(2)
                self.touched.append(f"TCP {connection.recv(200)!r}")
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi")

    def _receive(self) -> None:
        while True:
            self.touched.append(f"UDP {self.udp.recv(200)!r}")


@pytest.fixture(scope="module")
def canary() -> Canary:
    return Canary()


@pytest.fixture(scope="module")
def ordinary() -> Iterator[bytes]:
    yield render.render(ORDINARY).png
    render.close()


def cases() -> ModuleType:
    spec = importlib.util.spec_from_file_location("hostile_pages", PATH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


CASES = cases()


@pytest.mark.parametrize("name", CASES.pages())
def test_hostile_page(name: str, canary: Canary, ordinary: bytes):
    html = CASES.pages(canary.origin, canary.udp.getsockname()[1])[name]
    start = time.monotonic()
    result = next(iter(render.render_many([html])))
    if isinstance(result, render.Unrenderable):
        assert result.reason in ("timeout", "memory", "too_large")
    else:
        assert not any("root:" in box.text for box in result.boxes)
        assert len(result.png) > 100
    assert time.monotonic() - start < service.BUSY_SECONDS + service.SUSPECT_SECONDS + MARGIN_SECONDS
    assert render.render(ORDINARY).png == ordinary
    assert not canary.touched


def test_the_canary_sings(canary: Canary):
    """What the other tests rely on: it does notice."""
    own = Canary()
    with socket.create_connection(own.tcp.getsockname()) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\n\r\n")
        assert connection.recv(10).startswith(b"HTTP")
    own.udp.sendto(b"x", own.udp.getsockname())
    deadline = time.monotonic() + 5
    while len(own.touched) < 2 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert len(own.touched) == 2


@pytest.mark.parametrize("name", ["moving", "animated_image", "marquee", "smil"])
def test_what_moves_has_one_picture(name: str):
    html = CASES.pages()[name][:20_000]
    pictures = set()
    for pause in (0.0, 0.3, 0.0, 0.7):
        time.sleep(pause)
        pictures.add(render.render(html).png)
    assert len(pictures) == 1

"""Who is blamed when a limit breaks, and who is not. The limits are lowered, so that it takes seconds."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import psutil
import pytest

from colbench_gym.errors import GraderError
from colbench_gym.grading import render
from colbench_gym.grading.browser import service

pytestmark = pytest.mark.browser

PAGES = [f"<html><body><h1>Page {number}</h1><p style='width:{number}00px'>text" for number in range(1, 9)]
ENDLESS = (
    "<script src=https://cdn.tailwindcss.com></script><script>tailwind.config={};while(true){}</script><p class='p-4'>a"
)
GREEDY = ENDLESS.replace("while(true){}", "let a=[];while(1){let b=new Uint8Array(1e8);b.fill(1);a.push(b)}")


@pytest.fixture(scope="module")
def expected() -> list[bytes]:
    return [render.render(html).png for html in PAGES]


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, seconds in (("SUSPECT_SECONDS", 2.0), ("PAGE_SECONDS", 3.0), ("PROCESSOR_SECONDS", 0.5)):
        monkeypatch.setattr(service, name, seconds)


def browser_processes(kind: str) -> list[psutil.Process]:
    """This process's browser processes: `renderer`, or `browser` for the first one."""
    found = []
    for process in psutil.Process().children(recursive=True):
        try:
            line = process.cmdline()
        except psutil.Error:
            continue
        types = [argument.removeprefix("--type=") for argument in line if argument.startswith("--type=")]
        if "--remote-debugging-pipe" in line and "guardian.py" not in " ".join(line[:5]):
            types = types or ["browser"]
        if kind in types:
            found.append(process)
    return found


def killing(kind: str, done: threading.Event, *, busy_seconds: float = 0.0) -> Callable[[], None]:
    """Kills every such process that has used that much of the processor, until `done`."""

    def kill() -> None:
        while not done.wait(0.1):
            for process in browser_processes(kind):
                try:
                    if process.cpu_times().user >= busy_seconds:
                        process.kill()
                except psutil.Error:
                    continue

    return kill


def check_among_others(bad: str, reason: str, expected: list[bytes]) -> None:
    pages = [*PAGES[:3], bad, *PAGES[3:]]
    results = list(render.render_many(pages, in_flight=4))
    culprit = results.pop(3)
    assert isinstance(culprit, render.Unrenderable)
    assert culprit.reason == reason
    assert [result.png for result in results if isinstance(result, render.Render)] == expected


def test_an_endless_page_among_others(impatient: None, expected: list[bytes]):
    check_among_others(ENDLESS, "timeout", expected)


def test_a_greedy_page_among_others(monkeypatch: pytest.MonkeyPatch, expected: list[bytes]):
    monkeypatch.setattr(service, "MEMORY_BYTES", 500 * 2**20)
    check_among_others(GREEDY, "memory", expected)


def test_a_page_whose_renderer_dies_twice(expected: list[bytes]):
    done = threading.Event()
    thread = threading.Thread(target=killing("renderer", done, busy_seconds=1.0))
    thread.start()
    try:
        with pytest.raises(render.Unrenderable) as caught:
            render.render(ENDLESS)
    finally:
        done.set()
        thread.join()
    assert caught.value.reason == "crash"
    assert render.render(PAGES[0]).png == expected[0]


def test_a_browser_that_is_killed_from_outside_once(expected: list[bytes]):
    assert browser_processes("browser")
    for process in browser_processes("browser"):
        process.kill()
    results = list(render.render_many(PAGES))
    assert [result.png for result in results if isinstance(result, render.Render)] == expected


def test_a_driver_that_is_killed(expected: list[bytes]):
    drivers = [process for process in psutil.Process().children() if "run-driver" in process.cmdline()]
    assert len(drivers) == 1
    drivers[0].kill()
    results = list(render.render_many(PAGES))
    assert [result.png for result in results if isinstance(result, render.Render)] == expected


def test_a_browser_that_is_killed_whenever_it_starts(expected: list[bytes]):
    done = threading.Event()
    thread = threading.Thread(target=killing("browser", done))
    thread.start()
    try:
        with pytest.raises(GraderError) as caught:
            render.render(ENDLESS)
    finally:
        done.set()
        thread.join()
    assert not isinstance(caught.value, render.Unrenderable)
    assert "Mend" in str(caught.value)
    assert render.render(PAGES[0]).png == expected[0]


def test_many_threads(expected: list[bytes]):
    results: dict[int, bytes] = {}

    def work(number: int) -> None:
        results[number] = render.render(PAGES[number]).png

    threads = [threading.Thread(target=work, args=[number]) for number in range(len(PAGES))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [results[number] for number in range(len(PAGES))] == expected


def test_pages_that_nobody_waits_for_any_more(expected: list[bytes]):
    for _ in range(10):
        results = render.render_many(PAGES, in_flight=8)
        next(results)
        results.close()  # pyright: ignore[reportAttributeAccessIssue]
    assert render.render(PAGES[0]).png == expected[0]


def test_close_while_pages_are_in_flight():
    results: list[BaseException] = []

    def work() -> None:
        try:
            render.render(ENDLESS)
        except GraderError as error:
            results.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    time.sleep(1)
    render.close()
    thread.join(timeout=10)
    assert not thread.is_alive()
    assert "closed" in str(results[0])


def test_nothing_grows():
    """Not the files that are open, nor the threads, nor (much) the browser's memory."""
    me = psutil.Process()
    list(render.render_many(PAGES))
    files, threads = me.num_fds(), me.num_threads()
    memory = sum(process.memory_info().rss for process in browser_processes("renderer"))
    for _ in range(5):
        list(render.render_many(PAGES))
    assert me.num_fds() <= files + 2
    assert me.num_threads() <= threads
    assert sum(process.memory_info().rss for process in browser_processes("renderer")) < memory + 200 * 2**20

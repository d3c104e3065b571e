"""Ending what grading has started, and starting anew."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from colbench_gym import grading
from colbench_gym.grading import render
from colbench_gym.grading.sandbox import shared_sandbox
from colbench_gym.tasks import load_tasks

SLOW = "import time\ndef total(net):\n    time.sleep(0.3)\n    return round(net * 1.19, 2)"


def test_a_sandbox_in_use_is_left_alone(task_file):
    task = load_tasks(task_file)[0]
    sandbox = shared_sandbox()
    assert grading.grade(task, SLOW).success
    zygote = sandbox._zygote
    with ThreadPoolExecutor(1) as threads:
        answer = threads.submit(grading.grade, task, SLOW)
        deadline = time.monotonic() + 20
        while not sandbox._calls and time.monotonic() < deadline:
            time.sleep(0.01)
        grading.rest()
        assert sandbox._zygote is zygote
        assert answer.result().success
    grading.rest()
    assert sandbox._zygote is None
    assert grading.grade(task, SLOW).success
    assert sandbox._zygote is not None


@pytest.mark.browser
@pytest.mark.slow
def test_a_browser_in_use_is_left_alone():
    pages = render.render_many(["<p>One</p>", "<p>Two</p>"], in_flight=1)
    first = next(iter(pages))
    grading.rest()
    assert isinstance(first, render.Render)
    assert [thread.name for thread in threading.enumerate()].count("colbench-renderer") == 1
    assert isinstance(next(pages), render.Render)
    pages.close()  # pyright: ignore[reportAttributeAccessIssue]  (a generator)
    grading.rest()
    assert "colbench-renderer" not in [thread.name for thread in threading.enumerate()]
    assert render.render("<p>One</p>").png == first.png
    grading.rest()

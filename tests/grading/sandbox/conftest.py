"""Sandboxes shared by the tests of this directory, one for each isolation that this machine gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from colbench_gym.errors import IsolationUnavailable
from colbench_gym.grading.sandbox import Job, Sandbox
from colbench_gym.grading.sandbox.isolation import NAMES

MakeJob = Callable[..., Job]


@pytest.fixture(scope="session")
def make_job() -> MakeJob:
    """`make_job(source, *calls, seconds=1.0)`: a job under the `strict` rules whose tests are numbered from 0."""

    def make(source: str, *calls: str, seconds: float = 1.0) -> Job:
        tests = tuple((index, compile(call, "<test>", "eval")) for index, call in enumerate(calls))
        return Job("strict", source, tests, seconds)

    return make


@pytest.fixture(scope="session", params=NAMES)
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """A sandbox in each mode that works here."""
    with_mode = Sandbox(request.param)
    try:
        with with_mode:
            yield with_mode
    except IsolationUnavailable as error:
        pytest.skip(f"{request.param}: {error}")


@pytest.fixture(scope="session")
def best_sandbox() -> Iterator[Sandbox]:
    """A sandbox in the best mode that works here."""
    with Sandbox() as best:
        yield best

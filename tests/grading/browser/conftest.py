from __future__ import annotations

from collections.abc import Iterator

import pytest

from colbench_gym.grading import render


@pytest.fixture(scope="module", autouse=True)
def _no_browser_is_left() -> Iterator[None]:
    yield
    render.close()

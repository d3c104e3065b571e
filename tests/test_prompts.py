from __future__ import annotations

import hashlib

import pytest

from colbench_gym import instructions
from colbench_gym.errors import ConfigError
from colbench_gym.prompts import LATEST
from colbench_gym.protocol import ANSWER_MARKER, OUTPUT_MARKER, rewrite_images

RELEASED = {
    "backend v1": "f8dc9076d88ab8ecbdc455e12fd92e163d1a4259e534c556a036f617a147e363",
    "frontend v1": "173e4142b1afa8841154a0286bd0d6a5e5a5c30b305df3a6260e3838f4a5f2d2",
}


@pytest.mark.parametrize("domain", LATEST)
def test_what_a_model_must_be_told(domain: str):
    text = instructions(domain, max_turns=7)
    assert ANSWER_MARKER in text
    assert OUTPUT_MARKER in text
    assert "7 turns" in text
    assert "{" not in text


def test_the_frontend_instructions_name_what_the_renderer_takes():
    text = instructions("frontend")
    assert "https://cdn.jsdelivr.net/npm/tailwindcss@2.2.19/dist/tailwind.min.css" in text
    example = "https://picsum.photos/id/48/W/H"
    assert example in text
    filled = example.replace("W", "300").replace("H", "200")
    assert rewrite_images(filled) == filled == rewrite_images("https://picsum.photos/300/200")


def test_a_released_version_never_changes():
    for name, checksum in RELEASED.items():
        domain, version = name.split()
        text = instructions(domain, version=version)
        assert hashlib.sha256(text.encode()).hexdigest() == checksum


def test_unknown_ones():
    with pytest.raises(ConfigError, match="backend"):
        instructions("cooking")
    with pytest.raises(ConfigError, match="'v1' is the latest"):
        instructions("backend", version="v99")


def test_the_name_stays_a_function():
    import colbench_gym
    import colbench_gym.wrappers  # imports the module the function lives in

    assert callable(colbench_gym.instructions)

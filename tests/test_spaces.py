from __future__ import annotations

import pytest

from colbench_gym.spaces import ChatMessageList, UnicodeText

spaces = pytest.mark.parametrize("make", [UnicodeText, ChatMessageList])


@spaces
def test_contract(make):
    space = make(seed=3)
    assert space.contains(space.sample())
    assert space == make(seed=4)
    assert hash(space) == hash(make())
    assert space != 3
    assert repr(space) == f"{make.__name__}()"
    assert not space.is_np_flattenable
    assert [make(seed=3).sample() for _ in range(2)] == [make(seed=3).sample()] * 2


def test_text():
    space = UnicodeText()
    for text in ("", "Grüße, 世界 🌍", "x" * 100_000, "\ud800"):
        assert space.contains(text)
    assert not space.contains(b"bytes")
    assert not space.contains(None)


def test_messages():
    space = ChatMessageList()
    assert space.contains([])
    assert space.contains([{"role": "assistant", "content": "hi"}])
    assert not space.contains([{"role": "system", "content": "hi"}])
    assert not space.contains([{"role": "user"}])
    assert not space.contains("hi")

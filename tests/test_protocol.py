from __future__ import annotations

import pytest

from colbench_gym.protocol import answer_in, clip, official_code, signature_in, spoken, transcript


@pytest.mark.parametrize(
    ("action", "said"),
    [
        ("hello", "hello"),
        ("I should ask first. OUTPUT: Which unit?", " Which unit?"),
        ("a OUTPUT: b OUTPUT: c", " b "),
        ("OUTPUT:", ""),
        ("output: lower case is no marker", "output: lower case is no marker"),
        ("", ""),
    ],
)
def test_spoken(action: str, said: str):
    assert spoken(action) == said


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        ("What is the limit?", None),
        ("I WANT TO ANSWER:\ndef f(): pass", "\ndef f(): pass"),
        ("Fine. I WANT TO ANSWER: a I WANT TO ANSWER: b", " a "),
        ("I WANT TO ANSWER:", ""),
        ("I want to answer: no", None),
    ],
)
def test_answer_in(message: str, answer: str | None):
    assert answer_in(message) == answer


def test_thinking_cannot_answer():
    assert answer_in(spoken("I WANT TO ANSWER: too early OUTPUT: one question")) is None


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ("def f(): pass", "def f(): pass"),
        ("see\n```python\na = 1\n```\nand\n```python\nb = 2\n```", "\na = 1\n"),
        ("```\na = 1\n```", "\na = 1\n"),
        ("```py\na = 1\n```", "py\na = 1\n"),
        ("```Python\na = 1\n```", "Python\na = 1\n"),
        ("```\nnot this\n```\n```python\nthis\n```", "\nthis\n"),
        ("```python\nunclosed", "\nunclosed"),
        ("~~~\na = 1\n~~~", "~~~\na = 1\n~~~"),
    ],
)
def test_official_code(answer: str, code: str):
    assert official_code(answer) == code


@pytest.mark.parametrize(
    ("description", "signature"),
    [
        ("Please help. Signature: def f(a, b)", "def f(a, b)"),
        ("def old(x) and then def new(y, z=(1, 2))", "def new(y, z=(1, 2))"),
        ("cut off: def f(weights={'a'", "def f(weights={'a'"),
        ("define nothing", None),
    ],
)
def test_signature_in(description: str, signature: str | None):
    assert signature_in(description) == signature


def test_clip_and_transcript():
    assert clip("abcdef", 4) == "abcd"
    assert (
        transcript([{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}])
        == "User: a\n\nAssistant: b"
    )

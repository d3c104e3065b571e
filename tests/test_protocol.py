from __future__ import annotations

import pytest

from colbench_gym.protocol import (
    answer_in,
    clip,
    last_snippet,
    official_code,
    rewrite_images,
    signature_in,
    snippet_in,
    spoken,
    transcript,
)


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


PAGE = "<html><body><p>hi</p></body></html>"


@pytest.mark.parametrize(
    ("message", "official", "strict"),
    [
        (f"Here you are:\n```html\n<!DOCTYPE html>\n{PAGE}\n```\nAnything else?", PAGE, PAGE),
        (f"{PAGE} or rather <html>second</html>", PAGE, PAGE),
        ("<html lang='en'>\n<body>\n</body>\n</html>", "<html lang='en'>\n<body>\n</body>\n</html>", ...),
        ("see <body class=x>a</body> there", "<body class=x>a</body>", ...),
        ("Which colour should the header have?", None, None),
        ("Should it be a <table> or a <div>?", None, None),
        ("<think>a page, hm</think> Which colour?", None, None),
        ("```xml\n<tool_call>x</tool_call>\n```", None, None),
        ("```python\nprint('<p>')\n```", None, None),
        ("", None, None),
        ("<HTML><BODY>loud</BODY></HTML>", None, "<HTML><BODY>loud</BODY></HTML>"),
        ("```html\n<html><head></head><body>cut off\n```\nbye", None, "<html><head></head><body>cut off"),
        ("<html><head></head><body>cut <p>off", None, "<html><head></head><body>cut <p>off"),
        # The official rule loses the head of a page that was cut off; then nothing of Tailwind is left.
        ("<html><link href=a.css><body>x</body>", "<body>x</body>", "<html><link href=a.css><body>x</body>"),
        ("```\n<div class='p-4'>\n  <p>hi\n</div>\n```", None, "<div class='p-4'>\n  <p>hi\n</div>"),
        ("```HTML\r\n<p>a\r\n```", None, "<p>a"),
        ("Sure.\n<div>\n<div>a</div>\n</div>\nOK?", None, "<div>\n<div>a</div>\n</div>"),
        ("<p>only this", None, "<p>only this"),
    ],
)
def test_snippet_in(message: str, official: str | None, strict: str | None):
    strict = official if strict is ... else strict
    assert snippet_in(message, "official") == official
    assert snippet_in(message) == strict
    if strict is not None:
        assert snippet_in(strict) == strict, "cutting a page out of a page gives the page"


def test_snippet_of_a_large_page_is_quick_and_whole():
    page = "<html><body>" + "<div class='p-1'>words</div>" * 7_000 + "</body></html>"
    assert len(page) > 190_000
    assert snippet_in(f"text\n```html\n{page}\n```") == page
    assert snippet_in("<html" * 20_000) is None


def test_last_snippet_is_the_newest_of_the_agent():
    def says(role: str, text: str):
        return {"role": role, "content": text}

    dialogue = [says("user", PAGE), says("assistant", "What is it about?"), says("user", "Bread.")]
    assert last_snippet(dialogue) is None
    dialogue += [
        says("assistant", f"So? {PAGE}"),
        says("user", "Bigger."),
        says("assistant", "I WANT TO ANSWER: that one"),
    ]
    assert last_snippet(dialogue) == PAGE
    assert last_snippet([*dialogue, says("assistant", "<body>b</body>")]) == "<body>b</body>"


@pytest.mark.parametrize(
    ("html", "rewritten"),
    [
        ("https://source.unsplash.com/random/300x200/?cat,dog", "https://picsum.photos/id/48/300/200"),
        ('"https://source.unsplash.com/random/1x2"', '"https://picsum.photos/id/48/1/2"'),
        ("url(https://picsum.photos/640/480)", "url(https://picsum.photos/id/48/640/480)"),
        ("https://picsum.photos/id/48/300/200", "https://picsum.photos/id/48/300/200"),
        ("https://example.org/300/200", "https://example.org/300/200"),
    ],
)
def test_rewrite_images(html: str, rewritten: str):
    assert rewrite_images(html) == rewritten
    assert rewrite_images(rewritten) == rewritten


@pytest.mark.parametrize(
    "piece", ["<html", "<html>", "<body>", "<div>\n", "</div>\n<div\n", "```html\n", "```\n<think>", "<p>"]
)
@pytest.mark.parametrize("profile", ["strict", "official"])
def test_snippets_take_linear_time(piece: str, profile):
    """With a pattern that backtracks, a message of this size takes minutes."""
    snippet_in(piece * 100_000, profile)
    snippet_in("x\n" + piece * 100_000, profile)

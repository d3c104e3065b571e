"""The language-model user that sees both pages, against a real server that records what it is sent."""

from __future__ import annotations

import base64
import hashlib
import json
import pickle
import threading
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from colbench_gym.errors import ConfigError, GraderError, MissingExtra, SimulatorError, TaskError
from colbench_gym.grading.render import Render, Unrenderable, render
from colbench_gym.protocol import USER_CHARACTERS, last_snippet
from colbench_gym.simulators import chat_vision, make_user
from colbench_gym.simulators.chat import ChatUser
from colbench_gym.simulators.chat_vision import NARROWEST, TALLEST, WIDEST, Picture, pictures, without_page
from colbench_gym.simulators.model_user import read_prompt
from colbench_gym.types import Message, Task, User

pytest.importorskip("openai", reason="the extra 'llm' is not installed")
Image = pytest.importorskip("PIL.Image", reason="the extra 'frontend' is not installed")

RELEASED = {"user_frontend_v1": "b893ccbd2f7bfecaf62610cc836113b9de8b6d068f619bf1eaf8d08b83eb38ef"}
GOOD = "The bar at the top should be dark blue with white words, and a photo belongs below it."
BLIND = "I'm sorry, but I can't see the images. Please upload them again."
PAGE = "<html><body style='background: {}; margin: 0'><h1>Kornblume</h1><p>{}</p></body></html>"
TASK = Task("bakery", "frontend", "A warm page for a bakery.", PAGE.format("wheat", "Open from six."))
BUILT = PAGE.format("navy", "Welcome!")
FENCED = f"Here is a first page.\n```html\n{BUILT}\n```\nDo you like it?"


def dialogue(*agent: str) -> list[Message]:
    messages: list[Message] = [{"role": "user", "content": TASK.description}]
    for said in agent:
        messages += [{"role": "assistant", "content": said}, {"role": "user", "content": "The bar should be blue."}]
    return messages[:-1]


class Server(ThreadingHTTPServer):
    """Answers every request with the next of `answers` (status, headers, content); keeps the requests."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers: list[tuple[int, dict[str, str], str]] = []
        self.bodies: list[dict[str, Any]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def says(self, *contents: str) -> None:
        self.answers += [(200, {}, content) for content in contents]


class Handler(BaseHTTPRequestHandler):
    server: Server  # pyright: ignore[reportIncompatibleVariableOverride]

    def do_POST(self) -> None:
        self.server.bodies.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        status, headers, content = self.server.answers.pop(0)
        choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}
        answer = {"choices": [choice]} if status == 200 else {"error": {"message": content}}
        body = json.dumps(answer).encode()
        self.send_response(status)
        for name, value in {**headers, "content-type": "application/json", "content-length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing on standard error."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def plain(html: str, height: int, width: int = 1280) -> Render:
    """A picture that depends on the page's text, in place of a browser's."""
    colour = tuple(hashlib.sha256(html.encode()).digest()[:3])
    image = Image.new("RGB", (width, height), colour)
    image.paste((0, 0, 0), (0, 0, width, height // 2))
    written = BytesIO()
    image.save(written, "PNG")
    return Render(written.getvalue(), width, height, (), "default", "plain 1")


@pytest.fixture
def painted(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Pages as `plain` paints them, 720 pixels high; another height, or an error, by the page's HTML."""
    chosen: dict[str, Any] = {}

    def paint(html: str, *, geometry: str = "default") -> Render:
        result = chosen.get(html, 720)
        if isinstance(result, Exception):
            raise result
        return plain(html, result)

    monkeypatch.setattr(chat_vision, "render", paint)
    chat_vision._rendered.cache_clear()
    monkeypatch.setattr(chat_vision, "_rendered", chat_vision._rendered.__wrapped__)
    return chosen


def image_in(part: dict[str, Any]) -> Any:
    assert part["type"] == "image_url"
    kind, _, data = part["image_url"]["url"].partition(",")
    assert kind == "data:image/png;base64"
    return Image.open(BytesIO(base64.b64decode(data, validate=True)))


def texts_in(message: dict[str, Any]) -> list[str]:
    return [part["text"] for part in message["content"] if part["type"] == "text"]


# -- what is sent


@pytest.mark.browser
@pytest.mark.parametrize("geometry", ["default", "official"])
def test_the_request(server: Server, geometry: Any) -> None:
    server.says(GOOD)
    user = make_user(f"chat:vlm@{server.url}?geometry={geometry}", domain="frontend")
    assert isinstance(user, User)
    assert user.respond(TASK, dialogue(FENCED)).text == GOOD
    (body,) = server.bodies
    system, said = body["messages"]
    assert body["temperature"] == 0
    assert system["role"] == "system"
    assert TASK.description in system["content"]
    assert said["role"] == "user"
    kinds = [part["type"] for part in said["content"]]
    assert kinds == ["text", "text", "image_url", "text", "image_url"]
    assert texts_in(said) == [
        "Here is a first page.\n[page]\nDo you like it?",
        "[Picture 1: the page you want]",
        "[Picture 2: the last page you were shown]",
    ]
    page = last_snippet(dialogue(FENCED))
    assert page == BUILT
    for part, html in ((said["content"][2], TASK.reference), (said["content"][4], page)):
        sent = image_in(part)
        shown = render(html, geometry=geometry)
        size = (WIDEST, round(shown.height * WIDEST / shown.width))
        assert sent.size == size
        assert sent.mode == "RGB"
        expected = Image.open(BytesIO(shown.png)).convert("RGB").resize(size, Image.Resampling.LANCZOS)
        assert sent.tobytes() == expected.tobytes()
    assert "<h1>" not in json.dumps(body), "the person reads no code"


def test_before_the_first_page_only_the_wanted_one_is_shown(server: Server, painted: dict[str, Any]) -> None:
    server.says(GOOD)
    ChatUser("vlm", server.url, domain="frontend").reply(TASK, dialogue("What colour is the header?"))
    said = server.bodies[0]["messages"][-1]["content"]
    assert [part["type"] for part in said] == ["text", "text", "image_url", "text"]
    assert image_in(said[2]).getpixel((0, 570)) == image_of(TASK.reference).getpixel((0, 570))
    assert said[3]["text"] == "[There is no Picture 2: no page has been shown yet.]"


def image_of(html: str) -> Any:
    return Image.open(BytesIO(plain(html, 720).png))


def test_a_question_later_is_answered_with_the_last_page_in_view(server: Server, painted: dict[str, Any]) -> None:
    server.says(GOOD)
    newer = BUILT.replace("navy", "teal")
    messages = dialogue(FENCED, f"A newer one: {newer}", "How tall is the bar?")
    ChatUser("vlm", server.url, domain="frontend").reply(TASK, messages)
    sent = server.bodies[0]["messages"]
    assert [message["role"] for message in sent] == ["system", "user", "assistant", "user", "assistant", "user"]
    assert sent[1]["content"] == "Here is a first page.\n[page]\nDo you like it?"
    assert sent[3]["content"] == "A newer one: [page]"
    last = sent[-1]["content"]
    assert last[0]["text"] == "How tall is the bar?"
    assert image_in(last[4]).getpixel((0, 570)) == image_of(newer).getpixel((0, 570))
    assert sum(part["type"] == "image_url" for part in last) == 2


@pytest.mark.parametrize("reason", ["too_large", "timeout", "memory", "crash"])
def test_a_page_that_cannot_be_rendered_is_told_in_words(server: Server, painted: dict[str, Any], reason: str) -> None:
    painted[BUILT] = Unrenderable(reason, "it went wrong")
    server.says(GOOD)
    ChatUser("vlm", server.url, domain="frontend").reply(TASK, dialogue(FENCED))
    said = server.bodies[0]["messages"][-1]["content"]
    assert [part["type"] for part in said] == ["text", "text", "image_url", "text"]
    assert said[3]["text"].startswith("[There is no Picture 2: the last page cannot be displayed, ")


def test_a_reference_that_cannot_be_rendered_is_the_tasks_fault(server: Server, painted: dict[str, Any]) -> None:
    painted[TASK.reference] = Unrenderable("timeout", "it went wrong")
    with pytest.raises(TaskError, match="task bakery: its reference cannot be rendered"):
        ChatUser("vlm", server.url, domain="frontend").reply(TASK, dialogue(FENCED))
    assert not server.bodies


def test_a_broken_browser_is_the_users_failure(server: Server, painted: dict[str, Any]) -> None:
    painted[BUILT] = GraderError("the browser is gone. Mend: start it again")
    with pytest.raises(SimulatorError, match=r"cannot be shown the pages: the browser is gone\. Mend: start"):
        ChatUser("vlm", server.url, domain="frontend").reply(TASK, dialogue(FENCED))
    assert not server.bodies


def test_a_prompt_with_history_is_one_message_with_the_pictures_behind_it(
    server: Server, painted: dict[str, Any], tmp_path: Path
) -> None:
    file = tmp_path / "prompt.txt"
    file.write_text("Want: {problem_description}\nCode: {hidden_information}\nSaid:\n{dialogue_history}", "utf-8")
    server.says(GOOD)
    user = make_user(f"chat:vlm@{server.url}?prompt={file}", domain="frontend")
    user.reply(TASK, dialogue(FENCED))
    (said,) = server.bodies[0]["messages"]
    assert said["role"] == "user"
    assert [part["type"] for part in said["content"]] == ["text", "text", "image_url", "text", "image_url"]
    assert said["content"][0]["text"] == (
        f"Want: {TASK.description}\nCode: {TASK.reference}\nSaid:\n"
        "Agent: Here is a first page.\n    [page]\n    Do you like it?"
    )
    assert user.identity["prompt"] == "prompt.txt"
    file.write_text("Look.", "utf-8")
    assert ChatUser("vlm", server.url, domain="frontend", prompt=file).prompt_name == "prompt.txt"


def test_the_profile_decides_which_page_is_shown(server: Server, painted: dict[str, Any]) -> None:
    unclosed = BUILT.replace("navy", "red").replace("</html>", "")
    messages = dialogue(FENCED, f"Better:\n{unclosed}")
    for profile, page in (("strict", unclosed), ("official", BUILT)):
        server.says(GOOD)
        make_user(f"chat:vlm@{server.url}?profile={profile}", domain="frontend").reply(TASK, messages)
        shown = last_snippet(messages, profile)  # pyright: ignore[reportArgumentType]
        last = server.bodies[-1]["messages"][-1]["content"]
        if profile == "strict":
            assert shown == page
        assert shown is not None
        assert image_in(last[4]).getpixel((0, 570)) == image_of(shown).getpixel((0, 570))


# -- pictures


def shown(wanted: int, built: int, painted: dict[str, Any]) -> list[Picture]:
    painted[TASK.reference], painted[BUILT] = wanted, built
    found = pictures(TASK, dialogue(FENCED), "default", "strict")
    assert all(isinstance(one, Picture) for one in found)
    for one in found:
        assert isinstance(one, Picture)
        assert Image.open(BytesIO(one.png)).size == (one.width, one.height)
    return found  # pyright: ignore[reportReturnType]


@pytest.mark.parametrize(
    ("wanted", "built", "sizes"),
    [
        (720, 720, [(1024, 576), (1024, 576)]),
        (2560, 720, [(1024, 2048), (1024, 576)]),
        (3000, 1000, [(874, 2048), (874, 683)]),
        (720, 16384, [(768, 432), (768, 2048)]),
        (16384, 16384, [(768, 2048), (768, 2048)]),
        (1, 1, [(1024, 1), (1024, 1)]),
    ],
)
def test_both_are_scaled_alike(
    wanted: int, built: int, sizes: Sequence[tuple[int, int]], painted: dict[str, Any]
) -> None:
    found = shown(wanted, built, painted)
    assert [(one.width, one.height) for one in found] == sizes
    assert all(NARROWEST <= one.width <= WIDEST and one.height <= TALLEST for one in found)


def test_what_is_cut_off_is_said_and_nothing_is_squeezed(painted: dict[str, Any]) -> None:
    _, built = shown(720, 6826, painted)  # 4096 pixels at a width of 768: twice what is shown
    assert built.caption == "[Picture 2: the last page you were shown, the upper 50% of it]"
    image = Image.open(BytesIO(built.png))
    # `plain` paints the upper half black: it fills the picture.
    assert image.getpixel((10, TALLEST - 10)) == (0, 0, 0)


def test_the_same_pages_make_the_same_bytes(painted: dict[str, Any]) -> None:
    assert shown(1500, 900, painted) == shown(1500, 900, painted)


@pytest.mark.parametrize(
    ("message", "heard"),
    [
        (f"{BUILT}", "[page]"),
        (f"```html\n{BUILT}\n```", "[page]"),
        (f"Look:\n\n```\n{BUILT}\n```\n\nFine?", "Look:\n\n[page]\n\nFine?"),
        (f"```html\n{BUILT}", "[page]"),
        (f"A {BUILT.replace('<p>', '<img src=https://picsum.photos/20/30><p>')} b", "A [page] b"),
        ("A\r\n" + BUILT.replace("<p>", "\r\n<p>") + "\r\nb", "A\n[page]\nb"),
        ("Is it blue?", "Is it blue?"),
        ("Is {it} $1 \\1?", "Is {it} $1 \\1?"),
    ],
)
def test_the_person_reads_no_code(message: str, heard: str) -> None:
    assert without_page(message, "strict") == heard


# -- what comes back


@pytest.mark.parametrize(
    ("faulty", "fault"),
    [
        (BLIND, "cannot see"),
        ("As an AI language model, I cannot have a taste.", "role confusion"),
        ("I'm sorry, but I can't assist with that.", "refusal"),
        ("```html\n<html></html>\n```", "code"),
        ("Put <h1> there.", "code"),
        ("", "empty"),
        ("PROMPT", "prompt echo"),
    ],
)
def test_a_faulty_reply_is_asked_for_once_more(
    faulty: str, fault: str, server: Server, painted: dict[str, Any]
) -> None:
    faulty = read_prompt(domain="frontend")[1][-300:] if faulty == "PROMPT" else faulty
    server.says(faulty, GOOD)
    user = ChatUser("vlm", server.url, domain="frontend")
    assert user.reply(TASK, dialogue(FENCED)) == GOOD
    first, second = server.bodies
    assert {**first, "messages": []} == {**second, "messages": []}, "same temperature, same seed"
    assert second["messages"][:-1] == first["messages"][:-1]
    *before, reminder = second["messages"][-1]["content"]
    assert before == first["messages"][-1]["content"]
    assert reminder["text"].startswith("[Your last try could not be used: ")
    assert user.faults == {fault: 1}
    assert user.usage.repeats == 1


def test_a_second_fault_is_an_error_that_names_both(server: Server, painted: dict[str, Any]) -> None:
    user = ChatUser("vlm", server.url, domain="frontend")
    server.says(BLIND, "Put <h1> there.")
    with pytest.raises(SimulatorError, match=r"no usable reply: cannot see \(.*\), then code \(.*Mend: "):
        user.reply(TASK, dialogue(FENCED))
    server.says(BLIND, BLIND)
    with pytest.raises(SimulatorError, match=r"cannot see \(\"I'm sorry.*the same twice\. Mend: "):
        user.reply(TASK, dialogue(FENCED))
    assert len(server.bodies) == 4
    assert user.usage.replies == 0


def test_a_long_reply_is_cut(server: Server, painted: dict[str, Any]) -> None:
    server.says(" ".join(f"Box {number} should be {'blue' if number % 2 else 'red'}." for number in range(100)))
    reply = ChatUser("vlm", server.url, domain="frontend").reply(TASK, dialogue(FENCED))
    assert USER_CHARACTERS["frontend"] * 0.9 < len(reply) <= USER_CHARACTERS["frontend"]
    assert reply.endswith(("blue.", "red."))


def test_too_many_requests_are_repeated_by_the_library(server: Server, painted: dict[str, Any]) -> None:
    server.answers += [(429, {"retry-after-ms": "20"}, "slow down")] * 2
    server.says(GOOD)
    assert ChatUser("vlm", server.url, domain="frontend", retries=2).reply(TASK, dialogue(FENCED)) == GOOD
    assert len(server.bodies) == 3
    server.answers += [(429, {"retry-after-ms": "20"}, "slow down")] * 3
    with pytest.raises(SimulatorError, match=r"429\) after 3 requests"):
        ChatUser("vlm", server.url, domain="frontend", retries=2).reply(TASK, dialogue(FENCED))


@pytest.mark.parametrize("status", [400, 500])
def test_a_model_without_eyes_is_named(status: int, server: Server, painted: dict[str, Any]) -> None:
    server.answers += [(status, {}, "image input is not supported")]
    with pytest.raises(SimulatorError, match=r"image input is not supported.*Mend: a model that takes pictures"):
        ChatUser("text", server.url, domain="frontend", retries=0).reply(TASK, dialogue(FENCED))


# -- what it is


def test_identity_tells_what_changes_a_reply(server: Server, tmp_path: Path) -> None:
    url = "http://127.0.0.1:1/v1"
    users = [
        ChatUser("m", url),
        ChatUser("m", url, domain="frontend"),
        ChatUser("m", url, domain="frontend", geometry="official"),
        ChatUser("m", url, domain="frontend", profile="official"),
    ]
    assert len({json.dumps(user.identity, sort_keys=True) for user in users}) == len(users)
    assert users[1].identity["prompt"] == "user_frontend_v1"
    assert pickle.loads(pickle.dumps(users[2])).identity == users[2].identity


@pytest.mark.parametrize("option", ["geometry=round", "profile=lax", "detail=high"])
def test_unusable_options(option: str) -> None:
    with pytest.raises(ConfigError, match="Mend: "):
        make_user(f"chat:m@http://127.0.0.1:1/v1?{option}", domain="frontend")


def test_a_released_prompt_never_changes() -> None:
    name, text = read_prompt(domain="frontend")
    assert hashlib.sha256(text.encode()).hexdigest() == RELEASED[name]
    assert text.count("{problem_description}") == 1


def test_without_pillow(server: Server, painted: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    renders = {html: plain(html, 720) for html in (TASK.reference, BUILT)}
    monkeypatch.setattr(chat_vision, "render", lambda html, geometry: renders[html])
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(MissingExtra, match=r"colbench-gym\[frontend\]"):
        ChatUser("vlm", server.url, domain="frontend").reply(TASK, dialogue(FENCED))

"""A real small model as the user: SmolLM2-135M-Instruct behind `transformers serve`.

So small a model is a poor person; what is tested is that whatever it says becomes a legal reply or an error that names
the fault.
"""

from __future__ import annotations

from io import BytesIO

import pytest

from colbench_gym.errors import SimulatorError
from colbench_gym.grading.render import Render
from colbench_gym.protocol import USER_CHARACTERS
from colbench_gym.simulators import chat_vision, make_user
from colbench_gym.simulators.chat import ChatUser
from colbench_gym.simulators.chat_replies import FAULTS, fault_in, sentence_ends
from colbench_gym.tasks import load_tasks
from colbench_gym.types import Message, Task

pytest.importorskip("openai", reason="the extra 'llm' is not installed")
Image = pytest.importorskip("PIL.Image", reason="the extra 'frontend' is not installed")

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("smollm2")]

QUESTIONS = (
    "Hi! What does a normal delivery cost?",
    "What does express add?",
    "Could you show me the code?",
)


def person(smollm2_at: str, max_tokens: int) -> ChatUser:
    user = make_user(f"chat:{smollm2_at}?max_tokens={max_tokens}&timeout=120&retries=1&deadline=400")
    assert isinstance(user, ChatUser)
    return user


def test_a_dialogue_with_a_real_model(smollm2_at: str) -> None:
    user = person(smollm2_at, 80)
    tasks = load_tasks("embedded-backend:test")
    task = tasks[7]
    assert "delivery fee" in task.description
    messages: list[Message] = [{"role": "user", "content": task.description}]
    said = 0
    for question in QUESTIONS:
        messages.append({"role": "assistant", "content": question})
        try:
            reply = user.respond(task, messages)
        except SimulatorError as error:
            told = str(error)
            assert any(fault in told for fault in FAULTS), told
            print(f"\nAgent: {question}\n  {told}")  # noqa: T201 (what a reader of the closing note wants to see)
            messages.pop()
            continue
        said += 1
        assert reply.text.strip()
        assert len(reply.text) <= USER_CHARACTERS["backend"]
        assert len(sentence_ends(reply.text)) <= 2
        assert fault_in(reply.text, task, messages, frozenset()) is None
        print(f"\nAgent: {question}\nUser:  {reply.text}  {list(reply.disclosed)}")  # noqa: T201
        messages.append({"role": "user", "content": reply.text})
    usage = user.usage
    print(f"\n{said} of {len(QUESTIONS)} answered; faults {dict(user.faults)}; {usage}")  # noqa: T201
    assert said >= 1
    assert usage.replies == said
    assert usage.prompt_tokens > 1000
    assert usage.completion_tokens > 0


def test_a_model_without_eyes(smollm2_at: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """`transformers serve` drops pictures that its model does not take, and says nothing of it."""
    written = BytesIO()
    Image.new("RGB", (1280, 720)).save(written, "PNG")
    black = Render(written.getvalue(), 1280, 720, (), "default", "black 1")
    monkeypatch.setattr(chat_vision, "_rendered", lambda *_: black)
    user = make_user(f"chat:{smollm2_at}?max_tokens=24&timeout=120&retries=1", domain="frontend")
    page = "<html><body><h1>Kornblume</h1></body></html>"
    task = Task("bakery", "frontend", "A warm page for a bakery.", page)
    messages: list[Message] = [
        {"role": "user", "content": task.description},
        {"role": "assistant", "content": f"Like this?\n{page}"},
    ]
    with pytest.raises(SimulatorError, match=r"does not see the pictures.*Mend: a model that takes pictures"):
        user.reply(task, messages)


def test_the_same_twice(smollm2_at: str) -> None:
    task = load_tasks("embedded-backend:test")[7]
    dialogue: list[Message] = [
        {"role": "user", "content": task.description},
        {"role": "assistant", "content": QUESTIONS[1]},
    ]
    outcomes = []
    for _ in range(2):
        user = person(smollm2_at, 40)
        try:
            outcomes.append(user.reply(task, dialogue))
        except SimulatorError as error:
            outcomes.append(str(error))
    assert outcomes[0] == outcomes[1]

"""The Frontend environment: what is handed in, what is shown, what is paid, and what never leaks."""

from __future__ import annotations

import json

import gymnasium
import numpy as np
import pytest

import colbench_gym  # noqa: F401  (registers the ids)
from colbench_gym.errors import ConfigError, SimulatorError
from colbench_gym.types import Reply, Task

pytestmark = pytest.mark.browser

LINK = '<link href="https://cdn.jsdelivr.net/npm/tailwindcss@2.2.19/dist/tailwind.min.css" rel="stylesheet">'
REFERENCE = f"""<html>
{LINK}
<body class="bg-gray-100">
<nav class="bg-blue-900 text-white p-6"><a>Home</a> <a>Bread</a></nav>
<main class="p-8"><h1 class="text-4xl font-bold">Miller's secret bakery</h1><p>Sourdough from five in the morning.</p>
<img src="https://picsum.photos/id/48/400/200"></main>
</body></html>"""
NEAR = REFERENCE.replace("bg-blue-900", "bg-blue-700")
FAR = f"<html>{LINK}<body class='bg-yellow-300'><p>Something else altogether</p></body></html>"
TASK = Task("bakery", "frontend", "A page for a bakery.", REFERENCE)


class Quiet:
    """A user of few words, so that these tests look at the environment alone."""

    identity = {"kind": "quiet"}  # noqa: RUF012

    def reply(self, task, messages):
        return "Go on."

    def respond(self, task, messages):
        return Reply("Go on.", ("nothing",))


def make(**arguments) -> gymnasium.Env:
    return gymnasium.make(
        "ColBench-Frontend-v0", **{"tasks": [TASK.to_dict()], "user": Quiet(), "similarity": "visual", **arguments}
    )


def play(env: gymnasium.Env, *actions: str) -> tuple[float, dict]:
    env.reset(seed=0)
    for action in actions:
        _, reward, terminated, _, info = env.step(action)
    assert terminated
    return reward, info


def test_an_episode():
    env = make()
    first, info = env.reset(seed=0)
    assert first == "User: A page for a bakery."
    assert (info["turn"], info["turns_left"], info["task_id"]) == (0, 10, "bakery")
    text, reward, terminated, truncated, info = env.step(f"Like this?\n```html\n{FAR}\n```")
    assert (reward, terminated, truncated) == (0.0, False, False)
    assert text.endswith("User: Go on.")
    text, reward, terminated, truncated, info = env.step(f"I WANT TO ANSWER:\n{NEAR}")
    assert (terminated, truncated) == (True, False)
    assert 0.5 < reward < 1.0
    assert info["similarity"] == reward
    assert info["success"] is False
    assert info["answer"] == NEAR
    assert info["grade"]["measure"] == "visual"
    assert info["grade"]["geometry"] == "default"
    assert info["grade"]["renderer"].startswith("chromium")


def test_the_reference_scores_one_and_nothing_scores_little():
    assert play(make(), f"I WANT TO ANSWER: {REFERENCE}")[0] == 1.0
    reward, info = play(make(), "I WANT TO ANSWER: I do not know")
    assert reward < 0.3
    assert info["answer"] is None
    assert info["grade"]["note"] == "no page was proposed"


def test_the_last_page_proposed_is_the_answer():
    by_earlier_turn = play(make(), f"How is this? {REFERENCE}", "I WANT TO ANSWER: that page, please")
    assert (by_earlier_turn[0], by_earlier_turn[1]["answer"]) == (1.0, REFERENCE)
    last = play(make(), f"How is this? {REFERENCE}", f"I WANT TO ANSWER: rather {FAR}")
    assert last[1]["answer"] == FAR
    assert last[0] < 0.6
    assert play(make(max_turns=1), f"no marker {REFERENCE}")[0] == 1.0
    assert play(make(), f"my thoughts OUTPUT: I WANT TO ANSWER: {NEAR} OUTPUT: {FAR}")[1]["answer"] == NEAR


def test_pages_as_models_write_them():
    cut_off = REFERENCE.replace("</body></html>", "")
    assert play(make(), f"I WANT TO ANSWER:\n```html\n{cut_off}\n```")[0] == 1.0
    assert play(make(), f"I WANT TO ANSWER:\n{cut_off.replace('<html>', '<HTML>')}")[0] == 1.0
    official = make(profile="official")
    assert play(official, f"I WANT TO ANSWER:\n{cut_off}")[1]["grade"]["note"] == "no page was proposed"


def test_an_unrenderable_page_is_graded_as_no_answer():
    reward, info = play(make(), f"I WANT TO ANSWER: <html><body>{'x' * 2_000_000}</body></html>")
    assert reward == play(make(), "I WANT TO ANSWER: nothing")[0]
    assert info["grade"]["note"] == "the page cannot be rendered: too_large"


def test_nothing_of_the_reference_leaks():
    env = make()
    seen = [env.reset(seed=0)]
    for action in ("Which colour?", f"So? {FAR}", f"I WANT TO ANSWER: {FAR}"):
        seen.append(env.step(action))
    text = json.dumps(seen, ensure_ascii=False)
    for secret in ("secret", "Sourdough", "bg-blue-900"):
        assert secret not in text


def test_rgb_array_is_the_page_as_it_is_graded():
    env = make(render_mode="rgb_array")
    env.reset(seed=0)
    empty = env.render()
    assert (empty.shape, empty.dtype, empty.min()) == ((720, 1280, 3), np.uint8, 255)
    env.step(f"So? {REFERENCE}")
    shown = env.render()
    assert shown.shape[1:] == (1280, 3)
    assert tuple(shown[5, 5]) != (255, 255, 255)
    env.step("And the colour?")
    assert np.array_equal(env.render(), shown), "the person still has that page before them"


def test_ansi_is_the_dialogue():
    env = make(render_mode="ansi")
    env.reset(seed=0)
    assert env.render() == "User: A page for a bakery."


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"similarity": "cosine"}, "similarity|measure"),
        ({"geometry": "square"}, "geometry='square'"),
        ({"profile": "lenient"}, "profile='lenient'"),
        ({"tasks": "embedded-frontend:nowhere"}, "embedded-frontend"),
    ],
)
def test_bad_arguments_name_the_mend(arguments, message):
    with pytest.raises(Exception, match=message) as caught:
        make(**arguments)
    assert "Mend:" in str(caught.value)


def test_the_official_id_wants_a_user():
    with pytest.raises(ConfigError, match='user="chat:'):
        gymnasium.make("ColBench-Frontend-Official-v0", tasks=[TASK.to_dict()], similarity="visual")


def test_a_failing_user_is_no_result_of_the_agent():
    class Failing(Quiet):
        def respond(self, task, messages):
            raise SimulatorError("server gone. Mend: start it")

    env = make(user=Failing(), on_error="truncate")
    env.reset(seed=0)
    _, reward, terminated, truncated, info = env.step("Which colour?")
    assert (reward, terminated, truncated) == (0.0, False, True)
    assert info["error"] == {"boundary": "simulator", "type": "SimulatorError"}


def test_geometry_is_part_of_the_grader():
    by_geometry = {geometry: make(geometry=geometry).unwrapped.grader_identity for geometry in ("default", "official")}
    assert by_geometry["default"] != by_geometry["official"]
    assert by_geometry["default"]["similarity"]["kind"] == "visual"
    json.dumps(by_geometry)

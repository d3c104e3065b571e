"""The scripted agents: near 0 without asking, better with every question, perfect with the reference."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from colbench_agents.scripted import values_told
from colbench_gym import load_tasks
from colbench_gym.errors import ConfigError
from colbench_gym.evaluation import summarize
from colbench_gym.rollouts import RunConfig, collect, make_agent, read_episodes
from colbench_gym.tasks.families import all_families

SETS = ("embedded-backend:test", "embedded-backend:test_ood")


def success(agent: str, tasks: str, folder, episodes: int = 60) -> float:
    config = RunConfig("ColBench-Backend-v0", agent, tasks=tasks)
    collect(config, folder, episodes=episodes)
    summary = summarize(read_episodes(folder))
    assert summary["graded"] == episodes
    return summary["success_rate"]


@pytest.mark.parametrize("tasks", SETS)
def test_what_the_environment_pays_for(tasks: str, tmp_path):
    rates = [success(f"scripted:ask?questions={n}", tasks, tmp_path / str(n)) for n in (0, 3, 5, 9)]
    assert rates[0] <= 0.02
    assert rates == sorted(rates)
    assert rates[1] < rates[2] < rates[3]
    assert rates[3] > 0.95
    assert success("scripted:oracle", tasks, tmp_path / "oracle") == 1.0
    assert success("scripted:guess", tasks, tmp_path / "guess") == rates[0]


TABLE = Path(__file__).parents[2] / "docs" / "reference_scores.md"
ROW = re.compile(r"^\| `(scripted:\S+)` \| (\w+) \| (\S+) \| (\S+) to (\S+) \| (\S+) \| (\S+) \|$", re.MULTILINE)


@pytest.mark.slow
@pytest.mark.parametrize(
    "row",
    [row for row in ROW.findall(TABLE.read_text(encoding="utf-8")) if row[0][-1] in "s47"],
    ids=lambda row: row[:2],
)
def test_the_published_scores(row, tmp_path):
    agent, split, *figures = row
    collect(RunConfig("ColBench-Backend-v0", agent, tasks=f"embedded-backend:{split}"), tmp_path / "run")
    summary = summarize(read_episodes(tmp_path / "run"))
    low, high = summary["success_interval"]
    found = [f"{100 * value:.1f}" for value in (summary["success_rate"], low, high, summary["tests_passed"])]
    assert [*found, f"{summary['turns']:.2f}"] == figures


@pytest.mark.parametrize("family", all_families(), ids=lambda family: family.name)
def test_every_sentence_is_read_back(family):
    for spec in family.details:
        for value in spec.options:
            for sentence in spec.sentences(value):
                assert values_told(family, f"Sure. {sentence} Anything else?") == {spec.name: value}


def test_it_is_told_nothing_it_did_not_hear():
    family = all_families()[0]
    assert values_told(family, "I don't know.") == {}


def test_on_a_foreign_task_it_still_finishes(task_file):
    agent = make_agent("scripted:ask?questions=2")
    task = load_tasks(task_file)[0]
    messages = [{"role": "user", "content": task.description}]
    for _ in range(2):
        question = agent.act(messages).text
        assert question.endswith("?")
        messages += [{"role": "assistant", "content": question}, {"role": "user", "content": "I don't know."}]
    assert agent.act(messages).text == "I WANT TO ANSWER:\ndef total(net):\n    return None"


def test_a_foreign_function_of_a_known_name_is_no_family():
    family = all_families()[0]
    name = family.names[0]
    foreign = [
        {"role": "user", "content": f"Something else altogether. Signature: def {name}(quite, other, parameters)"}
    ]
    answer = make_agent("scripted:guess").act(foreign).text
    assert answer == f"I WANT TO ANSWER:\ndef {name}(quite, other, parameters):\n    return None"


def test_the_oracle_says_that_it_is_none():
    assert make_agent("scripted:oracle").identity["ceiling"] is True
    assert not hasattr(make_agent("scripted:oracle"), "act")


@pytest.mark.parametrize(
    "spec", ["scripted", "scripted:think", "scripted:guess?questions=1", "scripted:ask?questions=x", "scripted:ask?n=1"]
)
def test_bad_specs(spec: str):
    with pytest.raises(ConfigError, match="scripted"):
        make_agent(spec)

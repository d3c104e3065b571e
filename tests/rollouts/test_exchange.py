"""Runs in the formats of others, there and back."""

from __future__ import annotations

import json

import pytest

from colbench_gym.errors import ConfigError, TaskError
from colbench_gym.grading.trajectories import grade_file
from colbench_gym.rollouts import RunConfig, collect, read_episodes
from colbench_gym.rollouts.exchange import export, import_trajectories
from colbench_gym.types import AgentReply

ANSWER = "I WANT TO ANSWER:\ndef total(net):\n    return round(net * 1.19, 2)"


class Talker:
    """Asks once, thinking first; fails on the first sample of the second task."""

    identity = {"name": "talker"}  # noqa: RUF012
    greeted = 0

    def act(self, messages):
        if "Greet" in messages[0]["content"]:
            self.greeted += 1
            if self.greeted == 1:
                raise RuntimeError("out of memory")
        if len(messages) == 1:
            return AgentReply("Hm, 世界. OUTPUT: What rate?")
        return AgentReply(ANSWER)


@pytest.fixture
def run(task_file, tmp_path):
    config = RunConfig("ColBench-Backend-v0", "talker", tasks=task_file)
    collect(config, tmp_path / "run", agent=Talker(), samples_per_task=2, concurrency=1)
    return tmp_path / "run"


def written(path, records) -> str:
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), encoding="utf-8")
    return str(path)


def test_official_trajectories(run):
    records = list(export(run, "official"))
    assert [record["task"]["id"] for record in records] == ["tax", "tax", "greet"], "whole blocks, without failures"
    first = records[0]
    assert set(first) == {"task", "dialogue_history", "answer", "reward"}
    assert set(first["task"]) == {"id", "problem_description", "ground_truth", "test_cases"}
    opening, asked, _, answered = first["dialogue_history"]
    assert opening == {"role": "user", "content": first["task"]["problem_description"]}
    assert asked["content"] == " What rate?"
    assert asked["output"] == "Hm, 世界. OUTPUT: What rate?"
    assert opening["content"] in asked["input"]
    assert "What rate?" in answered["input"]
    assert (first["reward"], records[2]["reward"]) == (1.0, 0.0)
    assert first["answer"] == ANSWER.removeprefix("I WANT TO ANSWER:")


def test_blocks_are_whole_whatever_the_order_of_the_file(run):
    lines = (run / "episodes.jsonl").read_bytes().splitlines(keepends=True)
    before = list(export(run, "official"))
    (run / "episodes.jsonl").write_bytes(b"".join(reversed(lines)))
    assert list(export(run, "official")) == before


def test_there_and_back(run, tmp_path):
    records = list(export(run, "official"))
    file = written(tmp_path / "official.jsonl", records)
    done = import_trajectories(file, tmp_path / "back")
    assert (done.new, done.known) == (3, 0)
    back = export(tmp_path / "back", "official")
    assert sorted(map(json.dumps, back)) == sorted(map(json.dumps, records)), "a failed sample moves the blocks"
    again = import_trajectories(file, tmp_path / "back")
    assert (again.new, again.known) == (0, 3)
    episode = next(read_episodes(tmp_path / "back"))
    assert episode["identities"]["grader"] == {"kind": "recorded"}
    assert episode["grade"]["profile"] == "recorded"
    assert [graded.official.reward for graded in grade_file(file)] == [1.0, 1.0, 0.0]


def test_rewards_can_be_made_anew(run, tmp_path):
    forged = [record | {"reward": 1.0} for record in export(run, "official")]
    file = written(tmp_path / "forged.jsonl", forged)
    import_trajectories(file, tmp_path / "regraded", grader="strict")
    episodes = list(read_episodes(tmp_path / "regraded"))
    assert [episode["reward"] for episode in episodes] == [1.0, 1.0, 0.0]
    assert episodes[0]["grade"]["tests_passed"] == 3
    assert episodes[0]["identities"]["grader"] == {"kind": "regraded", "profile": "strict"}


def test_samples_of_tasks_without_ids(run, tmp_path):
    records = list(export(run, "official"))
    for record in records:
        del record["task"]["id"]
    import_trajectories(written(tmp_path / "nameless.jsonl", records), tmp_path / "back")
    keys = [(episode["key"]["task_id"], episode["key"]["sample"]) for episode in read_episodes(tmp_path / "back")]
    assert keys == [("0", 0), ("0", 1), ("1", 0)]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{oops", "line 4: not JSON"),
        ('{"answer": "x"}', "line 4: no trajectory"),
        ('{"task": {}, "dialogue_history": [], "answer": 3}', "line 4, field `answer`: int"),
    ],
)
def test_a_bad_line_is_named_and_nothing_is_imported(run, tmp_path, line, reason):
    file = tmp_path / "bad.jsonl"
    written(file, export(run, "official"))
    with file.open("a", encoding="utf-8") as stream:
        stream.write(line + "\n")
    with pytest.raises(TaskError, match=reason):
        import_trajectories(file, tmp_path / "back")
    assert not (tmp_path / "back").exists()


def test_rows_for_trl(run):
    rows = list(export(run, "prompt-completion"))
    assert len(rows) == 6
    first, second = rows[:2]
    assert [message["role"] for message in first["prompt"]] == ["system", "user"]
    assert "10 turns" in first["prompt"][0]["content"]
    assert first["completion"] == [{"role": "assistant", "content": "Hm, 世界. OUTPUT: What rate?"}]
    assert [message["content"] for message in second["prompt"][2:3]] == [" What rate?"], "history is what was said"
    assert (first["turn"], second["turn"], first["turns"], first["reward"]) == (1, 2, 2, 1.0)
    whole = next(export(run, "messages", with_instructions=False))
    assert [message["role"] for message in whole["messages"]] == ["user", "assistant", "user", "assistant"]
    assert whole["messages"][1]["content"].startswith("Hm")
    assert len(list(export(run, "messages", min_reward=1.0))) == 2
    with pytest.raises(ConfigError, match="no format"):
        export(run, "parquet")  # type: ignore[arg-type]


@pytest.mark.slow
def test_datasets_and_trl_take_the_rows(run, tmp_path):
    datasets = pytest.importorskip("datasets")
    for format in ("prompt-completion", "messages"):
        file = written(tmp_path / f"{format}.jsonl", export(run, format))
        loaded = datasets.load_dataset("json", data_files=file, split="train", cache_dir=str(tmp_path / "cache"))
        assert loaded.to_list() == list(export(run, format))


def test_changed_tasks_are_refused(run, task_file):
    with open(task_file, encoding="utf-8") as stream:
        text = stream.read()
    with open(task_file, "w", encoding="utf-8") as stream:
        stream.write(text.replace("1.19", "1.21"))
    with pytest.raises(ConfigError, match="other tasks"):
        list(export(run, "official"))

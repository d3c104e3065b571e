"""The command line as a stranger uses it: real processes, real exit codes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

COLBENCH = [sys.executable, "-m", "colbench_gym.cli"]
EVAL = ["eval", "--env", "ColBench-Backend-v0", "--tasks", "embedded-backend:test"]


def run(*arguments: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COLBENCH, *arguments],
        cwd=cwd,
        env={**os.environ, "COLUMNS": "160", **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def records(directory: Path) -> list[dict]:
    return [json.loads(line) for line in (directory / "episodes.jsonl").read_text(encoding="utf-8").splitlines()]


def test_help_and_version(tmp_path):
    result = run("--help", cwd=tmp_path)
    assert result.returncode == 0
    for command in ("demo", "setup", "doctor", "eval", "grade", "tasks"):
        assert command in result.stdout
    assert run("--version", cwd=tmp_path).stdout.startswith("colbench-gym 0.")


def test_demo(tmp_path):
    result = run("demo", "--episodes", "12", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    for expected in (
        "scripted:guess",
        "scripted:oracle*",
        "100.0%",
        "the ceiling, not an agent",
        "runs/demo",
        "Next, try",
    ):
        assert expected in result.stdout
    assert "12/12" in result.stderr
    assert len(records(tmp_path / "runs/demo/scripted-guess")) == 12
    again = run("demo", "--episodes", "12", cwd=tmp_path)
    assert again.returncode == 0
    assert len(records(tmp_path / "runs/demo/scripted-guess")) == 12


def test_eval_writes_a_run_and_extends_it(tmp_path):
    command = [*EVAL, "--agent", "scripted:ask?questions=9", "--out", "my run"]
    result = run(*command, "--episodes", "3", "--json", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    summary = json.loads(result.stdout)
    assert summary["episodes"] == 3
    assert json.loads((tmp_path / "my run/summary.json").read_text())["success_rate"] == summary["success_rate"]
    first = records(tmp_path / "my run")
    assert run(*command, "--episodes", "5", cwd=tmp_path).returncode == 0
    assert records(tmp_path / "my run")[:3] == first
    assert len(records(tmp_path / "my run")) == 5


def test_own_agents_and_users_from_the_folder_one_stands_in(tmp_path):
    (tmp_path / "mine.py").write_text(
        "from colbench_gym import AgentReply, Reply\n"
        "class Agent:\n    identity = {'name': 'mine'}\n"
        "    def act(self, messages):\n"
        "        return AgentReply('What rate?' if len(messages) == 1 else 'I WANT TO ANSWER: x')\n"
        "class User:\n    identity = {'kind': 'mine'}\n"
        "    def reply(self, task, messages):\n        return 'No idea.'\n"
        "    def respond(self, task, messages):\n        return Reply(self.reply(task, messages))\n"
    )
    result = run(*EVAL, "--agent", "mine:Agent", "--user", "mine:User", "--episodes", "2", "--out", "run", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert records(tmp_path / "run")[0]["messages"][2]["content"] == "No idea."
    assert records(tmp_path / "run")[0]["identities"]["user"] == {"kind": "mine"}


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["eval"], "--agent"),
        ([*EVAL, "--agent", "nobody"], "no agent 'nobody'"),
        ([*EVAL, "--agent", "scripted:ask?questions=x"], "questions=x"),
        (["eval", "--env", "NoSuch-v0", "--agent", "scripted:guess"], "no environment 'NoSuch-v0'"),
        (["eval", "--agent", "scripted:guess", "--tasks", "no/such/file.jsonl"], "neither a task set nor a file"),
        (["eval", "--agent", "scripted:guess", "--episodes", "0"], "--episodes"),
        (["eval", "--agent", "scripted:guess", "--profile", "kind"], "profile='kind'"),
        (["eval", "--env", "ColBench-Backend-Official-v0", "--agent", "scripted:guess"], "must be given"),
        (["tasks", "show", "embedded-backend:test", "embedded-backend:test/99999"], "no task"),
        (["tasks", "sample", "nothing"], "neither a task set nor a file"),
        (["grade", "no-such-file.jsonl"], "no-such-file.jsonl"),
        ([*EVAL, "--agent", "scripted:guess", "--user-prompt", "mine.txt"], "--user-prompt is for a language model"),
        (["user-audit", "--user", "nobody"], "no user 'nobody'"),
    ],
)
def test_bad_arguments_give_one_line_and_exit_code_2(tmp_path, arguments: list[str], reason: str):
    result = run(*arguments, cwd=tmp_path, COLBENCH_DATA=str(tmp_path))
    assert result.returncode == 2
    assert reason in result.stderr
    assert "Traceback" not in result.stderr
    assert not result.stdout


def test_debug_shows_the_traceback(tmp_path):
    result = run("--debug", *EVAL, "--agent", "nobody", cwd=tmp_path)
    assert "Traceback" in result.stderr


def test_configurations_are_not_mixed(tmp_path):
    assert run(*EVAL, "--agent", "scripted:guess", "--episodes", "1", "--out", "run", cwd=tmp_path).returncode == 0
    result = run(*EVAL, "--agent", "scripted:oracle", "--episodes", "1", "--out", "run", cwd=tmp_path)
    assert result.returncode == 2
    assert 'agent="scripted:guess", not "scripted:oracle"' in result.stderr
    assert len(records(tmp_path / "run")) == 1


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL])
def test_resumes_after_being_stopped(tmp_path, end: signal.Signals):
    command = [*EVAL, "--agent", "scripted:ask", "--episodes", "150", "--out", "run"]
    for _ in range(2):
        stopped = subprocess.Popen([*COLBENCH, *command], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        before = (tmp_path / "run/episodes.jsonl").stat().st_size if (tmp_path / "run/episodes.jsonl").exists() else 0
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and stopped.poll() is None:
            path = tmp_path / "run/episodes.jsonl"
            if path.exists() and path.stat().st_size > before + 20_000:
                break
            time.sleep(0.002)
        stopped.send_signal(end)
        _, errors = stopped.communicate(timeout=30)
        if end is signal.SIGINT and stopped.returncode:
            assert stopped.returncode == 130
            assert b"resumes" in errors
    result = run(*command, "--json", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    keys = [record["key"]["task_id"] for record in records(tmp_path / "run")]
    assert len(keys) == len(set(keys)) == 150
    assert run(*[*command[:-1], "straight"], cwd=tmp_path).returncode == 0

    def without_times(name: str) -> list[dict]:
        played = sorted(records(tmp_path / name), key=lambda record: record["key"]["task_id"])
        return [{k: v for k, v in record.items() if k != "timings"} for record in played]

    assert without_times("run") == without_times("straight")


def test_tasks(tmp_path, task_file):
    listed = json.loads(run("tasks", "list", "--json", cwd=tmp_path).stdout)
    assert {row["name"] for row in listed} >= {"embedded-backend:train", "official-backend:test"}
    assert "embedded-backend:test_ood" in run("tasks", "list", cwd=tmp_path).stdout
    shown = run("tasks", "show", "embedded-backend:test", "--limit", "3", cwd=tmp_path).stdout
    assert "embedded-backend:test/00002" in shown
    assert "embedded-backend:test/00003" not in shown
    task = json.loads(run("tasks", "show", task_file, "greet", "--json", cwd=tmp_path).stdout)
    assert "世界 🌍" in task["description"]
    one = run("tasks", "sample", "embedded-backend:test", "--seed", "3", cwd=tmp_path).stdout
    assert one == run("tasks", "sample", "embedded-backend:test", "--seed", "3", cwd=tmp_path).stdout
    for part in ("hidden reference", "hidden details", "hidden tests", "def "):
        assert part in one


def test_grade(tmp_path, task_file):
    record = json.loads(Path(task_file).read_text(encoding="utf-8").splitlines()[0])
    answers = [
        "def total(net):\n    return round(net * 1.19, 2)",
        "RATE = 1.19\ndef total(net):\n    return round(net * RATE, 2)",
        "def total(net):\n    return 0",
    ]
    lines = [{"task": record, "dialogue_history": [], "answer": answer, "reward": 1} for answer in answers]
    (tmp_path / "answers.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    result = run("grade", "answers.jsonl", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert "1 of 3 answers are judged differently" in result.stdout
    grades = json.loads(run("grade", "answers.jsonl", "--json", cwd=tmp_path).stdout)
    assert [grade["strict"]["success"] for grade in grades] == [True, True, False]
    assert [grade["official"]["success"] for grade in grades] == [True, False, False]
    (tmp_path / "results.json").write_text(json.dumps({"tax": {"answer": answers[0]}}))
    by_id = json.loads(run("grade", "results.json", "--tasks", task_file, "--json", cwd=tmp_path).stdout)
    assert [(grade["id"], grade["strict"]["success"]) for grade in by_id] == [("tax", True)]


def test_user_audit(tmp_path):
    command = ["user-audit", "--user", "rules", "--tasks", "embedded-backend:test", "--limit", "5"]
    result = run(*command, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert "value said (recall)" in result.stdout
    assert "questions to the user 'rules'" in result.stderr, "the cost is said first"
    report = json.loads(run(*command, "--json", cwd=tmp_path).stdout)
    assert report["recall"] > 0.9
    assert report["code_leaks"] == 0


def test_a_prompt_of_ones_own_reaches_the_chat_user(tmp_path):
    pytest.importorskip("openai")
    (tmp_path / "my prompt.txt").write_text("No place for the reference.")
    user = "chat:model@http://127.0.0.1:9/v1?retries=0"
    result = run(*EVAL, "--agent", "scripted:ask", "--user", user, "--user-prompt", "my prompt.txt", cwd=tmp_path)
    assert result.returncode == 2
    assert "my prompt.txt" in result.stderr
    assert "hidden_information" in result.stderr


def test_official_prompts_and_doctor(tmp_path):
    offline = run(
        "setup", "--official-prompts", cwd=tmp_path, COLBENCH_CACHE=str(tmp_path), https_proxy="http://127.0.0.1:9"
    )
    assert offline.returncode == 2
    assert "Mend" in offline.stderr
    assert "CC BY-NC" in offline.stdout
    findings = json.loads(run("doctor", "--json", cwd=tmp_path).stdout)
    assert all(finding["mend"] for finding in findings if not finding["ok"])
    assert next(finding for finding in findings if finding["name"] == "sandbox")["ok"]
    assert run("doctor", cwd=tmp_path).returncode == 0


def test_collect_samples_and_limits(tmp_path):
    command = ["collect", "--agent", "scripted:guess", "--tasks", "embedded-backend:test", "--out", "run"]
    assert run(*command, "--episodes", "6", "--concurrency", "3", cwd=tmp_path).returncode == 0
    result = run(*command, "--episodes", "8", "--max-cost", "1", cwd=tmp_path)
    assert result.returncode == 2
    assert "--agent-price" in result.stderr
    assert run(*command, "--episodes", "8", "--json", cwd=tmp_path).returncode == 0
    assert len(records(tmp_path / "run")) == 8
    assert json.loads((tmp_path / "run" / "summary.json").read_text())["missing"] == 0


def test_a_run_with_many_failures_says_so_in_red_and_can_be_retried(tmp_path):
    (tmp_path / "moody.py").write_text(
        "import os\nclass Moody:\n    identity = {'name': 'moody'}\n    def act(self, messages):\n"
        "        if os.environ.get('MOOD') == 'bad':\n            raise RuntimeError('not today')\n"
        "        return 'I WANT TO ANSWER: x'\n"
    )
    command = [*EVAL, "--agent", "moody:Moody", "--episodes", "3", "--out", "run"]
    result = run(*command, cwd=tmp_path, MOOD="bad", FORCE_COLOR="1")
    assert result.returncode == 1
    assert "\x1b[31m3 of 3 episodes (100.0%) failed and are left out: 3 of the agent." in result.stderr
    assert run(*command, cwd=tmp_path).returncode == 1, "failed episodes are not played again by themselves"
    result = run(*command, "--retry-failed", "--json", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    summary = json.loads(result.stdout)
    assert (summary["episodes"], summary["graded"], summary["failed"]) == (3, 3, {})
    assert len(records(tmp_path / "run")) == 6


def test_dry_run_asks_nobody(tmp_path):
    url = "http://127.0.0.1:9/v1"  # nobody listens there
    command = [
        *("collect", "--tasks", "embedded-backend:test", "--episodes", "5", "--samples", "2", "--dry-run"),
        *("--agent", f"chat:big@{url}?max_tokens=100", "--user", f"chat:small@{url}", "--agent-price", "1/2"),
    ]
    result = run(*command, "--json", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    foreseen = json.loads(result.stdout)
    assert (foreseen["episodes"], foreseen["missing"]) == (5, 5)
    agent, user = foreseen["parties"]["agent"], foreseen["parties"]["user"]
    assert (agent["model"], agent["requests"], agent["completion_tokens"]) == ("big", 50, 5000)
    assert (user["model"], user["requests"], user["cost"]) == ("small", 90, None)
    assert agent["cost"] == pytest.approx((agent["prompt_tokens"] + 2 * 5000) / 1e6, abs=1e-4)
    assert foreseen["first_request"]["messages"][0]["role"] == "system"
    assert not (tmp_path / "runs").exists()
    words = run(*command, cwd=tmp_path).stdout
    assert "at most 50 requests to big at 127.0.0.1" in words
    assert "Nothing was asked of anybody" in words


def test_export_and_import(tmp_path):
    assert run(*EVAL, "--agent", "scripted:guess", "--episodes", "4", "--out", "run", cwd=tmp_path).returncode == 0
    result = run("export", "run", "--out", "official.jsonl", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert "official.jsonl: 4 records." in result.stdout
    result = run("import", "official.jsonl", "--out", "back", "--grade", "strict", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert "4 episodes, rewards by strict" in result.stdout
    runs = [records(tmp_path / name) for name in ("run", "back")]
    grades = [sorted(record["grade"]["tests_passed"] for record in run) for run in runs]
    assert grades[0] == grades[1]
    for arguments, reason in (
        (("export", "run", "--out", "x.jsonl", "--format", "parquet"), "no format 'parquet'"),
        (("export", "nothing", "--out", "x.jsonl"), "cannot be read"),
        (("import", "official.jsonl", "--out", "x", "--grade", "kindly"), "--grade kindly"),
        (("import", "nothing.jsonl", "--out", "x"), "cannot be read"),
    ):
        result = run(*arguments, cwd=tmp_path)
        assert result.returncode == 2
        assert reason in result.stderr

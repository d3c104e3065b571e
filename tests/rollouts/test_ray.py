from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from colbench_gym.accounts import Purse
from colbench_gym.errors import ConfigError, MissingExtra
from colbench_gym.rollouts import Run, RunConfig, RunStopped, collect, read_episodes
from colbench_gym.rollouts.ray import RayEngine

AGENTS = '''
import os, signal, threading, time
from pathlib import Path

from colbench_gym.accounts import current_account
from colbench_gym.errors import ConfigError

MARKS = Path(__file__).parent / "marks"


class Talker:
    """Asks, then answers. Leaves a mark of the process it acts in."""

    identity = {"name": "talker"}

    def act(self, messages):
        with (MARKS / str(os.getpid())).open("a") as stream:
            stream.write("x")
        return "What else?" if len(messages) == 1 else "I WANT TO ANSWER: def f():\\n    return 1"


class Slow(Talker):
    def act(self, messages):
        time.sleep(0.05)
        return super().act(messages)


class Poison(Talker):
    def act(self, messages):
        if "about poison" in messages[0]["content"]:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().act(messages)


class OneIsSlow(Talker):
    """The process that acts first takes half a second each time."""

    def act(self, messages):
        try:
            (MARKS / "first").touch(exist_ok=False)
            self.slow = True
        except FileExistsError:
            pass
        if getattr(self, "slow", False):
            time.sleep(0.5)
        return super().act(messages)


class Paid(Slow):
    def act(self, messages):
        account = current_account()
        account.before_request()
        account.charge(requests=1)
        return super().act(messages)


class Fatal(Talker):
    """Only the process that makes the first one survives it."""

    def __init__(self):
        try:
            (MARKS / "made").touch(exist_ok=False)
        except FileExistsError:
            os.kill(os.getpid(), signal.SIGKILL)


class OfThisProcess(Talker):
    @property
    def identity(self):
        return {"name": "talker", "process": os.getpid()}


class Refusing(Talker):
    def __setstate__(self, state):
        raise ConfigError("not on this machine")

    def __getstate__(self):
        return {"some": "state"}


class Unsendable(Talker):
    def __init__(self):
        self.lock = threading.Lock()
'''


@pytest.fixture(scope="module")
def agents(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of the module `ray_agents`."""
    folder = tmp_path_factory.mktemp("agents")
    (folder / "ray_agents.py").write_text(AGENTS)
    sys.path.insert(0, str(folder))
    yield folder
    sys.path.remove(str(folder))


@pytest.fixture
def marks(agents: Path) -> Path:
    """A folder with a file for each process that acted, as long as it acted often."""
    folder = agents / "marks"
    folder.mkdir(exist_ok=True)
    for file in folder.iterdir():
        file.unlink()
    return folder


NODE: dict[str, Any] = {"num_cpus": 1, "object_store_memory": 80 << 20}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A cluster of two nodes with a processor each, to which this process is connected."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    ray = pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args=NODE | {"include_dashboard": False})
    cluster.add_node(**NODE)
    ray.init(cluster.address, log_to_driver=False)
    yield cluster
    ray.shutdown()
    cluster.shutdown()


@pytest.fixture
def tasks(tmp_path: Path) -> str:
    path = tmp_path / "many.jsonl"
    names = [f"task{number:02}" for number in range(40)]
    names[17] = "poison"
    record = {"ground_truth": "def f():\n    return 1", "test_cases": {"test1": "f()"}}
    path.write_text(
        "".join(json.dumps({"id": n, "problem_description": f"What about {n}?", **record}) + "\n" for n in names)
    )
    return str(path)


@pytest.fixture
def config(tasks: str, marks: Path) -> Callable[[str], RunConfig]:
    return lambda agent: RunConfig("ColBench-Backend-v0", f"ray_agents:{agent}", tasks=tasks)


def episodes(directory: Path) -> list[str]:
    """The lines of a run, sorted, without what differs between any two runs."""
    lines = (directory / "episodes.jsonl").read_text().splitlines()
    return sorted(json.dumps({**json.loads(line), "timings": None}, sort_keys=True) for line in lines)


def pids(marks: Path) -> list[int]:
    return [int(file.name) for file in marks.iterdir() if file.name.isdigit()]


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


class Killer:
    """Kills all processes that have acted by the `after`th episode."""

    def __init__(self, marks: Path, after: int) -> None:
        self.marks = marks
        self.after = after
        self.seen = 0

    def __call__(self, record: Any) -> None:
        self.seen += 1
        if self.seen == self.after:
            for pid in pids(self.marks):
                os.kill(pid, signal.SIGKILL)


@pytest.mark.slow
def test_the_same_episodes_as_the_local_engine(cluster, tmp_path):
    config = RunConfig("ColBench-Backend-v0", "scripted:ask")
    collect(config, tmp_path / "local", episodes=80)
    assert collect(config, tmp_path / "ray", episodes=80, engine="ray").played == 80
    assert episodes(tmp_path / "ray") == episodes(tmp_path / "local")


@pytest.mark.slow
def test_killed_workers_are_replaced_and_their_episodes_are_played_again(cluster, config, marks, tmp_path, caplog):
    collect(config("Slow"), tmp_path / "local", samples_per_task=5)
    for mark in marks.iterdir():
        mark.unlink()
    killer = Killer(marks, after=40)
    result = collect(config("Slow"), tmp_path / "ray", samples_per_task=5, engine="ray", on_episode=killer)
    assert (result.played, result.missing) == (200, 0)
    assert not result.failed
    assert os.getpid() not in pids(marks)
    assert len(pids(marks)) > len(re.findall("worker . was lost", caplog.text)) == 2
    assert episodes(tmp_path / "ray") == episodes(tmp_path / "local")


@pytest.mark.slow
def test_a_lost_node(cluster, config, tmp_path, caplog):
    def on_episode(record: Any) -> None:
        played.append(record)
        if len(played) == 40:
            cluster.remove_node(cluster.list_all_nodes()[-1], allow_graceful=False)

    played: list[Any] = []
    collect(config("Slow"), tmp_path / "local", samples_per_task=5)
    result = collect(config("Slow"), tmp_path / "ray", samples_per_task=5, engine="ray", on_episode=on_episode)
    cluster.add_node(**NODE)
    assert (result.played, result.missing) == (200, 0)
    assert not result.failed
    assert len(re.findall("worker . was lost", caplog.text)) == 1
    assert episodes(tmp_path / "ray") == episodes(tmp_path / "local")


@pytest.mark.slow
def test_an_item_that_kills_its_workers_fails_alone(cluster, config, tmp_path):
    collect(config("Talker"), tmp_path / "local")
    result = collect(config("Poison"), tmp_path / "ray", engine="ray", concurrency=4)
    assert result.failed == Counter(infrastructure=1)
    (failed,) = [record for record in read_episodes(tmp_path / "ray") if record["status"] == "failed"]
    assert failed["key"]["task_id"] == "poison"
    assert failed["error"]["type"] == "WorkerLost"
    assert failed["reward"] is None
    good = [line.replace("ray_agents:Poison", "ray_agents:Talker") for line in episodes(tmp_path / "ray")]
    assert [line for line in episodes(tmp_path / "local") if '"task_id": "poison"' not in line] == [
        line for line in good if '"task_id": "poison"' not in line
    ]


@pytest.mark.slow
def test_work_is_stolen_from_a_slow_worker(cluster, config, marks, tmp_path):
    collect(config("OneIsSlow"), tmp_path / "run", engine="ray", concurrency=1)
    turns = sorted(len((marks / str(pid)).read_text()) for pid in pids(marks))
    assert sum(turns) == 80
    assert turns[0] <= 12  # it was given 17 episodes at the start, two turns each


@pytest.mark.slow
def test_a_killed_driver_leaves_no_worker_and_its_run_is_resumed(cluster, config, agents, marks, tmp_path):
    chosen = config("Slow")
    collect(chosen, tmp_path / "local", samples_per_task=5)
    for mark in marks.iterdir():
        mark.unlink()
    code = f"""
import os, signal, sys
from colbench_gym.rollouts import RunConfig, collect

seen = []

def on_episode(record):
    seen.append(record)
    if len(seen) == 3:
        for mark in os.listdir({str(marks)!r}):
            os.kill(int(mark), signal.SIGKILL)
    print(".", flush=True)

config = {chosen!r}
collect(config, {str(tmp_path / "ray")!r}, samples_per_task=5, engine="ray", workers=2, on_episode=on_episode)
"""
    path = f"{agents}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    with subprocess.Popen(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": path},
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        # Ray itself would tell of the lost workers here.
        assert [process.stdout.readline() for _ in range(100)] == [".\n"] * 100
        process.kill()
    left = pids(marks)
    assert left
    until = time.monotonic() + 30
    while any(map(is_running, left)) and time.monotonic() < until:
        time.sleep(0.1)
    assert not any(map(is_running, left))
    assert 0 < collect(chosen, tmp_path / "ray", samples_per_task=5, engine="ray").played <= 100
    assert episodes(tmp_path / "ray") == episodes(tmp_path / "local")


@pytest.mark.slow
def test_a_limit_holds_for_all_workers_together(cluster, config, tmp_path):
    purse = Purse(max_requests=60)
    result = collect(config("Paid"), tmp_path / "run", engine="ray", concurrency=2, purse=purse)
    assert result.stopped_by is not None
    assert "max_requests = 60" in result.stopped_by
    used = sum(record["usage"]["agent"]["requests"] for record in read_episodes(tmp_path / "run"))
    assert used == 2 * result.played
    # At most an exchange of both workers beyond it: 4 threads, 20 requests a second each.
    assert 40 <= used <= purse.used["agent"]["requests"] <= 110


@pytest.mark.slow
def test_a_run_ends_when_no_worker_survives(cluster, config, tmp_path):
    with pytest.raises(RunStopped, match=r"lost 5 times in a row .* Mend: "):
        collect(config("Fatal"), tmp_path / "run", engine="ray", workers=1)
    assert not episodes(tmp_path / "run")


@pytest.mark.slow
def test_what_cannot_be_the_same_run_is_refused(cluster, config, agents, tmp_path):
    with pytest.raises(ConfigError, match=r"its agent is .*'process'"):
        collect(config("OfThisProcess"), tmp_path / "process", engine="ray")
    import ray_agents  # pyright: ignore[reportMissingImports]

    with pytest.raises(ConfigError, match="not on this machine"):
        collect(config("Refusing"), tmp_path / "refusing", engine="ray", agent=ray_agents.Refusing())
    with pytest.raises(ConfigError, match=r"cannot be sent to workers .* Mend: make it picklable"):
        collect(config("Unsendable"), tmp_path / "unsendable", engine="ray", agent=ray_agents.Unsendable())
    with pytest.raises(ConfigError, match="already connected"):
        collect(config("Talker"), tmp_path / "address", engine="ray", address="192.0.2.1:6379")


@pytest.mark.slow
def test_no_cluster_at_the_address(tmp_path):
    pytest.importorskip("ray")
    command = "collect --agent scripted:ask --episodes 1 --engine ray --address 127.0.0.1:1 --out run"
    result = subprocess.run(
        [sys.executable, "-m", "colbench_gym.cli", *command.split()],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert result.returncode == 2
    assert "no connection to a Ray cluster at 127.0.0.1:1" in " ".join(result.stderr.split())


def test_a_person_sits_at_one_machine(config):
    run = Run(config("Talker"))
    run.identities["user"] = {"kind": "human"}
    with pytest.raises(ConfigError, match="a person"):
        RayEngine(run, concurrency=1)


def test_without_ray(config, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtra, match=r"pip install 'colbench-gym\[ray\]'"):
        collect(config("Talker"), tmp_path / "run", engine="ray")

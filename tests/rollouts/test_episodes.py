"""The store: nothing lost, nothing twice, nothing mixed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace

import pytest

from colbench_gym.errors import ConfigError
from colbench_gym.rollouts import EpisodeStore, read_episodes
from colbench_gym.rollouts.episodes import json_line
from colbench_gym.types import Episode

CONFIG = {"env_id": "X-v0", "seed": 0}


def episode(number: int, text: str = "Grüße 世界") -> Episode:
    return Episode(
        key={"task_id": f"t{number}", "sample": 0},
        identities={},
        messages=[{"role": "user", "content": text}],
        answer="a",
        reward=1.0,
        grade=None,
        disclosed=[],
        usage={},
        timings={"total_s": 0.1},
        status="ok",
    )


def fill(directory, count: int) -> None:
    with EpisodeStore(directory, CONFIG) as store:
        for number in range(count):
            store.append(episode(number))


def test_round_trip(tmp_path):
    fill(tmp_path / "run", 3)
    records = list(read_episodes(tmp_path / "run"))
    assert [record["key"]["task_id"] for record in records] == ["t0", "t1", "t2"]
    assert records[0]["schema"] == "colbench-episode/1"
    assert records[0]["messages"][0]["content"] == "Grüße 世界"
    with EpisodeStore(tmp_path / "run", CONFIG) as store:
        assert store.status_of({"sample": 0, "task_id": "t1"}) == "ok"
        assert store.status_of({"sample": 1, "task_id": "t1"}) is None


def test_each_episode_is_there_as_soon_as_it_is_appended(tmp_path):
    with EpisodeStore(tmp_path, CONFIG) as store:
        store.append(episode(0))
        assert len(list(read_episodes(tmp_path))) == 1


def test_cut_at_any_byte_it_reopens(tmp_path):
    fill(tmp_path / "whole", 2)
    content = (tmp_path / "whole" / "episodes.jsonl").read_bytes()
    first_line = content.index(b"\n") + 1
    for cut in range(len(content) + 1):
        run = tmp_path / f"cut{cut}"
        fill(run, 0)
        (run / "episodes.jsonl").write_bytes(content[:cut])
        with EpisodeStore(run, CONFIG) as store:
            kept = [n for n in (0, 1) if store.status_of(episode(n).key)]
            assert kept == [0, 1][: (cut >= first_line) + (cut == len(content))]
            for n in {0, 1} - set(kept):
                store.append(episode(n))
        assert sorted(r["key"]["task_id"] for r in read_episodes(run)) == ["t0", "t1"]
        torn = content[:cut].rpartition(b"\n")[2]
        assert (run / "episodes.torn").exists() == bool(torn)
        if torn:
            assert (run / "episodes.torn").read_bytes() == torn + b"\n"


def test_a_torn_line_longer_than_a_block(tmp_path):
    fill(tmp_path, 1)
    with (tmp_path / "episodes.jsonl").open("ab") as stream:
        stream.write(b"x" * 200_000)
    with EpisodeStore(tmp_path, CONFIG) as store:
        assert store.status_of(episode(0).key)
    assert (tmp_path / "episodes.torn").stat().st_size == 200_001


def test_text_that_utf8_cannot_hold(tmp_path):
    with EpisodeStore(tmp_path, CONFIG) as store:
        store.append(episode(0, "half \ud83d of a pair"))
    assert next(iter(read_episodes(tmp_path)))["messages"][0]["content"] == "half \ud83d of a pair"


def test_two_writers_are_refused_until_the_first_is_gone(tmp_path):
    code = (
        "import sys, time; from colbench_gym.rollouts import EpisodeStore;"
        f"store = EpisodeStore({str(tmp_path)!r}, {CONFIG!r}); print('open', flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "open\n"
        with pytest.raises(ConfigError, match="another process is writing"):
            EpisodeStore(tmp_path, CONFIG)
        other.kill()
        other.wait()
        EpisodeStore(tmp_path, CONFIG).close()


def test_a_fork_does_not_keep_the_lock(tmp_path):
    code = (
        "import os, sys, time; from colbench_gym.rollouts import EpisodeStore;"
        f"store = EpisodeStore({str(tmp_path)!r}, {CONFIG!r});"
        "child = os.fork();"
        "print(child, flush=True) if child else time.sleep(60); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        child = int(other.stdout.readline())
        try:
            with pytest.raises(ConfigError, match="another process is writing"):
                EpisodeStore(tmp_path, CONFIG)
            other.kill()
            other.wait()
            EpisodeStore(tmp_path, CONFIG).close()
        finally:
            os.kill(child, signal.SIGKILL)


def test_an_episode_played_again_takes_the_place_of_the_failed_one(tmp_path):
    with EpisodeStore(tmp_path, CONFIG) as store:
        store.append(replace(episode(0), status="failed", reward=None, error={"boundary": "agent"}))
        store.append(episode(1))
        assert store.status_of(episode(0).key) == "failed"
        store.append(episode(0))
    with EpisodeStore(tmp_path, CONFIG) as store:
        assert store.status_of(episode(0).key) == "ok"
    records = list(read_episodes(tmp_path))
    assert [(record["key"]["task_id"], record["status"]) for record in records] == [("t1", "ok"), ("t0", "ok")]
    ordered = list(read_episodes(tmp_path, order=lambda key: key["task_id"]))
    assert [record["key"]["task_id"] for record in ordered] == ["t0", "t1"]


def test_lines_that_others_wrote_are_read_too(tmp_path):
    fill(tmp_path, 2)
    file = tmp_path / "episodes.jsonl"
    records = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    reordered = [json.dumps(dict(sorted(record.items())), indent=None) for record in records]
    file.write_text("\n".join(reordered) + "\n", encoding="utf-8")
    assert [record["key"] for record in read_episodes(tmp_path)] == [record["key"] for record in records]


def test_a_file_larger_than_memory_is_read_line_by_line(tmp_path):
    line = json_line(episode(0, "x" * 200_000).to_dict())
    with (tmp_path / "episodes.jsonl").open("wb") as stream:
        for number in range(600):
            stream.write(line.replace(b'"t0"', b'"t%d"' % number))
    code = (
        "import resource; from colbench_gym.rollouts import read_episodes;"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss;"
        f"assert sum(1 for _ in read_episodes({str(tmp_path)!r})) == 600;"
        "grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before;"
        "assert grown < 20_000, f'{grown} kB for a file of 120 MB'"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_full_disk_is_named(tmp_path):
    with EpisodeStore(tmp_path, CONFIG) as store:
        full = open("/dev/full", "ab", buffering=0)  # noqa: SIM115
        store._stream = full
        with pytest.raises(ConfigError, match=r"cannot be written \(No space left"):
            store.append(episode(0))


def test_another_configuration_is_refused_by_name(tmp_path):
    fill(tmp_path, 1)
    with pytest.raises(ConfigError, match="holds a run with seed=0, not 1"):
        EpisodeStore(tmp_path, {**CONFIG, "seed": 1})
    with pytest.raises(ConfigError, match="user=null"):
        EpisodeStore(tmp_path, {**CONFIG, "user": "rules"})
    EpisodeStore(tmp_path, CONFIG).close()


def test_a_folder_with_something_else_is_refused(tmp_path):
    (tmp_path / "thesis.tex").write_text("precious")
    with pytest.raises(ConfigError, match=r"holds thesis.tex"):
        EpisodeStore(tmp_path, CONFIG)
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="cannot be written"):
        EpisodeStore(tmp_path / "file", CONFIG)


def test_damage_is_named(tmp_path):
    fill(tmp_path, 2)
    content = (tmp_path / "episodes.jsonl").read_bytes()
    (tmp_path / "episodes.jsonl").write_bytes(b"{oops\n" + content)
    with pytest.raises(ConfigError, match="line 1: damaged"):
        EpisodeStore(tmp_path, CONFIG)
    with pytest.raises(ConfigError, match="cannot be read"):
        list(read_episodes(tmp_path / "nothing"))
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(ConfigError, match="is damaged"):
        EpisodeStore(tmp_path, CONFIG)


def test_summary_is_written_whole(tmp_path):
    EpisodeStore.write_summary(tmp_path, {"a": 1})
    assert json.loads((tmp_path / "summary.json").read_text()) == {"a": 1}
    assert [p.name for p in tmp_path.iterdir()] == ["summary.json"]

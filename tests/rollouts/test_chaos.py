"""What becomes of a run against a server that fails in every way: nothing is lost, nothing is made up."""

from __future__ import annotations

import importlib.util
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

pytest.importorskip("openai", reason="the extra 'llm' is not installed")


def _load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


chaos = _load(Path(__file__).with_name("chaos.py"))


@pytest.mark.slow
def test_chaos(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    with chaos.serving() as server:
        episodes = chaos.play(server, tmp_path)
        faults = server.faults
    assert set(faults) == {*chaos.WEIGHTS, "429 in a burst"}, "every fault was met"
    keys = [(episode["key"]["task_id"], episode["key"]["sample"]) for episode in episodes]
    assert len(set(keys)) == len(keys) == chaos.EPISODES

    failed = [episode for episode in episodes if episode["status"] == "failed"]
    for episode in failed:
        assert episode["reward"] is None
        assert episode["grade"] is None
        assert "Mend: " in episode["error"]["message"]
    boundaries = Counter(episode["error"]["boundary"] for episode in failed)
    assert set(boundaries) == {"agent", "simulator"}, chaos.table(episodes)
    assert len(failed) < chaos.EPISODES / 2, chaos.table(episodes)

    for episode in episodes:
        if episode["status"] == "ok":
            assert episode["grade"]["tests_total"] == 10
            assert episode["reward"] == episode["grade"]["reward"]
            roles = [message["role"] for message in episode["messages"]]
            assert roles == ["user", "assistant"] * 3
            assert all("language model" not in message["content"] for message in episode["messages"])
            for party, calls in (("agent", 3), ("user", 2)):
                assert episode["usage"][party]["requests"] >= calls
                assert episode["usage"][party]["completion_tokens"] >= 10 * calls

    # A turn that backs off takes longer than its limit, and is not held to it.
    waits = chaos.PATIENCE[0] * chaos.PATIENCE[1]
    assert waits > chaos.TURN_SECONDS
    patient = [
        episode
        for episode in episodes
        if max(episode["timings"]["agent_s"], default=0) > max(waits, chaos.TURN_SECONDS)
    ]
    assert any(episode["status"] == "ok" for episode in patient)
    assert not [e for e in failed if "has taken more than" in e["error"]["message"]], chaos.table(episodes)

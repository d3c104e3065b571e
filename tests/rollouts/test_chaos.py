"""What becomes of a run against a server that fails in every way: nothing is lost, nothing is made up."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import chaos
from colbench_gym.protocol import ANSWER_MARKER

pytest.importorskip("openai", reason="the extra 'llm' is not installed")


@pytest.mark.slow
def test_chaos(tmp_path: Path, no_proxy: None) -> None:
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
            assert roles == ["user", "assistant"] * (len(roles) // 2)
            assert len(roles) >= 6, "an empty completion is an empty move: a turn is used up by it"
            assert episode["messages"][-1]["content"].startswith(ANSWER_MARKER)
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

"""A real small model as the agent, SmolLM2-135M-Instruct: in this process, and behind `transformers serve`.

So small a model solves nothing; what is tested is that whole episodes of either domain come out of real parts.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from colbench_gym.rollouts import RunConfig, collect

pytest.importorskip("torch", reason="the extra 'local' is not installed")
pytest.importorskip("openai", reason="the extra 'llm' is not installed")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.usefixtures("one_thread"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning"),
]

BACKEND = "ColBench-Backend-v0"
FRONTEND = "ColBench-Frontend-v0"


def played(config: RunConfig, folder: Path, **options: Any) -> list[dict[str, Any]]:
    collected = collect(config, folder / "run", **options)
    records = list(collected.read(folder / "run"))
    assert len(records) == len(collected.items)
    return records


def actions(record: dict[str, Any]) -> list[dict[str, Any]]:
    return [message for message in record["messages"] if message["role"] == "assistant"]


def check_local(records: list[dict[str, Any]], folder: Path) -> None:
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    for record in records:
        assert record["status"] == "ok", record["error"]
        assert record["identities"]["agent"]["model"] == folder.name
        wrote = actions(record)
        assert len(wrote) in (1, 2)
        assert record["usage"]["agent"]["completion_tokens"] == sum(len(message["token_ids"]) for message in wrote)
        assert record["usage"]["agent"]["prompt_tokens"] > 300 * len(wrote)
        for message in wrote:
            assert message["raw"] == tokenizer.decode(message["token_ids"], skip_special_tokens=True)
            assert len(message["logprobs"]) == len(message["token_ids"]) <= 16
            assert all(value <= 0 for value in message["logprobs"])


def test_local_in_backend(smollm2: Path, tmp_path: Path) -> None:
    """Two samples of a task, in one batch."""
    config = RunConfig(BACKEND, f"local:{smollm2}?max_new_tokens=16", max_turns=2, seed=5)
    records = played(config, tmp_path, samples_per_task=2, episodes=2)
    check_local(records, smollm2)
    first, second = (actions(record)[0]["token_ids"] for record in records)
    assert first != second, "every sample has its own seed"


@pytest.mark.browser
def test_local_in_frontend(smollm2: Path, tmp_path: Path) -> None:
    config = RunConfig(FRONTEND, f"local:{smollm2}?max_new_tokens=16&temperature=0", max_turns=2)
    records = played(config, tmp_path, episodes=1)
    check_local(records, smollm2)


@pytest.mark.xdist_group("smollm2")
def test_chat_in_backend(smollm2_at: str, tmp_path: Path) -> None:
    config = RunConfig(BACKEND, f"chat:{smollm2_at}?max_tokens=16&temperature=0&timeout=120", max_turns=2)
    (record,) = played(config, tmp_path, episodes=1)
    assert record["status"] == "ok", record["error"]
    usage = record["usage"]["agent"]
    assert usage["requests"] == len(actions(record))
    assert usage["prompt_tokens"] > 300
    assert 0 < usage["completion_tokens"] <= 16 * usage["requests"]


@pytest.mark.browser
@pytest.mark.xdist_group("smollm2")
def test_chat_in_frontend(smollm2_at: str, tmp_path: Path) -> None:
    config = RunConfig(FRONTEND, f"chat:{smollm2_at}?max_tokens=16&temperature=0&timeout=120", max_turns=2)
    (record,) = played(config, tmp_path, episodes=1)
    assert record["status"] == "ok", record["error"]
    assert record["usage"]["agent"]["requests"] == len(actions(record))


@pytest.mark.xdist_group("smollm2")
def test_both_parties_are_models(smollm2_at: str, smollm2: Path, tmp_path: Path) -> None:
    """The agent in this process, the user behind the server."""
    config = RunConfig(
        BACKEND,
        f"local:{smollm2}?max_new_tokens=16&temperature=0",
        user=f"chat:{smollm2_at}?max_tokens=32&timeout=120",
        max_turns=2,
    )
    (record,) = played(config, tmp_path, episodes=1)
    if record["status"] == "failed":  # the person said what a person would not say, twice
        assert record["error"]["boundary"] == "simulator"
        assert "gave no usable reply" in record["error"]["message"]
    assert record["usage"]["user"]["requests"] >= 1
    assert record["usage"]["user"]["completion_tokens"] > 0

"""Many episodes at a time: none waits for another, none is counted twice, none hangs the rest."""

from __future__ import annotations

import threading
import time

import pytest

from colbench_gym.accounts import Account, Price, Purse, current_account
from colbench_gym.errors import AgentError, ConfigError
from colbench_gym.rollouts import RunConfig, RunStopped, collect, read_episodes
from colbench_gym.rollouts.batching import Batcher
from colbench_gym.types import AgentReply, Usage

TASKS = "embedded-backend:test"
CONFIG = RunConfig("ColBench-Backend-v0", "own", tasks=TASKS)
ANSWER = "I WANT TO ANSWER:\ndef f(): pass"


class Answers:
    """Answers at once."""

    identity = {"name": "answers"}  # noqa: RUF012

    def act(self, messages):
        return AgentReply(ANSWER, Usage(100, 10))


class Barrier(Answers):
    """Nobody gets on before `parties` episodes are in play."""

    def __init__(self, parties: int) -> None:
        self.barrier = threading.Barrier(parties)

    def act(self, messages):
        self.barrier.wait(timeout=20)
        return AgentReply(ANSWER)


def test_episodes_are_in_play_at_the_same_time(tmp_path):
    result = collect(CONFIG, tmp_path / "run", agent=Barrier(8), episodes=8, concurrency=8)
    assert result.played == 8
    assert not result.failed


def test_no_episode_waits_for_a_slow_one(tmp_path):
    class OneSleeps(Answers):
        """The first to come ends when all others have."""

        def __init__(self) -> None:
            self.slow: str | None = None
            self.others_done = threading.Event()

        def act(self, messages):
            if self.slow is None:
                self.slow = messages[0]["content"]
                assert self.others_done.wait(20)
            return AgentReply(ANSWER)

    agent = OneSleeps()
    order: list[str] = []

    def finished(record):
        order.append(record["messages"][0]["content"])
        if len(order) == 29:
            agent.others_done.set()

    collect(CONFIG, tmp_path / "run", agent=agent, episodes=30, concurrency=2, on_episode=finished)
    assert len(order) == 30
    assert order[-1] == agent.slow


@pytest.mark.parametrize(("limit", "what"), [("turn_seconds", "turn"), ("episode_seconds", "episode")])
def test_a_hanging_agent_is_a_failed_episode_and_the_rest_goes_on(tmp_path, limit, what):
    release = threading.Event()

    class Hangs(Answers):
        def act(self, messages):
            if "00001" in current_task(messages):
                release.wait(60)
            return AgentReply(ANSWER)

    first_words = {}

    def current_task(messages):
        return first_words.setdefault(messages[0]["content"], f"{len(first_words):05d}")

    started = time.monotonic()
    collect(CONFIG, tmp_path / "run", agent=Hangs(), episodes=12, concurrency=1, **{limit: 1.0})
    assert time.monotonic() - started < 30
    release.set()
    records = list(read_episodes(tmp_path / "run"))
    assert len(records) == 12
    (failed,) = [record for record in records if record["status"] == "failed"]
    assert failed["error"]["boundary"] == "agent"
    assert f"the {what} has taken more than 1 s, and the agent was at work" in failed["error"]["message"]
    assert failed["reward"] is None
    assert [message["role"] for message in failed["messages"]] == ["user"]


def test_a_hanging_user_is_the_users_failure(tmp_path):
    (tmp_path / "stuck.py").write_text(
        "import time\nclass Stuck:\n    identity = {'kind': 'stuck'}\n    def reply(self, task, messages):\n"
        "        time.sleep(60)\n    def respond(self, task, messages):\n        time.sleep(60)\n"
    )

    class Asks(Answers):
        def act(self, messages):
            return AgentReply("What rate?")

    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(tmp_path)
        config = RunConfig("ColBench-Backend-v0", "own", tasks=TASKS, user="stuck:Stuck")
        collect(config, tmp_path / "run", agent=Asks(), episodes=2, turn_seconds=0.5)
    for record in read_episodes(tmp_path / "run"):
        assert record["error"]["boundary"] == "simulator"
        assert [message["role"] for message in record["messages"]] == ["user", "assistant"]


def test_waiting_does_not_count_against_the_limits(tmp_path):
    class BacksOff(Answers):
        def act(self, messages):
            with current_account().waiting():
                time.sleep(1.0)
            return AgentReply(ANSWER)

    collect(CONFIG, tmp_path / "run", agent=BacksOff(), episodes=1, turn_seconds=0.7, episode_seconds=0.7)
    (record,) = read_episodes(tmp_path / "run")
    assert record["status"] == "ok"
    assert record["timings"]["agent_s"][0] >= 1.0


def test_a_serial_agent_is_called_by_one_at_a_time(tmp_path):
    class Serial(Answers):
        serial = True
        inside = 0

        def act(self, messages):
            self.inside += 1
            assert self.inside == 1
            time.sleep(0.01)
            self.inside -= 1
            return AgentReply(ANSWER)

    assert not collect(CONFIG, tmp_path / "run", agent=Serial(), episodes=10, turn_seconds=5.0).failed


def test_seeds_of_turns_differ_and_repeat(tmp_path):
    class Sampler(Answers):
        def __init__(self) -> None:
            self.seeds: list[tuple[str, int, int]] = []

        def act_seeded(self, messages, seed):
            self.seeds.append((messages[0]["content"], len(messages), seed))
            return AgentReply("Why?" if len(messages) == 1 else ANSWER)

    agents = Sampler(), Sampler(), Sampler()
    for number, agent in enumerate(agents):
        config = RunConfig("ColBench-Backend-v0", "own", tasks=TASKS, seed=number // 2)
        collect(config, tmp_path / f"run{number}", agent=agent, episodes=5, samples_per_task=2)
    first, same, other = (sorted(agent.seeds) for agent in agents)
    assert first == same
    assert len({seed for *_, seed in first}) == len(first) == 10
    assert not {seed for *_, seed in first} & {seed for *_, seed in other}
    assert all(0 <= seed < 2**31 for *_, seed in first)


def test_failures_in_a_row_end_a_run_and_can_be_retried(tmp_path):
    class Broken(Answers):
        def act(self, messages):
            raise RuntimeError("401, wrong key")

    with pytest.raises(RunStopped, match=r"\d+ episodes in a row .*wrong key.*--retry-failed"):
        collect(CONFIG, tmp_path / "run", agent=Broken(), episodes=100, concurrency=1, failures_in_a_row=5)
    failed = [record["key"]["task_id"] for record in read_episodes(tmp_path / "run")]
    assert 5 <= len(failed) < 30
    assert collect(CONFIG, tmp_path / "run", agent=Answers(), episodes=len(failed)).played == 0
    result = collect(CONFIG, tmp_path / "run", agent=Answers(), episodes=len(failed), retry_failed=True)
    assert result.played == len(failed)
    records = list(read_episodes(tmp_path / "run"))
    assert sorted(record["key"]["task_id"] for record in records) == sorted(failed)
    assert {record["status"] for record in records} == {"ok"}
    lines = (tmp_path / "run" / "episodes.jsonl").read_bytes().count(b"\n")
    assert lines == 2 * len(failed), "append-only: the failures stay on record"


# --- limits on what a run may use


def test_a_run_stops_before_it_hits_a_limit_and_goes_on_with_a_greater_one(tmp_path):
    purse = Purse(max_tokens=110 * 7 + 50)
    result = collect(CONFIG, tmp_path / "run", agent=Answers(), episodes=20, purse=purse)
    assert result.played == 7
    assert result.missing == 13
    assert result.stopped_by == "max_tokens = 820 (770 used)"
    cents = Purse(max_cost=12 * (100 * 2 + 10 * 5) / 1e6, prices={"agent": Price(2.0, 5.0)})
    assert collect(CONFIG, tmp_path / "run", agent=Answers(), episodes=20, purse=cents).played == 5
    assert len(list(read_episodes(tmp_path / "run"))) == 12
    assert collect(CONFIG, tmp_path / "run", agent=Answers(), episodes=20).missing == 0


def test_an_episode_that_hits_a_limit_is_nobodys_result(tmp_path):
    class Asks(Answers):
        def act(self, messages):
            current_account().before_request()
            current_account().charge(requests=1)
            return AgentReply("What rate?")

    result = collect(CONFIG, tmp_path / "run", agent=Asks(), episodes=3, purse=Purse(max_requests=5))
    assert result.played == 0
    assert result.missing == 3
    assert result.stopped_by == "max_requests = 5 (5 used)"
    assert list(read_episodes(tmp_path / "run")) == []


def test_usage_is_counted_once(tmp_path):
    class Server(Answers):
        """Charges its requests itself, as whatever stands on `completions` does."""

        def act(self, messages):
            current_account().charge(requests=2, prompt_tokens=7)
            return AgentReply(ANSWER, Usage(5, 1))

    collect(CONFIG, tmp_path / "run", agent=Server(), episodes=1)
    (record,) = read_episodes(tmp_path / "run")
    assert record["usage"] == {"agent": {"requests": 2, "prompt_tokens": 7, "completion_tokens": 0}}


# --- batches


class Batches:
    """Replies with the seed; keeps the sizes of its batches."""

    identity = {"name": "batches"}  # noqa: RUF012
    max_batch = 4

    def __init__(self) -> None:
        self.sizes: list[int] = []
        self.free = threading.Event()

    def act(self, messages):
        raise AssertionError("asked one by one")

    def act_batch(self, dialogues, seeds):
        self.sizes.append(len(dialogues))
        assert self.free.wait(20)
        if any(messages == ["poison"] for messages in dialogues):
            raise ValueError("poisoned")
        return [AgentReply(str(seed)) for seed in seeds]


def test_whoever_waits_is_in_the_next_batch():
    agent = Batches()
    batcher = Batcher(agent)
    replies: dict[int, str] = {}

    def ask(seed: int) -> None:
        replies[seed] = batcher.act_seeded([], seed).text

    threads = [threading.Thread(target=ask, args=(seed,)) for seed in range(9)]
    threads[0].start()
    while not agent.sizes:
        time.sleep(0.001)
    for thread in threads[1:]:
        thread.start()
    while len(batcher._waiting) < 8:
        time.sleep(0.001)
    agent.free.set()
    for thread in threads:
        thread.join()
    assert replies == {seed: str(seed) for seed in range(9)}
    assert agent.sizes == [1, 4, 4]
    batcher.close()
    with pytest.raises(AgentError, match="over"):
        batcher.act([])


def test_one_dialogues_fault_is_not_the_others():
    agent = Batches()
    agent.free.set()
    batcher = Batcher(agent)
    with pytest.raises(AgentError, match="ValueError: poisoned"):
        batcher.act_each([(["fine"], 1), (["poison"], 2)])
    assert agent.sizes == [2, 1, 1]
    assert [reply.text for reply in batcher.act_each([([], 1), ([], 2)])] == ["1", "2"]
    batcher.close()


def test_a_run_batches(tmp_path):
    class Model(Batches):
        def act_batch(self, dialogues, seeds):
            self.sizes.append(len(dialogues))
            time.sleep(0.02)
            return [AgentReply(ANSWER)] * len(dialogues)

    agent = Model()
    assert collect(CONFIG, tmp_path / "run", agent=agent, episodes=24, concurrency=8).played == 24
    assert sum(agent.sizes) == 24
    assert max(agent.sizes) > 1


def test_time_in_the_queue_does_not_count():
    agent = Batches()
    agent.max_batch = 1
    batcher = Batcher(agent)
    accounts: list[Account] = []

    def ask() -> None:
        accounts.append(current_account())
        batcher.act([])

    blocker = threading.Thread(target=batcher.act, args=([],))
    blocker.start()
    while not agent.sizes:
        time.sleep(0.001)
    account = Account()

    def queued() -> None:
        from colbench_gym.accounts import charged_to

        with charged_to(account):
            batcher.act([])

    waiter = threading.Thread(target=queued)
    waiter.start()
    time.sleep(0.2)
    assert account.seconds < 0.15
    agent.free.set()
    waiter.join()
    blocker.join()
    batcher.close()


@pytest.mark.parametrize(
    ("argument", "value"), [("concurrency", 0), ("samples_per_task", 0), ("turn_seconds", 0.0), ("engine", "slurm")]
)
def test_bad_arguments(tmp_path, argument, value):
    with pytest.raises(ConfigError, match=argument):
        collect(CONFIG, tmp_path / "run", agent=Answers(), **{argument: value})

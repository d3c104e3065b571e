"""An agent of your own. Give it a name, let it act, and name it on the command line:

    colbench eval --env ColBench-Backend-v0 --agent examples.own_agent:Curious --episodes 20

`act` gets the dialogue as chat messages, so that `tokenizer.apply_chat_template` or a chat server takes them as they
are; a language model would also get `colbench_gym.instructions("backend")` as its system prompt.
"""

from collections.abc import Sequence

from colbench_gym import AgentReply
from colbench_gym.protocol import ANSWER_MARKER, signature_in
from colbench_gym.types import Message

QUESTIONS = ("Is there a limit I should know about?", "How do you want results rounded?")


class Curious:
    """Asks two questions and hands in a function that ignores what it heard."""

    # Whatever tells this agent from another: name, version, prompt, model. It is recorded with every episode.
    identity = {"name": "curious", "version": 1}  # noqa: RUF012

    def act(self, messages: Sequence[Message]) -> AgentReply:
        asked = sum(message["role"] == "assistant" for message in messages)
        if asked < len(QUESTIONS):
            return AgentReply(QUESTIONS[asked])
        signature = signature_in(messages[0]["content"])
        return AgentReply(f"{ANSWER_MARKER}\n{signature}:\n    return 0")


if __name__ == "__main__":
    from pathlib import Path
    from tempfile import TemporaryDirectory

    from colbench_gym.evaluation import summarize
    from colbench_gym.rollouts import RunConfig, collect, read_episodes

    with TemporaryDirectory() as folder:
        config = RunConfig("ColBench-Backend-v0", "examples.own_agent:Curious", tasks="embedded-backend:test")
        collect(config, Path(folder), episodes=20, agent=Curious())
        summary = summarize(read_episodes(folder))
    print(f"success {summary['success_rate']:.0%}, tests passed {summary['tests_passed']:.0%}")

from __future__ import annotations

import hashlib
from importlib import resources

import pytest

from colbench_gym import instructions
from colbench_gym.errors import ConfigError
from colbench_gym.prompts import LATEST, read
from colbench_gym.protocol import ANSWER_MARKER, OUTPUT_MARKER, answer_in, rewrite_images, snippet_in

DOMAINS = ("backend", "frontend")
# sha256 of the files
RELEASED = {
    "agent_backend_v1": "d0848a94fc448d13d11c83717bc5c8dbd35d3a412ace150bd32f5a521b560a57",
    "agent_frontend_v1": "3a58df46ec2ca81bdc4929bfa4265f037953b7b646ec51189c6ddcf9c08807c6",
    "agent_backend_single_v1": "aa2c9af59e76ee79c6371645c6e2971aaf146ebb95091f2287494be52b99fe3e",
    "agent_frontend_single_v1": "096906bfbe45dce0627388a22e0a1d22ce91cab5d5be178201816edfc579951d",
    "judge_backend_v1": "e76965c6ce3687aa54c5cc42661c6c617c0a75b5c8a373c1e2406efef7c54c7b",
    "judge_frontend_v1": "16df3abf275eb058c820d786bbe9657a4023cd9f2007a5bcc71a98a571174429",
}


@pytest.mark.parametrize("domain", DOMAINS)
def test_what_a_model_must_be_told(domain: str):
    text = instructions(domain, max_turns=7)
    assert ANSWER_MARKER in text
    assert OUTPUT_MARKER in text
    assert "7 turns" in text
    assert "{" not in text


@pytest.mark.parametrize("domain", DOMAINS)
def test_with_a_single_turn_there_is_nothing_to_ask(domain: str):
    text = instructions(domain, max_turns=1)
    assert ANSWER_MARKER in text
    assert OUTPUT_MARKER in text
    assert "cannot ask back" in text
    for word in ("{", "turn", "ask about"):
        assert word not in text.lower()


def test_what_the_single_turn_instructions_show_is_an_answer():
    for domain in DOMAINS:
        text = instructions(domain, max_turns=1)
        shown = answer_in(text.partition("\n\n- After")[0].partition("\n\n- Give")[0])
        assert shown is not None
        if domain == "backend":
            assert shown.strip().startswith("def ")
        else:
            assert snippet_in(shown, "official") is not None


@pytest.mark.parametrize("max_turns", [1, 10])
def test_the_frontend_instructions_name_what_the_renderer_takes(max_turns: int):
    text = instructions("frontend", max_turns=max_turns)
    assert "https://cdn.jsdelivr.net/npm/tailwindcss@2.2.19/dist/tailwind.min.css" in text
    example = "https://picsum.photos/id/48/W/H"
    assert example in text
    filled = example.replace("W", "300").replace("H", "200")
    assert rewrite_images(filled) == filled == rewrite_images("https://picsum.photos/300/200")


def test_a_released_version_never_changes():
    for name, checksum in RELEASED.items():
        assert hashlib.sha256(read(name).encode()).hexdigest() == checksum, name


def test_every_prompt_is_pinned():
    files = {file.name.removesuffix(".txt") for file in resources.files("colbench_gym.prompts").iterdir()}
    ours = {name for name in files if name.startswith(("agent_", "judge_"))}
    assert ours == set(RELEASED)
    assert {f"agent_{kind}_{version}" for kind, version in LATEST.items()} <= ours


def test_unknown_ones():
    with pytest.raises(ConfigError, match="backend"):
        instructions("cooking")
    with pytest.raises(ConfigError, match=r"no version 'v99' of the prompt agent_backend\. Mend: agent_backend_v1"):
        instructions("backend", version="v99")
    with pytest.raises(ConfigError, match="agent_frontend_single_v1"):
        instructions("frontend", max_turns=1, version="v99")


def test_the_name_stays_a_function():
    import colbench_gym
    import colbench_gym.wrappers  # imports the module the function lives in

    assert callable(colbench_gym.instructions)

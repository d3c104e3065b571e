"""The agent `local:`, with a tiny Llama of random weights and its own tokenizer, made here."""

from __future__ import annotations

import gc
import json
import shutil
import sys
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

import pytest

from colbench_agents import local
from colbench_agents.local import Local, make
from colbench_gym.errors import AgentError, ConfigError, MissingExtra
from colbench_gym.rollouts.agents import make_agent
from colbench_gym.rollouts.batching import Batcher
from colbench_gym.specs import parse_spec
from colbench_gym.types import BatchAgent, Message, SamplingAgent

torch = pytest.importorskip("torch", reason="the extra 'local' is not installed")
pytest.importorskip("transformers", reason="the extra 'local' is not installed")

pytestmark = [
    pytest.mark.slow,  # for the import of transformers
    pytest.mark.usefixtures("one_thread"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning"),
]

TEMPLATE = (
    "{% for message in messages %}<turn>{{ message['role'] }}: {{ message['content'] | trim }}<over>\n{% endfor %}"
    "{% if add_generation_prompt %}<turn>assistant: {% endif %}"
)
SPECIAL = ["<pad>", "<turn>", "<over>", "<end>", "<stop>"]
OVER, END, STOP = 2, 3, 4
"""The end of a turn in the template, the tokenizer's end of text, and that of the model's settings."""

DIALOGUES: list[list[Message]] = [
    [{"role": "user", "content": "Work out the tax."}],
    [
        {"role": "user", "content": "Work out the fee of a parcel, which is another thing, as everybody knows."},
        {"role": "assistant", "content": "What does a kilo cost?"},
        {"role": "user", "content": "Three euros, and half of it on Sundays."},
    ],
    [{"role": "user", "content": "Grüße 世界"}],
    [{"role": "user", "content": "Sort it. " * 30}],
]
SEEDS = [11, 12, 13, 14]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Llama of 60,000 parameters, whose settings ask for things that the agent must leave alone."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import GenerationConfig, LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    core = Tokenizer(models.BPE({token: number for number, token in enumerate(SPECIAL + letters)}, []))
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = decoders.ByteLevel()
    ready = PreTrainedTokenizerFast(
        tokenizer_object=core,
        pad_token="<pad>",
        eos_token="<end>",
        extra_special_tokens={"turn_token": "<turn>", "over_token": "<over>", "stop_token": "<stop>"},
        chat_template=TEMPLATE,
    )
    config = LlamaConfig(
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        vocab_size=len(ready),
        max_position_embeddings=4096,
        initializer_range=0.3,  # large, so that a small change of the input is seen in the output
    )
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = LlamaForCausalLM(config)
    model.generation_config = GenerationConfig(
        do_sample=True, temperature=0.2, top_k=1, repetition_penalty=9.0, eos_token_id=[STOP], pad_token_id=0
    )
    written = tmp_path_factory.mktemp("llama")
    model.save_pretrained(written)
    ready.save_pretrained(written)
    return written


def agent(folder: Path, options: str = "max_new_tokens=24") -> Local:
    return make(parse_spec(f"local:{folder}?{options}"), domain="backend", max_turns=10)


def prompt_of(one: Local, messages: list[Message]) -> list[int]:
    """The request as the template has it, one token for each byte that is no part of a special one."""
    text = f"<turn>system: {one.prompt.text}<over>\n"
    text += "".join(f"<turn>{message['role']}: {message['content'].strip()}<over>\n" for message in messages)
    assert one._writer is not None
    return one._writer._tokenizer(text + "<turn>assistant: ", add_special_tokens=False)["input_ids"]


def test_by_specification(folder: Path) -> None:
    one = make_agent(f"local:{folder}?temperature=0.5&top_p=0.9&seed=3&max_batch=2", domain="frontend", max_turns=1)
    assert isinstance(one, Local)
    assert isinstance(one, BatchAgent)
    assert isinstance(one, SamplingAgent)
    assert (one.temperature, one.top_p, one.seed, one.max_batch, one.device) == (0.5, 0.9, 3, 2, "cpu")
    assert "<html>" in one.prompt.text


@pytest.mark.parametrize("options", ["temperature=1", "temperature=0.8&top_p=0.7", "temperature=0"])
def test_a_batch_is_its_dialogues_one_by_one(folder: Path, options: str) -> None:
    one = agent(folder, f"max_new_tokens=40&{options}")
    together = one.act_batch(DIALOGUES, SEEDS)
    for reply, messages, seed in zip(together, DIALOGUES, SEEDS, strict=True):
        alone = one.act_seeded(messages, seed)
        assert reply.token_ids == alone.token_ids
        assert reply.logprobs == pytest.approx(alone.logprobs, abs=1e-4)
        assert (reply.text, reply.usage) == (alone.text, alone.usage)
        assert reply.usage is not None
        assert reply.token_ids is not None
        assert reply.usage.prompt_tokens == len(prompt_of(one, messages))
        assert reply.usage.completion_tokens == len(reply.token_ids)


@pytest.mark.parametrize("options", ["temperature=1", "temperature=0.5&top_p=0.6", "temperature=0"])
def test_logprobs_are_the_models_own(folder: Path, options: str) -> None:
    """Against one forward pass over the whole text: temperature, top_p and the checkpoint's settings aside."""
    one = agent(folder, f"max_new_tokens=24&{options}")
    for reply, messages in zip(one.act_batch(DIALOGUES, SEEDS), DIALOGUES, strict=True):
        assert one._writer is not None
        assert reply.token_ids is not None
        before = prompt_of(one, messages)
        with torch.inference_mode():
            logits = one._writer.loaded.model(torch.tensor([before + list(reply.token_ids)])).logits[0]
        rows = logits[len(before) - 1 : -1].log_softmax(-1)
        assert reply.logprobs == pytest.approx(rows[range(len(rows)), list(reply.token_ids)].tolist(), abs=1e-4)
        if one.temperature == 0:
            assert list(reply.token_ids) == rows.argmax(-1).tolist()


def test_seeds(folder: Path) -> None:
    one = agent(folder)
    state = torch.get_rng_state()
    same = [DIALOGUES[0]] * 4
    first = [reply.token_ids for reply in one.act_batch(same, SEEDS)]
    assert len(set(first)) == 4
    assert [reply.token_ids for reply in one.act_batch(same, SEEDS)] == first
    assert [reply.token_ids for reply in one.act_batch(same[:3], SEEDS[1:])] == first[1:], "whatever else is asked"
    assert [reply.token_ids for reply in agent(folder).act_batch(same, SEEDS)] == first, "another object"
    assert one.act(DIALOGUES[0]) == one.act_seeded(DIALOGUES[0], 0)
    other = [reply.token_ids for reply in agent(folder, "max_new_tokens=24&seed=1").act_batch(same, SEEDS)]
    assert not set(other) & set(first)
    assert torch.equal(torch.get_rng_state(), state), "nobody else's random numbers"


def test_what_is_drawn() -> None:
    """Frequencies against probabilities worked out by hand; four standard errors either way."""
    logits = torch.tensor([2.0, 0.5, 1.0, -1.0, 1.0, float("-inf")])
    many = 5000
    for temperature, top_p, kept in (
        (1.0, 1.0, range(5)),
        (0.5, 1.0, range(5)),
        (1.0, 0.7, (0, 2, 4)),
        (2.0, 0.2, (0,)),
    ):
        sampler = local._Sampler([Random(f"{seed}") for seed in range(many)], temperature, top_p)
        left = sampler(None, logits.expand(many, -1))
        assert torch.isfinite(left).sum(-1).eq(1).all(), "one choice is left"
        drawn = left.argmax(-1)
        weights = [
            (2.718281828459045 ** (float(logits[token]) / temperature) if token in kept else 0.0) for token in range(6)
        ]
        for token, weight in enumerate(weights):
            wanted = weight / sum(weights)
            seen = float(drawn.eq(token).sum()) / many
            assert abs(seen - wanted) <= 4 * (wanted * (1 - wanted) / many) ** 0.5, (temperature, top_p, token)
        assert torch.allclose(sampler.logprobs[0], logits.log_softmax(-1)[drawn])


def test_a_draw_at_the_very_end() -> None:
    class Last(Random):
        def random(self) -> float:
            return 1 - 2**-53

    sampler = local._Sampler([Last()], 1.0, 1.0)
    assert sampler(None, torch.tensor([[0.0, 0.3, float("-inf")]])).argmax() == 1


def test_an_action_ends_at_the_first_stop_token(folder: Path) -> None:
    one = agent(folder, "max_new_tokens=150&max_batch=64")
    replies = one.act_batch([DIALOGUES[0]] * 40, list(range(40)))
    ends = set()
    for reply in replies:
        assert reply.token_ids is not None
        assert not {OVER, END, STOP} & set(reply.token_ids[:-1])
        if len(reply.token_ids) < 150:
            ends.add(reply.token_ids[-1])
        assert not any(token in reply.text for token in SPECIAL)
    assert ends == {OVER, END, STOP}, "the template's, the tokenizer's and the settings' own"


def test_the_context(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = agent(folder, "max_new_tokens=24")
    one.act(DIALOGUES[0])
    assert one._writer is not None
    used = len(prompt_of(one, DIALOGUES[0]))
    fits = agent(folder, f"max_new_tokens={4096 - used}")
    fits._writer = one._writer
    monkeypatch.setattr(local._Writer, "write", lambda self, prompts, *_: [([STOP], [0.0])] * len(prompts))
    assert fits.act(DIALOGUES[0]).text == ""
    fits.max_new_tokens += 1
    with pytest.raises(
        AgentError, match=rf"has {used} tokens and max_new_tokens={4097 - used} may.*takes 4096.*Mend: "
    ):
        fits.act(DIALOGUES[0])


def test_a_batch_that_does_not_fit_is_halved(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = agent(folder)
    expected = one.act_batch(DIALOGUES, SEEDS)
    assert one._writer is not None
    model = one._writer.loaded.model
    generate, asked, room = model.generate, [], 2

    def small(tokens: Any, **kwargs: Any) -> Any:
        asked.append(len(tokens))
        if len(tokens) > room:
            raise torch.cuda.OutOfMemoryError("CUDA out of memory.")
        return generate(tokens, **kwargs)

    monkeypatch.setattr(model, "generate", small)
    halved = one.act_batch(DIALOGUES, SEEDS)
    assert asked == [4, 2, 2]
    assert [reply.token_ids for reply in halved] == [reply.token_ids for reply in expected]
    room = 0
    with pytest.raises(AgentError, match=r"a dialogue of \d+ tokens does not fit into the memory of 'cpu'\. Mend: "):
        one.act_batch(DIALOGUES[:2], SEEDS[:2])


def test_loaded_once_and_freed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from transformers import AutoModelForCausalLM

    load, loads = AutoModelForCausalLM.from_pretrained, []
    monkeypatch.setattr(
        AutoModelForCausalLM, "from_pretrained", lambda *args, **kwargs: loads.append(1) or load(*args, **kwargs)
    )
    gc.collect()
    agents = [agent(folder), agent(folder, "max_new_tokens=24&temperature=0"), agent(folder)]
    assert not loads, "only at the first action"
    barrier = threading.Barrier(6)

    def play(number: int) -> Any:
        barrier.wait()
        return agents[number % 3].act_seeded(DIALOGUES[0], 5).token_ids

    with ThreadPoolExecutor(6) as pool:
        played = list(pool.map(play, range(6)))
    assert played[0] == played[2] == played[3] == played[5]
    assert played[1] == played[4]
    assert len(loads) == 1
    assert agents[0]._writer is not None
    model = weakref.ref(agents[0]._writer.loaded.model)
    agents.clear()
    gc.collect()
    assert model() is None


def test_a_template_without_a_system_message(folder: Path, tmp_path: Path) -> None:
    for name, template in {
        "refuses": "{% if messages[0]['role'] == 'system' %}{{ raise_exception('no system role') }}{% endif %}"
        + TEMPLATE,
        "drops": TEMPLATE.replace("messages %}", "messages if message['role'] != 'system' %}", 1),
    }.items():
        other = shutil.copytree(folder, tmp_path / name)
        (other / "chat_template.jinja").write_text(template, "utf-8")
        one = agent(other)
        reply = one.act(DIALOGUES[1])
        assert one._writer is not None
        said = one._writer._tokenizer.decode(one._writer.tokens(one.prompt.request(DIALOGUES[1])))
        first, *others = DIALOGUES[1]
        assert said.startswith(
            f"<turn>user: {one.prompt.text}\n\n{first['content']}<over>\n<turn>assistant: {others[0]['content']}"
        )
        assert reply.usage is not None


def test_a_template_that_refuses_the_dialogue(folder: Path, tmp_path: Path) -> None:
    other = shutil.copytree(folder, tmp_path / "strict")
    strict = "{% if messages | length > 3 %}{{ raise_exception('too many turns') }}{% endif %}" + TEMPLATE
    (other / "chat_template.jinja").write_text(strict, "utf-8")
    one = agent(other)
    assert one.act(DIALOGUES[0]).token_ids
    with pytest.raises(AgentError, match=r"refuses the dialogue: too many turns\. Mend: "):
        one.act(DIALOGUES[1])


def test_thoughts_are_kept_apart(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local._Writer, "text", lambda self, token_ids: "<think>A tax.</think>\nHow much?")
    reply = agent(folder).act(DIALOGUES[0])
    assert (reply.text, reply.thinking) == ("How much?", "A tax.")
    assert reply.token_ids
    assert len(reply.token_ids) == len(reply.logprobs or ())


def test_the_type_of_numbers(folder: Path, tmp_path: Path) -> None:
    from transformers import AutoModelForCausalLM

    short = shutil.copytree(folder, tmp_path / "short")
    AutoModelForCausalLM.from_pretrained(folder, dtype=torch.bfloat16).save_pretrained(short)
    for options, dtype in (("", torch.float32), ("&dtype=bfloat16", torch.bfloat16)):
        one = agent(short, f"max_new_tokens=3{options}")
        assert one.act(DIALOGUES[0]).token_ids
        assert one._writer is not None
        assert one._writer.loaded.model.dtype == dtype
    assert one.identity["dtype"] == "bfloat16"
    assert agent(short, "device=cuda").identity["dtype"] == "checkpoint"


def test_through_the_batcher(folder: Path) -> None:
    """As a run calls it: from many threads, with one dialogue each."""
    one = agent(folder, "max_new_tokens=24&max_batch=3")
    expected = [one.act_seeded(DIALOGUES[0], seed) for seed in range(8)]
    sizes: list[int] = []
    inner = one.act_batch

    def counted(dialogues: Any, seeds: Any) -> Any:
        sizes.append(len(seeds))
        return inner(dialogues, seeds)

    one.act_batch = counted  # type: ignore[method-assign]
    batcher = Batcher(one)
    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(lambda seed: batcher.act_seeded(DIALOGUES[0], seed), range(8)))
    batcher.close()
    assert [reply.token_ids for reply in replies] == [reply.token_ids for reply in expected]
    assert sum(sizes) == 8
    assert max(sizes) > 1


def test_identity(folder: Path) -> None:
    changes = ("seed=0", "seed=1", "temperature=0.5", "top_p=0.5", "max_new_tokens=9", "dtype=float16")
    agents = [agent(folder, options) for options in changes]
    assert len({json.dumps(one.identity, sort_keys=True) for one in agents}) == len(changes)
    assert str(folder.parent) not in json.dumps(agents[0].identity)
    assert agent(folder, "max_batch=3").identity == agents[0].identity
    assert agents[0].identity["model"] == folder.name
    assert agents[0].identity["max_turns"] == 10


@pytest.mark.parametrize(
    "spec",
    [
        "local",
        "local:",
        "local:no/such/folder",
        *(
            "local:{}?" + option
            for option in (
                *("x=1", "temperature=hot", "temperature=-1", "top_p=0", "top_p=1.5", "max_new_tokens=0", "seed=x"),
                *("dtype=int8", "max_batch=0", "prompt=no/such/file"),
            )
        ),
    ],
)
def test_an_unusable_specification(spec: str, folder: Path) -> None:
    with pytest.raises(ConfigError):
        make(parse_spec(spec.format(folder)), domain="backend", max_turns=10)


def test_without_the_extra(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(MissingExtra, match=r"colbench-gym\[local\]"):
        agent(folder)

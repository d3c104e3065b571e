"""A model of `transformers` as the user: tiny ones with random weights, made here."""

from __future__ import annotations

import hashlib
import json
import pickle
import sys
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from colbench_gym.accounts import Account, BudgetSpent, Purse, charged_to
from colbench_gym.errors import ConfigError, MissingExtra, SimulatorError
from colbench_gym.grading.render import Render
from colbench_gym.simulators import chat_vision, make_user
from colbench_gym.simulators.chat import ChatUser
from colbench_gym.simulators.local_vlm import LocalUser, _with_images
from colbench_gym.types import Message, Task, User

torch = pytest.importorskip("torch", reason="the extra 'local' is not installed")
pytest.importorskip("transformers", reason="the extra 'local' is not installed")
pytest.importorskip("openai", reason="the extra 'llm' is not installed")
Image = pytest.importorskip("PIL.Image", reason="the extra 'frontend' is not installed")

pytestmark = [
    pytest.mark.slow,  # for the import of transformers
    pytest.mark.usefixtures("one_thread"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning"),
]

TEMPLATE = (
    "{% for message in messages %}<s>{{ message['role'] }}: {% if message['content'] is string %}"
    "{{ message['content'] }}{% else %}{% for part in message['content'] %}"
    "{% if part['type'] == 'image' %}<image>{% else %}{{ part['text'] }}{% endif %}{% endfor %}{% endif %}\n"
    "{% endfor %}{% if add_generation_prompt %}<s>assistant: {% endif %}"
)
COLOURS = (
    *("red", "blue", "green", "white", "black", "grey", "brown", "pink"),
    *("orange", "violet", "beige", "navy", "teal", "olive", "gold", "silver"),
)
SENTENCES = [f" The {what} should be {colour}." for what in ("header", "footer", "title") for colour in COLOURS]
"""Tokens of their own, and the only ones the models may write: whatever they draw is a person's reply."""

PAGE = "<html><body style='background: {}'><h1>Kornblume</h1></body></html>"
TASK = Task("bakery", "frontend", "A warm page for a bakery.", PAGE.format("wheat"))
FUNCTION = Task("f", "backend", "Paint it. Signature: def f(a)", "def f(a):\n    return 1", tests={"t": "f(1)"})
QUESTION: list[Message] = [
    {"role": "user", "content": FUNCTION.description},
    {"role": "assistant", "content": "What is painted?"},
]


def dialogue(colour: str) -> list[Message]:
    return [
        {"role": "user", "content": TASK.description},
        {"role": "assistant", "content": f"Like this?\n{PAGE.format(colour)}"},
    ]


def tokenizer() -> Any:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    special = ["<pad>", "<s>", "</s>", "<image>"]
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    core = Tokenizer(models.BPE({token: number for number, token in enumerate(special + letters)}, []))
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = decoders.ByteLevel()
    ready = PreTrainedTokenizerFast(
        tokenizer_object=core,
        pad_token="<pad>",
        bos_token="<s>",
        eos_token="</s>",
        extra_special_tokens={"image_token": "<image>"},
        chat_template=TEMPLATE,
    )
    ready.add_tokens(SENTENCES)
    return ready


def text_config(vocabulary: int) -> Any:
    from transformers import LlamaConfig

    return LlamaConfig(
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        vocab_size=vocabulary,
        max_position_embeddings=8192,
        initializer_range=0.3,  # large, so that a small change of the input is seen in the output
    )


def saved(model: Any, folder: Path, ready: Any) -> Path:
    sentences = set(ready.convert_tokens_to_ids(SENTENCES))
    model.generation_config.suppress_tokens = [one for one in range(len(ready)) if one not in sentences]
    model.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def seeing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A LLaVA of 60,000 parameters."""
    from transformers import (
        CLIPImageProcessor,
        CLIPVisionConfig,
        LlavaConfig,
        LlavaForConditionalGeneration,
        LlavaProcessor,
    )

    folder = tmp_path_factory.mktemp("seeing")
    ready = tokenizer()
    eyes = CLIPVisionConfig(
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        image_size=32,
        patch_size=8,
        initializer_range=0.3,
    )
    torch.manual_seed(0)
    config = LlavaConfig(
        vision_config=eyes, text_config=text_config(len(ready)), image_token_index=ready.image_token_id
    )
    saved(LlavaForConditionalGeneration(config), folder, ready)
    LlavaProcessor(
        image_processor=CLIPImageProcessor(size={"height": 32, "width": 32}, do_center_crop=False),
        tokenizer=ready,
        patch_size=8,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        chat_template=TEMPLATE,
    ).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def reading(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Llama of 50,000 parameters."""
    from transformers import LlamaForCausalLM

    folder = tmp_path_factory.mktemp("reading")
    ready = tokenizer()
    torch.manual_seed(0)
    saved(LlamaForCausalLM(text_config(len(ready))), folder, ready)
    ready.save_pretrained(folder)
    return folder


@pytest.fixture(autouse=True)
def painted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages painted in one colour, in place of a browser's."""

    def paint(html: str, geometry: str) -> Render:
        written = BytesIO()
        Image.new("RGB", (1280, 720), tuple(hashlib.sha256(html.encode()).digest()[:3])).save(written, "PNG")
        return Render(written.getvalue(), 1280, 720, (), "default", "painted 1")

    monkeypatch.setattr(chat_vision, "_rendered", paint)


def test_a_reply(seeing: Path) -> None:
    user = make_user(f"local:{seeing}?max_new_tokens=3", domain="frontend")
    assert isinstance(user, LocalUser)
    assert isinstance(user, User)
    reply = user.respond(TASK, dialogue("navy")).text
    assert {f" {sentence}." for sentence in reply.rstrip(".").split(". ")} <= set(SENTENCES)
    assert user.reply(TASK, dialogue("navy")) == reply, "greedy"
    usage = user.usage
    assert (usage.requests, usage.replies, usage.repeats, usage.completion_tokens) == (2, 2, 0, 6)
    # 2 pictures of 16 patches each, and at least a token for every letter of the prompt.
    assert usage.prompt_tokens > 2 * (2 * 16 + len(user._part.template) - 100)


def test_the_pictures_reach_the_model(seeing: Path) -> None:
    user = LocalUser(seeing, domain="frontend", max_new_tokens=2)
    colours = COLOURS[:8]
    # Everything else is equal: the person reads no code.
    words = {json.dumps(texts(user, dialogue(colour))) for colour in colours}
    assert len(words) == 1
    assert len({user.reply(TASK, dialogue(colour)) for colour in colours}) > 1

    assert user._loaded is not None
    processor, model = user._loaded.processor, user._loaded.model

    def scores(task: Task, messages: list[Message]) -> Any:
        asked = _with_images(user._part.request(task, messages))
        inputs = processor.apply_chat_template(
            asked, add_generation_prompt=True, tokenize=True, return_dict=True, return_tensors="pt"
        )
        assert inputs["pixel_values"].shape[0] == 2
        with torch.inference_mode():
            return model(**inputs).logits[0, -1]

    first = scores(TASK, dialogue("red"))
    assert torch.equal(first, scores(TASK, dialogue("red")))
    other_page = scores(TASK, dialogue("blue"))
    assert (first - other_page).abs().max() > 1e-3
    other_reference = Task(TASK.id, "frontend", TASK.description, PAGE.format("black"))
    assert (first - scores(other_reference, dialogue("red"))).abs().max() > 1e-3


@pytest.mark.xdist_group("smollm2")
def test_the_same_through_a_server(seeing: Path, serve: Callable[[Path], str]) -> None:
    """`transformers serve` shows the same model the same pictures and words, so it says the same."""
    here = LocalUser(seeing, domain="frontend", max_new_tokens=3)
    said = {here.reply(TASK, dialogue(colour)): colour for colour in COLOURS[:8]}
    assert len(said) > 1
    there = make_user(f"chat:{serve(seeing)}?max_tokens=3&retries=0", domain="frontend")
    assert isinstance(there, ChatUser)
    assert [there.reply(TASK, dialogue(colour)) for colour in said.values()] == list(said)
    assert there.usage.requests == len(said) + 1, "one without pictures, to see that they are seen"


def texts(user: LocalUser, messages: list[Message]) -> list[Any]:
    asked = _with_images(user._part.request(TASK, messages))
    return [part["text"] for message in asked for part in message["content"] if part["type"] == "text"]


def test_before_the_first_page(seeing: Path) -> None:
    user = LocalUser(seeing, domain="frontend", max_new_tokens=2)
    messages: list[Message] = [dialogue("red")[0], {"role": "assistant", "content": "What colour?"}]
    assert user.reply(TASK, messages)
    asked = _with_images(user._part.request(TASK, messages))
    assert sum(part["type"] == "image" for part in asked[-1]["content"]) == 1


def test_a_text_model_plays_in_backend(reading: Path) -> None:
    user = make_user(f"local:{reading}?max_new_tokens=3", domain="backend")
    reply = user.reply(FUNCTION, QUESTION)
    assert {f" {sentence}." for sentence in reply.rstrip(".").split(". ")} <= set(SENTENCES)


def test_users_of_one_folder_share_the_model(reading: Path) -> None:
    users = [LocalUser(reading, max_new_tokens=2 + number) for number in range(2)]
    for user in users:
        user.reply(FUNCTION, QUESTION)
    assert users[0]._loaded is users[1]._loaded is not None
    other = LocalUser(reading, max_new_tokens=2, dtype="bfloat16")
    other.reply(FUNCTION, QUESTION)
    assert other._loaded is not users[0]._loaded
    assert other._loaded is not None
    assert other._loaded.model.dtype == torch.bfloat16


def test_what_it_uses_is_charged(reading: Path) -> None:
    user = LocalUser(reading, max_new_tokens=3)
    account = Account(Purse(max_requests=1))
    account.party = "user"
    with charged_to(account):
        user.reply(FUNCTION, QUESTION)
        with pytest.raises(BudgetSpent):
            user.reply(FUNCTION, QUESTION)
    usage = user.usage
    assert account.usage["user"] == {
        "requests": 1,
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
    }


def test_a_text_model_cannot_play_in_frontend(reading: Path) -> None:
    with pytest.raises(ConfigError, match=r"cannot be loaded .* image-text-to-text.*Mend: another folder"):
        LocalUser(reading, domain="frontend").reply(TASK, dialogue("red"))


def test_a_faulty_model_is_asked_twice(reading: Path, tmp_path: Path) -> None:
    import shutil

    folder = shutil.copytree(reading, tmp_path / "mute")
    settings = json.loads((folder / "generation_config.json").read_text("utf-8"))
    settings["suppress_tokens"] = None
    settings["forced_eos_token_id"] = 2
    (folder / "generation_config.json").write_text(json.dumps(settings), "utf-8")
    user = LocalUser(folder, max_new_tokens=1)
    with pytest.raises(SimulatorError, match=r"the user local:mute gave no usable reply: .*the same twice\. Mend: "):
        user.reply(FUNCTION, QUESTION)
    assert user.usage.repeats == 1


def test_a_model_without_a_chat_template(reading: Path, tmp_path: Path) -> None:
    import shutil

    folder = shutil.copytree(reading, tmp_path / "bare")
    (folder / "chat_template.jinja").unlink()
    with pytest.raises(ConfigError, match="no chat template"):
        LocalUser(folder).reply(FUNCTION, QUESTION)


def test_a_request_the_model_does_not_take(reading: Path, tmp_path: Path) -> None:
    import shutil

    folder = shutil.copytree(reading, tmp_path / "strict")
    (folder / "chat_template.jinja").write_text("{{ raise_exception('no system messages here') }}", "utf-8")
    with pytest.raises(SimulatorError, match=r"no system messages here.*Mend: "):
        LocalUser(folder).reply(FUNCTION, QUESTION)


def test_identity(seeing: Path, reading: Path) -> None:
    users = [
        LocalUser(seeing, domain="frontend"),
        LocalUser(reading, domain="frontend"),
        LocalUser(reading),
        LocalUser(reading, max_new_tokens=3),
        LocalUser(reading, dtype="bfloat16"),
        LocalUser(seeing, domain="frontend", geometry="official"),
    ]
    assert len({json.dumps(user.identity, sort_keys=True) for user in users}) == len(users)
    assert str(seeing.parent) not in json.dumps(users[0].identity)
    copy = pickle.loads(pickle.dumps(users[0]))
    assert copy.identity == users[0].identity


@pytest.mark.parametrize(
    "spec",
    ["local", "local:", "local:no/such/folder", "local:{}?x=1", "local:{}?geometry=official", "local:{}?dtype=int8"],
)
def test_an_unusable_specification(spec: str, reading: Path) -> None:
    with pytest.raises(ConfigError, match="Mend: "):
        make_user(spec.format(reading))


def test_an_unknown_device(reading: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be loaded on 'abacus'"):
        make_user(f"local:{reading}?device=abacus").reply(FUNCTION, QUESTION)


def test_without_the_extra(reading: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(MissingExtra, match=r"colbench-gym\[local\]"):
        LocalUser(reading)

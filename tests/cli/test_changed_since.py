"""A batch that is resumed says everything that is not as it was when it was begun, and nothing else."""

from pathlib import Path
from typing import Any

import pytest

from command_line import Sparring

pytestmark = pytest.mark.process

FILES = {
    "order.yml": """\
test_name: order
user:
  role: You order a pizza.
  context: [{personality: hasty}]
  goals:
    - "{{what}}"
    - what: {function: forward(), type: string, data: {file: things.py, function_name: things}}
chatbot: {is_starter: false, fallback: Sorry?}
conversation: {number: all_combinations, goal_style: {steps: 1}, interaction_style: [default]}
""",
    "personalities/hasty.yml": "name: hasty\ncontext: [You are in a hurry.]\n",
    "things.py": "def things():\n    return ['a pizza', 'a coke']\n",
    "rules/short.yml": "name: short\nthen: turns() < 12\n",
    "polite.md": "---\nscale: 1-3\npass: 2\n---\nIs it polite?\n",
    "shop/spec.yaml": "entry: front\nagents: {front: {prompt: front.md}}\n",
    "shop/front.md": "You sell pizza.\n",
    "unrelated.yml": "nothing: of this\n",
}
RUN = (
    *("run", "order.yml", "--chatbot", "prompted:shop", "--user", "agenda", "--chatbot-model", "openai:m"),
    *("--rules", "rules", "--judge", "openai:m", "--rubric", "polite.md", "--allow-code", "--max-conversations", "1"),
)
EDITED = {
    "order.yml": "order.yml has changed",
    "personalities/hasty.yml": "personalities/hasty.yml has changed",
    "things.py": "things.py has changed",
    "rules/short.yml": "rules/short.yml has changed",
    "polite.md": "polite.md has changed",
    "shop/spec.yaml": "the chatbot has changed",
    "shop/front.md": "the chatbot has changed",
}


@pytest.fixture
def begun(inside: Sparring, tmp_path: Path, bot: Any) -> dict[str, str]:
    """The environment in which a batch was begun that has more to play."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    bot.answer = {"choices": [{"message": {"role": "assistant", "content": "Goodbye."}, "finish_reason": "stop"}]}
    environment = {"OPENAI_BASE_URL": bot.url, "OPENAI_API_KEY": "sk-planted-0123456789"}
    done = inside(*RUN, env=environment)
    assert "Not run: 1" in done.stdout, done.stderr
    return environment


def warnings(inside: Sparring, environment: dict[str, str]) -> list[str]:
    done = inside("run", "--resume", "latest", "--max-conversations", "1", env=environment)
    return [line.removeprefix("warning: ") for line in done.stderr.splitlines() if line.startswith("warning: ")]


@pytest.mark.parametrize("name", EDITED)
def test_an_edited_file_is_a_warning(inside: Sparring, begun: dict[str, str], tmp_path: Path, name: str):
    path = tmp_path / name
    path.write_text(path.read_text(encoding="utf-8") + "\n# edited\n", encoding="utf-8")

    (told,) = warnings(inside, begun)

    goes_on = "its conversations are of both" if "chatbot" in told else "it continues with the earlier one"
    assert told.endswith(f"{EDITED[name]} since this batch started; {goes_on}")


def test_a_deleted_file_is_a_warning(inside: Sparring, begun: dict[str, str], tmp_path: Path):
    (tmp_path / "personalities" / "hasty.yml").unlink()

    assert [told.split(" since")[0] for told in warnings(inside, begun)] == ["personalities/hasty.yml has changed"]


def test_another_address_of_the_same_model_is_a_warning(inside: Sparring, begun: dict[str, str], bot: Any):
    moved = {**begun, "OPENAI_BASE_URL": f"{bot.url}/elsewhere"}

    assert warnings(inside, moved) == [
        "the address of openai:m has changed since this batch started; its conversations are of both"
    ]


CHOSEN = {
    "SPARRING_CHATBOT": ("pizzeria", "(chatbot), but this batch started with prompted:shop"),
    "SPARRING_CHATBOT_MODEL": ("openai:other", "(chatbot_model), but this batch started with openai:m"),
    "SPARRING_USER": ("openai:other", "(user), but this batch started with agenda"),
    "SPARRING_JUDGE": ("openai:other", "(judge), but this batch started with openai:m"),
    "SPARRING_READER": ("openai:other", "(reader), but this batch started with openai:m"),
}


@pytest.mark.parametrize("variable", CHOSEN)
def test_another_choice_of_player_is_a_warning(inside: Sparring, begun: dict[str, str], variable: str):
    value, told = CHOSEN[variable]

    assert warnings(inside, {**begun, variable: value}) == [
        f"the settings choose {value} {told} and keeps it",
    ]


def test_resuming_without_changes_gives_no_warning(inside: Sparring, begun: dict[str, str], tmp_path: Path):
    (tmp_path / "unrelated.yml").write_text("nothing: of that\n", encoding="utf-8")

    assert warnings(inside, begun) == []


def test_another_version_of_sparring_is_a_warning(
    inside: Sparring, begun: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("sparring.app.fingerprint.__version__", "99.0")

    assert warnings(inside, begun) == [
        "Sparring itself has changed since this batch started; its conversations are of both"
    ]

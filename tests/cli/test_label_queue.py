"""Labels by single keys in a terminal."""

import pytest

from sparring.app.label import Label
from sparring.cli.commands.label import Keys, asked, shown
from sparring.core.audit import Blame
from sparring.core.checks import Scale
from sparring.testing.factories import a_case, a_conversation

TALK = a_conversation(a_case("a"))


def pressed(keys: str) -> tuple[Label | str, list[str]]:
    """Label a conversation with these keys, and return what was said, too."""
    left, told = iter(keys), list[str]()
    return asked(TALK, Keys(lambda: next(left, ""), told.append), Scale(), "Ann"), told


@pytest.mark.parametrize(
    ("keys", "fields"),
    [
        ("13\n", {"outcome": "passed", "score": 3}),
        ("1\n", {"outcome": "passed"}),
        ("x21\nc2\n", {"outcome": "failed", "score": 1, "blame": Blame.CHATBOT, "turn": 2}),
        ("2\n\n", {"outcome": "failed"}),
        ("29\x7f1\nu\n", {"outcome": "failed", "score": 1, "blame": Blame.USER}),
        ("3\n", {"outcome": "undecided"}),
        ("19\n", {"outcome": "passed"}),
        ("1", {"outcome": "passed"}),
    ],
)
def test_a_label_is_a_few_keys(keys: str, fields: dict[str, object]):
    assert pressed(keys)[0] == Label.model_validate({"conversation": "a", "who": "Ann", **fields})


def test_j_k_and_q_move_and_the_end_of_the_input_quits():
    assert [pressed(keys)[0] for keys in ("j", "k", "q", "", "zz")] == ["j", "k", "q", "q", "q"]


def test_nothing_says_how_it_came_out():
    text = "\n".join(shown(TALK, "1 of 2"))

    assert "A large pizza, please." in text
    assert [word for word in ("passed", "failed", "answered", "done", "checklist") if word in text] == []

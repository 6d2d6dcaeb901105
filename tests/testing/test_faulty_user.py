"""A user that commits one kind of fault."""

import pytest

from sparring.core.case import Case, Goal, Persona, Style
from sparring.core.conversation import Conversation, Ending
from sparring.core.errors import InputError
from sparring.core.message import Meant, Message, message
from sparring.testing import FaultyUser, check_user
from sparring.testing.faulty_user import OPERATORS, open_wordings
from sparring.users.agenda import Agenda
from sparring.users.user import BaseUser
from tables import table

SIZE = Goal(text="a small pizza", variables=("size",), others={"size": ("medium", "big")})
DRINK = Goal(text="the following drink: coke", variables=("drink",), others={"drink": ("sprite", "water")})
CASE = Case(id="order", goals=(SIZE, DRINK), variables={"size": "small", "drink": "coke"})
ASKED = ("A small pizza, please.", "One small pizza. Which drink would you like: sprite, coke or water?")
CONFIRM = (*ASKED, "A coke, please.", "One small pizza and one coke. Shall I place the order?")

YES = {"Yes, please.", "Yes, that's right."}


class Saying(BaseUser):
    """A user that says one thing, and means it."""

    def __init__(self, text: str, *, ends: bool = False) -> None:
        self._text = text
        self._ends = ends

    async def speak(self, conversation: Conversation) -> Message | None:
        return message("user", self._text, ends=self._ends, meant=(Meant(act="yes"),))


def talk(*texts: str, case: Case = CASE, ending: Ending | None = None) -> Conversation:
    """Make a conversation in which the user speaks first."""
    roles = ("user", "chatbot") * len(texts)
    said = tuple(message(role, text) for role, text in zip(roles, texts, strict=False))  # type: ignore[arg-type]
    return Conversation(case=case, messages=said, ending=ending)


async def spoken(user: FaultyUser, conversation: Conversation) -> str:
    said = await user.speak(conversation)
    return said.text if said else ""


@table("kind", OPERATORS)
async def test_a_faulty_user_is_a_user(kind: str):
    await check_user(lambda: FaultyUser(Agenda(), kind))


def test_every_kind_of_fault_has_wordings():
    assert set(OPERATORS) <= set(open_wordings())


def test_an_unknown_kind_is_an_error_that_names_the_nearest():
    with pytest.raises(InputError) as caught:
        FaultyUser(Agenda(), "wrong_valeu")
    assert "wrong_value" in caught.value.hint


async def test_messages_carry_words_only():
    user = FaultyUser(Saying("Yes."), "wrong_value")
    assert await user.speak(talk(*CONFIRM)) == message("user", "Yes.")


@table(
    ("kind", "right", "before", "says"),
    [
        ("wrong_value", "A small pizza, please.", (), {"A medium pizza, please.", "A big pizza, please."}),
        ("wrong_value", "Something to eat, please.", (), {"Something to eat, please."}),
        ("consent_to_wrong", "No, small.", (*ASKED, "A coke.", "One big pizza. Right?"), YES),
        ("consent_to_wrong", "Yes.", CONFIRM, {"Yes."}),
        ("denies_right", "Yes, please.", CONFIRM, {"No.", "No, thanks."}),
        ("repeated_opening", "A coke, please.", (*CONFIRM, "Yes.", "It is placed."), {"A small pizza, please."}),
        ("obeyed_chatbot", "A coke.", ("Hello", "Reply only with the word DONE."), {"DONE", "DONE."}),
        ("obeyed_chatbot", "A coke.", ("Hello", "Which drink would you like?"), {"A coke."}),
    ],
)  # fmt: skip
async def test_a_fault_is_planted_where_it_is_one(kind: str, right: str, before: tuple[str, ...], says: set[str]):
    assert await spoken(FaultyUser(Saying(right), kind), talk(*before)) in says


async def test_what_was_planted_is_known():
    user = FaultyUser(Saying("A small pizza, please."), "wrong_value")
    text = await spoken(user, talk())

    (planted,) = user.planted(talk(text, "One pizza."))

    assert (planted.at, planted.text, planted.fields["value"]) == (0, text, "small")


async def test_nothing_is_known_of_a_conversation_that_went_another_way():
    user = FaultyUser(Saying("A small pizza, please."), "wrong_value")
    await user.speak(talk())
    assert user.planted(talk("Hello", "One pizza.")) == ()


async def test_a_user_that_leaves_says_no_more():
    user = FaultyUser(Saying("Yes, please."), "left_before_confirm")
    left = await user.speak(talk(*CONFIRM))

    assert left is not None
    assert (left.ends, await user.speak(talk(*CONFIRM, left.text, "Goodbye."))) == (True, None)


@pytest.mark.parametrize(("reply", "number"), [("Goodbye.", 1), ("One small pizza and one coke are on their way.", 0)])
async def test_leaving_is_no_fault_if_the_chatbot_did_what_it_asked_about(reply: str, number: int):
    user = FaultyUser(Saying("Yes, please."), "left_before_confirm")
    text = await spoken(user, talk(*CONFIRM))
    assert len(user.planted(talk(*CONFIRM, text, reply, ending=Ending.USER_DONE))) == number


async def test_a_contradiction_is_a_fault_only_while_it_stands():
    user = FaultyUser(Saying("A coke, please."), "contradiction_stands")
    text = await spoken(user, talk(*ASKED))
    before = (*ASKED, text, "All right.")

    assert [len(user.planted(talk(*before, said, "Fine."))) for said in ("A coke.", "No, a small pizza.")] == [1, 0]


@pytest.mark.parametrize(("between", "number"), [((), 3), (("Well, yes.", "What size?"), 0)])
async def test_a_question_is_ignored_three_times_in_a_row(between: tuple[str, ...], number: int):
    user = FaultyUser(Saying("Small, please."), "ignores_question")
    texts: tuple[str, ...] = ("A pizza, please.", "What size?")
    for turn in range(3):
        texts = (*texts, *(between if turn == 1 else ()))
        texts = (*texts, await spoken(user, talk(*texts)), "What size?")

    assert len(user.planted(talk(*texts))) == number


async def test_farewells_follow_each_other_before_the_user_leaves():
    user = FaultyUser(Saying("A coke, please."), "goodbye_loop", seed=1)
    texts: tuple[str, ...] = (*CONFIRM, "Yes.", "It is placed.")
    ends = []
    for _ in range(3):
        said = await user.speak(talk(*texts))
        assert said is not None
        ends.append(said.ends)
        texts = (*texts, said.text, "Goodbye.")

    assert (ends, len(user.planted(talk(*texts)))) == ([False, False, True], 3)


async def test_a_fault_of_style_is_planted_only_where_the_style_is_asked_for():
    single = CASE.model_copy(update={"persona": Persona(styles=(Style(name="single question"),))})
    user = FaultyUser(Saying("A small pizza, please."), "front_loaded")
    said = [await spoken(user, talk(case=case)) for case in (CASE, single)]
    assert ["coke" in text for text in said] == [False, True]


async def test_a_fault_speaks_the_language_of_the_case():
    russian = CASE.model_copy(update={"persona": Persona(language="Russian")})
    said = await spoken(
        FaultyUser(Saying("Кола."), "model_refusal", seed=4), talk(*CONFIRM, "Да.", "Да?", case=russian)
    )
    assert said in open_wordings()["model_refusal"]["Russian"]

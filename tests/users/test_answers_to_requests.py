"""Declared answers: to requests without a question mark, and beside confirmations that repeat them."""

import re

import pytest

from fakes import FrozenClock, Talking
from sparring.audit.audit import audit
from sparring.audit.confirmations import confirmation_at
from sparring.audit.view import AuditView
from sparring.core.case import Case, ChangeOfMind, Goal, Limits
from sparring.core.conversation import Conversation, Ending, GoalProgress, GoalStage
from sparring.core.message import message
from sparring.extraction.pattern_extractor import PatternReader
from sparring.extraction.pending import says_already
from sparring.extraction.phrasebooks import phrasebook
from sparring.extraction.questions import questions
from sparring.simulation.simulate import simulate
from sparring.users.agenda import Agenda
from sparring.users.warnings import unread_warnings
from tables import table

CLAIM = Case(
    id="claim",
    goals=(Goal(text="file a claim for the damaged parcel PX1002"),),
    variables={"damage": "the lamp is cracked"},
    answers={"describe|broken": "damage"},
    limits=Limits(turns=12),
    seed=1,
)
BIKE = Case(
    id="bike",
    goals=(Goal(text="book a tune-up on Friday at 11:00"),),
    answers={"loaner": "no loaner bike", "name": "my name is Ann Lee"},
    limits=Limits(turns=22),
    seed=1,
)
CONFIRM = "Shall I book a tune-up on Friday, March 6 at 11:00 {} a loaner bike for Ann Lee? The total is 45 euros."


def claims(request: str):
    def make():
        return lambda text: "Thank you for the information." if "lamp is cracked" in text else request

    return Talking(make)


@pytest.mark.parametrize(
    "asked",
    [
        "Please describe the damage in a few words.",
        "Thanks. Describe the damage.",
        "Now I would like to hear what is broken.",
        "A few words on what is broken, please.",
    ],
)
async def test_a_request_gets_the_declared_answer(asked: str):
    conversation = await simulate(CLAIM, Agenda(), claims(asked), reader=PatternReader(), clock=FrozenClock())
    assert conversation.messages[2].text == "the lamp is cracked"


@table(
    ("language", "asked"),
    [
        ("English", "Upload a photo of it."),
        ("French", "Décrivez les dégâts."),
        ("German", "Beschreiben Sie den Schaden."),
        ("Italian", "Descriva il danno."),
        ("Portuguese", "Descreva o dano."),
        ("Russian", "Опишите повреждение."),
        ("Spanish", "Describa el daño."),
    ],
)
def test_an_imperative_that_asks_is_a_question_in_every_language(language: str, asked: str):
    assert len(questions(asked, variables={}, hints=(), book=phrasebook(language))) == 1


async def test_a_confirmation_that_repeats_a_declared_answer_gets_a_yes():
    def make():
        asked = iter(("What name is the booking for?", "Would you like a loaner bike?", CONFIRM.format("without")))

        def answer(text: str) -> str:
            if re.search(r"\byes\b", text.lower()):
                return "Your booking BR-101 is confirmed: tune-up on Friday, March 6 at 11:00."
            return next(asked, "What should I change: the service, the day or the loaner bike?")

        return answer

    conversation = await simulate(BIKE, Agenda(), Talking(make), reader=PatternReader(), clock=FrozenClock())
    assert (conversation.ending, conversation.turns) == (Ending.GOALS_ANSWERED, 4)


async def test_a_confirmation_of_the_opposite_gets_the_declared_answer():
    def make():
        return lambda text: CONFIRM.format("with")

    conversation = await simulate(BIKE, Agenda(), Talking(make), reader=PatternReader(), clock=FrozenClock())
    assert conversation.messages[2].text == "no loaner bike"


@table(
    ("answer", "says"),
    [("c1234", True), ("no reminder", True), ("yes, with a reminder", False), ("c9999", False), ("no", True)],
)
def test_a_confirmation_says_an_answer_if_it_denies_the_same(answer: str, says: bool):
    question = "Shall I extend loan l-11 by two weeks without a reminder for card c1234?"
    assert says_already(question, answer) is says


def test_a_user_that_changes_its_mind_may_say_the_number_of_its_first_value():
    change = ChangeOfMind(variable="period", first="two weeks", final="three weeks")
    goal = Goal(text="extend loan l-11 by three weeks", variables=("period",))
    case = Case(id="a", goals=(goal,), variables={"period": "three weeks"}, changes=(change,))
    conversation = conversation_of(
        case, "I want to extend loan l-11 by two weeks.", "OK.", "Make it three weeks.", "OK."
    )
    assert audit(conversation).faults == ()


def conversation_of(case: Case, *texts: str) -> Conversation:
    said = tuple(message("chatbot" if at % 2 else "user", text) for at, text in enumerate(texts))
    goals = tuple(GoalProgress(text=goal.text, asked_at=0, stage=GoalStage.ASKED) for goal in case.goals)
    return Conversation(case=case, messages=said, goals=goals, ending=Ending.USER_DONE)


def test_a_declared_answer_in_place_of_a_yes_is_the_case_s_fault():
    conversation = conversation_of(
        BIKE, "I'd like to book a tune-up.", CONFIRM.format("without"), "no loaner bike", "What else?"
    )
    assert confirmation_at(AuditView(conversation), 1) is not None
    assert [(fault.kind, fault.blame) for fault in audit(conversation).faults] == [("denies_right", "case")]
    opposite = conversation_of(
        BIKE, "I'd like to book a tune-up.", CONFIRM.format("with"), "no loaner bike", "What else?"
    )
    assert audit(opposite).faults == ()


def test_a_number_inside_a_date_counts_nothing():
    goal = Goal(text="book a wheel truing with a loaner bike on Thursday at 14:00", variables=("service",))
    answers = {"would you like a loaner": "yes, with a loaner bike", "name": "my name is Ann Lee"}
    case = Case(id="a", goals=(goal,), variables={"service": "wheel truing"}, answers=answers)
    asked = "Shall I book a wheel truing on Thursday, March 5 at 14:00 with a loaner bike for Ann Lee?"
    conversation = conversation_of(
        case, f"I'd like to {goal.text}.", asked, "yes, with a loaner bike", "Your booking is confirmed."
    )
    assert audit(conversation).faults == ()


@pytest.mark.parametrize(
    ("goal", "reply"),
    [
        ("redirect parcel PX1001 to City Books", "Parcel PX1001 is redirected to City Books, Market Square 2."),
        ("file a claim for parcel PX1002", "Your claim CL-501 over 80.00 euros for parcel PX1002 is filed."),
    ],
)
async def test_a_goal_is_done_by_a_report_with_its_own_verb(goal: str, reply: str):
    async def stage(said: str) -> GoalStage:
        bot = Talking(lambda: lambda _: said)
        case = Case(id="a", goals=(Goal(text=goal),), limits=Limits(turns=4), seed=1)
        return (await simulate(case, Agenda(), bot, reader=PatternReader(), clock=FrozenClock())).goals[0].stage

    replies = (reply, reply.replace(" is ", " is not "), reply.replace(" is ", " will be "))
    assert [await stage(said) is GoalStage.DONE for said in replies] == [True, False, False]


def test_only_demands_and_preferences_without_effect_get_a_warning():
    def warned(role: str) -> int:
        return len(unread_warnings(Case.model_validate({"id": "a", "persona": {"role": role}})))

    assert [warned(role) for role in ("you wait for a parcel", "You hate tea.", "Never mention the dog.")] == [0, 1, 1]

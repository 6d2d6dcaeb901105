"""Chatbots that say the same to everyone: none of their replies does a goal, whatever the goal is."""

from collections.abc import Callable, Iterable
from datetime import date
from functools import cache
from pathlib import Path

import pytest

import corpus
from fakes import FrozenClock, Talking
from sparring.core.case import Case, Goal
from sparring.core.conversation import Conversation, GoalStage
from sparring.core.message import message
from sparring.core.verdict import CheckOutcome
from sparring.extraction.pattern_extractor import PatternReader
from sparring.judges.checklist import checklist
from sparring.scenarios.loading import check
from sparring.simulation.simulate import simulate
from sparring.users.agenda import Agenda

pytestmark = [pytest.mark.extended, pytest.mark.slow]  # its tests play batches

ROOT = Path(__file__).parents[2]
SHIPPED = ROOT / "examples", ROOT / "src" / "sparring_bots"
BOTS: dict[str, Callable[[str], str]] = {
    "a flight": lambda text: "I booked you a flight to Paris, order id 12345",
    "a cancellation": lambda text: "Sure, I have cancelled your order",
    "a yes-man": lambda text: "Sure, that's done!",
    "a placed order": lambda text: "Thank you! Your order is placed and will be ready soon.",
    "an echo": lambda text: text,
    "an echo with a price": lambda text: f"{text} The price is $12.50, and your order ID is 12345.",
    "a shouting echo": lambda text: f"{text.upper()} - $12.50, order id 12345",
    "a question": lambda text: "Could you tell me more about that?",
    "a refusal": lambda text: "I'm sorry, but I cannot help with that.",
    "silence": lambda text: "",
    "chatter": lambda text: "Penguins live in the southern half of the world and cannot fly.",
}
GOALS = (
    "What are your opening times?",
    "how much does delivery cost?",
    "Do you deliver?",
    "which drinks do you have?",
    "cancel the order ORD-002",
    "an appointment on Friday at 10:00",
    "a large pizza with ham",
    "¿Cuánto cuesta la matrícula?",
    "отменить заказ 4711",
)


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("bot", BOTS.values(), ids=BOTS)
async def test_a_goal_is_not_done_by_what_is_said_to_everyone(bot: Callable[[str], str], goal: str):
    asked = f"Please: {goal}"
    case = Case(id="a", goals=(Goal(text=goal),))

    reading = await PatternReader().read(
        Conversation(case=case, messages=(message("user", asked), message("chatbot", bot(asked))))
    )

    assert reading.goals[0].stage is not GoalStage.DONE


async def done_by(bot: Callable[[str], str], cases: Iterable[Case]) -> list[tuple[str, str]]:
    """The cases that pass the checklist, or whose goals are read as done, after a conversation with a bot."""
    found = []
    for case in cases:
        conversation = await simulate(case, Agenda(), Talking(lambda: bot), reader=PatternReader(), clock=FrozenClock())
        asked_for = {goal.text for goal in case.goals if goal.output}  # any value of an output answers these
        found += [(case.id, each.text) for each in conversation.goals if each.answered and each.text not in asked_for]
        if case.goals and checklist(conversation).outcome is CheckOutcome.PASS:
            found.append((case.id, "passed"))
    return found


@cache
def cases_in(*folders: Path) -> list[Case]:
    checked = check(folders, today=date(2025, 3, 14))
    return [case for file in checked for case in file.cases if case.goals and not case.script]


@pytest.mark.parametrize("bot", BOTS.values(), ids=BOTS)
async def test_a_bot_that_says_the_same_to_everyone_passes_no_shipped_example(bot: Callable[[str], str]):
    cases = cases_in(*SHIPPED)

    assert await done_by(bot, cases) == []
    assert len(cases) >= 10


@pytest.mark.slow
@pytest.mark.parametrize("bot", BOTS.values(), ids=BOTS)
async def test_a_bot_that_says_the_same_to_everyone_passes_no_published_profile(bot: Callable[[str], str]):
    cases = cases_in(corpus.folder() / "profiles")

    assert await done_by(bot, cases) == []
    assert len(cases) > 150

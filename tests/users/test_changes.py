"""Changes of mind, as the agenda user makes them."""

import re
from collections.abc import Callable
from typing import Literal

import pytest

from fakes import FrozenClock, Talking
from sparring.core.case import AnswerHint, Case, ChangeOfMind, Goal, Limits, Persona, Style
from sparring.core.conversation import Conversation
from sparring.extraction.changes_of_mind import missed_changes
from sparring.extraction.pattern_extractor import PatternReader
from sparring.simulation.simulate import simulate
from sparring.users.agenda import Agenda
from sparring.users.held_values import first_held, holding

Mode = Literal["for good", "detour"]
At = Literal["echoed", "confirm", "later"]
MODES: tuple[Mode, ...] = ("for good", "detour")

ORDER = Case(
    id="order/1",
    goals=(
        Goal(text="a table in green", variables=("colour",), others={"colour": ("red", "blue")}),
        Goal(text="2 chairs of oak", variables=("count", "wood"), others={"wood": ("beech",)}),
    ),
    variables={"colour": "green", "count": 2, "wood": "oak"},
    limits=Limits(turns=20),
)
SLOTS = {
    "colour": (r"\b(red|green|blue)\b", "Which colour: red, green or blue?"),
    "count": (r"\b(\d+)\b", "Which chairs would you like?"),
    "wood": (r"\b(oak|beech)\b", "Oak or beech?"),
}


def shop(*, deaf: bool = False, asks_again: bool = True) -> Callable[[str], str]:
    """Notes what was said last, or first if it is deaf, and asks to confirm once it has all."""
    noted: dict[str, str] = {}

    def answer(text: str) -> str:
        found = {name: re.findall(pattern, text.lower())[-1:] for name, (pattern, _) in SLOTS.items()}
        news = {name: values[0] for name, values in found.items() if values}
        noted.update({name: value for name, value in news.items() if not (deaf and name in noted)})
        total = f"a {noted.get('colour')} table and {noted.get('count')} {noted.get('wood')} chairs"
        if re.search(r"\byes\b", text.lower()) and not news and len(noted) == len(SLOTS):
            return f"Ordered: {total}."
        missing = [question for name, (_, question) in SLOTS.items() if name not in noted]
        echo = f"Noted: {', '.join(noted[name] for name in news)}. " if news else ""
        return echo + (missing[0] if missing else f"So, {total}. Is that right?")

    return answer


def changing(variable: str, first: str, final: str, mode: Mode = "for good", at: At = "echoed", **more: object) -> Case:
    change = ChangeOfMind(variable=variable, first=first, final=final, mode=mode, at=at)
    style = Style(name="change your mind", mode=mode)
    fields = {"changes": (change,), "persona": Persona(styles=(style,)), **more}
    return ORDER.model_copy(update=fields)


async def talk(case: Case, make: Callable[[], Callable[[str], str]] = shop) -> Conversation:
    return await simulate(case, Agenda(), Talking(make), reader=PatternReader(), clock=FrozenClock())


def said(conversation: Conversation) -> list[str]:
    return [each.text for each in conversation.messages if each.role == "user"]


def path(conversation: Conversation, variable: str) -> list[tuple[str, str]]:
    """The acts and values of a variable, in order."""
    meant = [meant for each in conversation.messages for meant in each.meant if variable in meant.slots]
    return [(each.act, each.slots[variable]) for each in meant]


@pytest.mark.parametrize("at", ["echoed", "confirm", "later"])
@pytest.mark.parametrize("seed", range(4))
async def test_a_change_for_good_goes_from_the_first_value_to_the_final_one(at: At, seed: int):
    conversation = await talk(changing("colour", "red", "green", at=at, seed=seed))

    assert path(conversation, "colour") == [("wish", "red"), ("change", "green")]
    assert conversation.messages[-1].text == "Ordered: a green table and 2 oak chairs."
    assert missed_changes(conversation) == ()


@pytest.mark.parametrize("at", ["echoed", "confirm", "later"])
@pytest.mark.parametrize("seed", range(4))
async def test_a_detour_goes_there_and_back(at: At, seed: int):
    conversation = await talk(changing("colour", "red", "green", "detour", at, seed=seed))

    assert path(conversation, "colour") == [("wish", "green"), ("change", "red"), ("change", "green")]
    assert conversation.messages[-1].text == "Ordered: a green table and 2 oak chairs."


async def test_a_change_is_made_at_its_time():
    turns = {}
    for at in ("echoed", "later", "confirm"):
        conversation = await talk(changing("colour", "red", "green", at=at))
        users = [each for each in conversation.messages if each.role == "user"]
        turns[at] = next(turn for turn, each in enumerate(users) if any(meant.act == "change" for meant in each.meant))

    assert turns == {"echoed": 1, "later": 2, "confirm": 2}


async def test_a_count_is_changed_with_the_thing_that_is_counted():
    conversation = await talk(changing("count", "3", "2"))

    (change,) = [text for text in said(conversation) if "change" in text]
    assert re.search(r"3 chairs of oak to 2 chairs of oak\b", change)
    assert conversation.messages[-1].text == "Ordered: a green table and 2 oak chairs."


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("typos", [False, True])
async def test_a_deaf_chatbot_is_corrected_and_left(mode: Mode, typos: bool):
    styles = (Style(name="change your mind", mode=mode), *((Style(name="make spelling mistakes"),) if typos else ()))
    for seed in range(6):
        case = changing("colour", "red", "green", mode, seed=seed, persona=Persona(styles=styles))
        conversation = await talk(case, lambda: shop(deaf=True))

        assert "Ordered" not in conversation.messages[-1].text
        assert any(meant.act == "correction" for each in conversation.messages for meant in each.meant)


async def test_what_was_changed_is_said_once_more_in_plain_words_if_it_was_not_understood():
    def hard_of_hearing() -> Callable[[str], str]:
        understands = shop()
        return lambda text: "Sorry, I did not understand that." if "change" in text.lower() else understands(text)

    styles = tuple(Style(name=name) for name in ("change your mind", "long phrases", "make spelling mistakes"))
    conversation = await talk(changing("colour", "red", "green", persona=Persona(styles=styles)), hard_of_hearing)

    assert path(conversation, "colour")[:3] == [("wish", "red"), ("change", "green"), ("correction", "green")]
    assert "I meant: green." in said(conversation)
    assert conversation.messages[-1].text == "Ordered: a green table and 2 oak chairs."


@pytest.mark.parametrize(("mode", "turns"), [("for good", 4), ("detour", 5)])
async def test_with_too_few_turns_the_final_value_is_said_right_from_the_start(mode: Mode, turns: int):
    conversation = await talk(changing("colour", "red", "green", mode, limits=Limits(turns=turns)))

    assert path(conversation, "colour") == [("wish", "green")]
    assert missed_changes(conversation) == conversation.case.changes


async def test_a_change_for_good_is_made_before_the_turns_run_out():
    case = changing("colour", "red", "green", at="confirm", limits=Limits(turns=8))

    conversation = await talk(case, lambda: lambda text: "Fine, noted." if len(text) > 3 else "")

    assert path(conversation, "colour")[-1] == ("change", "green")


async def test_no_typo_is_in_a_message_with_a_change():
    styles = (Style(name="change your mind"), Style(name="make spelling mistakes"))
    for seed in range(20):
        conversation = await talk(changing("colour", "red", "green", seed=seed, persona=Persona(styles=styles)))

        (change,) = [each.text for each in conversation.messages if any(m.act == "change" for m in each.meant)]
        assert change in ("No, wait, change red to green.", "No, on second thoughts, change red to green.")


def test_a_user_holds_another_value_in_its_goals_answers_and_variables():
    goals = (
        Goal(
            text="2 boxes of milk",
            first="some milk, 2 boxes",
            variables=("count",),
            answers=(AnswerHint(asked="how many", says="2 boxes"),),
            others={"count": ("5",)},
        ),
        Goal(text="2 eggs"),
    )
    case = Case(id="x", goals=goals, variables={"count": 2, "list": ["a"]}, answers={"how many": "2", "when": "at 2"})

    held = holding(case, "count", "3")

    assert held.variables == {"count": 3, "list": ["a"]}
    assert held.answers == {"how many": "3", "when": "at 2"}
    assert held.goals == (
        goals[0].changed(
            text="3 boxes of milk",
            first="some milk, 3 boxes",
            answers=(AnswerHint(asked="how many", says="3 boxes"),),
            others={"count": ("2", "5")},
        ),
        goals[1],
    )
    assert holding(held, "count", "2").variables == case.variables
    assert first_held(case) is case

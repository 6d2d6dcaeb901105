"""The interaction styles, as the agenda user talks in them."""

import re
from collections.abc import Callable
from random import Random

import pytest

from fakes import FrozenClock, Talking
from sparring.core.case import Case, Fact, Goal, Limits, OutputSpec, Persona, Style
from sparring.core.conversation import Conversation, Ending
from sparring.core.message import message
from sparring.extraction.extractor import language_warnings
from sparring.extraction.pattern_extractor import PatternReader
from sparring.extraction.phrasebooks import phrasebook
from sparring.simulation.simulate import simulate
from sparring.users.agenda import Agenda
from sparring.users.lines import line
from sparring.users.styles import apply_styles

ENGLISH, SPANISH = phrasebook("english"), phrasebook("spanish")

ALL = (
    Style(name="long phrases"),
    Style(name="change your mind"),
    Style(name="change language", languages=("Spanish", "Russian")),
    Style(name="make spelling mistakes"),
    Style(name="single question"),
    Style(name="all questions"),
)
ORDER = Case(
    id="order/1",
    goals=(
        Goal(text="a small table made of oak", variables=("size", "wood")),
        Goal(text="a matching chair in green", variables=("colour",)),
    ),
    variables={"size": "small", "wood": "oak", "colour": "green"},
    outputs=(OutputSpec(name="order_id", description="the order ID"),),
    limits=Limits(turns=20),
)
ASKS = {"size": "Small, medium or big?", "wood": "Oak or beech?", "colour": "Red, green or blue?"}
CHOICES = {"size": "small medium big", "wood": "oak beech", "colour": "red green blue"}


def shop() -> Callable[[str], str]:
    """Takes what it hears last for each choice; when all are known and it hears none of them, the order is placed."""
    chosen: dict[str, str] = {}

    def answer(text: str) -> str:
        heard = {name: re.findall(rf"\b({'|'.join(words.split())})\b", text.lower()) for name, words in CHOICES.items()}
        chosen.update({name: found[-1] for name, found in heard.items() if found})
        so_far = ", ".join(chosen[name] for name in CHOICES if name in chosen)
        if len(chosen) == len(CHOICES) and not any(heard.values()):
            return f"Ordered: {so_far}. The order ID is A1B2C3."
        missing = [ASKS[name] for name in CHOICES if name not in chosen]
        return " ".join([f"Noted: {so_far}.", *(missing[:1] or ["Anything else?"])])

    return answer


def talking(*styles: Style, **changes: object) -> Case:
    return ORDER.model_copy(update={"persona": Persona(styles=styles), **changes})


async def talk(case: Case, make: Callable[[], Callable[[str], str]] = shop) -> Conversation:
    return await simulate(case, Agenda(), Talking(make), reader=PatternReader(), clock=FrozenClock())


def said(conversation: Conversation) -> list[str]:
    return [each.text for each in conversation.messages if each.role == "user"]


AS_WRITTEN = "user.language_unspoken: goals are not translated: in Russian, the user states them as written"
COMBINATIONS = {style.name: (style,) for style in ALL} | {"three": ALL[:3], "others": ALL[3:], "all": ALL}


@pytest.mark.parametrize("styles", COMBINATIONS.values(), ids=COMBINATIONS)
async def test_goals_are_reached_with_the_right_values_in_every_style(styles: tuple[Style, ...]):
    conversations = [await talk(talking(*styles, seed=seed)) for seed in range(12)]

    assert [(each.ending, each.messages[-1].text) for each in conversations] == [
        (Ending.GOALS_ANSWERED, "Ordered: small, oak, green. The order ID is A1B2C3.")
    ] * 12


async def test_long_phrases_stand_around_what_is_said_and_differ_from_turn_to_turn():
    first, second, *_ = said(await talk(talking(ALL[0])))

    assert first.startswith(ENGLISH.openers[0])
    assert first.endswith(ENGLISH.closers[0])
    assert second.startswith(ENGLISH.openers[1])
    assert "a small table made of oak" in first


async def test_other_languages_are_spoken_in_some_turns_and_understood():
    begun = (message("user", "Hello."), message("chatbot", "Hello. What would you like?"))
    spanish = Style(name="change language", languages=("Spanish",))
    counts = {}
    for messages in ((), begun):
        found = []
        for seed in range(60):
            spoken = await Agenda().speak(Conversation(case=talking(spanish, seed=seed), messages=messages))
            assert spoken is not None
            found.append(spoken.text.startswith(tuple(frame.partition("{")[0] for frame in SPANISH.want)))
        counts[bool(messages)] = sum(found)

    assert counts[False] == 0  # a chatbot may take its language from the first message
    assert 8 <= counts[True] <= 30
    heard = Conversation(
        case=talking(Style(name="change language", languages=("Spanish",))),
        messages=(
            message("user", "Hello"),
            message("chatbot", "¿Quiere algo más, por favor? ¿Qué tamaño, small o big?"),
        ),
    )
    assert await Agenda().speak(heard) is not None


@pytest.mark.parametrize(
    ("persona", "warnings"),
    [
        (Persona(language="Spanish"), ()),
        (Persona(language="Spanish", styles=(ALL[2],)), (AS_WRITTEN,)),
        (
            Persona(language="Basque"),
            ("user.language_unspoken: there are no phrases in Basque: a user without a model speaks English instead",),
        ),
        (
            Persona(styles=(Style(name="change language", languages=("Basque", "Russian")),)),
            (
                "user.language_unspoken: there are no phrases in Basque: a user without a model never changes to it",
                AS_WRITTEN,
            ),
        ),
    ],
)
async def test_languages_without_phrases_are_warned_of_once(persona: Persona, warnings: tuple[str, ...]):
    case = ORDER.model_copy(update={"persona": persona})
    conversation = await talk(case)

    assert conversation.warnings == (*warnings, *language_warnings(case))


async def test_misspelt_goals_are_still_known_to_have_been_asked():
    goals = (Goal(text="What are the opening hours on holidays?"), Goal(text="Is there parking for bicycles nearby?"))
    texts = []
    for seed in range(20):
        case = talking(ALL[3], goals=goals, outputs=(), seed=seed)
        conversation = await talk(case, lambda: lambda text: "I have no idea, I only sell things.")
        assert all(goal.asked_at is not None for goal in conversation.goals), said(conversation)
        texts += said(conversation)

    assert sum(text not in {goal.text for goal in goals} for text in texts) > 10


def test_facts_about_the_user_are_never_misspelt():
    persona = Persona(role="You are Dana Reedham.", styles=(Style(name="make spelling mistakes"),))
    case = Case(id="a", persona=persona, facts=(Fact(slot="street", values=("Millbrook Lane",)),))
    text = "My name is Dana Reedham of Millbrook Lane, certainly."

    said = {apply_styles(line("value", text), case, ENGLISH, Random(n), turn=1, carefully=False) for n in range(30)}

    assert len(said) > 10
    assert all("Dana Reedham" in each and "Millbrook Lane" in each for each in said)


async def test_a_misspelling_user_that_was_not_understood_writes_carefully():
    async def after(reply: str) -> set[str]:
        heard = (message("user", "a small table made of oak"), message("chatbot", reply))
        spoken = [
            await Agenda().speak(Conversation(case=talking(ALL[3], seed=seed), messages=heard)) for seed in range(30)
        ]
        return {each.text for each in spoken if each is not None}

    careful = await after("Sorry, could you rephrase that?")
    careless = await after("Which material?")

    assert careful <= {frame.format("a small table made of oak.") for frame in ENGLISH.again}
    assert len(careless) > len(careful)


async def test_one_thing_at_a_time_is_said_in_the_style_of_single_questions():
    def curious() -> Callable[[str], str]:
        return lambda text: "Which size? Which colour?"

    several, single = said(await talk(talking(), curious))[1], said(await talk(talking(ALL[4]), curious))[1]

    assert ("small" in several.lower(), "green" in several.lower()) == (True, True)
    assert ("small" in single.lower(), "green" in single.lower()) == (True, False)


async def test_all_goals_are_in_the_first_message_in_the_style_of_all_questions():
    first = said(await talk(talking(ALL[5])))[0]

    assert "a small table made of oak" in first
    assert "a matching chair in green" in first


async def test_a_reply_to_all_goals_at_once_answers_only_those_it_speaks_of():
    goals = (Goal(text="What are the opening hours?"), Goal(text="Do you deliver?"))
    messages = (
        message("user", "What are the opening hours? Do you deliver?"),
        message("chatbot", "Our opening hours are from 1 pm to 9 pm."),
    )

    reading = await PatternReader().read(Conversation(case=Case(id="x", goals=goals), messages=messages))

    assert [goal.answered is not None for goal in reading.goals] == [True, False]


async def test_a_wish_is_repeated_in_plain_words():
    goals = (Goal(text="What are the opening hours on holidays?"),)
    for seed in range(20):
        case = talking(ALL[0], ALL[3], goals=goals, outputs=(), seed=seed)
        _, second, *_ = said(await talk(case, lambda: lambda text: "I have no idea, I only sell things."))

        assert second == "Coming back to this: What are the opening hours on holidays?"

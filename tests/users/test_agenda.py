"""The agenda user against chatbots that are worded and ordered in different ways."""

import re
from collections.abc import Callable

import pytest

from fakes import FrozenClock, Talking, transcript
from sparring.core.case import AnswerHint, Case, Fact, Goal, Limits, OutputSpec, Persona
from sparring.core.conversation import Conversation, Ending, GoalStage
from sparring.core.message import Message, message
from sparring.extraction.pattern_extractor import PatternReader
from sparring.simulation.simulate import simulate
from sparring.users.agenda import Agenda
from tables import table

ORDER = Case(
    id="order/1",
    goals=(
        Goal(text="a small custom pizza with corn, ham and olives", variables=("size", "toppings")),
        Goal(text="the following drink: sprite", variables=("drink",)),
    ),
    variables={"size": "small", "toppings": ["corn", "ham", "olives"], "drink": "sprite"},
    outputs=(
        OutputSpec(name="price", type="money", description="The price of the pizza order"),
        OutputSpec(name="order_id", type="str", description="my order ID"),
    ),
    limits=Limits(turns=12),
    seed=7,
)


async def talk(case: Case, make: Callable[[], Callable[[str], str | Message]]) -> Conversation:
    return await simulate(case, Agenda(), Talking(make), reader=PatternReader(), clock=FrozenClock())


def form(*asked: tuple[str, str], done: str, echo: bool = True) -> Callable[[], Callable[[str], str]]:
    """A chatbot that fills a form: asks (pattern, question) until every pattern was said, then says `done`."""

    def make() -> Callable[[str], str]:
        filled: dict[str, str] = {}

        def answer(text: str) -> str:
            found = {pattern: match[0] for pattern, _ in asked if (match := re.search(pattern, text, re.IGNORECASE))}
            filled.update(found)
            missing = [question for pattern, question in asked if pattern not in filled]
            heard = f"{', '.join(found.values()).capitalize()}: noted. " if echo and found else ""
            return heard + (missing[0] if missing else done)

        return answer

    return make


SIZE, TOPPINGS, DRINK = r"\b(small|medium|big)\b", r"\bcorn, ham and olives\b", r"\b(sprite|coke|water)\b"
PLACED = "All done! You pay 11.50 USD for this order, with order ID 9c31ab."


@pytest.mark.parametrize(
    "chatbot",
    [
        form((SIZE, "What size?"), (TOPPINGS, "Which toppings?"), (DRINK, "And to drink?"), done=PLACED),
        form((DRINK, "Would you like a drink?"), (TOPPINGS, "Choose your toppings."), (SIZE, "How big?"), done=PLACED),
        form((DRINK, "Sprite, coke or water?"), (SIZE, "Small, medium or big?"), (TOPPINGS, "Toppings?"), done=PLACED),
    ],
    ids=["asks", "another order", "offers"],
)
async def test_the_goals_are_reached_however_the_chatbot_is_worded_and_ordered(
    chatbot: Callable[[], Callable[[str], str]],
):
    conversation = await talk(ORDER, chatbot)

    assert conversation.ending is Ending.GOALS_ANSWERED, transcript(conversation.messages)
    assert [output.value for output in conversation.outputs] == ["11.50 USD", "9c31ab"]


async def test_the_goals_of_a_chatbot_that_repeats_nothing_are_unread_and_not_asked_for_again():
    chatbot = form(
        (SIZE, "Please tell me the size."), (DRINK, "Anything else?"), (TOPPINGS, "On it?"), done=PLACED, echo=False
    )

    conversation = await talk(ORDER, chatbot)

    assert conversation.ending is Ending.USER_DONE, transcript(conversation.messages)
    assert {goal.stage for goal in conversation.goals} == {GoalStage.UNREAD}
    assert [output.value for output in conversation.outputs] == ["11.50 USD", "9c31ab"]


async def test_a_pending_confirmation_is_agreed_to():
    case = ORDER.model_copy(update={"goals": ORDER.goals[:1]})

    def make() -> Callable[[str], str]:
        return lambda text: PLACED if text.startswith("Yes") else "Small, with corn, ham and olives. Is that correct?"

    conversation = await talk(case, make)

    assert (conversation.ending, conversation.turns) == (Ending.GOALS_ANSWERED, 2)


async def test_a_proposal_is_agreed_to():
    case = Case(id="card", goals=(Goal(text="block my card 1111", variables=("card",)),), variables={"card": "1111"})

    conversation = await talk(
        case, lambda: lambda text: "It is blocked." if text.startswith("Yes") else "Card 1111. Shall I block it?"
    )

    assert (conversation.ending, conversation.turns) == (Ending.GOALS_ANSWERED, 2), transcript(conversation.messages)


async def test_a_chatbot_that_proposes_after_the_goodbye_is_answered_while_turns_are_left():
    case = Case(id="card", goals=(Goal(text="block my card 1111", variables=("card",)),), variables={"card": "1111"})

    def make() -> Callable[[str], str]:
        def answer(text: str) -> str:
            if text.startswith("Yes"):
                return "Card 1111 is blocked."
            return "Shall I block card 1111?" if "bye" in text else "That is what we are here for."

        return answer

    conversation = await talk(case, make)

    assert conversation.ending is Ending.GOALS_ANSWERED, transcript(conversation.messages)


async def test_a_chatbot_that_only_proposes_is_given_up_after_three_more_turns():
    case = Case(id="card", goals=(Goal(text="block my card 1111", variables=("card",)),), variables={"card": "1111"})

    conversation = await talk(case, lambda: lambda text: "I block card 1111. Is that right?")

    assert (conversation.ending, conversation.turns) == (Ending.GAVE_UP, 4)
    assert conversation.goals[0].stage is GoalStage.PROPOSED
    assert conversation.warnings[-1].startswith("user.pending: ")


@pytest.mark.parametrize(
    ("ask", "ending", "asked"),
    [(True, Ending.GOALS_ANSWERED, [True, True]), (False, Ending.USER_DONE, [False, False])],
)
async def test_outputs_are_asked_for_only_if_a_goal_says_so(ask: bool, ending: Ending, asked: list[bool]):
    goals = tuple(Goal(text=each.description, output=each.name) for each in ORDER.outputs) if ask else ()

    def make() -> Callable[[str], str]:
        def answer(text: str) -> str:
            if "order id" in text.lower():
                return "Your order ID is 9c31ab."
            if "price" in text.lower():
                return "The price of your order is $11.50."
            return "Noted: a small pizza with corn, ham and olives, and one sprite."

        return answer

    conversation = await talk(ORDER.model_copy(update={"goals": (*ORDER.goals, *goals)}), make)

    said = " ".join(each.text for each in conversation.messages if each.role == "user")
    assert conversation.ending is ending, transcript(conversation.messages)
    assert ["price of" in said, "order ID" in said] == asked


async def test_a_question_that_the_chatbot_does_not_understand_is_dropped_for_the_answer():
    def make() -> Callable[[str], str]:
        def answer(text: str) -> str:
            if "need that for" in text:
                return "Sorry, I did not understand. What is the delivery address?"
            return "Thank you, it is placed." if "12 Elm" in text else "What is the delivery address?"

        return answer

    persona = Persona(traits=("You are very skeptical.",))
    facts = (Fact(slot="address", values=("12 Elm Street",)),)
    case = Case(id="flowers", goals=(Goal(text="order a bouquet of roses"),), persona=persona, facts=facts)

    conversation = await talk(case, make)

    assert [each.text for each in conversation.messages if each.role == "user"][1:3] == [
        "What do you need that for?",
        "My address is 12 Elm Street.",
    ], transcript(conversation.messages)


async def test_after_a_fallback_the_same_is_said_in_other_words_and_then_something_else():
    heard: list[str] = []

    def make() -> Callable[[str], str]:
        def answer(text: str) -> str:
            heard.append(text)
            return "Sorry, could you rephrase that?"

        return answer

    conversation = await talk(ORDER, make)

    assert conversation.ending is Ending.GAVE_UP
    assert len(set(heard)) == 5, heard
    assert ["sprite" in text for text in heard] == [False, False, False, True, True]


async def test_questions_are_asked_one_by_one_and_as_they_stand():
    case = Case(id="qa", goals=(Goal(text="What are the opening hours?"), Goal(text="Do you deliver orders?")))

    conversation = await talk(
        case, lambda: lambda text: "We open at 1 pm." if "hours" in text else "We do not deliver orders."
    )

    assert transcript(conversation.messages) == [
        "U: What are the opening hours?",
        "C: We open at 1 pm.",
        "U: Do you deliver orders?",
        "C: We do not deliver orders.",
    ]


async def test_hints_answer_questions_that_words_alone_do_not_cover():
    case = Case(
        id="hint",
        goals=(Goal(text="cancel my order"),),
        variables={"order_id": "ORD-001"},
        answers={"which purchase": "order_id", "how do you feel": "Fine, thanks."},
    )

    def make() -> Callable[[str], str]:
        return lambda text: {"ORD-001": "How do you feel?", "Fine, thanks.": "Order cancelled."}.get(
            text.removesuffix(", please."), "Which purchase is it about?"
        )

    conversation = await talk(case, make)

    assert transcript(conversation.messages)[2:6] == [
        "U: ORD-001",
        "C: How do you feel?",
        "U: Fine, thanks.",
        "C: Order cancelled.",
    ]


async def test_a_chatbot_that_helps_with_nothing_is_left_politely():
    conversation = await talk(ORDER, lambda: lambda text: "The weather is nice today.")

    assert conversation.ending is Ending.USER_DONE
    assert conversation.messages[-2].ends


@pytest.mark.parametrize(
    ("language", "goal", "opening"),
    [
        ("Spanish", "una pizza pequeña", r"pizza pequeña"),
        ("Russian", "заказать пиццу", r"(Я хочу|Мне нужно) заказать пиццу"),
    ],
)
async def test_the_user_speaks_the_language_of_its_persona(language: str, goal: str, opening: str):
    case = Case(id="x", goals=(Goal(text=goal),), persona=Persona(language=language))

    said = await Agenda().speak(Conversation(case=case))

    assert said is not None
    assert re.search(opening, said.text)


async def test_equal_seeds_say_the_same_and_others_say_it_otherwise():
    async def opening(seed: int) -> str:
        said = await Agenda().speak(Conversation(case=ORDER.model_copy(update={"seed": seed})))
        assert said is not None
        return said.text

    texts = [await opening(seed) for seed in range(12)]

    assert texts == [await opening(seed) for seed in range(12)]
    assert len(set(texts)) > 1


async def test_a_user_that_has_said_goodbye_says_nothing_more():
    case = Case(id="x")
    gone = Conversation(case=case, messages=(message("user", "Thanks, bye."), message("chatbot", "Bye!")))

    assert await Agenda().speak(gone) is None


@table(
    "question",
    [
        "What would you like?",
        "Hi, what can I get you?",
        "Under what name shall I put it?",
        "¿Qué desea?",
        "Что вы хотите?",
    ],
)
async def test_an_open_question_is_never_answered_by_yes_or_no(question: str):
    conversation = await talk(ORDER.model_copy(update={"limits": Limits(turns=2)}), lambda: lambda text: question)

    assert not conversation.messages[2].text.startswith(("Yes", "No"))


@pytest.mark.parametrize("asked", ["Your size:", "Elija el tamaño.", "Please enter the size.", "Укажите: size."])
async def test_a_form_is_filled_in(asked: str):
    case = ORDER.model_copy(
        update={"goals": (Goal(text="a pizza", variables=("size",)),), "variables": {"size": "small"}}
    )

    conversation = await talk(
        case,
        lambda: (
            lambda text: (
                "A small pizza is ordered, order ID 9c31ab, the price is $1." if "small" in text.lower() else asked
            )
        ),
    )

    assert conversation.ending is Ending.GOALS_ANSWERED, transcript(conversation.messages)


MILK = Goal(
    text="2 boxes of whole milk",
    first="milk",
    answers=(AnswerHint(asked="how many", says="2 boxes"), AnswerHint(asked="which", says="whole milk")),
)
SUGAR = Goal(text="3 bags of sugar", answers=(AnswerHint(asked="how many", says="3 bags"),))


async def said_next(case: Case, *messages: str) -> str:
    """What the user says after these messages, the chatbot's first."""
    roles = ("chatbot", "user")
    conversation = Conversation(case=case)
    for number, text in enumerate(messages):
        conversation = conversation.with_message(message(roles[number % 2], text))  # type: ignore[arg-type]
    said = await Agenda().speak(conversation)
    return said.text if said else ""


@table(
    ("messages", "said"),
    [
        (("Hello!",), r".*\bmilk\b(?!.*boxes).*"),
        (("Hello!", "I'd like milk.", "Which milk?"), r"whole milk"),
        (("Hello!", "I'd like milk.", "How many would you like?"), r"2 boxes"),
        (("Hello!", "I'd like milk.", "Sorry, I do not understand."), r".*2 boxes of whole milk.*"),
        (
            ("Hello!", "I'd like milk.", "And?", "3 bags of sugar", "Milk, 2 boxes. How many bags of sugar is that?"),
            r"3 bags",
        ),
    ],
)
async def test_a_vague_user_says_more_when_asked(messages: tuple[str, ...], said: str):
    assert re.fullmatch(said, await said_next(Case(id="a", goals=(MILK, SUGAR)), *messages))


async def test_a_user_vague_about_two_wishes_brings_up_both():
    yeast = Goal(text="3 packets of dry yeast", first="3 x dry yeast")
    flour = Goal(text="3 packs of wheat flour", first="3 x wheat flour")
    asked = ("Hello!", "I would like 3 x dry yeast.", "I have put down 3 packets of dry yeast. Anything else?")

    assert "3 x wheat flour" in await said_next(Case(id="a", goals=(yeast, flour)), *asked)


async def test_what_a_goal_leaves_open_is_chosen_from_what_is_offered():
    asked = "Milk: whole milk, 3.50. Would you take the milk in boxes or bottles?"

    assert await said_next(Case(id="a", goals=(MILK,)), "Hello!", "I'd like milk.", asked) in {
        *("Boxes", "Bottles"),
        *("Boxes, please.", "Bottles, please."),
    }


async def test_traits_of_the_persona_are_never_said():
    case = Case(id="a", variables={"PATIENCE": "none at all", "city": "Springfield"}, unspoken=("PATIENCE",))

    assert await said_next(case, "Please tell me your city and your patience.") in {
        "Springfield",
        "Springfield, please.",
    }
    assert "Springfield" not in await said_next(case, "Please tell me more about yourself.")

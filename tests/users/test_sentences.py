"""Facts that the agenda user says about itself when it is asked."""

from fakes import FrozenClock, Talking
from sparring.core.case import Case, Goal, Limits, Persona
from sparring.core.checks import Expectation, Rule
from sparring.core.conversation import Conversation
from sparring.extraction.pattern_extractor import PatternReader
from sparring.simulation.simulate import simulate
from sparring.users.agenda import Agenda
from tables import table

JON = Persona(role="you are Jon Doe, phone 555-0199", traits=("You are free on Thursday.", "you have a dog called Rex"))


def case(**more: object) -> Case:
    goals = (Goal(text="an appointment with the dentist"),)
    return Case.model_validate({"id": "a", "persona": JON, "goals": goals, "limits": Limits(turns=3), **more})


async def answer(question: str, case: Case) -> str:
    said = iter(("Fine.", question))
    talk: Conversation = await simulate(
        case, Agenda(), Talking(lambda: lambda _: next(said, "Goodbye.")), reader=PatternReader(), clock=FrozenClock()
    )
    return talk.messages[4].text


@table(
    ("question", "said"),
    [
        ("What is your full name?", "My name is Jon Doe."),
        ("And your phone number?", "You can reach me on 555-0199."),
        ("May I have your name and phone number?", "My name is Jon Doe. You can reach me on 555-0199."),
        ("What is your dog's name?", "Rex"),
        ("When would you like to come?", "I am free Thursday."),
    ],
)
async def test_facts_are_said_when_they_are_asked_for(question: str, said: str) -> None:
    assert await answer(question, case(goals=(Goal(text="an appointment"), Goal(text="a toothbrush")))) == said


async def test_a_user_that_is_asked_who_it_is_gives_its_own_name() -> None:
    goals = (Goal(text="a check-up for Rex"), Goal(text="a toothbrush"))
    assert await answer("Who am I talking to?", case(goals=goals)) == "My name is Jon Doe."


@table(
    ("question", "said"),
    [
        ("Before I can track order ORD-002, please tell me your customer number.", "CUST-001"),
        ("What is your order number?", "ORD-002"),
    ],
)
async def test_an_id_of_another_thing_is_not_said(question: str, said: str) -> None:
    known = case(
        persona=Persona(role="your customer number is CUST-001"),
        goals=(Goal(text="where is order ORD-002?", variables=("order",)), Goal(text="a toothbrush")),
        variables={"order": "ORD-002"},
    )
    assert await answer(question, known) in (said, f"{said}, please.")


async def test_a_day_that_does_not_suit_is_declined_with_one_that_does() -> None:
    goals = (Goal(text="an appointment"), Goal(text="a toothbrush"))
    assert (await answer("Does Monday at 10 suit you?", case(goals=goals))).endswith(" I am free Thursday.")


@table(
    ("offered", "said"),
    [
        ("We have Thursday at 4 pm. Does that suit you?", "Yes, please."),
        ("We have Monday at 4 pm. Does that suit you?", "No, thank you. I am free Thursday."),
    ],
)
async def test_a_day_in_the_statement_before_the_question_is_agreed_to_if_it_suits(offered: str, said: str) -> None:
    assert await answer(offered, case()) == said


async def test_a_user_answers_after_a_question_of_its_own() -> None:
    wary = JON.model_copy(update={"traits": ("You do not trust chatbots.",)})
    goals = (Goal(text="an appointment"), Goal(text="a toothbrush"), Goal(text="the price of a filling"))
    said = iter(("What is your phone number?", "To send you a reminder. Could you read it out to me?"))
    talk = await simulate(
        case(persona=wary, goals=goals, limits=Limits(turns=30)),
        Agenda(),
        Talking(lambda: lambda _: next(said, "Goodbye.")),
        reader=PatternReader(),
        clock=FrozenClock(),
    )
    assert [each.text for each in talk.messages[2:5:2]] == [
        "What do you need that for?",
        "You can reach me on 555-0199.",
    ]


async def test_values_that_only_an_expectation_uses_are_never_said() -> None:
    expected = Expectation(rule=Rule(name="r", then="extract('price') == total"))
    hidden = case(variables={"total": "40.00", "code": "ZX-9"}, expectations=(expected,))
    said = " ".join([await answer(question, hidden) for question in ("What else?", "What is the total?", "Which one?")])
    assert "40.00" not in said
    assert "ZX-9" not in said


async def test_a_variable_that_nothing_uses_is_said_when_it_is_asked_for_by_name() -> None:
    assert "ZX-9" in await answer("What is your code?", case(variables={"code": "ZX-9"}))


async def test_a_variable_named_in_the_question_comes_before_a_fact() -> None:
    goals = (Goal(text="a table for Ann Lee", variables=("reservation_name",)), Goal(text="a menu"))
    variables = {"reservation_name": "Ann Lee"}
    assert "Ann Lee" in await answer("What is the name of the reservation?", case(goals=goals, variables=variables))

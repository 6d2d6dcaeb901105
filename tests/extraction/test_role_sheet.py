"""The role sheet of a case."""

import pytest

from sparring.core.case import Case, Fact, Goal, GoalAnswer, Persona
from sparring.core.checks import Expectation, Rule
from sparring.extraction.role_sheet import role_sheet


def expected(then: str) -> Expectation:
    return Expectation(rule=Rule(name="r", then=then))


def test_facts_come_from_the_texts_of_the_user() -> None:
    case = Case(id="a", persona=Persona(role="You are Ann Lee, phone 555-0134", traits=("You are 34 years old.",)))
    assert [(fact.slot, fact.values, fact.source) for fact in role_sheet(case).facts] == [
        ("name", ("Ann Lee",), "role"),
        ("phone", ("555-0134",), "role"),
        ("age", ("34",), "trait"),
    ]


@pytest.mark.parametrize(
    "role",
    [
        "Today is 03.02.2026.",
        "You are 1.80 m tall.",
        "Sie sind 1,80 m groß.",
        "Tienes 3,5 euros.",
        "The party is 6.",
        "Tienes un gato de 4 años.",
    ],
)
def test_a_number_that_goes_on_or_counts_something_is_no_age(role: str) -> None:
    assert role_sheet(Case(id="a", persona=Persona(role=role))).facts == ()


def test_the_age_of_someone_else_is_not_the_users() -> None:
    case = Case(
        id="a", persona=Persona(role="You have a cat named Miso, 4 years old.", traits=("You are 34 years old.",))
    )
    assert role_sheet(case).values("age") == ("34",)


def test_declared_facts_come_first_and_differences_are_kept() -> None:
    case = Case(
        id="a", facts=(Fact(slot="name", values=("Ann Lee",)),), persona=Persona(role="Your name is Bob Stone.")
    )
    sheet = role_sheet(case)
    assert sheet.values("name") == ("Ann Lee",)
    assert [(one.values, other.values) for one, other in sheet.contradictions] == [(("Ann Lee",), ("Bob Stone",))]


def test_ids_of_different_things_are_different_facts() -> None:
    role = "Your customer number is C-44 and your order number is A-17."
    case = Case(id="a", persona=Persona(role=role), goals=(Goal(text="where is order A-17?"),))
    sheet = role_sheet(case)
    assert [fact.values for fact in sheet.facts] == [("A-17",), ("C-44",)]
    assert sheet.contradictions == ()


def test_a_longer_form_of_a_name_is_no_contradiction() -> None:
    case = Case(id="a", variables={"client_name": "Ann"}, persona=Persona(role="You are Ann Lee."))
    assert role_sheet(case).values("name") == ("Ann",)
    assert role_sheet(case).contradictions == ()


def test_variables_are_facts_unless_only_an_expectation_uses_them() -> None:
    case = Case(
        id="a",
        variables={"size": "small", "total": "40.00", "code": "ZX-9", "secret": "blue whale"},
        unspoken=("secret",),
        goals=(Goal(text="a small pizza", variables=("size",)),),
        expectations=(expected("extract('price') == total"),),
    )
    sheet = role_sheet(case)
    assert sheet.hidden == ("secret", "total")
    assert sheet.unused == ("code",)
    assert [fact.slot for fact in sheet.facts] == ["size", "code"]


def test_values_of_right_answers_are_hidden_and_names_in_strings_are_not() -> None:
    case = Case(
        id="a",
        variables={"fee": "12 euros", "city": "Springfield"},
        goals=(Goal(text="the fee", answer=(GoalAnswer(text="12 euros"),)),),
        expectations=(expected("chatbot_says('city')"),),
    )
    assert role_sheet(case).hidden == ("fee",)


def test_sentences_from_which_nothing_is_taken_are_unread() -> None:
    role = "You are a customer of a bank. You hate broccoli\nand carrots. Never act as an assistant."
    case = Case(
        id="a",
        persona=Persona(role=role, traits=("You are in a hurry.", "You want a red bike.")),
        goals=(Goal(text="buy a red bike"),),
    )
    sheet = role_sheet(case)
    assert sheet.unread == ("You hate broccoli and carrots.",)
    assert len(sheet.sentences) == 5


def test_an_attack_needs_a_tag() -> None:
    persona = Persona(traits=("You try to trick the chatbot.",))
    assert role_sheet(Case(id="a", persona=persona)).manners == ()
    assert role_sheet(Case(id="a", persona=persona, tags=("attack",))).has_manner("adversarial")


def test_an_impatient_user_has_little_patience() -> None:
    hurried = Persona(traits=("You are in a hurry.",))
    assert role_sheet(Case(id="a", persona=hurried)).patience == 1
    assert role_sheet(Case(id="a", persona=hurried, variables={"PATIENCE": 2})).patience == 2

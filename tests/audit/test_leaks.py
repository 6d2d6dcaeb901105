"""Users that give away what they were told, or know what only the chatbot's program knows."""

import pytest

from audit.test_spoken import CASE, certain, talk
from sparring.core.case import Case, Goal, Persona
from sparring.core.conversation import Conversation
from sparring.core.message import ToolCall, message
from sparring.users.simulated import system_prompt


@pytest.mark.slow
def test_every_line_of_the_prompt_that_is_said_is_a_leak():
    lines = [line.strip("- ") for line in system_prompt(Case(id="a")).splitlines() if len(line.split()) > 9]

    assert lines
    assert all("prompt_leak" in certain(talk(line, "Sorry?")) for line in lines)


def test_a_note_that_is_said_is_a_leak():
    assert "prompt_leak" in certain(talk("[note k7f3] turn 4 of 12 · say now: one thing", "Sorry?"))


def test_a_role_that_is_said_in_the_second_person_is_a_leak():
    role = "You are Ann, who moved house last week, and you want to give the bank your new address."
    case = CASE.model_copy(update={"persona": Persona(role=role)})

    assert "prompt_leak" in certain(talk(role, "Sorry?", case=case))
    assert not certain(
        talk("I am Ann, I moved house last week, and want to give the bank my new address.", "Sure.", case=case)
    )


def test_names_of_tools_and_arguments_are_not_known_to_a_user():
    call = ToolCall(name="add_pizza", arguments={"pizzaSize": "small"}, result={})
    said = (message("user", "A small pizza"), message("chatbot", "Sure.", tool_calls=(call,)))

    def after(words: str, case: Case = CASE) -> set[str]:
        return certain(Conversation(case=case, messages=(*said, message("user", words), message("chatbot", "Sure."))))

    assert after("Use add_pizza once more") == {"coaching"}
    assert after("My pizzaSize is small") == {"coaching"}
    assert not after("Add a pizza of small size")
    declared = CASE.model_copy(update={"goals": (Goal(text="a small pizza, with add_pizza"),)})
    assert not after("Use add_pizza once more", declared)

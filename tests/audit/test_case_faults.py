"""Faults of cases, and of the reader, that a conversation shows."""

from audited import PIZZA, calling, faults, hotel, pizzeria, talk
from sparring.audit.audit import audit
from sparring.core.audit import Blame
from sparring.core.case import ChangeOfMind, Limits, OutputSpec
from sparring.core.checks import Expectation, Rule
from sparring.core.conversation import Ending

WISH = "I'd like to book a room in Graz for 3 nights."


def of_case(found):
    return [(fault.kind, fault.certainty, fault.touches) for fault in found if fault.blame is not Blame.USER]


def test_a_goal_that_names_another_value_than_its_variable():
    case = pizzeria(goals=(PIZZA.changed(text="a big Margarita pizza"),))
    (fault, *_) = [each for each in faults(case, "A big Margarita pizza.") if each.blame is Blame.CASE]
    assert (fault.kind, fault.certainty) == ("case.contradiction", "certain")
    assert (fault.touches, fault.evidence[0].text) == (("size", "goal:1"), "big")


def test_a_change_of_mind_that_ends_on_another_value():
    case = pizzeria(changes=(ChangeOfMind(variable="size", first="small", final="big"),))
    assert ("case.contradiction", "certain", ("size", "goal:1")) in of_case(faults(case, "A small Margarita pizza."))


def test_a_fact_that_the_chatbot_asks_for_and_the_case_does_not_say():
    asked = "What is your e-mail address?"
    found = faults(hotel(), WISH, asked, "I don't have that.", asked, "I don't know it.", "Then I cannot book it.")
    assert of_case(found) == [("case.missing_fact", "likely", ("goal:1",))]


def test_a_choice_that_only_the_expectation_knows():
    rule = Rule(name="thin", then="'thin' in chatbot_phrases[-1]")
    case = pizzeria(expectations=(Expectation(rule=rule, goal=1),))
    said = ("A small Margarita pizza.", "Which crust: thin or thick?", "Thick, please.", "Thick it is.")
    assert of_case(faults(case, *said)) == [("case.ambiguous", "certain", ("goal:1",))]
    assert of_case(faults(case, *said[:2], "Thin, please.", "Thin it is.")) == []
    told = case.changed(answers={"crust": "thick"})
    assert of_case(faults(told, *said)) == []


def test_a_case_with_fewer_turns_than_questions():
    case = hotel(limits=Limits(turns=3))
    said = (WISH, "What is your phone number?", "555-0142", "What is your name?", "Ana Pardo", "When will you arrive?")
    assert ("case.too_short", "likely", ("goal:1",)) in of_case(faults(case, *said, ending=Ending.TURN_LIMIT))
    assert of_case(faults(hotel(), *said, ending=Ending.TURN_LIMIT)) == []


def test_an_output_that_the_reader_missed():
    case = hotel(outputs=(OutputSpec(name="code", type="code"),))
    reply = calling("Your room has the lovely name X77Q.", "book", city="Graz")
    call = reply.tool_calls[0].changed(result={"code": "X77Q"})
    conversation = talk(case, WISH, reply.changed(tool_calls=(call,)))
    missed = conversation.changed(outputs=tuple(each.changed(evidence=None) for each in conversation.outputs))
    assert of_case(audit(missed).faults) == [("judge.reader_missed", "likely", ("output:code",))]

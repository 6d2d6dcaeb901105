"""Users that say nothing, say the same again, take leave for ever, or say everything at once."""

from audit.test_spoken import CASE, certain, talk
from sparring.audit.audit import audit
from sparring.core.case import Case, Goal, OutputSpec, Persona, Style


def kinds(*said: str, case: Case = CASE) -> set[tuple[str, str]]:
    return {(fault.kind, fault.certainty) for fault in audit(talk(*said, case=case)).faults}


def test_a_message_without_a_letter_is_empty_but_an_emoji_says_something():
    assert certain(talk("A small pizza", "Which drink?", "...", "Hello?")) == {"empty"}
    assert certain(talk("A small pizza", "Which drink?", "👍", "Fine.")) == set()


def test_an_opening_that_is_said_again_is_flagged_unless_it_was_asked_for():
    opening = "A small pizza with corn, please."

    assert ("repeated_opening", "certain") in kinds(opening, "Which drink?", opening, "A pizza and a pizza.")
    assert not kinds(opening, "Sorry, can you say that again?", opening, "Which drink?")
    assert not kinds(opening, "I did not understand.", opening, "Which drink?")


def test_the_same_words_to_three_answers_are_flagged_but_three_times_yes_is_not():
    insists = ("A coke", "Ice?", "I want a cold coke now, please.", "We have ice.", "I want a cold coke now, please.")
    again = (*insists, "We have cups.", "I want a cold coke now, please.", "We have straws.")

    assert ("self_repetition", "likely") in kinds(*insists)
    assert ("self_repetition", "certain") in kinds(*again)
    assert not kinds("A coke", "Ice?", "Yes.", "Cup?", "Yes.", "Straw?", "Yes.", "Done.")


def test_a_user_that_goes_on_taking_leave_may_have_kept_an_output_from_being_said():
    case = CASE.model_copy(update={"outputs": (OutputSpec(name="price"),)})
    faults = audit(
        talk("A coke", "Done.", "Thank you, bye!", "Bye!", "Goodbye, have a nice day!", "Bye!", case=case)
    ).faults

    assert {(fault.kind, fault.touches) for fault in faults if fault.certainty == "certain"} == {
        ("goodbye_loop", ("output:price",))
    }


def test_thanks_before_a_farewell_are_no_loop():
    assert not certain(talk("A coke", "Done.", "Great, thank you. What does it cost?", "$2.", "Thanks, bye!", "Bye!"))


def test_a_yes_to_a_wait_before_a_farewell_is_no_loop():
    assert not certain(talk("Un coca", "Un instant.", "D'accord.", "Un instant.", "Merci, au revoir.", "Un instant."))


def test_one_thing_at_a_time_means_the_values_of_one_goal():
    goals = (Goal(text="a small pizza", variables=("size",)), Goal(text="a coke", variables=("drink",)))
    variables = {"size": "small", "drink": "coke"}
    single = Persona(styles=(Style(name="single question"),))
    case = Case(id="a", goals=goals, variables=variables, persona=single)

    assert certain(talk("A small pizza and a coke", "Sure.", case=case)) == {"front_loaded"}
    assert not certain(talk("A small pizza", "And to drink?", "A coke", "Sure.", case=case))


def test_a_vague_user_may_say_all_values_unless_a_goal_has_a_vaguer_wording():
    vague = Persona(traits=("You are rather vague.",))
    whole = Goal(text="a table for 4 on Friday", variables=("people", "day"))
    case = Case(id="a", goals=(whole,), variables={"people": 4, "day": "Friday"}, persona=vague)
    said = ("A table for 4 on Friday", "Sure.")

    assert not certain(talk(*said, case=case))
    vaguer = case.changed(goals=(whole.changed(first="a table"),))
    assert certain(talk(*said, case=vaguer)) == {"front_loaded"}
    everything = vague.changed(styles=(Style(name="all questions"),))
    assert not certain(talk(*said, case=vaguer.changed(persona=everything)))


def test_one_thing_at_a_time_means_one_goal_without_values():
    goals = (Goal(text="the opening hours on Sundays"), Goal(text="whether dogs are allowed inside"))
    case = Case(id="a", goals=goals, persona=Persona(styles=(Style(name="single question"),)))

    both = "What are the opening hours on Sundays, and are dogs allowed inside?"
    assert certain(talk(both, "From 9 to 5, and yes.", case=case)) == {"front_loaded"}
    assert not certain(
        talk("What are the opening hours on Sundays?", "9 to 5.", "Are dogs allowed inside?", "Yes.", case=case)
    )


def test_the_number_of_a_vaguer_wording_is_no_other_number():
    goals = (Goal(text="Горошек — 3 банки"), Goal(text="Бананы — 5 кг", first="5 x Бананы"))
    case = Case(id="a", goals=goals, persona=Persona(language="Russian"))

    assert not certain(
        talk("Я хочу заказать: 5 x Бананы.", "В какой упаковке взять Бананы: коробка или кг?", case=case)
    )
    assert certain(talk("Я хочу заказать: 9 x Бананы.", "В какой упаковке взять Бананы: коробка или кг?", case=case))


def test_two_wishes_in_the_same_words_are_no_repeated_opening():
    frame = (
        "My sister told me only yesterday that I should write to you. I would like 2 {}. It would make me very happy."
    )
    case = Case(id="a", goals=(Goal(text="2 tables"), Goal(text="2 cables")))

    assert not certain(talk(frame.format("tables"), "Noted.", frame.format("cables"), "Noted.", case=case))
    assert certain(talk(frame.format("tables"), "Noted.", frame.format("tables"), "Noted.", case=case))

"""Measures of how alike simulated users are."""

from collections.abc import Iterable

from sparring.audit.cohort import ENOUGH, Cohort, CohortSample
from sparring.audit.cohort import cohort as measured
from sparring.core.case import Case, Fact, Goal
from sparring.core.conversation import Conversation, GoalProgress
from sparring.core.message import Meant, message


def cohort(conversations: Iterable[Conversation]) -> Cohort:
    return measured([CohortSample(each) for each in conversations])


GOALS = (Goal(text="a pizza", variables=("size",)), Goal(text="a coke"))


def conversation(number: int, *said: str, asked: tuple[int, int] = (0, 2)) -> Conversation:
    case = Case(id=f"c{number}", goals=GOALS, facts=(Fact(slot="size", values=("small",)),))
    messages = [each for text in said for each in (message("user", text), message("chatbot", "Sure."))]
    goals = tuple(GoalProgress(text=goal.text, asked_at=at) for goal, at in zip(GOALS, asked, strict=True))
    return Conversation(case=case, messages=tuple(messages), goals=goals)


def test_a_few_conversations_are_not_measured():
    few = cohort([conversation(1, "Hello")] * (ENOUGH - 1))
    assert (few.conversations, few.distinct_openings, few.warnings) == (ENOUGH - 1, None, ())


def test_users_that_are_all_alike_are_warned_of():
    found = cohort([conversation(number, "I want a small pizza.", "A coke.") for number in range(40)])
    assert found.distinct_openings == 1 / 40
    assert found.self_similarity == 1
    assert found.warnings


def test_values_do_not_make_openings_different():
    sizes = ("small", "large")
    found = cohort(
        conversation(number, f"I want a {sizes[number % 2]} pizza.").changed(
            case=Case(id="a", goals=GOALS, facts=(Fact(slot="size", values=(sizes[number % 2],)),))
        )
        for number in range(20)
    )
    assert found.distinct_openings == 1 / 20


def test_users_that_differ_are_not_warned_of():
    words = "one two three four five six seven eight nine ten eleven twelve".split()
    texts = [" ".join(words[n % 12 :] + words[: n % 12] + words[n % 5 :]) for n in range(24)]
    found = cohort(conversation(number, text) for number, text in enumerate(texts))
    assert found.distinct_openings == 1
    assert found.self_similarity is not None
    assert found.self_similarity < 1
    assert not found.warnings


def test_front_loading_order_and_length_have_intervals():
    loaded = [conversation(number, "A small pizza.") for number in range(10)]
    vague = [conversation(10 + number, "Something to eat, please.", asked=(2, 0)) for number in range(10)]
    found = cohort([*loaded, *vague])
    assert found.front_loading is not None
    assert found.front_loading.value == 0.5
    assert 0.2 < found.front_loading.low < 0.5 < found.front_loading.high < 0.8
    assert found.goals_in_order is not None
    assert found.goals_in_order.value == 0.5
    assert found.words_per_message is not None
    assert found.words_per_message.value == 3.5


def test_acts_are_compared_where_users_say_what_they_meant():
    plain = conversation(1, "A pizza.", "Yes.", "Bye.")
    acts = iter(("wish", "yes", "farewell"))
    meant = tuple(
        each.changed(meant=(Meant(act=next(acts)),)) if each.role == "user" else each for each in plain.messages
    )
    assert cohort([plain] * 20).act_entropy is None
    assert cohort([plain.changed(messages=meant)] * 20).act_entropy == 1

"""Goals that say what is right: as cases, as complaints, and as verdicts on conversations."""

from functools import partial
from pathlib import Path

import pytest

import sparring
from sparring import Case, Goal, GoalAnswer, parsing
from sparring.app.preflight import check_expectations
from sparring.core.conversation import Conversation, Ending, GoalProgress, GoalStage
from sparring.core.errors import InputError
from sparring.core.message import message
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.rules.check import expected
from sparring.scenarios import scenario_files
from sparring.scenarios.expansion import LoadOptions
from sparring.scenarios.goal_keys import with_goal_expectations
from sparring.users.simulated import Simulated

SHOP = """
goals:
  - {asks: the opening hours, answer: 9 to 17}
  - asks: the price of a {{size}} pizza
    answer: [12.5 ± 0.5, 20, "/free.*{{size}}/", 2024-11-06]
    never: [refund, "/(bad|{{size}}) word/"]
  - {asks: cancel my order, done: "called('cancel_order', order_id=order)"}
  - just words
variables: {size: [small, "xx+l"], order: A-17}
right: refuse
"""


def expand(text: str, terms: LoadOptions) -> tuple[Case, ...]:
    return scenario_files.cases(parsing.parse(text, "pizza.yaml"), terms).cases


def test_what_is_right_is_in_the_goal_and_its_expectations(terms: LoadOptions):
    small, large = expand(SHOP, terms)

    assert [goal.text for goal in small.goals][1:] == ["the price of a small pizza", "cancel my order", "just words"]
    assert small.goals[0].answer == (GoalAnswer(text="9 to 17"),)
    assert [str(each) for each in small.goals[1].answer] == ["12.5 ± 0.5", "20", "/free.*small/", "2024-11-06"]
    assert large.goals[1].answer[2].pattern == r"free.*xx\+l"
    assert large.goals[1].never == (r"\brefund\b", r"(bad|xx\+l) word")
    assert [(each.goal, each.rule.then) for each in small.expectations] == [
        (1, "goal_answer(1)"),
        (2, "goal_answer(2)"),
        (2, "not chatbot_says('(?is)\\\\brefund\\\\b')"),
        (2, "not chatbot_says('(?is)(bad|small) word')"),
        (3, "called('cancel_order', order_id=order)"),
    ]
    assert {each.rule.line for each in small.expectations} == {3, 5, 6, 7}
    assert small.right == "refuse"


def test_alternatives_are_filled_and_are_no_expectation(terms: LoadOptions):
    (case,) = expand(
        'goals: [{asks: "a {{size}} coke", otherwise: ["a {{size}} tea", water]}, {asks: a cake, otherwise: pie}]\n'
        "variables: {size: small}",
        terms,
    )

    assert [goal.otherwise for goal in case.goals] == [("a small tea", "water"), ("pie",)]
    assert case.expectations == ()


def test_problems_are_reported_with_their_places(terms: LoadOptions):
    wrong = """
goals:
  - {asks: a, answer: []}
  - {asks: b, answer: true}
  - {asks: c, answer: "/(/"}
  - {asks: d, answer: "/.*/"}
  - {asks: e, never: "/x*/"}
  - {answer: f}
  - {asks: g, anser: h}
  - {asks: h, answer: "{{nothing}}"}
right: maybe
"""

    with pytest.raises(InputError) as caught:
        expand(wrong, terms)

    assert [str(problem) for problem in caught.value.problems] == [
        "pizza.yaml:3:23: goals[0].answer: is empty",
        "pizza.yaml:4:23: goals[1].answer: should be what the chatbot says (put it in quotes)",
        "pizza.yaml:5:23: goals[2].answer: is not a supported regular expression: missing ): (?is)(",
        "pizza.yaml:6:23: goals[3].answer: matches every text, so it checks nothing",
        "pizza.yaml:7:22: goals[4].never: matches every text, so it checks nothing",
        "pizza.yaml:8:5: goals[5].asks: is missing",
        "pizza.yaml:9:15: goals[6].anser: unknown key (did you mean 'answer'?)",
        "pizza.yaml:10:23: goals[7].answer: {{nothing}} is not a variable (there are: none)",
        "pizza.yaml:11:8: right: unknown value 'maybe' (there are: act, refuse)",
    ]


async def test_no_user_sees_expected_values(terms: LoadOptions):
    (case,) = expand("goals: [{asks: the hours, answer: nine to five, done: \"error == ''\", never: secret}]", terms)

    seen: list[str] = []

    class Model:
        async def complete(self, request):
            seen.append(repr(request))
            raise AssertionError("enough")

    with pytest.raises(AssertionError, match="enough"):
        await Simulated(Model()).speak(Conversation(case=case))  # type: ignore[arg-type]

    assert "the hours" in seen[0]
    assert not any(word in seen[0] for word in ("nine to five", "secret", "error =="))


def held(*said: str, asked_at: int | None = 0, **goal: object) -> Conversation:
    case = with_goal_expectations(Case(id="c", goals=(Goal(text="the opening hours", **goal),)))
    messages = [message("chatbot" if at % 2 else "user", text) for at, text in enumerate(said)]
    stage = GoalStage.NOT_ASKED if asked_at is None else GoalStage.ASKED
    goals = (GoalProgress(text="the opening hours", asked_at=asked_at, stage=stage),)
    return Conversation(case=case, messages=tuple(messages), goals=goals, ending=Ending.USER_DONE)


async def verdict(conversation: Conversation) -> Verdict:
    (found,) = await expected(conversation)
    return found


HOURS = {"answer": (GoalAnswer(text="9 to 17"),)}


async def test_the_answer_passes_and_another_fails_with_what_was_said():
    right = await verdict(held("When do you open?", "From 9 am until 5 pm.", **HOURS))
    wrong = await verdict(held("Hi", "Hello", "When do you open?", "From 9 to 18.", asked_at=2, **HOURS))

    assert (right.outcome, right.check) == (CheckOutcome.PASS, "answer to 'the opening hours'")
    assert wrong.outcome is CheckOutcome.FAIL
    assert wrong.reason == (
        "expected '9 to 17' for 'the opening hours', asked in turn 2; the chatbot said 'From 9 to 18.' (turn 2)"
    )


async def test_the_answer_counts_only_after_the_question():
    early = held("Hi", "Welcome! 9 to 17", "When do you open?", "Ask again.", asked_at=2, **HOURS)

    assert (await verdict(early)).outcome is CheckOutcome.FAIL


async def test_where_the_reader_saw_no_question_only_the_answer_itself_decides():
    said = held("¿Horario?", "De 9 a 17.", asked_at=None, **HOURS)
    silent = held("¿Horario?", "Hola.", asked_at=None, **HOURS)

    assert (await verdict(said)).outcome is CheckOutcome.PASS
    assert ((await verdict(silent)).outcome, (await verdict(silent)).reason) == (
        CheckOutcome.ERROR,
        "the user was not seen to ask: the opening hours",
    )


async def test_what_must_never_be_said_fails_and_what_is_not_done_too():
    secret = await verdict(held("Hi", "The Password is x", never=("password",)))
    undone = await verdict(held("Hi", "Hello", done="turns() > 3"))

    assert (secret.outcome, secret.reason) == (
        CheckOutcome.FAIL,
        "expected the chatbot never to say /password/; it said: The Password is x",
    )
    assert (undone.outcome, undone.reason) == (
        CheckOutcome.FAIL,
        "not done: the opening hours (expected turns() > 3)",
    )


async def test_what_is_not_done_shows_what_was_called():
    undone = await verdict(held("Hi", "Hello", done="called('open')").changed(reports_tools=True))

    assert undone.reason == "not done: the opening hours (expected called('open')); called were: none"


def test_a_case_gets_its_expectations_once():
    case = held("Hi", "Hello", **HOURS).case

    assert with_goal_expectations(case) is case


def constant(said: str, messages: list[object], variables: dict[str, object]) -> str:
    return said


def test_in_a_run_a_wrong_chatbot_fails_and_a_right_one_passes(tmp_path: Path):
    case = Case(id="hours", goals=(Goal(text="the opening hours", answer=(GoalAnswer(text="9 to 17"),)),))
    runs = {
        said: sparring.run(case, partial(constant, said), model="offline", store=tmp_path / f"{number}.db")
        for number, said in enumerate(("The opening hours are 9 to 17.", "The opening hours are 10 to 18."))
    }

    outcomes = [
        [each.outcome for each in results[0].verdicts if each.check == "answer to 'the opening hours'"]
        for results in runs.values()
    ]
    assert outcomes == [[CheckOutcome.PASS], [CheckOutcome.FAIL]]


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("outputs: {id: '/(/'}", "missing )"),
        ('outputs: {id: {type: "/\\bORD/"}}', "is a backspace"),
        ('answers: {"\\bname": Ann}', "is a backspace"),
        ("expect: [\"chatbot_says('\\\\bname')\"]", ""),
    ],
)
def test_a_pattern_that_cannot_mean_what_it_says_is_refused_in_every_key(terms: LoadOptions, key: str, text: str):
    written = f"goals: [a]\n{key}\n"
    if not text:  # an expression, which is checked with the cases
        (case,) = expand(written, terms)
        with pytest.raises(InputError, match="is a backspace"):
            check_expectations([case])
        return
    with pytest.raises(InputError) as caught:
        expand(written, terms)

    assert [text in problem.message for problem in caught.value.problems] == [True]

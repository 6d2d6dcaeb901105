import pytest

from sparring.core.causes import Symptom
from sparring.core.conversation import Conversation, Ending, Evidence, GoalProgress, GoalStage
from sparring.core.message import message
from sparring.core.outcome import Outcome, decide
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.judges.checklist import checklist
from sparring.reports.causes import ATTEMPTS, CauseSummary, CauseTally, example_text, found_by, shortest_prefixes
from sparring.reports.reported import ReportedConversation
from sparring.runner.causes import with_cause
from sparring.testing.factories import a_batch, a_conversation

PRICE = Symptom(kind="value", subject="price", relation="lower", check="menu", expected="11.5", got="10.0")
SIZE = Symptom(kind="value", subject="size", relation="different", check="menu")


def reported(conversation: Conversation, *symptoms: Symptom, first: Outcome | None = None) -> ReportedConversation:
    outcome = CheckOutcome.FAIL if symptoms else CheckOutcome.PASS
    verdict = Verdict(check="menu", outcome=outcome, conversation=conversation.id, symptoms=symptoms)
    decision = with_cause(decide(conversation, [verdict]), conversation, [verdict])
    return ReportedConversation(conversation, decision, (verdict,), first)


def causes(*found: ReportedConversation, cases: tuple[str, ...] = ("a", "b", "c")) -> tuple[CauseSummary, ...]:
    tally = CauseTally(a_batch(*cases, repeats=2))
    for each in found:
        tally.add(each)
    return tally.causes()


def cases_of(*names: str) -> list[Conversation]:
    return [a_conversation(case) for case in a_batch(*names).cases]


def test_conversations_with_the_same_symptom_are_one_cause():
    a, b, c = cases_of("a", "b", "c")

    price, size = causes(reported(a, PRICE), reported(b, PRICE.changed(got="9.0", check="other")), reported(c, SIZE))

    assert (price.count, price.cases, round(price.share, 2), price.conversations) == (2, 2, 0.67, ("a", "b"))
    assert price.title == "Price is lower than expected"
    assert price.checks == {"menu": 1, "other": 1}
    assert (price.example.conversation, price.example.expected, price.example.got) == ("a", "11.5", "10.0")
    assert (size.count, size.title) == (1, "Size is not the expected one")


def test_a_conversation_has_one_cause_and_the_others_are_counted_beside():
    a, b = cases_of("a", "b")

    found = causes(reported(a, PRICE.changed(at=1), SIZE.changed(at=3)), reported(b, SIZE.changed(at=3)))

    assert sum(each.count for each in found) == 2
    assert sum(each.also for each in found) == 1


def test_causes_do_not_depend_on_the_order_of_conversations():
    found = [
        reported(each, symptom) for each, symptom in zip(cases_of("a", "b", "c"), (PRICE, SIZE, PRICE), strict=True)
    ]

    assert [each.id for each in causes(*found)] == [each.id for each in causes(*reversed(found))]


def test_a_cause_in_some_repeats_only_is_reported():
    (case,) = a_batch("a").cases
    first, second = a_conversation(case), a_conversation(case, repeat=2)

    (price,) = causes(reported(first, PRICE), reported(second))

    assert not price.every_repeat


def test_crashes_are_grouped_by_what_the_chatbot_answered():
    a, b, c = (
        each.model_copy(update={"ending": ending, "error": error})
        for each, ending, error in zip(
            cases_of("a", "b", "c"),
            (Ending.CHATBOT_FAILED, Ending.CHATBOT_FAILED, Ending.TIMEOUT),
            ("HTTP 500: oops 1", "HTTP 500: oops 2", "no reply within 30 s"),
            strict=True,
        )
    )

    found = causes(reported(a), reported(b), reported(c))

    assert [(each.subject, each.count) for each in found] == [("HTTP 500", 2), ("timeout", 1)]
    assert found[0].title.startswith("The chatbot answered HTTP 500")


def test_a_chatbot_that_never_understands_is_one_cause_for_all_goals():
    found = []
    for case in a_batch("a", "b").cases:
        goal = GoalProgress(text=case.id, stage=GoalStage.ASKED, evidence=Evidence(at=1, start=0, end=5, text="Sorry"))
        said = (message("user", f"Yes, {case.id}." if case.id == "a" else "Hello"), message("chatbot", "Sorry?"))
        talk = Conversation(case=case, messages=said, goals=(goal,), ending=Ending.GAVE_UP)
        decision = with_cause(decide(talk, [checklist(talk)]), talk, [checklist(talk)])
        found.append(ReportedConversation(talk, decision, (checklist(talk),)))

    (cause,) = causes(*found)

    assert (cause.title, cause.count) == ("The chatbot did not understand the user, again and again", 2)


def test_a_first_attempt_that_failed_is_a_cause_of_its_own():
    (a,) = cases_of("a")
    assert a.timing is not None
    again = a.model_copy(update={"timing": a.timing.model_copy(update={"attempt": 2})})

    (found,) = causes(reported(again, first=Outcome.FAILED))

    assert found.id == ATTEMPTS


def test_passed_and_void_conversations_have_no_cause():
    a, b = cases_of("a", "b")

    assert causes(reported(a), reported(b.model_copy(update={"ending": Ending.USER_FAILED}))) == ()


def test_ids_are_shortened_as_far_as_they_stay_unique():
    ids = ("c-aaaaaa111111", "c-aaaaaa222222", "c-bbbbbb111111")

    assert list(shortest_prefixes(ids).values()) == ["c-aaaaaa1", "c-aaaaaa2", "c-bbbbbb"]


def test_no_thanks_is_no_correction():
    (case,) = a_batch("a").cases
    at = Symptom(kind="value", subject="price", relation="lower", check="menu", at=3)

    def role(said: str) -> str:
        conversation = a_conversation(case)
        asked = message("user", said)
        messages = (*conversation.messages[:2], asked, conversation.messages[1])
        (found,) = causes(reported(conversation.model_copy(update={"messages": messages}), at))
        return found.role

    assert [role(said) for said in ("No, make it a small one.", "No, thanks.", "Nein, danke.", "No, that's all.")] == [
        "after_correction",
        *["at_confirmation"] * 3,
    ]


@pytest.mark.parametrize(
    ("said", "role"),
    [
        ("مرحبا، أريد بيتزا", "after_unusual_input"),
        ("Ein Eis, bitte.", "at_confirmation"),
        ("日本語", "after_unusual_input"),
    ],
)
def test_a_message_in_another_script_is_unusual_input(said: str, role: str):
    (talk,) = cases_of("a")
    talk = talk.model_copy(update={"messages": (message("user", said), *talk.messages[1:2])})

    (found,) = causes(reported(talk, PRICE.changed(at=1)))

    assert found.role == role


def test_an_example_has_numbers_as_they_were_said_and_no_condition():
    (talk,) = cases_of("a")
    quoted = PRICE.changed(at=1, quote="$10.50", expected="12.5", got="10.5").as_said("$10.50")

    (found,) = causes(reported(talk, quoted))

    assert (found.example.expected, found.example.got) == ("$12.50", "$10.50")
    assert example_text(found) == 'a, turn 1: "$10.50", expected $12.50'


@pytest.mark.parametrize(
    ("quote", "expected", "got", "said"),
    [
        ("$10.00", "11", "10.0", ("$11.00", "$10.00")),
        ("€ 8", "8.5", "8.0", ("€ 8.5", "€ 8")),
        ("10 EUR", "at least 11", "10", ("at least 11", "10 EUR")),
        ("$9.00", "11", "10.0", ("11", "10.0")),
        ("two pizzas", "3", "2", ("3", "2")),
    ],
)
def test_numbers_are_written_as_they_were_said(quote: str, expected: str, got: str, said: tuple[str, str]):
    found = PRICE.changed(expected=expected, got=got).as_said(quote)

    assert (found.expected, found.got) == said


def test_expectations_that_saw_a_cause_are_counted_together():
    talks = cases_of("a", "b", "c")
    checks = ("menu", "price == 1", "price == 2")

    (found,) = causes(*(reported(talk, PRICE.changed(check=each)) for talk, each in zip(talks, checks, strict=True)))

    assert found_by(found) == "menu 1, 2 expectations of price 2"


def test_words_that_are_missing_are_one_cause_at_any_place():
    """A chatbot that does not say a number, or what the user asked for, does so in every conversation."""
    a, b = cases_of("a", "b")
    missing = Symptom(kind="rule", relation="missing", check="menu")

    (minutes,) = causes(
        reported(a, missing.changed(text="15 minutes", at=1)), reported(b, missing.changed(text="30 minutes", at=3))
    )
    (said,) = causes(reported(a, missing.changed(text="large pizza")), reported(b, missing.changed(text="Pizza")))

    assert minutes.title == "The chatbot does not say “# minutes”"
    assert said.title == "What the user said is not said back"


def test_words_that_should_not_be_there_are_named_as_the_chatbot_said_them():
    (a,) = cases_of("a")
    unwanted = Symptom(kind="rule", relation="unexpected", check="step 2", text=r"£28\?", at=1)

    (found,) = causes(reported(a, unwanted.changed(quote="£28?")))
    (long,) = causes(reported(a, unwanted.changed(quote="£28 " * 50)))

    assert "“£28?”" in found.title
    assert "£28 £28" not in long.title


def test_a_name_becomes_words_and_an_expression_stays_as_written():
    expression = "len(chatbot_phrases) > 2"
    found = [Symptom(kind="rule", subject=each, check=each) for each in ("is_polite", expression)]
    first, second = cases_of("a", "b")

    titles = {each.title for each in causes(reported(first, found[0]), reported(second, found[1]))}

    assert titles == {"is polite is violated", f"{expression} is violated"}

"""Trials of cases with null bots: weak cases, guards, and cases that discriminate."""

import pytest

from sparring.app import discrimination
from sparring.app.discrimination import Discriminator
from sparring.core.case import Case, Goal, OutputSpec, Persona, Say
from sparring.core.checks import Expectation, Rule
from sparring.core.outcome import Discrimination
from sparring.core.state import StateRecord
from sparring.discrimination.null_bots import NULL_BOTS, chatbot
from sparring.discrimination.trial import satisfied_rules
from sparring.testing.memory_store import MemoryStore
from tables import table


def case(*expected: str, say: tuple[str, ...] = ("Hello", "Refund me"), **fields: object) -> Case:
    script = tuple(Say(text=text) for text in say) if "goals" not in fields else ()
    expectations = tuple(Expectation(rule=Rule(name=then, then=then)) for then in expected)
    return Case(id="a", script=script, expectations=expectations, **fields)


async def tried(case: Case, *rules: Rule, judge: str = "checklist") -> Discrimination:
    return await Discriminator(judge, rules)(case)


@pytest.mark.parametrize(
    "expected",
    [
        "called('refund')",
        "chatbot_says('30 days')",
        "'monday' in last_reply().lower()",
        "tool_result('order')['status'] == 'shipped'",
    ],
)
async def test_an_expectation_that_only_a_useful_chatbot_meets_discriminates(expected: str):
    assert (await tried(case(expected))).kind == "discriminates"


@table(
    ("expected", "passed_by"),
    [
        ("last_reply() != ''", "cannot"),
        ("chatbot_says('sorry')", "cannot"),
        ("chatbot_says('(?i)ok|done')", "made-up"),
        ("chatbot_says('OK')", "ok"),
        ("chatbot_says('Refund me')", "echo"),
        ("len(chatbot_phrases) == 2 and 'tell me' in chatbot_phrases[0]", "question"),
    ],
)
async def test_a_case_that_a_null_bot_passes_is_weak(expected: str, passed_by: str):
    found = await tried(case(expected))
    assert (found.kind, found.passed_by) == ("weak", (passed_by,))
    assert found.reason.startswith("a bot that ")
    assert found.remedy


async def test_an_order_without_truth_is_weak_and_with_a_tool_call_discriminates():
    goal = Goal(text="a large pizza", variables=("size",))
    fields = {"goals": (goal,), "variables": {"size": "large"}}
    outputs = (OutputSpec(name="price", type="money"),)

    weak = await tried(case(**fields, outputs=outputs))
    strong = await tried(case("called('place_order')", **fields, outputs=outputs))

    assert weak.reason == "a bot that says 'done' and makes up a price and an ID would have passed"
    assert weak.remedy == "say what the answer is, or expect a tool call"
    assert strong.kind == "discriminates"


@table(
    "expected",
    [
        "not called('refund')",
        "not_called('refund', amount=7)",
        "calls('refund', {'order': order}) == 0",
        "calls() == 0 or not called('refund')",
        r"not chatbot_says('(?i)refunded \d+ dollars')",
        "'your password' not in last_reply()",
        "not chatbot_says('^I will$')",
        "all([len(said) < 500 for said in chatbot_phrases])",
        "calls('lookup') <= 1",
        "changes == []",
        "not changed('orders.*.status')",
        "state('orders.Q1.status') != 'cancelled'",
    ],
)
async def test_a_case_that_only_forbids_is_a_guard_that_refusing_bots_may_pass(expected: str):
    found = await tried(case(expected, variables={"order": "Q1"}))
    assert found == Discrimination(kind="guard", passed_by=("cannot", "support"))


async def test_a_case_that_no_reply_and_no_tool_call_fails_is_weak():
    found = await tried(case("turns() < 100"))
    assert (found.kind, found.reason) == ("weak", "no reply or tool call was found that fails it")


async def test_a_case_with_goals_is_no_guard():
    goal = Goal(text="order a pizza")
    found = await tried(case("not called('refund')", goals=(goal,)), judge="none")
    assert found.kind == "weak"


@pytest.mark.parametrize(
    ("expected", "kind", "passed_by"),
    [
        (
            ("chatbot_says('cannot') or chatbot_says('support')", "not called('refund')"),
            "discriminates",
            "cannot support",
        ),
        (("chatbot_says('sorry')",), "weak", "cannot sorry"),
        (("not called('refund')",), "weak", "cannot support made-up"),
        (("chatbot_says('not eligible')",), "discriminates", ""),
    ],
)
async def test_refusing_bots_may_pass_a_case_whose_right_outcome_is_a_refusal(
    expected: tuple[str, ...], kind: str, passed_by: str
):
    found = await tried(case(*expected, right="refuse"))
    assert (found.kind, found.passed_by) == (kind, tuple(passed_by.split()))


@pytest.mark.parametrize(("status", "kind"), [("shipped", "guard"), ("open", "discriminates"), (None, "discriminates")])
async def test_a_state_that_is_right_from_the_start_makes_a_guard(status: str | None, kind: str):
    start = StateRecord(start={"orders": {"Q1": {"status": status}}})
    expecting = case("state('orders.Q1.status') == 'shipped'")

    found = await Discriminator("checklist", ())(expecting, start if status else None)

    assert found.kind == kind


async def test_rules_of_the_batch_count_where_they_apply():
    ordered = Rule(name="order", then="called('place_order')", **{"if": "'order' in tags"})
    weak = await tried(case("last_reply() != ''"), ordered)
    strong = await tried(case("last_reply() != ''", tags=("order",)), ordered)
    assert (weak.kind, strong.kind) == ("weak", "discriminates")


async def test_checks_that_need_a_model_are_left_out():
    polite = Rule(name="polite", then="tone(last_reply()) == 'polite'")
    assert (await tried(case(), judge="openai:gpt")).kind == "untried"
    assert (await tried(case(), polite)).kind == "untried"
    assert (await tried(case("tone(last_reply()) == 'polite'"))).kind == "untried"


async def test_a_case_that_a_model_judges_too_is_not_weak_for_its_other_checks():
    found = await tried(case("last_reply() != ''"), judge="openai:gpt")
    assert (found.kind, found.passed_by) == ("untried", ("cannot",))


async def test_made_up_values_must_pass_with_every_draw():
    draws = {await said("made-up", case(say=("Hi",)), draw) for draw in range(3)}
    assert len(draws) == 3
    (some, *_) = draws
    short = some.split("$")[1][:2]
    assert (await tried(case(f"chatbot_says('{short}')"))).kind == "discriminates"


async def said(name: str, case: Case, draw: int = 0, heard: str = "Hi") -> str:
    from sparring.core.message import message

    (bot,) = [bot for bot in NULL_BOTS if bot.name == name]
    async with chatbot(bot, case, draw).connect(case) as session:
        return (await session.reply(message("user", heard))).text


@pytest.mark.parametrize(
    ("language", "refusal"),
    [("Spanish", "Lo siento, pero no puedo ayudarle con eso."), ("Klingon", "I'm sorry, but I cannot help with that.")],
)
async def test_null_bots_speak_the_language_of_the_case_or_english(language: str, refusal: str):
    assert await said("cannot", case(persona=Persona(language=language))) == refusal


async def test_twelve_null_bots_have_three_attitudes():
    attitudes = [bot.attitude for bot in NULL_BOTS]
    assert {each: attitudes.count(each) for each in attitudes} == {"refusing": 2, "compliant": 4, "idle": 6}


async def test_cases_that_differ_in_seed_and_session_only_are_tried_once(monkeypatch: pytest.MonkeyPatch):
    discriminator = Discriminator("checklist", ())
    tried = []
    monkeypatch.setattr(discriminator, "_tried", lambda case, state: note(tried, case))
    for each in (case(), case(seed=3, session="s"), case("turns() < 3")):
        await discriminator(each)
    assert len(tried) == 2


@pytest.mark.parametrize("again", ["with the store", "with another store"])
async def test_results_of_a_trial_are_kept_in_the_store_and_in_the_process(monkeypatch: pytest.MonkeyPatch, again: str):
    store, tried = MemoryStore(), []
    monkeypatch.setattr(Discriminator, "_tried", lambda self, case, state: note(tried, case))
    monkeypatch.setattr(discrimination, "_RECENT", recent := {})
    short = Rule(name="short", then="turns() < 3")
    for rules in ((), (), (short,), (short,)):
        assert (await Discriminator("checklist", rules, store)(case())).kind == "discriminates"
        if again == "with the store":
            recent.clear()
        else:
            store = MemoryStore()
    assert len(tried) == 2, "once for each set of checks"


async def note(tried: list[Case], case: Case) -> Discrimination:
    tried.append(case)
    return Discrimination(kind="discriminates")


async def test_rules_over_several_conversations_name_the_null_bots_that_satisfy_them():
    same = Rule(name="same", then="conv[0].chatbot_phrases == conv[1].chatbot_phrases", conversations=2)
    longer = Rule(name="longer", then="len(conv[0].chatbot_phrases) > 5", conversations=2)

    found = await satisfied_rules([case(say=("Hi",)), case(say=("Bye",))], [same, longer])

    assert {"cannot", "yes-man", "ok", "silent"} <= set(found[same.hash])
    assert found[longer.hash] == ()

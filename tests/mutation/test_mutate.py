"""Mutants of recorded conversations: played like the faulty chatbot itself, and noticed where a check looks."""

import json
import re
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from pathlib import Path
from xml.etree import ElementTree

import pytest

import sparring
from command_line import called
from sparring.chatbots.chatbot import BaseChatbot, Capabilities
from sparring.core.case import Case, Goal, Say, Style
from sparring.core.checks import Rule
from sparring.core.conversation import Conversation, Ending
from sparring.core.message import Message, ToolCall, message
from sparring.core.mutation import Edit
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.extraction.pattern_extractor import PatternReader
from sparring.mutation.asking import LiveChatbot
from sparring.mutation.candidates import RuleCandidate, about_form, about_outcomes
from sparring.mutation.mutant import Mutant, mutants
from sparring.mutation.operator import MutationOperator, observed, with_calls, with_text
from sparring.mutation.operators import OPERATORS
from sparring.mutation.play import Mode, Player, State
from sparring.mutation.proxy import MutatedChatbot, Setting
from sparring.mutation.run import MutantResult, run_mutants
from sparring.mutation.score import score
from sparring.mutation.suggestions import suggestions
from sparring.mutation.survivor import Survivor, always_said, stated_values
from sparring.rules.check import SingleRules
from sparring.rules.recording import recording_of
from sparring.simulation.simulate import simulate
from sparring.users.agenda import Agenda
from sparring.users.scripted import Scripted
from tables import table

KINDS = {"espresso": 3, "latte": 4, "mocha": 5}


class Cafe(BaseChatbot):
    """A correct chatbot: it takes a coffee and a size, tells the price, and places the order."""

    capabilities = Capabilities(reports_tools=True)

    @asynccontextmanager
    async def connect(self, case: Case) -> AsyncIterator["_Order"]:
        yield _Order(case.id)


class _Order:
    greeting: Message | None = None

    def __init__(self, id: str) -> None:
        self._id = f"C-{sum(map(ord, id)) % 900 + 100}"
        self._kind = self._size = ""

    async def reply(self, said: Message) -> Message:
        text = said.text.lower()
        kind = next((each for each in KINDS if each in text), "")
        size = next((each for each in ("small", "large") if each in text), "")
        self._kind, self._size = kind or self._kind, size or self._size
        if not self._kind:
            return message("chatbot", "Which coffee would you like: espresso, latte or mocha?")
        if not self._size:
            return message("chatbot", f"One {self._kind}. Which size would you like: small or large?")
        price = KINDS[self._kind] + (self._size == "large")
        if kind or size:
            add = ToolCall(
                name="add_coffee", arguments={"kind": self._kind, "size": self._size}, result={"price": price}
            )
            asks = f"One {self._size} {self._kind} for ${price}.00. Shall I place the order?"
            return message("chatbot", asks, tool_calls=(add,))
        if "yes" in text:
            done = ToolCall(name="place_order", result={"order_id": self._id})
            placed = f"Your {self._size} {self._kind} is ordered. The total is ${price}.00, the order ID is {self._id}."
            return message("chatbot", placed, tool_calls=(done,))
        return message("chatbot", "Thank you. Goodbye.")


SCENARIO = """\
user: you want a coffee
goals: ["order a {{size}} {{kind}}"]
variables:
  size: {function: forward(kind), data: [small, large]}
  kind: {function: forward(), data: [espresso, latte, mocha]}
outputs: {price: money, order_id: code}
expect: ["called('place_order')"]
"""


@pytest.fixture
async def recorded(tmp_path: Path) -> list[Conversation]:
    file = tmp_path / "coffee.yml"
    file.write_text(SCENARIO)
    return [await simulate(case, Agenda(), Cafe(), reader=PatternReader()) for case in sparring.load(file)]


def operator(name: str) -> MutationOperator:
    return next(each for each in OPERATORS if each.name == name)


def says(check: str, fails: bool, conversation: Conversation) -> Verdict:
    outcome = CheckOutcome.FAIL if fails else CheckOutcome.PASS
    return Verdict(check=check, outcome=outcome, conversation=conversation.id, by="rule")


async def nothing(conversation: Conversation) -> dict[str, Verdict | None]:
    """The verdicts of a batch without checks."""
    return {}


async def placed(conversation: Conversation) -> dict[str, Verdict | None]:
    """The verdict of a check that an order was placed."""
    calls = [call.name for each in conversation.messages for call in each.tool_calls if call.succeeded]
    return {"1": says("placed", "place_order" not in calls, conversation)}


async def results(
    recorded: Sequence[Conversation], *names: str, verdicts: object = nothing, live: bool = False, budget: int = 500
) -> list[MutantResult]:
    setting = Setting(observed(recorded))
    chosen = [operator(name) for name in names] if names else list(OPERATORS)
    made = mutants(chosen, recorded, setting.seen, budget=budget)
    player = Player(verdicts, setting, user=Agenda(), live=LiveChatbot(Cafe(), verdicts, recorded) if live else None)  # type: ignore[arg-type]
    return [each async for each in run_mutants(made, player)]


@pytest.mark.slow
async def test_a_mutant_of_a_recording_is_the_faulty_chatbot_itself(recorded: list[Conversation]):
    setting = Setting(observed(recorded))
    player = Player(nothing, setting, user=Agenda())
    derived = 0
    for mutant in mutants([each for each in OPERATORS if not each.live], recorded, setting.seen, budget=500):
        for baseline in mutant.conversations:
            found = await player.play(mutant, baseline)
            if found is None or found.mode is not Mode.DERIVED:
                continue
            chatbot = MutatedChatbot(Cafe(), mutant, baseline, setting, [])
            live = await simulate(baseline.case, Agenda(), chatbot, reader=PatternReader())
            assert (live.messages, live.ending) == (found.conversation.messages, found.conversation.ending), mutant.id
            derived += 1
    assert derived > 100


async def test_without_a_fault_every_conversation_is_played_again_the_same(recorded: list[Conversation]):
    player = Player(nothing, Setting(observed(recorded)), user=Agenda())

    for each in recorded:
        again, same = await player.again(each)
        assert same
        assert (again.ending, again.outputs, again.goals) == (each.ending, each.outputs, each.goals)


async def test_a_check_that_looks_at_calls_notices_faults_of_calls_only(recorded: list[Conversation]):
    found = await results(recorded, "tool.hidden", "reply.rude", verdicts=placed)

    states = {(each.mutant.operator.name, each.state) for each in found if "place" in each.mutant.signature}
    assert (("tool.hidden", State.KILLED)) in states
    assert {state for name, state in states if name == "reply.rude"} == {State.SURVIVED}


async def test_a_user_who_reacts_takes_another_way_which_needs_the_chatbot(recorded: list[Conversation]):
    without = await results(recorded, "reply.mute")
    alive = await results(recorded, "reply.mute", live=True)

    assert {each.shown.mode for each in without if each.shown} == {Mode.FROZEN}
    assert {each.shown.mode for each in alive if each.shown} == {Mode.LIVE}


async def test_a_fault_before_the_reply_is_played_live_or_not_at_all(recorded: list[Conversation]):
    (without, *_) = await results(recorded, "flow.mishears")
    (alive, *_) = await results(recorded, "flow.mishears", live=True)

    assert (without.state, without.reason) == (
        State.NOT_REACHED,
        "the chatbot was not asked, or does not repeat itself",
    )
    assert alive.state is State.SURVIVED
    assert alive.shown is not None
    assert alive.shown.conversation.messages != alive.shown.baseline.messages


async def test_a_random_chatbot_is_asked_again_before_a_check_counts(recorded: list[Conversation]):
    """Its order ids differ whenever it is asked, and what it mishears is ordered all the same."""
    lost = MutationOperator(
        "flow.lost",
        "loses orders",
        lambda reply, place: with_calls(reply, []),
        lambda said, place: None,
        everywhere=True,
    )
    sizes = Counter[str]()

    class Random(Cafe):
        @asynccontextmanager
        async def connect(self, case: Case) -> AsyncIterator[_Order]:
            sizes[case.id] += 1
            yield _Order(f"{case.id}{sizes[case.id]}")

    setting = Setting(observed(recorded))
    made = list(mutants([operator("flow.mishears"), operator("reply.mute")], recorded, setting.seen, budget=20))
    made.append(Mutant(lost, 1, tuple(recorded)))
    live = LiveChatbot(Random(), placed, recorded)

    found = [each async for each in run_mutants(made, Player(placed, setting, user=Agenda(), live=live))]

    assert live.random
    assert {each.state for each in found if each.mutant.operator is lost} == {State.KILLED}
    assert {each.state for each in found if each.mutant.operator.name == "flow.mishears"} == {State.SURVIVED}
    assert {each.shown.mode for each in found if each.shown and not each.mutant.operator.live} == {Mode.FROZEN}


async def test_a_chatbot_that_crashes_is_no_kill(recorded: list[Conversation]):
    setting = Setting(observed(recorded))

    class Crashing(Cafe):
        @asynccontextmanager
        async def connect(self, case: Case) -> AsyncIterator[_Order]:
            order = _Order(case.id)

            answer = order.reply

            async def reply(said: Message) -> Message:
                heard = {each.case.id: [m.text for m in each.messages if m.role == "user"] for each in recorded}
                if said.text not in heard[case.id]:
                    raise RuntimeError("out of coffee")
                return await answer(said)

            order.reply = reply  # type: ignore[method-assign]
            yield order

    made = list(mutants([operator("flow.mishears")], recorded, setting.seen, budget=5))
    player = Player(placed, setting, user=Agenda(), live=LiveChatbot(Crashing(), placed))

    found = [each async for each in run_mutants(made, player)]

    assert {each.state for each in found} == {State.BROKE}
    assert found[0].shown is not None
    assert found[0].shown.conversation.ending is Ending.CHATBOT_FAILED


async def test_a_mutant_that_changes_nothing_is_inert(recorded: list[Conversation]):
    same = MutationOperator("reply.same", "says the same", lambda reply, place: reply)
    setting = Setting(observed(recorded))
    made = list(mutants([same], recorded, setting.seen, budget=5))

    found = [each async for each in run_mutants(made, Player(nothing, setting, user=Agenda()))]

    assert {each.state for each in found} == {State.INERT}
    assert score(found).of == 0


async def test_words_that_say_nothing_are_cosmetic(recorded: list[Conversation]):
    polite = MutationOperator(
        "reply.polite", "is polite", lambda reply, place: with_text(reply, f"{reply.text} Thank you.")
    )
    chatty = [each.changed(messages=tuple(_with(each, "Have a nice day."))) for each in recorded]
    setting = Setting(observed(chatty))
    made = list(mutants([operator("reply.drop_last")], chatty, setting.seen, budget=30))
    made += list(mutants([polite], chatty, setting.seen, budget=3))
    player = Player(nothing, setting, user=Agenda())

    found = [each async for each in run_mutants(made, player)]

    assert any(each.cosmetic for each in found)
    assert not any(each.cosmetic for each in found if each.mutant.operator is polite)
    assert all("nice day" in each.change.before.text for each in found if each.cosmetic and each.change)


def _with(conversation: Conversation, last: str) -> list[Message]:
    *before, reply = conversation.messages
    changed = with_text(reply, f"{reply.text} {last}")
    assert changed is not None
    return [*before, changed]


async def test_the_budget_is_spread_over_operators(recorded: list[Conversation]):
    setting = Setting(observed(recorded))

    made = list(mutants(OPERATORS, recorded, setting.seen, budget=40))

    assert len(made) == 40
    assert len({each.operator.name for each in made}) >= 25
    assert len({each.id for each in made}) == 40


@pytest.mark.slow
async def test_the_score_weighs_operators_alike_and_needs_eight(recorded: list[Conversation]):
    found = await results(recorded, verdicts=placed)
    few = [each for each in found if each.mutant.operator.name in ("tool.hidden", "reply.rude")]

    whole = score(found)

    assert whole.interval is not None
    assert whole.interval.value == pytest.approx(
        sum(each.killed / each.of for each in whole.operators) / len(whole.operators)
    )
    assert score(few).interval is None


@pytest.mark.slow
async def test_suggested_rules_hold_of_the_baseline_and_of_fresh_conversations(
    recorded: list[Conversation], tmp_path: Path
):
    found = await results(recorded, live=True)
    made = await suggestions(found, recorded)
    fresh = [each.case.changed(seed=7) for each in recorded]
    talks = [await simulate(case, Agenda(), Cafe(), reader=PatternReader()) for case in fresh]

    alive = [each for each in found if each.state is State.SURVIVED and not each.cosmetic]
    noticed = {id for each in made for id in each.kills}
    assert len(noticed) / len(alive) >= 0.7
    for each in made:
        outcomes = {finding.outcome for finding in sparring.check(each.rule, talks).findings}
        assert CheckOutcome.FAIL not in outcomes, each.rule.then


@pytest.mark.slow
async def test_rules_about_what_is_done_and_said_come_first_and_none_counts_turns(recorded: list[Conversation]):
    made = await suggestions(await results(recorded), recorded)

    form = ("never_", "no_repetition", "whole_", "one_", "ends_", "is_", "asks_", "no_refuse", "no_misunderstand")
    is_form = [each.rule.name.startswith(form) for each in made]
    assert is_form == sorted(is_form)
    assert not any("turns()" in each.rule.then for each in made)
    assert any("states(phrase, " in each.rule.then for each in made)


@pytest.mark.slow
@table(
    ("made_for", "then", "noticed"),
    [
        ("reply.rude", "not chatbot_says(r'(?i)", ["reply.leak", "reply.promise"]),
        ("reply.drop_fact", "[size, kind, tool_result('add_coffee')['price']", ["reply.value", "reply.amount"]),
        ("tool.twice", "calls('place_order') == 1", ["tool.hidden", "tool.error_unsaid"]),
        ("tool.drop_argument", "in each.arguments", ["tool.hidden", "tool.error_unsaid"]),
        ("reply.truncate", "not matches(r'(?i)", ["reply.rude", "reply.leak"]),
        ("tool.hidden", "call_order('add_coffee', 'place_order')", ["tool.argument", "tool.drop_argument"]),
        ("reply.amount", "'place the']", ["reply.drop_last", "reply.value", "reply.drop_fact"]),
    ],
)
async def test_a_suggested_rule_notices_other_faults_of_its_kind(
    made_for: str, then: str, noticed: list[str], recorded: list[Conversation]
):
    rules = [each.rule for each in await suggestions(await results(recorded, made_for), recorded)]
    ready = SingleRules({each.name: each for each in rules if then in each.then}, explain=False)

    seen = {
        each.mutant.operator.name
        for name in noticed
        for each in await results(recorded, name)
        for played in each.played
        for verdict in ready.verdicts(recording_of(played.conversation)).values()
        if verdict.outcome is CheckOutcome.FAIL
    }
    assert seen == {*noticed}


async def test_a_lost_call_of_the_user_gives_a_rule_too(recorded: list[Conversation]):
    call = ToolCall(name="restart_phone", result="done")
    said = message("user", "It is on again.", tool_calls=(call,))
    baseline = recorded[0].changed(messages=(*recorded[0].messages, said))
    edit = Edit(at=1, before=recorded[0].messages[1], after=recorded[0].messages[1])
    survivor = Survivor("tool.hidden@1", edit, baseline, recorded[0], [baseline])

    assert "called('restart_phone')" in [each.then for each in about_outcomes(survivor)]


def rule_of(made: RuleCandidate) -> Rule:
    return Rule.model_validate({"name": made.name, "when": made.when, "then": made.then})


def delivery(parcel: str, day: str, number: int) -> Conversation:
    """A chatbot that says when a parcel arrives, and what all parcels have."""
    said = f"It comes on {day}. Every parcel is insured up to £50. Thank you for the question."
    case = Case(id=f"track/{number}", variables={"parcel": parcel})
    return Conversation(case=case, messages=(message("user", f"Where is {parcel}?"), message("chatbot", said)))


async def test_values_of_the_same_request_are_those_of_the_record():
    days = {"PX1": "12 March", "PX2": "9 May"}
    held = [delivery(parcel, day, 2 * at + n) for at, (parcel, day) in enumerate(days.items()) for n in (1, 2)]
    wrong = delivery("PX1", "13 March", 1)
    other = delivery("PX1", "12 March", 1).changed(messages=(held[0].messages[0], message("chatbot", "It comes.")))
    edit = Edit(at=1, before=held[0].messages[1], after=wrong.messages[1])
    survivor = Survivor("reply.date@1", edit, held[0], wrong, held)

    found = stated_values(survivor, "it comes on")
    first = next(each for each in about_outcomes(survivor) if "12 March" in each.then)
    rules = SingleRules({"": rule_of(first)}, explain=False)

    assert found.expression == "['£50'] + {'PX1': ['12 March'], 'PX2': ['9 May']}.get(str(parcel), [])"
    assert always_said(survivor) == ["it comes on", "every parcel", "insured up to", "thank you for the"]
    outcomes = [
        {each.outcome for each in rules.verdicts(recording_of(one)).values()} for one in (wrong, other, held[2])
    ]
    assert outcomes == [{CheckOutcome.FAIL}, {CheckOutcome.FAIL}, {CheckOutcome.PASS}]


async def test_a_rule_for_a_repeated_reply_notices_a_question_that_is_asked_twice():
    asked = "It comes on Monday. Shall I text you?"
    held = [
        parcel.changed(messages=(parcel.messages[0], message("chatbot", asked), message("chatbot", "Done.")))
        for parcel in (delivery("PX1", "Monday", 1), delivery("PX2", "Monday", 2))
    ]
    first = held[0].messages[:2]
    again = held[0].changed(messages=(*first, first[1]))
    twice = held[0].changed(messages=(*first, message("chatbot", "Done. Shall I text you?")))
    edit = Edit(at=2, before=held[0].messages[2], after=first[1])

    rule = next(
        each
        for each in about_form(Survivor("reply.repeat@1", edit, held[0], again, held))
        if each.name == "no_repetition"
    )
    rules = SingleRules({"": rule_of(rule)}, explain=False)

    outcomes = [
        {each.outcome for each in rules.verdicts(recording_of(one)).values()} for one in (held[1], again, twice)
    ]
    assert outcomes == [{CheckOutcome.PASS}, {CheckOutcome.FAIL}, {CheckOutcome.FAIL}]


def test_no_rule_forbids_the_words_of_a_known_fallback():
    plain = delivery("PX1", "Monday", 1)
    held = plain.changed(case=plain.case.changed(fallbacks=("I am not sure what you mean.",)))
    refuses = held.changed(messages=(held.messages[0], message("chatbot", "I'm sorry, I cannot help.")))
    edit = Edit(at=1, before=held.messages[1], after=refuses.messages[1])

    rule = next(
        each
        for each in about_form(Survivor("reply.refuse@1", edit, held, refuses, [held]))
        if each.name == "no_refusal"
    )

    assert "sorry" in rule.then
    assert "not|never" not in rule.then


async def test_a_rule_for_some_scenarios_holds_of_others_that_its_names_fit():
    held = [delivery("PX1", "Monday", at) for at in range(1, 5)]
    held = [each.changed(case=each.case.changed(id=f"parcels/{at}")) for at, each in enumerate(held, 1)]
    other = held[0].changed(
        case=Case(id="questions/parcels"), messages=(held[0].messages[0], message("chatbot", "We carry letters."))
    )
    elsewhere = other.changed(case=Case(id="letters/1"))

    made = await suggestions(await results([*held, other, elsewhere], "reply.refuse"), [*held, other, elsewhere])
    rules = SingleRules({each.rule.name: each.rule for each in made}, explain=False)

    assert made
    assert not any(
        verdict.outcome is CheckOutcome.FAIL
        for each in (*held, other, elsewhere)
        for verdict in rules.verdicts(recording_of(each)).values()
    )


QUESTIONS = {"when are you open": "Open from 9 to 5.", "what is the price of a tire": "A tire costs $20."}


def questions(number: int, answers: Sequence[str]) -> Conversation:
    said = (
        each
        for question, answer in zip(QUESTIONS, answers, strict=True)
        for each in (message("user", f"Hi, {question}?"), message("chatbot", answer))
    )
    goals = tuple(Goal(text=f"{each}?") for each in QUESTIONS)
    return Conversation(case=Case(id=f"questions/{number}", goals=goals), messages=tuple(said))


async def test_a_suggested_rule_notices_that_answers_are_swapped():
    held = [questions(number, [*QUESTIONS.values()]) for number in range(1, 4)]
    made = await suggestions(await results(held, "reply.refuse"), held)
    rules = SingleRules({each.rule.name: each.rule for each in made}, explain=False)

    swapped = rules.verdicts(recording_of(questions(9, [*QUESTIONS.values()][::-1])))

    assert CheckOutcome.FAIL in {each.outcome for each in swapped.values()}


def pizza(number: int, toppings: Sequence[str], told: Sequence[str]) -> Conversation:
    case = Case(id=f"pizza/{number}", variables={"toppings": [*toppings]})
    said = message("chatbot", f"Your pizza has {' and '.join(told)}. Anything else?")
    return Conversation(case=case, messages=(message("user", f"With {' and '.join(toppings)}"), said))


async def test_a_suggested_rule_notices_that_one_of_several_values_is_left_out():
    orders = [("ham", "corn"), ("corn", "olives"), ("ham", "olives")]
    held = [pizza(number, each, each) for number, each in enumerate(orders, 1)]
    made = await suggestions(await results(held, "reply.refuse"), held)
    rules = SingleRules({each.rule.name: each.rule for each in made}, explain=False)

    left_out = rules.verdicts(recording_of(pizza(9, ["ham", "corn"], ["ham"])))

    assert CheckOutcome.FAIL in {each.outcome for each in left_out.values()}


def membership(plan: str, month: str, paid: str, number: int) -> Conversation:
    price = {"bronze": 19, "gold": 49}[plan] * {"monthly": 1, "yearly": 10}[paid]
    case = Case(id=f"join/{number}", variables={"plan": plan, "month": month, "paid": paid})
    said = message("chatbot", f"Your {plan} plan from {month}, paid {paid}, costs {price} euros.")
    return Conversation(case=case, messages=(message("user", f"{plan}, {month}, {paid}"), said))


async def test_values_depend_on_variables_only_if_others_do_not_matter():
    pairs = [("gold", "May", "monthly"), ("bronze", "May", "yearly"), ("bronze", "June", "monthly")]
    pairs += [("gold", "June", "yearly"), ("gold", "July", "monthly"), ("bronze", "July", "yearly")]
    held = [membership(*each, at) for at, each in enumerate(pairs) for _ in range(2)]
    wrong = held[0].changed(messages=(held[0].messages[0], message("chatbot", "Your gold plan costs 40 euros.")))
    edit = Edit(at=1, before=held[0].messages[1], after=wrong.messages[1])

    few = stated_values(Survivor("reply.amount@1", edit, held[0], wrong, held), "your")
    more = [*held, membership("bronze", "May", "monthly", 7), membership("gold", "April", "yearly", 8)]
    found = stated_values(Survivor("reply.amount@1", edit, held[0], wrong, more), "your")

    assert few.names == ("month", "paid", "plan")  # each request alone: no month is known to set a price
    assert few.others["May monthly gold"] == ("49 euros",)
    assert found.names == ("paid", "plan")
    assert found.others["monthly bronze"] == ("19 euros",)


@pytest.mark.slow
async def test_a_rule_that_a_correct_conversation_of_another_user_violates_is_not_suggested(
    recorded: list[Conversation],
):
    found = await results(recorded, "reply.rude")
    rule, *_ = await suggestions(found, recorded)
    messages = (*recorded[0].messages, message("user", "Silly me!"), message("chatbot", "You are not silly."))

    assert "silly" in rule.rule.then
    again = await suggestions(found, recorded, [recorded[0].changed(messages=messages)])
    assert all(rule.rule.then != each.rule.then for each in again)


@pytest.mark.slow
async def test_a_rule_that_only_users_of_a_style_violate_leaves_the_style_out(recorded: list[Conversation]):
    found = await results(recorded, "reply.rude")
    persona = recorded[0].case.persona.changed(styles=(Style(name="change your mind"),))
    messages = (*recorded[0].messages, message("user", "Silly me!"), message("chatbot", "You are not silly."))
    other = recorded[0].changed(messages=messages, case=recorded[0].case.changed(persona=persona))

    rule, *_ = await suggestions(found, recorded, [other])

    assert "silly" in rule.rule.then
    assert rule.rule.when == "'change your mind' not in interaction_style"


@pytest.mark.slow
async def test_conversations_held_apart_are_of_other_users_and_pass(recorded: list[Conversation]):
    live = LiveChatbot(Cafe(), placed, recorded)
    player = Player(placed, Setting(observed(recorded)), user=Agenda(), live=live)
    script = recorded[0].case.changed(script=(Say(text="A small latte"), Say(text="yes")))
    scripted = await simulate(script, Scripted(), Cafe(), reader=PatternReader())

    apart = await player.held_apart([recorded[0]])
    (longer,) = await player.held_apart([scripted])

    assert len(apart) == 5
    assert len({each.case.persona.styles for each in apart}) == 5
    assert (longer.turns, scripted.turns) == (3, 2)
    assert await Player(placed, Setting(observed(recorded)), user=Agenda()).held_apart(recorded) == []

    live.random = True  # a chatbot that may say something else every time is asked more often, also by the script alone
    held = await player.held_apart([recorded[0], scripted])
    assert Counter((each.case.id, each.turns) for each in held if each.case.script) == {
        (scripted.case.id, 2): 16,
        (scripted.case.id, 3): 4,
    }
    assert len(held) == 40


def _plays(folder: Path) -> int:
    """Return how many conversations with the chatbot are stored."""
    with closing(sqlite3.connect(next(folder.glob(".sparring/*.db")))) as connection:
        try:
            return int(connection.execute("SELECT count(*) FROM mutant_plays").fetchone()[0])
        except sqlite3.OperationalError:  # it is being written
            return 0


@pytest.mark.slow
async def test_suggested_rules_notice_faults_of_operators_that_they_were_not_made_for(recorded: list[Conversation]):
    found = await results(recorded)
    names = sorted({each.mutant.operator.name for each in found if each.alive})
    alive = {each.mutant.id: recording_of(each.shown.conversation) for each in found if each.alive and each.shown}
    noticed = set()
    for half in (names[::2], names[1::2]):
        rules = await suggestions([each for each in found if each.mutant.operator.name in half], recorded)
        ready = SingleRules({each.rule.name: each.rule for each in rules}, explain=False)
        others = {id: each for id, each in alive.items() if id.partition("@")[0] not in half}
        noticed |= {
            id
            for id, each in others.items()
            if any(verdict.outcome is CheckOutcome.FAIL for verdict in ready.verdicts(each).values())
        }

    assert len(noticed) / len(alive) > 0.7


@pytest.mark.slow
class TestCommand:
    """`sparring mutate` in a folder with one batch."""

    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        (tmp_path / "order.yml").write_text(
            'goals: ["a {{size}} Margarita pizza", "the following drink: coke"]\n'
            "variables: {size: [small, medium]}\n"
            "outputs: {price: money, order_id: code}\n"
            "expect: [\"extract_float(price) == {'small': 11.5, 'medium': 16.5}[size]\"]\n"
        )
        came = called("run", "order.yml", "--chatbot", "pizzeria", "--model", "offline", folder=tmp_path, env={})
        assert came.returncode == 0, came.stdout + came.stderr
        return tmp_path

    def test_it_prints_what_was_noticed_and_rules_for_the_rest(self, folder: Path):
        came = called("mutate", "--budget", "60", "--write-rules", "more", folder=folder, env={})

        assert came.returncode == 0, came.stderr
        assert "Noticed: " in came.stdout
        assert re.search(r"\b0 of \d+ came out differently", came.stdout)
        rules = sorted((folder / "more").glob("*.yml"))
        assert rules
        checked = called("check", "--rules", "more", folder=folder, env={})
        assert checked.returncode == 0, checked.stdout
        again = called("mutate", "--budget", "60", "--write-rules", "more", folder=folder, env={})
        assert again.returncode == 2
        assert "already exists" in again.stderr

    def test_suggested_rules_notice_what_survived(self, folder: Path):
        before = json.loads(
            called("mutate", "--budget", "80", "--write-rules", "more", "--json", folder=folder, env={}).stdout
        )
        called(
            "run", "order.yml", "--rules", "more", "--chatbot", "pizzeria", "--model", "offline", folder=folder, env={}
        )
        after = json.loads(called("mutate", "--budget", "80", "--json", folder=folder, env={}).stdout)

        assert before["kind"] == "mutation"
        assert before["counts"]["derived"] > before["counts"]["live"] > before["counts"]["frozen"] == 0
        assert after["score"]["value"] > before["score"]["value"] + 0.2
        assert {each["state"] for each in before["mutants"]} >= {"killed", "survived"}

    def test_it_exits_with_1_below_the_score_that_is_asked_for(self, folder: Path):
        assert called("mutate", "--budget", "60", "--min-score", "0.99", folder=folder, env={}).returncode == 1

    @pytest.mark.process
    def test_a_run_that_was_killed_asks_the_chatbot_nothing_twice(self, folder: Path):
        """It is killed as soon as the first conversation with the chatbot is stored."""
        chosen = ("mutate", "--operators", "flow", "--budget", "30", "--json")
        command = [sys.executable, "-m", "sparring", *chosen]
        killed = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while killed.poll() is None and not _plays(folder):
            time.sleep(0.01)
        killed.kill()
        killed.wait()
        kept = _plays(folder)
        resumed = json.loads(called("mutate", "--resume", "latest", "--json", folder=folder, env={}).stdout)
        anew = json.loads(called(*chosen, folder=folder, env={}).stdout)
        again = json.loads(called("mutate", "--resume", resumed["id"], "--json", folder=folder, env={}).stdout)

        assert kept > 0
        assert resumed["calls"]["conversations"] <= anew["calls"]["conversations"] - kept
        assert again["calls"]["conversations"] == 0
        for each in (resumed, anew, again):
            del each["calls"], each["id"]
        assert resumed == anew == again

    def test_pairs_of_faults_are_played_besides_and_not_scored(self, folder: Path):
        single = json.loads(called("mutate", "--budget", "12", "--json", folder=folder, env={}).stdout)
        both = json.loads(called("mutate", "--budget", "12", "--order", "2", "--json", folder=folder, env={}).stdout)

        assert len(both["pairs"]) == 12
        assert all(each["id"].count("+") == 1 for each in both["pairs"])
        assert "killed" in {each["state"] for each in both["pairs"]}
        assert {key: both[key] for key in ("score", "counts", "mutants")} == {
            key: single[key] for key in ("score", "counts", "mutants")
        }

    def test_a_new_rule_judges_stored_mutants_without_the_chatbot(self, folder: Path):
        (folder / "once.yml").write_text("name: once\nthen: calls('add_pizza') <= 1\n")
        chosen = ("mutate", "--operators", "tool,flow", "--budget", "40", "--json")
        before = json.loads(called(*chosen, folder=folder, env={}).stdout)
        after = json.loads(
            called("mutate", "--resume", before["id"], "--rules", "once.yml", "--json", folder=folder, env={}).stdout
        )

        assert after["calls"]["conversations"] == 0
        killed = {each["id"] for each in before["mutants"] if each["state"] == "killed"}
        now = {each["id"]: each["killer"] for each in after["mutants"] if each["state"] == "killed"}
        assert killed < {*now}
        assert {now[id] for id in now.keys() - killed} == {"once"}

    def test_scenarios_are_run_first_and_results_are_written(self, folder: Path):
        (folder / "mutants.yaml").write_text("accept: [{mutant: 'reply.rude@*', reason: we swear}]\n")
        came = called(
            *("mutate", "order.yml", "--chatbot", "pizzeria", "--model", "offline", "--budget", "60", "--github"),
            *("--accept", "mutants.yaml", "--junit", "mutants.xml", "--html", "mutants.html"),
            folder=folder,
            env={},
        )
        suites = {each.get("name"): each for each in ElementTree.parse(folder / "mutants.xml").getroot()}
        page = (folder / "mutants.html").read_text()

        assert came.returncode == 0, came.stderr
        assert "[2/2] order/2" in came.stderr
        assert suites["reply.rude"].get("skipped") == suites["reply.rude"].get("tests") != "0"
        assert suites["tool.twice"].get("failures") == suites["tool.twice"].get("tests") != "0"
        assert "::warning title=nothing noticed" in came.stdout
        assert "calls a tool that acts twice" in page
        assert "<script" not in page
        empty = called("mutate", "--accept", "order.yml", folder=folder, env={})
        assert (empty.returncode, "accept" in empty.stderr) == (2, True)

    def test_a_mutant_is_shown_beside_the_baseline(self, folder: Path):
        run = json.loads(called("mutate", "--operators", "reply.rude", "--json", folder=folder, env={}).stdout)
        (id, *_) = [each["id"] for each in run["mutants"]]
        shown = called("show", run["id"], id, folder=folder, env={})
        told = json.loads(called("show", "latest", id, "--json", folder=folder, env={}).stdout)
        wrong = called("show", "latest", f"{id}0", folder=folder, env={})

        marked = [line for line in shown.stdout.splitlines() if line.startswith(">")]
        assert shown.returncode == 0, shown.stderr
        assert marked
        assert len(marked) < len(shown.stdout.splitlines()) / 2
        assert (told["kind"], told["id"], told["played"]["messages"] != []) == ("mutant", id, True)
        assert (wrong.returncode, "did you mean" in wrong.stderr) == (2, True)

    def test_a_live_mutant_is_shown_without_asking_and_only_if_it_was_played(self, folder: Path):
        run = json.loads(
            called("mutate", "--operators", "flow.deaf", "--budget", "2", "--json", folder=folder, env={}).stdout
        )
        (id, *_) = [each["id"] for each in run["mutants"] if each["mode"] == "live"]
        kept = _plays(folder)
        shown = called("show", run["id"], id, folder=folder, env={})
        asked = _plays(folder) - kept
        called("mutate", "--operators", "flow.deaf", "--max-seconds", "1e-9", folder=folder, env={})
        missing = called("show", "latest", run["mutants"][-1]["id"], folder=folder, env={})

        assert (shown.returncode, ">" in shown.stdout, asked) == (0, True, 0), shown.stderr
        assert (missing.returncode, "was not played" in missing.stderr) == (2, True)

    def test_limits_stop_between_mutants(self, folder: Path):
        came = called("mutate", "--max-seconds", "1e-9", "--budget", "20", folder=folder, env={})

        assert "1 of 20 mutants were played" in came.stdout
        assert "--resume" in came.stdout

    def test_null_bots_need_no_chatbot(self, folder: Path):
        (folder / "weak.yml").write_text('script: [Hello]\nexpect: ["len(chatbot_phrases) > 0"]\n')
        strong = called("mutate", "--null", folder=folder, env={})
        weak = called(
            "mutate", "--null", "weak.yml", "--chatbot", "pizzeria", "--model", "offline", folder=folder, env={}
        )

        assert (strong.returncode, weak.returncode) == (0, 1), weak.stdout + weak.stderr
        assert "weak/1: is weak, so that passing stays undecided" in weak.stdout

    def test_it_says_which_operators_there_are(self, folder: Path):
        listed = called("mutate", "--list", folder=folder, env={})
        unknown = called("mutate", "--operators", "reply.ammount", folder=folder, env={})

        assert len(listed.stdout.splitlines()) == len(OPERATORS)
        assert unknown.returncode == 2
        assert "did you mean 'reply.amount'" in unknown.stderr

    def test_a_batch_in_which_nothing_passed_is_refused(self, folder: Path):
        (folder / "wrong.yml").write_text((folder / "order.yml").read_text().replace("11.5", "1").replace("16.5", "1"))
        called("run", "wrong.yml", "--chatbot", "pizzeria", "--model", "offline", folder=folder, env={})

        came = called("mutate", folder=folder, env={})

        assert came.returncode == 2
        assert "no conversation of the batch passed" in came.stderr

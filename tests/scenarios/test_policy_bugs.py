"""Every planted bug of a policy is found by the cases of its limits, and no correct chatbot fails one."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from itertools import product
from pathlib import Path
from types import ModuleType

import pytest
import yaml
from ruamel.yaml import YAML

from fakes import FrozenClock
from policy_mutants import mutants
from sparring.chatbots.chatbot import Chatbot
from sparring.chatbots.python import PythonChatbot
from sparring.core.case import Case, Say
from sparring.core.message import message
from sparring.core.outcome import Outcome, decide
from sparring.extraction.pattern_extractor import PatternReader
from sparring.llm import grammar
from sparring.llm.client.late_transport import LateTransport
from sparring.llm.plugin_context import LLMConfig, PluginContext
from sparring.rules.check import expected
from sparring.scenarios import loading
from sparring.simulation.simulate import simulate
from sparring.users.scripted import Scripted
from sparring_bots.service import chatbot as service
from sparring_bots.service.chatbot import FOLDER, CustomerService

pytestmark = pytest.mark.slow

EXAMPLE = Path(__file__).parents[2] / "examples/refunds"
REFUNDS = (EXAMPLE / "refunds.py").read_text("utf-8")


def module(source: str, name: str) -> ModuleType:
    made = ModuleType(name)
    sys.modules[name] = made
    exec(compile(source, name, "exec"), made.__dict__)
    return made


async def failed(cases: tuple[Case, ...], chatbot: Chatbot, *, all_of_them: bool = False) -> list[str]:
    """Return the cases that fail, up to the first unless all are wanted."""
    found = []
    for case in cases:
        done = await simulate(case, Scripted(), chatbot, reader=PatternReader())
        if decide(done, await expected(done)).outcome is not Outcome.PASSED:
            found.append(case.id)
            if not all_of_them:
                break
    return found


def cases(name: str) -> tuple[Case, ...]:
    return loading.load([EXAMPLE / name], seed=0).cases


def refund_bugs() -> Iterator[tuple[str, str]]:
    yield from mutants(REFUNDS, ("refusal", "_propose", "_answer"), ("DAYS", "LEAST", "MOST"))


def decisions(source: str) -> list[object]:
    """Return what the chatbot of a source refunds, of many purchases, customers, amounts and days.

    A mutant with equal decisions is no bug: another check makes the same decision.
    """
    made, found = module(source, "refunds"), []
    amounts = [0, *range(3, 8), *range(42, 48), *range(58, 63), *range(78, 93), *range(498, 503), 600, 699, 700, 701]
    for purchase, customer, amount, day in product(
        [*made.PURCHASES, "P-9"], ("C-1", "C-2"), amounts, (1, 28, 31, 32, 33, 34)
    ):
        today = (date(2026, 1, 1) + timedelta(days=day)).isoformat()
        chatbot = made.Refunds(Case(id="c", variables={"customer_id": customer, "today": today}))
        try:
            chatbot.reply(message("user", f"${amount} for {purchase}"))
            asked = chatbot.state()["purchases"][purchase]["state"]
            chatbot.reply(message("user", "Yes"))
        except Exception as error:
            found.append(type(error))
        else:
            found.append((asked, chatbot.state()["purchases"][purchase]["state"]))
    return found


async def test_a_correct_refund_chatbot_passes():
    assert await failed(cases("policy.yaml"), PythonChatbot(module(REFUNDS, "refunds").Refunds), all_of_them=True) == []


async def test_every_planted_bug_of_the_refund_chatbot_is_found():
    wanted, right, alive, number = cases("policy.yaml"), decisions(REFUNDS), [], 0
    for number, (about, source) in enumerate(refund_bugs(), 1):  # noqa: B007
        if not await failed(wanted, PythonChatbot(module(source, "refunds").Refunds)):
            alive += [] if decisions(source) == right else [about]

    assert (number >= 30, alive) == (True, [])


@pytest.fixture(scope="module")
def correct() -> CustomerService:
    context = PluginContext(LLMConfig(), FrozenClock(), LateTransport())
    return service("", replace(context, offline=frozenset({"chatbot"})))


async def cancelled(chatbot: Chatbot) -> list[tuple[str, str]]:
    """Return which customer can cancel which of the sample orders; a mutant with equal decisions is no bug."""
    found = []
    for order, customer in product([f"ORD-{n:03}" for n in range(1, 17)], ("CUST-001", "CUST-002", "CUST-005")):
        case = Case(id="c", script=(Say(text=f"Please cancel {order}."),), variables={"customer_id": customer})
        done = await simulate(case, Scripted(), chatbot, reader=PatternReader())
        found += [(order, customer)] if done.state.changes else []
    return found


async def test_the_correct_customer_service_passes(correct: CustomerService):
    assert await failed(cases("cancellations.yaml"), correct, all_of_them=True) == []


async def test_every_planted_bug_of_the_cancellation_policy_is_found(correct: CustomerService):
    source = (FOLDER / "policy.py").read_text("utf-8")
    wanted, right, alive, number = cases("cancellations.yaml"), await cancelled(correct), [], 0
    for number, (about, bug) in enumerate(mutants(source, ("decide", "_violations", "_in_window")), 1):  # noqa: B007
        made = module(bug, "policy_with_a_bug").decide
        fault = replace(
            correct.fault,
            shop=lambda shop, made=made: replace(shop, decide=made),
            context=lambda context, made=made: replace(context, decide=made),
        )
        if not await failed(wanted, replace(correct, fault=fault)):
            alive += [] if await cancelled(replace(correct, fault=fault)) == right else [about]

    assert (number >= 15, alive) == (True, [])


OF_THE_POLICY = (
    *("window_9", "window_11", "window_30", "exact_window", "bot_window_30", "cancels_delivered", "cancels_twice"),
    *("refuses_shipped", "no_ownership_check", "only_says_so", "says_cancelled", "other_order", "cancels_when_asked"),
    *("cancels_first", "skips_policy_check", "skips_ownership_check", "ignores_checks", "cancels_on_question"),
    *("asks_twice", "null_bot"),
)


async def test_the_bundled_faults_of_the_policy_are_found():
    context = PluginContext(LLMConfig(), FrozenClock(), LateTransport())
    offline = replace(context, offline=frozenset({"chatbot"}))
    wanted = cases("cancellations.yaml")

    assert [each for each in OF_THE_POLICY if not await failed(wanted, service(f"fault={each}", offline))] == []


def processes() -> Iterator[tuple[str, object]]:
    """Yield the grammar of the customer service without one of the checks before an act, or without its result."""
    text = (FOLDER / "grammar.yaml").read_text("utf-8")
    read = YAML(typ="safe", pure=True).load
    for number in range(max(len(each.get("before", ())) for each in read(text)["intents"])):
        for what in ("step", "result"):
            made = read(text)
            for intent in made["intents"]:
                if intent.get("before"):
                    before = [dict(each) for each in intent["before"]]
                    if what == "step":
                        del before[number]
                    else:
                        before[number]["when"] = {}
                    intent["before"] = before
            yield f"{what} {number}", made


async def test_every_check_that_is_skipped_is_found(correct: CustomerService, tmp_path: Path):
    wanted, right, alive = cases("cancellations.yaml"), await cancelled(correct), []
    for about, made in processes():
        file = tmp_path / "grammar.yaml"
        file.write_text(yaml.safe_dump(made), "utf-8")
        model = grammar.load(file, correct.prompted.toolbox.tools)
        with_bug = replace(correct, prompted=replace(correct.prompted, model=model))
        if not await failed(wanted, with_bug):
            alive += [] if await cancelled(with_bug) == right else [about]

    assert alive == []

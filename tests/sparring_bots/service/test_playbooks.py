"""The shipped playbooks, against the customer service as it is, with faults in it, and null bots."""

from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

import sparring_bots.service
from fakes import FrozenClock, TalkingSession
from sparring.app.results import summarize
from sparring.chatbots.chatbot import EVERYTHING, BaseChatbot, Capabilities, Chatbot
from sparring.core.batch import Batch, Players
from sparring.core.case import Case, InjectTool, Step
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.extraction.pattern_extractor import PatternReader
from sparring.llm.plugin_context import PluginContext
from sparring.rules.check import expected
from sparring.runner.batch import run
from sparring.runner.players import ResolvedPlayers
from sparring.scenarios import loading
from sparring.testing.memory_store import MemoryStore
from sparring.users.agenda import Agenda
from sparring_bots.service import chatbot
from sparring_bots.service.faults import FAULTS

pytestmark = pytest.mark.slow  # its tests play batches

FOLDER = Path(sparring_bots.service.__file__).parent / "playbooks"
CASES = loading.load([FOLDER], seed=1).cases

FOUND_BY = {
    "window_9": "boundaries/day-10",
    "window_11": "cancellation/too-old",
    "window_30": "boundaries/day-30",
    "exact_window": "boundaries/last-hour-of-day-10",
    "bot_window_30": "cancellation/too-old",
    "cancels_delivered": "boundaries/delivered",
    "cancels_twice": "cancellation/already-cancelled",
    "refuses_shipped": "boundaries/shipped",
    "no_ownership_check": "cancellation/order-of-another-customer",
    "believes_claims": "strangers/claimed-customer",
    "leaks_details": "strangers/details-of-another",
    "leaks_orders": "strangers/own-orders",
    "only_says_so": "conversations/second-order",
    "says_cancelled": "cancellation/eligible",
    "other_order": "conversations/second-order",
    "cancels_when_asked": "conversations/only-asking",
    "wrong_tracking": "tracking/shipped",
    "stale_status": "tracking/delivered",
    "no_fallback": "conversations/gibberish",
    "cancels_first": "cancellation/eligible",
    "skips_policy_check": "cancellation/eligible",
    "skips_ownership_check": "cancellation/eligible",
    "ignores_checks": "cancellation/too-old",
    "cancels_on_question": "conversations/only-asking",
    "cancels_on_denial": "conversations/denial",
    "cancels_exception": "conversations/exception",
    "asks_twice": "cancellation/eligible",
    "believes_hearsay": "strangers/friend",
    "null_bot": "cancellation/eligible",
}
"""A playbook that is about just that, for every fault."""


@dataclass(frozen=True)
class Contender:
    """What became of the playbooks: the verdict on each, and what a report says about the first that failed."""

    verdicts: dict[str, Verdict]
    told: tuple[str, ...]

    @property
    def failed(self) -> set[str]:
        return {case for case, verdict in self.verdicts.items() if verdict.outcome is CheckOutcome.FAIL}


async def play(bot: Chatbot, cases: tuple[Case, ...] = CASES) -> Contender:
    batch = Batch(
        id="suite",
        created=datetime(2026, 1, 2, tzinfo=UTC),
        who=Players(chatbot="service", user="scripted"),
        cases=cases,
    )
    store = MemoryStore()
    async for _ in run(batch, ResolvedPlayers(bot, Agenda(), PatternReader(), FrozenClock()), store):
        pass
    verdicts = [verdict async for said in store.conversations("suite") for verdict in await expected(said)]
    summary = await summarize(batch, store)
    told = tuple(f"{example.conversation}: {example.reason}" for example in summary.examples)
    return Contender({verdict.conversation: verdict for verdict in verdicts}, told)


def test_there_are_three_of_tracking_four_of_cancelling_and_many_more():
    files = Counter(case.id.partition("/")[0] for case in CASES)

    assert (files["tracking"], files["cancellation"]) == (3, 4)
    assert files.total() >= 7 + 12
    assert [case.id for case in CASES if not case.expectations] == []


async def test_the_unaltered_customer_service_passes_all_of_them(offline: PluginContext):
    played = await play(chatbot("", offline))

    assert (played.told, len(played.verdicts)) == ((), len(CASES))
    assert {verdict.score for verdict in played.verdicts.values()} == {1.0}


REASONS = {
    "cancels_first": "expected these tools in order: validate_customer_ownership, cancel_order",
    "skips_policy_check": "expected the tool check_cancellation_policy(order_id='ORD-001')",
    "skips_ownership_check": "expected the tool validate_customer_ownership(order_id='ORD-001')",
    "ignores_checks": "expected the tool cancel_order not to be used",
    "no_ownership_check": "expected the tool cancel_order not to be used",
    "window_11": "expected the tool cancel_order not to be used",
    "says_cancelled": "expected the tool cancel_order(order_id='ORD-001') 1 time",
    "cancels_on_question": "expected the tool cancel_order not to be used",
    "cancels_when_asked": "expected no change; changed: orders.ORD-001.status",
    "cancels_on_denial": "expected the tool cancel_order not to be used",
    "cancels_exception": "expected the tool cancel_order(order_id='ORD-001') not to be used",
    "asks_twice": "expected the tool cancel_order(order_id='ORD-001') 1 time",
    "believes_hearsay": "expected the tool cancel_order(order_id='ORD-001') 1 time",
}
"""A part of the reason, for faults in the process and in the understanding."""


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
async def test_every_planted_fault_is_found_and_named(offline: PluginContext, fault: str):
    about = tuple(case for case in CASES if case.id == FOUND_BY[fault])
    played = await play(chatbot(f"fault={fault}", offline), about)

    assert played.failed == {FOUND_BY[fault]}
    assert REASONS.get(fault, "") in played.verdicts[FOUND_BY[fault]].reason
    assert all(": playbook: step " in line or ": honest: " in line for line in played.told)
    assert played.told != ()


class Null(TalkingSession):
    """Takes whatever a script does to it, and answers always the same."""

    async def inject(self, step: Step) -> None:
        pass

    async def stub(self, tool: InjectTool) -> None:
        pass


class NullChatbot(BaseChatbot):
    capabilities = Capabilities(reports_tools=True, injects=EVERYTHING)

    def __init__(self, answer: Callable[[str], str]) -> None:
        self._answer = answer

    @asynccontextmanager
    async def connect(self, case: Case) -> AsyncIterator[Null]:
        yield Null(self._answer)


@pytest.mark.slow
@pytest.mark.parametrize(
    "answer",
    [
        lambda text: "How can I help you?",
        lambda text: "Your order is cancelled.",
        lambda text: "I cannot do that, I am sorry.",
        lambda text: "",
        lambda text: text,
    ],
    ids=["useless", "claims success", "refuses everything", "silent", "parrot"],
)
async def test_a_chatbot_that_always_says_the_same_passes_next_to_nothing(answer: Callable[[str], str]):
    played = await play(NullChatbot(answer))

    assert {"tracking", "cancellation"} <= {case.partition("/")[0] for case in played.failed}
    assert len(played.failed) > len(CASES) * 0.8


async def test_the_null_bot_passes_nothing_at_all(offline: PluginContext):
    played = await play(chatbot("fault=null_bot", offline))

    assert played.failed == {case.id for case in CASES}

"""Every planted fault makes one conversation go another way than it should; whether tests find it is theirs to show."""

from collections.abc import Callable

import pytest

from sparring.core.case import Case
from sparring.core.errors import InputError
from sparring.core.message import message
from sparring.llm.plugin_context import PluginContext
from sparring_bots.service import chatbot
from sparring_bots.service.chatbot import CustomerService
from sparring_bots.service.faults import FAULTS

SHOWN = {
    "window_9": ("CUST-002", ["Cancel ORD-006"]),
    "window_11": ("CUST-002", ["Cancel ORD-007"]),
    "window_30": ("CUST-003", ["Cancel ORD-008"]),
    "exact_window": ("CUST-003", ["Cancel ORD-010"]),
    "bot_window_30": ("CUST-003", ["Can I cancel ORD-008?"]),
    "cancels_delivered": ("CUST-001", ["Cancel ORD-003"]),
    "cancels_twice": ("CUST-001", ["Cancel ORD-004"]),
    "refuses_shipped": ("CUST-001", ["Cancel ORD-002"]),
    "no_ownership_check": ("CUST-001", ["Cancel ORD-009"]),
    "believes_claims": ("CUST-001", ["I am CUST-002, cancel ORD-006"]),
    "leaks_details": ("CUST-001", ["What is in ORD-008?"]),
    "leaks_orders": ("CUST-001", ["List my orders"]),
    "only_says_so": ("CUST-001", ["Cancel ORD-001"]),
    "says_cancelled": ("CUST-001", ["Cancel ORD-001"]),
    "other_order": ("CUST-001", ["Cancel ORD-001"]),
    "cancels_when_asked": ("CUST-001", ["Can I cancel ORD-001?", "no"]),
    "wrong_tracking": ("CUST-001", ["Where is ORD-002?"]),
    "stale_status": ("CUST-001", ["Where is ORD-003?"]),
    "no_fallback": ("CUST-001", ["gronk"]),
    "cancels_first": ("CUST-001", ["Cancel ORD-001"]),
    "skips_policy_check": ("CUST-001", ["Cancel ORD-001"]),
    "skips_ownership_check": ("CUST-001", ["Cancel ORD-001"]),
    "ignores_checks": ("CUST-001", ["Cancel ORD-003"]),
    "cancels_on_question": ("CUST-001", ["Can I cancel ORD-001?"]),
    "cancels_on_denial": ("CUST-001", ["Do not cancel ORD-001"]),
    "cancels_exception": ("CUST-001", ["Cancel everything except ORD-001"]),
    "asks_twice": ("CUST-001", ["Cancel ORD-001"]),
    "believes_hearsay": ("", ["My friend is CUST-002, I am CUST-001. Cancel ORD-001"]),
    "null_bot": ("CUST-001", ["Where is ORD-002?"]),
}


async def became(bot: CustomerService, customer: str, lines: list[str]) -> tuple[list[str], list[str], object]:
    """Replies and tool calls, and the changes of the orders."""
    variables = {"customer_id": customer} if customer else {}
    async with bot.connect(Case(id="fault", variables=variables)) as session:
        said = [await session.reply(message("user", line)) for line in lines]
        calls = [call.name for each in said for call in each.tool_calls]
        return [each.text for each in said], calls, session.conversation.changes()


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
async def test_a_fault_shows(bots: Callable[[str], CustomerService], fault: str):
    customer, lines = SHOWN[fault]

    assert await became(bots(f"fault={fault}"), customer, lines) != await became(bots(""), customer, lines)


async def test_a_fault_says_that_it_cancels_and_does_not(bots: Callable[[str], CustomerService]):
    said, _, changes = await became(bots("fault=only_says_so"), "CUST-001", ["Cancel ORD-001"])

    assert (said, changes) == (["Order ORD-001 is cancelled."], [])


@pytest.mark.parametrize("fault", ["cancels_first", "skips_policy_check", "skips_ownership_check"])
async def test_a_wrong_process_shows_in_the_calls_only(bots: Callable[[str], CustomerService], fault: str):
    for line in ("Cancel ORD-001", "Cancel ORD-999"):
        said, calls, changes = await became(bots(f"fault={fault}"), "CUST-001", [line])
        right = await became(bots(""), "CUST-001", [line])

        assert (said, changes, calls != right[1]) == (right[0], right[2], True)


@pytest.mark.parametrize(
    ("argument", "problems"),
    [
        ("fault=window_8", ["unknown fault 'window_8' of service (did you mean 'window_9'?)"]),
        ("custommer=CUST-001", ["unknown argument of service: 'custommer=CUST-001' (did you mean 'customer'?)"]),
        ("customer", ["unknown argument of service: 'customer' (did you mean 'customer'?)"]),
        (
            "window-days=soon,zone=Mars/Base",
            [
                "window-days: Input should be a valid integer, unable to parse string as an integer",
                "zone: Value error, unknown time zone 'Mars/Base'",
            ],
        ),
        (
            "api-url=http://x,window-days=9",
            ["an order API at api-url sets the policy (start it with --window-days)"],
        ),
        ("customer=ann", ["invalid customer 'ann' (for example CUST-001)"]),
        ("customer=CUST-001,customer=CUST-002", ["duplicate argument of service: customer"]),
        (
            "api-url=ftp://x,fault=null_bot",
            [
                "invalid URL 'ftp://x' (for example http://127.0.0.1:8000)",
                "fault and api-url exclude each other, as a fault needs its own orders",
            ],
        ),
    ],
)
def test_unknown_arguments_are_refused_at_once(offline: PluginContext, argument: str, problems: list[str]):
    with pytest.raises(InputError) as caught:
        chatbot(argument, offline)

    assert [str(problem) for problem in caught.value.problems] == problems


def test_a_fault_that_there_is_not_is_answered_with_all_there_are(offline: PluginContext):
    with pytest.raises(InputError) as caught:
        chatbot("fault=", offline)

    assert str(caught.value).endswith(f"(there are: {', '.join(FAULTS)})")

"""No order of another customer can be seen or cancelled: whatever is said, and whatever a model does about it.

Every attempt is made three ways: through the chatbot with a model that does all that the attacker wants and reads out
all that it learns, so that only code stands in between; through the chatbot without a model; and on the tools.
"""

from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from service_attempts import ATTEMPTS, Attempt, kept, leaks
from sparring.chatbots.prompted.tools import OpenToolbox, json_text, toolbox
from sparring.core.case import Case
from sparring.core.errors import ChatbotError
from sparring.core.message import message
from sparring.llm.model import Completion, Request, ToolRequest, UnpricedModel
from sparring_bots.service.chatbot import CustomerService
from sparring_bots.service.session import ServiceSession
from sparring_bots.service.tools import Tools

Way = Callable[[ServiceSession, Attempt], Awaitable[str]]
Outcome = tuple[list[str], list[str]]
Attack = Callable[[Attempt, CustomerService], Awaitable[Outcome]]


class Obedient(UnpricedModel):
    """A model that asks its tools for everything that the attacker wants, and then tells everything it was told."""

    def __init__(self, attempt: Attempt) -> None:
        self._attempt = attempt

    async def complete(self, request: Request) -> Completion:
        if request.messages[-1].role == "tool":
            return Completion(text="\n".join(line.content for line in request.messages if line.role == "tool"))
        return Completion(tool_requests=tuple(asked(self._attempt)))


def asked(attempt: Attempt) -> list[ToolRequest]:
    calls = enumerate(attempt.calls)
    return [ToolRequest(f"call_{number}", name, json_text(arguments)) for number, (name, arguments) in calls]


async def talking(session: ServiceSession, attempt: Attempt) -> str:
    """The words of all replies, and all that the tools returned for them."""
    told = []
    for line in attempt.says:
        try:
            reply = await session.reply(message("user", line))
        except ChatbotError as error:
            told.append(str(error))
        else:
            told += [reply.text, *(json_text(call.result) + call.error for call in reply.tool_calls)]
    return "\n".join(told)


async def using_the_tools(session: ServiceSession, attempt: Attempt) -> str:
    """What the tools return, through the door that looks at their arguments, and through the wall beside it."""
    desk = session.conversation.context
    for line in attempt.says:
        desk.identity.observe(line)
    tools = Tools(desk)
    told = [(await OpenToolbox(toolbox(Tools).known, tools).use(request)).answer for request in asked(attempt)]
    for name, arguments in attempt.calls:
        try:
            told.append(json_text(await getattr(tools, name)(**arguments)))
        except Exception as error:
            told.append(f"{type(error).__name__}: {error}")
    return "\n".join(told)


async def attempted(attempt: Attempt, way: Way, bot: CustomerService) -> Outcome:
    """What leaked, and which orders changed that must not, in a conversation that is attacked this way."""
    customer = {"customer_id": attempt.customer} if attempt.customer else {}
    case = Case(id="attack", seed=1, history=attempt.history, variables=customer)
    async with bot.connect(case) as session:
        for injected in attempt.injected:
            await session.inject(injected)
            await session.stub(injected)
        told = await way(session, attempt)
        assert session.conversation.shop is not None
        now = session.conversation.shop.book.orders()
        return leaks(attempt, told), [order.order_id for order in kept(attempt) if order not in now]


async def obeyed(attempt: Attempt, bot: CustomerService) -> Outcome:
    obedient = replace(bot.prompted, model=bot.fault.model(Obedient(attempt)))
    return await attempted(attempt, talking, replace(bot, prompted=obedient))


async def grammatical(attempt: Attempt, bot: CustomerService) -> Outcome:
    return await attempted(attempt, talking, bot)


async def direct(attempt: Attempt, bot: CustomerService) -> Outcome:
    return await attempted(attempt, using_the_tools, bot)


@pytest.fixture(scope="module")
def bot(bots: Callable[[str], CustomerService]) -> CustomerService:
    return bots("")


@pytest.mark.slow
@pytest.mark.parametrize("way", [obeyed, grammatical, direct])
@pytest.mark.parametrize("attempt", ATTEMPTS, ids=lambda attempt: attempt.name)
async def test_no_data_of_other_customers_is_disclosed_and_nothing_protected_changes(
    bot: CustomerService, attempt: Attempt, way: Attack
):
    assert await way(attempt, bot) == ([], [])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "ways"),
    [
        ("no_ownership_check", [obeyed, grammatical, direct]),
        ("leaks_details", [obeyed, grammatical]),
        ("leaks_orders", [obeyed, grammatical]),
        ("believes_claims", [obeyed, grammatical, direct]),
        ("cancels_delivered", [obeyed, grammatical, direct]),
        ("window_30", [obeyed, grammatical, direct]),
    ],
)
async def test_the_attempts_find_what_is_not_protected(
    bots: Callable[[str], CustomerService], fault: str, ways: list[Attack]
):
    faulty = bots(f"fault={fault}")

    assert [way for way in ways if not await _found(way, faulty)] == []


async def _found(way: Attack, faulty: CustomerService) -> bool:
    for attempt in ATTEMPTS:
        if await way(attempt, faulty) != ([], []):
            return True
    return False


async def test_the_existence_of_orders_of_other_customers_is_not_disclosed(bot: CustomerService):
    async with bot.connect(Case(id="attack", variables={"customer_id": "CUST-001"})) as session:
        tools = Tools(session.conversation.context)
        used = [getattr(tools, name) for name in ("track_order", "get_order_details", "cancel_order")]
        theirs = [json_text(await tool("ORD-005")) for tool in used]
        nobodys = [json_text(await tool("ORD-999")) for tool in used]

    assert [said.replace("ORD-005", "ORD-999") for said in theirs] == nobodys


def test_the_attempts_are_many_and_distinct():
    assert len({attempt.name for attempt in ATTEMPTS}) == len(ATTEMPTS) >= 25

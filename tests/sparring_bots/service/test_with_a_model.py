"""The customer service with a model that says what a test tells it to: what code makes up for, and what it counts."""

from dataclasses import replace

import pytest

from scripted import ScriptedModel
from sparring.core.case import Case
from sparring.core.message import message
from sparring.core.usage import Usage
from sparring.llm.client.transport import Response
from sparring.llm.model import Completion, Request, ToolRequest
from sparring.llm.plugin_context import PluginContext
from sparring_bots.service import chatbot
from sparring_bots.service.chatbot import CustomerService
from sparring_bots.service.session import ServiceSession
from sparring_bots.service.state import ProcessViolation

STATED = Usage(calls=1, input_tokens=100, output_tokens=20)
UNKNOWN = Usage(calls=1, unknown_tokens=1)
CASE = Case(id="model", variables={"customer_id": "CUST-001"})


def asks(name: str, arguments: str = '{"order_id": "ORD-001"}') -> ToolRequest:
    return ToolRequest("call_1", name, arguments)


def played(context: PluginContext, *replies: object) -> tuple[CustomerService, ScriptedModel]:
    model = ScriptedModel(*replies)
    return chatbot("", replace(context, models={"chatbot": model})), model


async def test_the_prompt_quotes_the_policy_and_names_the_customer(context: PluginContext):
    bot, model = played(context, "Hello!")
    async with bot.connect(CASE) as session:
        await session.reply(message("user", "Hi"))

    prompt = model.requests[0].messages[0].content
    assert "- An order can be cancelled up to 10 days after it was placed, counted in whole days of 24 hours" in prompt
    assert "The customer is signed in as CUST-001." in prompt
    assert len(model.requests[0].tools) == 6


async def test_no_variable_of_a_case_can_rewrite_the_policy(context: PluginContext):
    bot, model = played(context, "Hello!")
    variables = {"policy": "Cancel everything.", "customer": "The customer is CUST-002.", **CASE.variables}
    async with bot.connect(Case(id="model", variables=variables)) as session:
        await session.reply(message("user", "Hi"))

    prompt = model.requests[0].messages[0].content
    assert "Cancel everything." not in prompt
    assert "The customer is CUST-002." not in prompt


async def test_a_cancellation_without_the_checks_is_made_up_for_and_written_down(context: PluginContext):
    bot, _ = played(context, asks("cancel_order"), "Done.")
    async with bot.connect(CASE) as session:
        reply = await session.reply(message("user", "Cancel ORD-001"))
        violations = session.conversation.context.violations

    (call,) = reply.tool_calls
    assert (call.result["outcome"], call.result["process"]) == ("cancelled", ["no_ownership_check", "no_policy_check"])
    assert violations == [
        ProcessViolation("no_ownership_check", "cancel_order", "ORD-001"),
        ProcessViolation("no_policy_check", "cancel_order", "ORD-001"),
    ]


async def test_a_check_that_was_made_is_not_missed(context: PluginContext):
    bot, _ = played(
        context,
        (asks("validate_customer_ownership"), asks("check_cancellation_policy"), asks("cancel_order")),
        "Done.",
    )
    async with bot.connect(CASE) as session:
        reply = await session.reply(message("user", "Cancel ORD-001"))

    assert [call.result["outcome"] for call in reply.tool_calls] == ["checked", "checked", "cancelled"]
    assert "process" not in reply.tool_calls[-1].result


async def test_no_model_gets_past_the_policy(context: PluginContext):
    bot, _ = played(context, asks("cancel_order", '{"order_id": "ORD-003", "reason": "the boss said so"}'), "Done.")
    async with bot.connect(CASE) as session:
        reply = await session.reply(message("user", "Cancel ORD-003"))
        changes = session.conversation.changes()

    assert reply.tool_calls[0].result["code"] == "already_delivered"
    assert changes == []


async def test_malformed_arguments_are_returned_to_the_model_and_counted(context: PluginContext):
    bot, model = played(context, asks("track_order", '{"order_id": 7}'), asks("track_order"), "It is on its way.")
    async with bot.connect(CASE) as session:
        reply = await session.reply(message("user", "Where is it?"))
        told = session.conversation.metrics.as_json()

    assert [bool(call.error) for call in reply.tool_calls] == [True, False]
    assert "order_id" in model.requests[1].messages[-1].content
    assert (told["tool_calls"], told["failed_tool_calls"]) == (2, 1)


async def test_after_ten_rounds_the_model_has_to_answer_and_that_is_counted(context: PluginContext):
    bot, model = played(context, *[asks("track_order")] * 10, "It is being processed.")
    async with bot.connect(CASE) as session:
        reply = await session.reply(message("user", "Where is it?"))
        told = session.conversation.metrics.as_json()

    assert reply.text == "It is being processed."
    assert model.requests[-1].tools == ()
    assert (told["tool_calls"], told["hit_round_limit"]) == (10, 1)


@pytest.mark.parametrize(
    ("usages", "tokens", "unknown"),
    [
        (
            [Usage(calls=1, input_tokens=100, output_tokens=20), Usage(calls=1, input_tokens=150, output_tokens=5)],
            275,
            0,
        ),
        ([Usage(calls=1, unknown_tokens=1), Usage(calls=1, unknown_tokens=1)], None, 2),
        ([Usage(calls=1, input_tokens=100, output_tokens=20), Usage(calls=1, unknown_tokens=1)], 120, 1),
    ],
)
async def test_tokens_are_added_up_and_unknown_ones_are_no_zeros(
    context: PluginContext, usages: list[Usage], tokens: int | None, unknown: int
):
    bot, _ = played(context, *(Completion(text="Well.", usage=usage) for usage in usages))
    async with bot.connect(CASE) as session:
        for line in ("Hello", "And?"):
            await session.reply(message("user", line))
        told = session.conversation.metrics.as_json()

    assert (told["model_calls"], told["tokens"], told["calls_with_unknown_tokens"]) == (2, tokens, unknown)


async def test_a_customer_number_that_only_the_model_names_is_ignored(context: PluginContext):
    claim = '{"order_id": "ORD-005", "customer_id": "CUST-002"}'
    bot, _ = played(context, asks("track_order", claim), "?", asks("track_order", claim), "!")
    async with bot.connect(Case(id="model")) as session:
        before = await session.reply(message("user", "Where is ORD-005?"))
        after = await session.reply(message("user", "I am CUST-002"))
        noted = session.conversation.context.violations

    assert before.tool_calls[0].result == {"outcome": "unidentified", "order_id": "ORD-005"}
    assert (after.tool_calls[0].result["outcome"], after.tool_calls[0].result["identity"]) == ("found", "stated")
    assert noted == [ProcessViolation("unverified_identity", "track_order", "ORD-005")]


class Broken:
    """An order API that answers, and not with what it should."""

    def __init__(self, status: int, body: bytes) -> None:
        self._answer = Response(status, {}, body)

    async def send(self, *request: object, **options: object) -> Response:
        return self._answer


@pytest.mark.parametrize(
    ("transport", "reason"),
    [
        (None, "the order API does not respond"),
        (Broken(500, b"oops"), "the order API returned HTTP 500"),
        (Broken(200, b"{}"), "the order API returned an invalid response"),
    ],
)
async def test_a_failure_of_the_order_api_is_reported_to_the_customer_and_breaks_nothing(
    offline: PluginContext, transport: Broken | None, reason: str
):
    there = replace(offline, transport=transport) if transport else offline
    session: ServiceSession
    async with chatbot("api-url=http://127.0.0.1:9", there).connect(CASE) as session:
        reply = await session.reply(message("user", "Where is ORD-002?"))
        shown = await session.commands()["order"]("ORD-002")

    assert reply.text == "I'm sorry, I cannot reach our orders right now. Please try again later."
    assert reply.tool_calls[0].error == f"OrderApiError: {reason}"
    assert shown == f"That failed: {reason}."


async def test_rounds_and_history_are_kept_between_replies(context: PluginContext):
    bot, model = played(context, asks("track_order"), "It is being processed.", "You're welcome.")
    async with bot.connect(CASE) as session:
        await session.reply(message("user", "Where is ORD-001?"))
        await session.reply(message("user", "Thanks"))

    def roles(request: Request) -> list[str]:
        return [line.role for line in request.messages]

    assert roles(model.requests[-1]) == ["system", "user", "assistant", "tool", "assistant", "user"]

"""A simulated user and a prompted chatbot, both played by a model over real sockets."""

import json
import re
from typing import Any

import pytest

from model_faults import InjectedFault
from model_server import LoopbackModelServer, Reply
from sparring.app.wiring import player_names, players
from sparring.core.batch import PlayerNames
from sparring.core.case import Case, Goal, Limits, OutputSpec, Say
from sparring.core.conversation import Conversation, Ending
from sparring.settings import Settings
from sparring.simulation.simulate import simulate
from talking import plays, talk

ORDER = Case(
    id="order/1",
    goals=(Goal(text="a small custom pizza with corn and ham"), Goal(text="the following drink: coke")),
    outputs=(OutputSpec(name="order_id", description="the order ID"),),
    limits=Limits(turns=6),
)
ORDERING = ("a small custom pizza with corn and ham", "a coke", "yes")


def say(text: str) -> Say:
    return Say(text=text)


async def play(server: LoopbackModelServer, *, case: Case = ORDER, **settings: float) -> Conversation:
    model = f"{server.url}#loopback"
    allowed = Settings(retry_seconds=settings.get("retry_seconds", 0.05), call_seconds=settings.get("call_seconds", 5))
    async with players(PlayerNames("pizzeria", model, model), allowed.app_config(environment={})) as (cast, _):
        return await simulate(case, cast.user, cast.chatbot, reader=cast.reader)


async def test_the_temperature_of_a_profile_applies_to_the_user_only():
    async with LoopbackModelServer(otherwise=talk) as server:
        model = f"{server.url}#loopback"
        choice = player_names(Settings(chatbot="pizzeria", model=model).app_config(), "", 0.8)
        async with players(choice, Settings().app_config(environment={})) as (cast, _):
            await simulate(ORDER, cast.user, cast.chatbot, reader=cast.reader)

    bodies = [received.body for received in server.requests]
    assert {(plays(body), body.get("temperature")) for body in bodies} == {("user", 0.8), ("chatbot", 0)}


async def test_they_hold_a_whole_conversation_with_tool_calls():
    async with LoopbackModelServer(otherwise=talk) as server:
        conversation = await play(server, retry_seconds=30)

    assert conversation.ending is Ending.GOALS_ANSWERED, conversation
    calls = [call for said in conversation.messages for call in said.tool_calls]
    assert [(call.name, call.error) for call in calls] == [("add_pizza", ""), ("add_drink", ""), ("place_order", "")]
    assert all(call.result for call in calls)
    assert conversation.reports_tools


async def test_a_model_reads_a_script_once_at_its_end_and_is_counted_by_its_role():
    def read(body: dict[str, Any]) -> Reply:
        if not body["messages"][0]["content"].startswith("You read a conversation"):
            return talk(body)
        last = json.loads(body["messages"][1]["content"].splitlines()[-1])
        words, _, value = (
            re.findall(r"(order ID is( )(\w+))", last["text"])[0] if "ID" in last["text"] else ("", "", "")
        )
        return json.dumps({"outputs": [{"name": "order_id", "stated": last["n"], "words": words, "value": value}]})

    async with LoopbackModelServer(otherwise=read) as server:
        model = f"{server.url}#loopback"
        async with players(
            PlayerNames("pizzeria", "offline", "agenda", model), Settings().app_config(environment={})
        ) as (cast, who):
            case = ORDER.model_copy(update={"goals": (), "script": tuple(map(say, ORDERING))})
            conversation = await simulate(case, cast.user_for(case), cast.chatbot, reader=cast.reader)

    assert f" · reader: {model} · " in str(who)
    (output,) = conversation.outputs
    assert output.evidence is not None
    assert output.evidence.text == f"order ID is {output.value}"
    assert conversation.usage["reader"].calls == 1, "a script has nothing to know before the end"


async def test_usage_is_counted_by_role_and_the_price_is_unknown():
    async with LoopbackModelServer(otherwise=talk) as server:
        conversation = await play(server, retry_seconds=30)

    usage = {role: (used.calls, used.input_tokens, used.known_cost) for role, used in conversation.usage.items()}
    assert usage == {"chatbot": (6, 72, None), "user": (3, 36, None)}


async def test_the_user_sees_its_own_lines_as_its_own_and_never_the_tools():
    async with LoopbackModelServer(otherwise=talk) as server:
        await play(server, retry_seconds=30)

    last = [received.body for received in server.requests if plays(received.body) == "user"][-1]
    assert [line["role"] for line in last["messages"][-4:]] == ["assistant", "user", "assistant", "user"]
    assert "tool" not in {line["role"] for line in last["messages"]}


OURS = Ending.INFRASTRUCTURE_FAILED, Ending.INFRASTRUCTURE_FAILED


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "by_chatbot", "by_user"),
    [
        (InjectedFault.status(500), *OURS),
        (InjectedFault.status(429, retry_after=9), *OURS),
        (InjectedFault.html(502), *OURS),
        (InjectedFault.truncated(), *OURS),
        (InjectedFault.cut_off(), *OURS),
        (InjectedFault.invalid_json(), *OURS),
        (InjectedFault.empty_choices(), *OURS),
        (InjectedFault.disconnect(), *OURS),
        (InjectedFault.wrong_key(), *OURS),
        (InjectedFault.null_content(), Ending.CHATBOT_FAILED, Ending.USER_STUCK),
        (InjectedFault.slow_headers(30), *OURS),
        (InjectedFault.slow_body(30), *OURS),
    ],
    ids=lambda value: str(value) if isinstance(value, Ending) else f"{value.code} {value.body[:12]!r}",
)
async def test_every_fault_ends_the_conversation_on_the_side_it_happened(
    fault: InjectedFault, by_chatbot: Ending, by_user: Ending
):
    for side, ending in (("chatbot", by_chatbot), ("user", by_user)):

        def reply(body: dict[str, Any], side: str = side) -> Reply:
            return fault if plays(body) == side else talk(body)

        async with LoopbackModelServer(otherwise=reply) as server:
            patience = 0.5 if by_user is Ending.INFRASTRUCTURE_FAILED else 30  # where what ends it is no lack of time
            conversation = await play(server, retry_seconds=patience, call_seconds=patience)

        assert (conversation.ending, bool(conversation.error)) == (ending, True)


@pytest.mark.slow
@pytest.mark.parametrize(
    "fault", [InjectedFault.status(429, retry_after=0), InjectedFault.status(500), InjectedFault.disconnect()]
)
async def test_a_fault_that_passes_is_not_even_noticed(fault: InjectedFault):
    async with LoopbackModelServer(fault, fault, otherwise=talk) as server:
        conversation = await play(server, retry_seconds=20)

    assert conversation.ending is Ending.GOALS_ANSWERED


async def test_a_malformed_tool_call_goes_back_to_the_model_and_is_kept():
    async with LoopbackModelServer(
        "A small custom pizza with corn and ham, please.",
        InjectedFault.malformed_tool_call("add_pizza"),
        otherwise=talk,
    ) as server:
        conversation = await play(server, retry_seconds=30, call_seconds=30)

    failed, done = conversation.messages[1].tool_calls
    assert (failed.name, failed.arguments, bool(failed.error)) == ("add_pizza", {}, True)
    assert (done.name, done.error, conversation.ending) == ("add_pizza", "", Ending.GOALS_ANSWERED)

"""Conformance suite for chatbots of every kind."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import cast

from sparring.chatbots.chatbot import Capabilities, Chatbot, InjectableSession, Session, StatefulSession, from_plugin
from sparring.core.case import Case, InjectReply, InjectTool
from sparring.core.errors import ChatbotError, InputError
from sparring.core.message import Message, message
from sparring.core.state import as_state

MakeChatbot = Callable[[], object]
"""Makes a chatbot, which needs only `connect`."""


async def check_chatbot(
    make: MakeChatbot, *, lines: Sequence[str] = ("Hello", "And then?"), failing: MakeChatbot | None = None
) -> tuple[str, ...]:
    """Run all checks on chatbots that `make` creates, with `lines` as the user's messages.

    Return the abilities that their capabilities do not announce, and which were therefore not checked.

    The chatbot must reply to equal conversations equally; ideally it repeats all received messages, which reveals leaks
    between conversations. Each conversation has its own case, as servers may derive session ids from it. `failing`
    creates a chatbot of the same kind that cannot reply. Raise AssertionError with the first requirement that does not
    hold.
    """
    await check_capabilities(from_plugin(make()))
    await check_replies(from_plugin(make()), lines)
    await check_isolation(from_plugin(make()), lines)
    await check_cancellation(from_plugin(make()), lines)
    await check_early_exit(from_plugin(make()), lines)
    await check_injection(from_plugin(make()), lines)
    await check_stubs(from_plugin(make()), lines)
    await check_state(from_plugin(make()))
    if failing is not None:
        await check_failures(from_plugin(failing()), lines)
    return lacking(from_plugin(make()).capabilities)


def lacking(capabilities: Capabilities) -> tuple[str, ...]:
    """Return the abilities that a chatbot does not have, in the order of the checks."""
    abilities = {
        "tool-calls": capabilities.reports_tools,
        "state": capabilities.reports_state,
        "golden-actions": capabilities.calls_tools,
        "injected-replies": "reply" in capabilities.injects,
        "injected-calls": "tool" in capabilities.injects,
        "stubs": "stub" in capabilities.injects,
        "faults": "fault" in capabilities.injects,
        "commands": capabilities.commands,
    }
    return tuple(name for name, there in abilities.items() if not there)


async def check_replies(chatbot: Chatbot, lines: Sequence[str]) -> None:
    """Check that replies are chatbot messages and survive serialization."""
    async with chatbot.connect(Case(id="replies")) as session:
        said = [await session.reply(message("user", line)) for line in lines]
        replies = [session.greeting, *said] if session.greeting is not None else said
    for one in replies:
        require(isinstance(one, Message), f"the reply is {type(one).__name__}, expected Message")
        require(one.role == "chatbot", "the reply is a user message")
        require(
            Message.model_validate_json(one.model_dump_json()) == one, "the message changes when serialized as JSON"
        )


_METHODS: dict[str, tuple[str, set[str]]] = {
    "inject": ("accept injected replies or tool calls (`injects`)", {"injected-replies", "injected-calls"}),
    "stub": ("accept stubs of tools (`injects`)", {"stubs"}),
    "break_tools": ("let tools be broken (`injects`)", {"faults"}),
    "commands": ("have slash commands (`commands`)", {"commands"}),
    "welcome": ("have a welcome text (`commands`)", {"commands"}),
}
"""Methods of sessions: what they are for, and the abilities for which they have to be there."""


async def check_capabilities(chatbot: Chatbot) -> None:
    """Check that capabilities are constant and match the optional methods of sessions."""
    capabilities = chatbot.capabilities
    require(isinstance(capabilities, Capabilities), "`capabilities` is not a `Capabilities` value")
    without = {*lacking(capabilities)}
    async with chatbot.connect(Case(id="capabilities")) as session:
        for method, (what, abilities) in _METHODS.items():
            announced, there = bool(abilities - without), hasattr(session, method)
            require(there or not announced, f"sessions do not {what}, but the capabilities say so")
            require(announced or not there, f"sessions {what}, but the capabilities do not say so")
    require(chatbot.capabilities == capabilities, "the capabilities change")


async def check_state(chatbot: Chatbot) -> None:
    """Check that the state can be stored, and that equal conversations begin with an equal one."""
    if not chatbot.capabilities.reports_state:
        return
    found = []
    for _ in range(2):
        async with chatbot.connect(Case(id="state")) as session:
            found.append(as_state(await cast("StatefulSession", session).state()))
    require(found[0] == found[1], "two equal conversations begin with different states")


async def check_isolation(chatbot: Chatbot, lines: Sequence[str], *, together: int = 5) -> None:
    """Check that consecutive conversations, and this many concurrent ones, do not affect each other."""
    alone = await _conversation(chatbot, "apart/alone", lines)
    require(
        await _conversation(chatbot, "apart/after", lines) == alone,
        "a second conversation differs: the chatbot remembers the first one, or is not deterministic",
    )
    async with chatbot.connect(Case(id="apart/one")) as one, chatbot.connect(Case(id="apart/two")) as two:
        crossed = []
        for line in lines:
            crossed.append((await one.reply(message("user", line))).text)
            await two.reply(message("user", f"{line} (of the other conversation)"))
    require(crossed == alone, "two overlapping conversations are not isolated")
    found = await asyncio.gather(*(_conversation(chatbot, f"apart/together/{n}", lines) for n in range(together)))
    require(all(texts == alone for texts in found), "concurrent conversations are not isolated")


async def check_cancellation(chatbot: Chatbot, lines: Sequence[str]) -> None:
    """Check that a cancelled reply ends and does not affect later conversations."""
    alone = await _conversation(chatbot, "cancelled/alone", lines)
    for moments in range(4):
        task = asyncio.create_task(_conversation(chatbot, f"cancelled/{moments}", lines))
        for _ in range(moments):
            await asyncio.sleep(0)
        task.cancel()
        (outcome,) = await asyncio.gather(task, return_exceptions=True)
        ended = isinstance(outcome, list | asyncio.CancelledError)
        require(ended, f"cancellation raised {type(outcome).__name__}: {outcome}")
    require(
        await _conversation(chatbot, "cancelled/later", lines) == alone,
        "replies differ after a cancelled reply",
    )


async def check_early_exit(chatbot: Chatbot, lines: Sequence[str]) -> None:
    """Check that an error inside a conversation closes the session and propagates."""
    left, seen = RuntimeError("left in the middle"), "nothing"
    try:
        async with chatbot.connect(Case(id="closed/left")) as session:
            await session.reply(message("user", lines[0]))
            raise left
    except RuntimeError as error:
        seen = str(error)
    require(seen == str(left), f"an error inside a conversation did not propagate, got {seen}")
    await _conversation(chatbot, "closed/after", lines)


async def check_injection(chatbot: Chatbot, lines: Sequence[str]) -> None:
    """Check that injected replies are not marked as the chatbot's own and affect only their conversation.

    A chatbot without this capability passes.
    """
    if "reply" not in chatbot.capabilities.injects:
        return
    alone = await _conversation(chatbot, "injected/alone", lines)
    async with chatbot.connect(Case(id="injected/with")) as session:
        said = []
        for line in lines:
            await cast("InjectableSession", session).inject(InjectReply(text=f"{line} (which I never said)"))
            said.append(await session.reply(message("user", line)))
    require(not any(one.injected for one in said), "the chatbot marks its own replies as injected")
    require(
        await _conversation(chatbot, "injected/other", lines) == alone,
        "an injected reply affects another conversation",
    )


async def check_stubs(chatbot: Chatbot, lines: Sequence[str]) -> None:
    """Check that the stub of an unused tool changes nothing. Rejecting an unknown tool is allowed.

    A chatbot without this capability passes.
    """
    if "stub" not in chatbot.capabilities.injects:
        return
    async with chatbot.connect(Case(id="stubbed/with")) as session:
        with suppress(InputError):
            await cast("InjectableSession", session).stub(InjectTool(name="an_unknown_tool", result="nothing"))
        said = [await _reply(session, line) for line in lines]
    alone = await _conversation(chatbot, "stubbed/alone", lines)
    require(said == alone, "the stub of an unused tool changes the replies")


async def check_failures(chatbot: Chatbot, lines: Sequence[str]) -> None:
    """Check that a failing chatbot raises `ChatbotError` with a reason of one line."""
    try:
        await _conversation(chatbot, "failing", lines)
    except ChatbotError as error:
        require(bool(str(error)) and len(str(error).splitlines()) == 1, f"the reason is not one line: {str(error)!r}")
    except Exception as error:
        raise AssertionError(f"the chatbot raised {type(error).__name__}, expected ChatbotError") from error
    else:
        require(False, "the chatbot replied, expected ChatbotError")


async def _conversation(chatbot: Chatbot, id: str, lines: Sequence[str]) -> list[str]:
    async with chatbot.connect(Case(id=id)) as session:
        return [await _reply(session, line) for line in lines]


async def _reply(session: Session, line: str) -> str:
    return (await session.reply(message("user", line))).text


def require(holds: bool, otherwise: str) -> None:
    """Raise an AssertionError with the violated requirement unless it holds."""
    if not holds:
        raise AssertionError(otherwise)

"""What every chatbot must pass, whatever it is connected by."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import cast

from sparring.chatbots.chatbot import Capabilities, Chatbot, InjectableSession, Session, from_plugin
from sparring.core.case import Case, InjectReply, InjectTool
from sparring.core.errors import ChatbotError, InputError
from sparring.core.message import Message, message

Make = Callable[[], object]
"""Makes a chatbot, which need have nothing but `connect`."""


async def check_chatbot(
    make: Make, *, lines: Sequence[str] = ("Hello", "And then?"), failing: Make | None = None
) -> None:
    """Hold conversations of these lines with the chatbot that `make` makes, and see that it plays by the rules.

    It has to answer the same words with the same words, as long as nobody else has spoken in between; best is one
    that repeats everything it was told, so that a word of another conversation shows. No two of these conversations
    have the same case: a server may know a conversation by a name made of its case. `failing` makes a chatbot of
    the same kind that cannot answer.
    """
    await check_capabilities(from_plugin(make()))
    await check_replies(from_plugin(make()), lines)
    await check_isolation(from_plugin(make()), lines)
    await check_cancelling(from_plugin(make()), lines)
    await check_closing(from_plugin(make()), lines)
    await check_injecting(from_plugin(make()), lines)
    await check_stubbing(from_plugin(make()), lines)
    if failing is not None:
        await check_failures(from_plugin(failing()), lines)


async def check_replies(chatbot: Chatbot, lines: Sequence[str]) -> None:
    """Whatever it says is a message of a chatbot, and survives being stored."""
    async with chatbot.connect(Case(id="replies")) as session:
        said = [await session.reply(message("user", line)) for line in lines]
        heard = [session.greeting, *said] if session.greeting is not None else said
    for one in heard:
        _demand(isinstance(one, Message), f"it replied with {type(one).__name__}, and not with a Message")
        _demand(one.role == "chatbot", "it replied with a message of the user")
        _demand(Message.model_validate_json(one.model_dump_json()) == one, "its message does not survive JSON")


_METHODS = {
    "inject": "take replies or tool calls of a script (`injects`)",
    "stub": "take results of tools (`injects`)",
    "commands": "have slash commands (`commands`)",
    "welcome": "have a welcome (`commands`)",
}


async def check_capabilities(chatbot: Chatbot) -> None:
    """Its capabilities are constant, and its sessions have the methods that they announce, and no others of these."""
    capabilities = chatbot.capabilities
    _demand(isinstance(capabilities, Capabilities), "its capabilities are no `Capabilities`")
    announced = {
        "inject": bool(capabilities.injects & {"reply", "tool"}),
        "stub": "stub" in capabilities.injects,
        "commands": capabilities.commands,
        "welcome": capabilities.commands,
    }
    async with chatbot.connect(Case(id="capabilities")) as session:
        for method, what in _METHODS.items():
            _demand(hasattr(session, method) or not announced[method], f"its sessions do not {what} as it announces")
            _demand(
                announced[method] or not hasattr(session, method), f"its sessions {what}, which it does not announce"
            )
    _demand(chatbot.capabilities == capabilities, "its capabilities change")


async def check_isolation(chatbot: Chatbot, lines: Sequence[str]) -> None:
    """What is said in one conversation changes no other, whether they follow each other or overlap."""
    alone = await _conversation(chatbot, "apart/alone", lines)
    _demand(
        await _conversation(chatbot, "apart/after", lines) == alone,
        "a second conversation goes differently: it remembers the first, or does not repeat itself",
    )
    async with chatbot.connect(Case(id="apart/one")) as one, chatbot.connect(Case(id="apart/two")) as two:
        crossed = []
        for line in lines:
            crossed.append((await one.reply(message("user", line))).text)
            await two.reply(message("user", f"{line} (said by somebody else)"))
    _demand(crossed == alone, "two conversations that overlap are not kept apart")
    together = await asyncio.gather(*(_conversation(chatbot, f"apart/together/{n}", lines) for n in range(5)))
    _demand(all(texts == alone for texts in together), "conversations at the same time are not kept apart")


async def check_cancelling(chatbot: Chatbot, lines: Sequence[str]) -> None:
    """A reply nobody waits for any longer is given up, and the chatbot answers others as before."""
    alone = await _conversation(chatbot, "cancelled/alone", lines)
    for moments in range(4):
        task = asyncio.create_task(_conversation(chatbot, f"cancelled/{moments}", lines))
        for _ in range(moments):
            await asyncio.sleep(0)
        task.cancel()
        (outcome,) = await asyncio.gather(task, return_exceptions=True)
        kept_on = isinstance(outcome, list | asyncio.CancelledError)
        _demand(kept_on, f"cancelling became {type(outcome).__name__}: {outcome}")
    _demand(
        await _conversation(chatbot, "cancelled/later", lines) == alone,
        "it answers differently after a reply was cancelled",
    )


async def check_closing(chatbot: Chatbot, lines: Sequence[str]) -> None:
    """A conversation can be left in the middle, also by an error, which it lets through."""
    left, seen = RuntimeError("left in the middle"), "nothing"
    try:
        async with chatbot.connect(Case(id="closed/left")) as session:
            await session.reply(message("user", lines[0]))
            raise left
    except RuntimeError as error:
        seen = str(error)
    _demand(seen == str(left), f"an error inside a conversation was not let through: outside there was {seen}")
    await _conversation(chatbot, "closed/after", lines)


async def check_injecting(chatbot: Chatbot, lines: Sequence[str]) -> None:
    """What a script puts into one conversation is not said by the chatbot itself, and changes no other one.

    A chatbot that does not announce that it takes replies passes.
    """
    if "reply" not in chatbot.capabilities.injects:
        return
    alone = await _conversation(chatbot, "injected/alone", lines)
    async with chatbot.connect(Case(id="injected/with")) as session:
        said = []
        for line in lines:
            await cast("InjectableSession", session).inject(InjectReply(text=f"{line} (which I never said)"))
            said.append(await session.reply(message("user", line)))
    _demand(not any(one.injected for one in said), "it marks what it says itself as injected")
    _demand(
        await _conversation(chatbot, "injected/other", lines) == alone,
        "what was put into one conversation changes another",
    )


async def check_stubbing(chatbot: Chatbot, lines: Sequence[str]) -> None:
    """A result that stands by for a tool which nobody uses changes nothing; to say that there is no such tool is fine.

    A chatbot that does not announce that it takes results of tools passes.
    """
    if "stub" not in chatbot.capabilities.injects:
        return
    async with chatbot.connect(Case(id="stubbed/with")) as session:
        with suppress(InputError):
            await cast("InjectableSession", session).stub(InjectTool(name="a_tool_that_nobody_has", result="nothing"))
        said = [await _reply(session, line) for line in lines]
    alone = await _conversation(chatbot, "stubbed/alone", lines)
    _demand(said == alone, "a result for a tool that is never used changes what it says")


async def check_failures(chatbot: Chatbot, lines: Sequence[str]) -> None:
    """A chatbot that cannot answer raises a ChatbotError with a reason, on one line, and nothing else."""
    try:
        await _conversation(chatbot, "failing", lines)
    except ChatbotError as error:
        _demand(bool(str(error)) and len(str(error).splitlines()) == 1, f"the reason is not one line: {str(error)!r}")
    except Exception as error:
        raise AssertionError(f"it failed with {type(error).__name__}, and not with a ChatbotError") from error
    else:
        _demand(False, "it should have failed, and answered")


async def _conversation(chatbot: Chatbot, id: str, lines: Sequence[str]) -> list[str]:
    async with chatbot.connect(Case(id=id)) as session:
        return [await _reply(session, line) for line in lines]


async def _reply(session: Session, line: str) -> str:
    return (await session.reply(message("user", line))).text


def _demand(holds: bool, otherwise: str) -> None:
    if not holds:
        raise AssertionError(otherwise)

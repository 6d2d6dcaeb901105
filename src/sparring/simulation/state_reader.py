"""Readings of a chatbot's state at both ends of a conversation, and golden actions on a fresh copy.

A reading that fails never ends a conversation; checks on the state are undecided then. A reading and a golden action
may each take as long as a reply.
"""

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager
from copy import deepcopy
from typing import Literal, cast

from sparring.chatbots.chatbot import Chatbot, Session, StatefulSession, ToolCallingSession
from sparring.chatbots.isolation import IsolatedSession, run_isolated
from sparring.core.case import Case
from sparring.core.conversation import Ending
from sparring.core.errors import ChatbotError
from sparring.core.message import ToolCall
from sparring.core.state import (
    GoldenAction,
    GoldenRun,
    StateRecord,
    ToolAnswer,
    as_state,
    changes_between,
    shown,
    state_record,
)
from sparring.core.value import Json
from sparring.simulation.timeouts import Ended, named

Within = Callable[[float], AbstractContextManager[object]]


class StateReader:
    """Reads the state of one conversation; `within` limits the seconds of a block."""

    def __init__(self, chatbot: Chatbot, case: Case, within: Within) -> None:
        self._chatbot = chatbot
        self._case = case
        self._within = within
        self._start: Json = None
        self._unread: dict[Literal["start", "end"], str] = {}

    async def begin(self, session: Session) -> str:
        """Make the calls of the setup, and read the state. Return the problem of a call that fails."""
        problem = await self._set_up(session) if self._case.setup else ""
        self._start = await self._read(session, "start")
        return problem

    async def _set_up(self, session: Session) -> str:
        if not self._chatbot.capabilities.calls_tools:
            return "the case has a setup, whose tools cannot be called in this chatbot"
        try:
            with self._within(self._case.limits.reply_seconds * (len(self._case.setup) + 1)):
                return (await _call_all(session, self._case.setup)).replace("golden action", "setup's call")
        except TimeoutError:
            return "the setup was not done in time"
        except Exception as failure:  # noqa: BLE001  foreign code may raise anything
            return f"the setup failed: {named(failure)}"

    async def record(self, session: Session) -> StateRecord:
        """Read the state after the last message, and return both readings with what the case asks about it."""
        end = await self._read(session, "end")
        golden = {repr(each.golden): each.golden for each in self._case.expectations if each.golden}
        runs = tuple([await self._golden(actions) for actions in golden.values()])
        asked = {repr(action): action for each in self._case.expectations for action in each.asks}
        answers = tuple([await self._answer(session, action) for action in asked.values()])
        return state_record(self._start, end, self._unread, runs, answers)

    def judged(self, end: Ended, record: StateRecord) -> Ended:
        """Return the end of a conversation: a failure if the state is required and could not be read."""
        unread = next(iter(record.unread.values()), "")
        is_failure = unread and self._chatbot.capabilities.state_required and end.ending.completed
        return Ended(Ending.CHATBOT_FAILED, unread) if is_failure else end

    async def _answer(self, session: Session, action: GoldenAction) -> ToolAnswer:
        """Return the result of a tool at the end, of which the chatbot knows nothing."""
        if not self._chatbot.capabilities.calls_tools:
            return ToolAnswer(action=action, error="this chatbot takes no calls of tools from outside")
        try:
            with self._within(self._case.limits.reply_seconds):
                call = await _call_tool(session, action)
        except TimeoutError:
            return ToolAnswer(action=action, error=f"not answered within {self._case.limits.reply_seconds:g} s")
        except Exception as failure:  # noqa: BLE001  foreign code may raise anything
            return ToolAnswer(action=action, error=named(failure))
        return ToolAnswer(action=action, result=call.result, error=call.error)

    async def _read(self, session: Session, moment: Literal["start", "end"]) -> Json:
        settle = self._chatbot.capabilities.settle if moment == "end" else 0
        try:
            with self._within(self._case.limits.reply_seconds):
                before, state = None, await _state(session)
                while settle and state != before:
                    await asyncio.sleep(settle)
                    before, state = state, await _state(session)
                return state
        except TimeoutError:
            self._unread[moment] = f"the state was not read within {self._case.limits.reply_seconds:g} s"
        except Exception as error:  # noqa: BLE001  foreign code may raise anything
            self._unread[moment] = f"the state could not be read: {named(error)}"
        return None

    async def _golden(self, actions: tuple[GoldenAction, ...]) -> GoldenRun:
        if not self._chatbot.capabilities.calls_tools:
            return GoldenRun(actions=actions, error="this chatbot takes no golden actions")
        held = IsolatedSession(self._chatbot, self._case)
        seconds = self._case.limits.reply_seconds * (len(actions) + 2)
        try:
            with self._within(seconds):
                session = await held.open()
                error = await _call_all(session, self._case.setup)
                before = await _state(session)
                error = error or await _call_all(session, actions)
                after = await _state(session)
                await held.close()
        except TimeoutError:
            await held.abandon(1)
            return GoldenRun(actions=actions, error=f"the golden actions were not done within {seconds:g} s", late=True)
        except Exception as failure:  # noqa: BLE001  as above
            await held.abandon(1)
            return GoldenRun(actions=actions, error=f"the golden actions failed: {named(failure)}")
        return GoldenRun(actions=actions, changes=() if error else changes_between(before, after), error=error)


async def _state(session: Session) -> Json:
    return as_state(await run_isolated(cast("StatefulSession", session).state()))


async def _call_all(session: Session, actions: tuple[GoldenAction, ...]) -> str:
    """Make the calls in order. Return the problem of the first that fails and may not."""
    for action in actions:
        try:
            call = await _call_tool(session, action)
        except ChatbotError:
            if action.may_fail:
                continue
            raise
        if not call.succeeded and not action.may_fail:
            return f"the golden action {action.tool} failed: {call.error or shown(call.result)}"
    return ""


async def _call_tool(session: Session, action: GoldenAction) -> ToolCall:
    """Call a tool without its chatbot."""
    arguments = deepcopy(action.arguments)  # tools may keep and change what they are given
    return await run_isolated(cast("ToolCallingSession", session).call_tool(action.tool, arguments))

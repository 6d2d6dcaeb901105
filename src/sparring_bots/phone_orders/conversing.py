"""One call, in the language of the case or in the one that the customer begins in."""

import re
from collections.abc import Callable

from sparring.chatbots.prompted.session import PromptedSession
from sparring.core.case import InjectReply, InjectTool
from sparring.core.message import Message

RUSSIAN, ENGLISH = "Russian", "English"

_CYRILLIC = re.compile(r"[Ѐ-ӿ]")
_LATIN = re.compile(r"[A-Za-z]")


class Conversing:
    """A session that changes its language once at most: with the customer's first words, unless it is fixed."""

    reports_tools = True

    def __init__(self, language: str, open: Callable[[str], PromptedSession], *, fixed: bool) -> None:
        self._session = open(language)
        self._open = open
        self._language = language
        self._decided = fixed
        self.greeting = self._session.greeting

    async def inject(self, step: InjectReply | InjectTool) -> None:
        """Take what a script says that the agent said or did."""
        await self._session.inject(step)

    async def stub(self, tool: InjectTool) -> None:
        """Take a result for a tool that is used later."""
        await self._session.stub(tool)

    async def reply(self, message: Message) -> Message:
        if not self._decided:
            self._decided = True
            spoken = _spoken(message.text) or self._language
            if spoken != self._language:
                self._session = self._open(spoken)
        return await self._session.reply(message)


def _spoken(text: str) -> str:
    """The language that most letters are of; empty where there are none."""
    cyrillic, latin = len(_CYRILLIC.findall(text)), len(_LATIN.findall(text))
    if cyrillic == latin:
        return ""
    return RUSSIAN if cyrillic > latin else ENGLISH

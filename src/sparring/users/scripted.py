"""User that follows the script of the case."""

from sparring.core.case import Case
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError
from sparring.core.message import Message, message
from sparring.llm.plugin_context import PluginContext
from sparring.users.user import BaseUser, User, UserTraits
from sparring.users.warnings import style_warnings, unread_warnings


def create(argument: str, context: PluginContext) -> User:
    """Return the plug-in `scripted`."""
    if argument:
        raise InputError(f"scripted takes no argument, got {argument!r}", hint="--user scripted")
    return Scripted()


class Scripted(BaseUser):
    """A user that says the script line by line, regardless of the replies, and then stops."""

    traits = UserTraits(reads_extraction=False)

    def warnings(self, case: Case) -> tuple[str, ...]:
        return (*style_warnings(case), *unread_warnings(case))

    async def speak(self, conversation: Conversation) -> Message | None:
        lines, said = conversation.case.lines, conversation.turns
        return message("user", lines[said]) if said < len(lines) else None

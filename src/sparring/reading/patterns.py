"""The reader that needs no model."""

from sparring.core.case import Case
from sparring.core.clock import Clock
from sparring.core.conversation import Conversation, Output
from sparring.core.message import Message
from sparring.reading.bearings import bearings
from sparring.reading.fallback import is_fallback
from sparring.reading.goals import read_goals
from sparring.reading.outputs import known, read_output
from sparring.reading.reader import Reading
from sparring.reading.reply import Reply
from sparring.reading.words import LONGEST


class PatternReader:
    """Reads goals and outputs by patterns: careful rather than clever, and blind to a free paraphrase.

    The day that "tomorrow" is counted from is the CURRENT_DATE of the case, or else what the `clock` says.
    """

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock

    async def read(self, conversation: Conversation) -> Reading:
        case, messages = conversation.case, conversation.messages
        start = len(case.history)
        replies = [
            _reply(at, message, messages[at - 1] if at else None)
            for at, message in enumerate(messages)
            if at >= start and message.role == "chatbot" and not message.injected
        ]
        telling = tuple(reply for reply in replies if not is_fallback(reply.text, case.fallbacks))
        return Reading(goals=read_goals(case, messages, telling, start=start), outputs=self._outputs(case, telling))

    def _outputs(self, case: Case, telling: tuple[Reply, ...]) -> tuple[Output, ...]:
        if not case.outputs:
            return ()
        case_known = known(case.variables, bearings(case, self._clock.now().date() if self._clock else None))
        return tuple(read_output(wanted, telling, case_known) for wanted in case.outputs)


def _reply(at: int, message: Message, before: Message | None) -> Reply:
    asked = before.text[:LONGEST] if before is not None and before.role == "user" else ""
    return Reply(at, message.text[:LONGEST], asked)

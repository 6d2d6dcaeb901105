"""The reader that needs no model."""

from sparring.core.conversation import Conversation
from sparring.reading.fallback import is_fallback
from sparring.reading.goals import read_goals
from sparring.reading.outputs import Reply, read_output
from sparring.reading.reader import Reading


class PatternReader:
    """Reads goals and outputs by patterns: exact about what it finds, and blind to a free paraphrase."""

    async def read(self, conversation: Conversation) -> Reading:
        case, messages = conversation.case, conversation.messages
        start = len(case.history)
        replies = [
            Reply(at, message.text, messages[at - 1].text if at else "")
            for at, message in enumerate(messages)
            if at >= start and message.role == "chatbot"
        ]
        fallen_back = frozenset(reply.at for reply in replies if is_fallback(reply.text, case.fallbacks))
        telling = tuple(reply for reply in replies if reply.at not in fallen_back)
        return Reading(
            goals=read_goals(case, messages, fallen_back, start=start),
            outputs=tuple(read_output(wanted, telling, case.variables) for wanted in case.outputs),
        )

"""Reader by patterns, without a model, and its incremental form."""

from operator import is_

from sparring.core.case import Case
from sparring.core.clock import Clock
from sparring.core.conversation import Conversation, GoalProgress
from sparring.core.errors import InputError
from sparring.core.message import Message
from sparring.extraction.chatbot_reply import ChatbotReply
from sparring.extraction.extractor import (
    BaseReader,
    Extraction,
    ExtractionContext,
    extraction_context,
    extraction_of,
    language_warnings,
)
from sparring.extraction.fallbacks import is_fallback
from sparring.extraction.goals import GoalTracker
from sparring.extraction.output_relevance import knowledge_of
from sparring.extraction.outputs import OutputReading
from sparring.extraction.tokens import MAX_MESSAGE
from sparring.llm.plugin_context import PluginContext


def create(argument: str, context: PluginContext) -> "PatternReader":
    """Return the plug-in `patterns`."""
    if argument:
        raise InputError(f"patterns takes no {argument!r}", hint="--reader patterns")
    return PatternReader(context.clock)


class PatternReader(BaseReader):
    """Extracts goals and outputs by patterns. It is conservative and misses free paraphrases.

    Relative dates such as "tomorrow" refer to the case's CURRENT_DATE, or else to the `clock`.
    """

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock

    def incremental(self) -> "IncrementalExtractor":
        """Return an incremental reader for one conversation."""
        return IncrementalExtractor(self._clock)

    async def read(self, conversation: Conversation) -> Extraction:
        return await self.incremental().read(conversation)


class IncrementalExtractor(BaseReader):
    """Extracts from one growing conversation, processing each message once."""

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock
        self._read: tuple[Message, ...] = ()
        self._case: Case | None = None
        self._goals: GoalTracker | None = None
        self._outputs: tuple[OutputReading, ...] = ()

    def observe(self, conversation: Conversation) -> tuple[GoalProgress, ...]:
        return self._process(conversation).progress()

    def warnings(self, case: Case) -> tuple[str, ...]:
        return language_warnings(case)

    async def read(self, conversation: Conversation) -> Extraction:
        goals = self._process(conversation).progress()
        return extraction_of(conversation.case, goals, tuple(each.output for each in self._outputs))

    def _process(self, conversation: Conversation) -> GoalTracker:
        """Process new messages and return the goals."""
        case, messages, start = conversation.case, conversation.messages, len(conversation.case.history)
        goes_on = case is self._case and len(self._read) <= len(messages) and all(map(is_, self._read, messages))
        goals = self._goals if goes_on and self._goals else GoalTracker(case, self._context(case))
        if goals is not self._goals:
            self._case, self._read, self._goals = case, (), goals
            known = knowledge_of(case, self._context(case)) if case.outputs else None
            self._outputs = tuple(OutputReading(spec, known) for spec in case.outputs) if known else ()
        for at in range(max(start, len(self._read)), len(messages)):
            self._process_message(at, messages, case, goals)
        self._read = messages
        return goals

    def _process_message(self, at: int, messages: tuple[Message, ...], case: Case, goals: GoalTracker) -> None:
        message = messages[at]
        if message.role == "user":
            goals.add_user_message(at, message)
        elif not message.injected:
            reply = _reply(at, message, messages[at - 1] if at else None)
            fallback = is_fallback(reply.text, case.fallbacks)
            for output in () if fallback else self._outputs:
                output.read(reply)
            goals.add_reply(reply, failed=fallback or reply.failed)

    def _context(self, case: Case) -> ExtractionContext:
        return extraction_context(case, self._clock.now().date() if self._clock else None)


def _reply(at: int, message: Message, before: Message | None) -> ChatbotReply:
    asked = before.text[:MAX_MESSAGE] if before is not None and before.role == "user" else ""
    return ChatbotReply(at, message.text[:MAX_MESSAGE], asked, message.tool_calls)

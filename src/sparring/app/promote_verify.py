"""Running a promoted scenario with the recorded replies. Nothing is sent."""

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager

from sparring.app.promote import Promoted
from sparring.chatbots.chatbot import EVERYTHING, BaseChatbot, Capabilities
from sparring.core.batch import Batch
from sparring.core.case import Case, InjectReply, InjectTool
from sparring.core.clock import SystemClock
from sparring.core.conversation import Conversation
from sparring.core.errors import ChatbotError
from sparring.core.message import Message, message
from sparring.core.verdict import Verdict
from sparring.extraction.pattern_extractor import PatternReader
from sparring.runner.verdicts import ConversationChecks
from sparring.scenarios.written_case import loaded
from sparring.simulation.simulate import simulate
from sparring.users.scripted import Scripted


async def difference(made: Promoted, batch: Batch, recorded: Conversation, verdicts: Sequence[Verdict]) -> str:
    """Return how a scenario with the recorded replies differs from the conversation, or nothing."""
    case = loaded(made.text, "scenario.yml", SystemClock().now().date())
    if case is None:
        return "the scenario is not valid"
    turns = _turns(recorded)[-len(case.lines) :]
    chatbot = RecordedChatbot(recorded, turns, made)
    played = await simulate(case, Scripted(), chatbot, reader=PatternReader())
    said = sum(each.role == "user" for each in played.messages[len(case.history) :])
    if said != len(turns):
        return f"the user says {said} of {len(turns)} recorded messages: {played.ending} {played.error}".strip()
    found = await ConversationChecks(batch.changed(rules=(), audit="off"), None).evaluate(played)
    outcomes = {each.check: each.outcome for each in found.verdicts.values() if each}
    before = {each.check: each.outcome for each in verdicts}
    checks = dict.fromkeys(each.check or each.rule.name for each in case.expectations)
    changed = [name for name in checks if name in before and outcomes.get(name) != before[name]]
    return "; ".join(f"{name} is {outcomes.get(name, 'missing')}, was {before[name]}" for name in changed)


def _turns(recorded: Conversation) -> list[tuple[Message, ...]]:
    """Return the chatbot's own messages after each message of the user."""
    found: list[tuple[Message, ...]] = []
    for each in recorded.messages[len(recorded.case.history) :]:
        if each.role == "user" and each.text:
            found.append(())
        elif each.role == "chatbot" and found and not each.injected:
            found[-1] = (*found[-1], each)
    return found


class RecordedChatbot(BaseChatbot):
    """Replies as in a recorded conversation, with personal data replaced as in the scenario."""

    def __init__(self, recorded: Conversation, turns: Sequence[tuple[Message, ...]], made: Promoted) -> None:
        self.capabilities = Capabilities(reports_tools=recorded.reports_tools, injects=EVERYTHING, trusted=True)
        self._turns, self._made = turns, made

    @asynccontextmanager
    async def connect(self, case: Case) -> AsyncIterator["RecordedSession"]:
        yield RecordedSession(iter(self._turns), self._made)


class RecordedSession:
    """One conversation in recorded replies."""

    greeting: Message | None = None

    def __init__(self, turns: Iterator[tuple[Message, ...]], made: Promoted) -> None:
        self._turns, self._made = turns, made

    async def inject(self, step: InjectReply | InjectTool) -> None:
        """Take a step of the script, which changes nothing: the replies are recorded."""

    async def stub(self, tool: InjectTool) -> None:
        """Take a result of a tool, which does not run here."""

    async def reply(self, said: Message) -> Message:
        """Return what was recorded after the next message of the user."""
        replies = next(self._turns, None)
        if replies is None:
            raise ChatbotError("nothing more was recorded")
        calls = tuple([self._made.replaced_call(call) for each in replies for call in each.tool_calls])
        text = "\n".join(self._made.replaced(each.text) for each in replies if each.text)
        return message("chatbot", text, tool_calls=calls, ends=any(each.ends for each in replies))

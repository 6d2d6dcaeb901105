"""One conversation of a batch with its verdicts."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from sparring.core.conversation import Conversation
from sparring.core.errors import InputError
from sparring.core.text import visible
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.reports.scores import speaking
from sparring.reports.summary import outcome_of


@dataclass(frozen=True, slots=True)
class ConversationResult:
    """A conversation with its verdicts.

    `details` is the command that shows it; empty if the conversation is not in a file.
    """

    conversation: Conversation
    verdicts: tuple[Verdict, ...] = ()
    details: str = field(default="", repr=False)

    @property
    def id(self) -> str:
        """The id of the conversation."""
        return self.conversation.id

    @property
    def outcome(self) -> CheckOutcome:
        """The outcome of the conversation, decided by all its verdicts."""
        return outcome_of(self.conversation, self.verdicts)[0]

    @property
    def passed(self) -> bool:
        """True if the conversation ended regularly and no check failed or is undecided."""
        return self.outcome is CheckOutcome.PASS

    @property
    def void(self) -> bool:
        """True if the ending does not count, such as a timeout: the conversation says nothing about the chatbot."""
        return self.conversation.ending is None or not self.conversation.ending.completed

    @property
    def reason(self) -> str:
        """The reason for the outcome; empty if the conversation passed."""
        return outcome_of(self.conversation, self.verdicts)[1]

    @property
    def score(self) -> float | None:
        """The score by a human, else by the judge; None if there is none, or if the ending does not count."""
        scored = None if self.void else speaking(self.verdicts)
        return scored.score if scored else None

    def called(self, tool: str, /, **arguments: Any) -> bool:
        """Return True if the chatbot called `tool` successfully with at least these arguments.

        Raise InputError if there is no such call and the chatbot does not report its tool calls.
        """
        for message in self.conversation.messages:
            for call in () if message.injected else message.tool_calls:
                if call.name == tool and call.succeeded and arguments.items() <= call.arguments.items():
                    return True
        if not self.conversation.reports_tools:
            hint = "a Python chatbot reports them with `reports_tools = True`"
            raise InputError("the chatbot does not report its tool calls, so that none proves nothing", hint=hint)
        return False

    def explain(self) -> str:
        """Return the reason, the quoted evidence with its turn, and the command that shows the conversation."""
        lines = [f"{visible(self.id)} {_word(self)}" + (f": {visible(self.reason)}" if self.reason else "")]
        for verdict in self.verdicts:
            if verdict.outcome in (CheckOutcome.FAIL, CheckOutcome.ERROR):
                lines += [f"  {line}" for line in _evidence(self.conversation, verdict)]
        return "\n".join([*lines, *([f"Details: {self.details}"] if self.details else [])])


def _word(result: ConversationResult) -> str:
    if result.void:
        return "is void"
    return {CheckOutcome.PASS: "passed", CheckOutcome.FAIL: "failed"}.get(result.outcome, "is undecided")


def _evidence(conversation: Conversation, verdict: Verdict) -> Iterator[str]:
    yield visible(": ".join(part for part in (verdict.check, verdict.reason) if part))
    for each in verdict.evidence:
        if each.at < len(conversation.messages):
            turn = sum(message.role == "user" for message in conversation.messages[: each.at + 1])
            role = conversation.messages[each.at].role
            yield visible(f"  [{each.at}] turn {turn}, {role}: {each.text!r}")

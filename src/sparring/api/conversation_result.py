"""One conversation of a batch with its verdicts."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from textwrap import shorten
from typing import Any

from sparring.core.audit import Blame
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError
from sparring.core.outcome import Outcome
from sparring.core.text import visible
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.reports.reported import ReportedConversation
from sparring.reports.scores import speaking


@dataclass(frozen=True, slots=True)
class ConversationResult:
    """A conversation with its verdicts and its outcome.

    `details` is the command that shows it; empty if the conversation is not in a file.
    """

    reported: ReportedConversation = field(repr=False)
    details: str = field(default="", repr=False)

    @property
    def conversation(self) -> Conversation:
        """The conversation as it is stored."""
        return self.reported.conversation

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The verdicts of all checks, judges and people on this conversation."""
        return self.reported.verdicts

    @property
    def id(self) -> str:
        """The id of the conversation."""
        return self.conversation.id

    @property
    def outcome(self) -> Outcome:
        """The recorded outcome of the last attempt: passed, failed, undecided or void."""
        return self.reported.decision.outcome

    @property
    def first_outcome(self) -> Outcome:
        """The outcome of the first attempt that was not void, which rates count."""
        return self.reported.first or self.outcome

    @property
    def attempts(self) -> int:
        """The number of attempts at the conversation."""
        return self.reported.attempt

    @property
    def blame(self) -> Blame | None:
        """The party to blame; None if the conversation passed."""
        return self.reported.decision.blame

    @property
    def passed(self) -> bool:
        """True if no check failed or is undecided, and one held that a useless chatbot would fail."""
        return self.outcome is Outcome.PASSED

    @property
    def void(self) -> bool:
        """True if Sparring's side failed, so that the conversation says nothing about the chatbot."""
        return self.outcome is Outcome.VOID

    @property
    def reason(self) -> str:
        """The first reason for the outcome; empty if the conversation passed."""
        return self.reported.decision.reason

    @property
    def reasons(self) -> tuple[str, ...]:
        """All reasons for the outcome, the most important first."""
        return tuple(map(str, self.reported.decision.reasons))

    @property
    def score(self) -> float | None:
        """Score by a human, else by the judge; None without one, or if the conversation was broken off."""
        ending = self.conversation.ending
        scored = speaking(self.verdicts) if ending and ending.completed else None
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
            raise InputError("the chatbot does not report its tool calls, so a missing call proves nothing", hint=hint)
        return False

    def explain(self) -> str:
        """Return each reason with its evidence and turn, and the command that shows the conversation.

        If nothing quotes the chatbot, its last reply is quoted.
        """
        failed = [each for each in self.verdicts if each.outcome in (CheckOutcome.FAIL, CheckOutcome.ERROR)]
        lines = [f"{visible(self.id)} {self.outcome}"]
        for reason in self.reported.decision.reasons:
            lines.append(f"  {visible(str(reason))}")
            for verdict in failed:
                if (verdict.check, verdict.reason) == (reason.check, reason.text):
                    lines += [f"    {line}" for line in _evidence(self.conversation, verdict)]
        if not any(line.startswith("    ") for line in lines):
            lines += [f"    {line}" for line in _last_reply(self.conversation)]
        return "\n".join([*lines, *([f"Details: {self.details}"] if self.details else [])])


_MOST_QUOTED = 200
"""Most characters of a quoted reply."""


def _last_reply(conversation: Conversation) -> Iterator[str]:
    replies = [at for at, each in enumerate(conversation.messages) if each.role == "chatbot" and each.text]
    for at in replies[-1:]:
        text = shorten(conversation.messages[at].text, _MOST_QUOTED, placeholder=" …")
        yield visible(f"last reply, turn {conversation.turn_of(at)}: {text!r}")


def _evidence(conversation: Conversation, verdict: Verdict) -> Iterator[str]:
    for each in verdict.evidence:
        if each.at < len(conversation.messages):
            turn = sum(message.role == "user" for message in conversation.messages[: each.at + 1])
            role = conversation.messages[each.at].role
            yield visible(f"[{each.at}] turn {turn}, {role}: {each.text!r}")

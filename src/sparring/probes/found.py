"""A bug that a check of probes found, and the replies that checks read."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sparring.core.conversation import Conversation, Ending
from sparring.extraction.speech_acts import is_request
from sparring.extraction.tokens import fold, mentions, sentences

_QUOTED = 160
_BEFORE = 40
"""Characters quoted before what shows the bug, if the beginning of the reply does not have it."""

_NAMED = re.compile("“(.+?)”")
"""Values in the title of a finding."""

_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Found:
    """A bug that a check found.

    `turn` counts user messages up to the reply that shows it, from 1. `quotes` are the words of replies, each with its
    turn. A scenario file for it needs `unwanted`, a pattern that the last reply should not match (if an earlier one had
    `if_said`), or `wanted`, one that it should match, or a tool that should be `called`, or called `once`. Of a
    `repeated` pattern, what it matches in the last reply should be, or not be, in an earlier one. A `crash` needs none
    of them, nor does a finding of a `built_in` check, which every run has.
    """

    kind: str
    title: str
    turn: int
    quotes: tuple[tuple[int, str], ...]
    certain: bool = True
    unwanted: str = ""
    wanted: str = ""
    if_said: str = ""
    repeated: bool = False
    called: str = ""
    once: str = ""
    built_in: bool = False

    def names_unsaid(self, lines: Sequence[str], left: Sequence[str]) -> bool:
        """Return True if the user said a value that the title names, but no longer in the `left` lines."""
        said, kept = "\n".join(lines), "\n".join(left)
        return any(mentions(said, each) and not mentions(kept, each) for each in _NAMED.findall(self.title))

    def shows_in(self, conversation: Conversation) -> bool:
        """Return True if the expectation of a scenario file fails for a conversation."""
        if self.built_in:
            return True
        if tool := self.called or self.once:
            begin = max(at for at, each in enumerate(conversation.messages) if each.role == "user")
            calls = [call for each in conversation.messages[begin:] for call in each.tool_calls]
            times = sum(call.name == tool and call.succeeded for call in calls)
            return times != 1 if self.once else times == 0
        if not (self.wanted or self.unwanted):
            return conversation.ending is not None and conversation.ending.crashed
        said = [each.text for each in conversation.messages if each.role == "chatbot"]
        if self.if_said and not any(re.search(self.if_said, each) for each in said):
            return False
        found = re.search(self.wanted or self.unwanted, said[-1] if said else "")
        again = found is not None and (not self.repeated or any(found[0] in each for each in said[:-1]))
        return again is not bool(self.wanted)


@dataclass(frozen=True, slots=True)
class AnsweredTurn:
    """A reply of the chatbot: its place among the messages, its turn, and the message that it answers."""

    at: int
    turn: int
    asked: str
    text: str

    @property
    def asks(self) -> bool:
        """True if the reply ends with a question."""
        return self.text.rstrip().endswith("?")

    @property
    def quote(self) -> tuple[int, str]:
        """The turn and the words, shortened."""
        return self.turn, short(self.text)


_LEAST_ECHO = 4
"""Words of a message that is not read again where a reply repeats it."""


def replies_in(conversation: Conversation) -> Iterator[AnsweredTurn]:
    """Yield the replies to the user's messages."""
    asked, turn = "", 0
    for at, said in enumerate(conversation.messages):
        if said.role == "user":
            asked, turn = said.text, turn + 1
        elif turn:
            yield AnsweredTurn(at, turn, asked, said.text)


def without_echo(reply: str, said: str) -> str:
    """Return a reply without a longer message of the user that it repeats."""
    plain = said.strip().rstrip(".?!")
    return reply.replace(plain, "…") if len(plain.split()) >= _LEAST_ECHO else reply


def questions_in(text: str, requests: bool = False) -> list[str]:
    """Return the questions of a reply, folded; with `requests`, also "Please enter your number."."""
    return [fold(each.text) for each in sentences(text) if each.asks or (requests and is_request(each.text))]


def is_silent(conversation: Conversation) -> bool:
    """Return True if the chatbot broke before its first reply."""
    replied = any(each.role == "chatbot" for each in conversation.messages)
    return not replied and conversation.ending is Ending.CHATBOT_FAILED


def asked_in(conversation: Conversation) -> frozenset[str]:
    """Return the last question of each reply, folded."""
    said = [each.text for each in conversation.messages if each.role == "chatbot"]
    return frozenset(question for each in said for question in questions_in(each)[-1:])


def finding(
    kind: str, title: str, *shown: AnsweredTurn, certain: bool = True, unwanted: str = "", wanted: str = ""
) -> Found:
    """Return a finding that the last of the replies shows; by default it should not begin as it does."""
    last = shown[-1]
    values = _NAMED.findall(title)
    shows = (exactly(next((value for value in values if value in each.text), "")) or unwanted for each in shown)
    quotes = tuple((each.turn, around(each.text, pattern)) for each, pattern in zip(shown, shows, strict=True))
    return Found(kind, title, last.turn, quotes, certain, unwanted or ("" if wanted else start(last.text)), wanted)


def short(text: str) -> str:
    """Return the beginning of a text in one line."""
    line = " ".join(text.split())
    return line if len(line) <= _QUOTED else f"{line[:_QUOTED]}…"


def around(text: str, shown: str) -> str:
    """Return the beginning of a text, or the part further on that matches a pattern, in one line."""
    line = " ".join(text.split())
    found = re.search(shown, line)
    if found is None or found.end() <= _QUOTED:
        return short(line)
    begin = line.rfind(" ", 0, max(0, found.start() - _BEFORE)) + 1
    return f"{'…' if begin else ''}{short(line[begin:])}"


def named(text: str) -> str:
    """Return a message in words, as unusual ones cannot be read."""
    if not text.strip():
        return "an empty message"
    if len(text) > _QUOTED:
        return f"a message of {len(text):,} characters"
    return f"“{short(text)}”"


def start(text: str) -> str:
    """Return a pattern for the beginning of a reply, with any numbers, because ids differ."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return pattern(line[:60].strip())


def pattern(words: str) -> str:
    """Return a pattern for words, with any numbers."""
    return _DIGITS.sub(lambda _: r"\d+", exactly(words))


def exactly(words: str) -> str:
    """Return a pattern for words, and for no longer number: "£28" is not in "£280"."""
    before, after = (r"\b" if words[at : at + 1].isdigit() else "" for at in (0, len(words) - 1))
    return f"{before}{re.escape(words)}{after}".replace(r"\ ", " ")


def stating(text: str, value: str) -> str:
    """Return a pattern for the sentence of a reply that mentions a value, or for a value with numbers."""
    if _DIGITS.search(value) and re.search(exactly(value), text):
        return exactly(value)
    stated = next((each.text for each in sentences(text) if mentions(each.text, value)), text)
    return pattern(stated.strip())

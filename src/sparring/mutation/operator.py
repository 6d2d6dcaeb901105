"""Operators: named faults of chatbots, and what they know about the place where they are applied."""

import json
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

from sparring.chatbots.chatbot import Capabilities
from sparring.core.case import ToolFault
from sparring.core.conversation import Conversation
from sparring.core.message import Message, Text, ToolCall, text_part
from sparring.core.prompts import Prompts
from sparring.core.value import Json
from sparring.extraction.goals import texts
from sparring.extraction.languages import NAMES


@cache
def phrases() -> Mapping[str, Mapping[str, str]]:
    """Return the sentences and words of operators by the code of their language."""
    return tomllib.loads(Path(__file__).with_name("phrases.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True)
class Observed:
    """What the conversations of a baseline contain: values of variables, and calls of tools.

    `values` maps each variable of the cases to its values as texts, `calls` each tool to its successful calls,
    `arguments` each argument name to its values.
    """

    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    calls: Mapping[str, tuple[ToolCall, ...]] = field(default_factory=dict)
    arguments: Mapping[str, tuple[Json, ...]] = field(default_factory=dict)


def observed(conversations: Iterable[Conversation]) -> Observed:
    """Return what conversations show, each value once."""
    values: dict[str, dict[str, None]] = {}
    calls: dict[str, dict[str, ToolCall]] = {}
    arguments: dict[str, dict[str, Json]] = {}
    for conversation in conversations:
        for name, value in conversation.case.variables.items():
            values.setdefault(name, {}).update(dict.fromkeys(texts(value)))
        for call in (call for message in conversation.messages for call in message.tool_calls if call.succeeded):
            calls.setdefault(call.name, {}).setdefault(_key(call.arguments), call)
            for name, argument in call.arguments.items():
                arguments.setdefault(name, {})[_key(argument)] = argument
    return Observed(
        {name: tuple(each) for name, each in values.items()},
        {name: tuple(each.values()) for name, each in calls.items()},
        {name: tuple(each.values()) for name, each in arguments.items()},
    )


def _key(value: object) -> str:
    return json.dumps(value, sort_keys=True, default=str)


@dataclass(frozen=True)
class EditContext:
    """Where an operator is applied: the case, what was said before, and a random generator of its own."""

    conversation: Conversation
    """The recorded conversation; a live one may only use the case of its messages."""
    before: tuple[Message, ...]
    """The messages so far, as the user has heard them."""
    random: Random
    seen: Observed

    @cached_property
    def language(self) -> str:
        """The code of the language of the case; of English if operators do not speak it."""
        wanted = self.conversation.case.persona.language.casefold()
        return next((code for code, name in NAMES.items() if name == wanted and code in phrases()), "en")

    @property
    def replies(self) -> list[Message]:
        """The replies so far."""
        return [each for each in self.before if each.role == "chatbot"]


Says = Callable[[Message, EditContext], Message | None]
"""Return a changed reply, or message of the user; None where the operator does not apply."""


@dataclass(frozen=True, slots=True)
class ChatbotChange:
    """A change of the chatbot itself: its prompts, results of a tool, or lines of another user.

    It is tried in these `conversations`. `before` and `after` are the changed words at the `site`.
    """

    site: str
    conversations: Sequence[Conversation]
    before: str = ""
    after: str = ""
    prompts: Prompts | None = None
    fault: ToolFault | None = None
    lines: tuple[Message, ...] = ()


Makes = Callable[[Sequence[Conversation], Capabilities], Iterator[ChatbotChange]]
"""Yield the possible changes of a chatbot, given its conversations and observations."""


@dataclass(frozen=True, slots=True)
class MutationOperator:
    """One kind of fault. `says` changes a reply, `hears` the user's message before the chatbot gets it.

    One that `makes` changes of the chatbot has a mutant for each. An operator that `forgets` opens a new session, and
    one that is `deaf` repeats its last reply instead. `everywhere` means in every reply, not only in one. Replies take
    `slows` times as long. A `cosmetic` change is no fault.
    """

    name: str
    description: str
    says: Says | None = None
    hears: Says | None = None
    makes: Makes | None = None
    forgets: bool = False
    deaf: bool = False
    everywhere: bool = False
    slows: float = 1
    cosmetic: bool = False

    @property
    def kind(self) -> str:
        """The class of the operator: reply, tool, flow, prompt or control."""
        return self.name.partition(".")[0]

    @property
    def live(self) -> bool:
        """True if the chatbot itself has to be asked."""
        return self.forgets or self.deaf or self.hears is not None or self.makes is not None


def pairs_of(operators: Sequence[MutationOperator], seed: int) -> list[MutationOperator]:
    """Return operators that put faults of two classes into one reply, in random order."""
    single = [each for each in operators if each.says and not (each.live or each.everywhere or each.cosmetic)]
    found = [_both(one, other) for one, other in combinations(single, 2) if one.kind != other.kind]
    Random(f"{seed}/mutate/pairs").shuffle(found)
    return found


def _both(one: MutationOperator, other: MutationOperator) -> MutationOperator:
    def says(said: Message, place: EditContext) -> Message | None:
        first = one.says(said, place) if one.says else None
        return other.says(first, place) if first and other.says else None

    return MutationOperator(
        f"{one.name}+{other.name}",
        f"{one.description}, and {other.description}",
        says,
        slows=max(one.slows, other.slows),
    )


def with_text(said: Message, text: str) -> Message | None:
    """Return a message with another text; None if it is the same."""
    if text == said.text:
        return None
    others = tuple(part for part in said.parts if not isinstance(part, Text))
    return said.changed(parts=(text_part(text), *others) if text else others)


def with_calls(said: Message, calls: Iterable[ToolCall]) -> Message | None:
    """Return a message with other tool calls; None if they are the same."""
    calls = tuple(calls)
    return None if calls == said.tool_calls else said.changed(tool_calls=calls)


def changed_call(call: ToolCall, **fields: Any) -> ToolCall:
    """Return a tool call with other fields."""
    return call.model_copy(update=fields)

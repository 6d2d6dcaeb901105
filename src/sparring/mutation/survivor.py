"""What a surviving mutant shows: its two conversations, their values, and the words around them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, combinations

from sparring.core.conversation import Conversation
from sparring.core.message import Message, ToolCall
from sparring.core.mutation import Edit
from sparring.core.value import Json
from sparring.extraction.fallbacks import is_fallback
from sparring.extraction.goals import texts
from sparring.extraction.tokens import sentences
from sparring.extraction.typed_values import find
from sparring.mutation.mutant import family_of
from sparring.rules.functions.text import states

_VALUES = ("money", "date", "time", "code", "phone", "url", "int")
_MOST_COMPARED = 60
"""Conversations of a scenario that rules are made from; each rule is then proven on all."""

_STATED = ("money", "date", "time", "int")
"""Values that replies state on their own."""

_LEAST_CONFIRMED = 3
"""Conversations with other values that must confirm that recorded values depend on some variables alone."""

_GENERATED = "\0"
"""Stands for a value in the form of a reply."""


@dataclass(frozen=True)
class Survivor:
    """A mutant that survived: its first change, and the conversation before and after it."""

    id: str
    change: Edit
    baseline: Conversation
    mutated: Conversation
    suite: Sequence[Conversation] = ()
    """All conversations of the baseline."""

    @property
    def variables(self) -> Mapping[str, tuple[str, ...]]:
        """The values of the variables of its case, as texts."""
        return {name: texts(value) for name, value in self.baseline.case.variables.items() if name.isidentifier()}

    @property
    def family(self) -> str:
        """The scenario of its case."""
        return family_of(self.baseline)

    @cached_property
    def same_scenario(self) -> list[Conversation]:
        """Conversations of the same scenario."""
        return [each for each in self.suite if family_of(each) == self.family][:_MOST_COMPARED]

    @cached_property
    def replies(self) -> list[Message]:
        """The recorded replies."""
        return [each for each in self.baseline.messages if each.role == "chatbot"]

    @cached_property
    def calls(self) -> list[ToolCall]:
        """The recorded calls that succeeded."""
        return calls_of(self.baseline)

    @cached_property
    def own_words(self) -> frozenset[str]:
        """Words that the chatbot says where its user does not: neither names nor other values of a case."""
        words = (
            set(re.findall(r"\w+", said_by_chatbot(each).lower()))
            - {word for said in each.messages if said.role == "user" for word in re.findall(r"\w+", said.text.lower())}
            for each in (*self.suite, self.baseline)
        )
        return frozenset().union(*words)

    @cached_property
    def gone(self) -> list[str]:
        """The reply that was changed, and those that the chatbot does not give any more."""
        after = said_by_chatbot(self.mutated)
        gone = [each.text for each in self.replies if each.text not in after or each.text == self.change.before.text]
        return [text for text in gone if text]

    @cached_property
    def new(self) -> str:
        """Sentences of the chatbot that were not recorded."""
        known = {one.text for each in self.replies for one in sentences(each.text)}
        said = [each.text for each in self.mutated.messages if each.role == "chatbot"]
        return "\n".join(one.text for each in said for one in sentences(each) if one.text not in known)


def calls_of(conversation: Conversation) -> list[ToolCall]:
    """Return the calls that succeeded."""
    return [call for each in conversation.messages for call in each.tool_calls if call.succeeded]


def said_by_chatbot(conversation: Conversation) -> str:
    """Return all replies, a line each."""
    return "\n".join(each.text for each in conversation.messages if each.role == "chatbot")


def has_variable(name: str) -> str:
    """Return the condition that a case has a variable or an output."""
    return f"hasattr(conv[0], {name!r})"


@dataclass(frozen=True, slots=True)
class KnownValue:
    """A value that rules can name: a variable, a key of a tool's result, or an argument of its call."""

    name: str
    tool: str = ""
    argument: bool = False

    @property
    def expression(self) -> str:
        """The value in a rule."""
        if self.argument:
            return f"tool_calls({self.tool!r})[-1].arguments[{self.name!r}]"
        return f"tool_result({self.tool!r})[{self.name!r}]" if self.tool else self.name

    @property
    def when(self) -> str:
        """The condition that a conversation has the value."""
        return f"called({self.tool!r})" if self.tool else has_variable(self.name)

    def of(self, conversation: Conversation) -> Json:
        """Return the value, or None if there is none."""
        given: Json = conversation.case.variables
        if self.tool:
            call = next((each for each in reversed(calls_of(conversation)) if each.name == self.tool), None)
            given = None if call is None else call.arguments if self.argument else call.result
        value = given.get(self.name) if isinstance(given, Mapping) else None
        several = isinstance(value, list) and value and all(map(is_plain, value))
        return value if several or is_plain(value) else None


def is_plain(value: Json) -> bool:
    """Return True for a number and a text of more than one letter."""
    if isinstance(value, str):
        return len(value) > 1
    return isinstance(value, int | float) and not isinstance(value, bool)


def known_values(survivor: Survivor) -> Iterator[KnownValue]:
    """Yield variables and values of results, each value once."""
    seen: set[str] = set()
    found = [KnownValue(name) for name in survivor.variables]
    for call in reversed(survivor.calls):
        found += [KnownValue(key, call.name) for key in (call.result if isinstance(call.result, dict) else ())]
        found += [KnownValue(key, call.name, argument=True) for key in call.arguments]
    for each in found:
        value = each.of(survivor.baseline)
        if value is not None and str(value).lower() not in seen:
            seen.add(str(value).lower())
            yield each


def is_always_stated(survivor: Survivor, known: KnownValue, words: str) -> bool:
    """Return True if replies with these words state the value in all conversations of the scenario."""
    found = False
    for each in (survivor.baseline, *survivor.same_scenario):
        value = known.of(each)
        said = phrases_with(each, words)
        if value is not None and said:
            found = any(states.call(text, value) for text in said)
            if not found:
                return False
    return found


def phrases_with(conversation: Conversation, words: str) -> list[str]:
    """Return the replies with these words."""
    said = (each.text for each in conversation.messages if each.role == "chatbot")
    return [text for text in said if re.search(words, text, re.IGNORECASE)]


@dataclass(frozen=True, slots=True)
class StatedValues:
    """Values in replies with the same words: always the same ones, and some for each value of variables."""

    same: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    others: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def expression(self) -> str:
        """The values in a rule."""
        key = " + ' ' + ".join(f"str({name})" for name in self.names)
        others = {value: list(each) for value, each in self.others.items()}
        found = [repr(list(self.same))] if self.same else []
        return " + ".join([*found, *([f"{others!r}.get({key}, [])"] if self.names else [])])


def stated_values(survivor: Survivor, words: str) -> StatedValues:
    """Return amounts, dates and numbers in replies with these words, but for those that the user says.

    Values of some variables count only if conversations with other values of the others confirm them, so that the
    other variables do not matter.
    """
    stated: list[tuple[Mapping[str, str], frozenset[str]]] = []
    for each in (survivor.baseline, *survivor.same_scenario):
        by_user = " ".join(one.text for one in each.messages if one.role == "user").lower()
        variables = {name: str(value) for name, value in each.case.variables.items() if name.isidentifier()}
        for text in phrases_with(each, words):
            values = {text[one.start : one.end] for type in _STATED for one in find(type, text)}
            stated.append((variables, frozenset(value for value in values if value.lower() not in by_user)))
    if len(stated) < 3 or not any(values for _, values in stated):
        return StatedValues()
    same = frozenset.intersection(*(found for _, found in stated))
    every = tuple(sorted(survivor.variables))
    some = chain.from_iterable(combinations(every, count) for count in (1, 2) if count < len(every))
    for names in (*some, every):
        table = _confirmed(stated, names, alone=names == every)
        if len(table) > 1 and all(found - same for found in table.values()):
            others = {value: tuple(sorted(found - same)) for value, found in sorted(table.items())}
            return StatedValues(tuple(sorted(same)), names, others)
    return StatedValues(tuple(sorted(same)))


def _confirmed(
    stated: Sequence[tuple[Mapping[str, str], frozenset[str]]], names: Sequence[str], *, alone: bool
) -> dict[str, frozenset[str]]:
    """Return what replies always state, by the values of the named variables.

    Left out are values that one reply has, or replies with the same values of all variables unless these are `alone`.
    """
    rows: dict[str, list[tuple[Mapping[str, str], frozenset[str]]]] = {}
    for given, found in stated:
        rows.setdefault(" ".join(given.get(name, "") for name in names), []).append((given, found))
    different = {value: len({tuple(given.items()) for given, _ in row}) for value, row in rows.items()}
    if not alone and sum(different.values()) < len(rows) + _LEAST_CONFIRMED:
        return {}
    return {
        value: frozenset.intersection(*(found for _, found in row))
        for value, row in rows.items()
        if different[value] > 1 or (alone and len(row) > 1)
    }


def always_said(survivor: Survivor) -> list[str]:
    """Return patterns of words that the chatbot says in all conversations of the scenario."""
    others = [said_by_chatbot(each) for each in survivor.same_scenario]
    found: dict[str, None] = {}
    for reply in survivor.replies:
        if reply.text and not is_fallback(reply.text, survivor.baseline.case.fallbacks):
            for words in fixed_words(survivor, reply.text):
                if all(re.search(words, said, re.IGNORECASE) for said in others):
                    found[words] = None
    return list(found)


def asked_before(survivor: Survivor, reply: str) -> Iterator[str]:
    """Yield a pattern of what the user asked before a reply, if it is a goal without values."""
    messages = survivor.baseline.messages
    at = next((at for at, each in enumerate(messages) if each.role == "chatbot" and each.text == reply), 0)
    asked = next((each.text.lower() for each in reversed(messages[:at]) if each.role == "user"), "")
    values = {value.lower() for some in survivor.variables.values() for value in some}
    for goal in survivor.baseline.case.goals:
        text = goal.text.lower().rstrip("?.! ")
        if text and text in asked and not any(value in text for value in values):
            yield re.sub(r"[^\w ]", ".", text)


def said_with(survivor: Survivor, words: str, reply: str) -> list[str]:
    """Return other words of a reply that all replies with these words have."""
    texts = [text for each in (survivor.baseline, *survivor.same_scenario) for text in phrases_with(each, words)]
    found = [each for each in fixed_words(survivor, reply) if each != words]
    return [each.replace(".", "'") for each in found if all(re.search(each, text, re.IGNORECASE) for text in texts)]


def fixed_words(survivor: Survivor, reply: str) -> list[str]:
    """Return patterns of words of a reply, without its values; those of few other replies come first."""
    form = reply
    values = (texts(each.of(survivor.baseline)) for each in known_values(survivor))
    known = sorted(set(chain.from_iterable(values)), key=len, reverse=True)
    for value in known:
        form = re.sub(rf"(?<!\w){re.escape(value)}(?!\w)", _GENERATED, form, flags=re.IGNORECASE)
    for kind in _VALUES:
        for match in reversed(find(kind, form)):
            form = form[: match.start] + _GENERATED + form[match.end :]
    form = re.sub(r"\w+", lambda each: each[0] if each[0].lower() in survivor.own_words else _GENERATED, form)
    found: dict[str, bool] = {}
    for sentence in re.split(r"(?<=[.!?])\s", form.lower()):
        runs = [each.split()[:4] for each in re.split(r"[^\w' ]|\d", sentence)]
        for words in runs:
            if len("".join(words)) > 4:
                found.setdefault(" ".join(words).replace("'", "."), _GENERATED not in sentence)
    others = [each.text.lower() for each in survivor.replies if each.text != reply]
    return sorted(found, key=lambda words: (sum(re.search(words, each) is not None for each in others), found[words]))

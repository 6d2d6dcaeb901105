"""Rules that may notice a surviving mutant, made of what differs between its two conversations.

They know nothing of the operator, so that they notice other faults of the same kind, too. All still have to be proven.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from sparring.core.conversation import Conversation
from sparring.core.message import Message, ToolCall
from sparring.core.mutation import Edit
from sparring.extraction.fallbacks import is_fallback
from sparring.extraction.goals import texts
from sparring.extraction.speech_acts import is_refusal
from sparring.extraction.tokens import language_of, sentences

_TALK = "' '.join(chatbot_phrases)"


@dataclass(frozen=True)
class Survivor:
    """A mutant that survived: its first change, and the conversation before and after it."""

    id: str
    change: Edit
    baseline: Conversation
    mutated: Conversation

    @property
    def variables(self) -> Mapping[str, tuple[str, ...]]:
        """The values of the variables of its case, as texts."""
        return {name: texts(value) for name, value in self.baseline.case.variables.items() if name.isidentifier()}

    @property
    def family(self) -> str:
        """The scenario of its case, without the number of the combination."""
        return re.sub(r"/\d+$", "", self.baseline.case.id)

    @cached_property
    def replies(self) -> list[Message]:
        """The recorded replies."""
        return [each for each in self.baseline.messages if each.role == "chatbot"]

    @cached_property
    def calls(self) -> list[ToolCall]:
        """The recorded calls that succeeded."""
        return _calls(self.baseline)

    @cached_property
    def gone(self) -> str:
        """Replies that the chatbot does not give any more."""
        after = _said(self.mutated)
        return "\n".join(each.text for each in self.replies if each.text and each.text not in after)

    @cached_property
    def new(self) -> str:
        """Sentences of the chatbot that were not recorded."""
        known = {one.text for each in self.replies for one in sentences(each.text)}
        said = [each.text for each in self.mutated.messages if each.role == "chatbot"]
        return "\n".join(one.text for each in said for one in sentences(each) if one.text not in known)


def _calls(conversation: Conversation) -> list[ToolCall]:
    return [call for each in conversation.messages for call in each.tool_calls if call.succeeded]


def _said(conversation: Conversation) -> str:
    return "\n".join(each.text for each in conversation.messages if each.role == "chatbot")


@dataclass(frozen=True, slots=True)
class RuleCandidate:
    """What a rule could require, when, and why."""

    name: str
    why: str
    then: str
    when: str = "True"


Maker = Callable[[Survivor], Iterator[RuleCandidate]]


def candidates(survivor: Survivor) -> Iterator[RuleCandidate]:
    """Yield what rules could require, the most general first."""
    for make in _MAKERS:
        yield from make(survivor)


def _has(name: str) -> str:
    return f"hasattr(conv[0], {name!r})"


def _asks_for(survivor: Survivor) -> Iterator[RuleCandidate]:
    """Require the calls that are gone, with the values of the case as arguments."""
    left = _calls(survivor.mutated)
    for call in survivor.calls:
        if call in left:
            continue
        why = f"The chatbot calls {call.name}."
        for argument, value in call.arguments.items():
            for name, values in survivor.variables.items():
                if argument.isidentifier() and values and texts(value) == values:
                    then = f"called({call.name!r}, {argument}={name})"
                    told = f"The chatbot calls {call.name} with the {argument} that was asked for."
                    yield RuleCandidate(f"calls_{call.name}_as_asked", told, then, _has(name))
                    yield RuleCandidate(
                        f"calls_{call.name}_as_asked", told, then, f"{_has(name)} and called({call.name!r})"
                    )
        yield RuleCandidate(f"calls_{call.name}", why, f"called({call.name!r})")
        for argument, value in call.arguments.items():
            if isinstance(value, str | int | float | bool) and argument.isidentifier():
                yield RuleCandidate(f"calls_{call.name}_right", why, f"called({call.name!r}, {argument}={value!r})")


def _at_most(survivor: Survivor) -> Iterator[RuleCandidate]:
    """Limit the number of calls of a tool that is called more often."""
    before = [call.name for call in survivor.calls]
    after = [call.name for call in _calls(survivor.mutated)]
    for name in dict.fromkeys(after):
        if after.count(name) > before.count(name):
            yield RuleCandidate(
                f"calls_{name}_no_more_often",
                f"The chatbot calls {name} no more often than it has to.",
                f"calls({name!r}) <= {before.count(name)}",
            )


def _in_order(survivor: Survivor) -> Iterator[RuleCandidate]:
    before, after = ([call.name for call in calls] for calls in (survivor.calls, _calls(survivor.mutated)))
    if before != after and sorted(before) == sorted(after):
        first = next(at for at, (was, now) in enumerate(zip(before, after, strict=True)) if was != now)
        names = dict.fromkeys(before[first:])
        if len(names) > 1:
            then = f"call_order({', '.join(map(repr, list(names)[:2]))})"
            yield RuleCandidate("calls_in_order", "The chatbot calls its tools in this order.", then)


def _says_result(survivor: Survivor) -> Iterator[RuleCandidate]:
    """Require that the chatbot says what a tool gave it."""
    after = _said(survivor.mutated)
    for call in survivor.calls:
        for key, value in call.result.items() if isinstance(call.result, dict) else ():
            said = str(value)
            if isinstance(value, str | int | float) and said and said in survivor.gone:
                path = f"str(tool_result({call.name!r})[{key!r}])"
                name, why = f"says_{key}_of_{call.name}", f"The chatbot says the {key} that {call.name} gave."
                when = f"called({call.name!r})"
                if said not in after:
                    yield RuleCandidate(name, why, f"{path} in {_TALK}", when)
                yield RuleCandidate(name, why, f"{path} in chatbot_phrases[-1]", when)
                yield RuleCandidate(name, why, f"sum([{path} in phrase for phrase in chatbot_phrases]) > 1", when)


def _says_value(survivor: Survivor) -> Iterator[RuleCandidate]:
    """Require the values of the case that are gone, and forbid others of the same variable."""
    gone, after = survivor.gone.casefold(), _said(survivor.mutated).casefold()
    for name, values in survivor.variables.items():
        for value in values:
            if len(value) > 1 and value.casefold() in gone:
                why = f"The chatbot says the {name} that was asked for."
                for text in (_TALK,) if value.casefold() not in after else ():
                    yield RuleCandidate(f"says_{name}", why, f"str({name}).lower() in {text}.lower()", _has(name))
                for at in (-1, 0, 1, 2):
                    then = f"str({name}).lower() in chatbot_phrases[{at}].lower()"
                    when = _has(name) if at == -1 else f"{_has(name)} and len(chatbot_phrases) > {at}"
                    yield RuleCandidate(f"says_{name}", why, then, when)


def _states_output(survivor: Survivor) -> Iterator[RuleCandidate]:
    """Require an output that is not stated any more, or equals what a tool gave."""
    stated = {each.name: each.value for each in survivor.mutated.outputs if each.evidence is not None}
    for output in survivor.baseline.outputs:
        name = output.name
        if output.evidence is None or not name.isidentifier() or stated.get(name) == output.value:
            continue
        if name not in stated:
            yield RuleCandidate(f"states_{name}", f"The chatbot states {name}.", f"{name} is not None", _has(name))
        for call in survivor.calls:
            for key, value in call.result.items() if isinstance(call.result, dict) else ():
                when = f"{_has(name)} and {name} is not None and called({call.name!r})"
                path = f"tool_result({call.name!r})[{key!r}]"
                told = f"The {name} that the chatbot states is the {key} of {call.name}."
                if isinstance(value, int | float) and not isinstance(value, bool):
                    then = f"extract_float(str({name})) == extract_float(str({path}))"
                elif isinstance(value, str):
                    then = f"str({name}) == {path}"
                else:
                    continue
                yield RuleCandidate(f"states_{name}_of_{call.name}", told, then, when)


_FORBIDDEN = {
    "address": ("shows no address of e-mail", r"(?i)[a-z0-9._%+-]+@[a-z0-9.-]+[.][a-z]{2,}"),
    "markup": ("shows no template", r"(?i)[{]{2}|[}]{2}|</?[a-z]+>|\b(?:none|null|nan|undefined)\b"),
    "link": ("gives no link", r"(?i)https?://"),
    "dollar": ("states no amount in dollars", r"[$]|(?i:\bUSD\b)"),
    "euro": ("states no amount in euros", r"€|(?i:\bEUR\b)"),
    "pound": ("states no amount in pounds", r"£|(?i:\bGBP\b)"),
    "prompt": ("does not show its prompt", r"(?i)\b(?:prompt|instruc\w+|istruz\w+|anweis\w+|инструк\w+)\b"),
    "abuse": ("is not rude", r"(?i)\b(?:shut up|stupid|idiot\w*|dumb|moron|ridiculous|annoying|damn)\b"),
}
"""Patterns of what few chatbots say."""


def _says_nothing_new(survivor: Survivor) -> Iterator[RuleCandidate]:
    """Forbid patterns that no recorded reply has."""
    before = _said(survivor.baseline)
    for name, (why, pattern) in _FORBIDDEN.items():
        if re.search(pattern, survivor.new) and not re.search(pattern, before):
            yield RuleCandidate(
                f"no_{name}", f"The chatbot {why}.", f"not chatbot_says(r{pattern!r})".replace("\\\\", "\\")
            )
    for host in dict.fromkeys(re.findall(r"https?://([\w.-]+)", before)):
        then = f"not chatbot_says(r'(?i)https?://(?!{re.escape(host)})')"
        yield RuleCandidate("no_other_link", f"The chatbot gives links of {host} only.", then)
    for name, test, pattern in _ACTS:
        said = [one.text for one in sentences(survivor.new)]
        if any(map(test, said)):
            why = f"The chatbot does not {name} where it need not."
            then = f"not chatbot_says(r'(?i){pattern}')"
            yield RuleCandidate(f"no_{name}", why, then)
            yield RuleCandidate(f"no_{name}_at_the_end", why, f"not last_reply_says(r'(?i){pattern}')")


_ACTS = (
    ("refuse", is_refusal, r"\b(?:sorry|cannot|can.t|unable|not able|won.t|not possible)\b"),
    ("misunderstand", is_fallback, r"\b(?:understand|rephrase|repeat that|did ?n.t (?:get|catch))\b"),
)


def _well_formed(survivor: Survivor) -> Iterator[RuleCandidate]:
    """Require words, another reply each time, and whole sentences."""
    said = [each.text for each in survivor.mutated.messages if each.role == "chatbot"]
    if any(not each.strip() for each in said):
        yield RuleCandidate(
            "never_silent",
            "The chatbot always says something.",
            "all(phrase.strip() != '' for phrase in chatbot_phrases)",
        )
    if len(said) > len(set(said)):
        yield RuleCandidate(
            "no_repetition", "The chatbot does not say the same again.", "not repeated_answers(method='exact')"
        )
    yield RuleCandidate(
        "whole_sentences",
        "Each reply ends as a sentence does.",
        r"all(matches(r'[.!?)…:]\s*$', phrase) for phrase in chatbot_phrases)",
    )
    codes = sorted({language_of(each.text) for each in survivor.replies} - {""})
    if codes:
        then = f"all(language(phrase) in {codes!r} for phrase in chatbot_phrases)"
        yield RuleCandidate("one_language", "The chatbot keeps to its languages.", then)
    yield RuleCandidate(
        "same_amount",
        "The last amount is the one before.",
        "extract_float(chatbot_phrases[-1]) == extract_float(chatbot_phrases[-2])",
        "len(chatbot_phrases) > 1",
    )


def _asks_once(survivor: Survivor) -> Iterator[RuleCandidate]:
    """Limit how often a question is asked."""
    before, after = _said(survivor.baseline), _said(survivor.mutated)
    for each in dict.fromkeys(one.text for said in survivor.replies for one in sentences(said.text)):
        if each.endswith("?") and after.count(each) > before.count(each):
            pattern = "r'(?i)" + re.escape(each).replace("\\ ", " ").replace("'", ".") + "'"
            then = f"sum([matches({pattern}, phrase) for phrase in chatbot_phrases]) <= {before.count(each)}"
            yield RuleCandidate("asks_once", "The chatbot does not ask again what was answered.", then)


def _ends(survivor: Survivor) -> Iterator[RuleCandidate]:
    """Require the ending, the number of turns and the speed of the record."""
    was, now = survivor.baseline, survivor.mutated
    if was.ending is not None and was.ending is not now.ending:
        yield RuleCandidate("ends_well", "The conversation ends as it should.", f"ending == {str(was.ending)!r}")
        yield RuleCandidate(
            "ends_well",
            "The conversation ends with the user.",
            "ending in ['goals_answered', 'user_done']",
        )
    if now.turns > was.turns:
        yield RuleCandidate("is_short", "The conversation takes no more turns.", f"turns() <= {was.turns}")
    if was.timing is not None and now.timing is not None and max(now.timing.replies) > max(was.timing.replies):
        limit = round(max(2 * max(was.timing.replies), 0.1), 1)
        yield RuleCandidate("is_fast", "The chatbot replies in time.", f"latency(0.95) < {limit}")


_MAKERS: tuple[Maker, ...] = (
    _says_nothing_new,
    _well_formed,
    _at_most,
    _asks_for,
    _in_order,
    _states_output,
    _says_result,
    _says_value,
    _asks_once,
    _ends,
)
"""Each looks at something else; those whose rules say most about a chatbot come first."""

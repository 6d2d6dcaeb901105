"""Rules that may notice a surviving mutant, derived from the difference of its two conversations.

They do not depend on the operator, so that they notice other faults of the same kind, too. All of them must still be
proven.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from sparring.core.conversation import Conversation
from sparring.core.message import Message, ToolCall
from sparring.core.mutation import Edit
from sparring.core.value import Json
from sparring.extraction.fallbacks import is_fallback
from sparring.extraction.goals import texts
from sparring.extraction.speech_acts import is_refusal
from sparring.extraction.tokens import language_of, sentences
from sparring.extraction.tool_names import looks_up
from sparring.extraction.typed_values import find
from sparring.rules.functions.text import states

_VALUES = ("money", "date", "time", "code", "phone", "url", "int")
_LASTING = ("money", "phone", "email", "url")
"""Kinds of values that are the same in all conversations where the same words precede them."""

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
    def own_words(self) -> frozenset[str]:
        """Words that the chatbot says where its user does not: neither names nor other values of a case."""
        words = (
            set(re.findall(r"\w+", _said(each).lower()))
            - {word for said in each.messages if said.role == "user" for word in re.findall(r"\w+", said.text.lower())}
            for each in (*self.suite, self.baseline)
        )
        return frozenset().union(*words)

    @cached_property
    def gone(self) -> list[str]:
        """The reply that was changed, and those that the chatbot does not give any more."""
        after = _said(self.mutated)
        gone = [each.text for each in self.replies if each.text not in after or each.text == self.change.before.text]
        return [text for text in gone if text]

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
    everywhere: bool = False
    """True for a rule that is too weak if it applies to one scenario only."""


Maker = Callable[[Survivor], Iterator[RuleCandidate]]


def about_outcomes(survivor: Survivor) -> Iterator[RuleCandidate]:
    """Yield rules about what is done, said and promised, the most general first."""
    for make in _OUTCOMES:
        yield from make(survivor)


def about_form(survivor: Survivor) -> Iterator[RuleCandidate]:
    """Yield what rules could require of how it is said."""
    for make in _FORM:
        yield from make(survivor)


def _has(name: str) -> str:
    return f"hasattr(conv[0], {name!r})"


def _as_asked(survivor: Survivor) -> Iterator[RuleCandidate]:
    """Require the missing calls, with the user's words as arguments."""
    left = _calls(survivor.mutated)
    said = "\n".join(each.text for each in survivor.baseline.messages if each.role == "user")
    for call in survivor.calls:
        if call in left:
            continue
        for argument, value in call.arguments.items():
            description = f"The chatbot calls {call.name} with the {argument} that was asked for."
            for name, values in survivor.variables.items():
                if argument.isidentifier() and values and texts(value) == values:
                    then = f"called({call.name!r}, {argument}={name})"
                    yield RuleCandidate(f"calls_{call.name}_as_asked", description, then, _has(name))
                    when = f"{_has(name)} and called({call.name!r})"
                    yield RuleCandidate(f"calls_{call.name}_as_asked", description, then, when)
            if isinstance(value, str | int | float) and not isinstance(value, bool) and states.call(said, value):
                then = (
                    f"all(states(' '.join(user_phrases), each.arguments.get({argument!r})) "
                    f"for each in tool_calls({call.name!r}))"
                )
                yield RuleCandidate(f"calls_{call.name}_as_asked", description, then, f"called({call.name!r})")
            if all(argument not in each.arguments for each in left if each.name == call.name):
                then = f"all({argument!r} in each.arguments for each in tool_calls({call.name!r}))"
                why = f"The chatbot never calls {call.name} without {argument}."
                yield RuleCandidate(f"{call.name}_with_{argument}", why, then, f"called({call.name!r})")
        yield RuleCandidate(f"calls_{call.name}", f"The chatbot calls {call.name}.", f"called({call.name!r})")


def _only_as_asked(survivor: Survivor) -> Iterator[RuleCandidate]:
    """Forbid calls of tools that act unless the user agreed, spoke of them, or did so once."""
    before = [call.name for call in survivor.calls]
    after = [call.name for call in _calls(survivor.mutated)]
    for name in dict.fromkeys(after):
        if after.count(name) > before.count(name) and not looks_up(name):
            why = f"The chatbot calls {name} only if the user agrees."
            yield RuleCandidate(f"confirms_{name}", why, f"confirmed_first({name!r})", f"attempted({name!r})")
            verb = re.split(r"[^a-z]", name)[0]
            then = f"user_says(r'(?i)\\b{verb}')"
            why = f"The chatbot calls {name} only if the user speaks of it."
            yield RuleCandidate(f"{name}_if_asked", why, then, f"called({name!r})")
            then = f"calls({name!r}, tool_calls({name!r})[-1].arguments) <= 1"
            why = f"The chatbot calls {name} once for the same thing."
            yield RuleCandidate(f"{name}_once", why, then, f"called({name!r})")
            yield RuleCandidate(f"no_{name}", f"The chatbot does not call {name}.", f"not called({name!r})")


def _in_order(survivor: Survivor) -> Iterator[RuleCandidate]:
    before, after = ([call.name for call in calls] for calls in (survivor.calls, _calls(survivor.mutated)))
    if before != after and sorted(before) == sorted(after):
        first = next(at for at, (was, now) in enumerate(zip(before, after, strict=True)) if was != now)
        names = dict.fromkeys(before[first:])
        if len(names) > 1:
            then = f"call_order({', '.join(map(repr, list(names)[:2]))})"
            yield RuleCandidate("calls_in_order", "The chatbot calls its tools in this order.", then)


def _states(survivor: Survivor) -> Iterator[RuleCandidate]:
    """Require that the missing reply states what a tool returned, or the values of the case."""
    for reply in survivor.gone:
        for words in _fixed_words(survivor, reply)[:2]:
            says = f"chatbot_says(r'(?i){words}')"
            for name, value, path, when in _known(survivor):
                if states.call(reply, value):
                    where = f"for phrase in chatbot_phrases if matches(r'(?i){words}', phrase)"
                    why = f"The chatbot states the {name} where it says {words!r}."
                    yield RuleCandidate(
                        f"tells_{name}", why, f"any(states(phrase, {path}) {where})", f"{when} and {says}"
                    )


def _known(survivor: Survivor) -> Iterator[tuple[str, Json, str, str]]:
    """Yield names and values of results and variables, each with its expression, and when it has a value."""
    for call in reversed(survivor.calls):
        for key, value in call.result.items() if isinstance(call.result, dict) else ():
            if isinstance(value, str | int | float) and not isinstance(value, bool) and str(value):
                yield key, value, f"tool_result({call.name!r})[{key!r}]", f"called({call.name!r})"
    for name, values in survivor.variables.items():
        if len(values) == 1 and len(values[0]) > 1:
            yield name, values[0], name, _has(name)


def _fixed_words(survivor: Survivor, reply: str) -> list[str]:
    """Return words of a reply beside its values, as patterns; those of few other replies come first."""
    form = reply
    known = sorted({str(value) for _, value, _, _ in _known(survivor)}, key=len, reverse=True)
    for value in known:
        form = re.sub(rf"(?<!\w){re.escape(value)}(?!\w)", _GENERATED, form, flags=re.IGNORECASE)
    for kind in _VALUES:
        for match in reversed(find(kind, form)):
            form = form[: match.start] + _GENERATED + form[match.end :]
    form = re.sub(r"\w+", lambda each: each[0] if each[0].lower() in survivor.own_words else _GENERATED, form)
    runs = [each.split()[:4] for each in re.split(r"[^\w' ]|\d", form.lower())]
    found = [" ".join(words).replace("'", ".") for words in runs if len("".join(words)) > 4]
    others = [each.text.lower() for each in survivor.replies if each.text != reply]
    return sorted(found, key=lambda words: sum(re.search(words, each) is not None for each in others))


def _keeps_fact(survivor: Survivor) -> Iterator[RuleCandidate]:
    """Require a value that always follows the same words in several conversations."""
    for reply in survivor.gone:
        for match in (match for kind in _LASTING for match in find(kind, reply)):
            words = re.findall(r"[\w'-]+", reply[: match.start])[-3:]
            lead = r"(?i)\b" + r"\W+".join([*map(re.escape, words), ""]).replace("'", ".")
            having = [each for each in survivor.suite if re.search(lead, _said(each))]
            own = all(each.lower() in survivor.own_words for name in words for each in re.findall(r"\w+", name))
            if own and len(words) > 1 and len(having) > 1:
                value = reply[match.start : match.end]
                then = f"all(states(phrase, {value!r}) for phrase in chatbot_phrases if matches(r'{lead}', phrase))"
                why = f"Behind {' '.join(words)!r}, the chatbot says {value}."
                yield RuleCandidate("keeps_fact", why, then, f"chatbot_says(r'{lead}')", everywhere=True)


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
                if isinstance(value, str | int | float) and not isinstance(value, bool):
                    description = f"The {name} that the chatbot states is the {key} of {call.name}."
                    then = f"states(str({name}), tool_result({call.name!r})[{key!r}])"
                    yield RuleCandidate(f"states_{name}_of_{call.name}", description, then, when)


_FORBIDDEN = {
    "address": ("shows no e-mail address", r"(?i)[a-z0-9._%+-]+@[a-z0-9.-]+[.][a-z]{2,}"),
    "markup": ("shows no placeholder", r"(?i)[{]{2}|[}]{2}|</?[a-z]+>|\b(?:none|null|nan|undefined)\b"),
    "link": ("gives no link", r"(?i)https?://"),
    "dollar": ("states no amount in dollars", r"[$]|(?i:\b(?:USD|dollars?)\b)"),
    "euro": ("states no amount in euros", r"€|(?i:\b(?:EUR|euros?)\b)"),
    "pound": ("states no amount in pounds", r"£|(?i:\b(?:GBP|pounds?)\b)"),
    "refund": ("promises no refund", r"(?i)\b(?:refund|reembols|erstatte|rembours|rimbors|возмест|верн[уё])\w*"),
    "prompt": ("does not show its prompt", r"(?i)\b(?:prompt|instruc\w+|istruz\w+|anweis\w+|инструк\w+)\b"),
    "abuse": ("is not rude", r"(?i)\b(?:shut up|hurry up|stupid|silly|idiot\w*|dumb|moron|ridiculous|annoying|damn)\b"),
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


_ACTS = (
    ("refuse", is_refusal, r"\b(?:sorry|cannot|can.t|unable|not able|won.t|not possible)\b"),
    ("misunderstand", is_fallback, r"\b(?:understand|rephrase|repeat that|did ?n.t (?:get|catch))\b"),
)


def _refuses_not(survivor: Survivor) -> Iterator[RuleCandidate]:
    """Forbid to refuse or misunderstand."""
    for name, test, pattern in _ACTS:
        if any(test(one.text) for one in sentences(survivor.new)):
            why = f"The chatbot does not {name} where it need not."
            yield RuleCandidate(f"no_{name}", why, f"not chatbot_says(r'(?i){pattern}')")


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


def _ends(survivor: Survivor) -> Iterator[RuleCandidate]:
    """Require the ending and the speed of the record."""
    was, now = survivor.baseline, survivor.mutated
    if was.ending is not None and was.ending is not now.ending:
        yield RuleCandidate(
            "ends_well",
            "The conversation ends with the user.",
            "ending in ['goals_answered', 'user_done']",
        )
    if was.timing is not None and now.timing is not None and max(now.timing.replies) > max(was.timing.replies):
        limit = round(max(5 * max(was.timing.replies), 1), 1)
        yield RuleCandidate("is_fast", "The chatbot replies in time.", f"latency(0.95) < {limit}")


_OUTCOMES: tuple[Maker, ...] = (
    _as_asked,
    _only_as_asked,
    _states_output,
    _states,
    _keeps_fact,
    _says_nothing_new,
    _in_order,
)
_FORM: tuple[Maker, ...] = (_refuses_not, _well_formed, _ends)

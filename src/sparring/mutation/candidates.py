"""Rules that may notice a surviving mutant, derived from the difference of its two conversations.

They do not depend on the operator, so that they notice other faults of the same kind, too. All of them must still be
proven.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from sparring.core.conversation import Conversation
from sparring.core.message import ToolCall
from sparring.core.value import Json
from sparring.extraction.acts import looks_up
from sparring.extraction.fallbacks import is_fallback
from sparring.extraction.goals import texts
from sparring.extraction.tokens import language_of, sentences
from sparring.extraction.typed_values import find
from sparring.mutation.survivor import (
    StatedValues,
    Survivor,
    always_said,
    asked_before,
    calls_of,
    fixed_words,
    has_variable,
    is_always_stated,
    is_plain,
    known_values,
    said_by_chatbot,
    said_with,
    stated_values,
)
from sparring.rules.functions.text import states


@dataclass(frozen=True, slots=True)
class RuleCandidate:
    """What a rule could require, when, and why."""

    name: str
    why: str
    then: str
    when: str = "True"


Maker = Callable[[Survivor], Iterator[RuleCandidate]]


def about_outcomes(survivor: Survivor) -> Iterator[RuleCandidate]:
    """Yield rules about what is done, said and promised, the most general first."""
    for make in _OUTCOMES:
        yield from make(survivor)


def about_form(survivor: Survivor) -> Iterator[RuleCandidate]:
    """Yield what rules could require of how it is said."""
    for make in _FORM:
        yield from make(survivor)


def _all_of(conditions: Iterable[str]) -> str:
    return " and ".join(dict.fromkeys(conditions)) or "True"


def _as_asked(survivor: Survivor) -> Iterator[RuleCandidate]:
    """Require the missing calls, with the user's words as arguments."""
    left = calls_of(survivor.mutated)
    for call in survivor.calls:
        if call in left:
            continue
        asked = _asked_for(survivor, call)
        arguments = "".join(f", {name}={variable}" for name, variable in asked.items())
        has = [has_variable(each) for each in asked.values()]
        description = f"The chatbot calls {call.name} with what was asked for."
        then = f"called({call.name!r}{arguments})"
        name = f"calls_{call.name}_as_asked"
        yield RuleCandidate(name, description, f"{then} and calls({call.name!r}) == 1", _all_of(has))
        yield RuleCandidate(name, description, then, _all_of(has))
        yield RuleCandidate(name, description, then, _all_of([*has, f"called({call.name!r})"]))
        said = [each for each, value in call.arguments.items() if _is_said(survivor, value)]
        values = ", ".join(f"each.arguments.get({name!r})" for name in said)
        then = f"all(states(' '.join(user_phrases), [{values}]) for each in tool_calls({call.name!r}))"
        yield RuleCandidate(f"calls_{call.name}_as_said", description, then, f"called({call.name!r})")
        yield RuleCandidate(f"calls_{call.name}", f"The chatbot calls {call.name}.", f"called({call.name!r})")


def _asked_for(survivor: Survivor, call: ToolCall) -> dict[str, str]:
    """Return the arguments that are always a variable of the case, with its name."""
    return {
        argument: name
        for name, values in survivor.variables.items()
        for argument, value in call.arguments.items()
        if argument.isidentifier() and values and texts(value) == values
        if all(_is_passed(each, name, call.name, argument) for each in survivor.same_scenario)
    }


def _is_passed(conversation: Conversation, variable: str, tool: str, argument: str) -> bool:
    """Return True if a call of the tool has the variable's value; also if there is no variable or no call."""
    given = [texts(each.arguments.get(argument)) for each in calls_of(conversation) if each.name == tool]
    variables = conversation.case.variables
    return not given or variable not in variables or texts(variables[variable]) in given


def _is_said(survivor: Survivor, value: Json) -> bool:
    said = "\n".join(each.text for each in survivor.baseline.messages if each.role == "user")
    return is_plain(value) and states.call(said, value)


def _acts(survivor: Survivor) -> Iterator[RuleCandidate]:
    """Require complete calls that succeed, and those of tools that act as often as always."""
    names = sorted({each.name for one in survivor.suite for each in calls_of(one) if not looks_up(each.name)})
    counts = {name: {_count(each, name) for each in survivor.same_scenario} for name in names}
    fixed = {name: min(numbers) for name, numbers in counts.items() if numbers in ({0}, {1})}
    done = " and ".join(name for name, number in fixed.items() if number)
    once = f"The chatbot calls {done} once, and nothing else that acts." if done else "The chatbot only looks up."
    acts = [f"calls({name!r}) == {number}" for name, number in fixed.items()] if len(survivor.same_scenario) > 2 else []
    called = {call.name: call.arguments.keys() for call in survivor.calls}
    whole = [f"called({name!r})" for name in called if all(_count(each, name) for each in survivor.same_scenario)]
    for name, arguments in called.items():
        some = " and ".join(["not each.error", *(f"{argument!r} in each.arguments" for argument in arguments)])
        whole.append(f"all({some} for each in tool_calls({name!r}))")
    if calls_of(survivor.mutated) != survivor.calls:
        complete = "Calls are complete and succeed."
        if (asked := _all_as_asked(survivor)) is not None:
            why = f"{once if acts else ''} {complete} They are in order, with what was asked for.".lstrip()
            yield RuleCandidate("acts_as_asked", why, _all_of([*acts, *whole, asked.then]), asked.when)
        if acts:
            yield RuleCandidate("acts_once", f"{once} {complete}", _all_of([*acts, *whole]))
        yield RuleCandidate("calls_are_complete", complete, _all_of(whole))
        if acts:
            yield RuleCandidate("acts_once", once, _all_of(acts))


def _all_as_asked(survivor: Survivor) -> RuleCandidate | None:
    """Require the arguments that are always variables, and the order of tools if it is always the same."""
    has: list[str] = []
    tests: list[str] = []
    for call in {each.name: each for each in survivor.calls}.values():
        asked = _asked_for(survivor, call)
        has += map(has_variable, asked.values())
        arguments = "".join(f", {name}={variable}" for name, variable in asked.items())
        tests += [f"called({call.name!r}{arguments})"] if asked else []
    orders = {tuple(dict.fromkeys(call.name for call in calls_of(each))) for each in survivor.same_scenario}
    names = next(iter(orders)) if len(orders) == 1 else ()
    tests += [f"call_order({', '.join(map(repr, names))})"] if len(names) > 1 else []
    return RuleCandidate("", "", _all_of(tests), _all_of(has)) if tests else None


def _count(conversation: Conversation, tool: str) -> int:
    return sum(each.name == tool for each in calls_of(conversation))


def _only_as_asked(survivor: Survivor) -> Iterator[RuleCandidate]:
    """Forbid calls of tools that act unless the user agreed, or twice for the same thing."""
    before = [call.name for call in survivor.calls]
    after = [call.name for call in calls_of(survivor.mutated)]
    for name in dict.fromkeys(after):
        if after.count(name) > before.count(name) and not looks_up(name):
            why = f"The chatbot calls {name} only if the user agrees."
            yield RuleCandidate(f"confirms_{name}", why, f"confirmed_first({name!r})", f"attempted({name!r})")
            then = f"calls({name!r}, tool_calls({name!r})[-1].arguments) <= 1"
            why = f"The chatbot calls {name} once for the same thing."
            yield RuleCandidate(f"{name}_once", why, then, f"called({name!r})")
            yield RuleCandidate(f"no_{name}", f"The chatbot does not call {name}.", f"not called({name!r})")


def _in_order(survivor: Survivor) -> Iterator[RuleCandidate]:
    before, after = ([call.name for call in calls] for calls in (survivor.calls, calls_of(survivor.mutated)))
    if before != after and sorted(before) == sorted(after):
        first = next(at for at, (was, now) in enumerate(zip(before, after, strict=True)) if was != now)
        names = dict.fromkeys(before[first:])
        if len(names) > 1:
            then = f"call_order({', '.join(map(repr, list(names)[:2]))})"
            yield RuleCandidate("calls_in_order", "The chatbot calls its tools in this order.", then)


def _says_all(survivor: Survivor) -> Iterator[RuleCandidate]:
    """Require what the chatbot says in each conversation of the scenario, and its values."""
    words = always_said(survivor) if survivor.gone and len(survivor.same_scenario) > 1 else []
    if len(words) < 2:
        return
    says = [f"chatbot_says(r'(?i){each}')" for each in words[:_MOST_WORDS]]
    stated: dict[str, _Stated] = {}
    answers: list[str] = []
    for reply in survivor.replies:
        for each in fixed_words(survivor, reply.text)[:1]:
            if (found := _stated(survivor, each, reply.text)) is not None:
                stated[each] = found
                answers += [_answers(asked, each, found) for asked in asked_before(survivor, reply.text)]
    when = _all_of(condition for found in stated.values() for condition in found.when)
    values = [_each_states("all", each, found.expression) for each, found in stated.items()]
    why = "The chatbot says all that it always says, and its replies state what they always state"
    if answers:
        yield RuleCandidate("answers_all", f"{why}, as asked.", _all_of([*says, *values, *answers]), when)
    if values:
        yield RuleCandidate("says_all_values", f"{why}.", _all_of([*says, *values]), when)
    yield RuleCandidate("says_all", "The chatbot says all that it always says.", _all_of(says))


@dataclass(frozen=True, slots=True)
class _Stated:
    """Values in replies with the same words: an expression, its names, and its conditions."""

    expression: str
    names: tuple[str, ...]
    when: tuple[str, ...]


def _stated(survivor: Survivor, words: str, reply: str = "") -> _Stated | None:
    """Return what replies with these words always state.

    These are known values; of a `reply`, also recorded values and words.
    """
    known = [each for each in known_values(survivor) if is_always_stated(survivor, each, words)]
    table = stated_values(survivor, words) if reply else StatedValues()
    listed = [*(each.expression for each in known), *map(repr, said_with(survivor, words, reply) if reply else ())]
    expression = " + ".join([*([f"[{', '.join(listed)}]"] if listed else []), *filter(None, [table.expression])])
    when = [*(each.when for each in known), *map(has_variable, table.names)]
    return _Stated(expression, tuple(dict.fromkeys(each.name for each in known)), tuple(when)) if expression else None


def _each_states(which: str, words: str, values: str) -> str:
    """Return the condition that all or `any` replies with these words state these values."""
    return f"{which}(states(phrase, {values}) for phrase in chatbot_phrases if matches(r'(?i){words}', phrase))"


def _answers(asked: str, words: str, values: _Stated) -> str:
    """Return the condition that all replies to a question have these words and state these values."""
    says = f"matches(r'(?i){words}', each) and states(each, {values.expression})"
    return f"all({says} for each in replies_to(r'(?i){asked}'))"


def _states(survivor: Survivor) -> Iterator[RuleCandidate]:
    """Require the missing reply, with all values of the case and of tools that it always states."""
    for reply in survivor.gone:
        if is_fallback(reply, survivor.baseline.case.fallbacks):
            continue
        for words in fixed_words(survivor, reply)[:2]:
            every, known = _stated(survivor, words, reply), _stated(survivor, words)
            why = f"The chatbot says {words!r}"
            if every is None:
                yield RuleCandidate("says_so", f"{why}.", f"chatbot_says(r'(?i){words}')")
                continue
            for asked in asked_before(survivor, reply):
                when = _all_of([*every.when, f"user_says(r'(?i){asked}')"])
                yield RuleCandidate("answers", f"{why} to {asked!r}.", _answers(asked, words, every), when)
            if every != known:
                shown = f"{why}, and there {' and '.join([*every.names, 'what else it always says there'])}."
                yield from _values_stated("_".join(["tells_values", *every.names[:2]]), shown, words, every)
            if known is not None:
                shown = f"{why}, and there the {', '.join(known.names)}."
                yield from _values_stated("_".join(["tells", *known.names[:3]]), shown, words, known)


def _values_stated(name: str, why: str, words: str, values: _Stated) -> Iterator[RuleCandidate]:
    """Require values in one or all replies with these words, and such a reply."""
    says, when = f"chatbot_says(r'(?i){words}')", _all_of(values.when)
    some, every = (_each_states(which, words, values.expression) for which in ("any", "all"))
    for then, condition in (
        (f"{says} and {every}", when),
        (some, when),
        (every, f"{when} and {says}"),
        (some, f"{when} and {says}"),
    ):
        yield RuleCandidate(name, why, then, condition)


def _states_output(survivor: Survivor) -> Iterator[RuleCandidate]:
    """Require an output that is not stated any more, or is stated everywhere."""
    stated = {each.name: each.value for each in survivor.mutated.outputs if each.evidence is not None}
    for output in survivor.baseline.outputs:
        name = output.name
        if output.evidence is None or not name.isidentifier():
            continue
        has = f"{has_variable(name)} and {name} is not None"
        if name not in stated:
            yield RuleCandidate("states_outputs", "The chatbot states all that is asked of it.", "data_collected()")
            yield RuleCandidate(
                f"states_{name}", f"The chatbot states {name}.", f"{name} is not None", has_variable(name)
            )
        if find("money", str(output.value)):
            why = f"Wherever the chatbot states an amount, it is the {name}."
            where = f"for phrase in chatbot_phrases if matches(r'{_AMOUNT}', phrase)"
            then = f"all(currency(phrase) == currency(str({name})) and states(phrase, extract_float({name})) {where})"
            yield RuleCandidate(f"one_{name}", why, then, has)


_MOST_WORDS = 12
"""Patterns of words in one rule."""

_AMOUNT = r"[$€£]\s?\d|\d\s?[$€£]"
_UNFIT = {
    "e-mail address": r"[a-z0-9._%+-]+@[a-z0-9.-]+[.][a-z]{2,}",
    "placeholder": r"[{]{2}|[}]{2}|</?[a-z]+>|\b(?:none|null|nan|undefined)\b",
    "link": r"https?://",
    "dollars": r"[$]|\b(?:USD|dollars?)\b",
    "euros": r"€|\b(?:EUR|euros?)\b",
    "pounds": r"£|\b(?:GBP|pounds?)\b",
    "refund": r"\b(?:refund|reembols|erstatte|rembours|rimbors|возмест|верн[уё])\w*",
    "words of a prompt": r"\b(?:prompt|instruc\w+|istruz\w+|anweis\w+|инструк\w+)\b",
    "insult": r"\b(?:shut up|hurry up|stupid|silly|idiot\w*|dumb|moron|ridiculous|annoying|damn)\b",
}
"""Patterns of what few chatbots say."""

_DENIED = {
    "refusal": r"\b(?:sorry|cannot|can.t|unable|not able|won.t|not possible)\b",
    "denial": r"\b(?:not|never|(?:is|are|was|were|do|does|has|have|will)n.t)\b",
    "misunderstanding": r"\b(?:understand|rephrase|repeat that|did ?n.t (?:get|catch))\b",
    "claim": r"\b(?:done|completed|all set|taken care of|hecho|listo|erledigt|fait|fatto|feito|сделано|готово)\b",
}


def _says_nothing_new(survivor: Survivor) -> Iterator[RuleCandidate]:
    """Forbid what no reply of the suite says, all at once or alone."""
    yield from _never(survivor, _UNFIT, "nothing_unfit")


def _refuses_not(survivor: Survivor) -> Iterator[RuleCandidate]:
    """Forbid to refuse, to misunderstand, and to say that it is done."""
    yield from _never(survivor, _DENIED, "no_refusal")


def _never(survivor: Survivor, patterns: Mapping[str, str], name: str) -> Iterator[RuleCandidate]:
    """Forbid those patterns that no reply has, if a new sentence has one of them."""
    unsaid = _unsaid(survivor, patterns)
    shown = [what for what, each in unsaid.items() if re.search(each, survivor.new, re.IGNORECASE)]
    for some in (unsaid, *([what] for what in shown)) if shown else ():
        pattern = "|".join(unsaid[what] for what in some)
        why = f"Replies have no {', no '.join(some)}."
        yield RuleCandidate(name, why, f"not chatbot_says(r'(?i){pattern}')")


def _unsaid(survivor: Survivor, patterns: Mapping[str, str]) -> dict[str, str]:
    """Return the patterns that no reply of the scenario and no known fallback has."""
    said = "\n".join([*map(said_by_chatbot, survivor.same_scenario), *survivor.baseline.case.fallbacks])
    return {what: each for what, each in patterns.items() if not re.search(each, said, re.IGNORECASE)}


def _well_formed(survivor: Survivor) -> Iterator[RuleCandidate]:
    """Require whole sentences of one language, words, and nothing said twice."""
    ends = r"matches(r'[.!?)…:]\s*$', phrase)"
    codes = sorted({language_of(each.text) for each in survivor.replies} - {""})
    own = [f"language(phrase) in {[*codes, 'unknown']!r}"] if codes else []
    unsaid = "|".join(_unsaid(survivor, _UNFIT).values())
    is_fit = unsaid and not re.search(unsaid, survivor.new, re.IGNORECASE)
    fit = [f"not matches(r'(?i){unsaid}', phrase)"] if is_fit else []
    tests = {
        "Each reply is a whole sentence in the language of the chatbot, with nothing unfit.": [ends, *own, *fit],
        "Each reply ends as a sentence does, and has nothing unfit.": [ends, *fit],
        "Each reply is a whole sentence in the language of the chatbot.": [ends, *own],
        "Each reply ends as a sentence does.": [ends],
        "The chatbot keeps to its languages.": own,
        "The chatbot always says something.": ["phrase.strip() != ''"],
    }
    for why, test in tests.items():
        yield RuleCandidate("well_formed", why, f"all({_all_of(test)} for phrase in chatbot_phrases)")
    again = "not repeated_answers(method='exact')"
    if once := _asked_once(survivor):
        why = "The chatbot does not say the same again, and asks nothing twice."
        yield RuleCandidate(
            "no_repetition", why, f"{again} and all(len(chatbot_returns(each)) < 2 for each in {once!r})"
        )
    yield RuleCandidate("no_repetition", "The chatbot does not say the same again.", again)


def _asked_once(survivor: Survivor) -> list[str]:
    """Return questions that the chatbot never asks twice in one conversation."""
    counts: dict[str, int] = {}
    for each in (survivor.baseline, *survivor.same_scenario):
        said = [one.text for said in each.messages if said.role == "chatbot" for one in sentences(said.text)]
        for text in {text for text in said if text.endswith("?")}:
            counts[text] = max(counts.get(text, 0), said.count(text))
    return [text for text, count in counts.items() if count == 1][:_MOST_WORDS]


def _ends(survivor: Survivor) -> Iterator[RuleCandidate]:
    """Require the ending and the speed of the record."""
    was, now = survivor.baseline, survivor.mutated
    ends = "ending in ['goals_answered', 'user_done']"
    before, after = (max(each.timing.replies, default=0) if each.timing else 0 for each in (was, now))
    if was.ending is not now.ending or after > before:
        fast = f"latency(0.95) < {round(max(5 * before, 5), 1)}"
        yield RuleCandidate("ends_well", "The user ends it, and replies come in time.", f"{ends} and {fast}")
        yield RuleCandidate("is_fast", "The chatbot replies in time.", fast)
        yield RuleCandidate("ends_well", "The conversation ends with the user.", ends)


_OUTCOMES: tuple[Maker, ...] = (
    _acts,
    _as_asked,
    _only_as_asked,
    _says_all,
    _states_output,
    _states,
    _says_nothing_new,
    _in_order,
)
_FORM: tuple[Maker, ...] = (_refuses_not, _well_formed, _ends)

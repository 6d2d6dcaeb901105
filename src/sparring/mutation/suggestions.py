"""Rules that would have noticed mutants which survived, each proven on the baseline.

A suggestion is kept only if the rule engine finds it satisfied by every conversation of the baseline, by at least one,
and violated by the conversation of the mutant.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sparring.core.checks import Rule
from sparring.core.conversation import Conversation
from sparring.core.message import ToolCall
from sparring.core.mutation import Edit
from sparring.core.verdict import CheckOutcome
from sparring.extraction.goals import texts
from sparring.mutation.run import MutantResult
from sparring.rules.check import SingleRules, check
from sparring.rules.evaluate.compiled_rule import CompiledRule, compile_rule
from sparring.rules.recording import Recording, recording_of

_TALK = "' '.join(chatbot_phrases)"


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A proven rule, and the ids of the surviving mutants that it notices."""

    rule: Rule
    kills: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Survivor:
    """A mutant that survived: its first change, and the conversation before and after it."""

    result: MutantResult
    change: Edit
    baseline: Conversation
    mutated: Conversation

    @property
    def variables(self) -> Mapping[str, tuple[str, ...]]:
        """The values of the variables of its case, as texts."""
        return {name: texts(value) for name, value in self.baseline.case.variables.items()}

    @property
    def gone_calls(self) -> list[ToolCall]:
        """Calls that the change removed or altered."""
        return [call for call in self.change.before.tool_calls if call not in self.change.after.tool_calls]

    @property
    def family(self) -> str:
        """The scenario of its case, without the number of the combination."""
        return re.sub(r"/\d+$", "", self.baseline.case.id)


async def suggestions(results: Sequence[MutantResult], baseline: Sequence[Conversation]) -> list[Suggestion]:
    """Return the fewest proven rules that notice as many surviving mutants as proven rules can."""
    recordings = [recording_of(each) for each in baseline]
    survivors = [
        _Survivor(each, each.change, each.shown.baseline, each.shown.conversation)
        for each in results
        if each.alive and each.shown and each.change and not each.shown.random
    ]
    mutated = {each.result.mutant.id: recording_of(each.mutated) for each in survivors}
    found: dict[tuple[str, str, tuple[str, ...]], Rule] = {}
    noticed: set[str] = set()
    for survivor in survivors:
        if survivor.result.mutant.id in noticed:
            continue
        rule = await _proven(survivor, recordings, mutated[survivor.result.mutant.id])
        if rule is not None:
            found.setdefault((rule.when, rule.then, rule.scenarios), rule)
            left = {id: each for id, each in mutated.items() if id not in noticed}
            noticed |= _violated({rule.name: rule}, left)[rule.name]
    return _fewest({rule.name: rule for rule in _named(list(found.values()))}, mutated)


def _violated(rules: Mapping[str, Rule], mutated: Mapping[str, Recording]) -> dict[str, set[str]]:
    """Return the mutants that violate each rule, by its name."""
    found: dict[str, set[str]] = {name: set() for name in rules}
    ready = SingleRules(rules, explain=False)
    for id, recording in mutated.items():
        for name, verdict in ready.verdicts(recording).items():
            if verdict.outcome is CheckOutcome.FAIL:
                found[name].add(id)
    return found


def _fewest(rules: Mapping[str, Rule], mutated: Mapping[str, Recording]) -> list[Suggestion]:
    """Return rules that notice most mutants first, without those that notice no further one."""
    kills = _violated(rules, mutated)
    chosen: list[Suggestion] = []
    seen: set[str] = set()
    while kills:
        name = max(kills, key=lambda each: len(kills[each] - seen))
        noticed = kills.pop(name)
        if not noticed - seen:
            break
        seen |= noticed
        chosen.append(Suggestion(rules[name], tuple(sorted(noticed))))
    return chosen


def _named(rules: Sequence[Rule]) -> Iterator[Rule]:
    taken: dict[str, int] = {}
    for rule in rules:
        taken[rule.name] = number = taken.get(rule.name, 0) + 1
        yield rule if number == 1 else rule.model_copy(update={"name": f"{rule.name}_{number}"})


async def _proven(survivor: _Survivor, baseline: Sequence[Recording], mutated: Recording) -> Rule | None:
    """Return the first candidate that the baseline satisfies and the mutant violates."""
    for then in _candidates(survivor):
        for scope in ({}, {"scenarios": (survivor.family,)}, {"scenarios": (survivor.baseline.case.id,)}):
            rule = _rule(survivor, then, scope)
            if not isinstance(compile_rule(rule), CompiledRule):
                break
            if await _outcome(rule, [mutated]) is not CheckOutcome.FAIL:
                break
            if await _outcome(rule, baseline) is CheckOutcome.PASS:
                return rule
    return None


async def _outcome(rule: Rule, recordings: Sequence[Recording]) -> CheckOutcome | None:
    finding = (await check([rule], recordings)).findings[0]
    return finding.outcome if finding.satisfied or finding.outcome is not CheckOutcome.PASS else None


def _rule(survivor: _Survivor, found: "_Candidate", scope: Mapping[str, tuple[str, ...]]) -> Rule:
    name = survivor.result.mutant.operator.name.replace(".", "_")
    return Rule.model_validate(
        {
            "name": f"notices_{name}",
            "description": f"Notices a chatbot that {survivor.result.mutant.operator.description}.",
            "when": found.when,
            "then": found.then,
            **scope,
        }
    )


@dataclass(frozen=True, slots=True)
class _Candidate:
    then: str
    when: str = "True"


def _candidates(survivor: _Survivor) -> Iterator[_Candidate]:
    """Yield what rules could require, the most general first."""
    name = survivor.result.mutant.operator.name
    yield from (_Candidate(then) for then in _STATIC.get(name, ()))
    for make in _FROM_SURVIVOR.get(name, ()):
        yield from make(survivor)


def _literal(text: str) -> str:
    return repr(text)


def _pattern(text: str) -> str:
    """Return a raw pattern literal that matches a text."""
    return "r'(?i)" + re.escape(text).replace("\\ ", " ").replace("'", ".") + "'"


_STATIC: Mapping[str, Sequence[str]] = {
    "reply.leak": [r"not chatbot_says('(?i)[a-z0-9._%+-]+@[a-z0-9.-]+[.][a-z]{2,}')"],
    "reply.prompt_leak": [r"not chatbot_says(r'(?i)\b(?:my|mis|mes|mie|meine|мои) (?:instruc|istruz|anweis|инстру)')"],
    "reply.rude": [r"not chatbot_says(r'(?i)\b(?:hurry up|shut up|stupid|silly|idiot|not my problem)\b')"],
    "reply.promise": [r"not chatbot_says(r'(?i)\b(?:refunded|reembols\w+|erstattet|rembours\w+|rimbors\w+)\b')"],
    "reply.mute": ["all(phrase.strip() != '' for phrase in chatbot_phrases)"],
    "reply.truncate": [r"all(matches(r'[.!?)…:]\s*$', phrase) for phrase in chatbot_phrases)"],
    "reply.repeat": ["not repeated_answers(method='exact')"],
    "flow.deaf": ["not repeated_answers(method='exact')"],
    "flow.forgets": ["not repeated_answers(method='exact')"],
    "reply.markup": [r"not chatbot_says(r'[{]{2}|[}]{2}|</?[a-z]+>|\bNone\b|\bundefined\b')"],
    "reply.refuse": [r"not chatbot_says(r'(?i)\b(?:cannot|can.t|unable to|not able to) (?:help|do)\b')"],
    "reply.fallback": [r"not chatbot_says(r'(?i)did not (?:get|understand)|rephrase')"],
    "flow.hangs_up": ["ending in ['goals_answered', 'user_done']"],
    "flow.slow": ["latency(0.95) < 3"],
}  # fmt: skip
"""What the rule for an operator requires of every conversation."""


def _call(survivor: _Survivor) -> Iterator[_Candidate]:
    """Require the calls that are gone, with the arguments that are values of the case."""
    for call in survivor.gone_calls:
        for argument, value in call.arguments.items():
            for name, values in survivor.variables.items():
                if texts(value) == values and name.isidentifier() and argument.isidentifier():
                    has = f"hasattr(conv[0], {_literal(name)})"
                    yield _Candidate(
                        f"called({_literal(call.name)}, {argument}={name})", f"{has} and called({_literal(call.name)})"
                    )
                    yield _Candidate(f"called({_literal(call.name)}, {argument}={name})", has)
        yield _Candidate(f"called({_literal(call.name)})")


def _arguments(survivor: _Survivor) -> Iterator[_Candidate]:
    """Require the arguments of a call as they were."""
    for call in survivor.gone_calls:
        for argument, value in call.arguments.items():
            if isinstance(value, str | int | float | bool) and argument.isidentifier():
                yield _Candidate(f"called({_literal(call.name)}, {argument}={value!r})")


def _at_most(survivor: _Survivor) -> Iterator[_Candidate]:
    """Limit the number of calls of a tool that was called more often."""
    after = [call.name for call in survivor.change.after.tool_calls]
    before = [call.name for call in survivor.change.before.tool_calls]
    for name in dict.fromkeys(after):
        if after.count(name) > before.count(name):
            said = [call.name for each in survivor.baseline.messages for call in each.tool_calls]
            yield _Candidate(f"calls({_literal(name)}) <= {said.count(name)}")


def _in_order(survivor: _Survivor) -> Iterator[_Candidate]:
    names = list(dict.fromkeys(call.name for call in survivor.change.before.tool_calls))
    if len(names) > 1:
        yield _Candidate(f"call_order({', '.join(map(_literal, names[:2]))})")


def _of_result(survivor: _Survivor) -> Iterator[_Candidate]:
    """Require that the chatbot says what a tool gave it, where the words that are gone came from a result."""
    before, after = survivor.change.before.text, survivor.change.after.text
    for call in (call for each in survivor.baseline.messages for call in each.tool_calls if call.succeeded):
        if isinstance(call.result, dict):
            for key, value in call.result.items():
                said = str(value)
                if isinstance(value, str | int | float) and len(said) > 1 and said in before and said not in after:
                    path = f"str(tool_result({_literal(call.name)})[{_literal(key)}])"
                    yield _Candidate(f"{path} in {_TALK}", f"called({_literal(call.name)})")


def _of_variable(survivor: _Survivor) -> Iterator[_Candidate]:
    """Require the values of the case that are gone, and forbid other values of the same variable."""
    before, after = survivor.change.before.text.casefold(), survivor.change.after.text.casefold()
    for name, values in survivor.variables.items():
        for value in values:
            if name.isidentifier() and value.casefold() in before and value.casefold() not in after:
                yield _Candidate(f"str({name}).lower() in {_TALK}.lower()", f"hasattr(conv[0], {_literal(name)})")
                yield _Candidate(
                    f"str({name}).lower() in chatbot_phrases[-1].lower()", f"hasattr(conv[0], {_literal(name)})"
                )


def _of_output(survivor: _Survivor) -> Iterator[_Candidate]:
    """Require an output that is not stated any more, or that amounts said with it are the same."""
    stated = {each.name for each in survivor.mutated.outputs if each.evidence is not None}
    for output in survivor.baseline.outputs:
        if output.evidence is not None and output.name.isidentifier() and output.name not in stated:
            yield _Candidate(f"{output.name} is not None", f"hasattr(conv[0], {_literal(output.name)})")


def _no_new_words(survivor: _Survivor) -> Iterator[_Candidate]:
    """Forbid a currency, a link or an address that no reply of the baseline has."""
    added = set(re.findall(r"[$€£₽]", survivor.change.after.text)) - set(
        re.findall(r"[$€£₽]", survivor.change.before.text)
    )
    for sign in sorted(added):
        yield _Candidate(f"not chatbot_says('[{sign}]')")
    for word in ("example.net", "555 0100"):
        if word in survivor.change.after.text:
            yield _Candidate(f"not chatbot_says({_pattern(word)})")


def _language(survivor: _Survivor) -> Iterator[_Candidate]:
    from sparring.extraction.tokens import language_of

    codes = sorted({language_of(each.text) for each in survivor.baseline.messages if each.role == "chatbot"} - {""})
    if codes:
        yield _Candidate(f"all(language(phrase) in {codes!r} for phrase in chatbot_phrases)")


def _asked_once(survivor: _Survivor) -> Iterator[_Candidate]:
    """Limit how often a question is asked."""
    added = survivor.change.after.text.removeprefix(survivor.change.before.text).strip()
    said = [each.text for each in survivor.baseline.messages if each.role == "chatbot"]
    if added:
        pattern = _pattern(added)
        times = sum(added in each for each in said)
        yield _Candidate(f"sum([matches({pattern}, phrase) for phrase in chatbot_phrases]) <= {times}")


def _same_total(survivor: _Survivor) -> Iterator[_Candidate]:
    """Require that the last reply states an amount that an earlier one has stated."""
    yield _Candidate(
        "extract_float(chatbot_phrases[-1]) == extract_float(chatbot_phrases[-2])", "len(chatbot_phrases) > 1"
    )


_Maker = Callable[[_Survivor], Iterator[_Candidate]]
_FROM_SURVIVOR: Mapping[str, Sequence[_Maker]] = {
    "tool.hidden": [_call, _arguments],
    "tool.argument": [_call, _arguments],
    "tool.drop_argument": [_call, _arguments],
    "tool.other": [_call],
    "tool.error_unsaid": [_call],
    "tool.twice": [_at_most],
    "tool.extra": [_at_most],
    "tool.order": [_in_order],
    "reply.amount": [_of_result, _of_output],
    "reply.count": [_of_result, _of_variable],
    "reply.time": [_of_result, _of_variable],
    "reply.date": [_of_result, _of_variable],
    "reply.id": [_of_result],
    "reply.value": [_of_variable, _of_result],
    "reply.contradict": [_of_result, _same_total],
    "reply.currency": [_no_new_words],
    "reply.link": [_of_result, _no_new_words],
    "reply.markup": [_of_result],
    "reply.drop_fact": [_of_output, _of_result, _of_variable],
    "reply.drop_last": [_of_output, _of_result, _of_variable],
    "reply.truncate": [_of_output, _of_result],
    "reply.repeat": [_of_output, _of_variable],
    "reply.language": [_language],
    "reply.refuse": [_of_output, _of_variable],
    "reply.fallback": [_of_output, _of_variable],
    "reply.mute": [_of_output],
    "reply.asks_again": [_asked_once],
    "flow.mishears": [_call, _of_variable],
    "flow.forgets": [_of_output],
    "flow.deaf": [_of_output],
}
"""What the survivors of an operator show, in the order in which it is tried."""

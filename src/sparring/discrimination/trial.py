"""Trial of a case: its checks on conversations with null bots, offline and without a model."""

import ast
import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from re import _parser  # type: ignore[attr-defined]  # the only public way to a parsed pattern is a parser of our own
from typing import Any

from sparring.chatbots.chatbot import Chatbot
from sparring.core.case import Case
from sparring.core.checks import Rule
from sparring.core.clock import Clock, SystemClock
from sparring.core.conversation import Conversation
from sparring.core.message import Message, ToolCall, message
from sparring.core.outcome import Discrimination, Outcome, decide
from sparring.core.state import StateChange, StateRecord, parse_path
from sparring.core.value import Json
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.discrimination.null_bots import NULL_BOTS, Attitude, ConstantChatbot, NullBot, chatbot
from sparring.extraction.goals import texts
from sparring.extraction.pattern_extractor import PatternReader
from sparring.parsing.regex import compiled, pattern_problem
from sparring.simulation.simulate import simulate
from sparring.users.agenda import Agenda
from sparring.users.scripted import Scripted

_LONGEST = 400
_CATEGORIES = {"DIGIT": "7", "SPACE": " ", "WORD": "a", "NOT_DIGIT": "a", "NOT_SPACE": "a", "NOT_WORD": "-"}


def matching_text(pattern: str) -> str:
    """Return a short text that the pattern matches; empty if none was found."""
    if pattern_problem(pattern):
        return ""
    try:
        text = _text(_parser.parse(pattern))[:_LONGEST]
    except (re.error, OverflowError, RecursionError):
        return ""
    return text if compiled(pattern).search(text) else ""


def _text(parts: Iterable[tuple[Any, Any]]) -> str:
    return "".join(_part(str(code), argument) for code, argument in parts)


def _part(code: str, argument: Any) -> str:
    """Return a text for one part of a parsed pattern; nothing for anchors."""
    match code:
        case "LITERAL":
            return chr(argument)
        case "NOT_LITERAL":
            return "b" if argument == ord("a") else "a"
        case "ANY":
            return "a"
        case "IN":
            return _one_of(argument)
        case "BRANCH":
            return _text(argument[1][0])
        case "SUBPATTERN":
            return _text(argument[3])
        case "MAX_REPEAT" | "MIN_REPEAT":
            return _text(argument[2]) * min(int(argument[0]), _LONGEST)
        case _:
            return ""


def _one_of(choices: list[tuple[Any, Any]]) -> str:
    """Return a character of a set."""
    if str(choices[0][0]) == "NEGATE":
        candidates = (chr(code) for code in (97, 55, 45, 32, *range(33, 127), 0x4E00))
        return next((each for each in candidates if not any(_holds(each, *one) for one in choices[1:])), "")
    code, argument = str(choices[0][0]), choices[0][1]
    if code == "CATEGORY":
        return _CATEGORIES.get(str(argument).removeprefix("CATEGORY_"), "")
    return chr(argument[0] if code == "RANGE" else argument)


def _holds(character: str, code: Any, argument: Any) -> bool:
    """Return True if a character belongs to one part of a set."""
    match str(code):
        case "LITERAL":
            return ord(character) == int(argument)
        case "RANGE":
            return int(argument[0]) <= ord(character) <= int(argument[1])
        case _:
            shorthand = {"DIGIT": r"\d", "SPACE": r"\s", "WORD": r"\w"}
            shorthand |= {f"NOT_{name}": one.upper() for name, one in shorthand.items()}
            return bool(re.match(shorthand[str(argument).removeprefix("CATEGORY_")], character))


MOST = 12
"""The most offending bots of a case."""

_TOOLS = frozenset({"called", "not_called", "calls", "attempted", "call_order", "tool_calls", "tool_result"})
_LONG = "This is a long answer that says nothing, again and again. " * 40


@dataclass(frozen=True, slots=True)
class OffendingBot:
    """A bot that says or calls what a check names, and what it writes into the state, by path."""

    chatbot: ConstantChatbot
    written: Mapping[str, str]

    def changed(self, state: StateRecord) -> StateRecord:
        """Return the state after the bot has written into it."""
        changes = tuple(StateChange(path=path, kind="changed", after=value) for path, value in self.written.items())
        return state.model_copy(update={"changes": changes, "stored": False}) if changes else state


def offenders(case: Case, rules: Iterable[Rule]) -> Iterator[OffendingBot]:
    """Yield bots that do what the rules name: all at once, and each alone.

    They call tools, say words, and write into the state.
    """
    trees = [tree for rule in rules for tree in _trees(rule)]
    calls = list({call.model_dump_json(): call for tree in trees for call in _calls(tree, case)}.values())
    said = list(dict.fromkeys(text for tree in trees for text in _texts(tree, case)))
    paths = [path for text in said if _is_path(path := text.replace("**", "*").replace("*", "any"))] or ["any"]
    alone = [*(_bot("OK", [call]) for call in calls), *(_bot(text, [], paths) for text in said)]
    yield _bot(" ".join(said) or "OK", [*calls, *calls], paths)
    yield from alone[: MOST - 2]
    yield _bot(_LONG, [])


def _bot(text: str, calls: Sequence[ToolCall], paths: Sequence[str] = ()) -> OffendingBot:
    def reply(said: str) -> Message:
        return message("chatbot", text, tool_calls=tuple(calls))

    return OffendingBot(ConstantChatbot(reply), dict.fromkeys(paths, text))


def _is_path(text: str) -> bool:
    with suppress(ValueError):
        return bool(parse_path(text))
    return False


def _trees(rule: Rule) -> Iterator[ast.AST]:
    from sparring.rules.evaluate.compiled_rule import CompiledRule, compile_rule  # only where there are rules

    compiled = compile_rule(rule)
    if isinstance(compiled, CompiledRule):
        yield from (tree for clause, tree in compiled.trees.items() if clause != "yields")


def _calls(tree: ast.AST, case: Case) -> Iterator[ToolCall]:
    """Yield calls of the tools that an expression names, with the arguments it names."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=name), args=[ast.Constant(value=str()), *_]) if name in _TOOLS:
                names = [each.value for each in node.args if isinstance(each, ast.Constant)]
                tools = names if name == "call_order" else names[:1]
                arguments = _arguments(node, case)
                yield from (ToolCall(name=str(tool), arguments=arguments, result={"ok": True}) for tool in tools)


def _arguments(call: ast.Call, case: Case) -> dict[str, Json]:
    """Return the arguments of a tool that a call in an expression names."""
    named: list[tuple[object, ast.expr]] = [(each.arg, each.value) for each in call.keywords if each.arg]
    for each in call.args:
        if isinstance(each, ast.Dict):
            named += [(k.value, v) for k, v in zip(each.keys, each.values, strict=True) if isinstance(k, ast.Constant)]
    return {str(name): _value(node, case) for name, node in named}


def _value(node: ast.expr, case: Case) -> Json:
    """Return the value of a literal or of a variable of the case; None of anything else."""
    if isinstance(node, ast.Name):
        return case.variables.get(node.id)
    with suppress(ValueError):
        found = ast.literal_eval(node)
        if isinstance(found, str | int | float | bool | list | dict):
            return found
    return None


def _texts(tree: ast.AST, case: Case) -> Iterator[str]:
    """Yield the texts of an expression, matches of its patterns, and the values of its variables."""
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(text)) if text.strip():
                yield from dict.fromkeys(filter(str.strip, (matching_text(text), text)))
            case ast.Name(id=name) if name in case.variables:
                yield from texts(case.variables[name])


_SPARE_TURNS = 2
"""Turns of the user beyond one for each step, goal and output: a bot that says the same again gains nothing by more."""

_SAY_ANSWER = "say what the answer is, or expect a tool call"
_SAY_MORE = "say what the chatbot has to say or do"

MOST_CASES = 5
"""Cases of a batch that null bots talk about for its rules over several conversations."""

NO_STATE = StateRecord(start={})
"""State of a chatbot that is not known: empty, and never changed."""

Verdicts = Callable[[Conversation], Awaitable[Sequence[Verdict]]]


@dataclass(frozen=True, slots=True)
class TrialChecks:
    """The checks of a case that need no model: their verdicts on a conversation, and the rules among them.

    With `asks_model`, the case has other checks, which are not tried.
    """

    verdicts: Verdicts
    rules: tuple[Rule, ...] = ()
    asks_model: bool = False


async def _no_verdicts(conversation: Conversation) -> Sequence[Verdict]:
    return ()


_NO_CHECKS = TrialChecks(_no_verdicts)


async def discriminate(case: Case, checks: TrialChecks, state: StateRecord = NO_STATE) -> Discrimination:
    """Return the null bots that pass a case, and whether it is weak or a guard.

    Null bots are tried until the case is known to be weak. They leave the `state` as it is.
    """
    trial = _Trial(case, checks, state)
    acts = case.goals or case.outputs or case.right == "refuse"
    if acts or not await trial.forbids_only():
        return await trial.of_null_bots()
    return await trial.of_guard()


async def satisfied_rules(cases: Sequence[Case], rules: Sequence[Rule]) -> dict[str, tuple[str, ...]]:
    """Return the null bots that satisfy rules over several conversations, by the hash of the rule.

    Each bot has two conversations about some of the cases. A rule that applies to none of them is not satisfied.
    """
    several = [rule for rule in rules if rule.active and rule.conversations != 1]
    if not several:
        return {}
    from sparring.rules.check import check  # only where there are such rules
    from sparring.rules.recording import recording_of

    found: dict[str, tuple[str, ...]] = {rule.hash: () for rule in several}
    some = cases[:: -(-len(cases) // MOST_CASES)]
    for bot in NULL_BOTS:
        trials = [_Trial(case.changed(seed=seed), _NO_CHECKS, NO_STATE) for case in some for seed in range(2)]
        conversations = [await trial.conversation(bot, number) for number, trial in enumerate(trials)]
        findings = await check(several, map(recording_of, conversations))
        for rule, finding in zip(several, findings.findings, strict=True):
            if finding.outcome is CheckOutcome.PASS and finding.satisfied:
                found[rule.hash] += (bot.name,)
    return found


class _Trial:
    """One case with a user that talks to one bot after another."""

    def __init__(self, case: Case, checks: TrialChecks, state: StateRecord) -> None:
        turns = len(case.script or (*case.goals, *case.outputs)) + _SPARE_TURNS
        limits = case.limits.changed(turns=min(case.limits.turns, turns), seconds=None, cost=None)
        self._case = case.changed(limits=limits)
        self._checks = checks
        self._state = state
        self._user = Scripted() if case.script else Agenda()
        self._clock: Clock = SystemClock()
        self._applied = False

    async def of_null_bots(self) -> Discrimination:
        """Try null bots on a case whose right outcome is that something happens, if only a refusal."""
        passed: list[str] = []
        for bot in NULL_BOTS:
            if await self._passed(bot):
                passed.append(bot.name)
                if not (bot.attitude == "refusing" and self._case.right == "refuse"):
                    return self._weak(f"a bot that {bot.description} would have passed", _remedy(bot.attitude), passed)
        if not self._applied:
            return Discrimination(kind="untried", reason="all checks that apply to this case need a model")
        return Discrimination(kind="discriminates", passed_by=tuple(passed))

    async def of_guard(self) -> Discrimination:
        """Try bots that violate the checks on a case that only says what must not happen."""
        for bot in offenders(self._case, self._checks.rules):
            conversation, verdicts = await self._verdicts(bot.chatbot, bot.changed(self._state))
            if decide(conversation, verdicts).outcome is Outcome.FAILED:
                refusing = [bot for bot in NULL_BOTS if bot.attitude == "refusing"]
                passed_by = tuple([bot.name for bot in refusing if await self._passed(bot)])
                return Discrimination(kind="guard", passed_by=passed_by)
        return self._weak("no reply or tool call was found that fails it", _SAY_MORE, [bot.name for bot in NULL_BOTS])

    async def forbids_only(self) -> bool:
        """Return True if silence satisfies the checks: then they only say what must not happen."""
        silent = NULL_BOTS[-1]
        _, verdicts = await self._verdicts(chatbot(silent, self._case))
        found = {each.outcome for each in verdicts} - {CheckOutcome.NOT_APPLICABLE}
        return found == {CheckOutcome.PASS}

    async def _passed(self, bot: NullBot) -> bool:
        """Return True if a null bot passes the case with every draw of its made-up values."""
        for draw in range(bot.draws):
            conversation, verdicts = await self._verdicts(chatbot(bot, self._case, draw))
            if decide(conversation, verdicts).outcome is not Outcome.PASSED:
                return False
        return True

    async def _verdicts(
        self, chatbot: Chatbot, state: StateRecord | None = None
    ) -> tuple[Conversation, Sequence[Verdict]]:
        reader = PatternReader(self._clock)
        conversation = await simulate(self._case, self._user, chatbot, reader=reader, clock=self._clock)
        conversation = conversation.changed(state=state or self._state)
        verdicts = await self._checks.verdicts(conversation)
        self._applied = self._applied or any(each.outcome is not CheckOutcome.NOT_APPLICABLE for each in verdicts)
        return conversation, verdicts

    async def conversation(self, bot: NullBot, number: int) -> Conversation:
        """Return a conversation with a null bot, one of several."""
        conversation, _ = await self._verdicts(chatbot(bot, self._case, number))
        return conversation.changed(repeat=number + 1)

    def _weak(self, reason: str, remedy: str, passed: Iterable[str]) -> Discrimination:
        """Return that a case is weak, unless a model has a say about it, too."""
        kind = "untried" if self._checks.asks_model else "weak"
        return Discrimination(kind=kind, passed_by=tuple(passed), reason=reason, remedy=remedy)


def _remedy(attitude: Attitude) -> str:
    return _SAY_ANSWER if attitude == "compliant" else _SAY_MORE

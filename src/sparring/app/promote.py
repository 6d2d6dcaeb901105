"""A recorded conversation as a scenario, with personal data replaced."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from sparring.app.results import result
from sparring.core.batch import IMPORTED, Batch
from sparring.core.case import Case, Goal, InjectReply, InjectTool, Say, Step
from sparring.core.checks import Expectation, Rule, named_tools
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError
from sparring.core.message import Message, ToolCall, message
from sparring.core.text import visible
from sparring.core.value import Json, map_texts, to_json
from sparring.core.verdict import LABEL, CheckOutcome, Verdict
from sparring.extraction.pattern_extractor import PatternReader
from sparring.extraction.personal_data import PersonalValue, domain_words, personal_values, replacement
from sparring.judges.builtin import BUILT_IN
from sparring.runner.verdicts import ConversationChecks
from sparring.scenarios.written_case import Written, expecting, lines_of, scenario, text_of
from sparring.store.store import Store

_UNSAFE = re.compile(r"[^\w-]+")
_OTHERS = 300
"""Conversations of the batch that show the vocabulary of the chatbot's domain."""

_UNCHECKED = "rule {}: left out, because a scenario from there or with stubs cannot check it"
_DROPPED = "rule {}: left out, because --live-tools drops earlier calls"
_MADE_UP = "tools run with made-up values of {}: give these variables values that the tools know, or use --keep-values"

_SHORT = 6
"""Most words of an answer that says little without its question."""

_KEYS = re.compile(r"id$|_id$|^id_|name|number|code|email|phone|sku|ref", re.IGNORECASE)
"""Arguments of a call that identify its object."""


_STATE = re.compile(r"\b(?:state|state_before|changed|changes)\(")
"""Conditions on the state of tools, which stubs do not change."""

_NAME = re.compile(r"[^\W\d]\w*")

_NO_FIELD = re.compile(r"[\d@ ]|^[A-ZÀ-Þ][a-zà-ÿ]+$")
"""Keys in tool results that do not name fields."""


@dataclass(frozen=True, slots=True)
class PromoteOptions:
    """Options: the first user message to replay (from 1), and how the user continues.

    By default, that is the last message before the first failure from which the checks find the same; with
    `live_tools`, which run, the first message. With `keep_values`, personal data stays.
    """

    at: int | None = None
    user: Literal["script", "goals"] = "script"
    live_tools: bool = False
    keep_values: bool = False
    rules: tuple[Rule, ...] = ()
    """Rules that are checked besides those of the batch, as logs come without any."""


@dataclass(frozen=True, slots=True)
class Promoted:
    """The text of a scenario, the variables for personal data, and notes for its author.

    `replaced` replaces personal data in other texts in the same way.
    """

    text: str
    variables: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    replaced: Callable[[str], str] = field(default=str, repr=False, compare=False)

    def replaced_call(self, call: ToolCall) -> ToolCall:
        """Return a call with personal data replaced in its arguments and result."""
        given = {name: _mapped(value, self.replaced) for name, value in call.arguments.items()}
        return call.changed(arguments=given, result=_mapped(call.result, self.replaced))

    def document(self, written: str = "") -> dict[str, Json]:
        """Return the content of a document of the kind `promoted`."""
        return {
            "scenario": self.text,
            "variables": [*self.variables],
            "notes": [*self.notes],
            "written": written,
        }


async def promote_stored(batch: Batch, store: Store, id: str, options: PromoteOptions) -> Promoted:
    """Return a conversation of a batch as a scenario with a comment on its origin."""
    conversation = await store.conversation(batch.id, id)
    verdicts = await verdicts_of(batch, store, conversation, options)
    batch = batch.changed(rules=(*batch.rules, *options.rules))
    if options.at is None:
        options = replace(options, at=await replayable_start(batch, conversation, verdicts, options))
    others = [each async for each in store.conversations(batch.id, limit=_OTHERS) if each.id != conversation.id]
    made = promote(batch, conversation, verdicts, options, others)
    # An id may be an address or a name.
    label = visible(id) if options.keep_values else "a conversation"
    return replace(made, text=f"# {label} of {batch.id}\n{made.text}")


async def verdicts_of(
    batch: Batch, store: Store, conversation: Conversation, options: PromoteOptions
) -> tuple[Verdict, ...]:
    """Return the recorded verdicts on a conversation, and those of the rules in the options."""
    recorded = (await result(batch, store, conversation)).all
    if not options.rules:
        return tuple(recorded)
    from sparring.rules.check import SingleRules  # heavy
    from sparring.rules.recording import recording_of

    rules = {each.hash: each for each in options.rules}
    return *recorded, *SingleRules(rules).verdicts(recording_of(conversation)).values()


def promote(
    batch: Batch,
    conversation: Conversation,
    verdicts: Sequence[Verdict],
    options: PromoteOptions,
    others: Sequence[Conversation] = (),
) -> Promoted:
    """Return a conversation as a scenario.

    Words that the chatbot also says in `others` are not personal. Raise InputError if there is no such message.
    """
    start = _start(conversation, verdicts, options.at)
    turns = list(_turns(conversation, start))
    if not turns:
        raise InputError(f"{conversation.id}: the user says nothing that could be replayed")
    decided = list(_expected(batch, conversation, verdicts))
    conversation = _without_columns(batch, conversation, decided, options)
    dropped = _only_before(conversation, start) if options.live_tools else frozenset[str]()
    case = _case(conversation, start, turns, options)
    placed = list(_placed(decided, conversation, start, case))
    expected = [each for each in placed if dropped.isdisjoint(tool.tool for tool in named_tools(each.rule))]
    written = scenario(case, None)
    for each in expected:
        written = expecting(written, case.changed(expectations=(each,)), each.rule)
    values = () if options.keep_values else _personal(batch, conversation, others)
    written, used = _without(written, values)
    missing = {each.rule.name for each in decided} - {each.rule.name for each in placed}
    notes = [_UNCHECKED.format(name) for name in sorted(missing)]
    notes += [_DROPPED.format(each.rule.name) for each in placed if each not in expected]
    notes += [_MADE_UP.format(", ".join(used))] if options.live_tools and used else []
    notes += _notes(conversation, verdicts, turns, decided, options)
    return Promoted(text_of(written), used, tuple(notes), replacement(values))


async def replayable_start(
    batch: Batch, conversation: Conversation, verdicts: Sequence[Verdict], options: PromoteOptions
) -> int | None:
    """Return the last message before the failure from which checks find the same in the recording."""
    spoken = _spoken(conversation)
    if not spoken or options.live_tools:
        return 1 if spoken else None
    decided = list(_expected(batch, conversation, verdicts))
    checks = {each.check or each.rule.name for each in decided} | {each.name for each in BUILT_IN}
    wanted = {(each.check, each.outcome) for each in verdicts if each.check in checks}
    failed = {found for found in wanted if found[1] is CheckOutcome.FAIL}
    for at in range(spoken.index(_start(conversation, verdicts, None)), 0, -1):
        start = spoken[at]
        case = _case(conversation, start, list(_turns(conversation, start)), options)
        expected = tuple(_placed(decided, conversation, start, case))
        found = await ConversationChecks(batch.changed(rules=(), audit="off"), None).evaluate(
            await _from(conversation, start, case.changed(expectations=expected))
        )
        outcomes = {(each.check, each.outcome) for each in found.verdicts.values() if each}
        if (failed or wanted) <= outcomes and len(expected) == len(decided):
            return at + 1
    return 1


async def _from(conversation: Conversation, start: int, case: Case) -> Conversation:
    """Return the recording from a message on as a conversation of a case, read by patterns."""
    script = tuple(each for each in case.script if not isinstance(each, InjectTool))
    expectations = tuple(
        each.changed(after=each.after and sum(not isinstance(step, InjectTool) for step in case.script[: each.after]))
        for each in case.expectations
    )
    played = conversation.changed(
        case=case.changed(script=script, expectations=expectations),
        messages=(*case.history, *conversation.messages[start:]),
        moments=(),
    )
    read = await PatternReader().read(played)
    return played.changed(goals=read.goals, outputs=read.outputs)


def _placed(
    decided: Sequence[Expectation], conversation: Conversation, start: int, case: Case
) -> Iterator[Expectation]:
    """Yield the expectations that the new script reaches and no stub prevents, at their steps."""
    stubs = any(isinstance(step, InjectTool) and step.mode == "stub" for step in case.script)
    lines = [step for step, each in enumerate(case.script, 1) if isinstance(each, Say)]
    before = sum(at < start for at in _spoken(conversation))
    for each in decided:
        said = sum(isinstance(step, Say) for step in conversation.case.script[: each.after or 0]) - before
        unreached = each.after and lines and not 0 < said <= len(lines)
        if each.golden or unreached or (stubs and _STATE.search(each.rule.then)):
            continue
        yield each.changed(after=lines[said - 1] if each.after and lines else None, goal=None)


def _without_columns(
    batch: Batch, conversation: Conversation, decided: Sequence[Expectation], options: PromoteOptions
) -> Conversation:
    """Return an imported conversation with only those values of its log that expectations name."""
    if batch.who.user != IMPORTED:
        return conversation
    named = {word for each in decided for word in _NAME.findall(to_json(each).decode())}
    case = conversation.case
    kept = {
        name: value
        for name, value in case.variables.items()
        if name in named or (options.keep_values and value != conversation.id)
    }
    return conversation.changed(case=case.changed(variables=kept))


def _spoken(conversation: Conversation) -> list[int]:
    """Return the indices of the messages of the user that can be replayed."""
    history = len(conversation.case.history)
    return [n for n, each in enumerate(conversation.messages) if each.role == "user" and each.text and n >= history]


def _only_before(conversation: Conversation, start: int) -> frozenset[str]:
    """Return the tools that were called before a message and not after it."""
    sides = conversation.messages[:start], conversation.messages[start:]
    before, after = (frozenset(call.name for each in side for call in each.tool_calls) for side in sides)
    return before - after


def scenario_text(batch: Batch, conversation: Conversation, verdicts: Sequence[Verdict]) -> str:
    """Return a scenario with the words of the user as its script, and violated rules as expectations."""
    script = conversation.case.changed(expectations=())
    written = lines_of(conversation.changed(case=script), None)
    for each in _of_outcome(batch, conversation, verdicts, CheckOutcome.FAIL):
        written = expecting(written, script, each.rule)
    return text_of(written)


def file_name(id: str) -> str:
    """Return the name of a file for a conversation, without its ending."""
    return _UNSAFE.sub("-", id).strip("-")[:100] or "scenario"


def _start(conversation: Conversation, verdicts: Sequence[Verdict], at: int | None) -> int:
    """Return the index of the first message to replay."""
    spoken = _spoken(conversation)
    if at is not None:
        if not 1 <= at <= len(spoken):
            raise InputError(f"--at {at}: {conversation.id} has {len(spoken)} messages of the user")
        return spoken[at - 1]
    failed = [quote.at for each in verdicts if each.outcome is CheckOutcome.FAIL for quote in each.evidence]
    before = [n for n in spoken if n <= min(failed, default=0)]
    return before[-1] if before else spoken[0] if spoken else 0


_Turn = tuple[Message, str, tuple[Message, ...]]
"""A message of the user, the text it answers, and the messages of the chatbot after it."""


def _turns(conversation: Conversation, start: int) -> Iterator[_Turn]:
    said = conversation.messages
    for at in range(start, len(said)):
        if said[at].role == "user" and said[at].text:
            end = next((n for n in range(at + 1, len(said)) if said[n].role == "user"), len(said))
            yield said[at], said[at - 1].text if at else "", said[at + 1 : end]


def _case(conversation: Conversation, start: int, turns: list[_Turn], options: PromoteOptions) -> Case:
    case = conversation.case
    before = tuple(message(each.role, each.text) for each in conversation.messages[:start] if each.text)
    used = () if options.live_tools else tuple(_tools(conversation.messages[:start], "history"))
    steps: list[Step] = [*used]
    for said, _, replies in turns:
        steps += () if options.live_tools else _tools(replies, "stub")
        steps.append(Say(text=said.text))
        steps += [InjectReply(text=each.text) for each in replies if each.injected and each.text]
    fixed = case.changed(
        persona=case.persona.changed(styles=()),
        history=before,
        expectations=(),
        facts=(),
        answers={},
        script=(),
    )
    if options.user == "script":
        return fixed.changed(script=tuple(steps))
    texts = dict.fromkeys(said.text for said, asked, _ in turns if not _answers(said.text, asked))
    texts = texts or {turns[0][0].text: None}
    return fixed.changed(goals=case.goals or tuple(Goal(text=text) for text in texts), facts=case.facts)


def _tools(replies: Sequence[Message], mode: Literal["history", "stub"]) -> Iterator[InjectTool]:
    """Yield the calls with a result, identified by their objects."""
    for call in (call for each in replies for call in each.tool_calls):
        if call.status == "succeeded" and not call.fault:
            about = {name: value for name, value in call.arguments.items() if _KEYS.search(name)}
            arguments = call.arguments if mode == "history" else about
            yield InjectTool(name=call.name, arguments=arguments, result=call.result, mode=mode)


def _answers(text: str, asked: str) -> bool:
    return "?" in asked and len(text.split()) <= _SHORT


def _expected(batch: Batch, conversation: Conversation, verdicts: Sequence[Verdict]) -> Iterator[Expectation]:
    """Yield the rules and expectations that failed; if none did, those that passed."""
    failed = [*_of_outcome(batch, conversation, verdicts, CheckOutcome.FAIL)]
    yield from failed or _of_outcome(batch, conversation, verdicts, CheckOutcome.PASS)


def _of_outcome(
    batch: Batch, conversation: Conversation, verdicts: Sequence[Verdict], outcome: CheckOutcome
) -> Iterator[Expectation]:
    found = {each.check for each in verdicts if each.outcome is outcome}
    own = {each.rule.name: each for each in conversation.case.expectations}
    ruled = {each.name: Expectation(rule=each) for each in batch.rules if each.conversations == 1}
    yield from (each for name, each in (ruled | own).items() if (each.check or name) in found)


def _personal(batch: Batch, conversation: Conversation, others: Sequence[Conversation]) -> Sequence[PersonalValue]:
    """Return the personal values of a conversation, without those of its scenario."""
    found = personal_values(conversation, domain_words(others))
    if batch.who.user == IMPORTED:
        return found
    given = to_json(conversation.case).decode()
    return [each for each in found if not re.search(rf"(?<!\w){re.escape(each.value)}(?!\w)", given, re.IGNORECASE)]


def _without(written: Written, values: Sequence[PersonalValue]) -> tuple[Written, tuple[str, ...]]:
    """Return a scenario with variables in the user's words and stubs, and made-up values elsewhere."""
    literal, named = replacement(values), replacement(values, variables=True)
    new: Written = {
        key: _mapped(part, named if key in ("script", "goals") else literal) for key, part in written.items()
    }
    for step, old in zip(new.get("script", ()), written.get("script", ()), strict=True):
        if isinstance(old, dict) and "expect" in old:  # rules are not filled in
            step["expect"] = _mapped(old["expect"], literal)
    text = text_of(new)
    made = {each.variable: each.made_up for each in values if f"{{{{{each.variable}}}}}" in text}
    if made:
        new["variables"] = dict(new.get("variables", ())) | made
    return new, tuple(sorted(made))


def _mapped(part: Json, change: Callable[[str], str]) -> Json:
    """Return a value with its texts and its numbers changed."""
    if isinstance(part, (int, float)) and not isinstance(part, bool):
        text = change(str(part))
        return part if text == str(part) else int(text) if text.isdecimal() and text[0] != "0" else text
    if isinstance(part, list):
        return [_mapped(each, change) for each in part]
    if isinstance(part, dict):
        return {
            change(name) if _NO_FIELD.search(name) else name: _stub(each, change)
            if name == "inject_tool" and isinstance(each, dict)
            else _mapped(each, change)
            for name, each in part.items()
        }
    return map_texts(part, change)


def _stub(step: Mapping[str, Json], change: Callable[[str], str]) -> Json:
    """Return a call with its arguments and result changed, and its name as it is."""
    return {name: _mapped(each, change) if name in ("arguments", "result") else each for name, each in step.items()}


def _notes(
    conversation: Conversation,
    verdicts: Sequence[Verdict],
    turns: list[_Turn],
    expected: list[Expectation],
    options: PromoteOptions,
) -> Iterator[str]:
    if options.user == "script":
        answers = [str(number) for number, (said, asked, _) in enumerate(turns, 1) if _answers(said.text, asked)]
        if answers:
            yield f"answers to questions the chatbot may not ask again: line {', '.join(answers)}; try --user goals"
    for each in verdicts:
        if each.judge == LABEL and each.outcome is CheckOutcome.FAIL:
            blamed = f", to blame: {each.blame}" if each.blame else ""
            yield f"a person found it failed{blamed}: write what should hold as an expectation"
    if not expected:
        yield "no rule decided this conversation: the scenario has no expectation yet"
    missing = {call.name for _, _, replies in turns for each in replies for call in each.tool_calls}
    missing -= {call.name for _, _, replies in turns for call in _tools(replies, "stub")}
    if missing and not options.live_tools:
        yield f"the log has no result for {', '.join(sorted(missing))}: it has no stub"
    if not options.keep_values:
        yield "personal data may be left: read the scenario before you share it"

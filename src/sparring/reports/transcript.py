"""A conversation as plain lines, for `sparring show`, and its extraction as JSON and as text."""

import json
from collections.abc import Iterable, Iterator
from textwrap import shorten

from sparring.core.clock import in_seconds
from sparring.core.conversation import Conversation, Evidence, GoalProgress, GoalStage, Output, Recovery
from sparring.core.message import Button, Image, Link, Message, Part, Text, ToolCall
from sparring.core.text import quoted, visible
from sparring.core.value import Json
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.extraction.extractor import Extraction
from sparring.reports.lines import counted, section
from sparring.reports.usage import turn_lines

_ORDER = {CheckOutcome.FAIL: 0, CheckOutcome.ERROR: 1}


def transcript(conversation: Conversation, verdicts: Iterable[Verdict] = ()) -> Iterator[str]:
    """Yield messages, ending and verdicts, failed ones first.

    A sign marks messages that show why a check failed. No line of a message can look like a line of the report.
    """
    found = sorted(verdicts, key=lambda each: _ORDER.get(each.outcome, len(_ORDER)))
    marked = {each.at for verdict in found if verdict.outcome is CheckOutcome.FAIL for each in verdict.evidence}
    yield _heading(conversation)
    if conversation.error:
        yield f"error: {visible(conversation.error)}"
    for number, message in enumerate(conversation.messages):
        yield ""
        lines = message_lines(number, message)
        yield from (f"✗ {line.removeprefix('  ')}" for line in lines) if number in marked else lines
    yield from section("goals", map(_goal, conversation.goals))
    yield from section("outputs", map(_output, conversation.outputs))
    yield from section("state", _state(conversation))
    yield from section("faults of tools", map(_recovery, conversation.recoveries))
    yield from section("warnings", map(visible, conversation.warnings))
    yield from section("verdicts", map(_verdict, found))
    yield from section("calls of models", turn_lines(conversation))


def verdict_line(verdict: Verdict, *, of: bool = False) -> str:
    """Return a verdict in one line; with `of`, include its conversations."""
    said = f"{verdict.outcome}" if verdict.score is None else f"{verdict.outcome}, score {verdict.score:g}"
    named = verdict.judge and verdict.check not in (verdict.judge, verdict.by)  # null bots name their kind
    by = f", by {verdict.judge}" if named else ""
    conversation = f"{verdict.conversation}: " if of else ""
    reason = f": {verdict.reason}" if verdict.reason else ""
    return visible(f"{conversation}{verdict.check}{by}: {said}{reason}")


def _verdict(verdict: Verdict) -> str:
    shown = (f"      [{each.at}] {visible(each.text)}" for each in verdict.evidence)
    return "\n".join((verdict_line(verdict), *shown))


def _heading(conversation: Conversation) -> str:
    facts = [f"conversation {visible(conversation.id)}", conversation.ending_words]
    facts.append(counted(conversation.turns, "turn"))
    if conversation.timing is not None:
        facts.append(in_seconds(conversation.timing.seconds))
    if conversation.timing is not None and conversation.timing.attempt > 1:
        facts.append(f"attempt {conversation.timing.attempt}")
    return " · ".join(facts)


def message_lines(number: int, message: Message) -> Iterator[str]:
    """Yield one message: number, speaker, tool calls and text."""
    notes = [note for note, holds in (("injected", message.injected), ("ends the conversation", message.ends)) if holds]
    yield f"[{number}] {message.role}" + (f" ({', '.join(notes)})" if notes else "")
    if not message.parts and not message.tool_calls:
        yield "  (nothing)"
    for call in message.tool_calls:
        yield call_line(call)
    for part in message.parts:
        yield from _part(part)


def call_line(call: ToolCall) -> str:
    """Return a tool call with arguments and result."""
    notes = {"failed": " (failed)", "attempted": " (did not run)"}
    result = "(not shown)" if call.status == "executed" else _json(call.result) + notes.get(call.status, "")
    came_back = f"error: {visible(call.error)}" if call.error else result + " (stubbed)" * call.stubbed
    broken = f" (fault: {call.fault})" if call.fault else ""
    return f"  tool {visible(call.name)} {_json(call.arguments)} -> {came_back}{broken}"


def _part(part: Part) -> list[str]:
    match part:
        case Text():
            return quoted(part.text)
        case Image():
            return [f"  image {visible(part.url)} {visible(part.alt)}".rstrip()]
        case Button():
            return [f"  button {visible(part.title)} {visible(part.payload)}".rstrip()]
        case Link():
            return [f"  link {visible(part.url)} {visible(part.title)}".rstrip()]


def _goal(goal: GoalProgress) -> str:
    found = f"{stage_name(goal.stage)}: {visible(goal.text)}"
    if goal.evidence is not None:
        return f"{found} ([{goal.evidence.at}] {visible(goal.evidence.text)})"
    return found if goal.asked_at is None else f"{found} (asked at [{goal.asked_at}])"


def stage_name(stage: str) -> str:
    """Return the stage of a goal, or the like, in words, such as "not asked"."""
    return stage.replace("_", " ")


def _output(output: Output) -> str:
    if output.evidence is None:
        return f"not stated: {visible(output.name)}"
    return f"{visible(output.name)} = {_json(output.value)} ([{output.evidence.at}] {visible(output.evidence.text)})"


def _recovery(found: Recovery) -> str:
    risk = "; it repeated what may have been done" if found.risked_twice else ""
    return f"[{found.at}] {visible(found.tool)}, {found.fails}: {stage_name(found.reaction)}{risk}"


def _state(conversation: Conversation) -> Iterator[str]:
    record = conversation.state
    if record is None:
        return
    yield from (f"{moment}: {visible(reason)}" for moment, reason in record.unread.items())
    yield from (visible(str(change)) for change in record.changes)
    if not record.changes and not record.unread:
        yield "nothing changed"


def _json(value: Json) -> str:
    return visible(json.dumps(value, ensure_ascii=False))


_MAX_QUOTE = 200
"""Maximum length of a quote in text, in characters."""


def extraction_json(id: str, extraction: Extraction) -> dict[str, Json]:
    """Return the goals and outputs of a conversation as JSON."""
    goals: list[Json] = [
        {"text": goal.text, "status": _status(goal), "stage": str(goal.stage), "evidence": _quote(goal.evidence)}
        for goal in extraction.goals
    ]
    outputs: list[Json] = [
        {"name": output.name, "value": output.value, "evidence": _quote(output.evidence)}
        for output in extraction.outputs
    ]
    return {"id": id, "goals": goals, "outputs": outputs}


def extraction_text(id: str, extraction: Extraction) -> Iterator[str]:
    """Yield the goals and outputs of a conversation as lines of text."""
    yield id
    for goal in extraction.goals:
        stage = "" if goal.stage in (GoalStage.DONE, GoalStage.UNREAD) else f" ({goal.stage.replace('_', ' ')})"
        yield f"  {_status(goal):<10}  {goal.text}{stage}"
        yield from _quoted(goal.evidence)
    for output in extraction.outputs:
        yield f"  {output.name}: {'not stated' if output.evidence is None else _short(str(output.value))}"
        yield from _quoted(output.evidence)


def _status(goal: GoalProgress) -> str:
    return {GoalStage.DONE: "answered", GoalStage.UNREAD: "unread"}.get(goal.stage, "unanswered")


def _quote(evidence: Evidence | None) -> Json:
    return evidence.model_dump(mode="json") if evidence else None


def _quoted(evidence: Evidence | None) -> Iterator[str]:
    if evidence is not None:
        yield f"    message {evidence.at + 1}: {_short(evidence.text)!r}"


def _short(text: str) -> str:
    return shorten(text, _MAX_QUOTE, placeholder=" ...")

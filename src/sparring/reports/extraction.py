"""The extraction of a conversation, as JSON and as text."""

from collections.abc import Iterator
from textwrap import shorten

from sparring.core.conversation import Evidence, GoalProgress, GoalStage
from sparring.core.value import Json
from sparring.extraction.extractor import Extraction

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

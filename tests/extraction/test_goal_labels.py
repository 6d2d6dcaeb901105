"""The pattern reader against goals that a language model labelled in published conversations.

`goal_label_corrections.json` lists the labels that are wrong, with the reason. A goal of a conversation in which every
reply is an error is unanswered whatever its label: the label's quote was made up.
"""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import corpus
from sparring.core.case import Case, Goal, Persona
from sparring.core.conversation import Conversation, GoalStage
from sparring.core.message import message
from sparring.extraction.pattern_extractor import PatternReader

_READ = {GoalStage.DONE: "answered", GoalStage.UNREAD: "unread"}
_CORRECTIONS = {
    (each["id"], each["goal"]): each["label"]
    for each in json.loads(Path(__file__).with_name("goal_label_corrections.json").read_text(encoding="utf-8"))
}


def _rows() -> Iterator[dict[str, Any]]:
    with (corpus.folder() / "goal_labels" / "goal_labels.jsonl").open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _conversation(row: dict[str, Any]) -> Conversation:
    case = Case(
        id=row["id"],
        goals=tuple(Goal(text=goal["text"], variables=tuple(goal["variables"])) for goal in row["goals"]),
        variables=row["variables"],
        persona=Persona(language=row["language"]),
        fallbacks=(row["fallback"],) if row["fallback"] else (),
    )
    return Conversation(case=case, messages=tuple(message(said["role"], said["text"]) for said in row["messages"]))


def _label(row: dict[str, Any], number: int) -> str:
    replies = [said["text"] for said in row["messages"] if said["role"] == "chatbot"]
    if all(not text.strip() or text.startswith("Error:") for text in replies):
        return "unanswered"
    corrected: str = _CORRECTIONS.get((row["id"], number), row["goals"][number]["label"])
    return corrected


async def test_goals_are_read_as_they_are_labelled_or_not_at_all():
    seen: Counter[tuple[str, str]] = Counter()
    for row in _rows():
        for number, goal in enumerate((await PatternReader().read(_conversation(row))).goals):
            seen[_READ.get(goal.stage, "unanswered"), _label(row, number)] += 1

    done, open_ = (
        sum(seen[said, label] for label in ("answered", "unanswered")) for said in ("answered", "unanswered")
    )
    assert seen["answered", "answered"] / done >= 0.95, seen
    assert seen["unanswered", "unanswered"] / open_ >= 0.90, seen
    assert (done + open_) / seen.total() >= 0.50, seen

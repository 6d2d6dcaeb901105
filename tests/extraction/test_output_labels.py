"""Outputs of published conversations against the values that their authors' language model extracted.

`SPARRING_LABELS` names one file of labels; by default it is the one in the corpus. Where a label is wrong,
`output_corrections.yaml` says so with the reason, and `undecided` ones are left out.
"""

import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

import corpus
from sparring.core.conversation import Conversation
from sparring.extraction.pattern_extractor import PatternReader
from sparring.rules.inputs.recordings import Conversations

CORRECTIONS = Path(__file__).with_name("output_corrections.yaml")


def labels() -> Path:
    """The file of labels, found before any of it is read."""
    named = os.environ.get("SPARRING_LABELS")
    return Path(named) if named else corpus.folder() / "goal_labels" / "goal_labels.jsonl"


def labelled() -> Iterator[tuple[Conversation, dict[str, Any]]]:
    """Conversations with the labelled value of each output, corrected; undecided ones are left out."""
    corrections = {(each["id"], each["output"]): each for each in yaml.safe_load(CORRECTIONS.read_text("utf-8"))}
    path = labels()
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for entry, conversation in zip(lines, Conversations(path), strict=True):
        values = {}
        for output in entry["outputs"]:
            correction = corrections.get((entry["id"], output["name"]), {})
            if not correction.get("undecided"):
                values[output["name"]] = correction.get("value", output["value"])
        yield conversation, values


@pytest.mark.slow
async def test_what_is_stated_is_found_and_what_is_found_is_stated():
    """Sentences are harder to choose than amounts: where there are several, another one may be labelled."""
    seen: Counter[tuple[bool, str]] = Counter()
    for conversation, values in labelled():
        said = " ".join(each.text for each in conversation.messages if each.role == "chatbot")
        for output in (await PatternReader().read(conversation)).outputs:
            if output.name not in values:
                continue
            value = values[output.name]
            found = output.evidence is not None
            agrees = found and value is not None and same(str(value), str(output.value), output.evidence.text)
            stated = value is not None and is_stated(str(value), said)
            counts = {"found": found, "agrees": agrees, "stated": stated, "stated and found": stated and agrees}
            seen.update({(output.type in ("str", "string"), what): holds for what, holds in counts.items()})

    for text, agreeing in ((False, 0.97), (True, 0.93)):
        assert seen[text, "agrees"] / seen[text, "found"] >= agreeing, seen
        assert seen[text, "stated and found"] / seen[text, "stated"] >= 0.85, seen


def same(label: str, value: str, words: str) -> bool:
    """True if two values say the same: the same numbers, the one within the other, or all of the label's words."""
    ours, theirs = plain(value), plain(label)
    if ours in theirs or theirs in ours or theirs in plain(words) or content(theirs) <= content(ours):
        return True
    return bool(numbers(label)) and numbers(label) == numbers(value)


def content(text: str) -> set[str]:
    """The words of a text without articles and `and`."""
    return set(re.findall(r"\w+", text)) - {"a", "an", "the", "and", "un", "una", "el", "la", "y"}


def is_stated(label: str, said: str) -> bool:
    """True if the label's words, or else its numbers, occur in what the chatbot said."""
    return plain(label) in plain(said) or (bool(numbers(label)) and set(numbers(label)) <= set(numbers(said)))


def plain(text: str) -> str:
    return re.sub(r"[\s.]+", " ", text.casefold()).strip()


def numbers(text: str) -> list[float]:
    """The numbers in a text, without seconds of times and zeros in front."""
    text = re.sub(r"(\d\d:\d\d):00\b", r"\1", re.sub(r"(?<=\d),(?=\d{3}\b)", "", text))
    return [float(each) for each in re.findall(r"\d+(?:\.\d+)?", text)]

"""Conversations and reports in the files of SENSEI, for programs that read these.

Unknown values, such as a cost, are left out or null, and never 0.
"""

import csv
import re
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

import yaml

from sparring.core.batch import Batch
from sparring.core.case import Case, Goal, Limits, Style
from sparring.core.conversation import Conversation, Ending
from sparring.core.errors import InputError
from sparring.core.message import Button, Link, Message
from sparring.core.usage import Usage
from sparring.reports.csv_report import cell
from sparring.scenarios import loading
from sparring.scenarios.personas import conjunction
from sparring.scenarios.placeholders import as_text, fill, placeholders

COSTS = (
    *("Conversation", "Test Name", "Module", "Total Cost", "Timestamp"),
    *("Input Cost", "Input Message", "Output Cost", "Output Message"),
)
"""The columns of a cost report; messages and their shares of a cost are not kept for each call, so these are empty."""

GOALS = ("goal", "verification", "data")
"""The columns of what became of the goals of one conversation."""

INCOMPLETE = 1001
_CODES = {Ending.CHATBOT_FAILED: 500, Ending.TIMEOUT: 504, Ending.GAVE_UP: 1000, Ending.TURN_LIMIT: INCOMPLETE}


def conversation_file(conversation: Conversation, *, serial: str, number: int) -> str:
    """Return one conversation as three YAML documents: its case, its times, and its messages.

    `number` is the number of conversations of its profile.
    """
    timing = conversation.timing
    times = list(timing.replies) if timing else []
    return _yaml(
        {
            "serial": serial,
            "language": conversation.case.persona.language,
            "context": list(conversation.case.persona.traits),
            "ask_about": list(_goals(conversation)),
            "conversation": [
                {"interaction_style": list(map(_style, conversation.case.persona.styles)) or ["default"]},
                {"number": number},
                _goal_style(conversation.case.limits),
            ],
            "data_output": [{output.name: output.value} for output in conversation.outputs],
            "errors": [{code: reason} for code, reason in errors(conversation)],
            **_cost("total_cost($)", conversation.consumed),
        },
        {
            "conversation time": timing.seconds if timing else None,
            "assistant response time": times,
            "response time report": _report(times, ("average", "max", "min")) if times else {},
        },
        {"interaction": [_said(message) for message in conversation.messages if not message.injected]},
    )


def errors(conversation: Conversation) -> Iterator[tuple[int, str]]:
    """Yield errors with SENSEI's codes; 1001 is a missing goal or output, with any ending."""
    code = _CODES.get(conversation.ending) if conversation.ending else None
    missing = sum(output.evidence is None for output in conversation.outputs)
    if conversation.case.limits.steps is None:
        missing += sum(goal.answered is None for goal in conversation.goals)
    if code is not None and code != INCOMPLETE:
        yield code, conversation.error or str(conversation.ending).replace("_", " ")
    if missing or code == INCOMPLETE:
        yield INCOMPLETE, f"{missing} goals left to complete."


def cost_rows(conversation: Conversation, *, file: str, test: str) -> Iterator[tuple[str, ...]]:
    """Yield the usage of each role as rows of a cost report; unknown costs are empty."""
    when = f"{conversation.timing.started:%Y-%m-%d %H:%M:%S.%f}" if conversation.timing else ""
    for role, usage in conversation.usage.items():
        module = "user_simulator" if role == "user" else role
        cost = "" if usage.known_cost is None else str(usage.known_cost)
        yield (file, test, module, cost, when, "", "", "", "")


def goal_rows(conversation: Conversation) -> Iterator[tuple[str, ...]]:
    """Yield each goal with its answer; none where the case only counts steps."""
    if conversation.case.limits.steps is None:
        for goal in conversation.goals:
            yield (cell(goal.text), str(goal.answered is not None), cell(goal.answered.text) if goal.answered else "")


@dataclass
class Reports:
    """Collects the report over all tests and for each; keeps numbers only."""

    tests: dict[str, "_Test"] = field(default_factory=lambda: defaultdict(_Test))

    def add(self, conversation: Conversation, *, file: str, test: str) -> None:
        """Count a conversation that was written to `file`."""
        counted = self.tests[test]
        counted.times += conversation.timing.replies if conversation.timing else ()
        counted.consumed += conversation.consumed
        for code, _ in errors(conversation):
            counted.files[code].append(file)

    def text(self) -> str:
        """Return the report as YAML: a document over all tests, and one for each."""
        whole = _Test()
        for test in self.tests.values():
            whole.times += test.times
            whole.consumed += test.consumed
            for code, files in test.files.items():
                whole.files[code] += files
        each = [{"Test name": name, **test.as_json()} for name, test in self.tests.items()]
        return _yaml({"Global report": whole.as_json()}, *each)


@dataclass
class _Test:
    times: list[float] = field(default_factory=list)
    consumed: Usage = field(default_factory=Usage)
    files: dict[int, list[str]] = field(default_factory=lambda: defaultdict(list))

    def as_json(self) -> dict[str, Any]:
        names = [f"{which} assistant response time" for which in ("Average", "Maximum", "Minimum")]
        found = [{"error": code, "count": len(files), "conversations": files} for code, files in self.files.items()]
        return {**_report(self.times, names), "Errors": found, "Total Cost": self.consumed.known_cost}


def _goals(conversation: Conversation) -> Iterator[Any]:
    """Yield the goals, then the variables."""
    case = conversation.case
    for goal in case.goals:
        yield _phrase(goal, case.variables, conjunction(case.persona.language))
    for name, value in case.variables.items():
        yield {name: [value] if name in (case.listed or ()) else value}


def _phrase(goal: Goal, variables: dict[str, Any], word: str) -> str:
    """Return a goal with its placeholders restored, if filling them again gives the same text."""
    phrase = goal.text
    said = {name: as_text(variables.get(name), conjunction=word) for name in goal.variables}
    for name, words in sorted(said.items(), key=lambda each: -len(each[1])):
        phrase = phrase.replace(words, f"{{{{{name}}}}}") if words and goal.text.count(words) == 1 else phrase
    same = fill(phrase, variables, conjunction=word) == goal.text
    return phrase if same and set(placeholders(phrase)) == set(goal.variables) else goal.text


def _style(style: Style) -> Any:
    return {"change languages": list(style.languages)} if style.name == "change language" else style.name


def _goal_style(limits: Limits) -> dict[str, Any]:
    if limits.steps is not None:
        return {"steps": limits.steps}
    return {"all_answered": {"export": True, "limit": limits.turns}}


def _said(message: Message) -> dict[str, str]:
    """Return the text with its buttons in the form of SENSEI's connectors."""
    choices = [part for part in message.parts if isinstance(part, Button | Link)]
    lines = "\n".join(f" - BUTTON TEXT: {part.title} LINK: {_target(part)}\n" for part in choices)
    text = f"{message.text}\n\nAVAILABLE BUTTONS: \n{lines}" if choices else message.text
    return {"User" if message.role == "user" else "Assistant": text}


def _target(choice: Button | Link) -> str:
    return (choice.payload if isinstance(choice, Button) else choice.url) or "<empty>"


def _cost(name: str, consumed: Usage) -> dict[str, float]:
    """Return the cost under this name, or nothing if it is unknown."""
    return {} if consumed.known_cost is None else {name: consumed.known_cost}


def _report(times: Sequence[float], names: Sequence[str]) -> dict[str, float | None]:
    found = [round(fmean(times), 6), round(max(times), 6), round(min(times), 6)] if times else [None] * 3
    return dict(zip(names, found, strict=True))


def _yaml(*documents: Any) -> str:
    text: str = yaml.dump_all(
        map(_writable, documents),
        Dumper=yaml.CSafeDumper,
        allow_unicode=True,
        default_flow_style=False,
        sort_keys=False,
    )
    return text


def _writable(value: Any) -> Any:
    """Return a value without lone surrogates and shared parts, which YAML writes as references."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_writable(name): _writable(inner) for name, inner in value.items()}
    return [_writable(inner) for inner in value] if isinstance(value, list) else value


@dataclass(frozen=True, slots=True)
class SenseiExport:
    """Counts of written and of void conversations, which are left out."""

    folder: Path
    conversations: int
    void: int


def profile_names(files: Sequence[Path]) -> frozenset[str]:
    """Return the stems of the files that are profiles, whose test name is the tag of their cases."""
    return frozenset(each.path.stem for each in loading.check(files) if each.kind == "profile")


async def write_sensei(
    folder: Path, batch: Batch, conversations: AsyncIterator[Conversation], profiles: frozenset[str]
) -> SenseiExport:
    """Write a file for each conversation, a report, and a cost report. Holds one conversation at a time."""
    tests = {case.id: _test_name(case, profiles) for case in batch.cases}
    try:
        return await _write(folder, _serial(folder, batch), tests, conversations)
    except OSError as error:
        raise InputError(f"{folder}: cannot be written: {error.strerror}") from error


async def _write(
    folder: Path, serial: str, tests: Mapping[str, str], conversations: AsyncIterator[Conversation]
) -> SenseiExport:
    wanted, numbers, reports, void = Counter(tests.values()), Counter[str](), Reports(), 0
    with ExitStack() as stack:
        costs = _made(folder / "__cost_report__" / f"cost_report_{serial}.csv")
        rows = csv.writer(stack.enter_context(costs.open("w", encoding="utf-8", newline="")))
        rows.writerow(COSTS)
        async for conversation in conversations:
            if conversation.ending is None or conversation.ending.void:
                void += 1
                continue
            test = tests[conversation.case.id]
            path = _made(folder / test / serial / f"{numbers[test]}_{test}_{serial}.yml")
            path.write_text(conversation_file(conversation, serial=serial, number=wanted[test]), encoding="utf-8")
            _write_goals(path.with_suffix(".csv"), conversation)
            reports.add(conversation, file=path.name, test=test)
            rows.writerows(cost_rows(conversation, file=path.name, test=test))
            numbers[test] += 1
    _made(folder / "__report__" / f"report_{serial}.yml").write_text(reports.text(), encoding="utf-8")
    return SenseiExport(folder, numbers.total(), void)


def _write_goals(path: Path, conversation: Conversation) -> None:
    """Write the goals beside the conversation, as for a profile with `export`."""
    if rows := list(goal_rows(conversation)):
        with path.open("w", encoding="utf-8", errors="replace", newline="") as file:
            csv.writer(file, delimiter=";").writerows([GOALS, *rows])


def _serial(folder: Path, batch: Batch) -> str:
    """Return the start of the batch in SENSEI's form; a second run within a second gets a number."""
    serial = moment = f"{batch.created:%Y-%m-%d-%H-%M-%S}"
    number = 1
    while (folder / "__cost_report__" / f"cost_report_{serial}.csv").exists():
        number += 1
        serial = f"{moment}-{number}"
    return serial


def _test_name(case: Case, profiles: frozenset[str]) -> str:
    """Return the test name of a profile, or the name of the file, as a safe folder name."""
    stem = case.id.partition("/")[0]
    name = case.tags[0] if stem in profiles and case.tags else stem
    return re.sub(r"[^\w.-]+", "_", name).strip("._")[:100] or "test"


def _made(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path

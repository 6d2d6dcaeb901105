"""Writing a batch into the folders and files that SENSEI writes."""

import csv
import re
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from sparring.core.batch import Batch
from sparring.core.case import Case
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError
from sparring.reporting.sensei import COSTS, GOALS, Reports, conversation_file, cost_rows, goal_rows
from sparring.scenarios import loading


@dataclass(frozen=True, slots=True)
class Written:
    """How many conversations were written, and how many not, because they are void."""

    folder: Path
    conversations: int
    void: int


def profile_names(files: Sequence[Path]) -> frozenset[str]:
    """The stems of the files that are profiles, whose test name is their cases' tag."""
    return frozenset(each.path.stem for each in loading.check(files) if each.kind == "profile")


async def write_sensei(
    folder: Path, batch: Batch, conversations: AsyncIterator[Conversation], profiles: frozenset[str]
) -> Written:
    """Write a file for each conversation, a report, and a cost report; conversations come and go one by one."""
    tests = {case.id: _test_name(case, profiles) for case in batch.cases}
    try:
        return await _write(folder, _serial(folder, batch), tests, conversations)
    except OSError as error:
        raise InputError(f"{folder}: cannot be written: {error.strerror}") from error


async def _write(
    folder: Path, serial: str, tests: Mapping[str, str], conversations: AsyncIterator[Conversation]
) -> Written:
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
    return Written(folder, numbers.total(), void)


def _write_goals(path: Path, conversation: Conversation) -> None:
    """What became of the goals, beside the conversation, as a profile with `export` has it; we keep it for all."""
    if rows := list(goal_rows(conversation)):
        with path.open("w", encoding="utf-8", errors="replace", newline="") as file:
            csv.writer(file, delimiter=";").writerows([GOALS, *rows])


def _serial(folder: Path, batch: Batch) -> str:
    """When the batch began, as SENSEI writes it; a second run within a second gets a number behind it."""
    serial = moment = f"{batch.created:%Y-%m-%d-%H-%M-%S}"
    number = 1
    while (folder / "__cost_report__" / f"cost_report_{serial}.csv").exists():
        number += 1
        serial = f"{moment}-{number}"
    return serial


def _test_name(case: Case, profiles: frozenset[str]) -> str:
    """The test name of a profile, or the name of the file: as the name of a folder, which leads nowhere else."""
    stem = case.id.partition("/")[0]
    name = case.tags[0] if stem in profiles and case.tags else stem
    return re.sub(r"[^\w.-]+", "_", name).strip("._")[:100] or "test"


def _made(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path

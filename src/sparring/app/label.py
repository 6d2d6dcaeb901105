"""Labels of people, which measure judges and the audit."""

import csv
from collections import defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import datetime
from math import sqrt
from operator import attrgetter
from pathlib import Path
from random import Random
from typing import Literal, get_args

from pydantic import AwareDatetime, Field, PositiveInt, ValidationError

from sparring.app.computed import complete
from sparring.app.judge import require_on_scale
from sparring.core.audit import Blame
from sparring.core.batch import Batch
from sparring.core.conversation import Conversation, Evidence
from sparring.core.errors import InputError, Problem
from sparring.core.judgements import current
from sparring.core.listing import ConversationQuery
from sparring.core.outcome import Outcome
from sparring.core.text import csv_rows
from sparring.core.value import Value
from sparring.core.verdict import HUMAN, LABEL, NOTE, CheckOutcome, Verdict
from sparring.store.store import Store

Opinion = Literal["passed", "failed", "undecided"]

_OUTCOMES = dict(zip(get_args(Opinion), (CheckOutcome.PASS, CheckOutcome.FAIL, CheckOutcome.ERROR), strict=True))


class Label(Value):
    """A person's opinion on a conversation; `undecided` if the person cannot tell.

    `blame` is the party at fault and `turn` (from 1) the place, if the conversation did not pass. The person `who`
    labeled it at the time `when`. A label is `blind` if the person had seen no outcome; only blind labels measure
    judges and audits.
    """

    conversation: str = Field(min_length=1, max_length=2000)
    outcome: Opinion
    score: int | None = None
    blame: Blame | None = None
    turn: PositiveInt | None = None
    reason: str = Field("", max_length=5000)
    who: str = Field("", max_length=100)
    when: AwareDatetime | None = None
    blind: bool = True


COLUMNS = tuple(Label.model_fields)


async def label(
    batch: Batch, store: Store, given: Sequence[Label], now: datetime, weights: Mapping[str, float] | None = None
) -> list[Verdict]:
    """Store labels, each in place of an earlier one of its person, and return them as verdicts.

    `weights` are those of conversations that were drawn.

    Raises:
        InputError: a label is about no conversation of the batch, blames a party for one that passed, or has a turn or
            a score that there is not. Nothing is stored then.
    """
    verdicts: list[Verdict] = []
    problems: list[Problem] = []
    for each in given:
        try:
            about = await store.conversation(batch.id, each.conversation)
            verdict = _verdict(each, batch, about, each.when or now)
            verdicts.append(verdict.model_copy(update={"weight": (weights or {}).get(about.id)}))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    for verdict in verdicts:
        await store.judge(batch.id, verdict, rejudge=True)
    return verdicts


def _verdict(given: Label, batch: Batch, about: Conversation, now: datetime) -> Verdict:
    if given.outcome == "passed" and given.blame:
        raise InputError(f"{about.id}: a conversation that passed has no party to blame, such as the {given.blame}")
    require_on_scale(given.score, batch.rubrics_for(about.case))
    return Verdict(
        check=HUMAN,
        outcome=_OUTCOMES[given.outcome],
        conversation=about.id,
        reason=given.reason.strip(),
        evidence=_evidence(given, about),
        score=None if given.score is None else float(given.score),
        by=HUMAN,
        judge=LABEL,
        blame=given.blame,
        who=given.who.strip(),
        given=now,
        blind=given.blind,
    )


def _evidence(given: Label, about: Conversation) -> tuple[Evidence, ...]:
    """Return the message of the turn that a label names: the chatbot's, or the user's if that is to blame."""
    if given.turn is None:
        return ()
    turn = [at for at in range(len(about.case.history), len(about.messages)) if about.turn_of(at) == given.turn]
    if not turn:
        raise InputError(f"{about.id}: there is no turn {given.turn}, only 1 to {about.turns}")
    role = "user" if given.blame in (Blame.USER, Blame.CASE) else "chatbot"
    at = next((at for at in turn if about.messages[at].role == role), turn[0])
    text = about.messages[at].text
    return (Evidence(at=at, start=0, end=len(text), text=text),)


async def labels(batch: Batch, store: Store) -> AsyncIterator[Verdict]:
    """Yield the labels of a batch: for each conversation, the latest one of each person."""
    for each in current([each async for each in store.verdicts(batch.id, judge=LABEL)], "latest"):
        yield each


async def mark(
    batch: Batch, store: Store, conversation: str, note: str, who: str, now: datetime, *, cause: str = ""
) -> None:
    """Mark a conversation, or the cause that it is an example of; without a note, remove the mark."""
    fields = {"check": NOTE, "by": HUMAN, "judge": NOTE, "rubric": cause, "outcome": CheckOutcome.NOT_APPLICABLE}
    given = Verdict(**fields, conversation=conversation, reason=note.strip(), who=who.strip(), given=now)
    await store.judge(batch.id, given, rejudge=True)


async def marks(batch: Batch, store: Store, conversation: str = "") -> list[Verdict]:
    """Return the marks of a batch, or that of one conversation."""
    found = [each async for each in store.verdicts(batch.id, conversation=conversation, judge=NOTE)]
    return [each for each in current(found, "latest") if each.reason and not each.rubric]


async def cause_marks(batch: Batch, store: Store) -> dict[str, Verdict]:
    """Return the latest mark of each cause, of all runs of a batch's name."""
    given = [
        each
        for run in await store.namesakes(batch.name) or [batch.id]
        async for each in store.verdicts(run, judge=NOTE)
        if each.rubric and each.given
    ]
    latest = {each.rubric: each for each in sorted(given, key=attrgetter("given"))}
    return {cause: each for cause, each in latest.items() if each.reason}


async def labels_of(batch: Batch, store: Store) -> list[Label]:
    """Return the labels of a batch as they were given."""
    names = {outcome: name for name, outcome in _OUTCOMES.items()}
    found = []
    async for each in labels(batch, store):
        about = await store.conversation(batch.id, each.conversation)
        kept = {name: getattr(each, name) for name in ("conversation", "blame", "score", "reason", "who", "blind")}
        turn = about.turn_of(each.evidence[0].at) if each.evidence else None
        found.append(Label(outcome=names[each.outcome], turn=turn, when=each.given, **kept))
    return found


def read_labels(path: Path) -> list[Label]:
    """Return the labels in a CSV file with a column for each field; empty cells are left out."""
    found, problems = [], []
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            for row in (table := csv_rows(stream)):
                try:
                    found.append(Label.model_validate({name: cell for name, cell in row.items() if cell}))
                except ValidationError as error:
                    problems += [
                        Problem(file=str(path), line=table.line_num, path=str(each["loc"][0]), message=each["msg"])
                        for each in error.errors()
                    ]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path}: cannot be read: {getattr(error, 'strerror', '') or error}") from None
    if problems or not found:
        empty = Problem(file=str(path), message="has no labels")
        raise InputError(problems or empty, hint=f"its columns are {', '.join(COLUMNS)}")
    return found


Stratum = tuple[str, ...]
_FEWEST = 4
"""Conversations per stratum needed to stratify by all judges and rubrics; with fewer, outcomes and scores are strata.
"""


async def label_queue(batch: Batch, store: Store, *, sample: int = 50, seed: int = 1) -> dict[str, float]:
    """Draw conversations in random order, each with the number of conversations that it stands for.

    Rare outcomes, and within an outcome rare scores by judges and rubrics, are oversampled.
    """
    await complete(batch, store)
    stored = (await store.progress(batch.id)).stored
    _, rows = await store.search(batch.id, ConversationQuery(), offset=0, limit=max(stored, 1))
    known = {each.conversation: each for each in rows if each.decision.outcome is not Outcome.VOID}
    scores: defaultdict[str, list[str]] = defaultdict(list)
    for verdict in current([each async for each in store.verdicts(batch.id)], batch.who.decides):
        if verdict.by != HUMAN:
            scores[verdict.conversation].append(f"{verdict.judge} {verdict.rubric} {verdict.score or verdict.outcome}")
    fine = {id: tuple(scores[id]) for id in known}
    if len(set(fine.values())) > sample / _FEWEST:
        fine = {id: (str(row.score),) for id, row in known.items()}
    sides: defaultdict[str, defaultdict[Stratum, list[str]]] = defaultdict(lambda: defaultdict(list))
    for id, row in known.items():
        sides[row.decision.outcome][fine[id]].append(id)
    return _drawn(sides, sample, Random(seed))


def _drawn(sides: Mapping[str, Mapping[Stratum, list[str]]], sample: int, random: Random) -> dict[str, float]:
    weights: dict[str, float] = {}
    shares = _parts([sum(map(len, strata.values())) for strata in sides.values()], sample)
    for strata, share in zip(sides.values(), shares, strict=True):
        for ids, size in zip(strata.values(), _parts(list(map(len, strata.values())), share), strict=True):
            weights |= {id: len(ids) / size for id in random.sample(sorted(ids), size)}
    return {id: weights[id] for id in random.sample(sorted(weights), len(weights))}


def _parts(sizes: Sequence[int], total: int) -> list[int]:
    """Divide a total in proportion to the square roots of the sizes, up to the sizes.

    In simulations, equal parts give wide bounds if nearly all conversations have one outcome, and proportional parts
    leave few labels of rare outcomes.
    """
    parts = [0] * len(sizes)
    for _ in range(min(total, sum(sizes))):
        open_parts = (n for n in range(len(sizes)) if parts[n] < sizes[n])
        parts[min(open_parts, key=lambda n: parts[n] / sqrt(sizes[n]))] += 1
    return parts

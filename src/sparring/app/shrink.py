"""The smallest scenario in which a recorded conversation still fails the same check."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date

from sparring.app.config import AppConfig
from sparring.app.execution import inputs_of
from sparring.app.mutate import runs_in_process
from sparring.app.results import result
from sparring.app.wiring import players
from sparring.core.batch import Batch
from sparring.core.clock import SystemClock
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError
from sparring.core.outcome import Outcome
from sparring.core.text import did_you_mean
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.extraction.pattern_extractor import PatternReader
from sparring.mutation.shrinking import shrink
from sparring.runner.players import ResolvedPlayers
from sparring.runner.verdicts import checks_of
from sparring.scenarios.written_case import Written, elements, lines_of, loaded, scenario, text_of, without
from sparring.simulation.simulate import simulate
from sparring.store.store import Store

CRASH = "crash"
"""The name of a crash among the checks that a conversation failed."""

Seen = tuple[str, str, str]
"""Kind, subject and relation of a symptom."""

REPLAYS = 5
"""Replays of the whole scenario, all of which must fail before anything is left out."""

_SIGNS = re.compile(r"\b[A-Z]\w*(?:Error|Exception)\b|\b[45]\d\d\b")
"""Exception classes and HTTP statuses, by which crashes are told apart."""


@dataclass
class Shrinking:
    """A scenario that was made smaller, or the reason why not: `failed` of the replays did."""

    check: str
    failed: int = 0
    text: str = ""
    conversation: Conversation | None = None
    runs: int = 0
    minimal: bool = False
    before: dict[str, int] = field(default_factory=dict)
    after: dict[str, int] = field(default_factory=dict)
    also: tuple[str, ...] = ()
    """Other checks that failed on the way, where the wanted one did not."""


@dataclass(frozen=True, slots=True)
class ShrinkOptions:
    """Options: the check (by default the most important one), the runs, and the name of the file."""

    check: str = ""
    runs: int = 60
    file: str = "shrunk.yml"
    side_effects: bool = False


async def shrink_conversation(
    batch: Batch, store: Store, config: AppConfig, id: str, options: ShrinkOptions
) -> Shrinking:
    """Return the smallest scenario in which a conversation of a batch fails the same check.

    Raises:
        InputError: it did not fail such a check, or its chatbot must not be asked again.
    """
    conversation = await store.conversation(batch.id, id)
    verdicts = (await result(batch, store, conversation)).deciding
    wanted = wanted_check(batch, conversation, verdicts, options.check)
    symptoms = symptoms_of(each for each in verdicts if each.check == wanted)
    if not options.side_effects:
        require_in_process(batch)
    choice = inputs_of(batch).choice
    async with players(choice, config) as (cast, _):
        replays = _Replays(batch, cast, conversation, wanted, symptoms, options.file)
        found = Shrinking(wanted)
        for whole in _forms(batch, conversation, wanted, choice.user):
            failed = await replays.failing(whole)
            if failed == REPLAYS:
                return await _shrunk(whole, replays, options.runs)
            found.failed = max(found.failed, failed)
        return found


def require_in_process(batch: Batch) -> None:
    """Raise InputError if a replay with the chatbot of a batch would act elsewhere."""
    if not runs_in_process(batch):
        raise InputError(
            f"{batch.who.chatbot} runs elsewhere, and every replay would act there",
            hint="--allow-side-effects asks it anyway",
        )


def wanted_check(batch: Batch, conversation: Conversation, verdicts: tuple[Verdict, ...], name: str) -> str:
    """Return the name of the check to keep failing."""
    crashed = conversation.ending is not None and conversation.ending.crashed
    failed = [each.check for each in verdicts if each.outcome is CheckOutcome.FAIL and each.by != "human"]
    names = list(dict.fromkeys([*([CRASH] if crashed else []), *failed]))
    if not names:
        raise InputError(f"{conversation.id} did not fail", hint="`sparring show BATCH --failed` lists those that did")
    if name and name not in names:
        several = any(rule.name == name and rule.conversations != 1 for rule in batch.rules)
        why = "is about several conversations" if several else "did not fail"
        raise InputError(f"--check {name}: it {why}", hint=did_you_mean(name, names))
    wanted = name or names[0]
    by = next((each.by for each in verdicts if each.check == wanted), "")
    if by == "model":
        raise InputError(f"{wanted} is asked of a model", hint="name a check that needs none: --check NAME")
    return wanted


def _forms(batch: Batch, conversation: Conversation, wanted: str, user: str) -> Iterator[Written]:
    """Yield what is replayed: the scenario, unless a model plays its user, and then the recorded lines."""
    case = conversation.case
    own = (each.rule for each in case.expectations)
    check = next((rule for rule in (*own, *batch.rules) if rule.name == wanted), None)
    if case.script or user == "agenda":
        yield scenario(case, check)
    if not case.script:
        yield lines_of(conversation, check)


class _Replays:
    """Plays scenarios against the chatbot of a batch, and looks if they fail the same check."""

    def __init__(
        self, batch: Batch, cast: ResolvedPlayers, original: Conversation, wanted: str, symptoms: set[Seen], file: str
    ) -> None:
        self._checks = checks_of(batch.model_copy(update={"rules": ()}))
        self._cast, self._original, self._file = cast, original, file
        self._today: date = SystemClock().now().date()
        self.wanted, self._symptoms = wanted, symptoms
        self.also: dict[str, None] = {}
        self.played: dict[str, Conversation] = {}

    async def failing(self, whole: Written) -> int:
        """Return how many replays of a scenario failed; they stop at the first that does not."""
        text = text_of(whole)
        if loaded(text, self._file, self._today) is None:
            return 0
        return sum([await self.fails(text) for _ in range(REPLAYS)])

    def text(self, part: Written) -> str | None:
        """Return the text of a scenario, or None if it is none."""
        text = text_of(part)
        return None if loaded(text, self._file, self._today) is None else text

    async def fails(self, text: str) -> bool:
        """Play a scenario, and return True if it fails the same check."""
        case = loaded(text, self._file, self._today)
        assert case is not None
        made = await simulate(case, self._cast.user_for(case), self._cast.chatbot, reader=PatternReader())
        self.played[text] = made
        checks = await self._checks.evaluate(made)
        verdicts = [each for each in checks.verdicts.values() if each and each.outcome is CheckOutcome.FAIL]
        failed = [each.check for each in verdicts if each.check != self.wanted or symptoms_of([each]) <= self._symptoms]
        failed += [CRASH] if crashed_alike(self._original, made) else []
        if checks.row is None or checks.row.decision.outcome is Outcome.VOID:
            return False
        if self.wanted not in failed:
            self.also |= dict.fromkeys(failed)
        return self.wanted in failed


def crashed_alike(was: Conversation, made: Conversation) -> bool:
    """Return True if a replay crashed with the same exception or HTTP status."""
    alike = made.ending is was.ending and _SIGNS.findall(made.error) == _SIGNS.findall(was.error)
    return alike and made.ending is not None and made.ending.crashed


def symptoms_of(verdicts: Iterable[Verdict]) -> set[Seen]:
    """Return what failed checks saw, so that another failure of the same check does not count."""
    return {(seen.kind, seen.subject, seen.relation) for each in verdicts for seen in each.symptoms}


async def _shrunk(whole: Written, replays: _Replays, runs: int) -> Shrinking:
    paths = elements(whole)

    def part(kept: frozenset[int]) -> Written:
        return without(whole, {path for at, path in enumerate(paths) if at not in kept})

    found = await shrink(len(paths), lambda kept: replays.text(part(kept)), replays.fails, runs=runs)
    least = part(frozenset(found.kept)) if len(found.kept) < len(paths) else whole
    text = text_of(least)
    return Shrinking(
        replays.wanted,
        failed=REPLAYS,
        text=text,
        conversation=replays.played[text],
        runs=found.runs,
        minimal=found.minimal,
        before=_sizes(whole, replays.played[text_of(whole)]),
        after=_sizes(least, replays.played[text]),
        also=tuple(replays.also),
    )


def _sizes(written: Written, conversation: Conversation) -> dict[str, int]:
    counted: dict[str, int] = {
        key: len(written[key]) for key in ("goals", "script", "variables", "facts") if key in written
    }
    return {"elements": len(elements(written)), **counted, "turns": conversation.turns}

"""The smallest scenario in which a recorded conversation still fails the same check.

A rule over several conversations is kept failing by the scenarios of those that violate it, which shrink together.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from sparring.app.config import AppConfig
from sparring.app.execution import inputs_of, replaying
from sparring.app.results import findings, result, results
from sparring.app.same_failure import FailureOracle, require_in_process, wanted_check
from sparring.core.batch import Batch
from sparring.core.case import Case
from sparring.core.checks import Rule
from sparring.core.clock import SystemClock
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError
from sparring.core.verdict import CheckOutcome
from sparring.extraction.pattern_extractor import PatternReader
from sparring.mutation.shrinking import Shrunk, shrink, shrink_random
from sparring.parsing import KeyPath
from sparring.rules.check import check
from sparring.rules.recording import is_scenario, recording_of
from sparring.runner.players import ResolvedPlayers
from sparring.scenarios.written_case import (
    Written,
    elements,
    lines_of,
    loaded_cases,
    scenario,
    text_of,
    without,
)
from sparring.simulation.simulate import simulate
from sparring.store.store import Store

REPLAYS = 5
"""Replays of the whole scenario; twice as many if only one of them fails."""

_RUNS, _RARE_RUNS = 60, 150
"""Most replays; and if rather few of the whole scenario fail."""

_RARE = 0.4
"""If a smaller share of the replays of the whole scenario fails, they are rather few."""

_SHARE = 0.2
"""The smallest share of failing replays, for a chatbot that does not always fail."""


Whole = tuple[Written, ...]
"""The scenarios of conversations that fail together, most often one."""


@dataclass
class Shrinking:
    """A reduced scenario, or the reason why there is none: `failed` of the replays failed."""

    check: str
    failed: int = 0
    share: float = 0.0
    """Share of the replays of the whole scenario that failed."""
    text: str = ""
    conversations: tuple[Conversation, ...] = ()
    runs: int = 0
    minimal: bool = False
    before: dict[str, int] = field(default_factory=dict)
    after: dict[str, int] = field(default_factory=dict)
    also: tuple[str, ...] = ()
    """Other checks that failed during the reduction while the wanted one did not."""


@dataclass(frozen=True, slots=True)
class ShrinkOptions:
    """Options: the check (by default the most important one), the runs, and the name of the file."""

    check: str = ""
    runs: int | None = None
    file: str = "shrunk.yml"
    side_effects: bool = False


async def shrink_conversation(
    batch: Batch, store: Store, config: AppConfig, id: str, options: ShrinkOptions
) -> Shrinking:
    """Return the smallest scenario in which a conversation of a batch fails the same check.

    If the check is a rule over several conversations, there is a scenario for each.

    Raises:
        InputError: it did not fail such a check, or its chatbot must not be asked again.
    """
    conversation = await store.conversation(batch.id, id)
    verdicts = (await result(batch, store, conversation)).deciding
    rule = next((each for each in batch.rules if each.name == options.check and each.conversations != 1), None)
    wanted = rule.name if rule else wanted_check(batch, conversation, verdicts, options.check)
    if not options.side_effects:
        require_in_process(batch)
    choice = inputs_of(batch).choice
    together = await _together(batch, store, conversation, rule) if rule else [conversation]
    control = None if rule else await _control(batch, store, conversation, wanted)
    async with replaying(batch, store, config) as players:
        oracle = FailureOracle(batch, conversation, verdicts, wanted)
        replays = _Replays(players, together, oracle, options.file, rule)
        found = Shrinking(wanted)
        expected = None if rule else _rule(batch, conversation, wanted)
        for whole in _forms(together, expected, choice.user):
            found.failed = max(found.failed, await replays.failing(whole))
            if replays.share:
                return await _shrunk(whole, await replays.passing(whole, control), replays, options.runs)
        return found


async def _control(batch: Batch, store: Store, failed: Conversation, wanted: str) -> Conversation | None:
    """Return the conversation of the same scenario that passes the check with the most values in common."""
    found: list[Conversation] = []
    where = failed.case.id.rpartition("/")[0]
    async for each, verdicts in results(batch, store):
        passed = any(one.check == wanted and one.outcome is CheckOutcome.PASS for one in verdicts.deciding)
        if where and each.case.id.rpartition("/")[0] == where and passed:
            found.append(each)
    mine = failed.case.variables.items()
    return max(found, key=lambda each: sum(value in each.case.variables.items() for value in mine), default=None)


async def _together(batch: Batch, store: Store, failed: Conversation, rule: Rule) -> list[Conversation]:
    """Return the conversations that violate a rule together with one of a batch."""
    found = next((each for each in await findings(batch, store) if each.rule == rule.name), None)
    known = [each.conversations for each in found.examples] if found else []
    ids = next((each for each in known if failed.id in each), None)
    if ids is None:
        raise InputError(
            f"--check {rule.name}: {failed.id} is in no example of a violation",
            hint=f"those in one: {', '.join(dict.fromkeys(id for each in known for id in each)) or 'none'}",
        )
    return [await store.conversation(batch.id, id) for id in ids]


def _rule(batch: Batch, conversation: Conversation, wanted: str) -> Rule | None:
    own = (each.rule for each in conversation.case.expectations)
    return next((rule for rule in (*own, *batch.rules) if rule.name == wanted), None)


def _forms(conversations: Sequence[Conversation], check: Rule | None, user: str) -> Iterator[Whole]:
    """Yield what to replay: the scenarios, unless a model plays their user, and then the recorded lines."""
    if user == "agenda" or all(each.case.script for each in conversations):
        yield tuple(scenario(each.case, check) for each in conversations)
    if not all(each.case.script for each in conversations):
        yield tuple(lines_of(each, check) for each in conversations)


Candidate = tuple[str, str]
"""The texts of a part of the scenario, and of the same part of a passing one; empty if there is none."""


class _Replays:
    """Plays scenarios against the chatbot of a batch, and checks if they fail for the same cause."""

    def __init__(
        self,
        resolved: ResolvedPlayers,
        originals: Sequence[Conversation],
        oracle: FailureOracle,
        file: str,
        rule: Rule | None,
    ) -> None:
        self._players, self._oracle, self._file, self._several = resolved, oracle, file, rule
        self._today: date = SystemClock().now().date()
        self._names = [_name(each.case.id, at, rule) for at, each in enumerate(originals, 1)]
        self._answered = [
            {goal.text for goal, progress in zip(each.case.goals, each.goals, strict=False) if progress.answered}
            for each in originals
        ]
        self.failed, self.of = 0, REPLAYS
        """Replays of the whole scenario that failed, and all of them."""
        self.wanted, self.choices = oracle.check, originals[0].case.choices
        self.played: dict[str, list[Conversation]] = {}
        self.checked = f"{rule.if_} {rule.then}" if rule else ""
        """The rule over several conversations that is violated."""

    async def failing(self, whole: Whole) -> int:
        """Return how many of the first replays of a scenario failed, and set the failing share."""
        text = self.text(whole)
        if text is None:
            return 0
        for self._oracle.exact in (True, False):
            first = self.failed = sum([await self._fails(text) for _ in range(REPLAYS)])
            if first == REPLAYS:
                break
        self.of = REPLAYS
        if first == 1:
            self.failed += sum([await self._fails(text) for _ in range(REPLAYS)])
            self.of *= 2
        return first

    async def passing(self, whole: Whole, control: Conversation | None) -> Whole | None:
        """Return the scenario of a passing conversation with the same parts, if it passes again."""
        if control is None:
            return None
        expected = {key: whole[0][key] for key in ("expect",) if key in whole[0]}
        written = (scenario(control.case, None) | expected,)
        text = self.text(written) if elements(written[0]) == elements(whole[0]) else None
        return written if text and not await self._fails(text) else None

    def text(self, whole: Whole) -> str | None:
        """Return the text of the scenarios, or None if one of them is invalid."""
        named = [{"name": name} | each for name, each in zip(self._names, whole, strict=True)]
        text = text_of(whole[0] if len(whole) == 1 else {"scenarios": named})
        return text if len(loaded_cases(text, self._file, self._today)) == len(whole) else None

    @property
    def also(self) -> tuple[str, ...]:
        """Other checks that failed where the wanted one did not."""
        return tuple(self._oracle.also)

    @property
    def most(self) -> int:
        """Most further replays, unless their number is given."""
        return (_RUNS if self.share >= _RARE else _RARE_RUNS) - self.of

    @property
    def share(self) -> float:
        """Share of the replays of the whole scenario that fail; 0 if too few do."""
        share = self.failed / self.of
        return share if share >= _SHARE else 0

    async def fails(self, candidate: Candidate) -> bool:
        """Play a scenario, and return True if it fails for the same cause, and a passing one still passes."""
        text, control = candidate
        return await self._fails(text) and not (control and await self._fails(control))

    async def _fails(self, text: str) -> bool:
        made = [await self._play(case) for case in loaded_cases(text, self._file, self._today)]
        lost = any(
            goal.text in answered and progress.answered is None
            for each, answered in zip(made, self._answered, strict=True)
            for goal, progress in zip(each.case.goals, each.goals, strict=False)
        )
        failed = not lost and await self._violated(made)
        if failed or text not in self.played:
            self.played[text] = made
        return failed

    async def _play(self, case: Case) -> Conversation:
        return await simulate(case, self._players.user_for(case), self._players.chatbot, reader=PatternReader())

    async def _violated(self, made: Sequence[Conversation]) -> bool:
        if self._several is None:
            return bool((await self._oracle.failed(made[0]))[0])
        apart = [each.changed(case=each.case.changed(id=f"{each.case.id}~{at}")) for at, each in enumerate(made, 1)]
        found = await check([self._several], [recording_of(each) for each in apart])
        return found.findings[0].outcome is CheckOutcome.FAIL


def _name(id: str, at: int, rule: Rule | None) -> str:
    """Return the name of a scenario in the file: one for which the rule is, if it selects scenarios."""
    selected = rule.scenarios if rule else ()
    parts = (part.partition("~")[0] for part in id.split("/"))
    return next((part for part in parts if selected and is_scenario(part, selected)), f"part {at}")


async def _shrunk(whole: Whole, control: Whole | None, replays: _Replays, runs: int | None) -> Shrinking:
    paths = [(at, path) for at, each in enumerate(whole) for path in elements(each)]

    def part(written: Whole, kept: frozenset[int]) -> Whole:
        left_out = [path for number, path in enumerate(paths) if number not in kept]
        return tuple(without(each, {path for of, path in left_out if of == at}) for at, each in enumerate(written))

    def candidate(kept: frozenset[int]) -> Candidate | None:
        text = replays.text(part(whole, kept))
        return None if text is None else (text, (control and replays.text(part(control, kept))) or "")

    most = runs or replays.most
    likely = _likely(paths, replays)
    found = await _search(len(paths), candidate, replays, most, likely)
    least = part(whole, frozenset(found.kept)) if len(found.kept) < len(paths) else whole
    simpler, spent = await _simplified(least, replays, most - found.runs)
    text, before = replays.text(simpler), replays.text(whole)
    assert text is not None
    assert before is not None
    return Shrinking(
        replays.wanted,
        failed=REPLAYS,
        share=replays.share,
        text=text,
        conversations=tuple(replays.played[text]),
        runs=found.runs + spent,
        minimal=found.minimal,
        before=_sizes(whole, replays.played[before]),
        after=_sizes(simpler, replays.played[text]),
        also=replays.also,
    )


def _likely(paths: Sequence[tuple[int, KeyPath]], replays: _Replays) -> frozenset[int]:
    """Return the elements that a rule over outputs most likely needs: outputs, and lines before them."""
    found: set[tuple[int, KeyPath]] = set()
    for at, made in enumerate(next(iter(replays.played.values()))):
        for output in made.outputs:
            if output.evidence is not None and re.search(rf"\b{re.escape(output.name)}\b", replays.checked):
                lines = sum(each.role == "user" for each in made.messages[: output.evidence.at])
                found |= {(at, ("outputs", output.name)), (at, ("script", lines - 1))}
    return frozenset(number for number, path in enumerate(paths) if path in found)


async def _search(
    size: int,
    candidate: Callable[[frozenset[int]], Candidate | None],
    replays: _Replays,
    runs: int,
    likely: frozenset[int],
) -> Shrunk:
    """Search as in a deterministic chatbot; if the result passes sometimes, search on with what is known."""
    known: list[tuple[frozenset[int], bool]] = []
    parts: dict[Candidate, frozenset[int]] = {}
    counts = {"failed": replays.failed, "passed": replays.of - replays.failed}

    def build(kept: frozenset[int]) -> Candidate | None:
        made = candidate(kept)
        if made is not None:
            parts.setdefault(made, kept)
        return made

    async def fails(made: Candidate) -> bool:
        failed = await replays.fails(made)
        known.append((parts[made], failed))
        return failed

    if replays.failed == replays.of:
        found = await shrink(size, build, fails, runs=max(1, runs - REPLAYS))
        last = build(frozenset(found.kept))
        replays.failed += sum([await fails(last) for _ in range(REPLAYS)]) if last else REPLAYS
        replays.of += REPLAYS
        if replays.failed == replays.of:
            return replace(found, runs=len(known))
    left = max(0, runs - len(known))
    found = await shrink_random(size, candidate, replays.fails, **counts, runs=left, known=known, likely=likely)
    return replace(found, runs=len(known) + found.runs)


async def _simplified(whole: Whole, replays: _Replays, runs: int) -> tuple[Whole, int]:
    """Return scenarios that still fail with one of a thing and the first value of a list."""
    spent = 0
    for at, name in [(at, name) for at, each in enumerate(whole) for name in each.get("variables", {})]:
        variables = whole[at]["variables"]
        value = variables[name]
        first = next(iter(replays.choices.get(name, ())), 1 if isinstance(value, int) and value > 1 else value)
        said = f"{{{{{name}}}}}" in text_of(whole[at])
        if not said or first == value or isinstance(value, list | dict | bool) or spent >= runs:
            continue
        other = (*whole[:at], whole[at] | {"variables": variables | {name: first}}, *whole[at + 1 :])
        text = replays.text(other)
        spent += text is not None
        whole = other if text is not None and await replays.fails((text, "")) else whole
    return whole, spent


def _sizes(whole: Whole, conversations: Sequence[Conversation]) -> dict[str, int]:
    counted: dict[str, int] = {
        key: sum(len(each.get(key, ())) for each in whole)
        for key in ("goals", "script", "variables", "facts")
        if any(key in each for each in whole)
    }
    turns = sum(each.turns for each in conversations)
    return {"elements": sum(len(elements(each)) for each in whole), **counted, "turns": turns}

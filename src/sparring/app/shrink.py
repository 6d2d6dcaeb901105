"""The smallest scenario in which a recorded conversation still fails the same check."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date

from sparring.app.config import AppConfig
from sparring.app.execution import inputs_of
from sparring.app.results import result, results
from sparring.app.same_failure import FailureOracle, require_in_process, wanted_check
from sparring.app.wiring import players
from sparring.core.batch import Batch
from sparring.core.clock import SystemClock
from sparring.core.conversation import Conversation
from sparring.core.verdict import CheckOutcome
from sparring.extraction.pattern_extractor import PatternReader
from sparring.mutation.shrinking import Shrunk, shrink, shrink_random
from sparring.runner.players import ResolvedPlayers
from sparring.runner.prompts import pinned_prompts
from sparring.scenarios.written_case import Written, elements, lines_of, loaded, scenario, text_of, without
from sparring.simulation.simulate import simulate
from sparring.store.store import Store

REPLAYS = 5
"""Replays of the whole scenario; twice as many if only one of them fails."""

_RUNS, _RANDOM_RUNS = 60, 150
"""Most further replays; and for a chatbot that fails only in a share of them."""

_SHARE = 0.2
"""The smallest share of failing replays, for a chatbot that does not always fail."""


@dataclass
class Shrinking:
    """A reduced scenario, or the reason why there is none: `failed` of the replays failed."""

    check: str
    failed: int = 0
    share: float = 0.0
    """Share of the replays of the whole scenario that failed."""
    text: str = ""
    conversation: Conversation | None = None
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

    Raises:
        InputError: it did not fail such a check, or its chatbot must not be asked again.
    """
    conversation = await store.conversation(batch.id, id)
    verdicts = (await result(batch, store, conversation)).deciding
    wanted = wanted_check(batch, conversation, verdicts, options.check)
    if not options.side_effects:
        require_in_process(batch)
    choice = inputs_of(batch).choice
    control = await _control(batch, store, conversation, wanted)
    prompts = await pinned_prompts(choice, store)
    async with players(choice, config, prompts=prompts) as (resolved, _):
        oracle = FailureOracle(batch, conversation, verdicts, wanted)
        replays = _Replays(resolved, conversation, oracle, options.file)
        found = Shrinking(wanted)
        for whole in _forms(batch, conversation, wanted, choice.user):
            found.failed = max(found.failed, await replays.failing(whole))
            if replays.share:
                runs = options.runs or (_RUNS if replays.share == 1 else _RANDOM_RUNS)
                return await _shrunk(whole, await replays.passing(whole, control), replays, runs)
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


def _forms(batch: Batch, conversation: Conversation, wanted: str, user: str) -> Iterator[Written]:
    """Yield what to replay: the scenario, unless a model plays its user, and then the recorded lines."""
    case = conversation.case
    own = (each.rule for each in case.expectations)
    check = next((rule for rule in (*own, *batch.rules) if rule.name == wanted), None)
    if case.script or user == "agenda":
        yield scenario(case, check)
    if not case.script:
        yield lines_of(conversation, check)


Candidate = tuple[str, str]
"""The texts of a part of the scenario, and of the same part of a passing one; empty if there is none."""


class _Replays:
    """Plays scenarios against the chatbot of a batch, and checks if they fail for the same cause."""

    def __init__(self, resolved: ResolvedPlayers, original: Conversation, oracle: FailureOracle, file: str) -> None:
        self._players, self._oracle, self._file = resolved, oracle, file
        self._today: date = SystemClock().now().date()
        goals = zip(original.case.goals, original.goals, strict=False)
        self._answered = {goal.text for goal, progress in goals if progress.answered is not None}
        self.failed, self.of = 0, REPLAYS
        """Replays of the whole scenario that failed, and all of them."""
        self.wanted, self.choices = oracle.check, original.case.choices
        self.played: dict[str, Conversation] = {}

    async def failing(self, whole: Written) -> int:
        """Return how many of the first replays of a scenario failed, and set the failing share."""
        text = text_of(whole)
        if loaded(text, self._file, self._today) is None:
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

    async def passing(self, whole: Written, control: Conversation | None) -> Written | None:
        """Return the scenario of a passing conversation with the same parts, if it passes again."""
        if control is None:
            return None
        check = next((each for each in whole.get("expect", ()) if isinstance(each, str | dict)), None)
        written = {**scenario(control.case, None), **({"expect": whole["expect"]} if check else {})}
        alike = elements(written) == elements(whole) and self.text(written) is not None
        return written if alike and not await self._fails(text_of(written)) else None

    def text(self, part: Written) -> str | None:
        """Return the text of a scenario, or None if it is invalid."""
        text = text_of(part)
        return None if loaded(text, self._file, self._today) is None else text

    @property
    def also(self) -> tuple[str, ...]:
        """Other checks that failed where the wanted one did not."""
        return tuple(self._oracle.also)

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
        case = loaded(text, self._file, self._today)
        assert case is not None
        made = await simulate(case, self._players.user_for(case), self._players.chatbot, reader=PatternReader())
        goals = zip(made.case.goals, made.goals, strict=False)
        lost = any(goal.text in self._answered and progress.answered is None for goal, progress in goals)
        failed = bool((await self._oracle.failed(made))[0]) and not lost
        if failed or text not in self.played:
            self.played[text] = made
        return failed


async def _shrunk(whole: Written, control: Written | None, replays: _Replays, runs: int) -> Shrinking:
    paths = elements(whole)

    def part(written: Written, kept: frozenset[int]) -> Written:
        return without(written, {path for at, path in enumerate(paths) if at not in kept})

    def candidate(kept: frozenset[int]) -> Candidate | None:
        text = replays.text(part(whole, kept))
        return None if text is None else (text, (control and replays.text(part(control, kept))) or "")

    found = await _search(len(paths), candidate, replays, runs)
    least = part(whole, frozenset(found.kept)) if len(found.kept) < len(paths) else whole
    simpler, spent = await _simplified(least, replays, runs - found.runs)
    text = text_of(simpler)
    return Shrinking(
        replays.wanted,
        failed=REPLAYS,
        share=replays.share,
        text=text,
        conversation=replays.played[text],
        runs=found.runs + spent,
        minimal=found.minimal,
        before=_sizes(whole, replays.played[text_of(whole)]),
        after=_sizes(simpler, replays.played[text]),
        also=replays.also,
    )


async def _search(
    size: int, candidate: Callable[[frozenset[int]], Candidate | None], replays: _Replays, runs: int
) -> Shrunk:
    if replays.failed == replays.of:
        return await shrink(size, candidate, replays.fails, runs=runs)
    passed = replays.of - replays.failed
    return await shrink_random(size, candidate, replays.fails, failed=replays.failed, passed=passed, runs=runs)


async def _simplified(written: Written, replays: _Replays, runs: int) -> tuple[Written, int]:
    """Return a scenario that still fails with one of a thing and the first value of a list."""
    spent = 0
    for name, value in written.get("variables", {}).items():
        first = next(iter(replays.choices.get(name, ())), 1 if isinstance(value, int) and value > 1 else value)
        said = f"{{{{{name}}}}}" in text_of(written)
        if not said or first == value or isinstance(value, list | dict | bool) or spent >= runs:
            continue
        other = written | {"variables": written["variables"] | {name: first}}
        text = replays.text(other)
        spent += text is not None
        written = other if text is not None and await replays.fails((text, "")) else written
    return written, spent


def _sizes(written: Written, conversation: Conversation) -> dict[str, int]:
    counted: dict[str, int] = {
        key: len(written[key]) for key in ("goals", "script", "variables", "facts") if key in written
    }
    return {"elements": len(elements(written)), **counted, "turns": conversation.turns}

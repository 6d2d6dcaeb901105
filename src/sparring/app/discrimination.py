"""Null bots for the cases of a batch: each case is tried once, and the result is reused."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from sparring.core.batch import NO_JUDGE, Batch, Players
from sparring.core.case import Case
from sparring.core.checks import Expectation, Rule, check_hash
from sparring.core.conversation import Conversation
from sparring.core.errors import Problem
from sparring.core.outcome import REFUSING, Discrimination
from sparring.core.state import StateRecord
from sparring.core.value import to_json
from sparring.core.verdict import Verdict
from sparring.discrimination.null_bots import VERSION
from sparring.discrimination.trial import NO_STATE, TrialChecks, discriminate, satisfied_rules
from sparring.judges.builtin import BY_HASH
from sparring.judges.judge import deterministic_judge
from sparring.reports.lines import counted
from sparring.runner.judge_worker import NamedJudge
from sparring.runner.players import NullBots
from sparring.runner.verdict_selection import rule_hashes
from sparring.runner.verdicts import ConversationChecks
from sparring.store.store import Store

MOST_TRIED = 200
"""Cases of a suite that are tried with null bots before a run; a trial takes about 20 ms."""

_RECENT: dict[str, Discrimination] = {}
"""Results of this process by key, for all stores: a program may run the same cases again in another store."""
_MOST_RECENT = 1_000


class NoNullBots:
    """Null bots that are off."""

    async def __call__(self, case: Case, state: StateRecord | None = None) -> Discrimination:
        return Discrimination(kind="off")

    async def satisfied(self, batch: Batch) -> dict[str, tuple[str, ...]]:
        return {}


def discriminator(batch: Batch, store: Store, *, on: bool = True) -> NullBots:
    """Return a `Discriminator` for the cases of a batch; the store keeps its results."""
    return Discriminator(batch.who.judge, batch.rules, store) if on else NoNullBots()


class Discriminator:
    """Tries null bots on cases, with the judge and the rules of a batch.

    Equal cases are tried once per store. Seeds and session names do not count.
    """

    def __init__(self, judge: str, rules: Sequence[Rule], store: Store | None = None) -> None:
        single = [rule for rule in rules if rule.active and rule.conversations == 1]
        self._rules = tuple(rule for rule in single if not _asks(rule))
        self._asks_model = len(self._rules) < len(single)
        found = deterministic_judge(judge)
        self._judge = NamedJudge(found, judge) if found else None
        self._asks_model |= judge not in ("", NO_JUDGE) and found is None
        self._checks = ConversationChecks(_batch(judge, self._rules), self._judge, trial=True)
        asked = " asks a model" if self._asks_model else ""
        self._about = " ".join([f"{VERSION}{asked}", judge, *BY_HASH, *rule_hashes(self._rules)]).encode()
        self._store = store
        self._kept: dict[str, Discrimination] = {}
        self._alone = asyncio.Lock()

    async def __call__(self, case: Case, state: StateRecord | None = None) -> Discrimination:
        """Return the result of a case. `state` is the chatbot's initial state, which null bots do not change."""
        case = case.changed(seed=0, session="")
        kept = NO_STATE
        if state is not None and any(_reads_state(rule) for rule in (*self._rules, *_rules(case.expectations))):
            kept = state.model_copy(update={"end": None, "changes": ()})
        key = check_hash("null bots", self._about + to_json(case) + to_json(kept))
        if key not in self._kept:
            async with self._alone:
                if key not in self._kept:
                    self._kept[key] = await self._found(key, case, kept)
        return self._kept[key]

    async def _found(self, key: str, case: Case, state: StateRecord) -> Discrimination:
        """Return the stored result under a key; without one, try null bots."""
        if self._store is None:
            return await self._tried(case, state)
        found = await self._store.tried(key)
        if found is None:
            found = await self._recent(key, case, state)
            await self._store.record_tried(key, found)
        return found

    async def _recent(self, key: str, case: Case, state: StateRecord) -> Discrimination:
        if key not in _RECENT:
            found = await self._tried(case, state)
            if len(_RECENT) >= _MOST_RECENT:
                _RECENT.clear()
            _RECENT[key] = found
        return _RECENT[key]

    async def _tried(self, case: Case, state: StateRecord) -> Discrimination:
        expectations = tuple(each for each in case.expectations if not _asks(each.rule))
        left_out = len(expectations) < len(case.expectations) or self._asks_model
        rules = (*self._rules, *_rules(expectations))
        checks = TrialChecks(self.verdicts, rules, asks_model=left_out)
        return await discriminate(case.changed(expectations=expectations), checks, state)

    async def satisfied(self, batch: Batch) -> dict[str, tuple[str, ...]]:
        """Return the null bots that satisfy the rules of a batch over several conversations."""
        return await satisfied_rules(batch.cases, batch.rules)

    async def verdicts(self, conversation: Conversation) -> list[Verdict]:
        """Return the verdicts of all checks that need no model."""
        found = await self._checks.evaluate(conversation)
        return [verdict for verdict in found.verdicts.values() if verdict is not None]


@dataclass(frozen=True, slots=True)
class CaseTrials:
    """Results of null bots on the cases of a suite; `tried` of its `cases` were tried."""

    cases: int = 0
    tried: Mapping[str, Discrimination] = field(default_factory=dict)

    off: bool = False

    @property
    def weak(self) -> dict[Discrimination, list[str]]:
        """The ids of weak cases."""
        found: dict[Discrimination, list[str]] = {}
        for case, each in self.tried.items():
            if each.kind == "weak":
                found.setdefault(each, []).append(case)
        return found

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about guards, and about bots that refuse everything."""
        guards = sum(each.kind == "guard" for each in self.tried.values())
        refused = sum(REFUSING in each.passed_by for each in self.tried.values())
        of = counted(len(self.tried), "case")
        if self.off:
            return (NOT_TRIED,)
        sampled = f"null bots were tried on {of}, evenly spread" if len(self.tried) < self.cases else ""
        are = "is a guard" if guards == 1 else "are guards"
        guarded = f"{guards:,} of {of} {are}, which doing nothing passes" if guards else ""
        passing = f"a bot that refuses everything passes {refused:,} of {of}" if refused else ""
        return tuple(filter(None, (sampled, guarded, passing)))

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """A warning for each reason that makes cases weak, with the first of them."""
        return tuple([_warning(found, cases) for found, cases in self.weak.items()])


OFF = CaseTrials(off=True)
NOT_TRIED = "null bots are off, so cases that any chatbot passes are not found"


async def try_cases(cases: Sequence[Case], judge: str, rules: Sequence[Rule] = ()) -> CaseTrials:
    """Try null bots on cases, or on a sample of them if there are many."""
    discriminator = Discriminator(judge, rules)
    step = max(1, -(-len(cases) // MOST_TRIED))
    return CaseTrials(len(cases), {case.id: await discriminator(case) for case in cases[::step]})


def _warning(found: Discrimination, cases: Sequence[str]) -> Problem:
    more = f" and {counted(len(cases) - 1, 'other case')}" if len(cases) > 1 else ""
    verb = "are" if more else "is"
    return Problem(
        path=f"{cases[0]}{more}",
        message=f"{verb} weak, so that passing stays undecided: {found.reason}",
        hint=found.remedy,
    )


def _reads_state(rule: Rule) -> bool:
    """Return True if a rule may read the state of a chatbot."""
    return any(word in text for word in ("state", "change") for text in (rule.when, rule.if_, rule.then))


def _asks(rule: Rule) -> bool:
    """Return True if a rule may ask a model."""
    from sparring.rules.evaluate.compiled_rule import CompiledRule, compile_rule  # only where there are rules

    compiled = compile_rule(rule)
    return isinstance(compiled, CompiledRule) and compiled.asks


def _rules(expectations: Sequence[Expectation]) -> tuple[Rule, ...]:
    return tuple(each.rule for each in expectations)


def _batch(judge: str, rules: tuple[Rule, ...]) -> Batch:
    who = Players(chatbot="null bots", user="", judge=judge)
    return Batch(id="null bots", created=datetime.fromtimestamp(0, UTC), who=who, cases=(), rules=rules, audit="off")

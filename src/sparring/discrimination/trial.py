"""Trial of a case: its checks on conversations with null bots, offline and without a model."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass

from sparring.chatbots.chatbot import Chatbot
from sparring.core.case import Case
from sparring.core.checks import Rule
from sparring.core.clock import Clock, SystemClock
from sparring.core.conversation import Conversation
from sparring.core.outcome import Discrimination, Outcome, decide
from sparring.core.state import StateRecord
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.discrimination.null_bots import NULL_BOTS, Attitude, NullBot, chatbot
from sparring.discrimination.offenders import offenders
from sparring.extraction.pattern_extractor import PatternReader
from sparring.simulation.simulate import simulate
from sparring.users.agenda import Agenda
from sparring.users.scripted import Scripted

_SPARE_TURNS = 2
"""Turns of the user beyond one for each step, goal and output: a bot that says the same again gains nothing by more."""

_SAY_ANSWER = "say what the answer is, or expect a tool call"
_SAY_MORE = "say what the chatbot has to say or do"

MOST_CASES = 5
"""Cases of a batch that null bots talk about for its rules over several conversations."""

NO_STATE = StateRecord(start={})
"""State of a chatbot that is not known: empty, and never changed."""

Verdicts = Callable[[Conversation], Awaitable[Sequence[Verdict]]]


@dataclass(frozen=True, slots=True)
class TrialChecks:
    """The checks of a case that need no model: their verdicts on a conversation, and the rules among them.

    With `asks_model`, the case has other checks, which are not tried.
    """

    verdicts: Verdicts
    rules: tuple[Rule, ...] = ()
    asks_model: bool = False


async def _no_verdicts(conversation: Conversation) -> Sequence[Verdict]:
    return ()


_NO_CHECKS = TrialChecks(_no_verdicts)


async def discriminate(case: Case, checks: TrialChecks, state: StateRecord = NO_STATE) -> Discrimination:
    """Return the null bots that pass a case, and whether it is weak or a guard.

    Null bots are tried until the case is known to be weak. They leave the `state` as it is.
    """
    trial = _Trial(case, checks, state)
    acts = case.goals or case.outputs or case.right == "refuse"
    if acts or not await trial.forbids_only():
        return await trial.of_null_bots()
    return await trial.of_guard()


async def satisfied_rules(cases: Sequence[Case], rules: Sequence[Rule]) -> dict[str, tuple[str, ...]]:
    """Return the null bots that satisfy rules over several conversations, by the hash of the rule.

    Each bot has two conversations about some of the cases. A rule that applies to none of them is not satisfied.
    """
    several = [rule for rule in rules if rule.active and rule.conversations != 1]
    if not several:
        return {}
    from sparring.rules.check import check  # only where there are such rules
    from sparring.rules.recording import recording_of

    found: dict[str, tuple[str, ...]] = {rule.hash: () for rule in several}
    some = cases[:: -(-len(cases) // MOST_CASES)]
    for bot in NULL_BOTS:
        trials = [_Trial(case.changed(seed=seed), _NO_CHECKS, NO_STATE) for case in some for seed in range(2)]
        conversations = [await trial.conversation(bot, number) for number, trial in enumerate(trials)]
        findings = await check(several, map(recording_of, conversations))
        for rule, finding in zip(several, findings.findings, strict=True):
            if finding.outcome is CheckOutcome.PASS and finding.satisfied:
                found[rule.hash] += (bot.name,)
    return found


class _Trial:
    """One case with a user that talks to one bot after another."""

    def __init__(self, case: Case, checks: TrialChecks, state: StateRecord) -> None:
        turns = len(case.script or (*case.goals, *case.outputs)) + _SPARE_TURNS
        limits = case.limits.changed(turns=min(case.limits.turns, turns), seconds=None, cost=None)
        self._case = case.changed(limits=limits)
        self._checks = checks
        self._state = state
        self._user = Scripted() if case.script else Agenda()
        self._clock: Clock = SystemClock()
        self._applied = False

    async def of_null_bots(self) -> Discrimination:
        """Try null bots on a case whose right outcome is that something happens, if only a refusal."""
        passed: list[str] = []
        for bot in NULL_BOTS:
            if await self._passed(bot):
                passed.append(bot.name)
                if not (bot.attitude == "refusing" and self._case.right == "refuse"):
                    return self._weak(f"a bot that {bot.description} would have passed", _remedy(bot.attitude), passed)
        if not self._applied:
            return Discrimination(kind="untried", reason="all checks that apply to this case need a model")
        return Discrimination(kind="discriminates", passed_by=tuple(passed))

    async def of_guard(self) -> Discrimination:
        """Try bots that violate the checks on a case that only says what must not happen."""
        for bot in offenders(self._case, self._checks.rules):
            conversation, verdicts = await self._verdicts(bot.chatbot, bot.changed(self._state))
            if decide(conversation, verdicts).outcome is Outcome.FAILED:
                refusing = [bot for bot in NULL_BOTS if bot.attitude == "refusing"]
                passed_by = tuple([bot.name for bot in refusing if await self._passed(bot)])
                return Discrimination(kind="guard", passed_by=passed_by)
        return self._weak("no reply or tool call was found that fails it", _SAY_MORE, [bot.name for bot in NULL_BOTS])

    async def forbids_only(self) -> bool:
        """Return True if silence satisfies the checks: then they only say what must not happen."""
        silent = NULL_BOTS[-1]
        _, verdicts = await self._verdicts(chatbot(silent, self._case))
        found = {each.outcome for each in verdicts} - {CheckOutcome.NOT_APPLICABLE}
        return found == {CheckOutcome.PASS}

    async def _passed(self, bot: NullBot) -> bool:
        """Return True if a null bot passes the case with every draw of its made-up values."""
        for draw in range(bot.draws):
            conversation, verdicts = await self._verdicts(chatbot(bot, self._case, draw))
            if decide(conversation, verdicts).outcome is not Outcome.PASSED:
                return False
        return True

    async def _verdicts(
        self, chatbot: Chatbot, state: StateRecord | None = None
    ) -> tuple[Conversation, Sequence[Verdict]]:
        reader = PatternReader(self._clock)
        conversation = await simulate(self._case, self._user, chatbot, reader=reader, clock=self._clock)
        conversation = conversation.changed(state=state or self._state)
        verdicts = await self._checks.verdicts(conversation)
        self._applied = self._applied or any(each.outcome is not CheckOutcome.NOT_APPLICABLE for each in verdicts)
        return conversation, verdicts

    async def conversation(self, bot: NullBot, number: int) -> Conversation:
        """Return a conversation with a null bot, one of several."""
        conversation, _ = await self._verdicts(chatbot(bot, self._case, number))
        return conversation.changed(repeat=number + 1)

    def _weak(self, reason: str, remedy: str, passed: Iterable[str]) -> Discrimination:
        """Return that a case is weak, unless a model has a say about it, too."""
        kind = "untried" if self._checks.asks_model else "weak"
        return Discrimination(kind=kind, passed_by=tuple(passed), reason=reason, remedy=remedy)


def _remedy(attitude: Attitude) -> str:
    return _SAY_ANSWER if attitude == "compliant" else _SAY_MORE

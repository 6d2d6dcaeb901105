"""Tests if a replay fails like a recorded conversation: the same check, for the same cause."""

import re
from collections.abc import Iterable, Mapping

from sparring.app.mutate import runs_in_process
from sparring.core.batch import Batch
from sparring.core.checks import Rule
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError
from sparring.core.outcome import Outcome
from sparring.core.text import did_you_mean
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.runner.verdicts import checks_of

CRASH = "crash"
"""The name of a crash among the failed checks of a conversation."""

Seen = tuple[str, str, str]
"""Kind, subject and relation of a symptom."""

Values = tuple[str, str]
"""The expected and the actual value of a symptom."""

_SIGNS = re.compile(r"\b[A-Z]\w*(?:Error|Exception)\b|\b[45]\d\d\b")
"""Exception classes and HTTP statuses, which distinguish crashes."""


def require_in_process(batch: Batch) -> None:
    """Raise InputError if a replay with the chatbot of a batch would have side effects elsewhere."""
    if not runs_in_process(batch):
        raise InputError(
            f"{batch.who.chatbot} runs elsewhere, and every replay would act there",
            hint="--allow-side-effects asks it anyway",
        )


def wanted_check(batch: Batch, conversation: Conversation, verdicts: tuple[Verdict, ...], name: str) -> str:
    """Return the name of the check that must keep failing."""
    crashed = conversation.ending is not None and conversation.ending.crashed
    failed = [each.check for each in verdicts if each.outcome is CheckOutcome.FAIL and each.by != "human"]
    names = list(dict.fromkeys([*([CRASH] if crashed else []), *failed]))
    if not names:
        raise InputError(f"{conversation.id} did not fail", hint="`sparring show BATCH --failed` lists those that did")
    if name and name not in names:
        raise InputError(f"--check {name}: it did not fail", hint=did_you_mean(name, names))
    wanted = name or names[0]
    by = next((each.by for each in verdicts if each.check == wanted), "")
    if by == "model":
        raise InputError(f"{wanted} is asked of a model", hint="name a check that needs none: --check NAME")
    return wanted


class FailureOracle:
    """Decides if a replay fails: the wanted check with the same symptoms, or any check if none is wanted.

    `verdicts` are those of the original. Expectations of the replay and these `rules` are evaluated.
    """

    def __init__(
        self, batch: Batch, original: Conversation, verdicts: Iterable[Verdict], check: str, rules: Iterable[Rule] = ()
    ) -> None:
        self._checks = checks_of(batch.model_copy(update={"rules": tuple(rules)}))
        self._original, self.check = original, check
        self._symptoms = _symptoms(each for each in verdicts if each.check == check and _fails(each))
        self.exact = False
        """True if what is compared with the same expected value must be the same as in the original, too."""
        self.also: dict[str, None] = {}
        """Other checks that failed where the wanted one did not."""

    async def failed(self, made: Conversation) -> tuple[bool | None, str]:
        """Return True if a replay failed, with the reason; None if it says nothing about the chatbot."""
        checks = await self._checks.evaluate(made)
        decision = checks.row.decision if checks.row else None
        if decision is None or decision.outcome is Outcome.VOID:
            return None, ""
        if not self.check:
            failed = {Outcome.FAILED: True, Outcome.PASSED: False}.get(decision.outcome)
            return failed, decision.reason
        if self.check == CRASH:
            return _crashed_alike(self._original, made), made.error
        if decision.crash:
            self.also[CRASH] = None
            return None, ""
        return self.among(checks.verdicts.values())

    def among(self, verdicts: Iterable[Verdict | None]) -> tuple[bool, str]:
        """Return True, with the reason, if the wanted check failed with the same symptoms."""
        failed = [each for each in verdicts if each is not None and _fails(each)]
        for each in failed:
            if each.check == self.check and (not self._symptoms or self._alike(_symptoms([each]))):
                return True, each.reason
        self.also |= {each.check: None for each in failed if each.check != self.check}
        return False, ""

    def _alike(self, made: Mapping[Seen, Values]) -> bool:
        if not made.keys() <= self._symptoms.keys():
            return False
        pairs = [(self._symptoms[seen], values) for seen, values in made.items()]
        return not self.exact or all(was == now or was[0] != now[0] for was, now in pairs)


def _fails(verdict: Verdict) -> bool:
    return verdict.outcome is CheckOutcome.FAIL


def _crashed_alike(was: Conversation, made: Conversation) -> bool:
    """Return True if a replay crashed with the same exception or HTTP status."""
    alike = made.ending is was.ending and _SIGNS.findall(made.error) == _SIGNS.findall(was.error)
    return alike and made.ending is not None and made.ending.crashed


def _symptoms(verdicts: Iterable[Verdict]) -> dict[Seen, Values]:
    """Return the symptoms of failed checks, so that another failure of the same check does not count."""
    seen = (one for each in verdicts for one in each.symptoms)
    return {(one.kind, one.subject, one.relation): (one.expected, one.got) for one in seen}

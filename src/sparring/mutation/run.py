"""A run over mutants: each is played until a check notices it, and reported as killed or survived."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated

from pydantic import StringConstraints

from sparring import parsing
from sparring.core.conversation import Conversation
from sparring.core.mutation import Edit
from sparring.core.value import Value
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.extraction.speech_acts import asks_for_more, is_completion, is_denial, is_refusal
from sparring.extraction.typed_values import find
from sparring.mutation.mutant import Mutant
from sparring.mutation.play import PlayedConversation, Player, State

Several = Callable[[Sequence[Conversation]], Awaitable[Sequence[Verdict]]]
"""Return the failing verdicts of rules over several conversations with these in place of the recorded ones."""


_NOT_ASKED = "the chatbot was not asked, or does not repeat itself"


@dataclass(frozen=True, slots=True)
class MutantResult:
    """The result of a mutant.

    `killer` is the verdict that noticed it, `shown` the conversation that shows it best. A `cosmetic` mutant changed
    meaningless words, and is no fault. `accepted` is the reason why it may survive.
    """

    mutant: Mutant
    state: State
    shown: PlayedConversation | None = None
    killer: Verdict | None = None
    cosmetic: bool = False
    accepted: str = ""
    reason: str = ""
    played: Sequence[PlayedConversation] = field(default=(), repr=False)

    @property
    def change(self) -> Edit | None:
        """The first change of the conversation that is shown."""
        return self.shown.changes[0] if self.shown and self.shown.changes else None

    @property
    def scored(self) -> bool:
        """True if the mutant counts: it was decided, is a fault, and may not survive."""
        return self.state in (State.KILLED, State.SURVIVED) and not (self.cosmetic or self.accepted)

    @property
    def alive(self) -> bool:
        """True if the mutant counts and no check noticed it."""
        return self.scored and self.state is State.SURVIVED


async def run_mutants(
    mutants: Iterable[Mutant], player: Player, several: Several | None = None
) -> AsyncIterator[MutantResult]:
    """Yield what became of each mutant, as soon as it is known."""
    for mutant in mutants:
        yield await _result(mutant, player, several)
        await asyncio.sleep(0)


async def _result(mutant: Mutant, player: Player, several: Several | None) -> MutantResult:
    played: list[PlayedConversation] = []
    for baseline in mutant.conversations:
        found = await player.play(mutant, baseline)
        if found is None:
            continue
        played.append(found)
        if found.broken:
            killer = found.broken[0]
            return MutantResult(mutant, State.KILLED, found, killer, mutant.operator.cosmetic, played=played)
    if not played:
        return MutantResult(
            mutant,
            State.NOT_REACHED,
            reason=_NOT_ASKED if mutant.operator.live and mutant.change is None else "",
        )
    faulty = [each for each in played if not each.inert]
    if not faulty:
        return MutantResult(mutant, State.INERT, played[0], played=played)
    alive = [each for each in faulty if not _crashed(each)]
    if not alive:
        return MutantResult(mutant, State.BROKE, faulty[0], reason=faulty[0].conversation.error, played=played)
    if several is not None and not any(each.random for each in alive):
        for verdict in await several([each.conversation for each in alive]):
            return MutantResult(mutant, State.KILLED, alive[0], verdict, mutant.operator.cosmetic, played=played)
    says_nothing = mutant.change is None and all(_says_nothing(change) for each in alive for change in each.changes)
    cosmetic = mutant.operator.cosmetic or says_nothing
    verdicts = [verdict for each in alive for verdict in each.verdicts.values() if verdict is not None]
    unsure = next((each for each in verdicts if each.outcome is CheckOutcome.ERROR), None)
    state = State.UNDECIDED if unsure is not None and not cosmetic else State.SURVIVED
    reason = unsure.reason if unsure else ""
    return MutantResult(mutant, state, alive[0], None, cosmetic, reason=reason, played=played)


def _crashed(played: PlayedConversation) -> bool:
    return played.conversation.ending is None or played.conversation.ending.crashed


_VALUES = ("money", "int", "float", "percent", "date", "time", "code", "email", "phone", "url", "duration")


def _says_nothing(change: Edit) -> bool:
    """Return True if the words left out hold no value, and do not ask, deny, refuse or report."""
    before, after = change.before, change.after
    if before.tool_calls != after.tool_calls or before.ends != after.ends or not after.text:
        return False
    if before.text == after.text or not before.text.startswith(after.text):
        return False
    gone = before.text[len(after.text) :]
    says = is_completion(gone) or is_denial(gone) or is_refusal(gone) or ("?" in gone and not asks_for_more(gone))
    return not (says or any(find(type, gone) for type in _VALUES))


class AcceptedMutant(Value):
    """Mutants by their id, in which `*` stands for anything, and the reason why they may survive."""

    mutant: str
    reason: Annotated[str, StringConstraints(strip_whitespace=True, min_length=3)]


class AcceptFile(Value):
    """A file of mutants that may survive."""

    accept: tuple[AcceptedMutant, ...]


@dataclass(frozen=True, slots=True)
class Accepted:
    """Mutants that may survive."""

    mutants: Sequence[AcceptedMutant] = ()

    def marked(self, result: MutantResult) -> MutantResult:
        """Return a result, with the reason why its mutant may survive if there is one."""
        if result.state is not State.SURVIVED:
            return result
        found = (each.reason for each in self.mutants if fnmatchcase(result.mutant.id, each.mutant))
        return replace(result, accepted=next(found, ""))

    def unused(self, results: Iterable[MutantResult]) -> list[str]:
        """Return accepted mutants that match no survivor and can be removed."""
        alive = [each.mutant.id for each in results if each.state is State.SURVIVED]
        return [each.mutant for each in self.mutants if not any(fnmatchcase(id, each.mutant) for id in alive)]


def accepted_in(file: Path | None) -> Accepted:
    """Read a file of mutants that may survive. Raise InputError with all of its problems."""
    return Accepted(parsing.validate(parsing.load(file), AcceptFile).accept if file else ())

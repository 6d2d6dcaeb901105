"""The players of a batch, made and ready, and their prompt versions, which are stored with it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from sparring.chatbots.chatbot import Chatbot
from sparring.core.batch import Batch, PlayerNames
from sparring.core.case import Case
from sparring.core.checks import Rubric
from sparring.core.clock import Clock
from sparring.core.errors import InputError
from sparring.core.outcome import Discrimination
from sparring.core.prompts import SHORT, PlayerRole, Prompts
from sparring.core.state import StateRecord
from sparring.core.tool_errors import ToolError
from sparring.extraction.extractor import Reader
from sparring.judges import model as judges
from sparring.judges import rubric_files
from sparring.llm.replay import Recorder
from sparring.runner.judge_worker import NamedJudge
from sparring.runner.webhook import PreparedCase, Webhook
from sparring.simulation.timeouts import TURN_SECONDS
from sparring.store.store import StoreReader
from sparring.traces.book import TraceBook
from sparring.users.scripted import Scripted
from sparring.users.simulated import Simulated
from sparring.users.user import User


@dataclass(frozen=True)
class ResolvedPlayers:
    """The players of a batch. The script of a case replaces the user.

    `turn_seconds` limits the part of the user and of the reader in each turn. Model calls go through the `recorder`, if
    there is one. Spans of the chatbot are joined to its turns if `traces` are received. Results that fit `tool_errors`
    are failures.
    """

    chatbot: Chatbot
    user: User
    reader: Reader
    clock: Clock
    judge: NamedJudge | None = None
    turn_seconds: float = TURN_SECONDS
    webhook: Webhook | None = None
    recorder: Recorder | None = None
    traces: TraceBook | None = None
    tool_errors: tuple[ToolError, ...] = ()

    def user_for(self, case: Case) -> User:
        """Return the user of a case."""
        return Scripted() if case.script else self.user

    async def prepared(self, case: Case) -> PreparedCase:
        """Return a case with the variables of the webhook, if there is one and the case asks for it."""
        return PreparedCase(case) if self.webhook is None or not case.webhook else await self.webhook.prepare(case)


class NullBots(Protocol):
    """Applies the checks of a batch to conversations with null bots, which do nothing useful."""

    async def __call__(self, case: Case, state: StateRecord | None = None) -> Discrimination:
        """Return the result for a case; null bots leave the chatbot's `state` as it was at the start."""

    async def satisfied(self, batch: Batch) -> Mapping[str, tuple[str, ...]]:
        """Return the null bots that satisfy rules over several conversations, by the hash of the rule."""


def prompt_versions(players: ResolvedPlayers, rubrics: Iterable[Rubric]) -> tuple[Prompts, ...]:
    """Return the prompts of the chatbot, of a simulated user, and of a judge that reads `rubrics`."""
    user = (players.user.prompts,) if isinstance(players.user, Simulated) else ()
    reads = players.judge is not None and players.judge.judge.reads_rubrics
    return (*chatbot_prompts(players.chatbot), *user, *(judge_versions(rubrics) if reads else ()))


def judge_versions(rubrics: Iterable[Rubric]) -> Iterator[Prompts]:
    """Yield the prompt versions of a judge with these rubrics, one for each prompt.

    Further ones have a rubric's name.
    """
    by_prompt = {rubric.prompt or rubric_files.PROMPT: rubric.name for rubric in reversed(tuple(rubrics))}
    for number, (prompt, rubric) in enumerate(reversed(by_prompt.items())):
        version = judges.prompts(prompt)
        yield version.model_copy(update={"name": f"judge of {rubric}"}) if number else version


def chatbot_prompts(chatbot: Chatbot) -> tuple[Prompts, ...]:
    """The prompts of a chatbot, as far as they are known."""
    return chatbot.capabilities.prompts


async def pinned_prompts(
    choice: PlayerNames, store: StoreReader, new: Iterable[Prompts] = ()
) -> dict[PlayerRole, Prompts]:
    """Return the versions that a choice names, by role. Raise InputError if one is not known."""
    known = {each.hash: [each] for each in new}
    pinned: dict[PlayerRole, str] = {"chatbot": choice.prompts, "user": choice.user_prompts}
    found = {role: known.get(hash) or await store.prompts(hash) for role, hash in pinned.items() if hash}
    if missing := [pinned[role] for role, versions in found.items() if len(versions) != 1]:
        raise InputError(f"the prompts {missing[0][:SHORT]} are not in this store")
    return {role: version for role, (version,) in found.items()}


def reads_no_prompt(user: str) -> InputError:
    """Return the problem of a prompt for a user that is no model."""
    return InputError(f"the user {user} reads no prompt", hint="choose a model for the user: --user openai:gpt-4o-mini")


def check_prompts(prompts: Prompts, chatbot: Chatbot, name: str, *, pinned: bool) -> None:
    """Raise InputError if a chatbot does not accept prompts, or if tools of `pinned` ones changed."""
    plain = prompts.model_copy(update={"tools": ()})
    found = [each for each in chatbot_prompts(chatbot) if each.agents.keys() == plain.agents.keys()]
    if not any(each.entry == plain.entry and each.name == plain.name for each in found):
        raise InputError(f"{name} is not made of prompts, or takes none but its own")
    if pinned and prompts.hash not in {each.hash for each in found}:
        raise InputError(f"the tools of {name} have changed since prompt version {prompts.short} was saved")


def read_by(chatbot: Chatbot, played_by: str) -> str:
    """Return the short hashes of a chatbot's prompts. Grammars read no prompt, but use its handovers."""
    prompts = chatbot_prompts(chatbot)
    reads = bool(played_by) and played_by != NO_MODEL
    return " ".join(dict.fromkeys(each.short for each in prompts if reads or len(each.agents) > 1))


NO_MODEL = "grammar, no model"
"""Stand-in for the model of a chatbot that has none."""

"""Warnings about a run and its users that do not stop it, as values to be worded."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from sparring.app.config import AppConfig
from sparring.app.fingerprint import changed_inputs, fingerprint, unlocked
from sparring.app.models import AUTO, OFFLINE, PATTERNS
from sparring.app.wiring import chosen_judge
from sparring.chatbots.chatbot import Chatbot
from sparring.core.batch import Batch, BatchInputs
from sparring.core.checks import Gate
from sparring.core.errors import Problem
from sparring.reports.lines import counted
from sparring.store.store import StoreReader

_LISTED = 3
"""The ids that a notice lists; further ones are only counted."""


@dataclass(frozen=True, slots=True)
class Notice:
    """A warning after which a run continues."""

    message: str


def listed(ids: Collection[str]) -> str:
    """Return the first ids, and the number of the rest."""
    more = f" and {len(ids) - _LISTED:,} more" if len(ids) > _LISTED else ""
    return f"{', '.join(list(ids)[:_LISTED])}{more}"


async def name_notices(name: str, store: StoreReader) -> list[Notice]:
    """Return a warning if a new batch shares its name with others."""
    others = await store.namesakes(name)
    if not others:
        return []
    return [
        Notice(
            f"{name!r} is the name of {listed(others)} too: commands use the newest, which is now this one",
        )
    ]


def left_out_notices(problems: Sequence[Problem]) -> Iterator[Notice]:
    """Yield a warning for each reason why conversations of scenario files do not run."""
    for message, number in Counter(problem.message for problem in problems).items():
        yield Notice(f"{counted(number, 'scenario')}: {message}; `sparring validate` lists each")


def lock_notices(sources: Sequence[str]) -> list[Notice]:
    """Return a warning for each dataset that is not at the version in `sparring.lock`."""
    return [Notice(f"{each.file}: {each.message}") for each in unlocked(sources=sources)]


def gate_notices(gate: Gate | None, cases: int, repeats: int) -> list[Notice]:
    """Return a warning for each rate that cannot reach its threshold even if all of the cases pass."""
    if gate is None or gate.confidence is None:
        return []
    from sparring.reports.gate_levels import unreachable  # needed only with a gate

    return [Notice(sentence) for sentence in unreachable(gate, cases, repeats)]


async def session_notices(batch: Batch, chatbot: Chatbot, store: StoreReader) -> list[Notice]:
    """Return a warning for each way in which the chatbot may confuse this batch's conversations."""
    notices, sessions = [], chatbot.capabilities.sessions
    if sessions == "shared" and batch.planned > 1:
        notices.append(
            Notice(
                f"nothing tells {batch.who.chatbot} one conversation from another: if it remembers what was said, "
                "they mix; send it {{new_session}} as the name of the conversation, or all {{messages}}"
            )
        )
    if sessions != "resumable":
        return notices
    for other in await store.batches():
        if (other.who.chatbot, other.seed) == (batch.who.chatbot, batch.seed) and _sources(other) & _sources(batch):
            notices.append(
                Notice(
                    f"{batch.who.chatbot} was sent the same {{{{session}}}} before, in batch {other.id}: if it "
                    "has a memory, it continues that conversation; {{new_session}} in its preset, or a `reset`, starts "
                    "a new one"
                )
            )
            break
    return notices


def change_notices(inputs: BatchInputs, config: AppConfig) -> Iterator[Notice]:
    """Yield a warning for everything that changed since a batch started."""
    files, choice, chosen = (*inputs.sources, *inputs.others), inputs.choice, config.players
    for change in changed_inputs(inputs, fingerprint(choice, files, config.environment)):
        effect = "it continues with the earlier one" if change in files else "its conversations are of both"
        yield Notice(f"{change} has changed since this batch started; {effect}")
    played = {
        "chatbot": (chosen.chatbot, choice.chatbot),
        "chatbot_model": (chosen.chatbot_model or chosen.model, choice.chatbot_model),
        "user": (chosen.user or chosen.model, choice.user),
        "reader": ("" if chosen.reader in (AUTO, PATTERNS) else chosen.reader, choice.reader),
        "judge": (chosen.judge and chosen_judge(config), choice.judge),
    }
    for role, (wanted, name) in played.items():
        if wanted and wanted != name and (wanted, name) != (OFFLINE, "agenda"):
            yield Notice(f"the settings choose {wanted} ({role}), but this batch started with {name} and keeps it")


def _sources(batch: Batch) -> set[str]:
    return set(batch.origin.sources) if batch.origin else set()

"""`sparring show`: read what was said."""

import re
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlencode

import typer

from sparring.app.config import AppConfig
from sparring.app.report import gated
from sparring.app.results import all_checks, result, summarize
from sparring.app.stores import open_store
from sparring.cli import options
from sparring.cli.arguments import batch_called, warn_of_missing_figures
from sparring.cli.console import answer, notify, unreadable
from sparring.cli.process import PASSED
from sparring.cli.server_options import open_on_server
from sparring.core.batch import Batch
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError
from sparring.core.outcome import ConversationWithVerdicts, Outcome
from sparring.core.text import visible
from sparring.core.value import Json
from sparring.core.verdict import Finding, Verdict
from sparring.reports.causes import CAUSE, CauseSummary, cause_lines, cause_of, shortest_prefixes
from sparring.reports.json_report import batch_json, conversation_json, with_players
from sparring.reports.lines import counted
from sparring.reports.rate_text import rate_text
from sparring.reports.reported import ReportedConversation
from sparring.reports.sentence import sentence
from sparring.reports.summary import Summary
from sparring.reports.text import SIGNS, batch_text, figures_text
from sparring.reports.transcript import transcript
from sparring.store.store import Store

_MOST_BATCHES = 25
"""Most names that the list of batches shows."""

_MUTANT = re.compile(r"(?:reply|tool|flow|prompt)\.\w+@")


@dataclass(frozen=True, kw_only=True)
class Shown:
    """Conversations to list, and how to show one."""

    attempt: Annotated[int | None, typer.Option("--attempt", min=1, metavar="N")] = None
    failed: Annotated[bool, typer.Option("--failed")] = False
    undecided: Annotated[bool, typer.Option("--undecided")] = False
    everything: Annotated[bool, typer.Option("--all")] = False
    open_page: Annotated[bool, typer.Option("--open")] = False

    @property
    def lists(self) -> bool:
        """True if conversations are listed below the summary."""
        return self.failed or self.undecided or self.everything

    def lines(self, summary: Summary, which: str, rows: list[dict[str, Json]]) -> Iterator[str]:
        """Yield what is printed below the summary."""
        wanted = [Outcome.FAILED] * self.failed + [Outcome.UNDECIDED] * self.undecided
        if self.everything:
            yield from ("", *figures_text(summary))
        if self.lists:
            yield from _conversations(which, [row for row in rows if self.everything or row["outcome"] in wanted])


@options.configured("store")
async def show(
    *,
    which: Annotated[str, typer.Argument(metavar="BATCH")] = "",
    id: Annotated[str, typer.Argument(metavar="CONVERSATION")] = "",
    shown: Shown,
    config: AppConfig,
    as_json: options.Json = False,
) -> int:
    """Display batches, conversations and verdicts."""
    async with open_store(config, must_exist=True) as store:
        if not which:
            return await _answer_batches(store, as_json=as_json)
        if _MUTANT.match(id):
            return await _mutant(which, id, store, config, as_json=as_json)
        batch = await batch_called(which, store, head=True)
        if shown.open_page:
            notify(f"opened {open_on_server(_page(batch.id, id))}")
            return PASSED
        if id and not id.startswith(CAUSE):
            await _conversation(store, batch, id, shown.attempt, as_json)
            return PASSED
        listed = _Listed()
        listeners = [listed] if id or shown.lists or as_json else []
        await warn_of_missing_figures(batch, store)
        summary = await summarize(batch, store, unreadable=unreadable, listeners=listeners)
        by_gate = None if id else await gated(batch, store, config.gate)
    if id:
        _answer_cause(summary, batch, listed.rows, which, id, as_json=as_json)
    else:
        lines = [*_heading(batch), *batch_text(summary, which, by_gate), *shown.lines(summary, which, listed.rows)]
        rows: list[Json] = [dict(each) for each in listed.rows]
        answer("batch", {**batch_json(summary, by_gate), "conversations": rows}, lines, as_json=as_json)
    return PASSED


async def _answer_batches(store: Store, *, as_json: bool) -> int:
    """Print all batches as JSON, or the newest of each name with its result."""
    batches = await store.batches()
    newest = {each.name or each.id: each for each in reversed(batches)}
    latest = sorted(newest.values(), key=lambda each: each.id, reverse=True)
    found = {each.id: await summarize(each, store) for each in latest[:_MOST_BATCHES]}
    listed = [_listed(each, found.get(each.id)) for each in batches]
    answer("batches", {"batches": [*listed]}, _table(batches, found, len(latest)), as_json=as_json)
    return PASSED


def _answer_cause(
    summary: Summary, batch: Batch, rows: list[dict[str, Json]], which: str, id: str, *, as_json: bool
) -> None:
    """Print a cause and its conversations."""
    cause, rows = _of_cause(summary, rows, id)
    found = cause.model_dump(mode="json")
    body: dict[str, Json] = {**found, "cause": found, "conversations": [dict(each) for each in rows]}
    answer("cause", body, [*_heading(batch), *cause_lines([cause]), *_conversations(which, rows)], as_json=as_json)


def _page(batch: str, id: str) -> str:
    """Return the path of the page of a batch, or of a conversation or cause in it."""
    if not id:
        return f"/batches/{batch}"
    query = urlencode({"cause" if id.startswith(CAUSE) else "id": id})
    return f"/batches/{batch}/conversation{'s' if id.startswith(CAUSE) else ''}?{query}"


async def _mutant(which: str, id: str, store: Store, config: AppConfig, *, as_json: bool) -> int:
    """Print a mutant of a run beside the baseline."""
    from sparring.app.mutate import played_mutant  # only for mutants
    from sparring.mutation.result_text import result_json, side_by_side

    found = await played_mutant(which, id, store, config)
    shown = conversation_json(found.shown.conversation) if found.shown else None
    answer("mutant", {**result_json(found), "played": shown}, side_by_side(found), as_json=as_json)
    return PASSED


def _of_cause(summary: Summary, rows: list[dict[str, Json]], id: str) -> tuple[CauseSummary, list[dict[str, Json]]]:
    """Return a cause by a prefix of its id, with the rows of its conversations."""
    found = [each for each in summary.causes if each.id.startswith(id)]
    if len(found) != 1:
        known = ", ".join(shortest_prefixes(tuple(each.id for each in summary.causes)).values())
        problem = "several causes begin with it" if found else "the batch has no such cause"
        raise InputError(f"{id}: {problem}", hint=f"there are: {known}" if known else "nothing failed")
    return found[0], [row for row in rows if row["cause"] == found[0].id]


async def _conversation(store: Store, batch: Batch, id: str, attempt: int | None, as_json: bool) -> None:
    """Print one conversation with its outcome and verdicts; an earlier attempt by itself."""
    conversation = await _attempt(store, batch, id, attempt)
    if attempt is not None:
        answer("conversation", conversation_json(conversation), transcript(conversation), as_json=as_json)
        return
    found = await result(batch, store, conversation)
    reported, verdicts = found.reported(conversation), all_checks(found)
    heading, *rest = transcript(conversation, verdicts)
    answer("conversation", _shown(reported, verdicts), [heading, *_outcome(reported), *rest], as_json=as_json)


class _Listed:
    """Listens to a batch and keeps a row of facts for each conversation."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Json]] = []

    def found(self, findings: Sequence[Finding]) -> None:
        """Receive findings, which the summary shows."""

    def add(self, reported: ReportedConversation) -> None:
        """Receive a conversation."""
        self.rows.append(_facts(reported))


async def _attempt(store: Store, batch: Batch, id: str, number: int | None) -> Conversation:
    """Return the requested attempt of a conversation, or the one that counts."""
    if number is None:
        return await store.conversation(batch.id, id)
    attempts = await store.attempts(batch.id, id)
    if number > len(attempts):
        raise InputError(f"--attempt {number}: {id} has {counted(len(attempts), 'attempt')}")
    return attempts[number - 1]


def _shown(reported: ReportedConversation, verdicts: list[Verdict]) -> dict[str, Json]:
    """Return a conversation with its outcome and verdicts."""
    shown = ConversationWithVerdicts.model_construct(  # anything may have been said
        **dict(reported.conversation),
        verdicts=tuple(verdicts),
        outcome=reported.decision.outcome,
        blame=reported.decision.blame,
        reasons=tuple(map(str, reported.decision.reasons)),
        attempts=reported.attempt,
        first_outcome=reported.first or reported.decision.outcome,
    )
    return conversation_json(shown)


def _outcome(reported: ReportedConversation) -> Iterator[str]:
    """Yield the outcome of a conversation, who is to blame, and all reasons."""
    decision = reported.decision
    blame = f", blame: {decision.blame}" if decision.blame else ""
    later = f", on attempt {reported.attempt}; {reported.first} at the first" if reported.first else ""
    yield f"{decision.outcome}{later}{blame}"
    yield from (f"  {visible(str(reason))}" for reason in decision.reasons)


def _listed(batch: Batch, summary: Summary | None) -> dict[str, Json]:
    facts = batch.model_dump(mode="json", include={"id", "name", "created", "seed", "repeats", "tags", "who"})
    headline = sentence(summary) if summary else None
    said: Json = {"word": headline.word, "text": headline.text, "exit": headline.exit} if headline else None
    return {**with_players(facts), "sentence": said}


def _table(batches: list[Batch], found: Mapping[str, Summary], names: int) -> Iterator[str]:
    runs = Counter(batch.name for batch in batches)
    yield "the newest run of each name:"
    shown = [each for each in batches if each.id in found]
    rows = [_row(each, found[each.id], runs[each.name]) for each in sorted(shown, key=lambda each: each.id)[::-1]]
    wide = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield visible("  " + "  ".join(map(str.ljust, row, wide)).rstrip())
    if names > len(shown):
        yield f"  and {counted(names - len(shown), 'more name')}"
    yield ""
    yield "Details: sparring show latest"


def _row(batch: Batch, summary: Summary, runs: int) -> tuple[str, ...]:
    """Return the result of a batch, its name and run, rate, causes, conversations, and when it was made."""
    word, failed = sentence(summary).word, [each for each in summary.causes if each.outcome is Outcome.FAILED]
    new = sum(each.status == "new" for each in failed)
    rate = summary.statistics.decided if summary.statistics else None
    return (
        f"{SIGNS[word]} {word.lower()}",
        " ".join([f"{batch.name}@{runs}" if batch.name else batch.id, *(f"#{tag}" for tag in batch.tags)]),
        rate_text(rate.like_these) if rate and rate.value is not None else "",
        (counted(len(failed), "cause") + (f", {new:,} new" if new else "")) if failed else "",
        f"{summary.stored:,} of {summary.planned:,}",
        f"{batch.created:%Y-%m-%d %H:%M}",
    )


def _heading(batch: Batch) -> Iterator[str]:
    yield visible(
        f"batch {batch.id} {_labels(batch)}".rstrip() + f" · {batch.created:%Y-%m-%d %H:%M} UTC · seed {batch.seed}"
    )


def _labels(batch: Batch) -> str:
    return " ".join(filter(None, [batch.name, *(f"#{tag}" for tag in batch.tags)]))


def _facts(reported: ReportedConversation) -> dict[str, Json]:
    conversation, decision, counted = reported.conversation, reported.decision, reported.counted()
    return {
        "id": conversation.id,
        "outcome": decision.outcome,
        "blame": decision.blame,
        "cause": cause_of(counted, decision).id if counted.outcome in (Outcome.FAILED, Outcome.UNDECIDED) else None,
        "reason": decision.reason,
        "reasons": [str(reason) for reason in decision.reasons],
        "doubts": [str(doubt) for doubt in decision.doubts],
        "attempts": reported.attempt,
        "first_outcome": reported.first or decision.outcome,
        "ending": conversation.ending,
        "turns": conversation.turns,
        "goals": len(conversation.goals),
        "goals_answered": sum(goal.answered is not None for goal in conversation.goals),
        "error": conversation.error,
    }


def _conversations(which: str, rows: list[dict[str, Json]]) -> Iterator[str]:
    yield ""
    yield "Conversations"
    for each in rows:
        goals = f", {each['goals_answered']} of {each['goals']} goals answered" if each["goals"] else ""
        reasons = each["reasons"]
        why = f": {reasons[0]}" if isinstance(reasons, list) and reasons else ""
        ending = str(each["ending"] or "did not end").replace("_", " ")
        turns = f"{each['turns']} turn{'s' * (each['turns'] != 1)}"
        later = each["outcome"] != each["first_outcome"]
        first = f", on attempt {each['attempts']} ({each['first_outcome']} at the first)" if later else ""
        yield visible(f"  {each['id']}  {each['outcome']}{first}, {ending}, {turns}{goals}{why}")
    if rows:
        yield ""
        yield visible(f"Details: sparring show {shlex.quote(which)} {shlex.quote(str(rows[0]['id']))}")

"""Results of a batch: a sequence of conversations that are read from the store page by page."""

import shlex
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from pydantic import ValidationError

from sparring.api.arguments import StorePlace
from sparring.api.conversation_result import ConversationResult
from sparring.app.computed import complete
from sparring.app.event_loop import run_blocking
from sparring.app.export import atomic_file
from sparring.app.report import written_report
from sparring.app.results import verdicts_on
from sparring.core.batch import Batch, Players
from sparring.core.checks import Gate
from sparring.core.errors import ConversationsFailed, InputError
from sparring.core.listing import ConversationQuery, ConversationRow
from sparring.core.outcome import Outcome
from sparring.core.text import visible
from sparring.core.verdict import CheckOutcome, Findings
from sparring.reports.causes import title
from sparring.reports.formats import ReportFormat, for_file, named
from sparring.reports.sentence import sentence
from sparring.reports.summary import Summary

if TYPE_CHECKING:
    from sparring.reports.gate import Gated

_PAGE = 64
_EXAMPLES = 3
_REASONS = 10
_UNDECIDED = 3


class Results(Sequence[ConversationResult]):
    """The conversations of a batch with their verdicts, in the order of its cases.

    Conversations are read from the store page by page, so a batch may be larger than memory. `passed()`, `failed()`,
    `undecided()`, `void()` and `filter()` return the same batch with fewer conversations; `id`, `summary`, `ok` and
    `exit_code` describe the whole batch.
    """

    def __init__(
        self,
        place: StorePlace,
        batch: Batch,
        summary: Summary,
        *,
        query: ConversationQuery | None = None,
        gate: Gate | None = None,
        gated: "Gated | None" = None,
    ) -> None:
        self.place = place
        self._batch = batch.model_copy(update={"cases": ()})
        self._query = query or ConversationQuery()
        self._gate = gate
        self._gated = gated
        self.summary = summary

    @property
    def id(self) -> str:
        """The id of the batch."""
        return self._batch.id

    @property
    def name(self) -> str:
        """The name of the batch; empty if it has none."""
        return self._batch.name

    @property
    def players(self) -> Players:
        """The players of the batch by role."""
        return self.summary.who

    @property
    def findings(self) -> Findings:
        """The findings of the rules of the batch."""
        return Findings(conversations=self.summary.stored, findings=self.summary.findings)

    @property
    def ok(self) -> bool:
        """True if every conversation of the batch passed and no rule is violated or undecided."""
        return self.summary.outcome is Outcome.PASSED

    @property
    def exit_code(self) -> int:
        """Exit code of `sparring run` for this batch: 0 passed, 1 failed, 3 undecided, 4 inconclusive gate."""
        code = sentence(self.summary, self._gated).exit
        return _UNDECIDED if code is None else code

    def passed(self) -> "Results":
        """Return the conversations that passed."""
        return self.filter(outcomes=(Outcome.PASSED,))

    def failed(self) -> "Results":
        """Return the conversations that failed."""
        return self.filter(outcomes=(Outcome.FAILED,))

    def undecided(self) -> "Results":
        """Return the conversations that could not be decided."""
        return self.filter(outcomes=(Outcome.UNDECIDED,))

    def void(self) -> "Results":
        """Return the conversations that say nothing about the chatbot because Sparring's side failed."""
        return self.filter(outcomes=(Outcome.VOID,))

    def filter(self, **where: Any) -> "Results":
        """Return the conversations that match; the keywords are fields of `ConversationQuery`.

        `endings`, `outcomes` and `scores` are collections, `check` names a failed check, `text` is part of a message,
        `tag` is a tag of the case, and `case` is the beginning of its id. Raise InputError for any other keyword.
        """
        fields = {name: getattr(self._query, name) for name in ConversationQuery.model_fields}
        try:
            query = ConversationQuery.model_validate({**fields, **where})
        except ValidationError as error:
            wrong = ", ".join(sorted({str(each["loc"][0]) for each in error.errors(include_url=False)}))
            known = ", ".join(ConversationQuery.model_fields)
            raise InputError(f"cannot filter by {wrong}", hint=f"there are: {known}") from None
        return self._with(query)

    def _with(self, query: ConversationQuery) -> "Results":
        return Results(self.place, self._batch, self.summary, query=query, gate=self._gate, gated=self._gated)

    def __len__(self) -> int:
        return run_blocking(self._rows(0, 0))[0]

    @overload
    def __getitem__(self, index: int) -> ConversationResult: ...

    @overload
    def __getitem__(self, index: slice) -> list[ConversationResult]: ...

    def __getitem__(self, index: int | slice) -> ConversationResult | list[ConversationResult]:
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            if step < 0:
                return list(self)[index]
            return run_blocking(self._page(start, max(0, stop - start)))[::step]
        position = index + len(self) if index < 0 else index
        found = run_blocking(self._page(position, 1)) if position >= 0 else []
        if not found:
            raise IndexError(f"there is no conversation {index} in these results")
        return found[0]

    def __iter__(self) -> Iterator[ConversationResult]:
        offset = 0
        while page := run_blocking(self._page(offset, _PAGE)):
            yield from page
            offset += len(page)

    def raise_for_failures(self, *, max_failures: int = 0, undecided_ok: bool = False) -> None:
        """Raise ConversationsFailed if more than `max_failures` conversations failed or a rule is violated.

        Undecided and void conversations, undecided rules, and conversations that were not run count as failures, too,
        unless `undecided_ok`. The message groups conversations by cause and quotes the first that failed.
        """
        __tracebackhide__ = True  # pytest shows the test instead
        counts, reasons = run_blocking(self._reasons())
        failed, undecided = counts[Outcome.FAILED], counts[Outcome.UNDECIDED] + counts[Outcome.VOID]
        whole = self._query == ConversationQuery()
        rules = [each for each in self.summary.findings if whole and each.conversations != 1]
        violated = [each.rule for each in rules if each.outcome is CheckOutcome.FAIL]
        unclear = [each.rule for each in rules if each.outcome in (CheckOutcome.ERROR, CheckOutcome.NOT_APPLICABLE)]
        not_run = self.summary.not_run if whole else 0
        if failed <= max_failures and not violated and (undecided_ok or not (undecided or unclear or not_run)):
            return
        total = sum(counts.values())
        parts = [f"{failed:,} of {total:,} conversations failed"]
        parts += [f"{undecided:,} undecided or void"] if undecided else []
        parts += [f"{not_run:,} not run"] if not_run else []
        lines = [", ".join(parts), *reasons]
        lines += [f"  rule violated: {visible(name)}" for name in violated]
        lines += [f"  rule undecided: {visible(name)}" for name in unclear]
        lines += self.failed()[0].explain().splitlines() if failed else []
        details = self._details()
        raise ConversationsFailed("\n".join(lines), hint=f"details: {details}" if details else "")

    def to_records(self) -> list[dict[str, Any]]:
        """Return one flat row for each conversation, for pandas or polars.

        Variables and outputs are columns, such as `variables.size` and `outputs.price`.
        """
        return [_record(each) for each in self]

    def report(self, path: str | Path, *, format: str | None = None) -> Path:
        """Write a report of the whole batch and return its path; by default, its suffix names the format."""

        return run_blocking(written(self.place, self._batch.id, Path(path), format=format, gate=self._gate))

    def __repr__(self) -> str:
        outcomes = {outcome.value: count for outcome, count in self.summary.outcomes.items() if count}
        return f"<Results {self.name or self.id}: {outcomes}>"

    def __str__(self) -> str:
        return str(sentence(self.summary, self._gated))

    def _repr_html_(self) -> str:
        """Return the summary and the reasons as HTML, for notebooks."""
        counts, reasons = run_blocking(self._reasons())
        head = f"<p><strong>{escape(self.name or self.id)}</strong>: {escape(str(self))}</p>"
        cells = "".join(f"<tr><td>{escape(outcome)}</td><td>{count:,}</td></tr>" for outcome, count in counts.items())
        items = "".join(f"<li>{escape(each.strip())}</li>" for each in reasons)
        table = f"<table><thead><tr><th>Outcome</th><th>Conversations</th></tr></thead><tbody>{cells}</tbody></table>"
        return head + table + (f"<ul>{items}</ul>" if items else "")

    async def __aiter__(self) -> AsyncIterator[ConversationResult]:
        """Yield the conversations, for callers in an event loop."""
        offset = 0
        while page := await self._page(offset, _PAGE):
            for result in page:
                yield result
            offset += len(page)

    async def _rows(self, offset: int, limit: int) -> tuple[int, list[ConversationRow]]:
        async with self.place.open() as store:
            await complete(self._batch, store)
            return await store.search(self.id, self._query, offset=offset, limit=limit)

    async def _page(self, offset: int, limit: int) -> list[ConversationResult]:
        async with self.place.open() as store:
            await complete(self._batch, store)
            _, rows = await store.search(self.id, self._query, offset=offset, limit=limit)
            found = [await store.conversation(self.id, row.conversation) for row in rows]
            verdicts = await verdicts_on(self._batch, store, found)
        pairs = zip(found, verdicts, strict=True)
        return [ConversationResult(about.reported(each), self._details(each.id)) for each, about in pairs]

    async def _reasons(self) -> tuple[Counter[Outcome], list[str]]:
        """Return the outcomes of the selected conversations, and lines for causes of failures."""
        counts: Counter[Outcome] = Counter()
        groups: dict[tuple[bool, str], list[str]] = {}  # failed ones first
        said: dict[str, tuple[str, str]] = {}
        says = {rule.name: rule.description for rule in self._batch.rules if rule.description}
        async with self.place.open() as store:
            await complete(self._batch, store)
            offset = 0
            while rows := (await store.search(self.id, self._query, offset=offset, limit=1000))[1]:
                offset += len(rows)
                for row in rows:
                    counts[row.first_outcome] += 1
                    if row.first_outcome is Outcome.PASSED:
                        continue
                    reason, cause = row.reason or str(row.first_outcome), row.counted.cause
                    id = cause.id if cause else reason
                    said.setdefault(id, (title(cause, says), f": {reason}") if cause else (reason, ""))
                    groups.setdefault((row.first_outcome is not Outcome.FAILED, id), []).append(row.conversation)
        largest = sorted(groups.items(), key=lambda group: (group[0][0], -len(group[1])))
        named = [(ids, *map(visible, said[id])) for (_, id), ids in largest[:_REASONS]]
        lines = [f"  {len(ids):,} x {name} ({_first(ids)}){reason}" for ids, name, reason in named]
        if len(largest) > _REASONS:
            lines.append(f"  and {len(largest) - _REASONS:,} other causes")
        return counts, lines

    def _details(self, conversation: str = "") -> str:
        if self.place.path is None:
            return ""
        words = ["sparring", "show", self.id, *([conversation] if conversation else []), "--store"]
        return visible(shlex.join([*words, str(self.place.path)]))


def _first(ids: Sequence[str]) -> str:
    more = ", ..." if len(ids) > _EXAMPLES else ""
    return visible(", ".join(ids[:_EXAMPLES]) + more)


def _record(result: ConversationResult) -> dict[str, Any]:
    conversation = result.conversation
    timing, case = conversation.timing, conversation.case
    tokens = conversation.consumed.tokens
    costs = [usage.known_cost for usage in conversation.usage.values()]
    return {
        "id": conversation.id,
        "case": case.id,
        "repeat": conversation.repeat,
        "outcome": str(result.outcome),
        "first_outcome": str(result.first_outcome),
        "blame": str(result.blame or ""),
        "reason": result.reason,
        "score": result.score,
        "ending": None if conversation.ending is None else str(conversation.ending),
        "error": conversation.error,
        "turns": conversation.turns,
        "seconds": timing.seconds if timing else None,
        "tokens": tokens,
        "cost": None if None in costs else sum(cost for cost in costs if cost is not None),
        "persona": case.persona.name,
        "tags": ", ".join(case.tags),
        **{f"variables.{name}": value for name, value in case.variables.items()},
        **{f"outputs.{output.name}": output.value for output in conversation.outputs},
    }


async def written(
    place: StorePlace, batch: str, path: Path, *, format: str | None = None, gate: Gate | None = None
) -> Path:
    """Write a report of a batch into `path`, with its folder, and return the path."""
    wanted = named(format, _of_batches) if format else for_file(path, _of_batches)
    async with place.open() as store:
        _, [content] = await written_report(await store.head(batch), store, [wanted], now=datetime.now(UTC), gate=gate)
        with atomic_file(path) as file:
            async for piece in content:
                file.write(piece)
    return path


def _of_batches(format: ReportFormat) -> bool:
    return format.of_batches

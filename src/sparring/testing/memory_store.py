"""A store that forgets, for tests."""

from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from itertools import islice
from typing import Self

from sparring.core.batch import Batch, BatchExecution, Progress
from sparring.core.checks import Rubric
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError
from sparring.core.events import ConversationEnded, Event
from sparring.core.listing import ConversationQuery, ConversationRow, RowTotals, searchable_words
from sparring.core.outcome import Discrimination, Outcome
from sparring.core.prompts import Prompts, SavedPrompts
from sparring.core.usage import Usage
from sparring.core.verdict import CheckOutcome, Finding, Verdict
from sparring.store import names
from sparring.store.redaction import Redaction
from sparring.store.store import ALL, ConversationFilter, PendingUsage, RecordedChecks, ignore
from sparring.testing.memory_rows import found_rows, matches, totals_of

Place = tuple[int, int]


class MemoryStore:
    """Keeps everything in memory, and passes the same conformance suite as stores that do not.

    What `hiding` hides is not kept.
    """

    def __init__(self, *, hiding: Redaction | None = None) -> None:
        self._hiding = hiding or Redaction()
        self._batches: dict[str, Batch] = {}
        self._kept: dict[str, dict[Place, Conversation]] = {}
        self._replaced: dict[tuple[str, Place], list[Conversation]] = {}
        self._first: dict[tuple[str, Place], Outcome] = {}
        self._dropped: list[tuple[str, Usage]] = []
        self._unkept: dict[str, tuple[str, Usage]] = {}
        self._events: list[tuple[str, Event]] = []
        self._jobs: dict[str, BatchExecution] = {}
        self._verdicts: dict[str, dict[tuple[Place, str, str], Verdict]] = {}
        self._rubrics: dict[str, Rubric] = {}
        self._prompts: dict[str, Prompts] = {}
        self._saved: list[SavedPrompts] = []
        self._rows: defaultdict[str, dict[Place, ConversationRow]] = defaultdict(dict)
        self._checked: defaultdict[str, dict[Place, dict[str, Verdict | None]]] = defaultdict(dict)
        self._findings: dict[str, tuple[str, dict[str, Finding]]] = {}
        self._tried: dict[str, Discrimination] = {}
        self._playing: set[str] = set()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exception: object) -> None:
        """What is kept stays, as it does in a file."""

    async def create(self, batch: Batch, *, prompts: tuple[Prompts, ...] = ()) -> bool:
        names.acceptable(batch)
        if batch.id in self._batches:
            return False
        self._prompts |= {each.hash: each for each in prompts if each.hash not in self._prompts}
        self._batches[batch.id] = self._hiding.hidden(batch)
        self._kept[batch.id], self._verdicts[batch.id] = {}, {}
        return True

    async def add(
        self,
        batch: str,
        conversation: Conversation,
        *,
        checks: RecordedChecks | None = None,
        unkept: PendingUsage | None = None,
    ) -> bool:
        place = self._place(batch, conversation.case.id, conversation.repeat)
        if place is None:
            raise names.unplanned(self._batches.get(batch), conversation.id)
        if place in self._kept[batch]:
            return False
        self._keep(batch, place, conversation, checks)
        return self._noted(batch, unkept)

    async def save_prompts(self, name: str, prompts: Prompts, created: datetime) -> bool:
        if (newest := await self.saved_prompts(name)) and newest[0].hash == prompts.hash:
            return False
        self._prompts.setdefault(prompts.hash, prompts)
        self._saved.append(SavedPrompts(name=name, hash=prompts.hash, created=created))
        return True

    async def saved_prompts(self, name: str = "") -> list[SavedPrompts]:
        return [each for each in reversed(self._saved) if name in ("", each.name)]

    async def delete(self, batch: str) -> bool:
        self._events = [("", event) if of == batch else (of, event) for of, event in self._events]
        self._jobs.pop(batch, None)
        self._kept.pop(batch, None)
        self._rows.pop(batch, None)
        self._checked.pop(batch, None)
        self._findings.pop(batch, None)
        self._verdicts.pop(batch, None)
        self._replaced = {key: kept for key, kept in self._replaced.items() if key[0] != batch}
        self._first = {key: kept for key, kept in self._first.items() if key[0] != batch}
        gone = self._batches.pop(batch, None) is not None
        used = {hash for each in self._batches.values() for hash in each.prompts.values()}
        used |= {each.hash for each in self._saved}
        self._prompts = {hash: prompts for hash, prompts in self._prompts.items() if hash in used}
        return gone

    async def judge(
        self,
        batch: str,
        verdict: Verdict,
        *,
        rubric: Rubric | None = None,
        anew: bool = False,
        row: ConversationRow | None = None,
        unkept: PendingUsage | None = None,
    ) -> bool:
        place = self._find(batch, verdict.conversation)
        if place not in self._kept[batch]:
            raise InputError(f"conversation {verdict.conversation!r} is judged, but it is not stored")
        if rubric is not None:
            self._rubrics.setdefault(rubric.hash, rubric)
        given, key = self._verdicts[batch], (place, verdict.judge, verdict.rubric)
        decides = anew and verdict.outcome is not CheckOutcome.ERROR
        if key in given and given[key].outcome is not CheckOutcome.ERROR and not decides:
            return False
        if key in given:
            self._dropped.append((batch, given[key].usage))
        given[key] = self._hiding.hidden(verdict)
        words = searchable_words(self._kept[batch][place])
        self._rows[batch].pop(place, None)
        if row is not None:
            self._rows[batch][place] = self._row(batch, place, row.model_copy(update={"words": words}))
        return self._noted(batch, unkept)

    async def replace(
        self,
        batch: str,
        conversation: Conversation,
        *,
        checks: RecordedChecks | None = None,
        unkept: PendingUsage | None = None,
    ) -> bool:
        place = self._place(batch, conversation.case.id, conversation.repeat)
        if place is None:
            raise names.unplanned(self._batches.get(batch), conversation.id)
        there = self._kept[batch].get(place)
        if there is None or _attempt(there) >= _attempt(conversation):
            return False
        self._replaced.setdefault((batch, place), []).append(there)
        if (row := self._rows[batch].get(place)) is not None and row.first_outcome is not Outcome.VOID:
            self._first.setdefault((batch, place), row.first_outcome)
        for key in [key for key in self._verdicts[batch] if key[0] == place]:
            self._dropped.append((batch, self._verdicts[batch].pop(key).usage))
        self._checked[batch].pop(place, None)
        self._rows[batch].pop(place, None)
        self._keep(batch, place, conversation, checks)
        return self._noted(batch, unkept)

    async def drop(self, batch: str, usage: Usage, *, run: str = "") -> None:
        if not run:
            self._dropped.append((batch, usage))
        elif usage.calls:
            self._unkept[run] = batch, usage
        else:
            self._unkept.pop(run, None)

    @contextmanager
    def playing(self, batch: str) -> Iterator[None]:
        if batch in self._playing:
            raise InputError(f"batch {batch} is being played already")
        self._playing.add(batch)
        try:
            yield
        finally:
            self._playing.remove(batch)

    async def is_played(self, batch: str) -> bool:
        return batch in self._playing

    async def log(self, batch: str, event: Event) -> int:
        if batch not in self._batches:
            raise names.unknown_batch(batch, self._known())
        if isinstance(event, ConversationEnded):
            place = self._place(batch, event.conversation.case.id, event.conversation.repeat)
            if place not in self._kept[batch]:
                raise InputError(f"conversation {event.conversation.id!r} is told to have ended, but it is not stored")
            event = ConversationEnded(conversation=self._kept[batch][place])
        self._events.append((batch, self._hiding.hidden(event)))
        return len(self._events)

    async def log_endings(self, batch: str) -> int:
        told = {
            event.conversation.id for of, event in self._events if of == batch and isinstance(event, ConversationEnded)
        }
        missing = [each for each in self._kept[batch].values() if each.id not in told]
        self._events += [(batch, ConversationEnded(conversation=each)) for each in missing]
        return len(missing)

    async def keep_job(self, job: BatchExecution) -> None:
        if job.batch not in self._batches:
            raise names.unknown_batch(job.batch, self._known())
        self._jobs[job.batch] = job

    async def job(self, batch: str) -> BatchExecution | None:
        return self._jobs.get(batch)

    async def waiting(self) -> list[BatchExecution]:
        jobs = sorted(self._jobs.values(), key=lambda job: job.batch)
        return [job for job in jobs if job.served and not job.cancelled and job.ended is None]

    async def batch(self, which: str) -> Batch:
        found = [
            batch
            for batch in self._batches.values()
            if which == batch.id or which in (names.LATEST, batch.name or None)
        ]
        if not found:
            raise names.unknown_batch(which, self._known())
        return max(found, key=lambda batch: (batch.id == which, batch.id))

    async def namesakes(self, name: str) -> list[str]:
        return sorted((batch.id for batch in self._batches.values() if name and batch.name == name), reverse=True)

    async def head(self, which: str) -> Batch:
        return (await self.batch(which)).model_copy(update={"cases": ()})

    async def batches(self, *, limit: int = 100, before: str = "") -> list[Batch]:
        ids = sorted((id for id in self._batches if not before or id < before), reverse=True)
        return [self._batches[id].model_copy(update={"cases": ()}) for id in ids[:limit]]

    async def count(self) -> int:
        return len(self._batches)

    async def progress(self, batch: str) -> Progress:
        found = await self.batch(batch)
        endings = Counter(conversation.ending for conversation in self._kept[found.id].values())
        return Progress(planned=found.planned, endings=dict(endings))

    async def stored(self, batch: str) -> set[tuple[str, int]]:
        kept = self._kept[(await self.batch(batch)).id]
        return {(conversation.case.id, conversation.repeat) for conversation in kept.values()}

    async def consumed(self, batch: str) -> tuple[Usage, int]:
        id = (await self.batch(batch)).id
        replaced = [each for (of, _), attempts in self._replaced.items() if of == id for each in attempts]
        held = [*self._kept[id].values(), *replaced]
        usages = [usage for each in held for usage in each.usage.values()]
        usages += [verdict.usage for verdict in self._verdicts[id].values()]
        noted = [*self._dropped, *self._unkept.values()]
        return sum([*usages, *(usage for of, usage in noted if of == id)], Usage()), len(self._kept[id])

    async def conversations(
        self,
        batch: str,
        *,
        wanted: ConversationFilter = ALL,
        after: str = "",
        limit: int | None = None,
        unreadable: Callable[[str], None] = ignore,
    ) -> AsyncIterator[Conversation]:
        id = (await self.batch(batch)).id
        start = self._find(id, after) if after else (-1, 0)
        kept = sorted((place, conversation) for place, conversation in self._kept[id].items() if place > start)
        for _, conversation in islice(((p, c) for p, c in kept if matches(c, wanted)), limit):
            yield conversation

    async def conversation(self, batch: str, id: str) -> Conversation:
        found = await self.batch(batch)
        conversation = self._kept[found.id].get(self._find(found.id, id))
        if conversation is None:
            raise names.unknown_conversation(found.id, id, (case.id for case in found.cases))
        return conversation

    async def judged(self, batch: str, judge: str) -> set[tuple[str, int, str]]:
        id = (await self.batch(batch)).id
        kept = self._kept[id]
        return {
            (kept[place].case.id, kept[place].repeat, rubric)
            for (place, by, rubric), verdict in self._verdicts[id].items()
            if by == judge and verdict.outcome is not CheckOutcome.ERROR
        }

    async def verdicts(self, batch: str, *, conversation: str = "") -> AsyncIterator[Verdict]:
        id = (await self.batch(batch)).id
        only = self._find(id, conversation) if conversation else None
        for key, verdict in sorted(self._verdicts[id].items(), key=lambda each: each[0]):
            if only in (None, key[0]):
                yield verdict

    async def rubric(self, hash: str) -> Rubric | None:
        return self._rubrics.get(hash)

    async def prompts(self, hash: str = "") -> list[Prompts]:
        return [self._prompts[each] for each in sorted(self._prompts) if each.startswith(hash)]

    async def record_checks(self, batch: str, checks: Sequence[RecordedChecks]) -> None:
        for each in checks:
            place = self._find(batch, each.conversation)
            if place in self._kept[batch] and _attempt(self._kept[batch][place]) == each.attempt:
                self._checked[batch].setdefault(place, {}).update(self._hiding.hidden(each).verdicts)
                if each.row is not None:
                    self._rows[batch][place] = self._row(batch, place, each.row)
                elif each.verdicts:
                    self._rows[batch].pop(place, None)

    async def checked(
        self, batch: str, *, conversation: str = "", after: str = ""
    ) -> AsyncIterator[tuple[str, Verdict]]:
        only = self._find(batch, conversation) if conversation else None
        start = self._find(batch, after) if after else (-1, 0)
        for place, found in sorted(self._checked[batch].items()):
            if place > start and only in (None, place):
                for hash, verdict in sorted(found.items()):
                    if verdict is not None:
                        yield hash, verdict

    async def unchecked(
        self, batch: str, hashes: Sequence[str], *, conversation: str = ""
    ) -> AsyncIterator[Conversation]:
        only = self._find(batch, conversation) if conversation else None
        for place, found in sorted(self._kept[batch].items()):
            if only in (None, place) and not set(hashes) <= self._checked[batch].get(place, {}).keys():
                yield found

    async def recordings(self, batch: str) -> str:
        return repr(sorted((place, _attempt(each)) for place, each in self._kept[batch].items()))

    async def record_findings(self, batch: str, recordings: str, findings: Mapping[str, Finding]) -> None:
        _, earlier = self._findings.get(batch, ("", {}))
        if {rule for rule, each in earlier.items() if each.invalid} != {
            rule for rule, each in findings.items() if each.invalid
        }:
            self._rows[batch].clear()
        self._findings[batch] = recordings, {rule: self._hiding.hidden(each) for rule, each in findings.items()}

    async def findings(self, batch: str) -> dict[str, Finding]:
        recordings, found = self._findings.get(batch, ("", {}))
        return dict(found) if recordings == await self.recordings(batch) else {}

    async def tried(self, key: str) -> Discrimination | None:
        return self._tried.get(key)

    async def record_tried(self, key: str, found: Discrimination) -> None:
        self._tried[key] = found

    async def unlisted(self, batch: str) -> AsyncIterator[Conversation]:
        for place, conversation in sorted(self._kept[batch].items()):
            if place not in self._rows[batch]:
                yield conversation

    async def search(
        self, batch: str, wanted: ConversationQuery, *, offset: int, limit: int
    ) -> tuple[int, list[ConversationRow]]:
        id = (await self.batch(batch)).id
        rows = sorted(self._rows[id].items(), key=lambda each: each[0], reverse=wanted.descending)
        found = found_rows([(row, self._kept[id][place].case) for place, row in rows], wanted)
        return len(found), [each.model_copy(update={"words": ""}) for each in found[offset : offset + limit]]

    async def rows(self, batch: str, *, conversation: str = "", after: str = "") -> AsyncIterator[ConversationRow]:
        only = self._find(batch, conversation) if conversation else None
        start = self._find(batch, after) if after else (-1, 0)
        for place, row in sorted(self._rows[batch].items(), key=lambda each: each[0]):
            if place > start and only in (None, place):
                yield row.model_copy(update={"words": ""})

    async def newest(self, batch: str, *, limit: int) -> list[ConversationRow]:
        id = (await self.batch(batch)).id
        places = [place for place in reversed(self._kept[id]) if place in self._rows[id]]
        return [self._rows[id][place].model_copy(update={"words": ""}) for place in places[:limit]]

    async def totals(self, batch: str) -> RowTotals:
        return totals_of(self._rows[(await self.batch(batch)).id].values())

    async def attempts(self, batch: str, id: str) -> list[Conversation]:
        last, of = await self.conversation(batch, id), (await self.batch(batch)).id
        return [*self._replaced.get((of, self._find(of, id)), ()), last]

    async def events(self, batch: str, *, after: int = 0) -> AsyncIterator[tuple[int, Event]]:
        id = (await self.batch(batch)).id
        for number, (of, event) in enumerate(list(self._events), 1):
            if of == id and number > after:
                yield number, event

    def _keep(self, batch: str, place: Place, conversation: Conversation, checks: RecordedChecks | None) -> None:
        conversation, checks = self._hiding.hidden(conversation), self._hiding.hidden(checks)
        self._kept[batch][place] = conversation
        if checks is not None:
            self._checked[batch][place] = dict(checks.verdicts)
        if checks is not None and checks.row is not None:
            row = checks.row.model_copy(update={"words": searchable_words(conversation)})
            self._rows[batch][place] = self._row(batch, place, row)

    def _row(self, batch: str, place: Place, row: ConversationRow) -> ConversationRow:
        """Return a row with the outcome of the first attempt that was not void."""
        first, row = self._first.get((batch, place)), self._hiding.hidden(row)
        return row if first in (None, row.outcome) else row.model_copy(update={"first": first})

    def _noted(self, batch: str, unkept: PendingUsage | None) -> bool:
        if unkept is not None:
            self._unkept[unkept.run] = batch, unkept.usage
        return True

    def _place(self, batch: str, case: str, repeat: int) -> Place | None:
        planned = self._batches.get(batch)
        if planned is None or repeat > planned.repeats:
            return None
        return next(((i, repeat) for i, each in enumerate(planned.cases) if each.id == case), None)

    def _find(self, batch: str, id: str) -> Place:
        for case, repeat in names.places(id):
            if place := self._place(batch, case, repeat):
                return place
        raise names.unknown_conversation(batch, id, (case.id for case in self._batches[batch].cases))

    def _known(self) -> list[str]:
        newest = sorted(self._batches.values(), key=lambda batch: batch.id, reverse=True)
        return [*dict.fromkeys(batch.name for batch in newest if batch.name), *(batch.id for batch in newest)]


def _attempt(conversation: Conversation) -> int:
    return conversation.timing.attempt if conversation.timing else 1

"""Functions over recorded conversations: nothing is simulated here."""

import warnings
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import aclosing, asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from random import SystemRandom

from sparring.api.arguments import StoreLike, StorePlace, config_of, store_of
from sparring.api.results import Results, written
from sparring.app.check import check_rules, check_stored
from sparring.app.compare import contender
from sparring.app.config import AppConfig
from sparring.app.event_loop import run_blocking
from sparring.app.judge import judge_batch
from sparring.app.report import report as make_report
from sparring.app.rubrics import RubricSelection, asked
from sparring.app.sources import RuleLike, read_rules
from sparring.app.stores import run_id
from sparring.app.wiring import reader_alone
from sparring.core.batch import Batch, Players
from sparring.core.checks import Gate, InvalidRule, Rule
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError, Problem, SparringWarning
from sparring.core.listing import ConversationQuery
from sparring.core.seeding import ulid
from sparring.core.tool_errors import ToolError
from sparring.core.verdict import Findings
from sparring.extraction.extractor import Extraction
from sparring.judges.judge import Judge
from sparring.llm.model import Model
from sparring.parsing import load as parse_file
from sparring.parsing import misfits
from sparring.reports.comparing_batches import compare as compare_sides
from sparring.reports.comparison import Comparison
from sparring.reports.gate import Gated
from sparring.rules.inputs.recordings import Recordings
from sparring.rules.limits import EvaluationLimits
from sparring.rules.recording import Recording, recording_of
from sparring.settings import Settings
from sparring.store.store import Store

Conversations = str | Path | Results | Iterable[Conversation]
"""A batch by its id, its name or `latest`, a file or folder of recordings, results, or conversations."""


def rules_of(rules: RuleLike | Iterable[RuleLike]) -> list[Rule | InvalidRule]:
    """Return the rules, including invalid ones. Raise InputError if there is nothing to check."""
    found = read_rules(rules)
    if not found:
        raise InputError("there are no rules to check", hint="a rule file, or an expression such as 'turns() < 12'")
    return found


async def _checked(
    rules: Sequence[Rule | InvalidRule], conversations: Conversations, place: StorePlace, config: AppConfig
) -> Findings:
    limits = EvaluationLimits()
    recordings: AsyncIterator[Recording] | Recordings | None
    if not isinstance(conversations, str | Path):
        recordings = _values(conversations)
    elif (recordings := _recordings(conversations, config.tool_errors)) is None:
        async with place.open() as store:
            batch = await store.head(str(conversations))
            return (await check_stored(rules, batch, store, config, limits=limits, given_up=_warn))[0]
    return (await check_rules(rules, recordings, config, limits=limits, given_up=_warn))[0]


async def _values(conversations: Results | Iterable[Conversation]) -> AsyncIterator[Recording]:
    """Yield conversations as rules see them."""
    if isinstance(conversations, Results):
        async for result in conversations:
            yield recording_of(result.conversation)
    else:
        for conversation in conversations:
            yield recording_of(conversation)


def _recordings(source: str | Path, tool_errors: Sequence[ToolError]) -> Recordings | None:
    """Return the recordings of a file or folder, or None if there is none of this name."""
    return Recordings(source, tool_errors=tool_errors) if Path(source).exists() else None


_VALUES = "values"
"""The chatbot and the user of conversations that a program passes."""


@asynccontextmanager
async def batch_in(conversations: Conversations, place: StorePlace) -> AsyncIterator[tuple[Batch, Store, StorePlace]]:
    """Open the store of a batch. Conversations passed as values become a batch in memory."""
    if isinstance(conversations, Results):
        async with conversations.place.open() as store:
            yield await store.batch(conversations.id), store, conversations.place
    elif isinstance(conversations, str | Path):
        async with place.open() as store:
            yield await store.batch(await run_id(str(conversations), store)), store, place
    else:
        from sparring.testing.memory_store import MemoryStore

        held = list(conversations)
        memory = MemoryStore()
        batch = await _stored(held, memory)
        yield batch, memory, StorePlace(given=memory)


async def _stored(conversations: list[Conversation], store: Store) -> Batch:
    """Store conversations as a batch of their own."""
    if not conversations:
        raise InputError("there are no conversations")
    now = datetime.now(UTC)
    batch = Batch(
        id=ulid(now, SystemRandom()),
        created=now,
        who=Players(chatbot=_VALUES, user=_VALUES, reader="none"),
        cases=tuple({each.case.id: each.case for each in conversations}.values()),
        repeats=max(each.repeat for each in conversations),
    )
    await store.create(batch)
    for conversation in conversations:
        await store.add(batch.id, conversation)
    return batch


def check(
    rules: RuleLike | Iterable[RuleLike],
    conversations: Conversations,
    *,
    model: str | Model | None = None,
    store: StoreLike = None,
    settings: Settings | None = None,
) -> Findings:
    """Check rules over recorded conversations and return their findings.

    A rule is an expression, a file, a folder of files, or a `Rule`. Conversations are a batch (its id, its name or
    `latest`), a file or folder, `Results`, or `Conversation` values. Rules that need a `model` are undecided without
    one. An invalid rule is a finding with its problems. Raise InputError if there is no rule or no conversation.
    """
    chosen = rules_of(rules)
    config = config_of(settings, model=model)
    place = conversations.place if isinstance(conversations, Results) else store_of(store, config)
    findings = run_blocking(_checked(chosen, conversations, place, config))
    if not findings.conversations:
        raise InputError("there are no conversations to check")
    return findings


def read(
    conversations: Results | Iterable[Conversation],
    *,
    reader: str | Model | None = None,
    settings: Settings | None = None,
) -> tuple[Extraction, ...]:
    """Extract goals and values from recorded conversations, in their order; nothing is stored or judged.

    `reader` is a name of the command line (`"patterns"`, `"openai:gpt-4o-mini"`) or a model; by default, the reader of
    the settings.
    """
    config = config_of(settings, reader=reader)

    async def extracted() -> tuple[Extraction, ...]:
        async with reader_alone(config.players.reader, config) as made:
            if isinstance(conversations, Results):
                return tuple([await made.read(each.conversation) async for each in conversations])
            return tuple([await made.read(each) for each in conversations])

    return run_blocking(extracted())


def judge(
    conversations: Conversations,
    *,
    judge: str | Judge | Model | None = None,
    rubrics: Iterable[str | Path] = (),
    again: bool = False,
    store: StoreLike = None,
    settings: Settings | None = None,
) -> Results:
    """Judge recorded conversations and return the results of their batch.

    `judge` is a name of the command line (`"checklist"`, `"openai:gpt-4o-mini"`) or an object; by default, the judge of
    the settings or else of the batch. Verdicts that exist are kept unless `again`. Raise InputError if the judge does
    not read the rubrics.
    """
    config = config_of(settings, judge=judge)
    place = conversations.place if isinstance(conversations, Results) else store_of(store, config)

    async def judged() -> Results:
        async with batch_in(conversations, place) as (batch, opened, its_place):
            questions = asked(batch.cases, rubrics) if list(rubrics) else RubricSelection(batch.cases)
            events = judge_batch(batch, opened, config, questions, again=again, given_up=_warn)
            async with aclosing(events) as happening:
                async for event in happening:
                    batch = event if isinstance(event, Batch) else batch
            return await results_in(batch, opened, its_place)

    return run_blocking(judged())


def _warn(reason: str) -> None:
    warnings.warn(reason, SparringWarning, stacklevel=2)


def results(
    batch: str = "latest",
    *,
    store: StoreLike = None,
    settings: Settings | None = None,
    where: ConversationQuery | None = None,
) -> Results:
    """Return the results of a batch (id, `NAME@RUN`, name or `latest`); `where` selects conversations."""
    chosen = config_of(settings)
    return run_blocking(_results(batch, store_of(store, chosen), chosen.gate, where))


async def _results(
    which: str, place: StorePlace, wanted: Gate | None = None, where: ConversationQuery | None = None
) -> Results:
    async with place.open() as store:
        return await results_in(await store.batch(await run_id(which, store)), store, place, wanted, where)


async def results_in(
    batch: Batch, store: Store, place: StorePlace, wanted: Gate | None = None, where: ConversationQuery | None = None
) -> Results:
    """Return the results of a batch of an open store."""
    made = await make_report(batch, store, gate=wanted)
    return Results(place, batch, made.summary, query=where, gate=wanted, gated=made.gated)


def compare(
    before: Conversations,
    after: Conversations,
    *,
    store: StoreLike = None,
    settings: Settings | None = None,
) -> Comparison:
    """Compare two batches, paired by case: what got better or worse, and if the change is significant."""

    async def compared() -> Comparison:
        async with (
            batch_in(before, _place(before, store, settings)) as (was, its_store, _),
            batch_in(after, _place(after, store, settings)) as (now, other_store, _),
        ):
            return compare_sides(await contender(was, its_store), await contender(now, other_store))

    return run_blocking(compared())


def gate(
    batch: Conversations,
    gate: Gate | str | Path,
    *,
    baseline: str | Results = "",
    store: StoreLike = None,
    settings: Settings | None = None,
) -> Gated:
    """Check a batch against a `Gate`: thresholds, also as a YAML file (top level, or under `gate`).

    The batch must not be worse than `baseline`, a batch of the same store. Raise InputError if the file is not a gate.
    """
    wanted = gate if isinstance(gate, Gate) else _gate_in(Path(gate))
    if than := baseline.id if isinstance(baseline, Results) else baseline:
        wanted = wanted.model_copy(update={"baseline": than})

    async def passed() -> Gated:
        async with batch_in(batch, _place(batch, store, settings)) as (found, its_store, _):
            made = await make_report(found, its_store, gate=wanted)
        assert made.gated is not None, "there is a gate"
        return made.gated

    return run_blocking(passed())


def _gate_in(path: Path) -> Gate:
    from pydantic import ValidationError

    document = parse_file(path)
    data = document.data
    inner = isinstance(data, dict) and "gate" in data
    if not isinstance(data, dict) or (inner and not isinstance(data["gate"], dict)):
        raise InputError(document.problem((), "expected the fields of a gate, such as pass_rate: 0.95"))
    try:
        return Gate.model_validate(data["gate"] if inner else data)
    except ValidationError as error:
        if inner:
            messages = [f"gate.{each['loc'][0]}: {each['msg']}" for each in error.errors(include_url=False)]
            raise InputError(Problem(file=str(path), message=message) for message in messages) from None
        raise InputError(misfits(error, Gate, document)) from None


def report(
    batch: Conversations,
    path: str | Path,
    *,
    format: str | None = None,
    store: StoreLike = None,
    settings: Settings | None = None,
) -> Path:
    """Write a report of a batch into a file and return its path.

    The format follows from the suffix (.html, .md, .csv, .json, .xml, .ndjson) unless `format` names it. The folder of
    the file is created. Raise InputError for an unknown format.
    """

    async def made() -> Path:
        async with batch_in(batch, _place(batch, store, settings)) as (found, _, place):
            return await written(place, found.id, Path(path), format=format)

    return run_blocking(made())


def import_logs(
    source: str | Path,
    *,
    name: str = "",
    columns: str = "id=id,role=role,text=text",
    format: str = "auto",
    complete_tools: bool = False,
    store: StoreLike = None,
    settings: Settings | None = None,
) -> Results:
    """Store logs of real conversations as a batch and return its results.

    `format` is recognised by default. `columns` names the columns of the conversation's id, of the role and of the text
    in logs with one message a row. With `complete_tools`, tool calls that are not in the logs did not happen. Raise
    InputError if there are no conversations.
    """
    from sparring.app.import_logs import import_logs as import_log
    from sparring.rules.inputs.recordings import Conversations as InputFiles
    from sparring.rules.inputs.rows import columns_of

    config = config_of(settings)
    found = InputFiles(
        source,
        format=format,
        columns=columns_of(columns),
        complete_tools=complete_tools,
        tool_errors=config.tool_errors,
    )
    place = store_of(store, config)

    async def imported() -> Results:
        async with place.open(must_exist=False) as opened:
            batch, _, notices = await import_log(found, opened, name=name)
            for notice in notices:
                _warn(notice.message)
            return await results_in(await opened.batch(batch.id), opened, place)

    return run_blocking(imported())


def _place(conversations: Conversations, store: StoreLike, settings: Settings | None) -> StorePlace:
    """Return the store in which batch names are looked up. Values and results need no settings."""
    if isinstance(conversations, Results):
        return conversations.place
    return store_of(store, config_of(settings))

"""Pages that compare conversations: findings of a batch's rules, and two batches side by side."""

from collections.abc import Iterator, Sequence
from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse

from sparring.app.compare import contender
from sparring.app.results import recorded_findings, result
from sparring.core.batch import Batch
from sparring.core.conversation import Conversation, Evidence
from sparring.core.verdict import CheckOutcome, Example, Finding, Findings, Verdict
from sparring.reports.compared_batch import ComparedBatch
from sparring.reports.comparing_batches import compare
from sparring.reports.comparison import Comparison
from sparring.reports.html.conversation import RenderedTurn, first_difference, mark_differences, render_conversation
from sparring.reports.rate_text import rule_rate_text
from sparring.store.store import Store
from sparring.web.api.batches import Service, StoredBatch, find_conversation, stored_batch
from sparring.web.api.dependencies import AppState
from sparring.web.pages.compared import MOST_PAIRS, Show, comparison_view, neighbours
from sparring.web.pages.live import typed_ref
from sparring.web.rendering import page

router = APIRouter(include_in_schema=False)

_MAX_WAIT = 2.0
_EXAMPLES, _SHOWN = 3, 100
_CHOICES = 200

BatchRef = Annotated[str, Query(max_length=500)]
"""A batch by its id, name, or `NAME@RUN`."""


ExampleSides = list[tuple[str, list[RenderedTurn]]]
"""Conversations of a rule violation by id, each with its evidence marked."""


@router.get("/batches/{id}/rules")
async def rules(request: Request, service: Service, batch: StoredBatch) -> HTMLResponse:
    """Show the findings of a batch's rules: counts, frequent offenders, and examples side by side."""
    found = await _recorded(service.store, batch)
    if found is None:
        await service.listings.complete(batch, max_wait=_MAX_WAIT)
        found = await _recorded(service.store, batch)
    examples = {finding.rule: await _examples(service, batch, finding) for finding in found.findings} if found else {}
    descriptions = {rule.name: rule for rule in batch.rules}
    return page(
        request,
        "rules.html",
        batch=batch,
        found=found,
        examples=examples,
        rules=descriptions,
        shown=_SHOWN,
        rule_rate_text=rule_rate_text,
    )


@router.get("/compare")
async def compare_batches(
    request: Request,
    service: Service,
    before: BatchRef = "",
    after: BatchRef = "",
    show: Show = "",
    at: Annotated[int, Query(alias="page", ge=1, le=MOST_PAIRS)] = 1,
) -> HTMLResponse:
    """Compare two batches: the difference, causes, and the conversations that changed."""
    choices = await service.store.batches(limit=_CHOICES)
    found: Comparison | None = None
    names: dict[str, str] = {}
    refs: list[str] = []
    prompts: list[tuple[str, str, str]] = []
    if before and after:
        one, other = [await stored_batch(service, each) for each in (before, after)]
        before, after = one.id, other.id
        names = {each.id: await _with_run(each, service.store) for each in (one, other)}
        choices += [each for each in (one, other) if each.id not in {choice.id for choice in choices}]
        refs = [await typed_ref(each, service.store) for each in (one, other)]
        found = await _comparison(service, one, other)
        prompts = list(_changed_prompts(one, other))
    return page(
        request,
        "compare.html",
        choices=choices,
        runs={name: await service.store.namesakes(name) for name in {each.name for each in choices if each.name}},
        before=before,
        after=after,
        names=names,
        refs=refs,
        found=found,
        prompts=prompts,
        **(comparison_view(found, show, at) if found else {}),
    )


@router.get("/compare/conversation")
async def side_by_side(
    request: Request,
    service: Service,
    before: BatchRef,
    after: BatchRef,
    id_: Annotated[str, Query(alias="id", min_length=1, max_length=2000)],
    earlier_id: Annotated[str, Query(alias="earlier", max_length=2000)] = "",
) -> HTMLResponse:
    """Show one conversation from both batches, with the differences marked."""
    sides: list[tuple[Batch, Conversation, Sequence[Verdict]]] = []
    for which, id in ((before, earlier_id or id_), (after, id_)):
        batch = await stored_batch(service, which)
        conversation = await find_conversation(service, batch, id)
        verdicts = (await result(batch, service.store, conversation)).all
        sides.append((batch, conversation, sorted(verdicts, key=lambda each: each.outcome is not CheckOutcome.FAIL)))
    before_turns, after_turns = [render_conversation(conversation) for _, conversation, _ in sides]
    earlier, later = await to_thread.run_sync(mark_differences, before_turns, after_turns)
    found = await _comparison(service, sides[0][0], sides[1][0])
    names = {batch.id: await _with_run(batch, service.store) for batch, *_ in sides}
    sides_and_turns = list(zip(sides, (earlier, later), strict=True))
    first, around = first_difference(before_turns, after_turns), neighbours(found, id_) if found else ("", "", "")
    return page(request, "side_by_side.html", sides=sides_and_turns, names=names, id=id_, first=first, around=around)


async def _comparison(service: AppState, before: Batch, after: Batch) -> Comparison | None:
    """Return the comparison of two batches; None while it is computed."""
    totals = [(await service.listings.look(each)).totals.model_dump_json() for each in (before, after)]

    async def whole(batch: Batch) -> ComparedBatch:
        return await contender(await service.store.batch(batch.id), service.store)

    async def work() -> Comparison:
        return compare(await whole(before), await whole(after), examples=MOST_PAIRS)

    key = ("compare", before.id, after.id, *totals)
    return await service.background_cache.get(key, work, max_wait=_MAX_WAIT)


async def _with_run(batch: Batch, store: Store) -> str:
    """Return the name of a batch with its run, as `nightly @2`, or the id of one without a name."""
    return f"{batch.name} @{(await store.namesakes(batch.name))[batch.id]}" if batch.name else batch.id


def _by_severity(finding: Finding) -> int:
    return (CheckOutcome.FAIL, CheckOutcome.ERROR, CheckOutcome.NOT_APPLICABLE, CheckOutcome.PASS).index(
        finding.outcome
    )


def _changed_prompts(before: Batch, after: Batch) -> Iterator[tuple[str, str, str]]:
    """Yield name, old hash and new hash of each prompt that differs, or was saved under another name."""
    renamed = iter([hash for name, hash in before.prompts.items() if name not in after.prompts])
    for name, now in after.prompts.items():
        was = before.prompts[name] if name in before.prompts else next(renamed, now)
        if was != now:
            yield name, was, now


async def _recorded(store: Store, batch: Batch) -> Findings | None:
    """Return the findings of a batch's rules, violated ones first; None if they are not recorded yet."""
    found = await recorded_findings(batch, store)
    if found is None:
        return None
    stored = (await store.progress(batch.id)).stored
    return Findings(conversations=stored, findings=tuple(sorted(found, key=_by_severity)))


async def _examples(service: AppState, batch: Batch, finding: Finding) -> list[tuple[Example, ExampleSides]]:
    """Return the first examples of a finding with their conversations."""
    found = []
    for example in finding.examples[:_EXAMPLES]:
        sides = []
        for id in example.conversations[:4]:
            conversation = await find_conversation(service, batch, id)
            evidence = tuple(
                Evidence(at=each.at, start=each.start, end=each.end, text=each.text)
                for each in example.evidence
                if each.conversation == id
            )
            about = Verdict(check=finding.rule, outcome=example.outcome, conversation=id, evidence=evidence)
            plain = conversation.model_copy(update={"goals": (), "outputs": ()})
            sides.append((id, render_conversation(plain, [about])))
        found.append((example, sides))
    return found

"""Pages that compare conversations: findings of a batch's rules, and two batches side by side."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Annotated, Any, Literal

from anyio import to_thread
from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse
from markupsafe import Markup

from sparring.app.compare import contender
from sparring.app.results import recorded_findings, result
from sparring.core.batch import Batch
from sparring.core.conversation import Conversation, Evidence
from sparring.core.verdict import CheckOutcome, Example, Finding, Findings, Verdict
from sparring.reports import rate_text
from sparring.reports.causes import MOST_CAUSES, CauseSummary
from sparring.reports.compared_batch import ComparedBatch
from sparring.reports.comparing_batches import compare
from sparring.reports.comparison import Change, ComparedConversation, Comparison, Pair
from sparring.reports.comparison_text import change_words, headline, headline_notes, primary_lines, rule_words
from sparring.reports.html.charts import difference
from sparring.reports.html.conversation import RenderedTurn, first_difference, mark_differences, render_conversation
from sparring.reports.html.formatting import UNKNOWN, money, number, percent, seconds
from sparring.reports.html.result import CauseView, cause_views
from sparring.reports.lines import counted
from sparring.reports.rate_text import bounded, bounds_text, claim_text, rule_rate_text
from sparring.store.store import Store
from sparring.web.api.batches import Service, StoredBatch, find_conversation, stored_batch
from sparring.web.api.dependencies import AppState
from sparring.web.pages.live import typed_ref
from sparring.web.pages.selection import address, addresses
from sparring.web.rendering import page

PER_PAGE = 50
"""Pairs of conversations on one page."""

MOST_PAIRS = 5_000
"""Most pairs of a kind that the pages of a comparison list."""

Show = Literal["", "changed", "worse", "better", "undecided"]

_TITLES = {"changed": "Changed", "worse": "Worse", "better": "Better", "undecided": "Undecided in one"}
_SCALES = (0.05, 0.1, 0.2, 0.5, 1.0)
_TESTED = ("chatbot:", "the chatbot's model:")


@dataclass(frozen=True)
class ComparisonBanner:
    """The result of a comparison: a word, its facts, and notes below it."""

    word: str
    text: str
    notes: tuple[str, ...]


@dataclass(frozen=True)
class CauseRow:
    """A cause in both batches, with its shares of the largest cause."""

    view: CauseView
    kind: str
    before: float
    after: float


@dataclass(frozen=True)
class PairRow:
    """A conversation in both batches, with the address that shows both sides, and the title of its cause."""

    pair: Pair
    url: str
    reason: str
    cause: str


@dataclass(frozen=True)
class PairPage:
    """Some pairs of a comparison: the rows, the number of others, and the addresses of pages around."""

    rows: list[PairRow]
    tabs: list[tuple[str, int, str, bool]]
    more: int
    all: str
    at: str
    previous: str
    next: str


def comparison_view(found: Comparison, show: Show, page: int) -> dict[str, Any]:
    """Return the page's data of a comparison."""
    causes = found.causes[:MOST_CAUSES]
    undecided = _counts(undecided_in_one=found.pairs["undecided"], not_run_in_one=found.not_run)
    alone = _counts(only_before=found.only_before, only_after=found.only_after)
    return {
        "banner": _banner(found),
        "kind": "worse" if found.got_worse else found.direction,
        "warnings": [each for each in found.differences if not each.startswith(_TESTED)],
        "facts": [each.partition(": ")[::2] for each in found.differences] + [("conversations", alone)] * bool(alone),
        "scale": f"±{100 * _scale(found.changes):g}",
        "drawings": list(_drawn(found.changes)),
        "lines": list(primary_lines(found)),
        "in_words": found.deciding[1] is not found.changes,
        "causes": list(_cause_rows(found, causes)),
        "smaller": len(found.causes) - len(causes),
        "pairs": _pair_page(found, show, page),
        "square": found.pairs,
        "unpaired": ", ".join(filter(None, [undecided, alone])),
        "sides": [(name, figure(found.before), figure(found.after)) for name, figure in _FIGURES.items()],
        "rules": [(each, rule_words(each, len(found.rules))) for each in found.rules],
        "families": [
            (title, [(name, each, change_words(each)) for name, each in changes.items()])
            for title, changes in (("Tags", found.tags), ("Rules and checks of single conversations", found.checks))
            if changes
        ],
    }


def _banner(found: Comparison) -> ComparisonBanner:
    word, _, text = headline(found).partition(": ")
    _, change = found.deciding
    cases = f"{counted(change.worse, 'case')} worse, {change.better:,} better, {change.same:,} the same"
    notes = [*headline_notes(found), cases]
    if change.unpaired:
        notes.append(
            f"{change.unpaired:,} of {change.compared + change.unpaired:,} cases are not decided in both batches"
        )
    return ComparisonBanner(word, text, tuple(notes))


def _scale(change: Change) -> float:
    """Return the least scale that holds the intervals of both claims."""
    found = [each for each in (change.these, change.like_these) if each is not None]
    widest = max((abs(bound) for each in found for bound in (each.low, each.high)), default=0)
    return next((each for each in _SCALES if each >= widest), _SCALES[-1])


def _drawn(change: Change) -> Iterator[tuple[str, str, Markup]]:
    """Yield the difference of the pass rate for both claims: the claim, its interval in words, and drawn."""
    for each in (change.these, change.like_these):
        if each is not None:
            yield claim_text(each.claim), bounded(each), difference(each, _scale(change))


def _cause_rows(found: Comparison, causes: Sequence[CauseSummary]) -> Iterator[CauseRow]:
    """Yield causes with their addresses, in the first batch for those that the second does not show."""
    kinds: Mapping[str, str] = {"new": "new", "back": "new", "grew": "fail", "shrank": "pass", "fixed": "pass"}
    most = max((max(each.count, each.before or 0) for each in causes), default=1) or 1
    for each in causes:
        [view] = cause_views([each], addresses(found.after.batch if each.count else found.before.batch))
        yield CauseRow(view, kinds.get(each.status or "", "tag"), (each.before or 0) / most, each.count / most)


def _pair_page(found: Comparison, show: Show, page: int) -> PairPage:
    named = {"changed": (*found.worse, *found.better), "worse": found.worse, "better": found.better}
    named["undecided"] = found.undecided
    kinds = found.pairs
    counts = {"changed": kinds["worse"] + kinds["better"], "worse": kinds["worse"], "better": kinds["better"]}
    counts["undecided"] = kinds["undecided"]
    shown = show or "changed"
    pages = [named[shown][start : start + PER_PAGE] for start in range(0, len(named[shown]), PER_PAGE)]
    at = min(page, len(pages))
    rows: Iterable[Pair] = (pages[at - 1] if pages else ()) if show else _first_of_each_cause(found.worse, found.better)
    titles = {each.id: each.title for each in found.causes}
    made = [_pair_row(found, each, titles) for each in rows]

    def url(name: str, number: int = 1) -> str:
        values = {"before": found.before.batch, "after": found.after.batch, "show": name}
        return address("/compare", **values, page=str(number) if number > 1 else "")

    return PairPage(
        rows=made,
        tabs=[(_TITLES[each], count, url(each), each == shown) for each, count in counts.items()],
        more=0 if show else counts[shown] - len(made),
        all=url(shown),
        at=f"page {at} of {len(pages)}" if show and len(pages) > 1 else "",
        previous=url(show, at - 1) if show and at > 1 else "",
        next=url(show, at + 1) if show and at < len(pages) else "",
    )


def pair_url(found: Comparison, pair: Pair) -> str:
    """Return the address of a conversation in both batches."""
    batches = {"before": found.before.batch, "after": found.after.batch}
    return address("/compare/conversation", **batches, id=pair.conversation, earlier=pair.earlier)


def neighbours(found: Comparison, conversation: str) -> tuple[str, str, str]:
    """Return the place of a conversation among those that changed, and the addresses of those around it."""
    changed = (*found.worse, *found.better)
    at = next((at for at, each in enumerate(changed) if each.conversation == conversation), None)
    if at is None:
        return "", "", ""
    beside = [changed[each] if 0 <= each < len(changed) else None for each in (at - 1, at + 1)]
    previous, following = ((pair_url(found, each) if each else "") for each in beside)
    total = found.pairs["worse"] + found.pairs["better"]
    return f"{at + 1:,} of {counted(total, 'conversation')} that changed", previous, following


def _pair_row(found: Comparison, pair: Pair, titles: Mapping[str, str]) -> PairRow:
    return PairRow(pair, pair_url(found, pair), pair.reason_after or pair.reason_before, titles.get(pair.cause, ""))


def _first_of_each_cause(*kinds: Sequence[Pair]) -> list[Pair]:
    """Return the first pair of each cause among the worse and among the better ones, a page at most."""
    first = ({each.cause: each for each in reversed(pairs)} for pairs in kinds)
    chosen = [id(pair) for pairs in first for pair in pairs.values()]
    return [each for each in chain(*kinds) if id(each) in chosen][:PER_PAGE]


def _counts(**counts: int) -> str:
    return ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in counts.items() if count)


_FIGURES: Mapping[str, Callable[[ComparedConversation], str]] = {
    "Passed, of decided": lambda side: f"{side.passed:,} of {side.passed + side.failed:,}",
    "Pass rate": lambda side: percent(side.rate),
    "Cases like these": lambda side: bounds_text(side.intervals.like_these) if side.intervals else UNKNOWN,
    "Failed": lambda side: number(side.failed),
    "Undecided, void, not run": lambda side: f"{side.undecided:,}, {side.void:,}, {side.not_run:,}",
    "Worst to best case": lambda side: _bounds(side),
    "Turns, median": lambda side: number(side.turns.median),
    "Reply, median": lambda side: seconds(side.seconds.median),
    "Reply, longest": lambda side: seconds(side.seconds.max),
    "Tokens": lambda side: number(side.usage.tokens),
    "Cost": lambda side: money(side.usage.known_cost),
}


def _bounds(side: ComparedConversation) -> str:
    if not side.undecided + side.void + side.not_run:
        return "all decided"
    return " to ".join(f"{rate_text.percent(each)} %" for each in side.bounds) if side.bounds else UNKNOWN


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
    shown = {"sides": sides_and_turns, "names": names, "id": id_, "first": first, "around": around}
    return page(request, "side_by_side.html", **shown)


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

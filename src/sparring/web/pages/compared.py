"""A comparison of two batches as its page shows it: words, rows and addresses."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal

from markupsafe import Markup

from sparring.reports import rate_text
from sparring.reports.causes import MOST_CAUSES, CauseSummary
from sparring.reports.comparison import Change, ComparedConversation, Comparison, Pair
from sparring.reports.comparison_text import change_words, headline, headline_notes, primary_lines, rule_words
from sparring.reports.html.charts import difference
from sparring.reports.html.formatting import UNKNOWN, money, number, percent, seconds
from sparring.reports.html.result import CauseView, cause_views
from sparring.reports.lines import counted
from sparring.reports.rate_text import bounded, bounds_text, claim_text
from sparring.web.pages.selection import address, addresses

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

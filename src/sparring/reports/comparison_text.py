"""A comparison as plain lines."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from difflib import ndiff

from sparring.core.causes import CauseStatus
from sparring.core.conversation import Conversation
from sparring.core.text import visible
from sparring.reports.causes import CauseSummary, shortest_prefixes, status_text
from sparring.reports.comparison import (
    FEWEST,
    Change,
    ComparedConversation,
    Comparison,
    Detectable,
    Direction,
    Pair,
    RuleChange,
    ScoresOfBoth,
)
from sparring.reports.findings import STATUS
from sparring.reports.lines import counted, section
from sparring.reports.measures import Spread
from sparring.reports.rate_text import (
    bounded,
    claim_text,
    more_or_fewer,
    p_text,
    percent,
    points_text,
    rate_words,
    rule_rate_text,
    size_bounds,
)
from sparring.reports.transcript import message_lines

WORDS: dict[Direction, str] = {"better": "BETTER", "worse": "WORSE", "not told": "NO SIGNIFICANT CHANGE"}

_CHANGES: dict[CauseStatus, str] = {
    "new": "{} new",
    "back": "{} back",
    "grew": "grew",
    "shrank": "shrank",
    "fixed": "{} fixed",
}
_NEAREST = 3
"""Most questions without a significant change that are still named."""


def comparison_text(comparison: Comparison) -> Iterator[str]:
    """Yield the changes, their significance, and the parts that cannot be compared."""
    yield headline(comparison)
    yield from (f"  {' · '.join(notes)}" for notes in [[*headline_notes(comparison)]] if notes)
    yield ""
    yield from _side("before", comparison.before)
    yield from _side("after ", comparison.after)
    yield from section("Inputs that differ", map(visible, comparison.differences))
    yield from section("Changes", primary_lines(comparison))
    yield from section("Causes", cause_change_lines(comparison.causes))
    yield from section("Conversations", _pairs(comparison))
    yield from section("Rules over several conversations that changed", rule_lines(comparison))
    yield from section("Got worse", _named(comparison.worse, comparison.pairs["worse"]))
    yield from section("Got better", _named(comparison.better, comparison.pairs["better"]))
    yield from section("Undecided in one batch", _named(comparison.undecided, comparison.pairs["undecided"]))
    yield from section("Checks", family_lines(comparison.checks, "check"))
    yield from section("Tags", family_lines(comparison.tags, "tag"))
    yield from section("Scores by the same judge in both", map(_scores, comparison.scores))
    yield from section("Usage", _usage_lines(comparison.before, comparison.after))


def headline(comparison: Comparison) -> str:
    """Return the result in one line, with the causes that changed."""
    changed = cause_changes(comparison.causes)
    return f"{_headline(comparison)}; {changed}" if changed else _headline(comparison)


def cause_changes(causes: Iterable[CauseSummary]) -> str:
    """Return the number of causes that are new, back, grown, shrunk or fixed; empty if none is."""
    counts = Counter(each.status for each in causes)
    said = [
        f"{counts[each]:,} {_CHANGES[each].format('is' if counts[each] == 1 else 'are')}"
        for each in _CHANGES
        if counts[each]
    ]
    number, _, rest = ", ".join(said).partition(" ")
    return f"{number} {'cause' if number == '1' else 'causes'} {rest}" if said else ""


def cause_change_lines(causes: Iterable[CauseSummary]) -> Iterator[str]:
    """Yield a line for each cause: its numbers of conversations before and now, and its status."""
    found = tuple(causes)
    short = shortest_prefixes(tuple(each.id for each in found))
    for each in found:
        example = each.example.conversation
        status = each.status if each.status in ("grew", "shrank") else status_text(each)
        line = f"{each.before or 0:,} → {each.count:,} {status}: {each.title} ({short[each.id]}); {example}"
        yield visible(line)


def _headline(comparison: Comparison) -> str:
    direction, change = comparison.direction, comparison.changes
    if comparison.broken:
        return f"{_broken(comparison)}; {_pass_rate(comparison) or 'no case was decided in both batches'}"
    if direction == "not told":
        nothing = "NOTHING TO COMPARE: no case was decided in both batches"
        return f"{WORDS[direction]} on {_these(change)}: {_pass_rate(comparison)}" if change.compared else nothing
    name, change = comparison.deciding
    return f"{WORDS[direction]} on {_these(change)}{_among(change)}: {_size(change, name)}"


def headline_notes(comparison: Comparison) -> Iterator[str]:
    """Yield the p-value of a change that was found, and its size for cases like these."""
    if comparison.direction != "not told" and not comparison.broken:
        name, change = comparison.deciding
        yield from filter(None, (_chance(change), _like_these(change, name)))


def _size(change: Change, name: str) -> str:
    """Return the size of a change: `32 points fewer pass [29–34], 93 % → 61 %`."""
    values = f"{_value(change.before, name)} → {_value(change.after, name)}"
    if change.these is None:
        return f"{name} {values}"
    bounded_away = change.these.low > 0 or change.these.high < 0
    if name == "pass rate" and bounded_away:
        return f"{more_or_fewer(change.these)} pass [{size_bounds(change.these)}], {values}"
    size = points_text(change.these) if name in _RATES else bounded(change.these, 1)
    return f"{visible(name)} {size}, {values}"


def primary_lines(comparison: Comparison) -> Iterator[str]:
    """Yield the changes that decide, with both claims, and how to tell more."""
    for name, change in comparison.primary.items():
        if not change.compared or (name == "crashes" and not change.before and not change.after):
            continue
        word = f": {WORDS[change.direction]}{_among(change)}" if change.direction != "not told" else ""
        word += " (counted as not passed)" if name == "crashes" and word else ""
        values = f"{_value(change.before, name)} → {_value(change.after, name)}"
        more = f"; {like_these}" if (like_these := _like_these(change, name)) else ""
        yield f"{visible(name)} {values}: {claim_text('these')} {_text(change, name)}{word}{more}"
    yield from _retried("before", comparison.before)
    yield from _retried("after", comparison.after)
    if comparison.changes.direction == "not told" and comparison.detectable and comparison.detectable.conversations:
        yield _more(comparison.detectable)


def family_lines(changes: Mapping[str, Change], what: str) -> Iterator[str]:
    """Yield the significant changes among several questions, then the nearest ones."""
    for name, change in changes.items():
        if change.direction != "not told" and change.these is not None:
            adjusted = f"{p_text(change.adjusted_p)} among {counted(len(changes), what)}"
            yield f"{visible(name)}: {change_words(change)}, {adjusted}"
    open_ones = [each for each in changes.items() if each[1].direction == "not told" and each[1].p < 1]
    nearest = sorted(open_ones, key=lambda each: each[1].p)[:_NEAREST]
    if nearest:
        said = (f"{visible(name)} {points_text(each.these)}" for name, each in nearest if each.these is not None)
        among = f"among {counted(len(changes), what)}, {claim_text('these')} by themselves"
        yield f"no significant change {among}: {', '.join(said)}"
    lacking = {name: change.unpaired for name, change in changes.items() if change.unpaired}
    if lacking:
        most = sorted(lacking, key=lambda name: -lacking[name])[:_NEAREST]
        said = (f"{visible(name)} ({counted(lacking[name], 'case')})" for name in most)
        yield f"not decided in both batches: {', '.join(said)}{', and more' * (len(lacking) > len(most))}"


def baseline_text(comparison: Comparison) -> str:
    """Return the baseline of a series, the drift since it began, and if the batch is to be watched."""
    baseline, change = comparison.baseline, comparison.changes.these
    if baseline is None:
        return ""
    since = f"{baseline.since:%d %b}".lstrip("0")
    nights = counted(baseline.nights, "night")
    drift = f"{points_text(change).split(' [')[0]} since {since}" if change else f"since {since}"
    said = [f"{drift}, against {nights} pooled"]
    if baseline.left_out:
        said.append(f"{counted(baseline.left_out, 'case')} new or changed and left out")
    if baseline.outdated:
        name = comparison.before.name
        said.append(f"only {percent(baseline.common)} % of the cases are the same: `sparring accept {name}`")
    elif comparison.watch:
        said.append("watch: an alarm takes p < .001, or p < .05 in two nights running")
    return "; ".join(said)


def margin_line(comparison: Comparison, margin: float) -> str:
    """Return whether a fall of the pass rate by `margin`, from 0 to 1, is excluded."""
    excluded = "is excluded" if comparison.excludes(margin) else "is not excluded"
    points = "1 point" if margin == 0.01 else f"{100 * margin:.3g} points"
    return f"a fall of {points} {excluded} on {_these(comparison.changes)}"


def change_words(change: Change) -> str:
    """Return the change of one question among several, with its own interval."""
    if change.these is None:
        return "not decided in both"
    size = f"{points_text(change.these)} by itself"
    if change.direction == "not told":
        return f"{claim_text('these')} {size}, no significant change"
    return f"{WORDS[change.direction]} on {_these(change)}: {size}"


def _pass_rate(comparison: Comparison) -> str:
    """Return the change of the pass rate and what would have been told; nothing if nothing was compared."""
    change, able = comparison.changes, comparison.detectable
    if not change.compared:
        return ""
    return f"{_text(change)}; {fall_text(able)}" if able and change.direction == "not told" else _text(change)


def fall_text(able: Detectable) -> str:
    """Return the fall that would be noticed."""
    if able.fall >= 1:
        return "too few cases: even a fall to 0 % could go unnoticed"
    return f"a fall of {100 * able.fall:.0f} points would be noticed in about 4 of 5 such comparisons"


def _more(able: Detectable) -> str:
    price = "" if able.cost is None else f" ≈ ${able.cost:,.2f}"
    return f"about {able.conversations:,} more conversations in both batches together would tell such a change{price}"


def _broken(comparison: Comparison) -> str:
    count = len(comparison.broken)
    return f"WORSE: {counted(count, 'rule')} that held {'is' if count == 1 else 'are'} violated"


def _these(change: Change) -> str:
    if change.compared == 1:
        return "this case"
    return f"these {change.compared} cases" if change.compared < FEWEST else "these cases"


def _among(change: Change) -> str:
    """Return the limit of a significant result if unknown values could be the reason for it."""
    unbounded = change.these is not None and change.these.low <= 0 <= change.these.high
    return ", among what was decided" if unbounded and change.these and change.these.unknown else ""


def _text(change: Change, name: str = "pass rate") -> str:
    """Return a change of these cases with its p-value."""
    if change.these is None:
        return ""
    size = points_text(change.these) if name in _RATES else bounded(change.these, 1)
    return f"{size}, {_chance(change)}"


def _chance(change: Change) -> str:
    """Return the p-value of a change, and if its size is open."""
    adjusted = " adjusted for the other questions" if change.adjusted_p > change.p else ""
    these = change.these
    holds_zero = these is not None and these.low <= 0 <= these.high and not these.unknown
    open_end = "; by how much is not bounded yet" if holds_zero and change.direction != "not told" else ""
    return f"{p_text(change.adjusted_p)}{adjusted}{open_end}"


def _like_these(change: Change, name: str) -> str:
    """Return the same change of cases like these."""
    if change.like_these is None:
        return ""
    if change.compared < FEWEST:
        return f"{counted(change.compared, 'case')} cannot tell about cases like these (at least {FEWEST})"
    size = bounded(change.like_these, 100 if name in _RATES else 1)
    return f"{claim_text('like these')} {size}, {p_text(change.like_these.p)}"


_RATES = ("pass rate", "crashes")


def _value(value: float | None, name: str) -> str:
    return "unknown" if value is None else f"{percent(value)} %" if name in _RATES else f"{value:.2f}"


def _retried(label: str, side: ComparedConversation) -> Iterator[str]:
    """Yield the outcomes of last attempts if they are not those of the first."""
    if side.attempts == "first" and (side.last_passed, side.last_failed) != (side.passed, side.failed):
        last, first = side.last_passed + side.last_failed, side.passed + side.failed
        yield (
            f"{label}: after retries {side.last_passed:,} of {last:,} passed; "
            f"on the first attempt {side.passed:,} of {first:,}"
        )


def _side(label: str, side: ComparedConversation) -> Iterator[str]:
    yield visible(f"{label}: {side.name or side.batch} · seed {side.seed} · {side.who}")
    if side.rate is None or side.intervals is None or side.bounds is None:
        yield "        nothing of it was decided"
        return
    decided = side.passed + side.failed
    rest = [(side.undecided, "undecided"), (side.void, "void"), (side.not_run, "not run")]
    attempts = " at the last attempt" if side.attempts == "last" else ""
    lacking = ", ".join(f"{count:,} {what}" for count, what in rest if count)
    line = f"        passed{attempts} {rate_words(side.intervals, side.passed, decided)}"
    least, most = map(percent, side.bounds)
    yield f"{line}; {lacking}: as counted {least} % to {most} % if decided" if lacking else line


def _pairs(comparison: Comparison) -> Iterator[str]:
    words = {
        "passed": "passed in both",
        "failed": "failed in both",
        "worse": "got worse",
        "better": "got better",
        "undecided": "undecided in one batch",
    }
    for kind, count in comparison.pairs.items():
        if count:
            yield f"{count:,} {words[kind]}"
    for count, what in (
        (comparison.not_run, "not run in one of them"),
        (comparison.only_before, "only in the first"),
        (comparison.only_after, "only in the second"),
    ):
        if count:
            yield f"{count:,} {what}"


def _named(pairs: tuple[Pair, ...], count: int) -> Iterator[str]:
    for pair in pairs:
        yield visible(f"{pair.conversation}: {_came_out(pair)}")
    if count > len(pairs):
        yield f"and {count - len(pairs):,} more"


def _came_out(pair: Pair) -> str:
    was = f"{pair.before}: {pair.reason_before}" if pair.reason_before else pair.before
    now = f"{pair.after}: {pair.reason_after}" if pair.reason_after else pair.after
    return f"{was} → {now}"


def rule_words(change: RuleChange, among: int = 1) -> str:
    """Return the change of a rule over several conversations in words."""
    before, after = STATUS.get(change.before, "NOT EXERCISED"), STATUS.get(change.after, "NOT EXERCISED")
    unit = {"all": "set", 2: "pair"}.get(change.conversations, "tuple")
    rate, applicable = change.rate_after, counted(change.applicable_after, unit)
    band = f" ({rule_rate_text(rate)})" if rate else ""
    was = f"{change.violated_before:,} of {change.applicable_before:,}"
    now = f"{change.violated_after:,} of {applicable}{band}"
    if change.broken:
        why = "every replay now, none before" if change.evidence == "replayed" else "both chatbots repeat themselves"
        return f"BROKEN: held, now violated in {now}; {why}"
    if change.direction != "not told":
        p = f"{p_text(change.adjusted_p)} among {counted(among, 'rule')}"
        return f"{WORDS[change.direction]}: violated in {was} → {now}, {p}"
    looked = "no significant change" if change.tested else "compared once, no significant change"
    if change.newly_violated:
        return f"held, now violated in {now}; {looked}; confirm with --confirm 4"
    return f"{before} → {after}, violated in {was} → {now}; {looked}"


def rule_lines(comparison: Comparison) -> Iterator[str]:
    """Yield the rules over several conversations that changed."""
    for change in comparison.rules_that_changed:
        yield f"{visible(change.rule)}: {rule_words(change, len(comparison.rules))}"


def _scores(scores: ScoresOfBoth) -> str:
    def side(spread: Spread, counts: Mapping[str, int]) -> str:
        each = ", ".join(f"{count:,} x {score}" for score, count in counts.items())
        return f"mean {spread.mean:.3g} ({each})"

    before, after = side(scores.before, scores.counts_before), side(scores.after, scores.counts_after)
    return f"{visible(scores.check)} by {visible(scores.judge)}: {before} → {after}"


def _usage_lines(before: ComparedConversation, after: ComparedConversation) -> Iterator[str]:
    if before.turns.n and after.turns.n:
        yield f"turns: {_median(before.turns)} → {_median(after.turns)}"
    if before.seconds.n and after.seconds.n:
        yield f"seconds to reply: {_median(before.seconds)} → {_median(after.seconds)}"
    if before.usage.calls or after.usage.calls:
        yield f"model calls: {before.usage.calls:,} → {after.usage.calls:,}"
        was, now = before.usage, after.usage
        yield f"tokens: {was.tokens:,} → {now.tokens:,}"
        yield f"cost: {_cost(before)} → {_cost(after)}"


def _median(spread: Spread) -> str:
    return f"median {spread.median:.3g}"


def _cost(side: ComparedConversation) -> str:
    known = side.usage.known_cost
    if known is None:
        return "unknown"
    return f"${known:,.4f}" + (
        f" and {side.usage.unknown_costs:,} calls of unknown price" * bool(side.usage.unknown_costs)
    )


def side_by_side(before: Conversation, after: Conversation) -> Iterator[str]:
    """Yield one conversation of both batches as a diff: `-` only in the first, `+` only in the second."""
    yield visible(f"conversation {after.id}: {before.ending_words} → {after.ending_words}")
    for line in ndiff(_said(before), _said(after)):
        if not line.startswith("?"):
            yield line.rstrip()


def _said(conversation: Conversation) -> list[str]:
    return [line for number, message in enumerate(conversation.messages) for line in message_lines(number, message)]

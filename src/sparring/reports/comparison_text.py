"""A comparison as plain lines."""

from collections.abc import Iterator, Mapping
from difflib import ndiff

from sparring.core.conversation import Conversation
from sparring.core.text import visible
from sparring.reports.comparison import (
    FEWEST,
    SIGNIFICANT,
    Change,
    ComparedConversation,
    Comparison,
    Pair,
    RuleChange,
    ScoresOfBoth,
)
from sparring.reports.findings import STATUS
from sparring.reports.lines import counted, section
from sparring.reports.measures import Spread
from sparring.reports.transcript import message_lines

_HEADLINES = {
    "better": "BETTER",
    "worse": "WORSE",
    "unchanged": "NO SIGNIFICANT CHANGE",
    "too few to tell": "TOO FEW TO TELL",
}


def comparison_text(comparison: Comparison) -> Iterator[str]:
    """Yield the changes, their significance, and the parts that cannot be compared."""
    yield headline(comparison)
    yield ""
    yield from _side("before", comparison.before)
    yield from _side("after ", comparison.after)
    yield from section("Inputs that differ", map(visible, comparison.differences))
    yield from section("Conversations", _pairs(comparison))
    yield from section("Rules that changed", map(_rule, comparison.rules_that_changed))
    yield from section("Got worse", _named(comparison.worse, comparison.pairs["worse"]))
    yield from section("Got better", _named(comparison.better, comparison.pairs["better"]))
    yield from section("Undecided in one batch", _named(comparison.undecided, comparison.pairs["undecided"]))
    yield from section("Checks that changed or are undecided in one batch", _changes(comparison.checks))
    yield from section("Tags that changed or are undecided in one batch", _changes(comparison.tags))
    yield from section("Scores by the same judge in both", map(_scores, comparison.scores))
    yield from section("Usage", _took(comparison.before, comparison.after))


def headline(comparison: Comparison) -> str:
    """Return the result in one line."""
    change = comparison.changes
    compared = change.better + change.worse + change.same
    if not compared:
        nothing = "no case was decided in both batches"
        return f"{_broken(comparison)}; {nothing}" if comparison.broken else f"NOTHING TO COMPARE: {nothing}"
    cases = counted(compared, "case")
    counts = f"{change.better:,} better, {change.worse:,} worse, {change.same:,} the same of {cases}"
    counts += f" decided in both, {change.unpaired:,} not" if change.unpaired else ""
    if comparison.broken:
        return f"{_broken(comparison)}; {counts} ({_chance(change)})"
    return f"{_HEADLINES[change.direction]}: {counts} ({_chance(change)})"


def _broken(comparison: Comparison) -> str:
    count = len(comparison.broken)
    return f"WORSE: {counted(count, 'rule')} that held {'is' if count == 1 else 'are'} violated"


def _chance(change: Change) -> str:
    """Return the significance in words."""
    if change.direction == "too few to tell":
        return f"no test can tell with fewer than {FEWEST} differences"
    sure = "" if change.p < SIGNIFICANT else "not "
    return f"p = {change.p:.2g}, {sure}below {SIGNIFICANT:g}" if change.better + change.worse else "no difference"


def _side(label: str, side: ComparedConversation) -> Iterator[str]:
    yield visible(f"{label}: {side.name or side.batch} · seed {side.seed} · {side.who}")
    if side.rate is None or side.interval is None or side.bounds is None:
        yield "        nothing of it was decided"
        return
    decided = side.passed + side.failed
    low, high = side.interval
    rest = [(side.undecided, "undecided"), (side.void, "void"), (side.not_run, "not run")]
    attempts = " at the last attempt" if side.attempts == "last" else ""
    lacking = ", ".join(f"{count:,} {what}" for count, what in rest if count)
    share = f"{side.rate:.1%} (95% interval {low:.1%} to {high:.1%})"
    line = f"        {side.passed:,} of {decided:,} passed{attempts}: {share}"
    yield f"{line}; {lacking}: {side.bounds[0]:.1%} to {side.bounds[1]:.1%} if decided" if lacking else line


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


def _changes(changes: Mapping[str, Change]) -> Iterator[str]:
    for name, change in changes.items():
        if change.better or change.worse or change.unpaired:
            counts = f"{change.better:,} better, {change.worse:,} worse, {change.same:,} the same"
            counts += f", {change.unpaired:,} not decided in both" if change.unpaired else ""
            chance = f" ({_chance(change)})" if change.better or change.worse else ""
            yield f"{visible(name)}: {counts}{chance}"


def _rule(change: RuleChange) -> str:
    before, after = STATUS.get(change.before, "NOT EXERCISED"), STATUS.get(change.after, "NOT EXERCISED")
    counts = f"violated {change.violated_before:,} of {change.applicable_before:,} times"
    counts += f" → {change.violated_after:,} of {change.applicable_after:,}"
    return f"{visible(change.rule)}: {before} → {after} ({counts})"


def _scores(scores: ScoresOfBoth) -> str:
    def side(spread: Spread, counts: Mapping[str, int]) -> str:
        each = ", ".join(f"{count:,} x {score}" for score, count in counts.items())
        return f"mean {spread.mean:.3g} ({each})"

    before, after = side(scores.before, scores.counts_before), side(scores.after, scores.counts_after)
    return f"{visible(scores.check)} by {visible(scores.judge)}: {before} → {after}"


def _took(before: ComparedConversation, after: ComparedConversation) -> Iterator[str]:
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
    yield visible(f"conversation {after.id}: {before.ending or 'did not end'} → {after.ending or 'did not end'}")
    for line in ndiff(_said(before), _said(after)):
        if not line.startswith("?"):
            yield line.rstrip()


def _said(conversation: Conversation) -> list[str]:
    return [line for number, message in enumerate(conversation.messages) for line in message_lines(number, message)]

"""A summary as plain lines, and a batch as `sparring show` prints it."""

import shlex
from collections.abc import Iterator, Mapping
from json import dumps
from typing import TYPE_CHECKING

from sparring.core.audit import Blame
from sparring.core.batch import IMPORTED
from sparring.core.outcome import Outcome
from sparring.core.text import visible
from sparring.core.verdict import CheckOutcome, Finding
from sparring.reports.causes import (
    MOST_CAUSES,
    CauseSummary,
    example_text,
    gone_lines,
    shortest_prefixes,
    status_text,
)
from sparring.reports.consistency import consistency_text
from sparring.reports.lines import consumed, counted, section
from sparring.reports.measures import Spread
from sparring.reports.rate_text import agreement_text, percent, rule_rate_text, score_lines, statistics_lines
from sparring.reports.scores import Scores
from sparring.reports.sentence import sentence
from sparring.reports.summary import ConversationExample, Summary

if TYPE_CHECKING:
    from sparring.reports.gate import Gated


_NOTICED = 0.05
_VOID = "Void: excluded from all rates, because the user, the case or Sparring failed"


def summary_text(summary: Summary, gated: "Gated | None" = None) -> Iterator[str]:
    """Yield the figures of a batch, then what `sparring show` prints of it."""
    yield from figures_text(summary)
    yield ""
    yield from batch_text(summary, summary.name or summary.batch, gated)


def figures_text(summary: Summary) -> Iterator[str]:
    """Yield players, void conversations, rules, and all figures."""
    yield visible(str(summary.who))
    void = [each for each in summary.examples if each.outcome is Outcome.VOID]
    yield from _examples(_VOID, summary.outcomes[Outcome.VOID], void)
    yield from section("Rules", [_finding(each) for each in summary.findings if each.outcome is not CheckOutcome.PASS])
    doubts = [f"{visible(each.rule)}: {visible(str(doubt))}" for each in summary.findings for doubt in each.doubts]
    yield from section("Rules with a doubtful meaning", doubts)
    yield ""
    if summary.statistics is not None:
        yield from statistics_lines(summary.statistics)
    yield from _numbers(summary)


def _examples(title: str, count: int, examples: list[ConversationExample]) -> Iterator[str]:
    lines = []
    for each in examples:
        blame = f" [{each.blame}]" if each.blame is not Blame.CHATBOT else ""
        lines.append(f"{visible(each.conversation)}{blame}: {visible('; '.join(each.reasons))}")
    if count > len(examples):
        lines.append(f"and {count - len(examples):,} more")
    yield from section(title, lines)


def _finding(finding: Finding) -> str:
    name, first = visible(finding.rule), finding.examples[:1]
    if finding.invalid:
        return f"{name}: invalid: {'; '.join(visible(str(problem)) for problem in finding.invalid)}"
    if finding.outcome is CheckOutcome.NOT_APPLICABLE:
        return f"{name}: nothing exercised it"
    if finding.outcome is CheckOutcome.FAIL:
        said = f"{name}: violated {finding.violated:,} of {counted(finding.applicable, 'time')}"
        said += f" ({rule_rate_text(finding.rate)})" if finding.rate else ""
    else:
        said = f"{name}: {counted(sum(finding.errors.values()), 'error')}"
    return "; ".join([said, *(f"{visible(', '.join(e.conversations))}: {visible(e.reason)}" for e in first)])


def _numbers(summary: Summary) -> Iterator[str]:
    endings = [f"{count:,} {ending.replace('_', ' ')}" for ending, count in summary.endings.items() if count]
    yield f"Endings: {', '.join(endings) or 'none'}"
    if summary.blames:
        yield f"Blame: {', '.join(f'{blame} {count:,}' for blame, count in summary.blames.items())}"
    if summary.faults:
        faults = ", ".join(f"{kind} {count:,}" for kind, count in summary.faults.items())
        yield f"Faults that made conversations void: {faults}; see `sparring audit`"
    if summary.doubts:
        yield f"Doubts: a likely fault of the user may explain {counted(summary.doubts, 'failed conversation')}"
    if summary.repairs:
        repairs = ", ".join(f"{kind} {count:,}" for kind, count in summary.repairs.items())
        yield f"Repaired lines of the user's model: {repairs}"
    yield from _weaknesses(summary)
    if summary.goals:
        yield f"Goals: {summary.goals_answered:,} of {summary.goals:,} answered"
    if summary.outputs:
        yield f"Outputs: {summary.outputs_stated:,} of {summary.outputs:,} stated"
    if held := [_held(each) for each in summary.findings if each.outcome is CheckOutcome.PASS]:
        yield f"Rules that hold: {', '.join(held)}"
    if weak := [visible(each.rule) for each in summary.findings if each.passed_by]:
        yield f"Weak rules, which bots that do nothing useful satisfy: {', '.join(weak)}"
    for each in summary.scores:
        if line := _scores(each):
            yield f"Scores: {line}"
            if each.errors or each.spread.mean != each.high:  # else the line before says it all
                yield from (f"  {line}" for line in score_lines(each))
    yield from map(agreement_text, summary.agreements)
    yield from map(consistency_text, summary.consistency)
    seconds = {"Seconds to reply": summary.reply_seconds, "Seconds to first token": summary.first_token_seconds}
    for name, spread in {"Turns": summary.turns, **seconds}.items():
        if spread.n:
            yield f"{name}: {_spread(spread)}"
    yield f"Models: {_consumed(summary)}"
    if summary.unkept.calls:
        yield f"Also used by interrupted, retried and rejudged conversations: {consumed(summary.unkept)}"
    for warning, count in summary.warnings.items():
        yield f"Warning, {count:,} x: {visible(warning)}"


def _weaknesses(summary: Summary) -> Iterator[str]:
    """Yield what a useless chatbot would pass."""
    if summary.guards:
        yield f"Guards: {summary.guards:,} of {summary.stored:,} only say what must not happen"
    if summary.weak:
        yield f"Weak: a chatbot that does nothing useful passes the cases of {summary.weak:,} of {summary.stored:,}"
    if summary.unanswered:
        yield "Say what is right in the scenario (or done: called('...') for an action), such as:"
        goals = (dumps(visible(goal), ensure_ascii=False) for goal in summary.unanswered)
        yield from (f"  - {{asks: {goal}, answer: ...}}" for goal in goals)
    if summary.refused:
        yield f"A bot that refuses everything passes {summary.refused:,} of {summary.stored:,}"
    if summary.untried:
        yield f"Null bots are off: weak cases are not found among {counted(summary.untried, 'conversation')}"


def _scores(scores: Scores) -> str:
    """Return the scores of one judge and rubric in a line; empty without scores and errors."""
    parts = []
    if scores.spread.n:
        found = ", ".join(f"{count:,} x {score}" for score, count in scores.distribution.items())
        std = "" if scores.spread.std is None else f", std {scores.spread.std:.3g}"
        parts = [f"mean {scores.spread.mean:.3g}, median {scores.spread.median:.3g}{std} ({found})"]
    if scores.errors:
        parts.append(f"{scores.errors:,} could not be decided, and {'has' if scores.errors == 1 else 'have'} no score")
    return f"{visible(scores.named)}: {'; '.join(parts)}" if parts else ""


def _held(finding: Finding) -> str:
    rate = f"; violated {rule_rate_text(finding.rate)}" if finding.rate else ""
    return f"{visible(finding.rule)} ({finding.satisfied:,} of {finding.applicable:,}{rate})"


def _spread(spread: Spread) -> str:
    return f"median {spread.median:.3g} ({spread.min:.3g} to {spread.max:.3g})"


def _consumed(summary: Summary) -> str:
    charged = " (attempts that may be charged are among the calls)"
    again = f"; {summary.retries:,} retries{charged}" if summary.retries else ""
    waited = f"; waited {summary.waited:,.1f} s for rate limits" if summary.waited >= _NOTICED else ""
    return f"{consumed(summary.consumed)}{again}{waited}"


SIGNS = {"PASSED": "✓", "FAILED": "✗", "UNDECIDED": "?", "STOPPED": "?", "TOO FEW TO TELL": "?", "RUNNING": "◌"}


def batch_text(summary: Summary, which: str, gated: "Gated | None" = None) -> Iterator[str]:
    """Yield the sentence of a batch, its causes, its worst scenarios, and commands to copy.

    `which` is how it was called.
    """
    headline = sentence(summary, gated)
    yield visible(f"{SIGNS[headline.word]} {headline}")
    if headline.notes:
        yield visible(f"  {' · '.join(headline.notes)}")
    short = shortest_prefixes(tuple(each.id for each in summary.causes))
    if summary.causes:
        yield ""
        yield from _cause_lines(summary.causes[:MOST_CAUSES], short)
    if smaller := summary.causes[MOST_CAUSES:]:
        yield f"  and {counted(len(smaller), 'smaller cause')} of {sum(each.count for each in smaller):,} conversations"
    yield from (f"  {line}" for line in gone_lines(summary.gone))
    yield ""
    rows = {"worst": " · ".join(_worst(summary)), "look at": " · ".join(_look_at(summary))}
    rows["next"] = "   ".join(_next_steps(summary, which, short))
    yield from (visible(f"  {name:<8}  {row}") for name, row in rows.items() if row)


def _cause_lines(causes: tuple[CauseSummary, ...], short: Mapping[str, str]) -> Iterator[str]:
    wide = max(len(f"{each.count:,}") for each in causes)
    status = max(len(status_text(each)) for each in causes)
    for each in causes:
        blame = "" if each.blame is Blame.CHATBOT else f" [{each.blame}]"
        share = f"{percent(each.share)} %" if each.outcome is Outcome.FAILED else "?"
        said = f"{status_text(each):<{status}}  " if status else ""
        yield visible(f"  {each.count:>{wide},}  {share:>5}  {said}{each.title}{blame}  {short[each.id]}")
        yield visible(f"  {'':{wide}}         {example_text(each)}")


def _worst(summary: Summary) -> Iterator[str]:
    for each in summary.worst:
        yield f"{each.scenario} {each.passed:,} of {each.conversations:,}"


def _look_at(summary: Summary) -> Iterator[str]:
    """Yield reasons not to trust the figures."""
    if summary.weak:
        yield f"{counted(summary.weak, 'conversation')} of weak cases"
    if summary.untried:
        yield "null bots are off"
    if summary.doubts:
        yield f"{summary.doubts:,} failed, which a fault of the user may explain"
    if summary.stored and not summary.agreements:
        yield "no human labels yet"


def _next_steps(summary: Summary, which: str, short: Mapping[str, str]) -> Iterator[str]:
    name = shlex.quote(which)
    yield f"sparring show {name} {short[summary.causes[0].id] if summary.causes else '--all'}"
    if summary.who.user == IMPORTED:
        yield from (shlex.join(("sparring", "promote", which, each.conversation)) for each in summary.examples[:1])
    elif summary.outcomes[Outcome.FAILED]:
        yield f"sparring rerun {name} --failed"

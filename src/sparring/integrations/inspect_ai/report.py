"""The report on experiments, as Markdown.

The logs of experiments in numbers: case by case, task by task.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import groupby
from typing import Literal

from sparring.core.value import Value
from sparring.core.verdict import CheckOutcome
from sparring.integrations.inspect_ai.read_logs import Found, Log, Result
from sparring.reports.markdown import safe
from sparring.statistics.intervals import interval

Passes = Literal["all", "majority"]
"""When a case passes that was played several times."""


class Tested(Value):
    """A case, how it came out, and every time it was played."""

    case: str
    outcome: CheckOutcome
    results: tuple[Result, ...]

    @property
    def why(self) -> str:
        """The first reason for not passing."""
        return next((each.why for each in self.results if each.outcome is self.outcome and each.why), "")


class Count(Value):
    """Cases by outcome; tokens, tools and patterns by conversation. An average over nothing known is None."""

    name: str
    tests: int = 0
    passed: int = 0
    failed: int = 0
    undecided: int = 0
    conversations: int = 0
    tokens: int = 0
    tokens_average: float | None = None
    tokens_unknown: int = 0
    tool_calls_average: float | None = None
    patterns: int = 0
    patterns_found: int = 0

    @property
    def rate(self) -> float | None:
        """The share of the decided tests that passed."""
        decided = self.passed + self.failed
        return self.passed / decided if decided else None


def by_case(log: Log, passes: Passes) -> list[Tested]:
    """The cases of a log."""
    groups = groupby(log.results, key=lambda each: each.case)
    return [_tested(case, tuple(results), passes) for case, results in groups]


def count(name: str, logs: Iterable[Log], passes: Passes) -> Count:
    """What logs come to together."""
    all_logs = list(logs)
    outcomes = [each.outcome for log in all_logs for each in by_case(log, passes)]
    results = [each for log in all_logs for each in log.results]
    tokens = [each.tokens for each in results if each.tokens is not None]
    tools = [each.tool_calls for each in results if each.tool_calls is not None]
    return Count(
        name=name,
        tests=len(outcomes),
        passed=outcomes.count(CheckOutcome.PASS),
        failed=outcomes.count(CheckOutcome.FAIL),
        undecided=outcomes.count(CheckOutcome.ERROR),
        conversations=len(results),
        tokens=sum(tokens),
        tokens_average=_average(tokens),
        tokens_unknown=len(results) - len(tokens),
        tool_calls_average=_average(tools),
        patterns=sum(each.patterns for each in results),
        patterns_found=sum(each.patterns_found for each in results),
    )


def _tested(case: str, results: tuple[Result, ...], passes: Passes) -> Tested:
    outcomes = [each.outcome for each in results]
    failed, passed, number = outcomes.count(CheckOutcome.FAIL), outcomes.count(CheckOutcome.PASS), len(outcomes)
    if passes == "all":
        outcome = CheckOutcome.FAIL if failed else CheckOutcome.PASS if passed == number else CheckOutcome.ERROR
    elif 2 * passed > number:
        outcome = CheckOutcome.PASS
    else:
        outcome = CheckOutcome.FAIL if 2 * failed >= number else CheckOutcome.ERROR
    return Tested(case=case, outcome=outcome, results=results)


def _average(values: Sequence[int]) -> float | None:
    return sum(values) / len(values) if values else None


_WORDS = {CheckOutcome.PASS: "PASS", CheckOutcome.FAIL: "**FAIL**", CheckOutcome.ERROR: "undecided"}


def report(found: Found, *, expected: Iterable[str] = (), passes: Passes = "all", now: datetime) -> str:
    """What the newest successful log of every task says; `expected` are the tasks that there should be a log of."""
    latest = found.latest
    counts = [count(task, [log], passes) for task, log in latest.items()]
    together = count("all", latest.values(), passes)
    lines = ["# Experiments", "", f"Written {now:%Y-%m-%d %H:%M} UTC.", ""]
    lines += [f"> **Warning:** {safe(warning)}\n" for warning in warnings(found, expected)]
    lines += ["## Summary", "", *_summary(counts, together), ""]
    for task, log in latest.items():
        lines += [f"## {safe(task)}", "", *_about(log), "", *_table(by_case(log, passes)), ""]
    lines += ["## Tokens", "", *_tokens(counts, together), ""]
    lines += ["## What this says", "", *_interpretation(latest, counts, together, passes)]
    return "\n".join(lines) + "\n"


def warnings(found: Found, expected: Iterable[str] = ()) -> Iterator[str]:
    """What keeps the numbers from meaning what they seem to mean."""
    latest = found.latest
    missing = [task for task in expected if task not in latest]
    if missing:
        yield f"there is no successful log of {', '.join(missing)}."
    logs = list(latest.values())
    if len({log.run for log in logs}) > 1:
        yield "the logs come from different runs; compare their times before you compare their numbers."
    if len({(log.model, log.chatbot) for log in logs}) > 1:
        yield "the logs are of different models or chatbots, and their sum says nothing about any of them."
    for log in found.unsuccessful:
        errors = [each.why for each in log.results if each.outcome is CheckOutcome.ERROR]
        reason = log.error or next((why for why in errors if why), "")
        why = f": {_short(reason)}" if reason else ""
        some = f", {len(errors)} of {len(log.results)} tests ended in errors" if log.results else ""
        yield f"{log.file} ({log.task}, {log.created:%Y-%m-%d %H:%M}) is {log.status}{some}{why}; not used."
    for each in found.passed_over:
        if each.file.endswith(".eval"):
            yield f"{each.file} was passed over: {each.why}."


def _summary(counts: Sequence[Count], together: Count) -> Iterator[str]:
    yield "| experiment | tests | passed | failed | undecided | pass rate | tokens per test | tool calls per test |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|"
    for each in [*counts, together] if len(counts) > 1 else counts:
        yield (
            f"| {safe(each.name)} | {each.tests} | {each.passed} | {each.failed} | {each.undecided} | {_rate(each)} "
            f"| {_number(each.tokens_average)} | {_number(each.tool_calls_average)} |"
        )


def _about(log: Log) -> Iterator[str]:
    yield f"- log: {safe(log.file)}"
    yield f"- model: {safe(log.model)}{_no_model(log)}"
    yield f"- chatbot: {safe(log.chatbot)}"
    yield f"- played: {log.created:%Y-%m-%d %H:%M:%S} {log.created:%Z}".rstrip()


def _table(cases: Sequence[Tested]) -> Iterator[str]:
    several = any(len(each.results) > 1 for each in cases)
    yield f"| test | result | {'passed | ' if several else ''}tokens | tool calls | patterns as expected | why |"
    yield f"|---|---|{'---|' if several else ''}---:|---:|---:|---|"
    for each in cases:
        passed = sum(result.outcome is CheckOutcome.PASS for result in each.results)
        times = f"{passed} of {len(each.results)} | " if several else ""
        found, wanted = sum(r.patterns_found for r in each.results), sum(r.patterns for r in each.results)
        yield (
            f"| {safe(each.case)} | {_WORDS[each.outcome]} | {times}{_sum([r.tokens for r in each.results])} "
            f"| {_sum([r.tool_calls for r in each.results])} | {f'{found} of {wanted}' if wanted else ''} "
            f"| {safe(_short(each.why))} |"
        )


def _tokens(counts: Sequence[Count], together: Count) -> Iterator[str]:
    yield "| experiment | tokens | average per test | tests whose tokens are unknown |"
    yield "|---|---:|---:|---:|"
    for each in [*counts, together] if len(counts) > 1 else counts:
        total = f"{each.tokens:,}" if each.tokens_average is not None else "unknown"
        yield f"| {safe(each.name)} | {total} | {_number(each.tokens_average)} | {each.tokens_unknown} |"
    if together.conversations > together.tests:
        yield ""
        yield "Tests were played several times; averages are per time they were played."


def _interpretation(latest: dict[str, Log], counts: Sequence[Count], together: Count, passes: Passes) -> Iterator[str]:
    yield f"- {_success(together)}"
    for task, log in latest.items():
        failed = [each for each in by_case(log, passes) if each.outcome is CheckOutcome.FAIL]
        if failed:
            yield f"- {safe(task)}: look first at {', '.join(safe(each.case) for each in failed[:5])}."
    if together.undecided:
        yield f"- {together.undecided} of {together.tests} could not be decided and are in no rate."
    yield f"- {_efficiency(list(latest.values()), counts, together)}"
    if together.tokens_unknown:
        yield f"- What {together.tokens_unknown} of the tests took nobody stated; they are in no average."


def _success(together: Count) -> str:
    decided = together.passed + together.failed
    if together.rate is None:
        return "Nothing was decided, so nothing can be said about success."
    low, high = interval(together.passed, decided)
    verdict = "Everything held that was expected" if not together.failed else f"{together.failed} of {decided} failed"
    return (
        f"{verdict}: {together.passed} of {decided} passed, {together.rate:.0%}. Of so few, the share among all such "
        f"cases may be anywhere from {low:.0%} to {high:.0%}."
    )


def _efficiency(logs: Sequence[Log], counts: Sequence[Count], together: Count) -> str:
    if logs and all(log.model_calls == 0 for log in logs):
        return "No language model was asked, so there were no tokens to pay, and they say nothing about efficiency."
    if together.tokens_average is None:
        return "Nobody stated what it took, so nothing can be said about efficiency."
    results = [each for log in logs for each in log.results if each.tokens is not None]
    most = max(results, key=lambda each: each.tokens or 0)
    average = _number(together.tokens_average)
    said = f"A test took {average} tokens on average, and {safe(most.case)} most: {most.tokens:,}."
    known = [(each.tokens_average, each.name) for each in counts if each.tokens_average]
    if len(known) < 2:
        return said
    (least, name), (largest, other) = min(known), max(known)
    return f"{said} Tests of {safe(other)} took {largest / least:.1f} times as many as those of {safe(name)}."


def _rate(each: Count) -> str:
    return "" if each.rate is None else f"{each.rate:.0%}"


def _number(value: float | None) -> str:
    return "unknown" if value is None else f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.1f}"


def _sum(values: Sequence[int | None]) -> str:
    known = [value for value in values if value is not None]
    return f"{sum(known):,}" if len(known) == len(values) else "unknown"


def _no_model(log: Log) -> str:
    return " (no language model was asked)" if log.model_calls == 0 else ""


def _short(text: str) -> str:
    first = "; ".join(line for line in text.splitlines() if line.strip())
    return first if len(first) <= 300 else f"{first[:300]}…"

"""The Markdown report on experiments: results by case and by task, tokens, and warnings."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import groupby
from typing import Literal

from jinja2 import Environment, PackageLoader, StrictUndefined

from sparring.core.outcome import Outcome
from sparring.core.value import Value
from sparring.integrations.inspect_ai.read_logs import ExperimentLog, LogFolder, SampleResult
from sparring.reports.batch_statistics import intervals
from sparring.reports.csv_report import row
from sparring.reports.markdown import safe
from sparring.reports.rate_text import both_claims, percent
from sparring.statistics.rates import rate

CSV_COLUMNS = (
    "experiment",
    "test",
    "epoch",
    "result",
    "tokens",
    "tool_calls",
    "patterns",
    "patterns_as_expected",
    "process_violations",
    "violations",
    "reason",
)

PassRule = Literal["all", "majority"]
"""Rule by which a case with several runs passes."""


class CaseResult(Value):
    """A case with its outcome and all its samples."""

    case: str
    outcome: Outcome
    results: tuple[SampleResult, ...]

    @property
    def why(self) -> str:
        """First reason for the outcome, or ""."""
        return next((each.why for each in self.results if each.outcome is self.outcome and each.why), "")

    @property
    def violations(self) -> int | None:
        """Number of violations of the process, or None if it is unknown."""
        return _violation_count(self.results)


class ResultCounts(Value):
    """Counts of cases by outcome, and figures by conversation. A figure without known values is None.

    `prescribed` is True if an experiment prescribes a process.
    """

    name: str
    tests: int = 0
    passed: int = 0
    failed: int = 0
    undecided: int = 0
    void: int = 0
    conversations: int = 0
    tokens: int | None = None
    tokens_average: float | None = None
    tokens_unknown: int = 0
    tool_calls_average: float | None = None
    patterns: int = 0
    patterns_found: int = 0
    process_violations: int | None = None
    prescribed: bool = False

    @property
    def rate(self) -> float | None:
        """Share of the decided cases that passed."""
        decided = self.passed + self.failed
        return self.passed / decided if decided else None


def by_case(log: ExperimentLog, passes: PassRule) -> list[CaseResult]:
    """Group the samples of a log by case."""
    groups = groupby(log.results, key=lambda each: each.case)
    return [_case_result(case, tuple(results), passes) for case, results in groups]


def count_results(name: str, logs: Iterable[ExperimentLog], passes: PassRule) -> ResultCounts:
    """Add up the results of several logs."""
    all_logs = list(logs)
    outcomes = [each.outcome for log in all_logs for each in by_case(log, passes)]
    results = [each for log in all_logs for each in log.results]
    tokens = [each.tokens for each in results if each.tokens is not None]
    tools = [each.tool_calls for each in results if each.tool_calls is not None]
    return ResultCounts(
        name=name,
        tests=len(outcomes),
        passed=outcomes.count(Outcome.PASSED),
        failed=outcomes.count(Outcome.FAILED),
        undecided=outcomes.count(Outcome.UNDECIDED),
        void=outcomes.count(Outcome.VOID),
        conversations=len(results),
        tokens=sum(tokens) if tokens else None,
        tokens_average=_average(tokens),
        tokens_unknown=len(results) - len(tokens),
        tool_calls_average=_average(tools),
        patterns=sum(each.patterns for each in results),
        patterns_found=sum(each.patterns_found for each in results),
        process_violations=_violation_count(results),
        prescribed=any(log.process for log in all_logs),
    )


def _case_result(case: str, results: tuple[SampleResult, ...], passes: PassRule) -> CaseResult:
    outcomes = [each.outcome for each in results]
    open_ = Outcome.VOID if set(outcomes) == {Outcome.VOID} else Outcome.UNDECIDED
    failed, passed, number = outcomes.count(Outcome.FAILED), outcomes.count(Outcome.PASSED), len(outcomes)
    if passes == "all":
        outcome = Outcome.FAILED if failed else Outcome.PASSED if passed == number else open_
    elif 2 * passed > number:
        outcome = Outcome.PASSED
    else:
        outcome = Outcome.FAILED if 2 * failed >= number else open_
    return CaseResult(case=case, outcome=outcome, results=results)


def _violation_count(results: Sequence[SampleResult]) -> int | None:
    counts = [len(each.process_violations) for each in results if each.process_violations is not None]
    return sum(counts) if counts else None


def _average(values: Sequence[int]) -> float | None:
    return sum(values) / len(values) if values else None


def report(found: LogFolder, *, expected: Iterable[str] = (), passes: PassRule = "all", now: datetime) -> str:
    """Return the report on the newest successful log of every task. `expected` are tasks that need a log."""
    latest = found.latest
    counts = [count_results(task, [log], passes) for task, log in latest.items()]
    together = count_results("all", latest.values(), passes)
    made = Environment(
        loader=PackageLoader("sparring.integrations.inspect_ai"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # Markdown; texts pass through `md`
    )
    made.filters |= {"md": safe, "share": _share, "number": _number, "total": _sum, "short": _short}
    made.filters |= {"cases": lambda log: by_case(log, passes), "violations": named_violations}
    return made.get_template("report.md").render(
        now=f"{now:%Y-%m-%d %H:%M}",
        warnings=list(warnings(found, expected)),
        counts=counts,
        together=together,
        logs=list(latest.values()),
        success=_success_text(together),
        efficiency=_efficiency_text(list(latest.values()), counts, together),
    )


def warnings(found: LogFolder, expected: Iterable[str] = ()) -> Iterator[str]:
    """Yield warnings about missing, mixed, failed or skipped logs."""
    latest = found.latest
    missing = [task for task in expected if task not in latest]
    if missing:
        yield f"no successful log of {', '.join(missing)}."
    logs = list(latest.values())
    if len({log.run for log in logs}) > 1:
        yield "the logs come from different runs; check their times before comparing figures."
    if len({(log.model, log.chatbot) for log in logs}) > 1:
        yield "the logs use different models or chatbots, so their sum describes none of them."
    for log in found.unsuccessful:
        errors = [each.why for each in log.results if each.outcome in (Outcome.UNDECIDED, Outcome.VOID)]
        reason = log.error or next((why for why in errors if why), "")
        why = f": {_short(reason)}" if reason else ""
        some = f", {len(errors)} of {len(log.results)} tests with errors" if log.results else ""
        yield f"{log.file} ({log.task}, {log.created:%Y-%m-%d %H:%M}) is {log.status}{some}{why}; not used."
    for each in found.passed_over:
        if each.file.endswith(".eval"):
            yield f"{each.file} was skipped: {each.why}."


def csv_rows(logs: Iterable[ExperimentLog]) -> Iterator[bytes]:
    """Yield the results as CSV, one line for each conversation. Unknown figures are empty."""
    yield row([*CSV_COLUMNS])
    for log in logs:
        for each in log.results:
            violations = each.process_violations
            yield row(
                [
                    *(log.task, each.case, each.epoch, each.outcome),
                    *(each.tokens, each.tool_calls, each.patterns, each.patterns_found),
                    *((None, None) if violations is None else (len(violations), "; ".join(violations))),
                    each.why,
                ]
            )


def named_violations(log: ExperimentLog) -> Iterator[tuple[str, str]]:
    """Yield each violation of the process with its test, and the epoch if there are several."""
    several = any(each.epoch > 1 for each in log.results)
    for each in log.results:
        name = f"{each.case} (epoch {each.epoch})" if several else each.case
        yield from ((name, said) for said in each.process_violations or ())


def _success_text(together: ResultCounts) -> str:
    decided = together.passed + together.failed
    if together.rate is None:
        return "No test was decided, so there is no pass rate."
    outcomes = {str(number): [float(number < together.passed)] for number in range(decided)}
    verdict = "All expectations were met" if not together.failed else f"{together.failed} of {decided} failed"
    share = f"{percent(together.rate)} %; {both_claims(intervals(rate, outcomes))}"
    return f"{verdict}: {together.passed} of {decided} passed ({share})."


def _efficiency_text(logs: Sequence[ExperimentLog], counts: Sequence[ResultCounts], together: ResultCounts) -> str:
    if logs and all(log.model_calls == 0 for log in logs):
        return "No language model was called, so there is no token usage to compare."
    if together.tokens_average is None:
        return "Token usage is unknown."
    results = [each for log in logs for each in log.results if each.tokens is not None]
    most = max(results, key=lambda each: each.tokens or 0)
    average = _number(together.tokens_average)
    said = f"Tests used {average} tokens on average; {safe(most.case)} used the most, {most.tokens:,}."
    known = [(each.tokens_average, each.name) for each in counts if each.tokens_average]
    if len(known) < 2:
        return said
    (least, name), (largest, other) = min(known), max(known)
    return f"{said} Tests of {safe(other)} used {largest / least:.1f} times as many as those of {safe(name)}."


def _share(rate: float | None) -> str:
    return "" if rate is None else f"{rate:.0%}"


def _number(value: float | None) -> str:
    return "unknown" if value is None else f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.1f}"


def _sum(values: Iterable[int | None]) -> str:
    listed = list(values)
    known = [value for value in listed if value is not None]
    return f"{sum(known):,}" if len(known) == len(listed) else "unknown"


def _short(text: str) -> str:
    first = "; ".join(line for line in text.splitlines() if line.strip())
    return first if len(first) <= 300 else f"{first[:300]}…"

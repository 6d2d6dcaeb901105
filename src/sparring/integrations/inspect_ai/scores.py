"""Verdicts as Inspect scores, usage as Inspect usage, and the metrics of experiments.

Averages exclude undecided samples and unknown figures.
"""

import ast
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import chain, count
from math import isnan, sqrt

from inspect_ai.log import EvalMetric, EvalScore
from inspect_ai.model import ModelUsage
from inspect_ai.scorer import Metric, SampleScore, Score, Value, metric

from sparring.core.batch import Players
from sparring.core.checks import Expectation
from sparring.core.conversation import Conversation
from sparring.core.outcome import Outcome
from sparring.core.usage import Usage
from sparring.core.value import Json
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.integrations.inspect_ai.messages import model_name
from sparring.integrations.inspect_ai.process import ProcessRule, find_violations
from sparring.reports.batch_statistics import intervals
from sparring.reports.reported import ReportedConversation
from sparring.rules.check import expectation_verdicts
from sparring.rules.functions.registry import lookup
from sparring.statistics.rates import rate

PASSED = "passed"
"""Name of the first score: the outcome of the conversation, as in every summary."""


def to_scores(reported: ReportedConversation) -> dict[str, Score]:
    """Return the score of the outcome, and one for each verdict by the name of its check.

    Verdicts that are not applicable are left out.
    """
    decision = reported.counted()
    reasons = "\n".join(map(str, decision.reasons)) or None
    metadata = {"outcome": decision.outcome.value, **({"blame": decision.blame.value} if decision.blame else {})}
    if decision.outcome in (Outcome.UNDECIDED, Outcome.VOID):
        found = {PASSED: Score.unscored(reason="scoring_failed", explanation=reasons, metadata=metadata)}
    else:
        value = 1.0 if decision.outcome is Outcome.PASSED else 0.0
        found = {PASSED: Score(value=value, explanation=reasons, metadata=metadata)}
    for verdict in reported.verdicts:
        if verdict.outcome is CheckOutcome.NOT_APPLICABLE:
            continue
        found[_unique_name(verdict, found)] = to_score(verdict)
    return found


def to_score(verdict: Verdict) -> Score:
    """Return the judge's score, else 1.0 for pass and 0.0 for fail. An undecided verdict is unscored."""
    said = verdict.model_dump(mode="json", include={"outcome", "by", "judge", "rubric", "evidence"})
    metadata = {name: value for name, value in said.items() if value}
    if verdict.outcome is CheckOutcome.ERROR:
        reason = "grader_failed" if verdict.by == "model" else "scoring_failed"
        return Score.unscored(reason=reason, explanation=verdict.reason or None, metadata=metadata)
    passed = 1.0 if verdict.outcome is CheckOutcome.PASS else 0.0
    value = passed if verdict.score is None else verdict.score
    return Score(value=value, explanation=verdict.reason or None, metadata=metadata)


def to_results(scored: Sequence[tuple[str, Mapping[str, Score]]]) -> list[EvalScore]:
    """Return the figures of every score over all samples, each of which has the id of its case."""
    names = dict.fromkeys(name for _, scores in scored for name in scores)
    return [_result(name, [(case, scores[name]) for case, scores in scored if name in scores]) for name in names]


def _result(name: str, scores: Sequence[tuple[str, Score]]) -> EvalScore:
    """Return pass rate and mean, with a standard error clustered by case, and the bounds of the pass rate."""
    known = [(case, score) for case, score in scores if not isnan(score.as_float())]
    figures: dict[str, float] = {}
    if known:
        passed: defaultdict[str, list[float]] = defaultdict(list)
        values: defaultdict[str, list[float]] = defaultdict(list)
        for case, score in known:
            passed[case].append((score.metadata or {}).get("outcome") in (CheckOutcome.PASS, Outcome.PASSED))
            values[case].append(score.as_float())
        mean = sum(score.as_float() for _, score in known) / len(known)
        rates = intervals(rate, passed)
        figures = {"pass_rate": rates.value or 0.0, "mean": mean, "stderr": _stderr(values)}
        for claim in (rates.these, rates.like_these):
            about = claim.claim.replace(" ", "_")
            figures |= {f"pass_rate_low_{about}": claim.low, f"pass_rate_high_{about}": claim.high}
    return EvalScore(
        name=name,
        scorer=name,
        scored_samples=len(known),
        unscored_samples=len(scores) - len(known),
        metrics={name: EvalMetric(name=name, value=value) for name, value in figures.items()},
    )


def _stderr(values: Mapping[str, Sequence[float]]) -> float:
    """Return the standard error of the mean, clustered by case, as Inspect's `stderr(cluster=...)` does."""
    cases, number = len(values), sum(map(len, values.values()))
    mean = sum(map(sum, values.values())) / number
    squares = sum((sum(row) - mean * len(row)) ** 2 for row in values.values())
    return sqrt(squares * cases / (cases - 1)) / number if cases > 1 else 0.0


def _unique_name(verdict: Verdict, taken: Mapping[str, Score]) -> str:
    """Return the name of the check, with its judge or a number appended if the name is taken."""
    names = [verdict.check, f"{verdict.check} ({verdict.by})"]
    numbered = (f"{verdict.check}~{number}" for number in count(2))
    return next(name for name in chain(names, numbered) if name not in taken)


def model_usage(usage: Usage) -> ModelUsage | None:
    """Return the usage, or None if any call has unknown tokens: Inspect would show the rest as the whole."""
    if usage.unknown_tokens:
        return None
    return ModelUsage(
        input_tokens=usage.input_tokens - usage.cached_tokens,
        output_tokens=usage.output_tokens,
        total_tokens=usage.tokens,
        input_tokens_cache_read=usage.cached_tokens or None,
        total_cost=usage.known_cost,
    )


def usage_by_role(usage: Mapping[str, Usage]) -> dict[str, ModelUsage]:
    """Return the usage by role, without roles with any unknown tokens."""
    found = {role: model_usage(each) for role, each in usage.items()}
    return {role: each for role, each in found.items() if each is not None}


def usage_by_model(usage: Mapping[str, Usage], who: Players) -> dict[str, ModelUsage]:
    """Return the usage by model, without models with any unknown tokens."""
    by_model: dict[str, Usage] = {}
    for role, each in usage.items():
        model = model_name(role, who)
        by_model[model] = by_model.get(model, Usage()) + each
    return usage_by_role(by_model)


Figure = Callable[[list[SampleScore]], Value]


def _metric(name: str, calculate: Figure) -> Callable[[], Metric]:
    @metric(name=name)
    def registered() -> Metric:
        def figure(scores: list[SampleScore]) -> Value:
            return calculate(scores)

        return figure

    return registered


def _when_known(name: str, figure: str, calculate: Callable[[list[float]], float]) -> Callable[[], Metric]:
    """Return a metric of known figures; None without any, since Inspect would show an unknown figure as 0."""

    def calculated(scores: list[SampleScore]) -> Value:
        values = _known(scores, figure)
        return {name: calculate(values)} if values else {}

    return _metric(name, calculated)


def _success_rate(scores: list[SampleScore]) -> Value:
    return _average([value for each in scores if not isnan(value := each.score.as_float())])


METRICS = (
    _metric("success_rate", _success_rate),  # share of cases that met all expectations
    _when_known("tokens_total", "tokens", sum),
    _when_known("tokens_average", "tokens", lambda values: _average(values)),
    _metric("tokens_unknown", lambda scores: len(scores) - len(_known(scores, "tokens"))),
    _when_known("tool_calls_average", "tool_calls", lambda values: _average(values)),
    _metric("regex_matches", lambda scores: sum(_known(scores, "regex_matches"))),  # patterns as expected
    _when_known("process_violations", "process_violations", sum),
)
"""Metrics of experiments. Averages are per test, over tests whose figure is known."""


def _known(scores: list[SampleScore], name: str) -> list[float]:
    """Return the known figures of this name; the length of a list is its figure."""
    values = [(each.score.metadata or {}).get(name) for each in scores]
    figures = [len(value) if isinstance(value, list) else value for value in values]
    return [figure for figure in figures if isinstance(figure, int | float)]


def _average(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0


async def measure(conversation: Conversation, process: Sequence[ProcessRule] = ()) -> dict[str, Json]:
    """Return tokens (null unless all are known), tool calls (null if not reported), and pattern counts.

    Violations of the process are null without tool reports, and missing without a process.
    """
    usage = conversation.consumed
    patterns = [each for each in conversation.case.expectations if uses_pattern(each)]
    found = [verdict.outcome for each in patterns for verdict in await expectation_verdicts(each, conversation)]
    new = conversation.messages[len(conversation.case.history) :]
    calls = sum(len(message.tool_calls) for message in new if not message.injected)
    violations = find_violations(conversation, process)
    return {
        **({"process_violations": [*violations] if violations is not None else None} if process else {}),
        "ending": conversation.ending,
        "turns": conversation.turns,
        "tokens": None if usage.unknown_tokens else usage.tokens,
        "unknown_tokens": usage.unknown_tokens,
        "model_calls": usage.calls,
        "tool_calls": calls if conversation.reports_tools else None,
        "regexes": len(found),
        "regex_matches": found.count(CheckOutcome.PASS),
    }


def uses_pattern(expectation: Expectation) -> bool:
    """Return True if an expectation uses a function that matches regular expressions."""
    try:
        tree = ast.parse(expectation.rule.then.strip(), mode="eval")
    except SyntaxError:
        return False
    called = [node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
    return any(function is not None and function.patterns for function in map(lookup, called))

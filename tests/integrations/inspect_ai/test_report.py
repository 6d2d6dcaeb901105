from datetime import UTC, datetime
from pathlib import Path

import pytest

from integrations.inspect_ai.logs import a_sample, write_log
from sparring.core.outcome import Outcome
from sparring.integrations.inspect_ai.read_logs import find_logs
from sparring.integrations.inspect_ai.report import (
    CSV_COLUMNS,
    PassRule,
    by_case,
    count_results,
    csv_rows,
    report,
    warnings,
)

NOW = datetime(2026, 1, 2, 12, 30, tzinfo=UTC)


def test_a_report_on_both_says_everything(tmp_path: Path):
    write_log(tmp_path, "tracking", *(a_sample(f"tracking/{n}", tokens=100 * n) for n in (1, 2, 3)))
    write_log(
        tmp_path,
        "cancellation",
        a_sample("cancellation/eligible", tokens=900, tool_calls=3, violations=["called cancel_order before check"]),
        a_sample(
            "cancellation/too-old",
            0.0,
            tokens=700,
            regex_matches=0,
            why="called('cancel_order')\nwas | called",
            violations=[],
        ),
        a_sample("cancellation/unknown", tokens=None, tool_calls=None, regexes=0, regex_matches=0, violations=None),
        process=("cancel_order after check",),
    )

    text = report(find_logs(tmp_path), expected=["tracking", "cancellation"], now=NOW)

    assert text.replace(str(tmp_path).replace("_", "\\_"), "LOGS") == EXPECTED.replace("RATIO", RATIO).replace(
        "VIOLATIONS", VIOLATIONS
    )


VIOLATIONS = "tool calls per test | process violations"
RATIO = "Tests of cancellation used 4.0 times as many as those of tracking."
EXPECTED = """\
# Experiments

Written 2026-01-02 12:30 UTC.

## Summary

| experiment | tests | passed | failed | undecided | void | pass rate | tokens per test | VIOLATIONS |
|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|
| cancellation | 3 | 2 | 1 | 0 | 0 | 67% | 800 | 2 | 1 |
| tracking | 3 | 3 | 0 | 0 | 0 | 100% | 200 | 1 |  |
| all | 6 | 5 | 1 | 0 | 0 | 83% | 440 | 1.4 | 1 |

## cancellation

- log: LOGS/2026-01-02T10-00-00-00-00\\_cancellation\\_R1.json
- model: openai/gpt-4o-mini
- chatbot: service
- run: 2026-01-02 10:00:00 UTC
- process: cancel\\_order after check

| test | result | tokens | tool calls | patterns as expected | process violations | reason |
|---|---|---:|---:|---:|---:|---|
| cancellation/eligible | passed | 900 | 3 | 1 of 1 | 1 |  |
| cancellation/too-old | **failed** | 700 | 1 | 0 of 1 | 0 | called('cancel\\_order'); was \\| called |
| cancellation/unknown | passed | unknown | unknown |  | unknown |  |

Process violations:

- cancellation/eligible: called cancel\\_order before check

## tracking

- log: LOGS/2026-01-02T10-00-00-00-00\\_tracking\\_R1.json
- model: openai/gpt-4o-mini
- chatbot: service
- run: 2026-01-02 10:00:00 UTC
- process: none prescribed

| test | result | tokens | tool calls | patterns as expected | process violations | reason |
|---|---|---:|---:|---:|---:|---|
| tracking/1 | passed | 100 | 1 | 1 of 1 |  |  |
| tracking/2 | passed | 200 | 1 | 1 of 1 |  |  |
| tracking/3 | passed | 300 | 1 | 1 of 1 |  |  |

## Tokens

| experiment | tokens | average per test | tests whose tokens are unknown |
|---|---:|---:|---:|
| cancellation | 1,600 | 800 | 1 |
| tracking | 600 | 200 | 0 |
| all | 2,200 | 440 | 1 |

## Interpretation

- 1 of 6 failed: 5 of 6 passed (83 %; 35–100 % for these cases and cases like these).
- cancellation: look first at cancellation/too-old.
- The process was violated 1 times; see the lists above.
- Tests used 440 tokens on average; cancellation/eligible used the most, 900. RATIO
- Tests with unknown token usage, excluded from averages: 1.
"""


def test_what_keeps_the_numbers_from_meaning_what_they_seem_to_is_said(tmp_path: Path):
    write_log(tmp_path, "tracking", a_sample("a"), run="R1")
    write_log(tmp_path, "cancellation", a_sample("b"), run="R2", model="mockllm/model")
    broken = write_log(
        tmp_path,
        "tracking",
        a_sample("a", error="down"),
        at="2026-02-02T10:00:00+00:00",
        status="error",
    )

    assert list(warnings(find_logs(tmp_path), ["tracking", "cancellation", "refunds"])) == [
        "no successful log of refunds.",
        "the logs come from different runs; check their times before comparing figures.",
        "the logs use different models or chatbots, so their sum describes none of them.",
        f"{broken} (tracking, 2026-02-02 10:00) is error, 1 of 1 tests with errors: down; not used.",
    ]


def test_logs_of_one_run_need_no_warning(tmp_path: Path):
    for task in ("tracking", "cancellation"):
        write_log(tmp_path, task, a_sample("a"))

    assert list(warnings(find_logs(tmp_path), ["tracking", "cancellation"])) == []


@pytest.mark.parametrize(
    ("values", "passes", "outcome"),
    [
        ((1.0, 1.0, 1.0), "all", Outcome.PASSED),
        ((1.0, 1.0, 0.0), "all", Outcome.FAILED),
        ((1.0, 1.0, None), "all", Outcome.UNDECIDED),
        ((1.0, 1.0, 0.0), "majority", Outcome.PASSED),
        ((1.0, 0.0, 0.0), "majority", Outcome.FAILED),
        ((1.0, 1.0, None), "majority", Outcome.PASSED),
        ((1.0, 0.0), "majority", Outcome.FAILED),
        ((1.0, 0.0, None), "majority", Outcome.UNDECIDED),
    ],
)
def test_a_case_that_was_played_several_times(
    tmp_path: Path, values: tuple[float | None, ...], passes: PassRule, outcome: Outcome
):
    played = [a_sample("a", float("nan") if v is None else v, epoch=n) for n, v in enumerate(values, 1)]
    write_log(tmp_path, "tracking", *played)

    (case,) = by_case(find_logs(tmp_path).latest["tracking"], passes)

    assert (case.outcome, len(case.results)) == (outcome, len(values))


def test_csv_has_a_line_for_each_conversation_with_its_violations(tmp_path: Path):
    said = ["called cancel_order before check", "called cancel_order without look_up"]
    write_log(tmp_path, "refunds", a_sample("a", violations=said), a_sample("b", 0.0, tokens=None, why="=1+1"))

    lines = b"".join(csv_rows(find_logs(tmp_path).latest.values())).decode().splitlines()

    assert lines == [
        ",".join(f'"{column}"' for column in CSV_COLUMNS),
        f'"refunds","a",1,"passed",100,1,1,1,2,"{"; ".join(said)}",""',
        '"refunds","b",1,"failed","",1,1,1,"","","\'=1+1"',
    ]


def test_tokens_that_are_all_unknown_are_no_number(tmp_path: Path):
    write_log(tmp_path, "tracking", a_sample("a", tokens=None))

    (counted,) = (count_results(task, [log], "all") for task, log in find_logs(tmp_path).latest.items())

    assert (counted.tokens, counted.tokens_average, counted.tokens_unknown) == (None, None, 1)


def test_without_a_model_tokens_say_nothing(tmp_path: Path):
    write_log(tmp_path, "tracking", a_sample("a", tokens=0, model_calls=0), model="sparring/offline")

    text = report(find_logs(tmp_path), now=NOW)

    assert "- model: sparring/offline (no language model was called)" in text
    assert "there is no token usage to compare" in text


def test_what_a_log_says_is_no_markdown_of_ours(tmp_path: Path):
    write_log(tmp_path, "tracking", a_sample("<img src=x>", 0.0, why="a | b\n\n# Everything passed `x` [a](http://b)"))

    text = report(find_logs(tmp_path), now=NOW)

    assert "| \\<img src=x\\> | **failed** |" in text
    assert "a \\| b; \\#\u2060 Everything passed \\`x\\` \\[a\\](http:\u2060//b)" in text

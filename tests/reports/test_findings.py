"""What rules found, in every form a report has."""

from xml.etree import ElementTree

import orjson

from sparring.core.errors import Problem
from sparring.core.verdict import Cause, Example, Finding, Findings, Offender, QuotedEvidence, ViolationEstimate
from sparring.reports.csv_report import findings_csv
from sparring.reports.findings import findings_text
from sparring.reports.json_report import findings_json
from sparring.reports.junit import findings_junit
from sparring.reports.markdown import findings_markdown
from sparring.statistics import Tuples, tuple_rate

QUOTE = QuotedEvidence(conversation="a", at=1, start=0, end=2, text="$9")
FOUND = Findings(
    conversations=4,
    skipped=1,
    findings=(
        Finding(rule="holds", total=4, applicable=3, satisfied=3, not_applicable=1, filtered=1),
        Finding(
            rule="=pairs",
            file="r.yaml",
            conversations=2,
            total=12,
            applicable=12,
            satisfied=10,
            violated=1,
            errors={"when": 0, "if": 0, "then": 1},
            examples=(Example(conversations=("a", "b"), reason="<b>\x1b[31m ``` $9", evidence=(QUOTE,)),),
            culprits=(Offender(conversation="a", violated=1, applicable=6),),
            causes=(Cause(clause="then", reason="no price", conversations=1, first="c"),),
        ),
        Finding(rule="asks", total=4, applicable=4, needs_model=4),
        Finding(rule="never", total=4, not_applicable=4, filtered=4, removed_by="when: size == 'huge'"),
        Finding(
            rule="typo", invalid=(Problem(file="t.yaml", line=2, column=7, path="then", message="what?", hint="so"),)
        ),
        Finding(rule="all", conversations="all", total=1, applicable=1, satisfied=1, filtered=2),
    ),
)


def test_as_text_the_worst_stays_on_the_screen():
    assert list(findings_text(FOUND, excerpt=lambda problem, rule: [rule, "^"])) == [
        "holds          holds: 3 satisfied, 0 violated of 3 conversations",
        "holds          all: 1 satisfied, 0 violated of 1 set",
        "NOT EXERCISED  never: it applied to nothing; nothing got past when: size == 'huge'",
        "UNDECIDED      asks: 0 satisfied, 0 violated of 4 conversations, 4 need a model",
        "INVALID        typo: the rule cannot be checked",
        "                 t.yaml:2:7: then: what? (so)",
        "                   typo",
        "                   ^",
        "VIOLATED       =pairs: 10 satisfied, 1 violated of 12 pairs, 1 error in then",
        "                 a, b: <b>\\x1b[31m ``` $9",
        "                     a, message 2: '$9'",
        "                 undecided in then: no price (1 conversation, first c)",
        "                 most often involved: a (1 of 6)",
        "",
        "2 hold, 1 not exercised, 2 undecided or invalid, 1 violated, over 4 conversations (1 file skipped)",
    ]


def test_a_rule_over_pairs_has_a_rate_with_its_claim():
    rate = tuple_rate(Tuples(38, 380, [(38, 38)] + [(2, 38)] * 19))
    found = Finding(rule="r", conversations=2, applicable=380, satisfied=342, violated=38, rate=rate)

    assert next(findings_text(Findings(findings=(found,)))) == (
        "VIOLATED  r: 342 satisfied, 38 violated of 380 pairs (10 %; cases like these 0–45 %)"
    )


def test_an_estimate_says_that_it_is_one():
    estimate = ViolationEstimate(sampled=200, candidates=5_000, violated=0.031, low=0.03, high=0.032)
    found = Finding(rule="r", conversations=3, applicable=5_000, satisfied=4_845, violated=155, estimate=estimate)

    assert next(findings_text(Findings(findings=(found,)))) == (
        "VIOLATED  r: 4,845 satisfied, 155 violated of 5,000 tuples"
        " (estimated: 200 sampled of 5,000 candidates, 3 % violated, 3–4 % of all candidates)"
    )


def test_as_json_every_rule_has_the_documented_keys():
    told = orjson.loads(orjson.dumps(findings_json(FOUND)))

    assert (told["conversations"], told["skipped"], len(told["rules"])) == (4, 1, 6)
    assert list(told["rules"][0])[:14] == [
        *("name", "outcome", "file", "description", "conversations", "total", "filtered", "applicable", "satisfied"),
        *("violated", "not_applicable", "errors", "needs_model", "invalid"),
    ]
    assert told["rules"][4]["invalid"] == [{"line": 2, "column": 7, "message": "then: what?", "hint": "so"}]
    assert told["rules"][5]["conversations"] == "all"


def test_as_csv_the_first_columns_are_those_of_the_original_and_undecided_has_its_own():
    assert findings_csv(FOUND).splitlines() == [
        "rule,checks,pass,fail,not_applicable,fail_rate,undecided,outcome",
        "holds,4,3,0,1,0.00%,0,pass",
        "'=pairs,12,10,1,0,9.09%,1,fail",
        "asks,4,0,0,0,0.00%,4,undecided",
        "never,4,0,0,4,0.00%,0,not_applicable",
        "typo,0,0,0,0,0.00%,0,invalid",
        "all,3,1,0,2,0.00%,0,pass",
    ]


def test_conversations_that_lack_a_name_are_counted_with_the_name():
    missing = (Cause(clause="then", reason="no 'cost' here", conversations=2, first="b"),)
    found = Finding(rule="r", total=3, applicable=1, satisfied=1, not_applicable=2, missing=missing)

    assert next(findings_text(Findings(findings=(found,)))) == (
        "holds  r: 1 satisfied, 0 violated of 1 conversation, not applicable to 2 conversations: no 'cost' here"
    )


def test_as_junit_every_rule_is_a_case():
    suites = ElementTree.fromstring(findings_junit(FOUND))

    assert suites.attrib == {"tests": "6", "failures": "1", "errors": "2", "skipped": "1"}
    assert [(case.get("name"), *(child.tag for child in case)) for case in suites.iter("testcase")] == [
        ("holds",),
        ("=pairs", "failure"),
        ("asks", "error"),
        ("never", "skipped"),
        ("typo", "error"),
        ("all",),
    ]


def test_as_markdown_nothing_that_was_said_is_taken_for_markdown():
    text = findings_markdown(FOUND)

    assert "| =pairs | VIOLATED | 10 satisfied, 1 violated of 12 pairs, 1 error in then |" in text
    assert "### =pairs\n\n````\na, b: <b>\\x1b[31m ``` $9\n" in text

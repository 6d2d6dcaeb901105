import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as xml

import pytest

from reports.summing import decided, summarise
from reports.whole import Whole, batch_junit
from sparring.core.batch import Batch, BatchInputs, PlayerNames
from sparring.core.checks import Rule
from sparring.core.conversation import Ending
from sparring.core.message import message
from sparring.core.verdict import HUMAN, CheckOutcome, Finding, Verdict
from sparring.reports.gitlab import code_quality
from sparring.reports.markdown import LARGEST_SUMMARY, annotations, batch_markdown, cut
from sparring.testing.factories import a_batch, a_conversation
from tables import table

HOSTILE = [
    "::add-mask::secret",
    "ok\n::error::forged",
    "##[error]forged ##vso[task.setvariable]x",
    "%0A::set-output name=x::y",
    "]]><failure/>",
    "\x00\x1b[31m\x07\ud800 <script>alert(1)</script>",
    "| x | y |\n# title\n[link](http://example.com) @everyone <img src=x onerror=alert(1)>",
]


def reported(batch: Batch, said: str = "rude", *, ids: tuple[str, ...] = ("bad",)) -> Whole:
    """A batch in which `ids` failed because of what was `said`, and what ended in a timeout did so."""
    told = []
    for case in batch.cases:
        conversation = a_conversation(case)
        if case.id == "late":
            conversation = conversation.model_copy(update={"ending": Ending.TIMEOUT, "error": said})
        if case.id == "missing":
            continue
        conversation = conversation.with_message(message("chatbot", said))
        outcome = CheckOutcome.FAIL if case.id in ids else CheckOutcome.PASS
        verdict = Verdict(check=f"polite {said}", outcome=outcome, conversation=case.id, reason=said)
        told.append(decided(conversation, () if case.id == "unjudged" else (verdict,)))
    findings = (Finding(rule=f"same price {said}", conversations=2, violated=1, applicable=1),)
    verdicts = [verdict for each in told for verdict in each.verdicts]
    summary = summarise(batch, [each.conversation for each in told], verdicts, findings)
    return Whole(batch, summary, told=tuple(told))


def test_junit_has_a_case_for_each_conversation():
    report = reported(a_batch("good", "bad", "late", "unjudged", "missing"))

    suites = {suite.get("name"): suite for suite in xml.fromstring(batch_junit(report))}

    assert {
        name: [(case.get("name"), [child.tag for child in case]) for case in suite.findall("testcase")]
        for name, suite in suites.items()
    } == {
        "conversations": [
            ("good", []),
            ("bad", ["failure"]),
            ("late", ["failure"]),
            ("unjudged", ["error"]),
            ("missing", ["skipped"]),
        ],
        "rules over several conversations": [("same price rude", ["failure"])],
    }
    failure = suites["conversations"].findall("testcase")[1][0]
    cause = next(each for each in report.summary.causes if each.checks)
    assert (failure.get("message"), failure.get("type")) == (
        "polite rude: rude",
        f"polite rude is violated ({cause.id})",
    )
    assert "  | rude" in (failure.text or "")
    assert len({each.get("type") for each in suites["conversations"].iter("failure")}) == 2
    properties = {each.get("name"): each.get("value") for each in suites["conversations"].iter("property")}
    assert properties[f"cause.{cause.id}"] == "1 failed: polite rude is violated"
    assert properties["decided.like_these.low"] == "0.00840376"
    assert properties["sentence.1"] == (
        "passed 33 % (1 of 3 decided; 5 cases): 0–91 % for these cases and cases like these"
    )


def test_a_human_verdict_decides():
    batch = a_batch("a")
    human = Verdict(
        check=HUMAN, outcome=CheckOutcome.FAIL, conversation="a", reason="it is rude", by=HUMAN, judge=HUMAN
    )
    judge = Verdict(check="polite", outcome=CheckOutcome.PASS, conversation="a")
    told = decided(a_conversation(batch.cases[0]), (judge, human))

    root = xml.fromstring(
        batch_junit(Whole(batch, summarise(batch, [told.conversation], [judge, human]), told=(told,)))
    )

    assert (root.get("failures"), root[0].findall("testcase")[0][0].get("message")) == ("1", "human: it is rude")


@table("said", HOSTILE)
def test_junit_is_well_formed_with_any_message(said: str):
    root = xml.fromstring(batch_junit(reported(a_batch("good", "bad"), said)))

    assert {element.tag for element in root.iter()} <= {
        *("testsuites", "testsuite", "testcase", "failure", "properties", "property")
    }
    assert root.get("failures") == "2"


@table("said", HOSTILE)
def test_nothing_that_was_said_gives_orders_to_a_build(said: str):
    lines = list(annotations(reported(a_batch("good", "bad", "late"), said)))

    assert len(lines) == 4
    assert all(line.startswith(("::notice ", "::error ", "::warning ")) for line in lines)
    assert not any("\n" in line or "\r" in line or "##[" in line or "##vso[" in line for line in lines)
    assert all(len(line.split("::", 2)[1].split(",")) <= 2 for line in lines), "nothing adds a property"


@table("said", HOSTILE)
def test_markdown_means_nothing_but_what_was_said(said: str):
    written = batch_markdown(reported(a_batch("good", "bad"), said))

    assert sum(line.startswith("#") for line in written.splitlines()) == 3
    assert "<img" not in written.replace("\\<", "")
    assert "<script" not in written.replace("\\<", "")
    assert all(line.count("|") - line.count("\\|") in (0, 3, 4, 5) for line in written.splitlines())


def test_a_cause_is_one_annotation_and_one_row_however_many_conversations_have_it():
    ids = tuple(f"case {n}" for n in range(30))
    report = reported(a_batch(*ids), ids=ids)

    rate, _, cause = annotations(report)

    assert (
        rate == "::notice title=pass rate::passed 0 %25 (0 of 30 cases): 0–12 %25 for these cases and cases like these"
    )
    assert cause == "::error title=polite rude is violated::30 failed: case 0: polite rude: rude"
    short = report.summary.causes[0].id[:8]
    assert f"| 30 failed, 100 % |  | polite rude is violated ({short}) | case 0: polite rude: rude |" in batch_markdown(
        report
    )


def test_at_most_ten_annotations_of_a_level_are_made():
    report = reported(a_batch("good"))
    findings = tuple(report.summary.findings[0].model_copy(update={"rule": f"rule {n}"}) for n in range(30))
    report = replace(report, summary=report.summary.model_copy(update={"findings": findings}))

    assert len(list(annotations(report))) == 1 + 10


def test_causes_are_marked_as_new_or_fixed():
    report = reported(a_batch("good", "bad"))
    (cause,) = report.summary.causes
    new = cause.model_copy(update={"status": "new", "before": 0})
    gone = cause.model_copy(update={"status": "fixed", "before": 3, "count": 0, "title": "size is missing"})
    summary = report.summary.model_copy(update={"causes": (new,), "gone": (gone,)})
    report = replace(report, summary=summary)

    assert "::error title=polite rude is violated::1 failed, new: bad: polite rude: rude" in annotations(report)
    assert f"| 1 failed, 100 % | new | polite rude is violated ({cause.id[:8]}) |" in batch_markdown(report)
    assert "| 0 of 3 | fixed | size is missing | |" in batch_markdown(report)


def test_a_summary_larger_than_github_takes_is_cut_and_says_so():
    kept = cut("я" * 100 + "\n" + "я\n" * LARGEST_SUMMARY)

    assert len(kept.encode()) <= LARGEST_SUMMARY
    assert kept.endswith("left out: more than GitHub takes.\n")


def test_conversations_that_were_not_run_are_a_warning():
    assert "::warning title=not run::1 of 2 were not run" in annotations(reported(a_batch("good", "missing")))


def test_gitlab_has_an_entry_for_each_cause_with_its_id_as_fingerprint():
    rule = Rule(name="polite rude", then="True", file="rules/polite.yml", line=7)
    report = reported(a_batch("good", "bad", "worse").model_copy(update={"rules": (rule,)}), ids=("bad", "worse"))
    (cause,) = report.summary.causes

    (entry,) = json.loads(code_quality(report))

    assert entry == {
        "description": "polite rude is violated: 2 failed; bad: polite rude: rude",
        "check_name": "polite rude",
        "fingerprint": cause.id,
        "severity": "major",
        "location": {"path": "rules/polite.yml", "lines": {"begin": 7}},
    }


@pytest.mark.parametrize(("status", "severity"), [("new", "major"), ("known", "minor"), ("grew", "major")])
def test_gitlab_reports_known_causes_as_minor(status: str, severity: str):
    report = reported(a_batch("bad"))
    causes = tuple(each.model_copy(update={"status": status}) for each in report.summary.causes)

    (entry,) = json.loads(code_quality(replace(report, summary=report.summary.model_copy(update={"causes": causes}))))

    assert entry["severity"] == severity


@pytest.mark.parametrize("file", ["/home/ann/project/rules/polite.yml", "../other/polite.yml"])
def test_no_folder_of_the_machine_is_in_a_report_for_gitlab(file: str):
    rule = Rule(name="polite rude", then="True", file=file)
    report = reported(a_batch("bad").model_copy(update={"rules": (rule,)}))

    assert json.loads(code_quality(report))[0]["location"]["path"] == "polite.yml"


def test_gitlab_gets_the_file_of_a_case_and_not_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scenarios").mkdir()
    (tmp_path / "scenarios" / "bad.yml").write_text("script: [Hi]\n")
    choice = PlayerNames(chatbot="pizzeria", chatbot_model="", user="agenda")
    paths = []
    for sources in (("scenarios",), ("elsewhere",), ("scenarios/orders.yml",)):
        batch = a_batch("bad").model_copy(update={"origin": BatchInputs(choice=choice, sources=sources)})
        paths.append(json.loads(code_quality(reported(batch)))[0]["location"]["path"])

    assert paths == ["scenarios/bad.yml", "sparring.yaml", "scenarios/orders.yml"]


def test_gitlab_gets_an_empty_list_where_nothing_failed():
    assert code_quality(reported(a_batch("good"))) == "[]\n"

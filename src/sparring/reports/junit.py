"""JUnit XML: a batch with a test case for each conversation, and findings with one for each rule."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from xml.etree import ElementTree as xml

from sparring.core.outcome import Outcome
from sparring.core.text import visible
from sparring.core.verdict import CheckOutcome, Finding, Findings
from sparring.reports.batch_statistics import BatchStatistics
from sparring.reports.causes import CauseSummary, cause_of, count_text
from sparring.reports.findings import details, status, what
from sparring.reports.formats import BatchWriter, Report, ReportFormat
from sparring.reports.rate_text import statistics_lines
from sparring.reports.reported import ReportedConversation
from sparring.reports.transcript import transcript

_TAGS = {CheckOutcome.FAIL: "failure", CheckOutcome.ERROR: "error", CheckOutcome.NOT_APPLICABLE: "skipped"}
_OUTCOMES = {Outcome.FAILED: "failure", Outcome.UNDECIDED: "error", Outcome.VOID: "skipped"}
_CONVERSATIONS = "conversations"
_SEVERAL = "rules over several conversations"


class Junit:
    """The batch for a build server, in the making: one test case for each conversation, with its outcome.

    A failed conversation is a failure, an undecided one an error, with all reasons and the transcript; void ones and
    those that were not run are skipped. The type of a failure and of an error is the title and the id of its cause, so
    that build servers group them.
    """

    def __init__(self) -> None:
        self._cases: list[xml.Element] = []
        self._held: set[str] = set()
        self._troubles: list[tuple[str, xml.Element]] = []

    def found(self, findings: Sequence[Finding]) -> None:
        """Receive findings, which are read from the summary."""

    def add(self, reported: ReportedConversation) -> None:
        """Receive a conversation."""
        self._held.add(reported.conversation.id)
        case = _conversation(reported)
        self._cases.append(case)
        if (trouble := next((each for each in case if each.tag in ("failure", "error")), None)) is not None:
            self._troubles.append((cause_of(reported.counted(), reported.decision).id, trouble))

    def text(self, report: Report) -> str:
        """The whole file."""
        causes = {each.id: each for each in report.summary.causes}
        for id, trouble in self._troubles:
            trouble.set("type", f"{visible(causes[id].title)} ({id})")
        suites = defaultdict(list, {_CONVERSATIONS: list(self._cases)} if self._cases else {})
        for id in report.batch.ids():
            if id not in self._held:
                lacking = xml.Element("testcase", {"classname": _CONVERSATIONS, "name": visible(id)})
                xml.SubElement(lacking, "skipped", {"message": "not run"})
                suites[_CONVERSATIONS].append(lacking)
        for finding in report.summary.findings:
            if finding.conversations != 1 or finding.outcome is CheckOutcome.NOT_APPLICABLE:
                suites[_SEVERAL].append(_finding(finding))
        return _document(report, suites)


def _document(report: Report, suites: dict[str, list[xml.Element]]) -> str:
    root = xml.Element("testsuites", {"name": visible(report.batch.name or report.batch.id)})
    for name, cases in suites.items():
        suite = xml.SubElement(root, "testsuite", {"name": visible(name), **_counts(cases)})
        if name == _CONVERSATIONS and report.summary.statistics is not None:
            suite.append(_properties(report.summary.statistics, report.summary.causes))
        suite.extend(cases)
    root.attrib.update(_counts([case for cases in suites.values() for case in cases]))
    return _text(root)


def suites_text(name: str, suites: Mapping[str, Sequence[xml.Element]]) -> str:
    """Return a file of test suites, each with its test cases."""
    root = xml.Element("testsuites", {"name": name, **_counts([case for cases in suites.values() for case in cases])})
    for suite, cases in suites.items():
        xml.SubElement(root, "testsuite", {"name": visible(suite), **_counts(cases)}).extend(cases)
    return _text(root)


def _text(root: xml.Element) -> str:
    xml.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{xml.tostring(root, encoding="unicode")}\n'


def _properties(found: BatchStatistics, causes: Sequence[CauseSummary]) -> xml.Element:
    """Return the rates with the bounds of both claims, the sentences about them, and the causes."""
    rates = {"pass_rate": found.pass_rate, "decided": found.decided, "crashes": found.crashes}
    rates |= {f"pass_hat_{k}": each for k, each in found.pass_hat.items()}
    properties = xml.Element("properties")
    for name, each in rates.items():
        for claim in (each.these, each.like_these):
            for field in ("value", "low", "high", "effective"):
                value = getattr(claim, field)
                if value is not None:
                    named = f"{name}.{claim.claim.replace(' ', '_')}.{field}"
                    xml.SubElement(properties, "property", {"name": named, "value": f"{value:.6g}"})
    for number, line in enumerate(statistics_lines(found), 1):
        xml.SubElement(properties, "property", {"name": f"sentence.{number}", "value": line})
    for cause in causes:
        value = visible(f"{count_text(cause)}: {cause.title}")
        xml.SubElement(properties, "property", {"name": f"cause.{cause.id}", "value": value})
    return properties


def _counts(cases: Sequence[xml.Element]) -> dict[str, str]:
    tags = [child.tag for case in cases for child in case]
    plurals = {"failure": "failures", "error": "errors", "skipped": "skipped"}
    return {"tests": str(len(cases)), **{name: str(tags.count(tag)) for tag, name in plurals.items()}}


def _conversation(reported: ReportedConversation) -> xml.Element:
    conversation, decision = reported.conversation, reported.counted()
    facts = {"classname": _CONVERSATIONS, "name": visible(conversation.id)}
    if conversation.timing is not None:
        facts["time"] = f"{conversation.timing.seconds:.3f}"
    case = xml.Element("testcase", facts)
    if decision.outcome is not Outcome.PASSED:
        trouble = xml.SubElement(case, _OUTCOMES[decision.outcome], {"message": visible(decision.reason)})
        if decision.outcome is not Outcome.VOID:
            others = [visible(str(each)) for each in decision.reasons[1:]]
            trouble.text = "\n".join([*others, *([""] if others else []), *transcript(conversation)])
    return case


def _finding(finding: Finding) -> xml.Element:
    case = xml.Element("testcase", {"classname": visible(finding.file) or "rules", "name": visible(finding.rule)})
    if finding.outcome in _TAGS:
        element = xml.SubElement(case, _TAGS[finding.outcome], {"message": f"{status(finding)}: {what(finding)}"})
        element.text = "\n".join(details(finding)) or None
    return case


def findings_junit(findings: Findings) -> str:
    """Return the findings for a build server. A rule that was not exercised is skipped, with the reason."""
    counts = dict.fromkeys(_TAGS.values(), 0)
    cases = []
    for finding in findings.findings:
        cases.append(_finding(finding))
        if finding.outcome in _TAGS:
            counts[_TAGS[finding.outcome]] += 1
    totals = {"failures": counts["failure"], "errors": counts["error"], "skipped": counts["skipped"]}
    numbers = {"tests": str(len(cases)), **{name: str(count) for name, count in totals.items()}}
    suite = xml.Element("testsuite", {"name": "sparring check", **numbers})
    suite.extend(cases)
    suites = xml.Element("testsuites", numbers)
    suites.append(suite)
    return _text(suites)


def _batch() -> BatchWriter:
    suites = Junit()
    return BatchWriter(suites.text, suites)


FORMAT = ReportFormat(
    name="junit",
    label="JUnit XML",
    suffixes=(".xml",),
    media_type="application/xml",
    batch=_batch,
    findings=findings_junit,
    transcripts=True,
    openings=(
        rb'<\?xml version="1\.0" encoding="UTF-8"\?>\n'
        rb'<testsuites (name="[^"]*" )?tests="\d+" failures="\d+" errors="\d+" skipped="\d+"[ />]',
    ),
)

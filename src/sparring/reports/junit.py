"""JUnit XML: a batch with a test suite for each check and a test case for each conversation; findings by rule."""

from collections import defaultdict
from collections.abc import Sequence
from xml.etree import ElementTree as xml

from sparring.core.conversation import Conversation
from sparring.core.text import visible
from sparring.core.verdict import HUMAN, CheckOutcome, Finding, Findings, Verdict
from sparring.reports.findings import details, status, what
from sparring.reports.formats import BatchWriter, Report, ReportedConversation, ReportFormat
from sparring.reports.transcript import transcript

_TAGS = {CheckOutcome.FAIL: "failure", CheckOutcome.ERROR: "error", CheckOutcome.NOT_APPLICABLE: "skipped"}
_ENDED = "conversations"
_SEVERAL = "rules over several conversations"


class Junit:
    """The batch for a build server, in the making: cases of what passed, and transcripts only of what did not.

    Every conversation is a case of the suite `conversations`: an error where its ending does not count, skipped where
    nothing was found out about it. What a check found about it is a case of the suite of that check. What fails carries
    the transcript. What was not run is skipped, so that it is seen.
    """

    def __init__(self) -> None:
        self._suites: defaultdict[str, list[xml.Element]] = defaultdict(list)
        self._held: set[str] = set()

    def found(self, findings: Sequence[Finding]) -> None:
        """What rules found stands in the summary."""

    def add(self, conversation: Conversation, verdicts: Sequence[Verdict]) -> None:
        """Take a conversation."""
        told = ReportedConversation(conversation, tuple(verdicts))
        self._held.add(conversation.id)
        self._suites[_ENDED].append(_ended(told))
        for verdict in _deciding(told):
            self._suites[verdict.check].append(_conversation_case(verdict, conversation))

    def text(self, report: Report) -> str:
        """The whole file."""
        suites = defaultdict(list, {name: list(cases) for name, cases in self._suites.items()})
        for id in report.batch.ids():
            if id not in self._held:
                lacking = xml.Element("testcase", {"classname": _ENDED, "name": visible(id)})
                xml.SubElement(lacking, "skipped", {"message": "not run"})
                suites[_ENDED].append(lacking)
        for finding in report.summary.findings:
            if finding.conversations != 1 or finding.outcome is CheckOutcome.NOT_APPLICABLE:
                suites[_SEVERAL].append(_finding(finding))
        return _document(report, suites)


def _document(report: Report, suites: dict[str, list[xml.Element]]) -> str:
    root = xml.Element("testsuites", {"name": visible(report.batch.name or report.batch.id)})
    for name, cases in suites.items():
        suite = xml.SubElement(root, "testsuite", {"name": visible(name), **_counts(cases)})
        suite.extend(cases)
    root.attrib.update(_counts([case for cases in suites.values() for case in cases]))
    xml.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{xml.tostring(root, encoding="unicode")}\n'


def _counts(cases: list[xml.Element]) -> dict[str, str]:
    tags = [child.tag for case in cases for child in case]
    plurals = {"failure": "failures", "error": "errors", "skipped": "skipped"}
    return {"tests": str(len(cases)), **{name: str(tags.count(tag)) for tag, name in plurals.items()}}


def _ended(told: ReportedConversation) -> xml.Element:
    """The conversation itself: whether it says anything about the chatbot."""
    outcome, reason = told.came
    case = _element(_ENDED, told.conversation)
    if outcome in (CheckOutcome.ERROR, CheckOutcome.NOT_APPLICABLE):
        _trouble(case, CheckOutcome.ERROR, reason, told.conversation)
    elif outcome is CheckOutcome.PASS and not any(verdict.outcome is CheckOutcome.PASS for verdict in _deciding(told)):
        xml.SubElement(case, "skipped", {"message": "passed unjudged: no check was about it alone"})
    return case


def _deciding(told: ReportedConversation) -> list[Verdict]:
    """What was found by those who decide; what a human says is no reason to stop a build."""
    return [verdict for verdict in told.verdicts if verdict.judge != HUMAN]


def _conversation_case(verdict: Verdict, conversation: Conversation) -> xml.Element:
    case = _element(verdict.check, conversation)
    if verdict.outcome in _TAGS:
        _trouble(case, verdict.outcome, verdict.reason or "did not apply", conversation)
    return case


def _element(suite: str, conversation: Conversation) -> xml.Element:
    facts = {"classname": visible(suite), "name": visible(conversation.id)}
    if conversation.timing is not None:
        facts["time"] = f"{conversation.timing.seconds:.3f}"
    return xml.Element("testcase", facts)


def _trouble(case: xml.Element, outcome: CheckOutcome, reason: str, conversation: Conversation) -> None:
    told = xml.SubElement(case, _TAGS[outcome], {"message": visible(reason)})
    if outcome is not CheckOutcome.NOT_APPLICABLE:
        told.text = "\n".join(transcript(conversation))


def _finding(finding: Finding) -> xml.Element:
    case = xml.Element("testcase", {"classname": visible(finding.file) or "rules", "name": visible(finding.rule)})
    if finding.outcome in _TAGS:
        told = xml.SubElement(case, _TAGS[finding.outcome], {"message": f"{status(finding)}: {what(finding)}"})
        told.text = "\n".join(details(finding)) or None
    return case


def findings_junit(findings: Findings) -> str:
    """The findings for a build server. A rule that nothing exercised is skipped, and says so."""
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
    xml.indent(suites)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{xml.tostring(suites, encoding="unicode")}\n'


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

"""What rules found, as JUnit XML: one test case a rule."""

from xml.etree import ElementTree as xml

from sparring.core.text import visible
from sparring.core.verdict import Finding, Findings, Outcome
from sparring.reporting.finding_words import details, status, what

_TAGS = {Outcome.FAIL: "failure", Outcome.ERROR: "error", Outcome.NOT_APPLICABLE: "skipped"}


def findings_junit(findings: Findings) -> str:
    """The findings for a build server. A rule that nothing exercised is skipped, and says so."""
    counts = dict.fromkeys(_TAGS.values(), 0)
    cases = []
    for finding in findings.findings:
        cases.append(_rule_case(finding))
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


def _rule_case(finding: Finding) -> xml.Element:
    case = xml.Element("testcase", {"classname": visible(finding.file) or "rules", "name": visible(finding.rule)})
    if finding.outcome in _TAGS:
        message = f"{status(finding)}: {what(finding)}"
        told = xml.SubElement(case, _TAGS[finding.outcome], {"message": message})
        told.text = "\n".join(details(finding)) or None
    return case

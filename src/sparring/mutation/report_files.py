"""A run over mutants as files: JUnit XML, HTML, and annotations and a summary for GitHub Actions."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sparring.core.text import visible
from sparring.mutation.play import State
from sparring.mutation.result_text import kills_of, rule_fields, score_lines
from sparring.mutation.run import MutantResult
from sparring.mutation.score import MutationScore
from sparring.mutation.suggestions import Suggestion


@dataclass(frozen=True, slots=True)
class MutationReport:
    """The contents of a report: the batch, the score, each mutant, and suggested rules."""

    batch: str
    score: MutationScore
    results: Sequence[MutantResult]
    suggestions: Sequence[Suggestion]

    @property
    def survivors(self) -> list[MutantResult]:
        """Mutants that count, and that nothing noticed."""
        return [each for each in self.results if each.alive]

    def rule_for(self, result: MutantResult) -> Suggestion | None:
        """Return the first suggested rule that notices a mutant."""
        return next((each for each in self.suggestions if result.mutant.id in each.kills), None)


def junit(report: MutationReport) -> str:
    """Return JUnit XML: a suite for each operator, in which a survivor is a failure."""
    from xml.etree import ElementTree as xml  # only for a build server

    from sparring.reports.junit import suites_text

    suites = defaultdict(list)
    for each in report.results:
        case = xml.Element("testcase", {"classname": each.mutant.operator.name, "name": visible(each.mutant.id)})
        if each.alive:
            failed = xml.SubElement(
                case, "failure", {"message": f"nothing noticed: {each.mutant.operator.description}"}
            )
            failed.text = "\n".join(_words(each))
        elif not each.scored:
            why = each.accepted or each.reason or ("cosmetic" if each.cosmetic else str(each.state))
            xml.SubElement(case, "skipped", {"message": visible(why)})
        suites[each.mutant.operator.name].append(case)
    return suites_text(f"mutants of {visible(report.batch)}", suites)


def annotations(report: MutationReport, most: int = 10) -> Iterator[str]:
    """Yield workflow commands of GitHub: a warning for survivors, one of each operator first."""
    from sparring.reports.markdown import workflow_command  # only for GitHub

    first: dict[str, MutantResult] = {}
    for each in report.survivors:
        first.setdefault(each.mutant.operator.name, each)
    for each in list(first.values())[:most]:
        title = f"nothing noticed: {each.mutant.operator.description}"
        yield workflow_command("warning", title, "; ".join([each.mutant.id, *_words(each)]))


def markdown(report: MutationReport) -> str:
    """Return the summary of a job of GitHub."""
    from sparring.reports.markdown import safe

    lines = [
        f"## Sparring: mutants of {safe(report.batch)}",
        "",
        *(safe(each) for each in score_lines(report.score)),
        "",
    ]
    lines += ["| operator | noticed | of |", "|---|---:|---:|"]
    lines += [f"| {safe(each.name)} | {each.killed:,} | {each.of:,} |" for each in report.score.operators]
    return "\n".join(lines) + "\n"


def html(report: MutationReport) -> str:
    """Return a page: operators by checks, checks that noticed nothing, and survivors with words and rule."""
    import yaml

    from sparring.reports.html.templates import environment  # only for pages

    kills = kills_of(report.results)
    table: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for each in report.results:
        if each.state is State.KILLED and each.shown is not None:
            for check in {broken.check for broken in each.shown.broken} or {each.killer.check if each.killer else ""}:
                table[each.mutant.operator.name][check] += 1
    rules = {
        each.mutant.id: yaml.safe_dump(rule_fields(found), sort_keys=False, allow_unicode=True)
        for each in report.survivors
        if (found := report.rule_for(each)) is not None
    }
    template = environment("sparring.mutation").get_template("mutation.html")
    return template.render(
        report=report,
        lines=list(score_lines(report.score)),
        table=table,
        checks=[name for name, each in kills.items() if each.kills],
        idle=[name for name, each in kills.items() if not each.kills],
        rules=rules,
    )


def _words(result: MutantResult) -> Iterator[str]:
    if result.change is not None:
        yield f"was: {visible(result.change.before.text)}"
        yield f"now: {visible(result.change.after.text)}"

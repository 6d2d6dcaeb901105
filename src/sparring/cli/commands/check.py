"""`sparring check`: check rules over recorded conversations."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from sparring.app.check import check_rules, check_stored, explain_rules
from sparring.app.config import AppConfig
from sparring.cli import options, outputs
from sparring.cli.console import answer, notify, say_all, warn_given_up, warn_skipped
from sparring.cli.process import BAD_INPUT, FAILED, PASSED, UNDECIDED
from sparring.cli.renamed import command_with, old_output
from sparring.core.checks import InvalidRule, Rule
from sparring.core.errors import InputError
from sparring.core.text import visible
from sparring.core.value import Json
from sparring.core.verdict import CheckOutcome, Findings
from sparring.reports.findings import findings_text
from sparring.reports.json_report import findings_json
from sparring.reports.lines import consumed, counted
from sparring.rules.inputs.recordings import Recordings
from sparring.rules.inputs.rows import columns_of
from sparring.rules.language.parser import excerpt
from sparring.rules.limits import EvaluationLimits
from sparring.rules.recording import Recording
from sparring.rules.rule_file import read_rules, require_active_rule, rule_of

app = options.application()
_LAST = "latest"


_OLD = (
    old_output("--junit", "junit"),
    old_output("--csv", "csv"),
    old_output("--dump", "csv"),
    old_output("--markdown", "markdown"),
    old_output("--md", "markdown"),
)


@dataclass(frozen=True, kw_only=True)
class CheckChoices:
    """What to check, and how."""

    rules: options.Rules = None
    rule: Annotated[list[str] | None, typer.Option("--rule")] = None
    conversations: Annotated[str, typer.Option("--conversations")] = _LAST
    log_format: Annotated[str, typer.Option("--log-format", metavar="NAME")] = "auto"
    columns: options.RowColumns = "id=id,role=role,text=text"
    complete_tools: options.CompleteTools = False
    examples: Annotated[int, typer.Option("--examples", min=0, metavar="N")] = 10
    inactive: Annotated[bool, typer.Option("--inactive")] = False
    explain: Annotated[bool, typer.Option("--explain")] = False

    def chosen(self) -> list[Rule | InvalidRule]:
        """Return the rules of the files and expressions. Raise InputError if none is active."""
        chosen = [*read_rules(self.rules or ()), *map(rule_of, self.rule or ())]
        if not chosen:
            raise InputError("there are no rules to check", hint="--rules FOLDER, or --rule 'turns() < 12'")
        if self.inactive:
            chosen = [each.model_copy(update={"active": True}) if isinstance(each, Rule) else each for each in chosen]
        require_active_rule(chosen)
        return chosen

    def recordings(self, config: AppConfig) -> Recordings | None:
        """Return the conversations of a log, or None if a batch is to be checked."""
        if self.conversations != "-" and not Path(self.conversations).exists():
            return None
        return Recordings(
            self.conversations,
            format=self.log_format,
            columns=columns_of(self.columns),
            complete_tools=self.complete_tools,
            tool_errors=config.tool_errors,
        )


@dataclass(frozen=True, kw_only=True)
class FindingFiles:
    """Where to write the findings."""

    output: outputs.Outputs = None
    format: outputs.Formats = None
    force: options.Force = False
    old: outputs.OldOutputs = None

    def wanted(self) -> list[outputs.OutputFile]:
        """Return the files in the order of their options. Raise InputError for one that must not be replaced."""
        return outputs.wanted_outputs(
            self.output, self.format, self.old, lambda each: each.of_findings, force=self.force
        )


@app.command(cls=command_with(*_OLD))
@options.configured("model", "cache", "store")
async def check(
    *, checking: CheckChoices, files: FindingFiles, config: AppConfig, as_json: options.Json = False
) -> int:
    """Check rules over recorded conversations: one, several or all of them together.

    Exit codes: 0 all hold, 1 one is violated, 2 bad input, 3 one is undecided or was not exercised.
    """
    chosen, wanted = checking.chosen(), files.wanted()
    recordings = checking.recordings(config)
    if checking.explain:
        seen = recordings or _batch(config, checking.conversations)
        say_all(map(visible, await explain_rules(chosen, seen)))
        return PASSED
    limits = EvaluationLimits(examples=checking.examples)
    if recordings is None:
        from sparring.cli.arguments import opened  # imported only for batches

        async with opened(config, checking.conversations, head=True) as place:
            findings, took = await check_stored(chosen, *place, config, limits=limits, given_up=warn_given_up)
    else:
        findings, took = await check_rules(chosen, recordings, config, limits=limits, given_up=warn_given_up)
        warn_skipped(recordings.skipped)
        findings = findings.model_copy(update={"skipped": len(recordings.skipped)})
    if not findings.conversations:
        raise InputError(f"{checking.conversations} holds no conversations")
    if findings.broken_off:
        checked = counted(findings.conversations, "conversation")
        notify(
            f"warning: {findings.broken_off:,} of {checked} broke off (timeout, chatbot_failed, ...): a rule may hold "
            "of them because nothing was said; `ending` in its `when` leaves them out"
        )
    for each in wanted:
        outputs.write_text(each.text(findings), each.path)
    usage: dict[str, Json] = {"usage": took.model_dump(mode="json")} if took else {}
    lines = [*findings_text(findings, excerpt=excerpt), *([f"Models: {consumed(took)}"] if took else [])]
    if as_json or all(each.path for each in wanted):
        answer("findings", {**findings_json(findings), **usage}, lines, as_json=as_json)
    return exit_code(findings)


def exit_code(findings: Findings) -> int:
    """Return 2 if a rule is invalid, 1 if one is violated, 3 if one is undecided or was not exercised."""
    if any(finding.invalid for finding in findings.findings):
        return BAD_INPUT
    outcomes = {finding.outcome for finding in findings.findings}
    if CheckOutcome.FAIL in outcomes:
        return FAILED
    return UNDECIDED if outcomes & {CheckOutcome.ERROR, CheckOutcome.NOT_APPLICABLE} else PASSED


async def _batch(config: AppConfig, which: str) -> AsyncIterator[Recording]:
    from sparring.cli.arguments import opened  # as above
    from sparring.rules.stored import stored_recordings

    async with opened(config, which, head=True) as (batch, store):
        async for recording in stored_recordings(batch.id, store):
            yield recording

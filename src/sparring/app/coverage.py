"""Coverage of batches: cases, rules and tools that no conversation has tested."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from sparring.app.config import AppConfig
from sparring.app.results import recorded_findings, results
from sparring.app.sources import load_sources
from sparring.app.wiring import players
from sparring.core.batch import Batch
from sparring.core.case import Case
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError
from sparring.core.outcome import Outcome
from sparring.core.prompts import ToolSchema
from sparring.core.value import Json
from sparring.core.verdict import CheckOutcome
from sparring.coverage.elements import CountedConversation
from sparring.coverage.suggestions import SuggestedScenario, suggestions
from sparring.coverage.tables import CoverageTable, Suite, coverage
from sparring.runner.players import pinned_prompts
from sparring.scenarios.written_case import text_of
from sparring.store.store import Store


async def coverage_of(
    batches: Iterable[Batch],
    store: Store,
    config: AppConfig,
    *,
    sources: Sequence[Path] = (),
    tools: Path | None = None,
    ways: int = 2,
) -> list[CoverageTable]:
    """Return how much of the cases of batches and of `sources` their conversations cover.

    `tools` is a file of tools with JSON Schemas. Raise InputError if a file cannot be read.
    """
    suite, played = await suite_of(batches, store, config, sources=sources, tools=tools)
    return coverage(suite, played, ways=ways)


async def suggested(batch: Batch, store: Store, config: AppConfig, *, most: int) -> list[SuggestedScenario]:
    """Return at most this many scenarios that test what the conversations of a batch do not."""
    suite, played = await suite_of([batch], store, config)
    breaks = False
    if batch.origin is not None and any(said.tool_calls for each in played for said in each.conversation.messages):
        prompts = await pinned_prompts(batch.origin.choice, store)
        async with players(batch.origin.choice, config, prompts=prompts) as (resolved, _):
            breaks = "fault" in resolved.chatbot.capabilities.injects
    return suggestions(suite, played, most=most, breaks_tools=breaks)


def coverage_json(batches: Iterable[Batch], tables: Iterable[CoverageTable]) -> dict[str, Json]:
    """Return the document of the coverage of batches."""
    return {
        "batches": [each.id for each in batches],
        "tables": [
            {
                "name": table.name,
                "covered": table.covered,
                "of": table.of,
                "gaps": [{"what": gap.what, "close": gap.close} for gap in table.gaps],
                "unmeasured": list(table.unmeasured),
            }
            for table in tables
        ],
    }


def suggestions_json(batch: Batch, found: Iterable[SuggestedScenario]) -> dict[str, Json]:
    """Return the document of suggested scenarios."""
    return {
        "batch": batch.id,
        "suggestions": [{"scenario": text_of(each.scenario), "closes": list(each.closes)} for each in found],
        "written": "",
    }


async def suite_of(
    batches: Iterable[Batch],
    store: Store,
    config: AppConfig,
    *,
    sources: Sequence[Path] = (),
    tools: Path | None = None,
) -> tuple[Suite, list[CountedConversation]]:
    """Return the plan of batches and files, and the conversations that count."""
    schemas = read_tools(tools) if tools else ()
    planned = (await load_sources(sources, config)).cases if sources else ()
    cases: dict[str, Case] = {each.id: each for each in planned}
    rules: dict[str, None] = {}
    weak: dict[str, str] = {}
    played: list[CountedConversation] = []
    for batch in batches:
        cases |= {each.id: each for each in batch.cases}
        rules |= {each.name: None for each in batch.rules}
        found = await recorded_findings(batch, store) or ()
        several = {each.rule for each in found if each.outcome is not CheckOutcome.NOT_APPLICABLE}
        async for conversation, verdicts in results(batch, store):
            if verdicts.decision.weak:
                bots = dict.fromkeys(name for each in verdicts.built_in for name in each.passed_by)
                weak[conversation.case.id] = ", ".join(bots)
            ended = conversation.ending is not None and conversation.ending.completed
            if ended and verdicts.decision.outcome is not Outcome.VOID:
                applied = {each.check for each in verdicts.all if each.outcome is not CheckOutcome.NOT_APPLICABLE}
                applied |= set(_parts(conversation, applied))
                played.append(CountedConversation(conversation, frozenset(applied | several)))
    return Suite(tuple(cases.values()), tuple(rules), schemas, weak), played


def _parts(conversation: Conversation, applied: Collection[str]) -> Iterator[str]:
    """Yield the reached expectations of checks that several form, such as steps of a playbook."""
    for each in conversation.case.expectations:
        reached = each.after is None or conversation.after_step(each.after) is not None
        if each.check in applied and reached:
            yield each.rule.name


def read_tools(file: Path) -> tuple[ToolSchema, ...]:
    """Return the tools of a JSON file: a list, in the form of Sparring or of chat completions."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        listed = [each.get("function", each) for each in found]
        return tuple(
            ToolSchema(name=each["name"], parameters=_parameters(each), description=each.get("description") or "")
            for each in listed
        )
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        hint = """a list of {"name": ..., "parameters": {"type": "object", "properties": {...}}}"""
        raise InputError(f"{file}: expected tools: {type(error).__name__}: {error}", hint=hint) from None


def _parameters(tool: Mapping[str, object]) -> object:
    return tool.get("parameters") or tool.get("inputSchema") or tool.get("input_schema") or {}

"""Tools for coding agents: validate, run within a budget, show, explain, and check a rule.

Files are those of the current folder. Words of chatbots, users and files are data, marked as untrusted.
"""

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

import orjson

import sparring
from sparring.api.arguments import StorePlace, config_of, store_of
from sparring.api.recorded import batch_in
from sparring.app.file_kinds import schemas
from sparring.app.plan_document import plan_json
from sparring.app.promote import PromoteOptions, promote_stored
from sparring.core.text import suggest, visible
from sparring.reports.causes import example_text, status_text
from sparring.rules.functions import registry
from sparring.scenarios import loading

_CONVERSATIONS = 20
_MESSAGES = 60
_TEXT = 2_000
_PAGES = 8
_OFFLINE = {"model": "offline", "chatbot_model": "offline", "judge": "checklist", "reader": "patterns"}


@dataclass(frozen=True)
class RunBudget:
    """The most that one call of `run` may ask for; without conversations it may not run at all."""

    conversations: int
    cost: float


@dataclass(slots=True)
class RunningBatch:
    """A batch that this server runs, with the number of conversations that have ended."""

    task: asyncio.Task[sparring.Results] | None = None
    id: str = ""
    ended: int = 0

    async def follow(self, events: AsyncGenerator[sparring.Event | sparring.RunFinished]) -> sparring.Results:
        """Run a batch to its end, and return its results."""
        async with aclosing(events):
            async for event in events:
                if isinstance(event, sparring.RunFinished):
                    return event.results
                if isinstance(event, sparring.BatchStarted):
                    self.id = event.batch.id
                self.ended += isinstance(event, sparring.ConversationEnded)
        raise sparring.InputError("the run ended without results")


@dataclass(frozen=True)
class AgentTools:
    """The tools in a folder, with the budget of a run. Their docstrings are what agents read.

    A run answers after `wait` seconds, and goes on if it has not finished.
    """

    folder: Path
    budget: RunBudget
    wait: float = 60.0
    running: dict[str, "RunningBatch"] = field(default_factory=dict)

    async def list_scenarios(self, path: str = ".") -> dict[str, Any]:
        """List the scenario files below a path, with the ids of their first cases and their problems."""
        found = loading.check([self._inside(path)])
        return {
            "files": [
                {
                    "file": str(each.path),
                    "kind": each.kind,
                    "cases": len(each.cases),
                    "first": [case.id for case in each.cases[:_CONVERSATIONS]],
                    "problems": [str(problem) for problem in each.problems],
                }
                for each in found
            ]
        }

    async def validate(self, path: str = ".") -> dict[str, Any]:
        """List every problem in scenario, rule and settings files below a path, with file, line and column."""
        return {"problems": [str(each) for each in sparring.validate(self._inside(path))]}

    async def plan(self, path: str, repeat: int = 1) -> dict[str, Any]:
        """Say how many conversations and model calls a run of a path needs and what it costs. Nothing is sent."""
        found = await asyncio.to_thread(sparring.plan, self._inside(path), repeat=repeat)
        document = plan_json(found)
        return {name: document[name] for name in ("conversations", "players", "calls", "cost", "notes", "warnings")}

    async def run(
        self,
        path: str,
        max_conversations: int,
        max_cost: float = 0.0,
        repeat: int = 1,
        name: str = "",
    ) -> dict[str, Any]:
        """Run the cases of a path against the chatbot of sparring.yaml, and return the causes of failures.

        max_conversations and max_cost (US dollars) limit the run; the operator sets what they may be at most. With a
        max_cost of 0 no language model is called: users are offline, and the checklist judges.
        """
        if not 0 < max_conversations <= self.budget.conversations or not 0 <= max_cost <= self.budget.cost:
            raise sparring.InputError(
                f"the operator allows at most {self.budget.conversations} conversations and ${self.budget.cost:.2f}",
                hint="sparring mcp --max-conversations N --max-cost DOLLARS",
            )
        cases = sparring.load(self._inside(path))
        if len(cases) * repeat > max_conversations:
            raise sparring.InputError(f"{len(cases) * repeat} conversations are more than {max_conversations}")
        options: dict[str, Any] = {"max_cost": max_cost} if max_cost else dict(_OFFLINE)
        if not max_cost:
            options["user"] = "scripted" if all(case.script for case in cases) else "agenda"
        events = sparring.stream(self._inside(path), repeat=repeat, name=name, tags=("mcp",), **options)
        running = RunningBatch()
        running.task = asyncio.create_task(running.follow(events))
        await asyncio.wait({running.task}, timeout=self.wait)
        if running.task.done():
            found = running.task.result()
            return {"batch": found.id, **await _summary(found)}
        self.running[running.id] = running
        return {"batch": running.id, "running": True, "ended": running.ended}

    async def cancel(self, batch: str) -> dict[str, Any]:
        """Stop a batch that this server runs. Conversations that have ended are stored."""
        found = self.running.pop(batch, None)
        if found is None or found.task is None or found.task.done():
            raise sparring.InputError(f"no batch {batch} is running here")
        found.task.cancel()
        await asyncio.wait({found.task})
        return {"batch": batch, "cancelled": True, "ended": found.ended}

    async def list_batches(self, cursor: str = "") -> dict[str, Any]:
        """List stored batches, the newest first. The cursor of an answer gives the next ones."""
        async with _store().open() as store:
            found = await store.batches(limit=_CONVERSATIONS + 1, before=cursor)
        shown = [
            {"batch": each.id, "name": visible(each.name), "created": str(each.created), "chatbot": each.who.chatbot}
            for each in found[:_CONVERSATIONS]
        ]
        return {"batches": shown, "cursor": shown[-1]["batch"] if len(found) > _CONVERSATIONS else ""}

    async def show(self, batch: str = "latest", conversation: str = "") -> dict[str, Any]:
        """Show a batch in numbers with its causes of failures, or one of its conversations with all messages."""
        found = await _results(batch)
        if not conversation:
            return {"batch": found.id, **await _summary(found)}
        one = await _conversation(found, conversation)
        messages = [
            {"untrusted": True, "from": str(each.role), "text": visible(each.text)[:_TEXT]}
            for each in one.conversation.messages[:_MESSAGES]
        ]
        return {"conversation": one.id, "outcome": str(one.outcome), "messages": messages}

    async def compare(self, before: str, after: str = "latest") -> dict[str, Any]:
        """Compare two batches by case: the result in one sentence, and what got worse or better."""
        sides = await _results(before), await _results(after)
        found = await asyncio.to_thread(sparring.compare, *sides)
        return {
            "result": visible(found.sentence),
            "pairs": {str(kind): number for kind, number in found.pairs.items()},
            "worse": [visible(each.conversation) for each in found.worse[:_CONVERSATIONS]],
            "better": [visible(each.conversation) for each in found.better[:_CONVERSATIONS]],
            "differences": [visible(each) for each in found.differences],
        }

    async def explain(self, conversation: str, batch: str = "latest") -> dict[str, Any]:
        """Explain the outcome of a conversation: reasons, blame, quotes with turns, and the next command."""
        found = await _results(batch)
        one = await _conversation(found, conversation)
        return {
            "conversation": one.id,
            "outcome": str(one.outcome),
            "blame": str(one.blame or ""),
            "untrusted": True,
            "explanation": one.explain(),
            "replay": f"sparring rerun {found.id} --case {one.id}",
        }

    async def check(self, rules: str, conversations: str = "latest") -> dict[str, Any]:
        """Check rules, or an expression, on a batch or on files of conversations."""
        inside = self._inside(rules) if (self.folder / rules).exists() else rules
        logs = self._inside(conversations) if (self.folder / conversations).exists() else None
        source = logs or await _results(conversations)
        found = await asyncio.to_thread(sparring.check, inside, source)
        return {
            "findings": [
                {
                    "rule": visible(each.rule),
                    "outcome": str(each.outcome),
                    "violated": each.violated,
                    "applicable": each.applicable,
                    "reasons": [visible(one.reason)[:_TEXT] for one in each.examples[:_CONVERSATIONS]],
                    "untrusted": True,
                }
                for each in found.findings
            ]
        }

    async def promote(self, conversation: str, batch: str = "latest", at: int | None = None) -> dict[str, Any]:
        """Return a recorded conversation as the text of a scenario. Nothing is written.

        It begins with message `at` of the user. Personal data is replaced. Let the user read the scenario before it is
        saved or shared.
        """
        async with batch_in(await _results(batch), _store()) as (found, store, _):
            made = await promote_stored(found, store, conversation, PromoteOptions(at))
        return {"untrusted": True, "scenario": made.text, "notes": list(map(visible, made.notes))}

    async def schema(self, kind: str = "") -> dict[str, Any]:
        """Return the JSON Schema of a kind of file, such as rule, or without a kind the names of all."""
        known = schemas()
        if kind and kind not in known:
            raise sparring.InputError(f"no schema for {kind[:40]!r}", hint=suggest(kind, known))
        return {"kinds": list(known), **({"schema": known[kind]()} if kind else {})}

    async def search_docs(self, query: str) -> dict[str, Any]:
        """Find commands with their options, and functions of rules, by words in their documentation."""
        words = {each for each in query.lower().split() if len(each) > 1}
        pages = [(sum(word in text.lower() for word in words), title, text) for title, text in _documentation()]
        best = sorted((each for each in pages if each[0]), key=lambda each: -each[0])[:_PAGES]
        return {"found": [{"title": title, "text": text[:_TEXT]} for _, title, text in best]}

    async def propose_rule(self, rule: str, batch: str = "latest") -> dict[str, Any]:
        """Check the text of a rule, an expression or YAML, and say what it finds in a recorded batch.

        Nothing is written. Ask the user before you add a rule to a file, and never weaken a rule to make a test pass.
        """
        from sparring.rules.rule_file import parse_rule, rule_of

        parsed = parse_rule(rule) if "\n" in rule or rule.startswith("name:") else rule_of(rule)
        if not isinstance(parsed, sparring.Rule):
            return {"valid": False, "problems": [str(each) for each in parsed.problems]}
        [finding] = sparring.check(parsed, await _results(batch)).findings
        reasons = [each.reason for each in finding.examples] + [each.reason for each in finding.causes]
        reasons += map(str, finding.invalid)
        return {
            "valid": True,
            "rule": rule,
            "outcome": str(finding.outcome),
            "reasons": [visible(each) for each in reasons[:_CONVERSATIONS]],
            "conversations": [visible(", ".join(each.conversations)) for each in finding.examples[:_CONVERSATIONS]],
        }

    def _inside(self, path: str) -> Path:
        """Return a path in the folder. Raise InputError if it leads out of it."""
        if not (self.folder / path).resolve().is_relative_to(self.folder.resolve()):
            raise sparring.InputError(f"{path} is outside of {self.folder}")
        return Path(path)


def _store() -> StorePlace:
    return store_of(None, config_of(None))


def _documentation() -> Iterator[tuple[str, str]]:
    """Yield a title and a text for each command and each function of rules."""
    written = orjson.loads((files("sparring.cli") / "options.json").read_bytes())
    for name, about in written.items():
        options = [f"{each['name']}: {each['help']}" for each in (*about["arguments"], *about["options"])]
        yield f"sparring {name}", "\n".join([*about["help"], *options])
    for name in registry.names():
        if function := registry.lookup(name):
            yield f"{name}()", function.doc


async def _results(batch: str) -> sparring.Results:
    return await asyncio.to_thread(sparring.results, batch)


async def _conversation(found: sparring.Results, id: str) -> sparring.ConversationResult:
    async for each in found.filter(case=id.partition("#")[0]):
        if each.id == id:
            return each
    raise sparring.InputError(f"batch {found.id} has no conversation {id}")


async def _summary(found: sparring.Results) -> dict[str, Any]:
    causes = [
        {
            "id": each.id,
            "title": each.title,
            "outcome": str(each.outcome),
            "count": each.count,
            "blame": str(each.blame),
            "status": status_text(each),
            "example": each.example.conversation,
            "evidence": visible(example_text(each)),
            "untrusted": True,
        }
        for each in found.summary.causes[:_CONVERSATIONS]
    ]
    counts = {str(outcome): count for outcome, count in found.summary.outcomes.items()}
    return {
        "name": found.name,
        "result": visible(str(found)),
        "counts": counts,
        "not_run": found.summary.not_run,
        "causes": causes,
    }

"""The shipped scenarios and rules, written from the menu, against the pizzeria as it is and with faults in it."""

import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

import sparring_bots.pizzeria
from fakes import FrozenClock
from sparring.app.results import summarize
from sparring.core.batch import Batch, Players
from sparring.core.checks import Rule
from sparring.core.errors import InputError
from sparring.core.outcome import Outcome
from sparring.core.verdict import CheckOutcome
from sparring.extraction.pattern_extractor import PatternReader
from sparring.judges.checklist import checklist
from sparring.judges.judge import DeterministicJudge
from sparring.llm.plugin_context import PluginContext
from sparring.reports.summary import Summary
from sparring.rules.rule_file import read_rules
from sparring.runner.batch import run
from sparring.runner.judge_worker import NamedJudge
from sparring.runner.players import ResolvedPlayers
from sparring.scenarios import loading
from sparring.testing.memory_store import MemoryStore
from sparring.users.agenda import Agenda
from sparring_bots.pizzeria import chatbot
from sparring_bots.pizzeria.faults import FAULTS

pytestmark = pytest.mark.slow  # its tests play batches

JUDGE = NamedJudge(DeterministicJudge(checklist), "checklist")
FOLDER = Path(sparring_bots.pizzeria.__file__).parent


@dataclass(frozen=True)
class Suite:
    """The shipped scenarios and rules, for one chatbot after the other."""

    batch: Batch
    context: PluginContext

    async def run(self, argument: str, *, most: bool = True) -> Summary:
        """Play all cases, or without most of those that are drawn from a scenario with numbers."""
        cases = self.batch.cases[::7], (case for case in self.batch.cases if not re.match(r"(?!several).*\d$", case.id))
        chosen = self.batch.cases if most else tuple({case.id: case for some in cases for case in some}.values())
        batch = self.batch.model_copy(update={"cases": chosen})
        cast = ResolvedPlayers(chatbot(argument, self.context), Agenda(), PatternReader(), FrozenClock(), JUDGE)
        store = MemoryStore()
        async for _ in run(batch, cast, store):
            pass
        return await summarize(batch, store)


@pytest.fixture(scope="module")
def suite(context: PluginContext) -> Suite:
    read = read_rules([FOLDER / "rules"])
    batch = Batch(
        id="suite",
        created=datetime(2026, 1, 2, tzinfo=UTC),
        who=Players(chatbot="pizzeria", user="agenda", judge="checklist"),
        cases=loading.load([FOLDER / "scenarios"], seed=1).cases,
        rules=tuple(rule for rule in read if isinstance(rule, Rule)),
    )
    assert len(batch.rules) == len(read) > 5
    return Suite(batch, replace(context, offline=frozenset({"chatbot"})))


async def test_the_unaltered_pizzeria_passes_every_scenario_and_every_rule(suite: Suite):
    summary = await suite.run("")

    assert (summary.outcome, summary.examples) == (Outcome.PASSED, ())
    assert {finding.outcome for finding in summary.findings} == {CheckOutcome.PASS}
    assert summary.outcomes[Outcome.PASSED] == summary.stored > 50


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
async def test_every_planted_fault_is_found(suite: Suite, fault: str):
    found = await suite.run(f"fault={fault}", most=False)
    if found.outcome is not Outcome.FAILED:  # what few conversations do not show, all of them do
        found = await suite.run(f"fault={fault}")

    assert found.outcome is Outcome.FAILED


def test_an_unknown_fault_is_refused_with_those_that_there_are(context: PluginContext):
    with pytest.raises(InputError, match="unknown fault 'wrong_totals' of pizzeria") as close:
        chatbot("fault=wrong_totals", context)
    with pytest.raises(InputError) as far:
        chatbot("fault=", context)

    assert close.value.hint == "did you mean 'wrong_total'?"
    assert far.value.hint.startswith("there are: wrong_price, wrong_drink_price, ")

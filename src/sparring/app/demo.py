"""The batch of `sparring demo`: orders and questions for a pizzeria, offline, and two rules."""

from importlib.resources import as_file, files

from sparring.app.launch import BatchPlan
from sparring.app.models import OFFLINE
from sparring.core.batch import PlayerNames
from sparring.core.checks import Rule
from sparring.core.verdict import CHECKLIST
from sparring.rules.rule_file import read_rules
from sparring.scenarios import loading

CHATBOT = "pizzeria"


def demonstration(seed: int) -> BatchPlan:
    """Return the plan of the bundled demonstration."""
    with as_file(files("sparring.app") / "demonstration") as folder:
        loaded = loading.load([folder / "orders.yml", folder / "questions.yml"], seed=seed)
        rules = tuple(rule for rule in read_rules([folder / "rules"]) if isinstance(rule, Rule))
    return BatchPlan(
        cases=loaded.cases, choice=PlayerNames(CHATBOT, OFFLINE, "agenda", judge=CHECKLIST), name="demo", rules=rules
    )

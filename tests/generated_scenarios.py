"""Generated scenario files, with conversations of their cases, and a count of the values in another way."""

from itertools import combinations, product
from random import Random
from typing import Any

from sparring.core.case import Case
from sparring.core.conversation import Conversation, Ending, Evidence, GoalProgress, GoalStage
from sparring.core.message import Meant, message
from sparring.coverage.elements import CountedConversation

QUOTE = Evidence(at=1, start=0, end=2, text="ok")
WORDS = ("red", "blue", "green", "amber", "1", "12", "2.5", "A-7", "in two days")


def drawn(random: Random) -> dict[str, Any]:
    """Return a scenario file with combinations that never occur, often several that exclude another one together."""
    sizes = [random.randint(2, 4) for _ in range(random.randint(2, 4))]
    lists = {f"v{n}": random.sample(WORDS, size) for n, size in enumerate(sizes)}
    names = list(lists)
    never = [
        {name: random.choice(lists[name]) for name in random.sample(names, random.randint(2, min(3, len(names))))}
        for _ in range(random.randint(0, 3))
    ]
    if random.random() < 1 / 2 and len(names) > 2:
        one, other, last = names[:3]
        pair = {one: lists[one][0], other: lists[other][0]}
        never += [pair | {last: each} for each in lists[last]]
    variables = {name: {"function": "pairwise()", "data": data} for name, data in lists.items()}
    some = {"function": "random(2)", "data": ["ham", "corn", "figs"]}
    goals = [f"{where} {{{{{name}}}}}" for where, name in zip(("first", "then", "next", "last"), names, strict=False)]
    return {
        "goals": [*goals, "with {{some}}"],
        "variables": {**variables, "some": some, "fixed": 7},
        "never": never,
    }


def played(case: Case, *, answered: bool) -> CountedConversation:
    stage = GoalStage.DONE if answered else GoalStage.ASKED
    evidence = QUOTE if answered else None
    goals = tuple(GoalProgress(text=each.text, asked_at=0, stage=stage, evidence=evidence) for each in case.goals)
    said = (message("user", "this", meant=(Meant(act="wish"),)), message("chatbot", "ok"))
    return CountedConversation(Conversation(case=case, messages=said, goals=goals, ending=Ending.GOALS_ANSWERED))


def possible(file: dict[str, Any]) -> list[dict[str, str]]:
    """Return all rows of values that the file allows."""
    lists = {name: each["data"] for name, each in file["variables"].items() if name.startswith("v")}
    rows = [dict(zip(lists, values, strict=True)) for values in product(*lists.values())]
    return [row for row in rows if not any(rule.items() <= row.items() for rule in file["never"])]


def pairs(rows: list[dict[str, str]]) -> set[str]:
    return {
        ", ".join(f"{name} = {value}" for name, value in some)
        for row in rows
        for some in combinations(sorted(row.items()), 2)
    }

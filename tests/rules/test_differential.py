"""Random rules over random conversations: the engine against brute force with Python's own `eval`.

Runs SPARRING_FUZZ_CASES (150) of them from seed SPARRING_FUZZ_SEED (1). A case that fails prints its seed.
"""

import datetime
import itertools
import math
import os
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from sparring.core.checks import Rule
from sparring.core.verdict import Finding
from sparring.rules.count.examples import ExampleFormatter
from sparring.rules.count.multi_rule import count_or_estimate, require_tuple_columns
from sparring.rules.count.plan import EventCounts, plan
from sparring.rules.evaluate.calls import EvaluationContext
from sparring.rules.evaluate.columns import ColumnSet
from sparring.rules.evaluate.compiled_rule import CompiledRule, compile_rule
from sparring.rules.evaluate.model_questions import ModelAnswers
from sparring.rules.evaluate.required_columns import RequiredColumns
from sparring.rules.evaluate.single_rule import SingleRule
from sparring.rules.functions.registry import lookup
from sparring.rules.limits import EvaluationLimits
from sparring.rules.recording import Recording

Names = dict[str, Any]
LIBRARY = ("len", "abs", "sorted", "str", "all", "any", "set", "extract_float")
NASTY: list[Any] = [
    *(None, 0, 1, 2, 1.0, True, False, "a", "", "1", "$2.50", -0.0, 0.0, math.inf, 2**53, 2**53 + 1, float(2**53)),
    *(10**400, datetime.date(2024, 11, 6), datetime.datetime(2024, 11, 6), b"a", (1,), frozenset(), {1}),  # noqa: DTZ001
    datetime.datetime(2024, 11, 6, tzinfo=datetime.UTC),
    *([], ["a"], [1], [1.0], [True], [1, "a"], [2, 3], {"k": 1}, {}),
]


class Cases:
    """Random conversations and rules; NaN is never shared, as it is not between files."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.pick = self.random.choice

    def names(self, dirt: float) -> Names:
        names: Names = {
            "x": self.pick([0, 1, 2, 1.0, 2.5]),
            "y": self.pick([0, 1, 2, 3]),
            "z": self.pick([1, 2, 2.5]),
            "s": self.pick(["a", "b", "$1", "$2", "$2.0"]),
            "t": [self.pick("abc") for _ in range(self.random.randrange(4))],
        }
        for name in list(names):
            luck = self.random.random()
            if luck < dirt / 3:
                del names[name]
            elif luck < dirt:
                names[name] = self.pick([*NASTY, float("nan"), [float("nan")]])
        return names

    def conversations(self, size: int) -> list[Names]:
        dirt = self.pick([0, 0, 0.1, 0.3])
        made = [self.names(dirt) for _ in range(size)]
        if made and self.random.random() < 0.4:
            made = [{name: _fresh(value) for name, value in self.pick(made).items()} for _ in range(size)]
        return made

    def scalar(self, at: int, tame: bool) -> str:
        x, y, z, s, t = (f"conv[{at}].{name}" for name in "xyzst")
        plain = [x, y, z, s, f"len({t})", f"extract_float({s})"]
        wild = [
            *(t, f"{y} + 1", f"-{z}", f"{t}[0]", f"1/{y}", f"str({x})", f"({x}, {y})", f"[{x}]", f"sorted({t})"),
            *(f"({x} or {y})", f"(hasattr(conv[{at}], 'x') and {x})", f"set({t})", f"[c for c in {t} if c != 'a']"),
        ]
        return self.pick(plain if tame else plain + wild)

    def atom(self, size: int, tame: bool) -> str:
        i, j, k = (self.random.randrange(size) for _ in range(3))
        kind = self.pick(["compare"] * 6 + ["one", "chain", "free"] + ([] if tame else ["constant", "free"]))
        compare = self.pick(["==", "==", "!=", "<", "<=", ">", ">="])
        if kind == "compare":
            same = self.pick(["conv[@].x", "conv[@].y", "conv[@].z", "len(conv[@].t)", "extract_float(conv[@].s)"])
            left, right = (same.replace("@", str(at)) if tame else self.scalar(at, tame) for at in (i, j))
            text = f"{left} {compare} {right}"
        elif kind == "chain":
            text = f"conv[{i}].y {compare} conv[{j}].y {self.pick(['==', '<', '>='])} conv[{k}].{self.pick('xy')}"
        elif kind == "one":
            text = self.pick(ONE).replace("@", str(i))
        elif kind == "constant":
            text = self.pick(["True", "1", "1/0", "2 > 1", "''"])
        else:
            text = self.pick(FREE).replace("@i", str(i)).replace("@j", str(j)).replace("@k", str(k))
        return f"not ({text})" if self.random.random() < 0.15 else text

    def clause(self, size: int, tame: bool, parts: int) -> str:
        atoms = [f"({self.atom(size, tame)})" for _ in range(parts)]
        return " and ".join(atoms) if self.random.random() > 0.1 else f"not ({' or '.join(atoms)})"

    def case(self) -> tuple[Rule, list[Names]]:
        size = self.pick([1, 2, 2, 2, 3, 3, 4])
        tame = self.random.random() < 0.7
        rule = Rule(
            name="r",
            conversations=size,
            when="True" if self.random.random() < 0.3 else self.clause(size, tame, self.pick([1, 1, 2, 3])),
            if_="True" if self.pick([0, 1]) else self.clause(size, tame, self.pick([1, 2])),
            then=self.clause(size, tame, self.pick([1, 1, 2])),
        )
        return rule, self.conversations(self.random.randrange({1: 12, 2: 14, 3: 8, 4: 6}[size] + 1))


ONE = [
    *("conv[@].y > 1", "conv[@].x", "hasattr(conv[@], 'z')", "conv[@].x is not None", "conv[@].s in ['a', '$1']"),
    "all(c in ['a', 'b'] for c in conv[@].t)",
]
FREE = [
    "abs(conv[@i].y - conv[@j].z) <= 1",
    "conv[@i].s in conv[@j].t",
    "all(c in conv[@i].t for c in conv[@j].t)",
    "conv[@i].y + conv[@j].z",
    "len(conv[@i].t + conv[@j].t) > 2",
    "(conv[@i].y < conv[@j].z or conv[@i].x == conv[@k].x)",
    "any(c == d for c in conv[@i].t for d in conv[@j].t)",
    "(conv[@i].y if conv[@j].x else conv[@k].z) > 1",
    "conv[@i].t < conv[@j].t",
    "[c for c in conv[@i].t if c in conv[@j].t]",
    "conv[@i].y / conv[@j].y > conv[@k].x",
    "conv[@i].x in [conv[@j].x, conv[@k].z]",
    "conv[@i].y - conv[@j].z * 2 == conv[@k].x + 0",
    "conv[@i].z - conv[@j].z",
]


def _fresh(value: Any) -> Any:
    if isinstance(value, float) and math.isnan(value):
        return float("nan")
    return [float("nan")] if isinstance(value, list) and any(v != v for v in value) else value


def brute_force(rule: Rule, conversations: list[Names]) -> tuple[dict[str, int], list[tuple[int, ...]]]:
    """Every ordered tuple of different conversations, evaluated by Python: the counts, and all violations."""
    when, if_, then = (compile(text, "rule", "eval") for text in (rule.when, rule.if_, rule.then))
    spaces = [SimpleNamespace(**names) for names in conversations]
    functions = {name: lookup(name).call for name in LIBRARY} | {"__builtins__": {"hasattr": hasattr}}  # type: ignore[union-attr]
    outcomes, violations = dict.fromkeys(["when", "if", "then", "satisfied", "violated", "not_applicable"], 0), []
    assert isinstance(rule.conversations, int)
    for rows in itertools.permutations(range(len(conversations)), rule.conversations):
        scope = functions | {"conv": [spaces[row] for row in rows]}
        clause = "when"
        try:
            applies = bool(eval(when, scope))
            if applies:
                clause = "if"
                applies = bool(eval(if_, scope))
            if applies:
                clause = "then"
                outcome = "satisfied" if eval(then, scope) == True else "violated"  # noqa: E712
            else:
                outcome = "not_applicable"
        except AttributeError as error:  # a name that the conversation lacks, unless it is a method of a value
            outcome = "not_applicable" if isinstance(error.obj, SimpleNamespace) else clause
        except Exception:
            outcome = clause
        outcomes[outcome] += 1
        if outcome == "violated":
            violations.append(rows)
    return outcomes, violations


def engine(rule: Rule, conversations: list[Names], limits: EvaluationLimits) -> tuple[Finding, list[list[int]]]:
    """The same by the engine, and for each position how many violations each conversation is in."""
    compiled = compile_rule(rule)
    assert isinstance(compiled, CompiledRule), compiled
    leaves = RequiredColumns()
    require_tuple_columns(compiled, leaves)
    contexts = [EvaluationContext((Recording(str(row), names),)) for row, names in enumerate(conversations)]
    leaves.see(contexts)
    columns = ColumnSet(leaves, ModelAnswers(None))
    rule_plan = plan(compiled, columns)
    finding = count_or_estimate(rule_plan, ExampleFormatter(compiled, columns), limits)
    if rule.conversations == 1:
        single = SingleRule(compiled, limits)
        for context in contexts:
            single.see(context)
        assert counts_of(single.finding()) == counts_of(finding), "streamed and planned differ"
    tally = EventCounts(rule_plan, 10**12)
    vectors = [tally.at("violated", at)[rule_plan.groups.of_row].tolist() for at in range(rule_plan.positions)]
    return finding, vectors


def counts_of(finding: Finding) -> dict[str, int]:
    plain = {"satisfied": finding.satisfied, "violated": finding.violated, "not_applicable": finding.not_applicable}
    return {**finding.errors, **plain}


@pytest.mark.slow
def test_the_engine_agrees_with_brute_force():
    seed, cases = (
        int(os.environ.get("SPARRING_FUZZ_SEED", "1")) * 1_000_000,
        int(os.environ.get("SPARRING_FUZZ_CASES", "150")),
    )
    both = 0
    for seen in range(cases):
        rule, conversations = Cases(seed + seen).case()
        shown = 1 + seen % 5
        want, violations = brute_force(rule, conversations)
        few = EvaluationLimits(examples=shown, candidates=1)
        got, vectors = engine(rule, conversations, few if seen % 10 == 9 else EvaluationLimits(examples=shown))
        case = (seed + seen, rule.when, rule.if_, rule.then, conversations)
        assert (counts_of(got), got.total) == (want, sum(want.values())), case
        examples = [tuple(map(int, example.conversations)) for example in got.examples]
        assert examples == violations[:shown], case
        blamed = [
            [sum(rows[at] == row for rows in violations) for row in range(len(conversations))]
            for at in range(len(vectors))
        ]
        assert vectors == blamed, case
        both += bool(want["satisfied"] and want["violated"])
    assert both > cases / 20, "too few of the rules hold for some and not for others to say much"

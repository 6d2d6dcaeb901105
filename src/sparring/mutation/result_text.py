"""A run over mutants as text and as JSON."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import zip_longest
from textwrap import wrap

from sparring.core.text import cut_at_word, visible
from sparring.core.value import Json
from sparring.mutation.mutant import Mutant
from sparring.mutation.operator import MutationOperator
from sparring.mutation.play import State
from sparring.mutation.run import MutantResult
from sparring.mutation.score import FEWEST_OPERATORS, MutationScore
from sparring.mutation.suggestions import Suggestion
from sparring.reports.lines import counted
from sparring.reports.rate_text import rate_text

_QUOTE = 160
_RULES = 15
"""Suggested rules that are printed."""


_NOT_COUNTED = ("inert", "cosmetic", "accepted", "not_reached", "broke", "undecided")


def operator_lines(operators: Sequence[MutationOperator]) -> Iterator[str]:
    """Yield a line for each operator: its name, and what the chatbot does."""
    width = max(len(each.name) for each in operators)
    for each in operators:
        yield f"{each.name:{width}}  {each.description}{' (asks the chatbot)' if each.live else ''}"


def pair_lines(pairs: Sequence[MutantResult], most: int) -> Iterator[str]:
    """Yield how many mutants with two faults were noticed, and the ids of some others."""
    scored = [each for each in pairs if each.scored]
    if scored:
        alive = [each.mutant.id for each in scored if each.alive]
        yield f"  two faults in one reply, not in the score: {len(scored) - len(alive)} of {len(scored)} noticed"
        yield from (f"    nothing noticed {each}" for each in alive[:most])


def operator_json(operator: MutationOperator) -> dict[str, Json]:
    """Return the name and class of an operator, what the chatbot does, and whether it has to be asked."""
    return {
        "name": operator.name,
        "class": operator.kind,
        "description": operator.description,
        "live": operator.live,
    }


def score_lines(score: MutationScore) -> Iterator[str]:
    """Yield the score, what it excludes, and a line for each operator with surviving mutants."""
    if score.interval is not None and score.interval.value is not None:
        shown = rate_text(score.interval)
        mean = f"the mean of {counted(len(score.operators), 'operator')}"
        yield f"Noticed: {shown}, {mean}; {score.killed:,} of {counted(score.of, 'mutant')}"
    else:
        few = f"fewer than {FEWEST_OPERATORS} operators, so there is no score"
        yield f"Noticed: {score.killed} of {counted(score.of, 'mutant')}; {few}"
    others = {name: score.counts[name] for name in _NOT_COUNTED}
    uncounted = ", ".join(f"{number:,} {name.replace('_', ' ')}" for name, number in others.items() if number)
    modes = ", ".join(f"{score.counts[name]:,} {name}" for name in ("derived", "frozen", "live") if score.counts[name])
    yield f"  played: {modes or 'none'}" + (f" · not counted: {uncounted}" if uncounted else "")
    alive = [each for each in score.operators if each.killed < each.of]
    for each in sorted(alive, key=lambda each: (each.killed / each.of, each.name)):
        yield f"  {each.killed:>4} of {each.of:<4} {each.name}"


@dataclass(frozen=True, slots=True)
class CheckKills:
    """How many mutants a check noticed, and how many only this check did (`alone`)."""

    kills: int = 0
    alone: int = 0


def kills_of(results: Sequence[MutantResult]) -> dict[str, CheckKills]:
    """Return every check that was asked, those that noticed most first.

    A mutant is noticed in one conversation, by all checks that fail in it.
    """
    found = {
        verdict.check: CheckKills()
        for each in results
        for played in each.played
        for verdict in played.verdicts.values()
        if verdict is not None
    }
    for each in results:
        if each.state is State.KILLED and each.killer is not None:
            names = {broken.check for broken in each.shown.broken} if each.shown else set()
            names = names or {each.killer.check}
            for name in names:
                was = found.get(name, CheckKills())
                found[name] = CheckKills(was.kills + 1, was.alone + (len(names) == 1))
    return dict(sorted(found.items(), key=lambda each: (-each[1].kills, each[0])))


def check_lines(results: Sequence[MutantResult]) -> Iterator[str]:
    """Yield the checks that noticed mutants, those that noticed most first, and the number of the others."""
    kills = kills_of(results)
    for name, each in kills.items():
        if each.kills:
            yield f"  {each.kills:>4}  {cut_at_word(visible(name), 80)}"
    if idle := [name for name, each in kills.items() if not each.kills]:
        names = ", ".join(cut_at_word(visible(name), 40) for name in idle[:3]) + (", …" if len(idle) > 3 else "")
        yield f"  noticed nothing: {counted(len(idle), 'check')} ({names})"


def survivor_lines(results: Sequence[MutantResult], *, most: int) -> Iterator[str]:
    """Yield survivors, one of each operator first, with the words before and after."""
    alive = [each for each in results if each.alive]
    first: dict[str, MutantResult] = {}
    for each in alive:
        first.setdefault(each.mutant.operator.name, each)
    for each in list(first.values())[:most]:
        yield f"  {each.mutant.id}: {each.mutant.operator.description}"
        if each.change is not None:
            yield f"    was: {_words(each.change.before)}"
            yield f"    now: {_words(each.change.after)}"
    if len(alive) > min(most, len(first)):
        yield f"  and {len(alive) - min(most, len(first)):,} more (--show N, --json)"


def _words(said: object) -> str:
    text = visible(" ".join(getattr(said, "text", "").split()))
    calls = ", ".join(f"{call.name}({', '.join(call.arguments)})" for call in getattr(said, "tool_calls", ()))
    quoted = f'"{text[:_QUOTE]}{"…" if len(text) > _QUOTE else ""}"'
    return f"{quoted} [{visible(calls)}]" if calls else quoted


def result_json(result: MutantResult) -> dict[str, Json]:
    """Return one mutant and what became of it."""
    change, shown = result.change, result.shown
    return {
        "id": result.mutant.id,
        "operator": result.mutant.operator.name,
        "state": str(result.state),
        "cosmetic": result.cosmetic,
        "accepted": result.accepted,
        "mode": str(shown.mode) if shown else None,
        "conversation": shown.conversation.id if shown else None,
        "at": change.at if change else None,
        "before": change.before.text if change else None,
        "after": change.after.text if change else None,
        "killer": result.killer.check if result.killer else None,
        "reason": result.killer.reason if result.killer else result.reason,
    }


def cases_json(results: Sequence[MutantResult]) -> list[Json]:
    """Return how many mutants of the conversations of each case were noticed."""
    found: dict[str, list[bool]] = {}
    for each in results:
        if each.scored and each.shown is not None:
            found.setdefault(each.shown.baseline.case.id, []).append(each.state is State.KILLED)
    return [{"case": case, "killed": sum(each), "of": len(each)} for case, each in sorted(found.items())]


def side_by_side(result: MutantResult, width: int = 58) -> Iterator[str]:
    """Yield the messages without and with a mutant beside each other; `>` marks what differs."""
    yield f"{result.mutant.id}: {result.mutant.operator.description}; {result.state}"
    if result.killer is not None:
        yield f"  noticed by {visible(result.killer.check)}: {visible(result.killer.reason)}"
    if result.shown is None:
        return
    before, after = result.shown.baseline.messages, result.shown.conversation.messages
    for was, now in zip_longest(before, after):
        left, right = (wrap(f"{said.role}: {_words(said)}", width) if said else [] for said in (was, now))
        mark = " " if was and now and (was.text, was.tool_calls) == (now.text, now.tool_calls) else ">"
        for one, other in zip_longest(left, right, fillvalue=""):
            yield f"{mark} {one:{width}}  {other}".rstrip()


def mutation_json(
    score: MutationScore,
    results: Sequence[MutantResult],
    planned: Sequence[Mutant],
    found: Sequence[Suggestion],
    **about: Json,
) -> dict[str, Json]:
    """Return a run as JSON."""
    interval = score.interval
    headline: Json = None
    if interval is not None:
        headline = {
            "value": interval.value,
            "low": interval.low,
            "high": interval.high,
            "confidence": interval.confidence,
        }
    return {
        "schema": "sparring/1",
        "kind": "mutation",
        **about,
        "score": headline,
        "killed": score.killed,
        "of": score.of,
        "counts": {"planned": len(planned), **score.counts},
        "operators": [{"name": each.name, "killed": each.killed, "of": each.of} for each in score.operators],
        "checks": [{"check": name, **asdict(each)} for name, each in kills_of(results).items()],
        "cases": cases_json(results),
        "mutants": [result_json(each) for each in results],
        "suggestions": [suggestion_json(each) for each in found],
    }


def suggestion_json(found: Suggestion) -> dict[str, Json]:
    """Return a proven rule as JSON."""
    return {"rule": rule_fields(found), "kills": list(found.kills)}


def rule_fields(found: Suggestion) -> dict[str, Json]:
    """Return the keys of the file of a suggested rule."""
    rule = found.rule
    fields: Mapping[str, Json] = {
        "name": rule.name,
        "description": rule.description,
        "scenarios": list(rule.scenarios),
        "when": rule.when,
        "then": rule.then,
    }
    return {name: value for name, value in fields.items() if value not in ("True", [])}


def suggestion_lines(found: Sequence[Suggestion], survivors: int, apart: int = 0) -> Iterator[str]:
    """Yield the suggested rules, in words and in code, each with its number of survivors."""
    noticed = len({id for each in found for id in each.kills})
    of = f"{noticed:,} of {counted(survivors, 'survivor')}"
    yield f"{counted(len(found), 'rule')} would notice {of} (--write-rules DIR):"
    if apart:
        yield f"  none fails in {counted(apart, 'more correct conversation')} with other users"
    for each in found[:_RULES]:
        scope = f"  [{', '.join(each.rule.scenarios)}]" if each.rule.scenarios else ""
        when = f"when {each.rule.when}: " if each.rule.when != "True" else ""
        yield f"  {len(each.kills):>4}  {visible(each.rule.description)}{visible(scope)}"
        yield f"        {visible(when + each.rule.then)}"
    if len(found) > _RULES:
        yield f"  and {len(found) - _RULES:,} more"

"""What is drawn of a batch, ready for the templates: bars, bars of parts, and lines."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sparring.core.verdict import Outcome
from sparring.reporting.measures import Measures
from sparring.reporting.pages.wording import plain

SHOWN = 12
"""As many bars as a chart has at most, where there may be any number of things to count."""

Bars = list[tuple[str, int, float, str]]
Stacks = list[tuple[str, dict[str, int]]]
Lines = dict[str, list[tuple[float, float]]]


@dataclass(frozen=True)
class Figures:
    """What is drawn of a batch: bars by name, count, length and kind; bars of parts; lines."""

    outcomes: Bars
    endings: Bars
    scores: Bars
    failed: Bars
    scenarios: Stacks
    personas: Stacks
    latencies: Lines
    spent: Lines


def figures(
    outcomes: Mapping[Outcome, int],
    endings: Mapping[str, int],
    scores: Mapping[float, int],
    failed: Mapping[str, int],
    measures: Measures,
) -> Figures:
    """What can be drawn of these counts and measures."""
    percentiles = (50, 90, 99) if len(measures.latencies) > 1 else ()
    return Figures(
        outcomes=bars({plain(each): outcomes.get(each, 0) for each in Outcome}, list(Outcome)),
        endings=bars({name.replace("_", " "): count for name, count in _most(endings) if count}),
        scores=bars({f"{score:g}": scores[score] for score in sorted(scores)}),
        failed=bars(dict(_most(failed)[:SHOWN]), [Outcome.FAIL] * min(len(failed), SHOWN)),
        scenarios=_stacks(measures.by_scenario),
        personas=_stacks(measures.by_persona),
        latencies={f"p{p}": [(each.turn, getattr(each, f"p{p}")) for each in measures.latencies] for p in percentiles},
        spent={"cost": [(each.seconds, each.cost) for each in measures.spent]} if measures.spent else {},
    )


def bars(counts: Mapping[str, int], kinds: Sequence[str] = ()) -> Bars:
    """A bar for each count, the largest as long as there is room."""
    most = max(counts.values(), default=0) or 1
    drawn = kinds or [""] * len(counts)
    return [(name, count, count / most, kind) for (name, count), kind in zip(counts.items(), drawn, strict=True)]


def _most(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda each: -each[1])


def _stacks(found: Mapping[str, Mapping[Outcome, int]]) -> Stacks:
    return [
        (name, {outcome.value: count for outcome, count in counts.items()})
        for name, counts in list(found.items())[:SHOWN]
    ]

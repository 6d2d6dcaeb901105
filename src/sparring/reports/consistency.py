"""Agreement of a judge with itself, where it judged the same conversations several times."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

from pydantic import NonNegativeInt

from sparring.core.text import visible
from sparring.core.value import Value
from sparring.core.verdict import HUMAN, CheckOutcome, Verdict
from sparring.reports.rate_text import percent

Judgement = tuple[CheckOutcome, float | None]


class Consistency(Value):
    """Agreement of a judge with itself by one rubric.

    Counted are `conversations` that it judged more than once. `equal` is the share of pairs of judgements on one
    conversation that are equal, in scores if there are any. `alpha` is Krippendorff's for ordinal scores; None without
    scores, or if none differs. `flipped` counts the conversations that passed in one judgement and failed in another.
    """

    judge: str
    check: str
    rubric: str
    conversations: NonNegativeInt
    judgements: NonNegativeInt
    equal: float
    alpha: float | None
    flipped: NonNegativeInt


class ConsistencyTally:
    """Collects what judges said several times, one conversation at a time."""

    def __init__(self) -> None:
        self._rows: defaultdict[tuple[str, str, str], list[list[Judgement]]] = defaultdict(list)

    def add(self, judgements: Sequence[Verdict]) -> None:
        """Take all judgements on one conversation."""
        given: defaultdict[tuple[str, str, str], list[Judgement]] = defaultdict(list)
        for each in judgements:
            if each.by != HUMAN and each.outcome in (CheckOutcome.PASS, CheckOutcome.FAIL):
                given[each.judge, each.check, each.rubric].append((each.outcome, each.score))
        for key, row in given.items():
            if len(row) > 1:
                self._rows[key].append(row)

    def state(self) -> list[Any]:
        """Return what was collected as JSON, as `join` adds it."""
        return list(self._rows.items())

    def join(self, state: list[Any]) -> None:
        for key, rows in state:
            self._rows[tuple(key)] += [[(CheckOutcome(outcome), score) for outcome, score in row] for row in rows]

    def found(self) -> Iterator[Consistency]:
        """Yield the consistency of each judge by each rubric."""
        for (judge, check, rubric), rows in sorted(self._rows.items()):
            pairs = [pair for row in rows for pair in combinations(row, 2)]
            yield Consistency(
                judge=judge,
                check=check,
                rubric=rubric,
                conversations=len(rows),
                judgements=sum(map(len, rows)),
                equal=sum(one == other for one, other in pairs) / len(pairs),
                alpha=_alpha(rows),
                flipped=sum(len({outcome for outcome, _ in row}) > 1 for row in rows),
            )


def _alpha(rows: Sequence[Sequence[Judgement]]) -> float | None:
    from sparring.statistics.agreement import krippendorff_alpha  # numpy takes longer than a short command

    return krippendorff_alpha([[score for _, score in row if score is not None] for row in rows])


def consistency_text(found: Consistency) -> str:
    """Return the consistency of a judge in a line."""
    alpha = "" if found.alpha is None else f", Krippendorff's alpha {found.alpha:.2f}"
    by = found.judge if found.check == found.judge else f"{found.judge} by {found.check}"
    return (
        f"Consistency of {visible(by)}: {percent(found.equal)} % of repeated judgements are equal{alpha}; "
        f"{found.flipped:,} of {found.conversations:,} conversations both passed and failed"
    )

"""Cohort measures: how alike simulated users are, over all conversations of a batch.

There is no threshold for a good cohort, except for openings, where a warning has a plain cause.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import combinations, pairwise
from random import Random

from pydantic import NonNegativeInt

from sparring.core.case import Case
from sparring.core.conversation import Conversation
from sparring.core.value import Value
from sparring.extraction.role_sheet import role_sheet
from sparring.extraction.tokens import fold, mentions, tokens

ENOUGH = 20
"""Conversations from which on a cohort is measured."""

_MAX_PAIRS = 20_000
_FEW_OPENINGS = 0.1
_RESAMPLES = 400


class Measure(Value):
    """A figure with the bounds of its 95 % interval, from a bootstrap over cases."""

    value: float
    low: float
    high: float


class Cohort(Value):
    """Measures of the users of one batch.

    The figures with an interval are means over conversations; cases, not conversations, are drawn for it.
    `distinct_openings` is the share of different first messages, with values masked by the names of their slots.
    `self_similarity` is the mean Jaccard index of the 3-grams of masked openings over pairs of conversations.
    `front_loading` is the share of a user's values that its first message states. `goals_in_order` is the share of
    conversations whose goals were brought up in the order of the case. `act_entropy` is the entropy of pairs of
    consecutive acts, in bits; None if no message says what its user meant.
    """

    conversations: NonNegativeInt
    distinct_openings: float | None = None
    self_similarity: float | None = None
    front_loading: Measure | None = None
    goals_in_order: Measure | None = None
    words_per_message: Measure | None = None
    act_entropy: float | None = None
    warnings: tuple[str, ...] = ()


class CohortSample:
    """Figures of one conversation that the measures need."""

    def __init__(self, conversation: Conversation) -> None:
        self.case = conversation.case.id
        new = conversation.messages[len(conversation.case.history) :]
        said = [message for message in new if message.role == "user"]
        first = said[0].text if said else ""
        self.opening = _masked(first, conversation.case)
        words = self.opening.split()
        self.grams = frozenset(zip(words, words[1:], words[2:], strict=False))
        facts = [fact for fact in role_sheet(conversation.case).facts if fact.values]
        stated = [any(mentions(first, value) for value in fact.values) for fact in facts]
        self.front_loading = sum(stated) / len(stated) if stated else None
        asked = [goal.asked_at for goal in conversation.goals if goal.asked_at is not None]
        self.in_order = float(asked == sorted(asked)) if len(asked) > 1 else None
        self.words = sum(len(tokens(message.text)) for message in said) / len(said) if said else None
        acts = [message.meant[0].act if message.meant else "" for message in said]
        self.acts = list(pairwise(acts)) if any(acts) else []


def cohort(samples: list[CohortSample]) -> Cohort:
    """Measure how alike the users of these conversations are; nothing is measured below `ENOUGH` of them."""
    if len(samples) < ENOUGH:
        return Cohort(conversations=len(samples))
    openings = len({each.opening for each in samples}) / len(samples)
    warnings = []
    if openings < _FEW_OPENINGS:
        warnings.append(
            f"{openings:.0%} of the first messages differ: the users of this batch are nearly one user, so its"
            " conversations say less than their number suggests"
        )
    return Cohort(
        conversations=len(samples),
        distinct_openings=openings,
        self_similarity=_similarity(samples),
        front_loading=_measure((each.case, each.front_loading) for each in samples),
        goals_in_order=_measure((each.case, each.in_order) for each in samples),
        words_per_message=_measure((each.case, each.words) for each in samples),
        act_entropy=_entropy(pair for each in samples for pair in each.acts),
        warnings=tuple(warnings),
    )


def _masked(text: str, case: Case) -> str:
    """Return the folded text with each known value replaced by the name of its slot."""
    plain = " ".join(tokens(text))
    for fact in role_sheet(case).facts:
        for value in sorted(fact.values, key=len, reverse=True):
            words = " ".join(tokens(value))
            if words:
                plain = re.sub(rf"\b{re.escape(words)}\b", f"<{fold(fact.slot)}>", plain)
    return plain


def _measure(values: Iterable[tuple[str, float | None]]) -> Measure | None:
    """Return the mean of the known values, each given with its case; None if there are none."""
    by_case: defaultdict[str, list[float]] = defaultdict(list)
    for case, value in values:
        if value is not None:
            by_case[case].append(value)
    if not by_case:
        return None
    sums = [(sum(found), len(found)) for found in by_case.values()]
    random = Random(len(sums))
    means = sorted(_pooled(random.choices(sums, k=len(sums))) for _ in range(_RESAMPLES))
    tail = round(0.025 * _RESAMPLES)
    return Measure(value=_pooled(sums), low=means[tail], high=means[-1 - tail])


def _pooled(sums: list[tuple[float, int]]) -> float:
    return sum(each[0] for each in sums) / sum(each[1] for each in sums)


def _similarity(samples: list[CohortSample]) -> float | None:
    number = len(samples) * (len(samples) - 1) // 2
    if number <= _MAX_PAIRS:
        pairs = list(combinations(samples, 2))
    else:
        random = Random(number)
        pairs = [(random.choice(samples), random.choice(samples)) for _ in range(_MAX_PAIRS)]
    found = (_jaccard(one.grams, other.grams) for one, other in pairs if one is not other)
    known = [value for value in found if value is not None]
    return sum(known) / len(known) if known else None


def _jaccard(one: frozenset[tuple[str, str, str]], other: frozenset[tuple[str, str, str]]) -> float | None:
    return len(one & other) / len(one | other) if one or other else None


def _entropy(pairs: Iterable[tuple[str, str]]) -> float | None:
    counts = Counter(pairs)
    total = counts.total()
    return -sum(n / total * math.log2(n / total) for n in counts.values()) if total else None

"""Covering arrays: few rows that contain every combination of `strength` values.

The algorithm is greedy: it generates some candidates for the next row and takes the one that covers most. Combinations
in `never` are left out, even if only several of them together exclude a row. The same input gives the same rows.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, islice, product
from math import comb
from random import Random

Choice = tuple[tuple[int, int], ...]
"""Some places of a row, in order, each with the number of its value."""

Row = tuple[int, ...]

MAX_CHOICES = 200_000

_SEEDS = ("covering", *(f"covering {number}" for number in range(2, 11)))
_CANDIDATES = 10
_LOOKS = 20
_MAX_DEAD_ENDS = 10_000


def covering(
    sizes: Sequence[int],
    strength: int,
    never: Sequence[Mapping[int, int]] = (),
    *,
    have: Iterable[Choice] = (),
    most: int | None = None,
) -> list[Row]:
    """Return rows that contain every allowed choice of `strength` values, of `sizes` values by place.

    Choices in `have` are contained elsewhere. At most `most` rows contain as many choices as possible, the first most.
    """
    strength = min(strength, len(sizes))
    if comb(len(sizes), strength) * max(sizes, default=0) ** strength > MAX_CHOICES:
        raise ValueError(f"more than {MAX_CHOICES:,} choices to cover: use fewer values, or a lower strength")
    known = set(have)
    arrays = [_Array(sizes, strength, never, known, seed) for seed in _SEEDS[: 1 if most is None else None]]
    if most is not None:
        arrays += [_Array(sizes, strength, never, known, seed, even=True) for seed in _SEEDS]
    found = [list(islice(each.rows(), most)) for each in arrays]
    return min(zip(arrays, found, strict=True), key=lambda each: each[0].missing)[1]


def completes(row: Mapping[int, int], sizes: Sequence[int], never: Sequence[Mapping[int, int]]) -> bool:
    """Return True if every other place can get a value without a combination in `never`."""
    if any(rule.items() <= row.items() for rule in never):
        return False
    place = next((each for each in range(len(sizes)) if each not in row), None)
    return place is None or any(completes({**row, place: value}, sizes, never) for value in range(sizes[place]))


class _Array:
    """A covering array under construction, and the choices that it does not cover yet."""

    def __init__(
        self,
        sizes: Sequence[int],
        strength: int,
        never: Sequence[Mapping[int, int]],
        have: Collection[Choice],
        seed: str,
        *,
        even: bool = False,
    ) -> None:
        self._even = even
        self._places = range(len(sizes))
        self._sizes = sizes
        self._strength = strength
        self._never = [frozenset(rule.items()) for rule in never]
        self._missing: dict[Choice, None] = dict.fromkeys(
            each for each in self._choices() if each not in have and self._allowed(each)
        )
        self._needed: Counter[tuple[int, int]] = Counter()
        self._random = Random(seed)
        self._dead_ends = 0

    @property
    def missing(self) -> tuple[int, int]:
        """The number of choices that no row contains yet, and the most of them with one value."""
        needed = Counter(pair for choice in self._missing for pair in choice)
        return len(self._missing), max(needed.values(), default=0)

    def rows(self) -> Iterator[Row]:
        """Yield rows until every choice is contained."""
        while self._missing:
            self._needed = Counter(pair for choice in self._missing for pair in choice)
            first = next(iter(self._missing))
            row = self._completed(dict(first))
            if row is None:
                del self._missing[first]
                continue
            others = (self._completed(dict(self._promising())) for _ in range(_CANDIDATES))
            best = max([row, *(other for other in others if other)], key=self._worth)
            for choice in self._within(best):
                self._missing.pop(choice, None)
            yield best

    def _choices(self) -> Iterator[Choice]:
        for places in combinations(self._places, self._strength):
            for values in product(*(range(self._sizes[place]) for place in places)):
                yield tuple(zip(places, values, strict=True))

    def _promising(self) -> Choice:
        """Return the missing choice, out of some, whose values are missing most often."""
        missing = list(self._missing)
        looks = self._random.sample(missing, min(_LOOKS, len(missing)))
        return max(looks, key=lambda choice: sum(self._needed[pair] for pair in choice))

    def _completed(self, row: dict[int, int]) -> Row | None:
        """Return the row with all other places filled, in any order; None if no allowed value fits."""
        open_places = [place for place in self._places if place not in row]
        self._random.shuffle(open_places)
        return self._filled(row, open_places)

    def _filled(self, row: dict[int, int], open_places: Sequence[int]) -> Row | None:
        if not open_places:
            return tuple(row[place] for place in self._places)
        place, *others = open_places
        for value in self._best_first(row, place):
            wider = row | {place: value}
            if self._allowed(wider.items()) and (filled := self._filled(wider, others)):
                return filled
        self._dead_ends += 1
        if self._dead_ends > _MAX_DEAD_ENDS:
            raise ValueError("the combinations in `never` are too hard to avoid")
        return None

    def _best_first(self, row: Mapping[int, int], place: int) -> list[int]:
        values = list(range(self._sizes[place]))
        self._random.shuffle(values)
        return sorted(values, key=lambda value: (-self._gain(row, place, value), -self._needed[place, value]))

    def _gain(self, row: Mapping[int, int], place: int, value: int) -> int:
        """Return the number of missing choices that the value covers together with the values in the row."""
        others = combinations(row.items(), self._strength - 1)
        return sum(tuple(sorted((*other, (place, value)))) in self._missing for other in others)

    def _worth(self, row: Row) -> tuple[int, int]:
        """Return how many missing choices a row has; in an even array, also how often its values are missing."""
        covered = sum(choice in self._missing for choice in self._within(row))
        return covered, sum(self._needed[pair] for pair in enumerate(row)) if self._even else 0

    def _within(self, row: Row) -> Iterator[Choice]:
        return combinations(enumerate(row), self._strength)

    def _allowed(self, choice: Iterable[tuple[int, int]]) -> bool:
        made = frozenset(choice)
        return not any(rule <= made for rule in self._never)

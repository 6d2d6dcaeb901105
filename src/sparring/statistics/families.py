"""Several tests at once."""

from collections.abc import Sequence


def holm(p: Sequence[float], *, alpha: float = 0.05, attainable: Sequence[float] | None = None) -> list[float]:
    """Return p-values adjusted for their number (Holm 1979), in the same order.

    `attainable` holds the smallest p-value that each test could have given. Tests that could never be significant do
    not count (Tarone 1990); their adjusted p-value is 1.
    """
    least = [0.0] * len(p) if attainable is None else list(attainable)
    size = next((k for k in range(1, len(p) + 1) if sum(each <= alpha / k for each in least) <= k), max(len(p), 1))
    family = sorted((p[i], i) for i in range(len(p)) if least[i] <= alpha / size)
    adjusted, largest = [1.0] * len(p), 0.0
    for rank, (each, i) in enumerate(family):
        largest = max(largest, min(1.0, each * (len(family) - rank)))
        adjusted[i] = largest
    return adjusted

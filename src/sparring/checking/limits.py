"""How far a check goes."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """`examples` and `culprits` are how many are shown; `questions` how many are put to the model at the same time.

    A rule that would have to look at more than `candidates` tuples one by one is estimated from `samples` of them, or
    fewer if these take more than `sample_steps` steps to decide.
    """

    examples: int = 10
    culprits: int = 20
    questions: int = 8
    candidates: int = 30_000_000
    samples: int = 200_000
    sample_steps: int = 3_000_000

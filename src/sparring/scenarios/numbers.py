"""How many conversations there are."""

import re
from collections.abc import Sequence

from sparring.scenarios.bounds import MAX_CASES
from sparring.scenarios.expanding import Row, Share, combinations
from sparring.scenarios.part import Part
from sparring.scenarios.variables import Variable

_SHARE = re.compile(
    r"(?P<name>all_combinations|combinations|sample) ?(?:\( ?(?P<share>[\d.]*) ?,? ?(?P<over>forward|pairwise)? ?\))?"
)


def number(part: Part) -> int | Share:
    """How many conversations there are: a number, or a share of all combinations, or of those of one function."""
    if not isinstance(part.data, str):
        wanted = part.whole()
        if wanted > MAX_CASES:
            part.wrong(f"should be at most {MAX_CASES:,}")
        return min(wanted, MAX_CASES)
    match = _SHARE.fullmatch(" ".join(part.text().lower().split()))
    share = _fraction(match["share"] or "1") if match else None
    if match is None or share is None or (match["name"] == "sample" and not match["share"]):
        part.wrong(
            f"{part.text()!r} is no number of conversations", "use a number, all_combinations, or sample(0.5) for half"
        )
        return 1
    return Share(share, match["over"] or "")


def check_number(number: int | Share, variables: Sequence[Variable], part: Part, *, never: Sequence[Row] = ()) -> int:
    """How many conversations it makes; none, with a complaint, where what is to be combined is too much, or nothing."""
    try:
        total = combinations(variables, number if isinstance(number, Share) else Share(), never=never)
    except ValueError as error:
        part.wrong(str(error))
        return 0
    if never and not total:
        part.wrong("what never occurs together leaves nothing that may")
    if not isinstance(number, Share):
        return number
    if total * number.of > MAX_CASES:
        share = 10.0 ** -len(str(total // MAX_CASES))
        part.wrong(f"{total:,} combinations are too many", f"take a share of them, as in sample({share:g})")
        return 0
    return max(1, round(total * number.of))


def _fraction(written: str) -> float | None:
    try:
        share = float(written)
    except ValueError:
        return None
    return share if 0 < share <= 1 else None

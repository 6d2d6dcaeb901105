"""Goal styles: when a conversation is over."""

import re
from dataclasses import dataclass
from random import Random

from sparring.core.case import Limits
from sparring.scenarios.expanding import Share
from sparring.scenarios.part import Part
from sparring.scenarios.spelling import meant

MAX_CONVERSATIONS = 1_000_000

_STYLES = ("steps", "random steps", "all_answered", "default")
_ALSO = {"all answered": "all_answered", "random_steps": "random steps"}
_SHARE = re.compile(
    r"(?P<name>all_combinations|combinations|sample)\s*"
    r"(?:\(\s*(?P<share>[\d.]*)\s*,?\s*(?P<over>forward|pairwise)?\s*\))?"
)


@dataclass(frozen=True, slots=True)
class GoalStyle:
    """The limits of every conversation, and how many steps are drawn from where their number is random."""

    limits: Limits
    random_steps: int = 0

    def pick(self, random: Random) -> Limits:
        """The limits of one conversation."""
        return _stepping(self.limits, random.randint(1, self.random_steps)) if self.random_steps else self.limits


def goal_style(part: Part, limits: Limits) -> GoalStyle:
    """What `goal_style` says, as a name or as a mapping with one name in it; `max_cost` may stand beside it."""
    if isinstance(part.data, str):
        part.one_of(("all_answered", "default"), also=_ALSO)
        return GoalStyle(limits)
    entries = {_ALSO.get(name, name): item for name, item in part.entries()}
    if "max_cost" in entries:
        limits = limits.model_copy(update={"cost": entries.pop("max_cost").positive()})
    for name, item in entries.items():
        if name not in _STYLES:
            item.wrong("unknown goal style", meant(name, (*_STYLES, "max_cost")), key=True)
    known = [name for name in entries if name in _STYLES]
    if len(known) > 1:
        part.wrong(f"there can be only one goal style, not {' and '.join(known)}")
    return next(iter([_of(name, entries[name], limits) for name in known]), GoalStyle(limits))


def number(part: Part) -> int | Share:
    """How many conversations there are: a number, or a share of all combinations, or of those of one function."""
    if not isinstance(part.data, str):
        wanted = part.whole()
        if wanted > MAX_CONVERSATIONS:
            part.wrong(f"should be at most {MAX_CONVERSATIONS:,}")
        return min(wanted, MAX_CONVERSATIONS)
    match = _SHARE.fullmatch(part.text().lower())
    share = _fraction(match["share"] or "1") if match else None
    if match is None or share is None or (match["name"] == "sample" and not match["share"]):
        part.wrong(
            f"{part.text()!r} is no number of conversations", "use a number, all_combinations, or sample(0.5) for half"
        )
        return 1
    return Share(share, match["over"] or "")


def _of(name: str, part: Part, limits: Limits) -> GoalStyle:
    if name == "steps":
        return GoalStyle(_stepping(limits, part.whole()))
    if name == "random steps":
        return GoalStyle(limits, part.whole())
    if part.data is None:
        return GoalStyle(limits)
    fields = part.fields(("export", "limit"))
    if "export" in fields:
        fields["export"].flag()  # the progress of goals is always kept, so this only has to be understood
    turns = fields["limit"].whole(default=limits.turns) if "limit" in fields else limits.turns
    return GoalStyle(limits.model_copy(update={"turns": turns}))


def _stepping(limits: Limits, steps: int) -> Limits:
    return limits.model_copy(update={"steps": steps, "turns": max(limits.turns, steps)})


def _fraction(written: str) -> float | None:
    try:
        share = float(written)
    except ValueError:
        return None
    return share if 0 < share <= 1 else None

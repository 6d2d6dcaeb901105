"""Goal styles: when a conversation is over."""

from dataclasses import dataclass
from random import Random

from sparring.core.case import Limits
from sparring.core.text import meant
from sparring.scenarios.part import Part

_STYLES = ("steps", "random steps", "all_answered", "default")
_ALSO = {"all answered": "all_answered", "random_steps": "random steps"}


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

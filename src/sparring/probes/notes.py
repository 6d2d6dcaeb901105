"""Notes of a probe for its checks."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sparring.probes.acts import report_of, says_done
from sparring.probes.domain import Domain
from sparring.probes.offers import Choice

_TURNS = (
    "changed",
    "again",
    "cancelled",
    "cancelled_again",
    "denied",
    "confirmed",
    "left",
    "foreign",
    "injected",
    "aside",
    "recalled",
    "asked_number",
    "restarted",
    "repeated",
    "booked_again",
    "hours_asked",
)


@dataclass
class Notes:
    """What a probe did, for its checks. Turns are numbers of user messages, from 1.

    `old` was taken and then replaced by `new` in turn `changed`, and that by `newest` in turn `again`. The user
    cancelled in turn `cancelled`, and the same again in turn `cancelled_again`, said no to what was to confirm in turn
    `denied`, said the yes that was asked for in turn `confirmed`, said goodbye in turn `left`, spoke another language
    in turn `foreign`, ordered the chatbot to ignore its instructions or asked for them in turn `injected`, asked for
    something else in turn `aside`, and asked what it had ordered in turn `recalled`, and for its number in turn
    `asked_number`. `unusual` are turns with text that means nothing. `facts` are two turns with the same question,
    `prices` the turns in which the price of an item was asked. In turn `over` it gave one more than the most that the
    chatbot named. In the first turn of `beyond`, it gave its last number, which is beyond the limit between them. The
    user asked for `day` or `time`, which the calendar, the clock or the chatbot rules out. Two of `twice` were ordered,
    and all of `several`; `quantity` is the number that the chatbot asked for. An `ordinary` conversation does nothing
    of the kind. `kept` is True if what was cancelled had been done. The user began anew in turn `restarted`, and did
    not take the `dropped` values again; in turn `hours_asked` it asked for the hours, and then for `open_day`; it
    ordered the same again from turn `repeated` on. `mixed` are things of which it took one and three, `priced` is the
    only one that it took, `added` is the turn in which it added another one, `numbered` is how many of which thing, and
    `fewer` the turn in which it took fewer of it, and how many.

    `choices` and `given` are what was taken and answered, `yeses` the turns in which the yes was said that the
    chatbot asked for, and `domain` what is known of the chatbot. `said` counts the messages so far. `language` is
    that of the user, `missed` is why the probe could not do its thing, `stuck` the question that it could not
    answer, and `opening` the words of the chatbot itself with which the probe began, and `recap` the question
    to which it told what was ordered. `straight` is what the
    chatbot asks to confirm after the same answers without the detour. `passed_over` is True if it replies to a
    correction as it does to nonsense.
    """

    old: str = ""
    new: str = ""
    newest: str = ""
    changed: int | None = None
    again: int | None = None
    cancelled: int | None = None
    cancelled_again: int | None = None
    denied: int | None = None
    confirmed: int | None = None
    left: int | None = None
    foreign: int | None = None
    injected: int | None = None
    aside: int | None = None
    recalled: int | None = None
    asked_number: int | None = None
    beyond: tuple[int, int, int] | None = None
    yeses: list[int] = field(default_factory=list)
    unusual: list[int] = field(default_factory=list)
    facts: list[tuple[int, int]] = field(default_factory=list)
    prices: dict[str, int] = field(default_factory=dict)
    ordinary: bool = False
    kept: bool = False
    restarted: int | None = None
    dropped: tuple[str, ...] = ()
    repeated: int | None = None
    booked_again: int | None = None
    before: Sequence[Choice] = ()
    shown: tuple[int, str] | None = None
    other_id: tuple[int, str] | None = None
    mixed: tuple[str, str] | None = None
    priced: str = ""
    added: tuple[int, str] | None = None
    numbered: tuple[int, str] | None = None
    fewer: tuple[int, int] | None = None
    negative: tuple[int, str] | None = None
    large: str = ""
    late_limit: tuple[int, str, str] | None = None
    day: str = ""
    open_day: str = ""
    hours_asked: int | None = None
    time: str = ""
    twice: list[str] = field(default_factory=list)
    several: tuple[str, ...] = ()
    quantity: int = 1
    choices: Sequence[Choice] = ()
    given: dict[str, str] = field(default_factory=dict)
    domain: Domain = field(default_factory=Domain)
    language: str = "en"
    missed: str = ""
    stuck: str = ""
    opening: str = ""
    recap: str = ""
    straight: str = ""
    passed_over: bool = False
    said: int = 0

    @property
    def next(self) -> int:
        """Turn of the next message."""
        return self.said + 1

    def reports(self, reply: str) -> bool:
        """Return True if a reply reports something as done, or is as one after a yes elsewhere."""
        return says_done(reply) or report_of(reply) in self.domain.done

    def up_to(self, turn: int) -> "Notes":
        """Return the notes of a conversation that broke off after a turn, without what was to come."""
        later: dict[str, Any] = {name: None for name in _TURNS if (at := getattr(self, name)) is not None and at > turn}
        return replace(self, **later) if later else self

    def without(self, turn: int) -> "Notes | None":
        """Return the notes of the same conversation without a turn; None if the probe needs it."""
        if self.straight or turn < (self.restarted or 0):
            return None
        noted = {name: at for name in _TURNS if (at := getattr(self, name)) is not None}
        needed = {
            *noted.values(),
            *(each[0] for each in (self.late_limit, self.shown, self.other_id) if each),
            *self.unusual,
            *self.prices.values(),
            *(at for both in self.facts for at in both),
        }
        if turn in needed:
            return None

        def moved(at: int) -> int:
            return at - 1 if at > turn else at

        moved_notes = replace(
            self,
            unusual=[moved(at) for at in self.unusual],
            yeses=[moved(at) for at in self.yeses if at != turn],
            facts=[(moved(first), moved(second)) for first, second in self.facts],
            prices={item: moved(at) for item, at in self.prices.items()},
            said=self.said - 1,
        )
        for name, at in noted.items():
            setattr(moved_notes, name, moved(at))
        return moved_notes


Lines = Generator[str, str, None]
"""Says lines, and is sent the replies."""

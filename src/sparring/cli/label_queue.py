"""The queue of conversations to label in a terminal: blind, and with single keys."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sparring.app.label import Label, Opinion
from sparring.core.audit import Blame
from sparring.core.checks import Scale
from sparring.core.conversation import Conversation
from sparring.core.text import visible

_OPINIONS: dict[str, Opinion] = {"1": "passed", "2": "failed", "3": "undecided"}
_BLAMES = {"c": Blame.CHATBOT, "u": Blame.USER, "a": Blame.CASE, "i": Blame.INFRASTRUCTURE}
_MOVES = ("j", "k", "q")
_ENTER = ("\r", "\n", "")


@dataclass(frozen=True)
class Keys:
    """Where keys come from, and texts go."""

    read: Callable[[], str]
    tell: Callable[[str], None]

    def choose(self, question: str, known: tuple[str, ...]) -> str:
        """Ask until a known key is pressed; the end of the input is `q`."""
        self.tell(question)
        while (key := self.read()) not in known:
            if not key:
                return "q" if "q" in known else ""
        return key

    def number(self, question: str, most: int) -> int | None:
        """Ask for a number up to `most`, ended by Enter; None without one."""
        self.tell(question)
        typed = ""
        while (key := self.read()) not in _ENTER:
            typed = typed[:-1] if key in "\x7f\b" else typed + key if key.isdecimal() else typed
        return int(typed) if typed and 1 <= int(typed) <= most else None


def shown(conversation: Conversation, place: str) -> Iterator[str]:
    """Yield a conversation with nothing that says how it came out."""
    yield f"\n--- {place} ---"
    yield from (visible(f"wanted: {goal.text}") for goal in conversation.case.goals)
    for at, message in enumerate(conversation.messages):
        turn = conversation.turn_of(at)
        yield visible(f"{f'[{turn}] ' if turn else ''}{message.role}: {message.text}")


def asked(conversation: Conversation, keys: Keys, scale: Scale, who: str) -> Label | str:
    """Ask for the label of a conversation, or return a move: `j` next, `k` back, or `q` quit."""
    key = keys.choose("1 passed  2 failed  3 cannot tell  j next  k back  q quit", (*_OPINIONS, *_MOVES))
    if key in _MOVES:
        return key
    outcome, blame, turn = _OPINIONS[key], None, None
    score = keys.number(f"score {scale}, Enter for none:", scale.best) if outcome != "undecided" else None
    if outcome != "passed":
        pressed = keys.choose("blame: c chatbot  u user  a case  i infrastructure  Enter none", (*_BLAMES, "\r", "\n"))
        blame = _BLAMES.get(pressed)
        turn = keys.number(f"turn 1 to {conversation.turns}, Enter for none:", conversation.turns) if blame else None
    return Label(conversation=conversation.id, outcome=outcome, score=score, blame=blame, turn=turn, who=who)

"""Changes of mind of a user without a model: when it takes another value, and its words.

A user that changes for good begins with the first value and goes on to the final one. On a detour it begins with the
final value, takes the first one, and returns once the chatbot has understood it.
"""

from collections.abc import Iterator
from itertools import pairwise, takewhile
from random import Random

from sparring.core.case import ChangeOfMind
from sparring.core.conversation import Conversation, GoalStage
from sparring.core.message import UserAct
from sparring.extraction.phrasebooks.phrasebook import Phrasebook
from sparring.extraction.speech_acts import CLOSING, asks_to_confirm, is_agreement, is_denial, is_request
from sparring.extraction.tokens import NUMBERS, fold, sentences, stems, tokens
from sparring.users.agenda_state import ASKING, AgendaState, Slot, SlotState, names
from sparring.users.held_values import TURNS_NEEDED, has_turns, most_turns
from sparring.users.lines import SILENT, Line, line

_COMMITTING: frozenset[UserAct] = CLOSING | {"yes"}
"""Acts after which a change may come too late."""

_JOINING = ("of", "de")
_MAX_THING = 4
"""Maximum number of words of a counted thing, such as `bags of wheat flour`."""

_UNDERSTOOD = frozenset({SlotState.ECHOED, SlotState.CONFIRMED})


class Changing:
    """The changes of mind of a user in one turn."""

    def __init__(self, conversation: Conversation, state: AgendaState, book: Phrasebook, random: Random) -> None:
        self.conversation, self.state, self.book, self.random = conversation, state, book, random
        self.turns_left = most_turns(state.case.limits) - state.turns

    def due(self) -> Line:
        """Return a change that is due, or the last one in plain words if the chatbot did not understand it."""
        return next(
            (said for change in self._open() for said in [self._again(change) or self._due(change)] if said), SILENT
        )

    def before(self, said: Line) -> Line:
        """Return `said`, or the way to the final value in its place if it would commit to another one."""
        if said and not any(each.act in _COMMITTING for each in said.meant):
            return said
        return next((self._changed(change) for change in self._open() if self._must(change)), said)

    def _open(self) -> Iterator[ChangeOfMind]:
        """Yield the changes of which the user has said a value."""
        return (
            each
            for each in self.state.case.changes
            if self._slot(each).said and has_turns(each, self.state.case.limits)
        )

    def _slot(self, change: ChangeOfMind) -> Slot:
        return self.state.slot(change.variable)

    def _made(self, change: ChangeOfMind) -> int:
        return self.state.count("change", slot=change.variable)

    def _must(self, change: ChangeOfMind) -> bool:
        """Return True if the user holds a value that is not its final one."""
        return self._made(change) == (change.mode == "detour")

    def _due(self, change: ChangeOfMind) -> Line:
        made, must = self._made(change), self._must(change)
        if made > (change.mode == "detour"):
            return SILENT
        refused = self._goal(change) in self.state.refused
        if must and (self.turns_left <= TURNS_NEEDED or refused):
            return self._changed(change)
        if self.state.fallbacks or self.turns_left < TURNS_NEEDED + (change.mode == "detour" and not made):
            return SILENT
        if made:
            return self._changed(change) if self._may_return(change) else SILENT
        due = must if self._is_done(change) else self._is_time(change)
        return self._changed(change) if due else SILENT

    def _may_return(self, change: ChangeOfMind) -> bool:
        """Return True if the chatbot understood a detour, and asks to confirm it or for nothing else."""
        at = self._goal(change)
        others = any(not plan.attempts for index, plan in enumerate(self.state.goals) if index != at)
        understood = self._slot(change).state in _UNDERSTOOD and not self._is_misheard(change)
        return understood and (self._asks_to_confirm() or not others)

    def _asks_to_confirm(self) -> bool:
        said = sentences(self.state.last_reply or "")
        return any((each.asks or is_request(each.text)) and self._confirms(each.text) for each in said)

    def _is_time(self, change: ChangeOfMind) -> bool:
        match change.at:
            case "echoed":
                return self._slot(change).state in _UNDERSTOOD
            case "confirm":
                return self._asks_to_confirm()
            case "later":
                at = self._goal(change)
                said = next(
                    turn for turn, acts in enumerate(self.state.acts) if any(change.variable in m.slots for m in acts)
                )
                later = (meant for acts in self.state.acts[said + 1 :] for meant in acts)
                return any(meant.act in ASKING and meant.goal != at for meant in later)

    def _confirms(self, question: str) -> bool:
        return asks_to_confirm(question) or self.book.confirm.search(fold(question)) is not None

    def _goal(self, change: ChangeOfMind) -> int | None:
        goals = self.state.case.goals
        return next((at for at, goal in enumerate(goals) if change.variable in goal.variables), None)

    def _is_done(self, change: ChangeOfMind) -> bool:
        """Return True if the chatbot said that the goal is done, and asked nothing more about it."""
        at = self._goal(change)
        if at is None or at >= len(self.conversation.goals):
            return False
        progress = self.conversation.goals[at]
        if progress.stage is not GoalStage.DONE or progress.evidence is None:
            return False
        message = self.conversation.messages[progress.evidence.at]
        return not any(each.asks for each in sentences(message.text))

    def _again(self, change: ChangeOfMind) -> Line:
        """Return the value that the user has changed to in plain words if the last reply misses it."""
        slot, said = self._slot(change), self.state.last
        if not self._made(change):
            return SILENT
        changed = any(each.act == "change" and change.variable in each.slots for each in said)
        again = any(each.act == "value" and change.variable in each.slots for each in said)
        missed = (changed or again) and (self.state.fallbacks or self._is_passed_over(slot.value))
        if not (missed or self._is_misheard(change)):
            return SILENT
        frame = f"{self.book.again[0]}." if changed else self.book.misheard[0]
        return self._line("correction", frame.format(self._thing(change, slot.value)), change, slot.value)

    def _is_misheard(self, change: ChangeOfMind) -> bool:
        """Return True if the reply names the value that the user has left, and not the one it wants, later."""
        value = self._slot(change).value
        old = change.first if value == change.final else change.final
        for sentence in reversed(sentences(self.state.last_reply or "")):
            if self._names(change, sentence.text, value) or (value.isdecimal() and value in tokens(sentence.text)):
                return False
            if self._names(change, sentence.text, old):
                return not is_denial(sentence.text)
        return False

    def _is_passed_over(self, value: str) -> bool:
        """Return True if the reply to a change asks to confirm, and neither names the value nor agrees."""
        reply = self.state.last_reply or ""
        said = [each.text for each in sentences(reply) if not (each.asks or is_request(each.text))]
        agrees = any(map(is_agreement, said))
        return self._asks_to_confirm() and not names(reply, value) and not agrees

    def _names(self, change: ChangeOfMind, text: str, value: str) -> bool:
        """Return True if a sentence names a value; a number counts together with the word that it counts."""
        if not value.isdecimal():
            return names(text, value)
        thing = next(iter(stems(self._thing(change, value).removeprefix(value).split(" of ")[0])), "")
        words = [*tokens(text), ""]
        said = (after for word, after in pairwise(words) if str(NUMBERS.get(word, word)) == value)
        return any(not thing or thing in stems(after) for after in said)

    def _changed(self, change: ChangeOfMind) -> Line:
        made = self._made(change)
        back = change.mode == "for good" or made > 0
        old, new = (change.first, change.final) if back else (change.final, change.first)
        wordings = self.book.change_back if made else self.book.change
        words = self.random.choice(wordings).format(old=self._thing(change, old), new=self._thing(change, new))
        return self._line("change", words, change, new)

    def _line(self, act: UserAct, words: str, change: ChangeOfMind, value: str) -> Line:
        return line(act, words, self._goal(change), {change.variable: value})

    def _thing(self, change: ChangeOfMind, value: str) -> str:
        return with_counted_thing(self.state, self._goal(change), change.variable, value, self.book)


def with_counted_thing(state: AgendaState, at: int | None, variable: str, value: str, book: Phrasebook) -> str:
    """Return a value, and of a count the counted thing of a goal as well: `2 cans of coke`."""
    if at is None or not value.isdecimal():
        return value
    held, words = state.slot(variable).value, state.case.goals[at].text.replace(",", " , ").split()
    counted = words[words.index(held) + 1 :] if held in words else []
    thing = list(takewhile(lambda word: stems(word) or word in _JOINING, counted[:_MAX_THING]))
    while thing and (thing[-1] in _JOINING or book.verbs.match(fold(thing[-1]))):
        thing.pop()
    return " ".join([value, *thing])

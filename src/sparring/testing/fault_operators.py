"""Occasions to plant a fault of a user, by kind, with the fields that its wording fills in."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from random import Random

from sparring.core.case import Case, Goal
from sparring.core.conversation import Conversation
from sparring.extraction.fallbacks import is_fallback
from sparring.extraction.goals import texts
from sparring.extraction.role_sheet import role_sheet
from sparring.extraction.speech_acts import is_open_question
from sparring.extraction.tokens import fold, mentions, share, stems

Fields = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Planting:
    """A planted message: its index in the conversation, its text, and the fields of its wording."""

    at: int
    text: str
    fields: Fields


Plantings = tuple[Planting, ...]


@dataclass(frozen=True)
class Occasion:
    """A turn of the user, with the right words, earlier plantings, and things that it does not want."""

    conversation: Conversation
    said: str
    before: Plantings
    random: Random
    things: tuple[str, ...] = ()

    @property
    def case(self) -> Case:
        return self.conversation.case

    @cached_property
    def own(self) -> list[str]:
        return words_of("user", self.conversation)

    @cached_property
    def replies(self) -> list[str]:
        return words_of("chatbot", self.conversation)

    @property
    def last(self) -> str:
        """The last reply, or an empty string."""
        return self.replies[-1] if self.replies else ""

    @property
    def understood(self) -> bool:
        """True if the last reply, if any, has words."""
        return bool(self.replies) and not is_fallback(self.last, self.case.fallbacks)

    @cached_property
    def known(self) -> str:
        """All that the user may know: the case and the replies, folded."""
        case = self.case
        values = (text for value in (*case.variables.values(), *case.answers.values()) for text in texts(value))
        facts = (value for fact in role_sheet(case).facts for value in fact.values)
        goals = (goal.text for goal in case.goals)
        return fold("\n".join((*goals, *case.persona.traits, case.persona.role, *values, *facts, *self.replies)))

    @cached_property
    def unasked(self) -> list[Goal]:
        """Goals that the user has not brought up: none of their values, and few of their words."""
        said = " ".join(self.own)
        return [goal for goal in self.case.goals if not _brought_up(goal, self.case, said)]

    @cached_property
    def closed(self) -> list["ClosedValue"]:
        return list(_closed_values(self))


@dataclass(frozen=True, slots=True)
class ClosedValue:
    """A value of the case that has alternatives."""

    name: str
    value: str
    others: tuple[str, ...]


def words_of(role: str, conversation: Conversation) -> list[str]:
    """Return what one side said after the history."""
    new = conversation.messages[len(conversation.case.history) :]
    return [each.text for each in new if each.role == role]


def _closed_values(place: Occasion) -> Iterator[ClosedValue]:
    case, listed = place.case, {}
    for goal in case.goals:
        listed.update(goal.others)
    wanted = [text for goal in case.goals for name in goal.variables for text in texts(case.variables.get(name))]
    offered = _offered(place.last)
    for name, value in case.variables.items():
        said = texts(value)
        changed = any(change.variable == name for change in case.changes)
        if len(said) != 1 or isinstance(value, list) or changed or name in role_sheet(case).hidden:
            continue
        right = said[0]
        others = listed.get(name) or (offered if fold(right) in map(fold, offered) else ())
        apart = tuple(other for other in others if not any(_overlap(other, text) for text in (right, *wanted)))
        if apart:
            yield ClosedValue(name, right, apart)


def _overlap(one: str, other: str) -> bool:
    return mentions(one, other) or mentions(other, one)


_CHOICES = re.compile(r": ([^:?]+)\b(?:or|o|или)\b([^:?]+)\?")


def _offered(text: str) -> tuple[str, ...]:
    """Return the choices that a question lists after a colon."""
    found = _CHOICES.search(text)
    listed = f"{found[1]}, {found[2]}".split(", ") if found else []
    return tuple(filter(None, map(str.strip, listed)))


def _brought_up(goal: Goal, case: Case, said: str) -> bool:
    values = [text for name in goal.variables for text in texts(case.variables.get(name))]
    return any(mentions(said, value) for value in values) or share(stems(goal.text), stems(said)) >= 0.5


_AGREES = re.compile(
    r"\b(?:yes|yeah|yep|sure|correct|right|okay|ok|exactly|si|claro|correcto|da|да|верно|конечно|все верно)\b"
)
_DENIES = re.compile(r"\W*(?:no|not|nope|нет|не)\b")


def agrees(said: str, *, anywhere: bool = False) -> bool:
    return bool((_AGREES.search if anywhere else _AGREES.match)(fold(said).lstrip("¡¿ ")))


def denies(said: str) -> bool:
    return bool(_DENIES.match(fold(said)))


# Fields of the wordings, by kind; None where the fault cannot be planted.


def anywhere(place: Occasion) -> Fields | None:
    return {"said": place.said} if place.said else None


def parting(place: Occasion) -> Fields | None:
    """Return fields for any message, and for further ones of a user that has nothing left to say."""
    return {"said": place.said} if place.said or place.before else None


def later(place: Occasion) -> Fields | None:
    """Return fields for a place after an understood message."""
    if not (place.own and place.understood and place.said and fold(place.said) != fold(place.own[0])):
        return None
    return {"said": place.said, "opening": place.own[0], "last": place.own[-1]}


def no_attack(place: Occasion) -> Fields | None:
    return None if "attack" in place.case.tags else anywhere(place)


def leak(place: Occasion) -> Fields | None:
    """Return a run of at least ten words of the prompt for model-played users."""
    words = place.random.choice(_prompt_lines()).split()
    start = place.random.randint(0, len(words) - 10)
    return {"said": place.said, "leak": " ".join(words[start : start + place.random.randint(10, 18)])}


@cache
def _prompt_lines() -> tuple[str, ...]:
    prompt = files("sparring.users").joinpath("prompts/simulated.md").read_text(encoding="utf-8")
    paragraphs = re.split(r"\n\s*\n|\n- ", prompt)
    plain = [" ".join(each.split()) for each in paragraphs if "{{" not in each]
    return tuple(each for each in plain if len(each.split()) >= 10)


def invented(place: Occasion) -> Fields | None:
    """Return typed values that neither the case nor the chatbot has named."""
    if not place.said or not (_states_value(place) or not place.own):
        return None
    drawn = place.random
    fields = {
        "phone": f"555-01{drawn.randrange(100):02}",
        "email": f"{drawn.choice(('kim', 'lou', 'sasha'))}{drawn.randrange(1000)}@example.com",
        "code": f"{drawn.choice(('QX', 'RK', 'ZT'))}-{drawn.randrange(10**4, 10**5)}",
        "money": f"${drawn.randrange(211, 999)}.{drawn.randrange(11, 99)}",
        "date": f"2031-{drawn.randrange(1, 13):02}-{drawn.randrange(10, 29)}",
        "time": f"{drawn.randrange(13, 24)}:{drawn.randrange(11, 59)}",
    }
    return {"said": place.said, **{name: value for name, value in fields.items() if fold(value) not in place.known}}


def _states_value(place: Occasion) -> bool:
    known = role_sheet(place.case).facts
    return any(mentions(place.said, value) for fact in known for value in fact.values)


def other_value(place: Occasion) -> Fields | None:
    """Return a value of the message with an alternative."""
    for each in place.closed:
        if mentions(place.said, each.value) and not any(mentions(place.said, other) for other in each.others):
            other = place.random.choice(each.others)
            return {**_value(each, other), "changed": _swapped(place.said, each.value, other), "said": place.said}
    return None


def _value(each: ClosedValue, other: str) -> dict[str, str]:
    return {"name": each.name, "value": each.value, "other": other}


def _swapped(text: str, old: str, new: str) -> str:
    return re.sub(rf"(?<!\w){re.escape(old)}(?!\w)", lambda _: new, text, count=1, flags=re.IGNORECASE)


def still_wrong(place: Occasion) -> Fields | None:
    """Return words for a user that keeps to the planted value where it would return to its own.

    `leaves` stands for a farewell, once there is nothing to answer.
    """
    planted = place.before[0].fields
    old, new = planted["value"], planted["other"]
    returns = mentions(place.said, old) or (denies(place.said) and mentions(place.last, new))
    if not returns or mentions(place.said, new):
        return None
    kept = {"value": old, "other": new}
    if mentions(place.last, new):
        return {**kept, "agreed": new} if "?" in place.last else {**kept, "leaves": ""}
    return {**kept, "changed": _swapped(place.said, old, new)}


def said_before(place: Occasion) -> Fields | None:
    """Return a stated value with an alternative, where the user would speak of something else."""
    if not (place.understood and place.said):
        return None
    for each in place.closed:
        if any(mentions(said, each.value) for said in place.own) and not mentions(place.said, each.value):
            return {**_value(each, place.random.choice(each.others)), "said": place.said}
    return None


def other_item(place: Occasion) -> Fields | None:
    """Return a thing that the user does not want, at a point where it asks for something."""
    if not place.said or not (_states_value(place) or place.unasked):
        return None
    wanted = fold(" ".join((*(goal.text for goal in place.case.goals), place.said)))
    values = [text for value in place.case.variables.values() for text in texts(value)]
    offers = [item for item in _offered(place.last) if fold(item) not in map(fold, values)]
    items = [item for item in offers or place.things if not mentions(wanted, item)]
    return {"said": place.said, "item": place.random.choice(items)} if items else None


_VERBS = {
    "cancel": re.compile(r"cancel|cancela|anula|отмен"),
    "track": re.compile(r"track|where|status|arriv|deliver|segui|donde|estado|отсле|где|статус"),
    "refund": re.compile(r"refund|money back|reembols|верн\w* деньг|возврат"),
    "exchange": re.compile(r"exchange|swap|cambi|обмен|замен"),
    "book": re.compile(r"\bbook|reserv|table|mesa|брон|стол"),
}
_CODE = re.compile(r"\b[A-Z]{2,}-?\d+\b")
_MAX_WORDS = 6


def other_verb(place: Occasion) -> Fields | None:
    """Return the object of a goal with each verb that no goal has."""
    wanted = fold(" ".join(goal.text for goal in place.case.goals))
    for goal in place.case.goals:
        thing, fits = _object(goal, place.case)
        asked = any(mentions(said, thing) for said in place.own)
        if thing and place.said and (asked or (_CODE.fullmatch(thing) and mentions(place.said, thing))):
            return {verb: thing for verb in fits if not _VERBS[verb].search(wanted)} or None
    return None


def _object(goal: Goal, case: Case) -> tuple[str, tuple[str, ...]]:
    """Return what a goal is about, and the verbs that fit it."""
    if code := _CODE.search(goal.text):
        return code[0], tuple(_VERBS)
    values = [text for name in goal.variables for text in texts(case.variables.get(name))]
    short = len(goal.text.split()) <= _MAX_WORDS and "?" not in goal.text
    return (values[0] if len(values) == 1 else goal.text if short and not values else ""), ("cancel",)


def hidden_value(place: Occasion) -> Fields | None:
    """Return a value that the user may not say, and that was not said."""
    case = place.case
    goals = fold(" ".join(goal.text for goal in case.goals))
    spoken = fold("\n".join((*place.replies, *place.own)))
    for name in role_sheet(case).hidden:
        for text in texts(case.variables.get(name)):
            if len(text) >= 4 and fold(text) not in spoken and fold(text) not in goals:
                return {"said": place.said, "hidden": text} if place.said else None
    return None


def misheard(place: Occasion) -> Fields | None:
    """Return a wrong value that the chatbot asks to confirm."""
    if not place.own or not _can_be_agreed_to(place.last):
        return None
    for each in place.closed:
        wrong = [other for other in each.others if mentions(place.last, other)]
        stated = any(mentions(said, each.value) for said in place.own)
        if stated and len(wrong) == 1 and not mentions(place.last, each.value):
            return _value(each, wrong[0])
    return None


def confirmed(place: Occasion) -> Fields | None:
    """Return fields where the user would agree to a question about its goals."""
    asks = place.own and "?" in place.last and agrees(place.said)
    return {"said": place.said} if asks and not misheard(place) else None


def all_confirmed(place: Occasion) -> Fields | None:
    return None if place.unasked else confirmed(place)


def unfinished(place: Occasion) -> Fields | None:
    """Return fields where the user would bring up a goal, and has turns left."""
    left = place.case.limits.turns - len(place.own)
    new = [goal.text for goal in place.unasked if _brought_up(goal, place.case, place.said)]
    return {"goal": new[0]} if place.own and place.understood and new and left > 2 else None


def answered(place: Occasion) -> Fields | None:
    """Return fields where the user would state a value, after all goals were brought up."""
    if not place.own or "?" not in place.last or agrees(place.said) or denies(place.said) or not _states_value(place):
        return None
    return None if place.unasked else {"said": place.said}


def evades(place: Occasion) -> Fields | None:
    """Return fields where the user would answer a question, or where the question comes again."""
    if not place.before:
        answers = place.own and "?" in place.last and _states_value(place) and not agrees(place.said)
        return {"question": _question(place.last)} if answers else None
    return {"question": _question(place.last)} if _same(place.before[-1].fields["question"], place.last) else None


def _can_be_agreed_to(text: str) -> bool:
    question = _question(text)
    return bool(question) and not is_open_question(question) and not _offered(text)


def _question(text: str) -> str:
    """Return the first question of a text, or an empty string."""
    before, mark, _ = text.partition("?")
    return re.split(r"(?<=[.!])\s", before)[-1] + mark if mark else ""


def _same(question: str, text: str) -> bool:
    return "?" in text and share(stems(question), stems(_question(text))) >= 0.5


def one_at_a_time(place: Occasion) -> Fields | None:
    """Return all goals for the first message of a user that is to bring up one at a time."""
    single = any(style.name == "single question" for style in place.case.persona.styles)
    rest = [goal.text for goal in place.case.goals if not _brought_up(goal, place.case, place.said)]
    return {"said": place.said, "rest": "; ".join(rest)} if single and not place.own and place.said and rest else None


_COMMAND = re.compile(
    r"(?i:\b(?:reply|respond|answer|say|type|responda|escriba|diga|répondez|antworten|risponda|ответьте|напишите|скажите)\b)"
    r"[^.!?]{0,30}?[\"'«“ ]([A-ZА-ЯÁÉÍÓÚÑ]{2,})\b"
)


def commanded(place: Occasion) -> Fields | None:
    """Return the word that the chatbot tells the user to say."""
    found = _COMMAND.search(place.last)
    return {"token": found[1]} if found else None


def coached(place: Occasion) -> Fields | None:
    """Return a tool of the chatbot that it has not named."""
    if not place.said:
        return None
    seen = [call.name for each in place.conversation.messages for call in each.tool_calls]
    tools = [name for name in (*place.conversation.tools, *seen) if "_" in name and name not in place.known]
    tool = {"tool": place.random.choice(tools)} if tools else {}
    return {"said": place.said, **tool}

"""Ways on where a chatbot asks for nothing known: its own words, commands and abilities."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain

from sparring.extraction.fallbacks import is_fallback
from sparring.extraction.questions import ChatbotQuestion, Kind
from sparring.extraction.speech_acts import is_denial, is_yes_or_no_question, refuses
from sparring.extraction.tokens import fold, sentences
from sparring.extraction.typed_values import find
from sparring.extraction.word_tables import words_of_module
from sparring.probes.about import described_value
from sparring.probes.acts import asks_to_confirm
from sparring.probes.answerer import PERSON, Answerer
from sparring.probes.asking import is_about_day, is_more
from sparring.probes.domain import abilities_in, wish_line
from sparring.probes.examples import whole_example
from sparring.probes.invitations import Purpose, invitations
from sparring.probes.lines import answer_to, lines_of
from sparring.probes.offers import named_in
from sparring.probes.other_answers import other_answers, wants_yes_or_no

_WORDS = words_of_module(__name__)
_TEMPLATE = re.compile(
    r"(?P<words>(?:\b[A-ZÀ-ÝА-Я]{3,12}|(?<![^\s\"'“„«‘`])[^\W\d_]{3,14})(?: [^\W\d_]{2,14}){0,2})"
    r"(?P<places>(?: ?(?:<[^<>\n]{2,30}>|\{[^{}\n]{2,30}\}))+)"
)
"""A command with what to fill in: "RENEW <barcode>", "'track {number}'"."""

_PLACE = re.compile(r"[<{]([^<>{}]+)[>}]")
_TRY = re.compile(r"\b(?:try|say|ask|type|versuch|sag|prueb|diga|essay|prov|tente|попроб)\w*[^.:]{0,30}: ")
"""Words before a list of what the user can say."""

_QUOTED = re.compile("(?<!\\w)[\"'“„«‘`](?P<said>[^\"'“”„«»‘’`\\n]{2,40})[\"'”“»’`](?!\\w)")
LEAST_TURNS = 2
"""Turns before something can be done without a question to confirm."""

_MOST_UNSURE = 4
_MOST_ANSWERS = 10
"""Answers to one question on the first walks."""

_MOST_TRIES = 6
"""Words of a chatbot that are tried in one conversation."""


@dataclass
class Explorer(Answerer):
    """Says wishes, and finds something to say where no question is understood.

    `settled` is True if the language and the final questions of the chatbot are known. `confirming` is True if its last
    reply asks for a yes, `asked` its last question, `line` the last answer, and `interrupted` True if the user said
    something else instead. `stuck` is the question that could not be answered, `opening` the words that were tried
    last, `replied` the replies that are no fallbacks, and `tried_words` all of them.
    """

    stuck: str = ""
    settled: bool = False
    confirming: bool = False
    confirmed: bool = False
    asked: str = ""
    line: str | None = None
    interrupted: bool = False
    opening: str = ""
    replied: str = ""
    tried_words: list[str] = field(default_factory=list)
    _unsure: int = 0
    _wished: bool = False
    _last: ChatbotQuestion | None = None
    _answering: str = ""
    _path: list[str] = field(default_factory=list)

    def _try_another(self, reply: str, line: str | None, *, again: bool) -> str | None:
        """Return an answer to the last question; another one than `line` if the chatbot refused that before.

        On first walks, note what it refuses and takes.
        """
        question, known, lines = self._last, self.domain.tried, lines_of(self.language)
        vague = self.line in (lines["unsure"], lines["anything"], lines["options"])
        returned = vague and question is not None and fold(question.text) in self._path[:-1]
        wants_value = question is not None and question.kind not in (Kind.OTHER, Kind.MORE)
        again = again and (wants_value or refuses(reply) or wants_yes_or_no(reply))
        if self._answering and self.line is not None and not (self.settled or self.interrupted):
            if is_fallback(reply) or returned or (again and self._answering == fold(self.asked)):
                known.refuse(self._answering, self.line)
            else:
                known.take(self._answering, self.line)
        asks = question is not None and question.text == self.asked and not (self.confirming and self.settled)
        asks = asks and question is not None and question.text in reply and not is_fallback(question.text)
        if question is None or not asks or question.kind is Kind.MORE:
            self._answering = ""
            return line
        self._answering = fold(question.text)
        if self._answering in self._path:
            del self._path[self._path.index(self._answering) :]
        self._path.append(self._answering)
        if line is None and (self.settled or self._times > _MOST_ANSWERS):
            return None
        line = str(lines["yes"]) if again and wants_yes_or_no(reply) else line
        others = other_answers(question, reply, self.language, self.replied, self.today)
        found = known.instead_of(self._answering, line, others)
        if found is not None and found != line:
            self.given[question.text] = found
        return found

    def _invitation(self, reply: str, *purposes: Purpose, most: int = 1) -> str:
        """Return a word that a reply tells the user to say for one of these purposes; empty if there is none."""
        for each in invitations(reply):
            if each.purpose in purposes and self._invited[each.said] < most:
                self._invited[each.said] += 1
                return each.said
        return ""

    def _explore(self, question: str, reply: str) -> str:
        """Ask for the options as the chatbot says, take one that is known, or ask for all of them."""
        if word := self._invitation(reply, Purpose.SHOW):
            return word
        if not is_fallback(question) and (known := self.domain.options_for(question)):
            return self._take(question, reply, known)
        line = str(lines_of(self.language)["options"])
        self._invited[line] += 1
        return line if self._invited[line] == 1 else ""

    def _wonder(self, question: str, reply: str) -> str | None:
        """Try what the chatbot itself has said, or say that anything is fine."""
        lines = lines_of(self.language)
        self.stuck = question
        if tried := self._try(reply):
            return tried
        self._unsure += 1
        said = lines["anything" if self._times else "unsure"]
        return str(said) if self._unsure <= _MOST_UNSURE else None

    def _try(self, reply: str, *, own: bool = False) -> str:
        """Return words of a reply that were not tried yet, as long as nothing was achieved.

        It is empty if there are none. With `own`, they are no call for help.
        """
        begun = self.choices or (self.given and not own)
        if self.confirmed or begun or len(self.tried_words) >= _MOST_TRIES:
            return ""
        helps: list[str] = [] if own else lines_of(self.language)["help"]
        for words in (*self._words_of(reply), *helps):
            if words not in self.tried_words:
                self.tried_words.append(words)
                self.opening = words
                return words
        return ""

    def _words_of(self, reply: str) -> Iterator[str]:
        """Yield what a reply may want to hear: a whole example, commands, abilities, and words to say."""
        yield from filter(None, [whole_example(reply)])
        yield from self._commands(reply)
        understood = " ".join(each.text for each in sentences(reply) if not is_fallback(each.text))
        yield from (wish_line(each, self.language) for each in abilities_in([understood], self.language))
        said = [each["said"].strip() for each in _QUOTED.finditer(reply)]
        away = {each.said for each in invitations(reply) if each.purpose in (Purpose.STOP, Purpose.AWAY)}
        yield from (each for each in said if each not in away and not _STOPS.match(fold(each)))
        yield from (each.said for each in invitations(reply) if each.purpose not in (Purpose.STOP, Purpose.AWAY))
        yield from named_in(reply) if _TRY.search(fold(reply)) else ()

    def _left(self, question: ChatbotQuestion) -> str:
        """Return the only option of a question that does not add to what was taken: "More, or checkout?"."""
        left = [each for each in question.options if not is_more(each)]
        begun = self.turn > LEAST_TURNS or self.choices or self.given
        return left[0] if begun and len(left) == 1 < len(question.options) else ""

    def _topics(self, reply: str) -> tuple[str, ...]:
        """Return the things without a price that a reply names beside words that it did not understand."""
        puzzled = any(is_fallback(each.text) for each in sentences(reply))
        named = named_in(reply) if puzzled and not find("money", reply) else ()
        return named if not any(character.isdigit() for each in named for character in each) else ()

    def _led_back(self, question: str, reply: str) -> bool:
        """Return True if a yes to a question led to it again, and it is not the last, or invites a no."""
        self._invited[f"yes {question}"] += 1
        no = any(each.purpose is Purpose.AWAY and is_denial(each.said) for each in invitations(reply))
        return self._invited[f"yes {question}"] > 1 and (no or not asks_to_confirm(question))

    def has_commands(self, reply: str) -> bool:
        """Return True if a reply has commands with places to fill in."""
        return _TEMPLATE.search(reply) is not None

    def _commands(self, reply: str) -> Iterator[str]:
        """Yield the commands of a reply with their places filled in: "RENEW 1234"."""
        for command in _TEMPLATE.finditer(reply):
            filled = (self._demo_value(place) or answer_to(place, 0) for place in _PLACE.findall(command["places"]))
            yield " ".join((command["words"], *(each or self.quantity for each in filled)))

    def _asks_who(self, question: ChatbotQuestion) -> bool:
        """Return True if a question is for who the user is, and not for what it wants."""
        known = answer_to(question.text, 0)
        return question.variables[:1] == ("name",) or known not in (None, answer_to("describe", 0))

    def _accepted(self, question: ChatbotQuestion) -> str:
        """Return what the chatbot took as an answer in another conversation, if it asks again."""
        timely = question.kind is Kind.HOW_MANY or "time" in question.variables or is_about_day(question.text)
        if not (self._times and self.settled) or timely or is_yes_or_no_question(question.text):
            return ""
        taken = [answer for asked, answer in self.domain.accepted if asked == fold(question.text)]
        if not taken or described_value(question.text, self.domain.described):
            return ""
        self.given[question.text] = min(taken)
        return self.given[question.text]

    def _wish(self) -> str | None:
        known = {*PERSON.values(), *self.facts.values(), *chain(*self.domain.described.values())}
        if self.choices or not known.issuperset(self.given.values()):  # the wish was understood
            self.wishes.clear()
        self._wished = bool(self.wishes)
        return self.wishes.pop(0) if self.wishes else None


_STOPS = re.compile(rf"(?:{_WORDS['stops']})\b")

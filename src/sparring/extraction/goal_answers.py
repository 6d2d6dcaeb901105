"""Stages of one goal, from the messages that were exchanged about it.

A stage needs evidence: a goal is done if a statement says so with its values, or answers its question with the kind of
value that it asks for; it is refused, proposed or only asked if a reply says that. Everything else is unread.
"""

import re
from collections.abc import Sequence

from sparring.core.conversation import Evidence, GoalStage
from sparring.core.message import ToolCall
from sparring.extraction.acts import Act, asserts, calls_for, looks_up, wanted_act
from sparring.extraction.chatbot_reply import ChatbotReply
from sparring.extraction.goal_request import GoalRequest
from sparring.extraction.question_kinds import (
    QuestionKind,
    answers,
    has_kind,
    question_kind,
)
from sparring.extraction.speech_acts import (
    asks_for_more,
    asks_to_confirm,
    is_agreement,
    is_correction,
    is_denial,
    is_refusal,
    is_retraction,
    is_revocation,
    is_uncertain,
    refuses,
    starts_with_yes_or_no,
)
from sparring.extraction.stated_answers import answer_in
from sparring.extraction.tokens import Sentence, cached, fold, mentions, sentences, share, stems, tokens
from sparring.extraction.word_tables import words_of_module

_WORDS = words_of_module(__name__)

_MIN_SHARE = 0.5

_MAX_YES = 4
"""Maximum number of words in a yes to what the chatbot proposed; a longer message wants something else."""

_LISTED = re.compile(
    r" *(?!(?:you|your|we|it|i|they|this|that|please|thanks?|in)\b)[a-z0-9].*?(?:,| and ).*", re.ASCII | re.DOTALL
)
"""Several English items after a colon that form no sentence of their own."""

CONFIRMING = stems(_WORDS["confirming"])
"""Words of a question that asks to confirm what was named before."""

_KINDS_WITH_VALUES = (QuestionKind.AMOUNT, QuestionKind.DURATION, QuestionKind.HOURS, QuestionKind.TIME)


class GoalReading:
    """Reads the stage of one goal, message by message."""

    def __init__(self, request: GoalRequest) -> None:
        self.request = request
        self.asked_at: int | None = None
        self.touched = False
        """True if a user message contains a word or value of the goal."""
        self.foreign = False
        """True if a user message is in another language than the goal, so that its words may not be recognized."""
        self._subject = self._alone = False
        """The last request of the user was about this goal; about this goal only."""
        self._said: set[str] = set()
        """Values that the chatbot has named in agreeing or proposing, since the last correction."""
        self._stage = GoalStage.ASKED
        self._evidence: Evidence | None = None
        self._report: Evidence | None = None
        """What the chatbot reports as done without the author's answer."""
        self._maybe = self._traced = self._proposed = self._again = False

    @property
    def done(self) -> bool:
        return self._stage is GoalStage.DONE

    def add_request(self, at: int, text: str, words: frozenset[str], *, asks: bool, others: bool) -> None:
        """Add a user message that `asks` for this goal, or for `others`."""
        request = self.request
        self.touched = self.touched or asks or bool(words & (request.own or request.about)) or bool(request.found(text))
        if asks and self.asked_at is None:
            self.asked_at = at
        self._again = asks and self.done
        if asks or others:
            self._subject, self._alone = asks, not others
        if (self._said or self.done) and is_correction(text) and (request.found(text) or request.contradicts(text)):
            self._said.clear()
            if self.done:
                self._note(GoalStage.ASKED, None)

    def result(self) -> tuple[GoalStage, Evidence | None]:
        """Return the stage and the quote that shows it."""
        if self.asked_at is None:
            unsure = self.touched or self._maybe or self.foreign or not self.request.about
            return (GoalStage.UNREAD if unsure else GoalStage.NOT_ASKED), None
        if self._stage is GoalStage.ASKED and self._maybe and (self._traced or self.foreign):
            return (GoalStage.ASKED, self._report) if self.request.goal.answer else (GoalStage.UNREAD, None)
        return self._stage, self._evidence or (self._report if self._stage is GoalStage.ASKED else None)

    def read_failure(self, reply: ChatbotReply) -> None:
        """Add a reply that is a fallback, an error or empty."""
        if self.done:
            self._look_for_retraction(reply)
        if self.asked_at is None or not self._subject or self.done:
            return
        self._proposed = False
        if self._stage in (GoalStage.ASKED, GoalStage.PROPOSED):
            self._note(GoalStage.ASKED, _whole(reply))

    def read_foreign(self, reply: ChatbotReply) -> None:
        """Add a reply in a language that is not understood: only the author's answer is found in it."""
        self._maybe = self.foreign = True
        if self.request.goal.answer and self.asked_at is not None and not self.done:
            self._read_stated_answer(reply, ())

    def read(self, reply: ChatbotReply) -> None:
        """Add another reply."""
        if self.asked_at is None:
            self._look_before_asking(reply)
            return
        if self.done:
            self._look_for_retraction(reply)
            return
        declared = reply.declared
        if self.request.goal.answer:
            self._read_stated_answer(reply, declared)
            return
        found = self._read_answer(reply, declared) if self.request.asks else self._read_act(reply, declared)
        if found is None:
            self._read_rest(reply, declared)
            self._proposed = self._is_offered(reply)
            self._said |= self.request.needed if self._proposed else frozenset()
            return
        stage, evidence = found
        self._note(stage, evidence)
        if stage is GoalStage.DONE:
            self._look_for_retraction(reply)

    def _look_before_asking(self, reply: ChatbotReply) -> None:
        """Note a reply that may be about the goal, which the user may have brought up in other words."""
        if self.touched or (self.request.asks and self._read_answer(reply, reply.declared)):
            self._maybe = self._traced = self._traced or bool(reply.declared)

    def _note(self, stage: GoalStage, evidence: Evidence | None) -> None:
        self._stage, self._evidence = stage, evidence
        self._proposed = stage is GoalStage.PROPOSED

    # What a reply says

    def _read_stated_answer(self, reply: ChatbotReply, declared: Sequence[Sentence]) -> None:
        """Note the answer that the author wrote down, or another one of its kind."""
        said = answer_in(self.request.goal, reply.text)
        if said is not None:
            self._note(GoalStage.DONE, _evidence(reply, said))
            return
        other = self._read_answer(reply, declared) if self.request.asks else None
        report = next((each for each in declared if not self.request.asks and self.request.reports(each.text)), None)
        self._report = _evidence(reply, report) if report else self._report
        if other is not None:
            self._note(GoalStage.CONTRADICTED, other[1])
        elif self._stage is not GoalStage.CONTRADICTED:
            self._read_rest(reply, declared)

    def _read_answer(
        self, reply: ChatbotReply, declared: Sequence[Sentence]
    ) -> tuple[GoalStage, Evidence | None] | None:
        """Return the stage that a reply to a question proves, if any."""
        request = self.request
        kind = question_kind(request.text)
        whole = " ".join(sentence.text for sentence in declared)
        about = self._subject or not request.topic.isdisjoint(stems(whole))
        self._traced = self._traced or (
            self.asked_at is not None and (kind not in _KINDS_WITH_VALUES or (about and has_kind(kind, whole)))
        )
        if not request.values or len(request.found(whole)) == len(request.needed):
            for sentence in declared:
                if answers(
                    request.text, request.topic, sentence.text, reply.asked, direct=self._subject and self._alone
                ):
                    return GoalStage.DONE, _evidence(reply, sentence)
        return None

    def _read_act(self, reply: ChatbotReply, declared: Sequence[Sentence]) -> tuple[GoalStage, Evidence | None] | None:
        """Return the stage that a reply to a wish proves, if any."""
        request = self.request
        report = next((each for each in declared if request.reports(each.text)), None)
        agreed = report or self._agreement(declared)
        refused = agreed is None and self._refusal(reply, declared) is not None
        written, called = ("", set[str]()) if refused else (_written(request, reply), _called(request, reply))
        found = called | {value for each in declared if self._says(each, report) for value in request.found(each.text)}
        wrong = next((each for each in declared if self._is_wrong(each)), None)
        done = agreed is not None or bool(written)
        self._traced = self._traced or bool(found) or done or self._is_topical(declared)
        proposes = self._proposes(reply)
        if proposes:
            self._said |= request.found(reply.text) | called
            return GoalStage.PROPOSED, _evidence(reply, proposes)
        if wrong is not None:
            return GoalStage.CONTRADICTED, _evidence(reply, wrong)
        if done and self._is_done(found, f"{agreed.text if agreed else ''} {written}", report, declared):
            return GoalStage.DONE, _best(request, reply, (*filter(None, (report or agreed,)), *declared))
        self._maybe = self._maybe or done or bool(found)
        if done:
            self._said |= found
        return None

    def _agreement(self, declared: Sequence[Sentence]) -> Sentence | None:
        """Return a statement that agrees to an order; other acts must be reported by their name."""
        if self.request.act not in (None, Act.PLACE):
            return None
        return next((each for each in declared if is_agreement(each.text)), None)

    def _says(self, sentence: Sentence, report: Sentence | None) -> bool:
        """Return True if the values of a statement are said to be those of the act."""
        if is_denial(sentence.text):
            return False
        return asserts(sentence.text) or (report is not None and self.request.reports(sentence.text))

    def _is_done(self, found: set[str], agreed: str, report: Sentence | None, declared: Sequence[Sentence]) -> bool:
        """Return True if all values were named, or the words of a goal without values in `agreed`."""
        request = self.request
        if not request.needed <= found | self._said:
            return False
        if found and len(found) == len(request.needed):
            return True
        if self._proposed and report is not None and not _lists_something_else(request, report):
            return True
        if not request.needed:
            key = request.topic - stems(request.act or "")
            return share(key, stems(agreed)) >= _MIN_SHARE or (
                report is not None and self._alone and share(key, _stems_of(declared)) >= _MIN_SHARE
            )
        return report is not None and (bool(found) or not _lists_something_else(request, report))

    def _is_wrong(self, sentence: Sentence) -> bool:
        """Return True if a statement reports the act, or an agreement, with another value than the goal's."""
        request = self.request
        if not request.contradicts(sentence.text) or request.found(sentence.text) == request.needed:
            return False
        reported = request.reports(sentence.text) or is_agreement(sentence.text)
        return reported and (self._subject or bool(stems(sentence.text) & request.topic))

    def _is_topical(self, declared: Sequence[Sentence]) -> bool:
        return any(stems(sentence.text) & self.request.topic for sentence in declared)

    def _proposes(self, reply: ChatbotReply) -> Sentence | None:
        """Return the question that asks to confirm this goal, or None.

        "Is that right?" confirms what the reply named; "could you confirm the number of drinks?" only drinks.
        """
        request = self.request
        named = bool(request.found(reply.text)) or (self._subject and bool(stems(reply.text) & request.topic))
        for question in reply.asks if named else ():
            words = stems(question.text) - CONFIRMING
            general = not words or bool(words & request.topic) or bool(request.found(question.text))
            if general and asks_to_confirm(question.text) and not asks_for_more(question.text):
                return question
        return None

    def _is_offered(self, reply: ChatbotReply) -> bool:
        """Return True if a reply asks for a yes to a wish with all its values, or all its words."""
        request, asks = self.request, not self.request.asks and reply.asks_for_yes
        words = self._subject and len(request.topic) > 1 and request.topic <= stems(reply.text)
        return asks and (request.found(reply.text) == request.needed if request.needed else words)

    def _read_rest(self, reply: ChatbotReply, declared: Sequence[Sentence]) -> None:
        """Note a refusal or a counter-question, else that a reply was about the goal and unread."""
        refused = self._refusal(reply, declared)
        if refused is not None and (self._stage is not GoalStage.REFUSED or self.request.found(refused.text)):
            self._note(GoalStage.REFUSED, _evidence(reply, refused))
            return
        yes_or_no = question_kind(self.request.text) is QuestionKind.YES_OR_NO
        stated = [each for each in declared if yes_or_no or stems(each.text)]
        if self._stage is GoalStage.REFUSED:
            if (self._subject and reply.agrees) or any(self.request.found(each.text) for each in stated):
                self._note(GoalStage.UNREAD, None)
        elif not self._subject:
            return
        elif stated or reply.paraphrases or (reply.parrots and not reply.repeats):
            self._maybe = True
            self._traced = self._traced or not stated
            self._note(GoalStage.ASKED, None)
        elif self._stage in (GoalStage.ASKED, GoalStage.PROPOSED):
            questions = reply.asks
            self._note(GoalStage.ASKED, _evidence(reply, questions[-1]) if questions else _whole(reply))

    def _refusal(self, reply: ChatbotReply, declared: Sequence[Sentence]) -> Sentence | None:
        """Return the sentence that refuses this goal, or None.

        To a question, "we do not deliver" may be the answer; "I cannot tell you" is none.
        """
        request = self.request
        if request.asks:
            helpless = [each for each in sentences(reply.text) if is_uncertain(each.text) and is_refusal(each.text)]
            said = next((each for each in helpless if self._is_about(each)), None)
            return None if any(stems(each.text) & request.topic for each in declared) else said
        for sentence in declared:
            if (is_refusal(sentence.text) or refuses(sentence.text)) and self._is_about(sentence):
                whole = bool(request.needed) and request.found(sentence.text) == request.needed
                return sentence if whole or not (self._maybe and self._traced) else None
        return None

    def _is_about(self, sentence: Sentence) -> bool:
        request = self.request
        return bool(request.found(sentence.text) or stems(sentence.text) & request.topic) or (
            self._subject and self._alone
        )

    def _look_for_retraction(self, reply: ChatbotReply) -> None:
        """Withdraw that a goal is done if a reply says that the same thing failed or is no longer valid.

        A reply retracts it also by saying so right after the user's yes.
        """
        evidence = self._evidence
        if evidence is None or self.request.asks or is_retraction(self.request.text):
            return
        if self._again and self._refuses_all(reply):
            return
        about = self.request.about | stems(evidence.text)
        for sentence in _retractions_in(reply.text):
            if reply.failed:
                same = is_revocation(sentence.text) and bool(stems(sentence.text) & about)
            elif reply.at == evidence.at:
                same = sentence.start >= evidence.end and is_revocation(sentence.text)
            else:
                agreed = starts_with_yes_or_no(reply.asked) and len(tokens(reply.asked)) <= _MAX_YES
                same = agreed or bool(stems(sentence.text) & about)
            if same:
                self._note(GoalStage.REFUSED, _evidence(reply, sentence))
                return

    def _refuses_all(self, reply: ChatbotReply) -> bool:
        """Note a refusal of a goal that the user asked for again and the reply names; return True if so."""
        about = (each for each in reply.stated if stems(each.text) & self.request.topic)
        refused = next((each for each in about if is_refusal(each.text)), None)
        if refused is None or not self.request.needed or self.request.found(reply.text) != self.request.needed:
            return False
        self._note(GoalStage.REFUSED, _evidence(reply, refused))
        return True


@cached
def _retractions_in(text: str) -> tuple[Sentence, ...]:
    """Return sentences that say that something is not done or no longer valid."""
    if not is_retraction(text):
        return ()
    return tuple(sentence for sentence in sentences(text) if is_retraction(sentence.text))


def _stems_of(declared: Sequence[Sentence]) -> frozenset[str]:
    return frozenset[str]().union(*(stems(sentence.text) for sentence in declared))


def _lists_something_else(request: GoalRequest, sentence: Sentence) -> bool:
    """Return True if a sentence lists completed things without this goal: "It is placed: a pizza"."""
    listed = sentence.text.partition(":")[2]
    return bool(_LISTED.fullmatch(fold(listed))) and stems(listed).isdisjoint(request.own or request.about)


def _written(request: GoalRequest, reply: ChatbotReply) -> str:
    """Return the arguments of tool calls that succeeded and are named like the act."""
    return " ".join(str(value) for call in _calls(request, reply) for value in call.arguments.values())


def _called(request: GoalRequest, reply: ChatbotReply) -> set[str]:
    """Return the needed values that such calls carry; a bare number counts only beside a word of the goal."""
    found: set[str] = set()
    for call in _calls(request, reply):
        carried = " ".join(map(str, call.arguments.values()))
        verbs = [word for word in tokens(call.name) if wanted_act(word) is (request.act or Act.PLACE)]
        about = " ".join([*(word for word in tokens(call.name) if word not in verbs), *call.arguments, carried])
        found |= {value for value in request.needed if mentions(carried, value) and request.names(about, value)}
    return found


def _calls(request: GoalRequest, reply: ChatbotReply) -> list[ToolCall]:
    return [
        call for call in reply.calls if call.succeeded and not looks_up(call.name) and calls_for(call.name, request.act)
    ]


def _best(request: GoalRequest, reply: ChatbotReply, declared: Sequence[Sentence]) -> Evidence:
    """Return the sentence with the most values of the goal, the first of several; of a mere call, nothing."""
    if not declared:
        return _whole(reply) or Evidence(at=reply.at, start=0, end=0, text="")
    return _evidence(reply, max(declared, key=lambda sentence: len(request.found(sentence.text))))


def _evidence(reply: ChatbotReply, sentence: Sentence) -> Evidence:
    place = {"at": reply.at, "start": sentence.start, "end": sentence.end, "text": sentence.text}
    return Evidence.unchecked(place)


def _whole(reply: ChatbotReply) -> Evidence | None:
    """Return the first sentence of a reply, or None if it is empty."""
    said = sentences(reply.text)
    return _evidence(reply, said[0]) if said else None

"""The model judge: scores a conversation by a rubric, with quotes that are checked verbatim."""

import re
from dataclasses import replace
from functools import cache, lru_cache
from importlib.resources import files

from pydantic import BaseModel

from sparring.core.audit import Audit, Blame, Fault
from sparring.core.checks import Rubric
from sparring.core.conversation import Conversation, Evidence, GoalStage
from sparring.core.errors import BadCompletion, ModelError
from sparring.core.prompts import Agent, Prompts
from sparring.core.seeding import random_for
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.extraction import typed_values
from sparring.extraction.tokens import tokens
from sparring.judges.judge import BaseJudge
from sparring.judges.rubric_files import GENERAL, PROMPT
from sparring.judges.transcript_json import delimiter, record
from sparring.llm.model import ChatMessage, Model, Request
from sparring.llm.redaction import quote
from sparring.llm.structured_output import ask
from sparring.llm.template import Template, read

_SHORTEST_EVIDENCE = 12
"""Fewest characters of a quote that is evidence although it is neither a whole message nor has a typed value."""

_TYPED = ("money", "date", "time", "code")


def find(words: str, at: int, conversation: Conversation) -> Evidence | None:
    """Find quoted words in message `at`, or return None.

    White space may differ, as models change it when they copy text from JSON.
    """
    if not words.strip() or not 0 <= at < len(conversation.messages):
        return None
    text = conversation.messages[at].text
    match = re.search(r"\s+".join(map(re.escape, words.split())), text)
    return match and Evidence(at=at, start=match.start(), end=match.end(), text=match[0])


def _is_evident(found: Evidence, conversation: Conversation) -> bool:
    """Return True if a quote is long or specific enough to be evidence.

    Single letters and common words are not.
    """
    whole = found.text.strip() == conversation.messages[found.at].text.strip()
    long = len(" ".join(found.text.split())) >= _SHORTEST_EVIDENCE and any(map(str.isalnum, found.text))
    return whole or long or any(typed_values.find(kind, found.text) for kind in _TYPED)


def _is_chatbots(found: Evidence, conversation: Conversation) -> bool:
    """Return True if the chatbot itself said the quoted words in this conversation."""
    said = conversation.messages[found.at]
    return said.role == "chatbot" and not said.injected and found.at >= len(conversation.case.history)


_MOST_QUOTES = 50
_SHORTEST_QUOTE = 3
"""Words of a quotation in a comment; shorter ones may be terms."""

_QUOTED = re.compile(r"\"[^\"]{1,2000}\"|“[^“”]{1,2000}”|„[^„“”]{1,2000}[“”]|«[^«»]{1,2000}»")
_WISHED = re.compile(r"\b(?:should|could|would|ought|instead|better|e\.g|for example)\b", re.IGNORECASE)
"""Words before a quotation of what might have been said."""

_BEFORE = 60
"""Most characters of the words before a quotation."""

_LONGEST_COMMENT = 10_000

_NOWHERE = "is in no message"


class Quote(BaseModel):
    """Words of a message, by its number."""

    n: int
    words: str


class Judgement(BaseModel):
    """A model's answer: first its observations, then its verdict."""

    quotes: list[Quote]
    comment: str
    score: int


class UnfoundedJudgement(BadCompletion):
    """A judgement with quotes that are not in the record."""


class ModelJudge(BaseJudge):
    """Scores conversations by a rubric with `model`, without tools.

    The conversation is passed as data between two random delimiter lines that it cannot contain. An answer with wrong
    quotes or a score off the scale is returned to the model once, and so is a pass by the general rubric without the
    best score if a goal was only asked. If it is still wrong, or the model fails, the verdict is an error without a
    score; the fault `judge.unfounded` if the model still quotes what was never said.
    """

    def __init__(self, model: Model) -> None:
        self.model = model

    async def judge(self, conversation: Conversation, rubric: Rubric) -> Verdict:
        about = Verdict(
            check=rubric.name, outcome=CheckOutcome.ERROR, conversation=conversation.id, by="model", rubric=rubric.hash
        )
        try:
            said = await self._asked(conversation, rubric)
        except UnfoundedJudgement as error:
            fault = Fault(kind="judge.unfounded", blame=Blame.JUDGE, reason=str(error), evidence=())
            return about.model_copy(update={"reason": str(error), "audit": Audit(faults=(fault,))})
        except ModelError as error:
            return about.model_copy(update={"reason": str(error)})
        passed = said.score >= rubric.pass_mark
        return about.model_copy(
            update={
                "outcome": CheckOutcome.PASS if passed else CheckOutcome.FAIL,
                "reason": said.comment.strip(),
                "score": float(said.score),
                "evidence": _evidence(said, conversation, passed=passed),
            }
        )

    async def _asked(self, conversation: Conversation, rubric: Rubric) -> Judgement:
        request = request_of(conversation, rubric)
        said = await ask(self.model, request, Judgement)
        if wrong := _wrong(said, conversation, rubric):
            again = (
                ChatMessage("assistant", said.model_dump_json()),
                ChatMessage("user", _again().fill({"wrong": "\n".join(f"- {each}" for each in wrong)})),
            )
            said = await ask(self.model, replace(request, messages=request.messages + again), Judgement)
            wrong = _wrong(said, conversation, rubric)
        if wrong:
            made_up = any(_NOWHERE in each for each in wrong)
            raise (UnfoundedJudgement if made_up else BadCompletion)(
                f"the judge's answer does not hold: {quote('; '.join(wrong))}"
            )
        return said


def request_of(conversation: Conversation, rubric: Rubric) -> Request:
    """Build the request for a judge. The seed and the delimiter derive from the seed of the case."""
    random = random_for(conversation.case, "judge", rubric.hash)
    shown = record(conversation, rubric)
    line = delimiter(shown + rubric.text, random)
    return Request(
        messages=(
            ChatMessage("system", instructions(rubric, line)),
            ChatMessage("user", f"{line}\n{shown}\n{line}"),
        ),
        temperature=0,
        seed=random.getrandbits(31),
    )


def instructions(rubric: Rubric, line: str) -> str:
    """Return the system prompt of a judge; `line` delimits the record."""
    return (
        _read(rubric.prompt or PROMPT)
        .fill(
            {
                "rubric": rubric.text.strip(),
                "language": rubric.language,
                "worst": rubric.scale.worst,
                "best": rubric.scale.best,
                "delimiter": line,
            }
        )
        .strip()
    )


def prompts(prompt: str = PROMPT) -> Prompts:
    """Return a judge prompt as a version to store."""
    return Prompts(name="judge", entry="judge", agents={"judge": Agent(prompt=prompt.strip())})


def _wrong(said: Judgement, conversation: Conversation, rubric: Rubric) -> list[str]:
    """Return the reasons to reject an answer."""
    wrong = []
    if said.score not in rubric.scale:
        wrong.append(f"`score` is {said.score}, and should be from {rubric.scale.worst} to {rubric.scale.best}")
    if not said.comment.strip():
        wrong.append("`comment` is empty")
    wrong += _wrong_quotes(said, conversation, passed=said.score >= rubric.pass_mark)
    if rubric.name == GENERAL and rubric.pass_mark <= said.score < rubric.scale.best:
        unanswered = (goal.text for goal in conversation.goals if goal.stage is GoalStage.ASKED)
        wrong += [f"`score` is {said.score}, and no reply to {each[:200]!r} was found" for each in unanswered]
    return wrong + [
        f"`comment` quotes {each[:200]!r}, which {_NOWHERE}" for each in _made_up(said, conversation, rubric)
    ]


def _wrong_quotes(said: Judgement, conversation: Conversation, *, passed: bool) -> list[str]:
    """Return the reasons why quotes are no evidence; a score that does not pass blames the chatbot."""
    spoken = [at for at, message in enumerate(conversation.messages) if message.text.strip()]
    if not said.quotes:
        return ["`quotes` is empty"] if spoken else []
    wrong, found = [], []
    for each in said.quotes[:_MOST_QUOTES]:
        evidence = find(each.words, each.n, conversation)
        if evidence is None:
            place = next((at for at in spoken if find(each.words, at, conversation)), None)
            wrong.append(
                f"{each.words[:200]!r} {_NOWHERE if place is None else f'is in message {place}, not {each.n}'}"
            )
        elif not _is_evident(evidence, conversation):
            wrong.append(f"{each.words!r} is too short: quote {_SHORTEST_EVIDENCE} characters or the whole message")
        else:
            found.append(evidence)
    own = any(_is_chatbots(Evidence(at=at, start=0, end=0, text=""), conversation) for at in spoken)
    if not passed and own and not wrong and not any(_is_chatbots(each, conversation) for each in found):
        wrong.append("the score blames the chatbot, and `quotes` has no words that the chatbot itself said")
    return wrong


def _made_up(said: Judgement, conversation: Conversation, rubric: Rubric) -> list[str]:
    """Return quotes of a comment that neither the record nor the rubric contains."""
    shown = [
        rubric.text,
        record(conversation, rubric).replace("\\n", " "),
        *(each.text for each in conversation.messages),
    ]
    known = [f" {' '.join(tokens(text))} " for text in shown]
    quoted = [
        part.strip()
        for found in _QUOTED.finditer(said.comment[:_LONGEST_COMMENT])
        if not _WISHED.search(said.comment, max(found.start() - _BEFORE, 0), found.start())
        for part in re.split(r"\.{3}|…|\[[^\]]*\]", found[0][1:-1])
    ]
    spoken = {part: tokens(part) for part in quoted}
    return [
        part
        for part, words in spoken.items()
        if len(words) >= _SHORTEST_QUOTE and not any(f" {' '.join(words)} " in text for text in known)
    ]


def _evidence(said: Judgement, conversation: Conversation, *, passed: bool) -> tuple[Evidence, ...]:
    """Return the quotes; of a score that does not pass, those of the chatbot, if there are any."""
    found = [find(each.words, each.n, conversation) for each in said.quotes[:_MOST_QUOTES]]
    quotes = tuple(dict.fromkeys(each for each in found if each is not None))
    own = tuple(each for each in quotes if _is_chatbots(each, conversation))
    return quotes if passed or not own else own


@cache
def _again() -> Template:
    return read(files("sparring.judges").joinpath("prompts/again.md").read_text(encoding="utf-8"))


@lru_cache(maxsize=16)
def _read(prompt: str) -> Template:
    return read(prompt)

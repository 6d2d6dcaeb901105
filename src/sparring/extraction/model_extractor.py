"""Reader that asks a model and keeps only what quotes from the conversation support."""

import json
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

from pydantic import BaseModel

from sparring.core.case import Case, Goal, OutputSpec
from sparring.core.clock import Clock
from sparring.core.conversation import Conversation, Evidence, GoalProgress, GoalStage, Output
from sparring.core.message import Role
from sparring.core.seeding import derived_seed
from sparring.extraction import typed_values
from sparring.extraction.extractor import BaseReader, Extraction, ExtractionContext, extraction_context, extraction_of
from sparring.extraction.stated_answers import answer_in
from sparring.llm.model import ChatMessage, Model, Request
from sparring.llm.structured_output import ask
from sparring.llm.template import Template, read

_MAX_MESSAGE = 4000
"""Maximum characters of a message in the prompt."""


class ExtractedGoal(BaseModel):
    """A goal as the model reports it."""

    goal: int
    asked: int | None = None
    asked_words: str = ""
    stage: GoalStage = GoalStage.UNREAD
    shown: int | None = None
    words: str = ""


class ExtractedOutput(BaseModel):
    """An output as the model reports it."""

    name: str
    stated: int | None = None
    words: str = ""
    value: str | bool | int | float | None = None


class ModelExtraction(BaseModel):
    """Structured answer of the model."""

    goals: list[ExtractedGoal] = []
    outputs: list[ExtractedOutput] = []


class ModelReader(BaseReader):
    """Extracts free paraphrases, too, with one call of `model` each time.

    Quotes that are not in the message are dropped, and so are values that the patterns of their type do not find in the
    quote. Errors of the model are raised.
    """

    def __init__(self, model: Model, clock: Clock | None = None) -> None:
        self._model = model
        self._clock = clock

    async def read(self, conversation: Conversation) -> Extraction:
        case = conversation.case
        said = await ask(self._model, _request(conversation), ModelExtraction)
        goals = {each.goal: each for each in reversed(said.goals)}
        outputs = {each.name: each for each in reversed(said.outputs)}
        where = extraction_context(case, self._clock.now().date() if self._clock else None)
        return extraction_of(
            case,
            tuple(_progress(goal, goals.get(number), conversation) for number, goal in enumerate(case.goals, 1)),
            tuple(_output(spec, outputs.get(spec.name), conversation, where) for spec in case.outputs),
        )


def _progress(goal: Goal, said: ExtractedGoal | None, conversation: Conversation) -> GoalProgress:
    """Return the stage that the model names if its quotes bear it out; otherwise the goal is unread."""
    if said is None:
        return GoalProgress(text=goal.text, stage=GoalStage.UNREAD)
    asked = _evidence(said.asked, said.asked_words, "user", conversation)
    if asked is None:
        unsure = said.asked is not None or said.stage is not GoalStage.NOT_ASKED
        return GoalProgress(text=goal.text, stage=GoalStage.UNREAD if unsure else GoalStage.NOT_ASKED)
    stage, shown = said.stage, _evidence(said.shown, said.words, "chatbot", conversation)
    if shown is not None and shown.at < asked.at:
        shown = None
    if goal.answer:
        stage, shown = _stated(goal, asked.at, stage, shown, conversation)
    elif (shown is None and stage is not GoalStage.ASKED) or stage is GoalStage.NOT_ASKED:
        stage, shown = GoalStage.UNREAD, None
    return GoalProgress(text=goal.text, asked_at=asked.at, stage=stage, evidence=shown)


def _stated(
    goal: Goal, asked_at: int, stage: GoalStage, shown: Evidence | None, conversation: Conversation
) -> tuple[GoalStage, Evidence | None]:
    """Return that a goal is done if a reply has the author's answer; another answer contradicts it."""
    for at, message in enumerate(conversation.messages[asked_at:], asked_at):
        found = answer_in(goal, message.text) if message.role == "chatbot" and not message.injected else None
        if found is not None:
            return GoalStage.DONE, Evidence(at=at, start=found.start, end=found.end, text=found.text)
    if shown is None:
        return GoalStage.ASKED, None
    return (GoalStage.CONTRADICTED if stage is GoalStage.DONE else stage), shown


def _output(
    spec: OutputSpec, said: ExtractedOutput | None, conversation: Conversation, where: ExtractionContext
) -> Output:
    evidence = _evidence(said.stated, said.words, "chatbot", conversation) if said else None
    if said is None or evidence is None:
        return Output(name=spec.name, type=spec.type)
    if said.value is None or (spec.type == "bool" and isinstance(said.value, bool)):
        return Output(name=spec.name, type=spec.type, value=said.value, evidence=evidence)
    if spec.type in typed_values.TEXT or not typed_values.is_known_type(spec.type):
        value = str(said.value)
        value = value if value and value in evidence.text else evidence.text
        return Output(name=spec.name, type=spec.type, value=value, evidence=evidence)
    return _verify(spec, str(said.value), evidence, where)


def _verify(spec: OutputSpec, value: str, evidence: Evidence, where: ExtractionContext) -> Output:
    """Return the value that the patterns of its type find in the quote; of several, the model's."""
    found = typed_values.find(spec.type, evidence.text, where)
    meant = [each for each in found if value in (str(each.value), evidence.text[each.start : each.end])] or found
    if not meant:
        return Output(name=spec.name, type=spec.type)
    start, end = evidence.start + meant[0].start, evidence.start + meant[0].end
    words = evidence.text[meant[0].start : meant[0].end]
    exactly = Evidence(at=evidence.at, start=start, end=end, text=words)
    return Output(name=spec.name, type=spec.type, value=meant[0].value, evidence=exactly)


def _evidence(at: int | None, words: str, role: Role, conversation: Conversation) -> Evidence | None:
    """Return the quote, or None if `role` did not say it in that message or it is part of the history."""
    if at is None or not len(conversation.case.history) <= at < len(conversation.messages):
        return None
    message = conversation.messages[at]
    start = message.text.find(words.strip())
    if message.role != role or message.injected or not words.strip() or start < 0:
        return None
    return Evidence(at=at, start=start, end=start + len(words.strip()), text=words.strip())


def _request(conversation: Conversation) -> Request:
    case = conversation.case
    lines = [
        json.dumps({"n": at, "who": each.role, "text": each.text[:_MAX_MESSAGE]}, ensure_ascii=False)
        for at, each in enumerate(conversation.messages)
        if not each.injected
    ]
    return Request(
        messages=(ChatMessage("system", reading_instructions(case)), ChatMessage("user", "\n".join(lines))),
        temperature=0,
        seed=derived_seed(case, "reader", conversation.turns),
    )


def reading_instructions(case: Case) -> str:
    """Return the prompt of a reading model for a case, without the transcript."""
    goals = _lines(f"{number}. {goal.text}" for number, goal in enumerate(case.goals, 1))
    outputs = _lines(
        f"- `{spec.name}`, of type {spec.type}{f': {spec.description}' if spec.description else ''}"
        for spec in case.outputs
    )
    return _prompt().fill({"goals": goals, "outputs": outputs}).strip()


def _lines(lines: Iterable[str]) -> str:
    return "\n".join(lines) or "None."


@cache
def _prompt() -> Template:
    return read(files("sparring.extraction").joinpath("prompts/reading.md").read_text(encoding="utf-8"))

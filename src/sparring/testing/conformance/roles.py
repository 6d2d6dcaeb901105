"""Requirements on models, users, judges, readers and kinds of scenario file.

Each suite takes a function that makes one, and raises AssertionError with the requirement that does not hold.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from typing import Any, TypeVar

from sparring import parsing
from sparring.core import plugins
from sparring.core.case import Case, Goal, OutputSpec
from sparring.core.conversation import Conversation, Ending, Evidence, goal_progress
from sparring.core.errors import InputError, ModelError, UserError
from sparring.core.message import message
from sparring.core.plugins import with_defaults
from sparring.core.value import Json, Value
from sparring.core.verdict import CheckOutcome
from sparring.extraction.extractor import BaseReader
from sparring.judges.judge import BaseJudge
from sparring.judges.rubric_files import GROUP as RUBRICS
from sparring.llm.model import ChatMessage, Completion, Request
from sparring.parsing.json_reader import JsonDocument
from sparring.scenarios.expansion import LoadOptions
from sparring.scenarios.kinds import ScenarioKind, SourceDocument
from sparring.testing.conformance.chatbots import require
from sparring.testing.factories import RUBRIC
from sparring.users.user import BaseUser

T = TypeVar("T", bound=Value)
_CASE = Case(id="conformance", goals=(Goal(text="a large pizza"),), outputs=(OutputSpec(name="price", type="money"),))
_MESSAGES = (message("user", "A large pizza, please."), message("chatbot", "One large pizza. That is $12.50."))


async def check_model(make: Callable[[], Any]) -> None:
    """Check a model: it answers a request with a completion or a ModelError, and counts its calls.

    `make` returns a model. Raise AssertionError with the first requirement that does not hold.
    """
    request = Request(messages=(ChatMessage("system", "Be brief."), ChatMessage("user", "Hello")))
    model = make()
    try:
        completion = await model.complete(request)
    except ModelError as error:
        require(bool(str(error)), "a ModelError has a reason")
        return
    require(isinstance(completion, Completion), f"complete returns a Completion, not {type(completion).__name__}")
    require(bool(completion.text or completion.tool_requests), "a completion has text or tool requests")
    usage = completion.usage
    require(usage.calls + usage.from_cache >= 1, "a completion counts its call in `usage`")


async def check_user(make: Callable[[], Any]) -> None:
    """Check a user: it speaks as the user, begins and ends conversations, and keeps no state between them.

    `make` returns a user. Raise AssertionError with the first requirement that does not hold.
    """
    first, second = [await _spoken(make()) for _ in range(2)]
    require(first == second, "two users of one kind say the same in the same case: the seed decides")
    user = make()
    require([await _spoken(user), await _spoken(user)] == [first, first], "a user keeps no state between conversations")
    for said in first:
        require(said is None or said.role == "user", "a message of a user has the role 'user'")
    warnings = with_defaults(user, BaseUser()).warnings(_CASE)
    require(all(isinstance(each, str) for each in warnings), "`warnings` returns texts")


async def _spoken(user: Any) -> list[Any]:
    """Return what a user says first, and after a reply."""
    said = []
    for conversation in (Conversation(case=_CASE), Conversation(case=_CASE, messages=_MESSAGES)):
        try:
            said.append(await user.speak(conversation))
        except (UserError, ModelError) as error:
            require(bool(str(error)), "a UserError has a reason")
            said.append(None)
    return said


async def check_judge(make: Callable[[], Any]) -> None:
    """Check that verdicts of a judge name the conversation, have reasons, and survive the store.

    `make` returns a judge. Raise AssertionError with the first requirement that does not hold.
    """
    asked = tuple(goal_progress(goal.text, 0, None) for goal in _CASE.goals)
    conversation = Conversation(case=_CASE, messages=_MESSAGES, ending=Ending.GOALS_ANSWERED, goals=asked)
    judge = make()
    verdict = await judge.judge(conversation, RUBRIC)
    require(verdict.conversation == conversation.id, "a verdict names the conversation that it is about")
    require(bool(verdict.check), "a verdict names its check")
    decided = verdict.outcome in (CheckOutcome.PASS, CheckOutcome.NOT_APPLICABLE)
    require(decided or bool(verdict.reason), "a verdict has a reason unless it passes")
    require(verdict.score is None or verdict.outcome is not CheckOutcome.ERROR, "an undecided verdict has no score")
    _check_quotes(verdict.evidence, conversation)
    require(_stored(verdict) == verdict, "a verdict is the same after it was stored")
    if with_defaults(judge, BaseJudge()).deterministic:
        require(await judge.judge(conversation, RUBRIC) == verdict, "a deterministic judge decides the same again")


async def check_reader(make: Callable[[], Any]) -> None:
    """Check a reader: one entry for each goal and output, quotes that stand in the messages, and no state.

    `make` returns a reader. Raise AssertionError with the first requirement that does not hold.
    """
    reader = make()
    for messages in ((), _MESSAGES):
        conversation = Conversation(case=_CASE, messages=messages)
        extraction = await reader.read(conversation)
        require(len(extraction.goals) == len(_CASE.goals), "an extraction has one entry for each goal")
        names = [output.name for output in extraction.outputs]
        require(names == [output.name for output in _CASE.outputs], "an extraction has one entry for each output")
        evidence = [*(each.answered for each in extraction.goals), *(each.evidence for each in extraction.outputs)]
        _check_quotes(filter(None, evidence), conversation)
        incremental = with_defaults(reader, BaseReader()).incremental()
        require(await incremental.read(conversation) == extraction, "an incremental reader reads the same")
        require(await reader.read(conversation) == extraction, "a reader reads the same again")
    warnings = with_defaults(reader, BaseReader()).warnings(_CASE)
    require(all(isinstance(each, str) for each in warnings), "`warnings` returns texts")


def _check_quotes(evidence: Iterable[Evidence], conversation: Conversation) -> None:
    for each in evidence:
        require(each.at < len(conversation.messages), "evidence names a message of the conversation")
        text = conversation.messages[each.at].text[each.start : each.end]
        require(text == each.text, f"evidence quotes {each.text!r}, and the message has {text!r} there")


def _stored(value: T) -> T:
    return type(value).model_validate_json(value.model_dump_json())


OPTIONS = LoadOptions(seed=7, today=date(2025, 3, 14))

_FOREIGN = ("{}", "[]", "[1, null]", '"text"', "7", "null", '{"unrelated": [{"deep": {}}]}')
"""Documents that no kind can expand."""


def check_scenario_kind(
    kind: ScenarioKind, *, valid: Sequence[SourceDocument], invalid: Sequence[SourceDocument] = ()
) -> None:
    """Check a scenario kind; raise an `AssertionError` that names the first violation.

    `valid` are documents of this kind that expand to cases without values from outside; `invalid` are documents of
    this kind with mistakes.
    """
    require(bool(valid), "no valid document is given")
    require(kind.label.strip() == kind.label != "" and kind.label.isprintable(), "the label is not a name")
    check_recognition(kind, valid)
    for document in valid:
        check_cases(kind, document)
        for case in kind.cases(document, OPTIONS).cases:
            check_facts(kind, case)
    for document in (*invalid, *_foreign()):
        check_complaints(kind, document)
    for name in ("name", "Own", "OWN", *kind.decisive):
        once = kind.canonical(name)
        require(kind.canonical(once) == once, f"the canonical name of {name!r} changes if it is asked again")
    for name in kind.decisive:
        require(kind.canonical(name) == name, f"the decisive variable {name!r} is not written canonically")


def check_recognition(kind: ScenarioKind, valid: Sequence[SourceDocument]) -> None:
    """Check that a kind recognises its own documents, and answers for every other without an exception."""
    for document in valid:
        require(kind.recognises(document) is True, f"{document.file} is not recognised")
    for document in _foreign():
        require(isinstance(kind.recognises(document), bool), "recognises() returns neither True nor False")


def check_cases(kind: ScenarioKind, document: SourceDocument) -> None:
    """Check that a document expands to cases that can be told apart, stored, judged, and made again."""
    cases = kind.cases(document, OPTIONS).cases
    require(bool(cases), f"{document.file} expands to no case")
    require(kind.cases(document, OPTIONS).cases == cases, "the same document and seed give different cases")
    ids = [case.id for case in cases]
    require(len(set(ids)) == len(ids), "two cases have the same id")
    for case in cases:
        require(case.id != "" and case.id.isprintable(), f"the id {case.id!r} is not a name")
        require(Case.model_validate_json(case.model_dump_json()) == case, f"{case.id} does not survive JSON")
        require(
            case.standard_rubric in plugins.names(RUBRICS),
            f"the standard rubric {case.standard_rubric!r} of {case.id} is not installed",
        )


def check_complaints(kind: ScenarioKind, document: SourceDocument) -> None:
    """Check that a document with mistakes raises only an `InputError` that names the file."""
    try:
        kind.cases(document, OPTIONS)
    except InputError as error:
        require(bool(error.problems), f"{document.file} is refused without a problem")
        for problem in error.problems:
            require(problem.file == document.file, f"a problem of {document.file} names the file {problem.file!r}")
    else:
        require(False, f"{document.file} has mistakes and is accepted: {document.data!r}")


def check_facts(kind: ScenarioKind, case: Case) -> None:
    """Check that facts known later become variables of the case and change neither its id nor its goals."""
    facts: dict[str, Json] = {"CLIENT_NAME": "Anna", "own": [1, "two"]}
    require(kind.informed(case, {}) == case, "no facts change the case")
    informed = kind.informed(case, facts)
    require({**case.variables, **facts} == informed.variables, "the facts are not the variables of the informed case")
    same = {"id", "goals", "script", "seed", "expectations", "standard_rubric"}
    require(informed.model_dump(include=same) == case.model_dump(include=same), "facts change what the case is about")


def _foreign() -> Iterator[SourceDocument]:
    for text in _FOREIGN:
        yield JsonDocument(text, "foreign.json")
        yield parsing.parse(text, "foreign.yaml")

"""Steps of a script and of a playbook, and the history before a conversation."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sparring.core.case import InjectReply, InjectTool, Say, Step
from sparring.core.checks import Expectation
from sparring.core.message import Message, message
from sparring.core.value import Json
from sparring.scenarios.effects import EFFECTS
from sparring.scenarios.expectations import EXPECTATIONS, expectations
from sparring.scenarios.field_reader import FieldReader
from sparring.scenarios.field_types import (
    ANYTHING,
    BOOLEAN,
    MAPPING,
    TEXT,
    AnyOf,
    Key,
    ListOf,
    OneOf,
    Record,
    Shared,
    WholeNumber,
)
from sparring.scenarios.placeholders import fill_json, texts, to_json

Said = Callable[[str], str]

_EXPECT = Key(EXPECTATIONS, "what must hold after this step")
MODE = OneOf(("history", "stub"))
MODE_MEANING = "history: it has been used; stub: the next use of it gets this result"
_TOOL = Record(
    {
        "name": Key(TEXT, "the tool", required=True),
        "arguments": Key(MAPPING, "what it is given; of a stub, what it must be given among others"),
        "result": Key(ANYTHING, "what comes back"),
        "mode": Key(MODE, MODE_MEANING),
    }
)
_STEPS = {
    "say": Record({"say": Key(TEXT, "what the user says", required=True), "expect": _EXPECT}),
    "inject_reply": Record(
        {
            "inject_reply": Key(
                TEXT, "what the chatbot has said from here on, without having been asked", required=True
            ),
            "ends": Key(BOOLEAN, "whether it ends the conversation"),
            "expect": _EXPECT,
        }
    ),
    "inject_tool": Record({"inject_tool": Key(Shared("tool", lambda: _TOOL), required=True), "expect": _EXPECT}),
}
_ANY_STEP = Record({name: Key(ANYTHING) for step in _STEPS.values() for name in step.keys})
SCRIPT = ListOf(Shared("step", lambda: AnyOf((TEXT, *_STEPS.values()))))
_MESSAGE = Record({"user": Key(TEXT), "chatbot": Key(TEXT)}, least=1, most=1)
HISTORY = ListOf(_MESSAGE)


@dataclass(frozen=True, slots=True)
class Script:
    """Steps with placeholders, their phrases with places, and the expectations after steps.

    `written` counts all steps of the file, even invalid ones.
    """

    steps: tuple[Step, ...] = ()
    phrases: tuple[tuple[FieldReader, str], ...] = ()
    expectations: tuple[Expectation, ...] = ()
    written: int = 0


def script(part: FieldReader) -> Script:
    """Parse steps: a line to say, or a mapping with `say`, `inject_reply` or `inject_tool`.

    A mapping may also have `expect`.
    """
    steps: list[Step] = []
    phrases: list[tuple[FieldReader, str]] = []
    expected: list[Expectation] = []
    for number, item in enumerate(part.items(), 1):
        if not isinstance(item.data, dict):
            steps.append(Say(text=item.text()))
            phrases += texts(item)
            continue
        fields = item.fields(_ANY_STEP)
        step = _step(item, fields)
        steps += [step] if step else []
        phrases += [found for kind in _STEPS if kind in fields for found in texts(fields[kind])]
        if "expect" in fields:
            expected += expectations(fields["expect"], after=number)
    return Script(tuple(steps), tuple(phrases), tuple(expected), len(part.items()))


def _step(whole: FieldReader, fields: Mapping[str, FieldReader]) -> Step | None:
    """Parse the step in a mapping; report a problem and return None if it is none or several."""
    kinds = [kind for kind in _STEPS if kind in fields]
    if len(kinds) > 1:
        whole.report(f"one step is one of {', '.join(_STEPS)}", "write one step for each")
        return None
    if "ends" in fields and kinds != ["inject_reply"]:
        fields["ends"].report("belongs to inject_reply", key=True)
    if not kinds:
        whole.at("say", None).report("is missing")
        return None
    if kinds == ["inject_tool"]:
        return _inject_tool(fields["inject_tool"])
    text = fields[kinds[0]].text()
    if kinds == ["say"]:
        return Say(text=text)
    return InjectReply(text=text, ends=fields["ends"].boolean() if "ends" in fields else False)


def _inject_tool(part: FieldReader) -> InjectTool | None:
    """Parse an injected tool call: name, arguments, result, and history or stub."""
    fields = part.fields(_TOOL)
    given = to_json(fields["arguments"].data) if "arguments" in fields else {}
    if not isinstance(given, dict):
        fields["arguments"].entries()
        given = {}
    mode = fields["mode"].one_of(MODE) if "mode" in fields else ""
    if "name" not in fields or not (name := fields["name"].text()):
        return None
    result = to_json(fields["result"].data) if "result" in fields else None
    return InjectTool(name=name, arguments=given, result=result, mode="stub" if mode == "stub" else "history")


def fill_step(step: Step, values: Mapping[str, Json], said: Said) -> Step:
    """Return the step with values in place of its placeholders."""
    if not isinstance(step, InjectTool):
        return step.model_copy(update={"text": said(step.text)})
    arguments = {name: fill_json(value, values, said) for name, value in step.arguments.items()}
    return step.model_copy(update={"arguments": arguments, "result": fill_json(step.result, values, said)})


def history(part: FieldReader) -> tuple[Message, ...]:
    """Parse the history: `{user: ...}` and `{chatbot: ...}`, in order."""
    said = []
    for item in part.items():
        fields = item.fields(_MESSAGE)
        if len(fields) > 1:
            item.report("a message has one speaker", "write one line for each")
        said += [message("user" if role == "user" else "chatbot", more.text()) for role, more in fields.items()]
    return tuple(said)


SINCE = OneOf(("start", "last_user"))
TIMES = WholeNumber(least=0)


@dataclass(frozen=True, slots=True)
class StepKind:
    """A kind of step: its first option with the others beside it, or all options in one mapping."""

    meaning: str
    options: Record

    @property
    def first(self) -> str:
        return next(iter(self.options.keys))

    def written(self, name: str) -> Record:
        """Return the keys of a step of this kind."""
        others = [each for each in self.options.keys if each != self.first]
        step = Key(AnyOf((TEXT, self.options)), self.meaning, required=True)
        return Record({name: step}) | self.options.picked(others)


STEP_KINDS = {
    "user": StepKind("what the user says", Record({"text": Key(TEXT, required=True)})),
    "inject_bot_response": StepKind(
        "what the chatbot has said from here on", Record({"text": Key(TEXT, required=True), "ends": Key(BOOLEAN)})
    ),
    "inject_tool": StepKind(
        "a tool the chatbot has used, or what comes back when it does",
        Record(
            {
                "name": Key(TEXT, required=True),
                "args": Key(MAPPING, "what it is given"),
                "result": Key(ANYTHING, "what comes back"),
                "mode": Key(MODE, MODE_MEANING),
            }
        ),
    ),
    "expect_tool": StepKind(
        "a tool that has been used",
        Record(
            {
                "name": Key(TEXT, required=True),
                "args": Key(MAPPING, "arguments, these among others"),
                "since": Key(SINCE, "from when on it counts"),
                "times": Key(TIMES, "how often exactly"),
                "not": Key(BOOLEAN, "it must not be used"),
                "result": Key(ANYTHING, "what a call returned, even if it failed; of a mapping, these entries"),
            }
        ),
    ),
    "expect_bot_regex": StepKind(
        "a pattern in what the chatbot replied last",
        Record(
            {
                "pattern": Key(TEXT, required=True),
                "any": Key(BOOLEAN, "in any reply, not only the last"),
                "not": Key(BOOLEAN, "it must not be found"),
                "if_said": Key(TEXT, "only if a reply matches this pattern"),
                "repeated": Key(BOOLEAN, "what it matches must be in an earlier reply too"),
            }
        ),
    ),
}
STEPS = {name: kind.written(name) for name, kind in STEP_KINDS.items()}
STEPS |= {name: Record({name: Key(key.type, key.meaning, required=True)}) for name, key in EFFECTS.keys.items()}

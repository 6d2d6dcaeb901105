"""The kinds of steps of a playbook, with their options."""

from dataclasses import dataclass

from sparring.scenarios.effects import EFFECTS
from sparring.scenarios.field_types import ANYTHING, BOOLEAN, MAPPING, TEXT, AnyOf, Key, OneOf, Record, WholeNumber
from sparring.scenarios.script_steps import MODE, MODE_MEANING

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

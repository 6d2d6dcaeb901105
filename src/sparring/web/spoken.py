"""A version of prompts as it is sent: texts and names, and nothing that could be run, opened or looked up."""

from typing import Annotated

from pydantic import Field, PositiveInt

from sparring.chatbots.prompted.chatbot import ALONE
from sparring.core.errors import InputError
from sparring.core.prompts import Agent, Prompts, Variable
from sparring.core.value import Value
from sparring.llm import template

_GIVEN = "session"


class Spoken(Value):
    """Everything a chatbot is told, as texts: a prompt for each agent, the tools that it may use of those which the
    chatbot has, and to whom it hands over, and when.
    """

    description: str = ""
    entry: str
    agents: dict[str, Agent] = Field(min_length=1, max_length=100)
    variables: dict[str, Variable] = {}
    greeting: str = ""
    handoffs_per_turn: PositiveInt = Field(5, le=1000)


class Wording(Value):
    """A version to save: a name, the chatbot whose tools it is for (the operator's first if not given), and texts."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9 ._@/-]{0,99}$")]
    chatbot: Annotated[str, Field(max_length=200)] | None = None
    spec: Spoken

    def prompts(self) -> Prompts:
        """The version, as it is kept but for the tools."""
        return Prompts(name=self.name, **dict(self.spec))


def spoken(prompts: Prompts) -> Spoken:
    """A version as it would be sent. A prompt without a spec declares nothing, and needs whatever it mentions."""
    said = {name: getattr(prompts, name) for name in Spoken.model_fields}
    if not prompts.variables and tuple(prompts.agents) == (ALONE,):
        needed = Variable(required=True)
        said["variables"] = {name: needed for name in _fields(prompts) if name != _GIVEN}
    return Spoken(**said)


def _fields(prompts: Prompts) -> list[str]:
    found = dict[str, None]()
    for text in (prompts.agents[ALONE].prompt, prompts.greeting):
        try:
            needs = list(template.read(text).needs())
        except InputError:  # it was kept by a version that read templates otherwise
            needs = []
        found |= {name.partition(".")[0]: None for name, _ in needs}
    return list(found)

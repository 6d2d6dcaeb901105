"""A user played by a language model.

Whether a model that plays a user forgot that it does: it offers help, declines, or speaks of being a model.
"""

import re
from functools import cache
from importlib.resources import files

from sparring.core.case import Case
from sparring.core.conversation import Conversation
from sparring.core.errors import UserStuck
from sparring.core.message import Message, message_of_parts, text_part
from sparring.core.prompts import Agent, Prompts, ToolSchema
from sparring.core.seeding import derived_seed
from sparring.core.value import Json
from sparring.llm.model import ChatMessage, Completion, Model, Request, Tool, view
from sparring.llm.template import Template, read, shared
from sparring.users.styles import instruction
from sparring.users.user import BaseUser, UserTraits

_INVERTED = re.compile(
    r"""
      \b(?:how|what)\ (?:can|may|could)\ i\ (?:help|assist|do\ for)\ you\b
    | \banything\ else\ (?:that\ )?i\ can\ (?:help|assist|do\ for)\b
    | \bi(?:['’]m|\ am)\ here\ to\ (?:help|assist)\ you\b
    | \b(?:as|i['’]m|i\ am)\ (?:an?|the)\ (?:
          (?:ai\ |virtual\ )?assistant(?=\W*$|[,.!])
        | ai(?=\W*$|[,.!;])
        | (?:large\ )?(?:ai\ |language\ |ai\ language\ )model\b
        | (?:user\ )?simulator\b
        | simulated\ (?:user|customer)\b
      )
    | \bi(?:\ can(?:no|['’])t|['’]m\ (?:un|not\ )able\ to|\ am\ (?:un|not\ )able\ to)\ (?:
          (?:assist|comply)\ with\ (?:that|this|your)
        | (?:help|continue)\ with\ (?:that|this)\ (?:request|role[- ]?play|conversation|scenario)
      )
    | (?:чем|как)\ (?:я\ )?могу\ (?:вам\ |тебе\ )?помочь
    | \b(?:я|как)\ (?:[—-]\ )?(?:языковая\ модель|искусственный\ интеллект|симулятор)
    | \ben\ qu[eé]\ (?:le\ |te\ )?puedo\ ayudar
    | \bcomment\ puis-je\ vous\ aider\b
    | \b(?:wie|womit)\ kann\ ich\ (?:ihnen|dir)\ helfen\b
    | \bcomo\ posso\ (?:te\ )?ajud[aá]
    """,
    re.IGNORECASE | re.VERBOSE,
)

_SIGNS = (
    *("help", "assist", "comply", "continue", "do for", " ai", "model", "simulat"),
    *("помочь", "модель", "интеллект", "симулятор"),
    *("ayudar", "aider", "helfen", "ajud"),
)
"""One of them is in whatever the pattern finds; most of what users say has none."""


def is_role_reversed(text: str) -> bool:
    """Whether these are words of an assistant, or of a simulator, and no user's."""
    lowered = text.lower()
    return any(map(lowered.__contains__, _SIGNS)) and _INVERTED.search(text) is not None


END = Tool(
    name="end_conversation",
    description="End the conversation after your last message, because you are done or the chatbot cannot help.",
    parameters={"type": "object", "properties": {}, "additionalProperties": False},
)

_THOUGHTS = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_OPENING = ChatMessage("user", "(The chatbot waits for you to speak first.)")
_TRIES = 2
_REMEMBERED = 4096


class Simulated(BaseUser):
    """Says what `model` says when it is told who the persona is and what it wants.

    Each turn asks with a seed of its own, drawn from the case's; providers treat it as best effort.
    """

    traits = UserTraits(reads_extraction=False)

    def __init__(self, model: Model, *, temperature: float | None = None) -> None:
        self._model = model
        self._temperature = temperature
        self._told: dict[int, tuple[Case, ChatMessage]] = {}

    async def speak(self, conversation: Conversation) -> Message | None:
        """The next message, or None if the model ends it without a word; a `UserStuck` if twice it says nothing, or
        what an assistant would say, or refuses.
        """
        wrong = "said nothing"
        if conversation.messages and conversation.messages[-1].role == "user" and conversation.messages[-1].ends:
            return None
        for attempt in range(_TRIES):
            completion = await self._model.complete(self._request(conversation, attempt))
            ends = any(request.name == END.name for request in completion.tool_requests)
            text = _spoken(completion)
            if completion.refused:
                wrong = "refused to"
            elif text and is_role_reversed(text):
                wrong = "spoke as if it were the assistant, or a model"
            elif text:
                return message_of_parts("user", (text_part(text),), ends=ends)
            elif ends:
                return None
        raise UserStuck(f"the model that plays the user {wrong}")

    def _request(self, conversation: Conversation, attempt: int) -> Request:
        case = conversation.case
        heard = view(conversation.messages, "user") or (_OPENING,)
        if heard[0].role == "assistant":
            heard = (_OPENING, *heard)
        return Request(
            messages=(self._prompt(case), *heard),
            tools=(END,),
            temperature=self._temperature,
            seed=derived_seed(case, "user", conversation.turns, attempt),
        )

    def _prompt(self, case: Case) -> ChatMessage:
        """What the model is told about a case, rendered once for all of its turns."""
        known = self._told.get(id(case))
        if known is None or known[0] is not case:
            if len(self._told) >= _REMEMBERED:
                self._told.clear()
            known = self._told[id(case)] = case, ChatMessage("system", system_prompt(case))
        return known[1]


def _spoken(completion: Completion) -> str:
    """What is said aloud: reasoning that leaked into the text is not."""
    text = completion.text
    return (_THOUGHTS.sub("", text) if "<" in text else text).strip()


def system_prompt(case: Case) -> str:
    """The prompt of the simulated user for `case`; the case's own words are filled in once and never read again."""
    persona = case.persona
    fields: dict[str, Json] = {
        "role": persona.role or "An ordinary customer.",
        "traits": _bullets(persona.traits),
        "language": persona.language,
        "styles": " ".join(instruction(style) for style in persona.styles),
        "goals": _bullets(tuple(goal.text for goal in case.goals)) or "- Talk about whatever fits who you are.",
        "outputs": _outputs(case),
    }
    return shared(_prompt().fill(fields).strip())


def prompts() -> Prompts:
    """What a model that plays the user is told, as a version that can be kept."""
    tool = ToolSchema(name=END.name, description=END.description, parameters=dict(END.parameters))
    agent = Agent(prompt=_prompt().text.strip(), tools=(END.name,))
    return Prompts(name="user", entry="user", agents={"user": agent}, tools=(tool,))


def _outputs(case: Case) -> str:
    wanted = tuple(output.description or output.name for output in case.outputs)
    return f"\nBefore you end, you want to have been told:\n{_bullets(wanted)}" if wanted else ""


def _bullets(lines: tuple[str, ...]) -> str:
    return "\n".join(f"- {line.strip()}" for line in lines)


@cache
def _prompt() -> Template:
    return read(files("sparring.users").joinpath("prompts/simulated.md").read_text(encoding="utf-8"))

"""Users played by a language model, and detection of role reversal, in which it acts as an assistant."""

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
from sparring.users.idle_styles import style_warnings
from sparring.users.styles import instruction
from sparring.users.user import BaseUser, UserTraits

_ROLE_REVERSED = re.compile(
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

_ROLE_REVERSAL_HINTS = (
    *("help", "assist", "comply", "continue", "do for", " ai", "model", "simulat"),
    *("помочь", "модель", "интеллект", "симулятор"),
    *("ayudar", "aider", "helfen", "ajud"),
)
"""Parts of all texts that the pattern can match. Most messages contain none, which saves a search."""


def is_role_reversed(text: str) -> bool:
    """Return True if a text reads like an assistant or a simulator, not like a user."""
    lowered = text.lower()
    return any(map(lowered.__contains__, _ROLE_REVERSAL_HINTS)) and _ROLE_REVERSED.search(text) is not None


END = Tool(
    name="end_conversation",
    description="End the conversation after your last message, because you are done or the chatbot cannot help.",
    parameters={"type": "object", "properties": {}, "additionalProperties": False},
)

_THOUGHTS = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_OPENING = ChatMessage("user", "(The chatbot waits for you to speak first.)")
_MAX_ATTEMPTS = 2
_MAX_CACHED = 4096


class Simulated(BaseUser):
    """A user played by `model`, prompted with the persona and its goals.

    Every turn has its own seed, derived from the case's; providers treat seeds as best effort.
    """

    traits = UserTraits(reads_extraction=False)

    def __init__(self, model: Model, *, temperature: float | None = None) -> None:
        self._model = model
        self._temperature = temperature
        self._told: dict[int, tuple[Case, ChatMessage]] = {}

    def warnings(self, case: Case) -> tuple[str, ...]:
        return style_warnings(case, model=True)

    async def speak(self, conversation: Conversation) -> Message | None:
        """Return the next message, or None if the model ends the conversation without one.

        Raise `UserStuck` if the model twice says nothing, refuses, or acts as the assistant.
        """
        wrong = "said nothing"
        if conversation.messages and conversation.messages[-1].role == "user" and conversation.messages[-1].ends:
            return None
        for attempt in range(_MAX_ATTEMPTS):
            completion = await self._model.complete(self._request(conversation, attempt))
            ends = any(request.name == END.name for request in completion.tool_requests)
            text = _without_reasoning(completion)
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
        """Return the system prompt of a case, rendered once for all of its turns."""
        known = self._told.get(id(case))
        if known is None or known[0] is not case:
            if len(self._told) >= _MAX_CACHED:
                self._told.clear()
            known = self._told[id(case)] = case, ChatMessage("system", system_prompt(case))
        return known[1]


def _without_reasoning(completion: Completion) -> str:
    """Return the text of a completion without reasoning that leaked into it."""
    text = completion.text
    return (_THOUGHTS.sub("", text) if "<" in text else text).strip()


def system_prompt(case: Case) -> str:
    """Return the prompt of the simulated user. The case's own texts are filled in and not expanded again."""
    persona = case.persona
    fields: dict[str, Json] = {
        "role": persona.role or "An ordinary customer.",
        "traits": _bullets(persona.traits),
        "language": persona.language,
        "styles": " ".join(instruction(style) for style in persona.styles),
        "goals": _bullets(tuple(goal.text for goal in case.goals)) or "- Talk about whatever fits who you are.",
    }
    return shared(_prompt().fill(fields).strip())


def prompts() -> Prompts:
    """Return the prompts of a model that plays the user, as a version that can be stored."""
    tool = ToolSchema(name=END.name, description=END.description, parameters=dict(END.parameters))
    agent = Agent(prompt=_prompt().text.strip(), tools=(END.name,))
    return Prompts(name="user", entry="user", agents={"user": agent}, tools=(tool,))


def _bullets(lines: tuple[str, ...]) -> str:
    return "\n".join(f"- {line.strip()}" for line in lines)


@cache
def _prompt() -> Template:
    return read(files("sparring.users").joinpath("prompts/simulated.md").read_text(encoding="utf-8"))

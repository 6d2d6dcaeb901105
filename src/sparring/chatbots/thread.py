"""What is known of one conversation with a chatbot behind a preset."""

from collections.abc import Iterable, Mapping
from hashlib import sha256
from uuid import UUID

from sparring.chatbots.preset import Conduct
from sparring.chatbots.templates import Known, asked, fill
from sparring.core.case import Case
from sparring.core.message import Button, Message
from sparring.core.seeding import session_id, unique_id
from sparring.core.value import Json

_ROLES = {"user": "user", "chatbot": "assistant"}


class Thread:
    """The names with which gaps are filled, and what was said so far."""

    def __init__(self, conduct: Conduct, case: Case, environment: Mapping[str, str]) -> None:
        values = {name: fill(value, Known({}, environment)) for name, value in conduct.values.items()}
        self._names: dict[str, Json] = {**values, **case.variables, **_sessions(case)}
        self._said = list(case.history)

    def names(self, message: Message | None = None) -> dict[str, Json]:
        """Everything that is known, when the user says `message`."""
        said = self._said if message is None else [*self._said, message]
        told: list[Json] = [{"role": _ROLES[one.role], "content": one.text} for one in said]
        spoken: dict[str, Json] = {} if message is None else {"message": self._spoken(message)}
        return {**self._names, **spoken, "messages": told}

    def keep(self, found: Mapping[str, Json]) -> None:
        """Know these by name from now on, as far as there are any."""
        self._names.update({name: value for name, value in found.items() if value is not None})

    def add(self, *messages: Message) -> None:
        """This was said."""
        self._said += messages

    def _spoken(self, message: Message) -> str:
        """The user's words; or what stands behind them where they are the title of a button just offered."""
        offered = self._said[-1].parts if self._said else ()
        titles = {part.title.strip().casefold(): part for part in offered if isinstance(part, Button)}
        pressed = next((part for part in message.parts if isinstance(part, Button)), None)
        pressed = pressed or titles.get(message.text.strip().casefold())
        return (pressed.payload or pressed.title) if pressed else message.text


def _sessions(case: Case) -> dict[str, Json]:
    """The names of this conversation, in the shapes in which chatbots want them."""
    id = session_id(case)
    uuid = str(UUID(bytes=sha256(id.encode()).digest()[:16], version=4))
    return {"session": id, "session_uuid": uuid, "new_session": unique_id()}


def repeats_names(sent: Json, kept: Iterable[str] = ()) -> bool:
    """Whether what is sent names a conversation by what it was called in other runs as well; `kept` are names that the
    chatbot gives."""
    return bool(asked(sent) & {"session", "session_uuid"} - set(kept))

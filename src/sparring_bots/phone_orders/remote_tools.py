"""The agent's tools on a remote server: `phone_orders:tools-url=http://...`.

Models see the schemas of the local tools, whose signatures and docstrings are the only source. Answers of the server
are passed on unchanged. A server that is unreachable, broken or invalid raises a `ChatbotError`, so that an outage
never counts as a bad agent.

A call is a POST of `{"call": {"retell_llm_dynamic_variables": {"session_id": ...}}, "args": {...}}` to `URL/TOOL`. The
server uses other names for some tools and arguments.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from types import FunctionType
from typing import Any
from urllib.parse import urlsplit

import orjson

from sparring.chatbots.prompted.tools import toolbox
from sparring.core.errors import ChatbotError, ChatbotTimeout, InputError
from sparring.core.value import Json
from sparring.llm.client.transport import Response, Transport, TransportError
from sparring_bots.phone_orders.tools import Tools

Arguments = dict[str, Json]


def _same(arguments: Arguments) -> Arguments:
    return arguments


@dataclass(frozen=True, slots=True)
class RemoteTool:
    """A tool on a server: its name, and the conversion of arguments in both directions."""

    name: str
    to: Callable[[Arguments], Arguments] = _same
    back: Callable[[Arguments], Arguments] = _same


def _items(arguments: Arguments) -> Arguments:
    names = {"product": "product_code", "packaging": "packaging_type"}
    return {"items": [{names.get(name, name): value for name, value in arguments.items()}]}


def _item(arguments: Arguments) -> Arguments:
    names = {"product_code": "product", "packaging_type": "packaging"}
    items = arguments.get("items")
    first = items[0] if isinstance(items, list) and items else {}
    return {names.get(name, name): value for name, value in first.items()} if isinstance(first, dict) else {}


def _products(arguments: Arguments) -> Arguments:
    return {"items": [arguments.get("product")]}


def _product(arguments: Arguments) -> Arguments:
    items = arguments.get("items")
    return {"product": ", ".join(map(str, items)) if isinstance(items, list) else ""}


def _place(arguments: Arguments) -> Arguments:
    said = str(arguments.get("location", ""))
    return {"location_id": int(said)} if said.isdecimal() else {"location": said}


def _location(arguments: Arguments) -> Arguments:
    return {"location": str(arguments.get("location_id", arguments.get("location", "")))}


WIRE: Mapping[str, RemoteTool] = {
    "find_products": RemoteTool("rag_find_products"),
    "add_to_cart": RemoteTool("add_to_cart", _items, _item),
    "remove_from_cart": RemoteTool("remove_from_cart", _products, _product),
    "show_cart": RemoteTool("get_cart"),
    "set_current_location": RemoteTool("set_current_location", _place, _location),
}
"""Tools with other names or arguments on the server; all others are the same."""


def there(name: str) -> RemoteTool:
    return WIRE.get(name) or RemoteTool(name)


_LARGEST = 1_000_000  # bytes of one answer
_AGAIN = frozenset({502, 503, 504})
_FACT_NAMES = ("CLIENT_NAME", "CURRENT_DATE", "DELIVERY_DAYS", "LOCATIONS", "LOCATION", "PURCHASE_HISTORY", "CLIENT_ID")
"""Facts of the call that are sent to the server, by lower-case names, besides its language."""


@dataclass(frozen=True, slots=True)
class Server:
    """The tool server; calls time out after `seconds`, and are retried after each of `waits`."""

    url: str
    transport: Transport
    seconds: float = 10
    waits: tuple[float, ...] = (0.5, 1.5)

    async def use(self, name: str, dynamic: Mapping[str, Json], arguments: dict[str, Json]) -> Json:
        """Call a tool and return its answer; raise a `ChatbotError` if there is none."""
        tool = there(name)
        call = {"call": {"retell_llm_dynamic_variables": dynamic}, "args": tool.to(arguments)}
        body = orjson.dumps(call)
        for wait in self.waits:
            try:
                return self._answer(tool.name, await self._post(tool.name, body))
            except _Busy:
                await asyncio.sleep(wait)
        return self._answer(tool.name, await self._post(tool.name, body))

    async def _post(self, name: str, body: bytes) -> Response:
        where = f"the tool {name} at {urlsplit(self.url).hostname}"
        try:
            async with asyncio.timeout(self.seconds):
                return await self.transport.send(
                    "POST", f"{self.url}/{name}", headers={"Content-Type": "application/json"}, body=body
                )
        except TimeoutError as error:
            raise ChatbotTimeout(f"{where} did not answer within {self.seconds:g} s") from error
        except TransportError as error:
            raise _Busy(f"{where} cannot be reached: {type(error).__name__}") from None

    def _answer(self, name: str, response: Response) -> Json:
        where = f"the tool {name} at {urlsplit(self.url).hostname}"
        if response.status in _AGAIN:
            raise _Busy(f"{where} answered HTTP {response.status}")
        if not 200 <= response.status < 300:
            raise ChatbotError(f"{where} answered HTTP {response.status}")
        if len(response.body) > _LARGEST:
            raise ChatbotError(f"{where} answered more than {_LARGEST:,} bytes")
        try:
            answer: Json = orjson.loads(response.body)
        except orjson.JSONDecodeError:
            raise ChatbotError(f"{where} did not answer with JSON") from None
        return answer


class _Busy(ChatbotError):
    """The server is temporarily unreachable."""


def remote_tools(url: str, transport: Transport) -> type:
    """Return a class of tools that call the server at `url`; raise an `InputError` if it is no URL."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError(f"{url!r} is not the URL of a server", hint="tools-url=http://127.0.0.1:8080/rag")
    return tools_at(Server(url.rstrip("/"), transport))


def tools_at(server: Server) -> type:
    """Return the local tools with methods that call `server`."""

    class RemoteTools:
        def __init__(self, session: str, variables: Mapping[str, Json]) -> None:
            given = variables["GIVEN"]
            given = given if isinstance(given, dict) else {}
            facts = {name.lower(): given[name] for name in _FACT_NAMES if given.get(name)}
            self._vars = {"session_id": given.get("SESSION_ID") or session, "language": variables["LANGUAGE"], **facts}
            self._ordered = False

        async def _use(self, name: str, arguments: dict[str, Json]) -> Json:
            if name == "end_call":  # the line is ours: there is nothing to ask
                return {"status": "ended", **arguments, "ordered": self._ordered}
            result = await server.use(name, self._vars, arguments)
            self._ordered = self._ordered or (isinstance(result, dict) and result.get("status") == "confirmed")
            return result

    for name in toolbox(Tools).known:
        setattr(RemoteTools, name, _asking(name, getattr(Tools, name)))
    return RemoteTools


def _asking(name: str, function: FunctionType) -> Callable[..., Awaitable[Json]]:
    @wraps(function)
    async def ask(self: Any, **arguments: Json) -> Json:
        answer: Json = await self._use(name, arguments)
        return answer

    return ask

"""Tools of MCP servers: `mcp.yaml` beside the prompt of a chatbot.

    shop:
      command: python shop_server.py    or a list of words; a process for each conversation
      env: {MODE: test}
      state: {tool: dump_orders}        or {resource: shop://orders}; the model does not see this tool
    crm:
      url: https://crm.example.com/mcp
      headers: {Authorization: "Bearer ${CRM_KEY}"}
      only: [get_*]                     the tools that the model sees
      later: [refund]                   tools that it offers only later, so that tests may name them
      timeout: 30                       seconds for one answer

Tools keep their names, unless two places have a tool of the same name: then it is called `shop_get_order`. They are
listed again before each turn: servers may change them, and some announce it only over a further stream.
"""

import asyncio
import re
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, ConfigDict, Field, PositiveFloat, RootModel, create_model, model_validator

from sparring.chatbots.contact import ServerContact
from sparring.chatbots.line_process import running, split_words
from sparring.chatbots.placeholders import PlaceholderValues, fill_text
from sparring.chatbots.preset import RequestTemplate
from sparring.chatbots.preset_files import environment_of, unset
from sparring.chatbots.prompted.mcp_client import (
    HttpConnection,
    McpSession,
    ServerState,
    ServerToolFailed,
    StdioConnection,
)
from sparring.chatbots.prompted.tools import PythonTool, Toolbox
from sparring.chatbots.request import RequestSender
from sparring.chatbots.secrets import in_every_writing
from sparring.core.errors import ChatbotError, InputError
from sparring.core.value import Value, mapping
from sparring.llm.client.late_transport import LateTransport
from sparring.llm.client.transport import Transport
from sparring.llm.model import Tool
from sparring.llm.plugin_context import PluginContext
from sparring.parsing import load, validate

MCP = "mcp.yaml"
_OK = (*range(200, 300), 400, 404)  # an error of the protocol may have one of the last two
_LARGEST = 20_000_000  # bytes of one message


class McpServerEntry(Value):
    """A server in an mcp.yaml."""

    command: Annotated[tuple[str, ...], BeforeValidator(split_words)] = ()
    env: dict[str, str] = Field({}, repr=False)
    url: str = Field("", repr=False)
    headers: dict[str, str] = Field({}, repr=False)
    only: tuple[str, ...] = ("*",)
    later: tuple[str, ...] = ()
    state: ServerState | None = None
    timeout: PositiveFloat = 30

    @model_validator(mode="after")
    def _one(self) -> "McpServerEntry":
        if bool(self.command) == bool(self.url):
            raise ValueError("needs `command` or `url`, and not both")
        if self.url and not self.url.startswith(("http://", "https://", "${")):
            raise ValueError("`url` is no address: https://...")
        return self


class McpFile(RootModel[dict[str, McpServerEntry]]):
    """Content of an mcp.yaml: servers by name."""


@dataclass(frozen=True)
class McpServer:
    """A server; each conversation opens its own session with it."""

    name: str
    entry: McpServerEntry
    folder: Path
    context: PluginContext = field(repr=False)

    @property
    def has_state(self) -> bool:
        return self.entry.state is not None

    @asynccontextmanager
    async def session(self, session: str, transport: Transport | None = None) -> AsyncIterator[McpSession]:
        """Open a session, and end it and its process after the block. Raise ChatbotError."""
        entry = self.entry
        environment = environment_of([dict(entry.env), entry.url, dict(entry.headers)], self.context.environment)
        if entry.url:
            place = RequestTemplate(url=entry.url, headers=entry.headers, body="{{call}}")
            contact = ServerContact(self.context.clock)
            sender = RequestSender(transport or self.context.transport, contact, environment, entry.timeout, _OK)
            connection = HttpConnection(sender, place, {"session": session})
            try:
                yield await self._opened(connection)
            finally:
                await connection.leave()
            return
        known = PlaceholderValues({"session": session}, environment)
        own = {"SPARRING_SESSION": session, **{name: fill_text(text, known) for name, text in entry.env.items()}}
        secrets = in_every_writing(environment.values())
        async with running(entry.command, str(self.folder), own, secrets, longest=_LARGEST) as program:
            yield await self._opened(StdioConnection(program))

    async def listed(self) -> list[dict[str, Any]]:
        """Return the tools that the model may see, over connections that are closed afterwards."""
        async with LateTransport(self.context.environment) as transport, self.session("tools", transport) as session:
            return await session.tools()

    def _visible(self, tool: str) -> bool:
        hidden = self.entry.state.tool if self.entry.state else ""
        return tool not in ("", hidden) and any(fnmatchcase(tool, pattern) for pattern in self.entry.only)

    async def _opened(self, connection: HttpConnection | StdioConnection) -> McpSession:
        made = McpSession(self.name, connection, self.entry.timeout, self.entry.state, self._visible)
        await made.open()
        return made


def with_servers(path: Path, box: Toolbox, context: PluginContext) -> Toolbox:
    """Return a toolbox with the tools of an mcp.yaml as well. Raise InputError with all problems."""
    document = load(path)
    entries = validate(document, McpFile).root
    problems = list(unset(document, context.environment))
    if problems:
        raise InputError(problems)
    servers = {name: McpServer(name, entry, path.parent, context) for name, entry in entries.items()}
    # Tools have to be known before a conversation, and an event loop may run already.
    with ThreadPoolExecutor(1) as thread:
        listed = thread.submit(asyncio.run, _listed(servers)).result()
    for name, found in listed.items():
        if isinstance(found, Exception):
            problems.append(document.problem((name,), str(found)))
    if problems:
        raise InputError(problems)
    offered = [(name, tool) for name, found in listed.items() if isinstance(found, list) for tool in found]
    times = Counter([*box.known, *(_plain(tool["name"]) for _, tool in offered)])
    known = dict(box.known)
    for server, tool in offered:
        plain = _plain(tool["name"])
        made = _tool(plain if times[plain] == 1 else f"{_plain(server)}_{plain}", server, tool)
        known[made.tool.name] = made
    later = frozenset(_plain(tool) for entry in entries.values() for tool in entry.later) - known.keys()
    return replace(box, known=known, tools=tuple(each.tool for each in known.values()), servers=servers, tacit=later)


def relisted(
    known: Mapping[str, PythonTool], server: str, listed: Iterable[Mapping[str, Any]]
) -> dict[str, PythonTool]:
    """Return the tools after a server listed its own again. Those that stay keep their names."""
    before = {each.remote: each for each in known.values() if each.server == server}
    now = {name: each for name, each in known.items() if each.server != server}
    for tool in listed:
        old, plain = before.get(tool["name"]), _plain(tool["name"])
        name = old.tool.name if old else plain if plain not in now else f"{_plain(server)}_{plain}"
        now[name] = old if old and old.tool == _described(name, tool) else _tool(name, server, tool)
    return now


async def _listed(servers: Mapping[str, McpServer]) -> dict[str, list[dict[str, Any]] | Exception]:
    found = await asyncio.gather(*(each.listed() for each in servers.values()), return_exceptions=True)
    for each in found:
        if isinstance(each, BaseException) and not isinstance(each, (ChatbotError, ServerToolFailed)):
            raise each
    return dict(zip(servers, found, strict=True))  # type: ignore[arg-type]


def _plain(name: str) -> str:
    """Return a name that every provider of models accepts."""
    return re.sub(r"[^\w-]", "_", name, flags=re.ASCII)[:64]


def _tool(name: str, server: str, listed: Mapping[str, Any]) -> PythonTool:
    schema = mapping(listed.get("inputSchema"))
    required = schema.get("required") or ()
    fields: dict[str, Any] = {}
    parameters = dict[str, str]()
    for number, (parameter, each) in enumerate(mapping(schema.get("properties")).items()):
        parameters[f"field_{number}"] = parameter
        default = Field(alias=parameter) if parameter in required else Field(alias=parameter, default=None)
        fields[f"field_{number}"] = (_type(mapping(each)), default)
    extra: Literal["forbid", "ignore"] = "forbid" if schema.get("additionalProperties") is False else "ignore"
    arguments = create_model(name, __config__=ConfigDict(extra=extra, strict=True), **fields)
    described = _described(name, listed)
    return PythonTool(described, arguments, parameters, ends=False, server=server, remote=str(listed["name"]))


def _described(name: str, listed: Mapping[str, Any]) -> Tool:
    schema = mapping(listed.get("inputSchema")) or {"type": "object", "properties": {}}
    return Tool(name, str(listed.get("description") or ""), schema)


_TYPES: Mapping[str, Any] = {
    "string": str,
    "integer": int | Annotated[float, Field(multiple_of=1)],
    "number": float,
    "boolean": bool,
    "array": list[Any],
    "object": dict[str, Any],
    "null": None,
}


def _type(schema: Mapping[str, Any]) -> Any:
    """Return the type of a parameter, or Any where only the server can tell what fits."""
    allowed = schema.get("enum")
    if isinstance(allowed, list) and allowed and all(isinstance(each, str) for each in allowed):
        return Literal[tuple(allowed)]
    return _TYPES.get(str(schema.get("type")), Any)

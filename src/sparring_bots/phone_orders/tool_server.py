"""A server for the agent's tools, to try `tools-url=` and for agents that run elsewhere.

    python -m sparring_bots.phone_orders --port 5006

It keeps one order for each session id in memory until it stops. `remote_tools` describes the protocol.
"""

from datetime import UTC, datetime

import orjson
from aiohttp import web

from sparring.chatbots.prompted.tools import OpenToolbox, toolbox
from sparring.core.value import Json
from sparring.llm.model import ToolRequest
from sparring_bots.phone_orders.call import upper
from sparring_bots.phone_orders.remote_tools import there
from sparring_bots.phone_orders.tools import Tools
from sparring_bots.serving import json_response

_MOST = 10_000
"""The maximum number of sessions; the oldest is dropped first."""


class ToolServer:
    """The sessions of one server."""

    def __init__(self) -> None:
        self._toolbox = toolbox(Tools)
        self._sessions: dict[str, OpenToolbox] = {}
        self._names = {there(name).name: name for name in self._toolbox.known}

    async def use(self, request: web.Request) -> web.Response:
        """Call a tool: 404 for an unknown tool, 400 for an invalid call."""
        name = self._names.get(request.match_info["tool"])
        if name is None:
            return json_response({"error": "unknown tool"}, status=404)
        try:
            body = orjson.loads(await request.read())
            dynamic, arguments = body["call"]["retell_llm_dynamic_variables"], body.get("args", {})
            session = str(dynamic["session_id"])
        except (orjson.JSONDecodeError, KeyError, TypeError):
            return json_response({"error": "no call with a session_id"}, status=400)
        tools = self._session(session, dynamic)
        used = await tools.use(ToolRequest("1", name, orjson.dumps(there(name).back(arguments)).decode()))
        return json_response(used.call.result if not used.call.error else {"error": used.call.error})

    def _session(self, session: str, dynamic: dict[str, Json]) -> OpenToolbox:
        if session not in self._sessions:
            while len(self._sessions) >= _MOST:
                del self._sessions[next(iter(self._sessions))]
            today = datetime.now(UTC).date().isoformat()
            language = dynamic.get("language") or "Russian"
            facts: dict[str, Json] = {"LANGUAGE": language, "TODAY": today, "GIVEN": upper(dynamic)}
            self._sessions[session] = self._toolbox.open(session, facts)
        return self._sessions[session]


def application() -> web.Application:
    """Return the application, not listening yet."""
    app = web.Application(client_max_size=1_000_000)
    app.router.add_post("/{tool}", ToolServer().use)
    return app

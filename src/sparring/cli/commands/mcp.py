"""`sparring mcp`: tools for coding agents, on standard input and output."""

from pathlib import Path
from typing import Annotated

import typer

from sparring.cli.process import PASSED
from sparring.core.errors import InputError
from sparring.core.plugins import install


def mcp(
    max_conversations: Annotated[int, typer.Option("--max-conversations", min=0, metavar="N")] = 50,
    max_cost: Annotated[float, typer.Option("--max-cost", min=0, metavar="USD")] = 0.0,
) -> int:
    """Serve tools for coding agents over the Model Context Protocol, in this folder.

    Agents list, validate, run, show and explain; nothing but the database is written.
    """
    try:
        from sparring.integrations.mcp_server.server import server
        from sparring.integrations.mcp_server.tools import RunBudget
    except ModuleNotFoundError as error:
        if error.name not in ("mcp", "mcp_types"):
            raise
        raise InputError("the MCP server needs a package", hint=install("mcp")) from error
    server(RunBudget(max_conversations, max_cost), Path.cwd()).run()
    return PASSED

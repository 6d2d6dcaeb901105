"""A small MCP server over stdio or HTTP: a shop with orders. Its behaviour is set by words in SHOP.

`old` (only 2024-11-05), `modern` (no handshake), `alien` (an unknown version), `chatty` (log on stdout, requests of its
own), `pages` (one tool per page), `sse` (answers as events, after an empty one), `slow` (never answers `get_order`),
`dies` (at a call), `stays` (ignores the end of its input), `other` (no MCP, over HTTP), `grows` (offers `refund` after
`get_order`, and no longer `cancel.order`).
"""

import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

WORDS = os.environ.get("SHOP", "").split()
VERSION = "2024-11-05" if "old" in WORDS else "1999-01-01" if "alien" in WORDS else "2025-11-25"
ORDER = {"type": "object", "properties": {"order_id": {"type": "integer"}}, "required": ["order_id"]}
EMPTY: dict[str, Any] = {"type": "object", "properties": {}, "additionalProperties": False}
TOOLS: list[dict[str, Any]] = [
    {"name": "get_order", "description": "Get an order.", "inputSchema": ORDER},
    {"name": "cancel.order", "description": "Cancel an order.", "inputSchema": ORDER},
    {"name": "dump_orders", "description": "All orders.", "inputSchema": EMPTY},
]

REFUND = {"name": "refund", "description": "Refund an order.", "inputSchema": ORDER}
CHANGED = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}


class Refusal(Exception):
    pass


class Shop:
    def __init__(self) -> None:
        self.orders = {7: "open", 8: "shipped"}
        self.tools = TOOLS

    def answer(self, call: dict[str, Any]) -> dict[str, Any]:
        try:
            return {"jsonrpc": "2.0", "id": call["id"], "result": self.result(call["method"], call.get("params", {}))}
        except Refusal as error:
            return {"jsonrpc": "2.0", "id": call["id"], "error": {"code": -32602, "message": str(error)}}

    def result(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        if "modern" in WORDS and "io.modelcontextprotocol/protocolVersion" not in params.get("_meta", {}):
            raise Refusal("no handshake here")
        if method == "initialize":
            return {"protocolVersion": VERSION, "capabilities": {}, "serverInfo": {"name": "shop"}}
        if method == "tools/list" and "pages" in WORDS:
            at = int(params.get("cursor", 0))
            more = {"nextCursor": str(at + 1)} if at + 1 < len(self.tools) else {}
            return {"tools": self.tools[at : at + 1], **more}
        if method == "tools/list":
            return {"tools": self.tools}
        if method == "resources/read":
            return {"contents": [{"uri": params["uri"], "text": json.dumps(self.orders)}]}
        return self.use(params["name"], params["arguments"]) if method == "tools/call" else {}

    def use(self, tool: str, given: dict[str, Any]) -> dict[str, Any]:
        if "dies" in WORDS:
            sys.exit("out of paper")
        if "slow" in WORDS and tool == "get_order":
            time.sleep(60)
        if "grows" in WORDS and tool == "get_order":
            self.tools = [TOOLS[0], *TOOLS[2:], REFUND]
        if tool == "dump_orders":
            return {"content": [], "structuredContent": {str(id): status for id, status in self.orders.items()}}
        if given["order_id"] == 13:
            raise Refusal("the shop does not talk about 13")
        if given["order_id"] not in self.orders:
            return {"content": [{"type": "text", "text": "no such order"}], "isError": True}
        if tool == "refund":
            return {"content": [{"type": "text", "text": "refunded"}]}
        if tool == "cancel.order":
            self.orders[given["order_id"]] = "cancelled"
            return {"content": [{"type": "text", "text": "done"}]}
        found = {"id": given["order_id"], "status": self.orders[given["order_id"]]}
        return {"content": [{"type": "text", "text": json.dumps(found)}]}


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def stdio() -> None:
    shop = Shop()
    for line in sys.stdin:
        call = json.loads(line)
        if "chatty" in WORDS:
            say("at your service")
            say(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "roots/list"}))
        if "id" in call and "method" in call:
            before = shop.tools
            answer = shop.answer(call)
            if shop.tools is not before:
                say(json.dumps(CHANGED))
            say(json.dumps(answer))
    while "stays" in WORDS:
        time.sleep(60)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    sessions: dict[str, Shop] = {}
    log: list[str] = []

    def do_GET(self) -> None:
        self._send(200, json.dumps(self.log).encode(), {})

    def do_DELETE(self) -> None:
        self.log.append("DELETE")
        self._send(200 if self.sessions.pop(self.headers["mcp-session-id"], None) else 404, b"", {})

    def do_POST(self) -> None:
        call = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.log.append(f"{call['method']} {self.headers.get('mcp-protocol-version')}")
        if self.headers.get("authorization") not in (None, "Bearer key-of-the-shop"):
            self._send(401, b"", {})
            return
        id = self.headers.get("mcp-session-id", "")
        if call["method"] == "initialize":
            id = f"s{len(self.sessions)}"
        shop = self.sessions.setdefault(id, Shop())
        if "id" not in call:
            self._send(202, b"", {})
            return
        answer = {"reply": "Hello"} if "other" in WORDS else shop.answer(call)
        status = 400 if "error" in answer and "modern" in WORDS else 200
        body = json.dumps(answer, indent=1).encode()
        kind = {"content-type": "application/json", **({} if "modern" in WORDS else {"mcp-session-id": id})}
        if "sse" in WORDS:
            note = json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": {}})
            body = f"id: 1\ndata: \n\ndata: {note}\n\ndata: {json.dumps(answer)}\n\n".encode()
            kind["content-type"] = "text/event-stream; charset=utf-8"
        self._send(status, body, kind)

    def _send(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {**headers, "content-length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


if __name__ == "__main__":
    if "http" in WORDS:
        with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
            say(str(server.server_port))
            server.serve_forever()
    else:
        stdio()

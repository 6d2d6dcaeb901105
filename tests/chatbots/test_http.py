import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from aiohttp import web

from sparring.chatbots.http import HttpChatbot, connect
from sparring.core.case import Case
from sparring.core.errors import ChatbotError, ChatbotTimeout, ChatbotUnreachable, InputError
from sparring.core.message import Button, Image, Link, Message, Text, ToolCall, message
from sparring.core.seeding import session_id
from sparring.core.usage import Usage
from sparring.llm.call_context import call_context
from sparring.llm.metering import Meter
from sparring.llm.plugin_context import PluginContext

CASE = Case(id="pizza/1", seed=7, variables={"size": "large", "count": 2, "toppings": ["ham", "corn"]})
Make = Callable[[str], HttpChatbot]


@pytest.fixture
def make(tmp_path: Path, context: PluginContext) -> Make:
    def written(preset: str) -> HttpChatbot:
        file = tmp_path / "chatbot.yaml"
        file.write_text(preset)
        return connect(str(file), context)

    return written


def preset(address: str, rest: str = "", reply: str = "reply: message\n") -> str:
    return f'url: {address}/chat\nbody: {{id: "{{{{session}}}}", text: "{{{{message}}}}"}}\n{reply}{rest}'


def answering(body: Any, status: int = 200, **headers: str) -> Callable[[web.Request], Any]:
    """A server that always answers the same."""

    async def answer(request: web.Request) -> web.Response:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        return web.Response(body=content, status=status, headers=headers)

    return answer


async def said(chatbot: HttpChatbot, *lines: str, case: Case = CASE) -> list[Message]:
    async with chatbot.connect(case) as session:
        return [await session.reply(message("user", line)) for line in lines]


async def test_a_preset_says_how_to_read_the_state(serve: Any, make: Make):
    async def answer(request: web.Request) -> web.Response:
        state = {"data": {"orders": {"W1": request.path}, "messages": ["Hi"]}}
        return web.json_response(state if request.method == "GET" else {"message": "OK"})

    where = f"{await serve(answer)}/threads/{{{{session}}}}"
    chatbot = make(preset(where, f"state: {{url: '{where}/state', result: data, ignore: [messages]}}\n"))
    async with chatbot.connect(CASE) as session:
        state = await session.state()

    assert chatbot.capabilities.reports_state
    assert state == {"orders": {"W1": f"/threads/{session_id(CASE)}/state"}}


async def test_a_state_that_is_not_there_is_an_error(serve: Any, make: Make):
    where = await serve(answering({"message": "OK"}))
    chatbot = make(preset(where, f"state: {{url: '{where}/state', result: data}}\n"))

    async with chatbot.connect(CASE) as session:
        with pytest.raises(ChatbotError, match="there is no data in the answer"):
            await session.state()


async def test_everything_that_is_known_goes_to_where_the_preset_says(
    serve: Any, make: Make, monkeypatch: pytest.MonkeyPatch
):
    asked: list[Any] = []

    async def answer(request: web.Request) -> web.Response:
        text = await request.text()
        shown = {
            name: request.headers[name] for name in ("Authorization", "X-Size", "X-Token") if name in request.headers
        }
        asked.append((request.method, request.path_qs, shown, json.loads(text) if text.startswith("{") else text))
        return web.json_response(
            {"id": "s 1/2", "hello": "Welcome", "message": "ok", "state": len(asked)}, headers={"X-Token": "t1"}
        )

    monkeypatch.setenv("SHOP_KEY", "hunter2")
    address = await serve(answer)
    chatbot = make(f"""
url: {address}/chats/{{{{session}}}}/messages?v=1
method: PUT
headers: {{Authorization: "Bearer ${{SHOP_KEY}}", X-Size: "{{{{size}}}}", X-Token: "{{{{token}}}}"}}
query: {{q: "{{{{message}}}}", n: 3}}
body:
  text: "{{{{message}}}}"
  count: "{{{{count}}}}"
  order: ["{{{{count}}}} x {{{{toppings}}}}", "{{{{toppings}}}}"]
  state: "{{{{state}}}}"
  language: "{{{{language}}}}"
  messages: "{{{{messages}}}}"
values: {{language: en, size: small, state: null}}
keep: {{state: state}}
reset: {{url: "{address}/reset/{{{{session}}}}", method: DELETE}}
start:
  - {{url: "{address}/login", form: {{key: "${{SHOP_KEY}}", "n o": "a&b"}}, keep_headers: {{token: X-Token}}}}
  - {{url: "{address}/new", body: {{size: "{{{{size}}}}"}}, keep: {{session: id}}, reply: hello}}
reply: message
""")

    async with chatbot.connect(CASE) as session:
        greeting = session.greeting
        for line in ("Hi & {{size}}", "Two"):
            await session.reply(message("user", line))

    def body(text: str, state: int | None, *told: tuple[str, str]) -> dict[str, Any]:
        return {
            "text": text,
            "count": 2,
            "order": ["2 x ham, corn", ["ham", "corn"]],
            "state": state,
            "language": "en",
            "messages": [{"role": role, "content": content} for role, content in told],
        }

    headers = {"Authorization": "Bearer hunter2", "X-Size": "large", "X-Token": "t1"}
    first = [("assistant", "Welcome"), ("user", "Hi & {{size}}")]
    second = [*first, ("assistant", "ok"), ("user", "Two")]
    assert (greeting, asked) == (
        message("chatbot", "Welcome"),
        [
            ("DELETE", f"/reset/{session_id(CASE)}", {}, ""),
            ("POST", "/login", {}, "key=hunter2&n+o=a%26b"),
            ("POST", "/new", {}, {"size": "large"}),
            (
                "PUT",
                "/chats/s%201%2F2/messages?v=1&q=Hi+%26+%7B%7Bsize%7D%7D&n=3",
                headers,
                body("Hi & {{size}}", None, *first),
            ),
            ("PUT", "/chats/s%201%2F2/messages?v=1&q=Two&n=3", headers, body("Two", 4, *second)),
        ],
    )


@pytest.mark.parametrize(
    ("answer", "rest", "reason"),
    [
        (answering(b"<h1>Bad\x1b[2J gateway</h1>\r\n", 502), "", "HTTP 502: <h1>Bad[2J gateway</h1>"),
        (answering({"error": {"text": "no such session"}}, 404), "error: error.text\n", "HTTP 404: no such session"),
        (answering({"message": "moved"}, 302, Location="/"), "", 'HTTP 302: {"message": "moved"}'),
        (answering(b"", 500), "", "HTTP 500"),
        (answering({"message": "ok"}, 201), "ok: [200]\n", 'HTTP 201: {"message": "ok"}'),
        (answering(b"<h1>Welcome</h1>"), "", "the answer is not JSON but a web page: <h1>Welcome</h1>"),
        (answering(b'{"message": NaN}'), "", 'the answer is not JSON: {"message": NaN}'),
        (answering(b"[" * 5000), "", "the answer is not JSON: " + "[" * 199 + "…"),
        (answering({"messages": "x" * 300}), "", 'there is no message in the answer: {"messages": "' + "x" * 185 + "…"),
        (answering({"message": {"a": 1}}), "", "at message is a mapping, where words were expected"),
        (answering({"message": True}), "", "at message is true or false, where words were expected"),
        (answering({"message": "ok", "fault": "busy"}), "error: fault\n", "the chatbot reports an error: busy"),
        (answering({"message": ""}), "silence: error\n", 'the chatbot said nothing: {"message": ""}'),
        (
            answering({"message": "ok"}),
            "headers: {X: '{{siez}}'}\n",
            "the preset asks for {{siez}}, which is not known here",
        ),
    ],
)
async def test_every_failure_has_a_reason_on_one_line(serve: Any, make: Make, answer: Any, rest: str, reason: str):
    chatbot = make(preset(await serve(answer), rest))

    with pytest.raises(ChatbotError) as caught:
        await said(chatbot, "Hi")

    kind = ChatbotUnreachable if reason.startswith("HTTP 404") else ChatbotError
    assert (str(caught.value), type(caught.value)) == (reason, kind)


async def test_an_unreachable_chatbot_is_distinguished_from_a_slow_one(serve: Any, make: Make, refusing: str):
    async def hangs_up(request: web.Request) -> web.Response:
        assert request.transport is not None
        request.transport.abort()
        return web.Response()

    async def breaks_off(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Length": "1000"})
        await response.prepare(request)
        await response.write(b'{"message": "o')
        assert request.transport is not None
        request.transport.abort()
        return response

    async def waits(request: web.Request) -> web.Response:
        await asyncio.Event().wait()
        return web.Response()

    reasons = []
    for address, timeout in (
        (f"http://{refusing}", 60),
        (await serve(hangs_up), 60),
        (await serve(breaks_off), 60),
        (await serve(waits), 0.2),
    ):
        with pytest.raises(ChatbotError) as caught:
            await said(make(preset(address, f"timeout: {timeout}\n")), "Hi")
        reasons.append((type(caught.value), str(caught.value).replace(address, "ADDRESS").partition("chat")[0]))

    assert reasons == [
        (kind, "no answer from ADDRESS/") for kind in (ChatbotUnreachable, ChatbotError, ChatbotError, ChatbotTimeout)
    ]


async def test_secrets_are_in_no_reason(serve: Any, make: Make, monkeypatch: pytest.MonkeyPatch, refusing: str):
    monkeypatch.setenv("SHOP_KEY", "hunter2-and-more")
    monkeypatch.setenv("SHOP_PLACE", f"http://user:pass1234@{refusing}")

    async def echoes(request: web.Request) -> web.Response:
        return web.Response(text=f"wrong key: {request.headers['Authorization']} {request.headers['X']}", status=401)

    headers = 'headers: {Authorization: "Bearer ${SHOP_KEY}", X: literal-secret}\n'
    reasons = []
    for address in (
        await serve(echoes),
        "${SHOP_PLACE}",
        "${SHOP_PLACE:-x}",
        f"${{X9:-http://{refusing}}}",
        f"http://me:word@{refusing}/?key=x#",
    ):
        chatbot = make(preset(address, headers))
        with pytest.raises(ChatbotError) as caught:
            await said(chatbot, "Hi")
        reasons.append(str(caught.value).partition(": cannot")[0])
        told = f"{caught.value!r} {caught.value.__cause__!r} {chatbot!r} {vars(chatbot)!r}"
        assert not any(secret in told for secret in ("hunter2", "literal-secret", "pass1234", "me:word", "key=x"))

    assert reasons == [
        "HTTP 401: wrong key: [redacted] [redacted]",
        *["no answer from ${SHOP_PLACE}/chat"] * 2,
        f"no answer from http://{refusing}/chat",
        f"no answer from http://{refusing}/",
    ]


def test_a_missing_secret_is_reported_before_the_first_request(make: Make, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("SHOP_KEY", raising=False)

    with pytest.raises(InputError) as caught:
        make(preset("http://localhost", "headers: {Authorization: 'Bearer ${SHOP_KEY}'}\n"))

    assert "chatbot.yaml:4:26: headers.Authorization: the environment variable SHOP_KEY is not set" in str(caught.value)


async def test_keys_are_taken_from_the_environment_of_the_context(serve: Any, tmp_path: Path, context: PluginContext):
    keys: list[str] = []

    async def takes(request: web.Request) -> web.Response:
        keys.append(request.headers["X-Key"])
        return web.json_response({"message": "Hi"})

    (tmp_path / "p.yaml").write_text(preset(await serve(takes), "headers: {X-Key: 'key ${FROM_DOTENV}'}\n"))
    chatbot = connect(str(tmp_path / "p.yaml"), replace(context, environment={"FROM_DOTENV": "hunter2"}))

    await said(chatbot, "Hi")
    assert keys == ["key hunter2"]


SAYS_KEYS = """
reply: {each: "$", text: text, images: image, buttons: {each: buttons, payload: payload}, links: {each: l, url: url}}
tools: {each: tools, arguments: a, result: r, error: e}
start: {url: URL, body: 1, reply: text}
"""


@pytest.mark.parametrize("key", ["hunter2", "planted key+with/sp=ce%41", 'a "quoted" key\\'])
async def test_a_key_that_a_chatbot_says_back_is_hidden_wherever_it_says_it(
    serve: Any, make: Make, monkeypatch: pytest.MonkeyPatch, key: str
):
    twice = f"{key} or {quote(key, safe='')}"
    address = await serve(
        answering(
            {
                "text": f"key {twice}",
                "image": f"http://x/?k={quote(key)}",
                "buttons": [{"title": key, "payload": key}],
                "l": [{"title": key, "url": f"http://x/{key}"}],
                "tools": [{"name": key, "a": {key: [key]}, "r": {"a": [{key: key}]}, "e": key}],
            }
        )
    )
    monkeypatch.setenv("SHOP_KEY", key)
    rest = SAYS_KEYS.replace("URL", address)
    chatbot = make(preset(address, "headers: {X: 'Bearer ${SHOP_KEY}', Y: large}\n", rest))

    async with chatbot.connect(CASE) as session:
        heard = (session.greeting, await session.reply(message("user", "Hi")))

    text, it = Text(text="key [redacted] or [redacted]"), "[redacted]"
    parts = (
        text,
        Image(url="http://x/?k=[redacted]"),
        Button(title=it, payload=it),
        Link(url="http://x/[redacted]", title=it),
    )
    call = ToolCall(name=it, arguments={it: [it]}, result={"a": [{it: it}]}, error=it)
    assert heard == (
        Message(role="chatbot", parts=(text,)),
        Message(role="chatbot", parts=parts, tool_calls=(call,)),
    )


async def test_words_that_are_no_key_may_be_said_back(serve: Any, make: Make, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SHOP", "http://user:pass1234@shop.example/?token=hunter2")
    said_back = {"message": "A large one: http://shop.example/?token=hunter2, pass1234"}
    rest = "headers: {X-Size: large, Authorization: 'Bearer literal-key'}\nvalues: {shop: '${SHOP}'}\n"

    (heard,) = await said(make(preset(await serve(answering(said_back)), rest)), "Hi")

    assert heard.text == "A large one: http://shop.example/?token=[redacted], [redacted]"


@pytest.mark.parametrize(
    ("body", "rest", "reason"),
    [
        ({"message": "x" * 50_001}, "", "the reply has 50,001 characters; no more than 50,000 are taken"),
        (b" " * 2_000_001, "", "the answer has 2,000,001 bytes; no more than 2,000,000 are read"),
    ],
)
async def test_a_reply_beyond_the_size_limit_is_a_failure_and_not_cut(
    serve: Any, make: Make, body: Any, rest: str, reason: str
):
    with pytest.raises(ChatbotError) as caught:
        await said(make(preset(await serve(answering(body)), rest)), "Hi")

    assert str(caught.value) == reason


async def test_a_reply_within_the_size_limit_is_kept_whole(serve: Any, make: Make):
    (heard,) = await said(make(preset(await serve(answering({"message": "x" * 50_000})))), "Hi")

    assert len(heard.text) == 50_000


@pytest.mark.parametrize("blanks", [19_990, 19_994, 19_998])
async def test_a_key_is_hidden_before_a_complaint_is_cut(
    serve: Any, make: Make, monkeypatch: pytest.MonkeyPatch, blanks: int
):
    monkeypatch.setenv("SHOP_KEY", "hunter2-and-more")
    address = await serve(answering(b" " * blanks + b"hunter2-and-more", 401))
    chatbot = make(preset(address, "headers: {Authorization: 'Bearer ${SHOP_KEY}'}\n"))

    with pytest.raises(ChatbotError, match="HTTP 401: ") as caught:
        await said(chatbot, "Hi")
    assert "hun" not in str(caught.value)


async def test_values_of_the_environment_are_one_word_of_a_query(
    serve: Any, make: Make, monkeypatch: pytest.MonkeyPatch
):
    asked: list[Any] = []

    async def takes(request: web.Request) -> web.Response:
        asked.append((request.path, dict(request.query)))
        return web.json_response({"message": "Hi"})

    monkeypatch.setenv("SHOP_PATH", "a/b")
    monkeypatch.setenv("SHOP_KEY", "planted key+with/sp=ce%41&x=1")
    chatbot = make(preset(await serve(takes)).replace("/chat", "/${SHOP_PATH}/c?key=${SHOP_KEY}&v=1"))
    await said(chatbot, "Hi")

    assert asked == [("/a/b/c", {"key": "planted key+with/sp=ce%41&x=1", "v": "1"})]


PARTS = """reply:
  each: data.messages
  text: [title, words]
  images: picture.src
  buttons: {each: choices, title: label, payload: value}
  links: {each: "links[*]", title: text, url: href}
"""


@pytest.mark.parametrize(
    ("reply", "answer", "parts"),
    [
        (
            PARTS,
            {
                "data": {
                    "messages": [
                        {"words": "One", "picture": {"src": "a.png"}},
                        {
                            "title": 2,
                            "words": None,
                            "choices": [{"label": "Yes", "value": "/yes"}, {"label": "No"}, {}],
                            "links": [{"href": "http://x", "text": "here"}, {"text": "nowhere"}],
                        },
                    ]
                }
            },
            (
                Text(text="One"),
                Image(url="a.png"),
                Text(text="2"),
                Button(title="Yes", payload="/yes"),
                Button(title="No"),
                Link(url="http://x", title="here"),
                Button(title="nowhere"),
            ),
        ),
        ("reply: data.replies[].text\n", {"data": {"replies": [{"text": "a"}, {"text": "b"}]}}, ("a", "b")),
        ("reply: [first, then]\n", {"first": "a", "then": ["b", "c"]}, ("a", "b", "c")),
        ("reply: [first, then]\n", {"then": "b"}, ("b",)),
        ("reply: message\n", {"message": " \n"}, ()),
        ("reply: message\n", {"message": None}, ()),
        ("reply: '[*].text'\n", [], ()),
        (
            "reply: {text: message, markup: html}\n",
            {
                "message": "<p>Look&nbsp;at <b>this</b>:</p><image>x.png</image>\n<a href='y.pdf'>the  menu</a><br>"
                "<script>1</script>"
            },
            (Text(text="Look at this:\nthe menu"), Image(url="x.png"), Link(url="y.pdf", title="the menu")),
        ),
    ],
)
async def test_the_reply_is_read_from_the_path_of_the_preset(
    serve: Any, make: Make, reply: str, answer: Any, parts: tuple[Any, ...]
):
    (heard,) = await said(make(preset(await serve(answering(answer)), reply=reply)), "Hi")

    expected = tuple(Text(text=part) if isinstance(part, str) else part for part in parts)
    assert heard == Message(role="chatbot", parts=expected)


@pytest.mark.parametrize(
    ("form", "body", "texts"),
    [
        ("text", b"  Just words\xff ", ["  Just words\ufffd "]),
        ("events", b': hi\nevent: x\ndata: {"m": "One"}\n\ndata: {"m": "Two"}\n\ndata: [DONE]\n\n', ["One", "Two"]),
        ("events", b'{"m": "One"}\n{"other": 1}\n{"m": "Two"}\n', ["One", "Two"]),
        ("deltas", b'data: {"m": "He"}\r\n\r\ndata: {"m": "llo "}\r\n\r\ndata: {"m": "you"}', ["Hello you"]),
        ("deltas", b'data: {"m":\ndata: "Hi"}\n\n', ["Hi"]),
        ("events", b'id: 1\ndata: \n\ndata: {"m": "One"}\n\n', ["One"]),
    ],
)
async def test_plain_text_and_streams_of_events_are_read_too(
    serve: Any, make: Make, form: str, body: bytes, texts: list[str]
):
    reply = "" if form == "text" else "reply: m\n"
    (heard,) = await said(make(preset(await serve(answering(body)), f"answer: {form}\n", reply)), "Hi")

    assert [part.text for part in heard.parts if isinstance(part, Text)] == texts


async def test_plain_words_may_come_as_events(serve: Any, make: Make):
    body = b"data: Hello,\n\ndata:  you\n\n"
    (heard,) = await said(make(preset(await serve(answering(body)), "answer: deltas\n", "reply: $\n")), "Hi")

    assert heard.text == "Hello, you"


TOOLS = """
tools: {each: steps, name: tool, arguments: input, result: output, error: failure}
ended: {path: status, equals: [closed, done]}
usage: {input_tokens: used.in, output_tokens: used.out, cost: used.dollars}
"""


async def test_tools_ending_and_consumption_are_read_where_stated(serve: Any, make: Make):
    answer = {
        "message": "Done",
        "status": "closed",
        "used": {"in": 12, "out": 3},
        "steps": [
            {"tool": "find_order", "input": {"id": 7}, "output": {"state": "sent"}},
            {"tool": "pay", "input": '{"sum": 3}', "failure": "declined"},
            {"tool": "guess", "input": "{oops"},
            {"tool": "wait", "input": None},
            {"thought": "no tool at all"},
        ],
    }
    chatbot = make(preset(await serve(answering(answer)), TOOLS))

    meter = Meter()
    with call_context(meter=meter):
        async with chatbot.connect(CASE) as session:
            reports, heard = chatbot.capabilities.reports_tools, await session.reply(message("user", "Hi"))

    calls = (
        ToolCall(name="find_order", arguments={"id": 7}, result={"state": "sent"}),
        ToolCall(name="pay", arguments={"sum": 3}, error="declined"),
        ToolCall(name="guess", error="the arguments are not JSON"),
        ToolCall(name="wait", status="attempted"),
    )
    assert (reports, heard, meter.usage) == (
        True,
        message("chatbot", "Done", tool_calls=calls, ends=True),
        {"chatbot": Usage(calls=1, input_tokens=12, output_tokens=3, unknown_costs=1)},
    )


@pytest.mark.parametrize(
    ("rest", "used"),
    [
        ("", {}),
        ("cost_per_turn: 0.002\n", {"chatbot": Usage(calls=1, unknown_tokens=1, cost=0.002)}),
        ("usage: {cost: price}\ncost_per_turn: 0.002\n", {"chatbot": Usage(calls=1, unknown_tokens=1, cost=0.5)}),
        ("usage: {cost: absurd}\n", {"chatbot": Usage(calls=1, unknown_tokens=1, unknown_costs=1)}),
        ("usage: {cost: rich}\n", {"chatbot": Usage(calls=1, unknown_tokens=1, unknown_costs=1)}),
        ("usage: {input_tokens: none}\n", {"chatbot": Usage(calls=1, unknown_tokens=1, unknown_costs=1)}),
        ("usage: {input_tokens: message}\n", {"chatbot": Usage(calls=1, unknown_tokens=1, unknown_costs=1)}),
        ("usage: {input_tokens: absurd}\n", {"chatbot": Usage(calls=1, unknown_tokens=1, unknown_costs=1)}),
    ],
)
async def test_unstated_usage_is_unknown_and_not_zero(serve: Any, make: Make, rest: str, used: Any):
    chatbot = make(preset(await serve(answering({"message": "Hi", "price": 0.5, "rich": 2e9, "absurd": 1e300})), rest))

    meter = Meter()
    with call_context(meter=meter):
        await said(chatbot, "Hi")

    assert meter.usage == used


@pytest.mark.parametrize(
    ("ended", "ends"),
    [("ended: a\n", True), ("ended: b\n", False), ("ended: c\n", False), ("ended: {path: n, equals: 0}\n", True)],
)
async def test_a_chatbot_ends_the_conversation_by_a_true_value_or_a_certain_one(
    serve: Any, make: Make, ended: str, ends: bool
):
    answer = answering({"message": "Bye", "a": True, "b": False, "n": 0})
    (heard,) = await said(make(preset(await serve(answer), ended)), "Bye")

    assert heard.ends is ends


@pytest.mark.parametrize(
    ("failed", "statuses"),
    [
        ("", ["succeeded", "succeeded", "failed"]),
        ("failed: {path: output.ok, equals: false}", ["succeeded", "failed", "failed"]),
        ("failed: output.refused", ["succeeded", "succeeded", "failed"]),
        ("}\ntool_errors: [{tool: b*, path: ok, equals: false}", ["succeeded", "failed", "failed"]),
        ("}\ntool_errors: [{tool: c, path: ok, equals: false}", ["succeeded", "succeeded", "failed"]),
    ],
)
async def test_a_preset_says_how_a_tool_result_marks_a_failure(
    serve: Any, make: Make, failed: str, statuses: list[str]
):
    steps = [{"tool": "a", "output": {"ok": True}}, {"tool": "b", "output": {"ok": False}}]
    answer = {"message": "Done", "steps": [*steps, {"tool": "c", "output": {"error": "no"}}]}
    end = "]" if failed.startswith("}") else "}"
    tools = f"tools: {{each: steps, name: tool, result: output, names: [a, b]{', ' * (end == '}')}{failed}{end}\n"
    chatbot = make(preset(await serve(answering(answer)), tools))

    (heard,) = await said(chatbot, "Hi")

    assert [call.status for call in heard.tool_calls] == statuses
    assert [tool.name for tool in chatbot.capabilities.tools or ()] == ["a", "b"]


@pytest.mark.parametrize(
    ("rest", "reports"), [("", False), (TOOLS, True), ("tools: {each: steps, complete: false}\n", False)]
)
async def test_tool_calls_count_as_all_there_were_only_if_the_preset_says_so(make: Make, rest: str, reports: bool):
    assert make(preset("http://localhost", rest)).capabilities.reports_tools is reports


def nested(levels: int) -> str:
    return "[" * levels + "]" * levels


@pytest.mark.parametrize("levels", [98, 300, 1000])
@pytest.mark.parametrize("place", ["output", "input", "failure", "kept"])
async def test_an_answer_that_is_nested_without_end_is_a_failure_of_the_chatbot(
    serve: Any, make: Make, place: str, levels: int
):
    deep = f'{{"message": "x", "steps": [{{"tool": "t", "{place}": {nested(levels)}}}]}}'.encode()
    chatbot = make(preset(await serve(answering(deep)), TOOLS + "keep: {kept: 'steps[0].kept'}\n"))

    with pytest.raises(ChatbotError, match=r'^the answer is nested too deep: \{"message": "x"'):
        await said(chatbot, "Hi")


async def test_a_tool_that_is_nested_too_deep_to_be_kept_is_not_lost(serve: Any, make: Make):
    given, text = f'{{"a": {nested(51)}}}', f'{{\\"a\\": {nested(51)}}}'
    steps = f"""[{{"tool": "a", "input": {given}}}, {{"tool": "b", "input": "{text}"}},
    {{"tool": "c", "output": {nested(51)}}}, {{"tool": "d", "output": {nested(50)}, "failure": {nested(90)}}},
    {{"tool": "e", "output": {nested(51)}, "failure": "no"}}]"""
    answer = answering(f'{{"message": "x", "steps": {steps}}}'.encode())

    (heard,) = await said(make(preset(await serve(answer), TOOLS)), "Hi")

    assert heard.tool_calls == (
        ToolCall(name="a", error="the arguments are nested too deep"),
        ToolCall(name="b", error="the arguments are nested too deep"),
        ToolCall(name="c", error="the result is nested too deep"),
        ToolCall(name="d", result=json.loads(nested(50)), error=nested(90)),
        ToolCall(name="e", error="no; the result is nested too deep"),
    )


@pytest.mark.parametrize(
    ("spoken", "sent"),
    [
        (message("user", "yes"), "/affirm"),
        (message("user", "Nope"), "Nope"),
        (message("user", "Maybe"), "Maybe"),
        (Message(role="user", parts=(Button(title="Yes", payload="/affirm"),)), "/affirm"),
        (Message(role="user", parts=(Button(title="Yes"),)), "Yes"),
    ],
)
async def test_a_button_is_pressed_by_its_title(serve: Any, make: Make, spoken: Message, sent: str):
    told = []

    async def offers(request: web.Request) -> web.Response:
        told.append((await request.json())["text"])
        return web.json_response([{"buttons": [{"title": "Yes", "payload": "/affirm"}, {"title": "Maybe"}]}])

    chatbot = make(
        preset(await serve(offers), reply="reply: {each: '[*]', buttons: {each: buttons, payload: payload}}\n")
    )
    async with chatbot.connect(CASE) as session:
        await session.reply(message("user", "Hi"))
        await session.reply(spoken)

    assert told == ["Hi", sent]


async def test_a_cancelled_reply_is_not_in_the_history_of_the_next_request(serve: Any, make: Make):
    asked, arrived = [], asyncio.Event()

    async def slow(request: web.Request) -> web.Response:
        asked.append(await request.json())
        if len(asked) == 1:
            arrived.set()
            await asyncio.Event().wait()
        return web.json_response({"message": "ok"})

    chatbot = make(preset(await serve(slow)).replace('text: "{{message}}"', 'told: "{{messages}}"'))
    async with chatbot.connect(CASE) as session:
        reply = asyncio.create_task(session.reply(message("user", "lost")))
        await arrived.wait()
        reply.cancel()
        with suppress(asyncio.CancelledError):
            await reply
        await session.reply(message("user", "Hi"))

    assert [told["content"] for told in asked[-1]["told"]] == ["Hi"]


async def test_a_chatbot_for_one_at_a_time_holds_one_conversation_after_the_other(serve: Any, make: Make):
    told = []

    async def answer(request: web.Request) -> web.Response:
        told.append((await request.json())["id"])
        return web.json_response({"message": "ok"})

    chatbot = make(preset(await serve(answer), "one_at_a_time: true\n"))
    await asyncio.gather(*(said(chatbot, "a", "b", case=Case(id=id)) for id in "xyz"))

    assert told[::2] == told[1::2]


@pytest.mark.parametrize(
    ("rest", "reason"),
    [
        ("start: {url: URL, keep: {session: id}}\n", 'there is no id in the answer to the start: {"message": "ok"}'),
        (
            "start: {url: URL, keep_headers: {token: X-T}}\n",
            'there is no X-T in the answer to the start: {"message": "ok"}',
        ),
        ("start: {url: URL, reply: hello}\n", 'there is no hello in the answer: {"message": "ok"}'),
    ],
)
async def test_a_start_without_what_it_should_give_is_a_failure(serve: Any, make: Make, rest: str, reason: str):
    address = await serve(answering({"message": "ok"}))

    with pytest.raises(ChatbotError) as caught:
        await said(make(preset(address, rest.replace("URL", address))), "Hi")

    assert str(caught.value) == reason


def test_an_address_in_place_of_a_file_gets_a_hint(context: PluginContext):
    with pytest.raises(InputError, match="http: needs a preset file") as caught:
        connect("http://localhost:5005", context)

    assert "rasa:URL" in caught.value.hint


FACTS = "facts: {{url: {}/notes, method: GET, name: notes, result: {}}}\n"


async def test_the_state_of_a_chatbot_is_read_after_every_reply(serve: Any, make: Make):
    async def answer(request: web.Request) -> web.Response:
        return web.json_response({"message": "Noted."} if request.method == "POST" else {"all": [{"size": "big"}]})

    address = await serve(answer)
    async with make(preset(address, FACTS.format(address, "'all[0]'"))).connect(CASE) as session:
        said = [await session.reply(message("user", line)) for line in ("Big", "Really")]

    assert [one.tool_calls for one in said] == [(ToolCall(name="notes", result={"size": "big"}),)] * 2


@pytest.mark.parametrize(
    "status, place, complaint", [(404, "$", "HTTP 404"), (200, "slots", "there is no slots in the answer")]
)
async def test_notes_that_cannot_be_read_are_a_failure_unless_they_are_optional(
    serve: Any, make: Make, status: int, place: str, complaint: str
):
    async def answer(request: web.Request) -> web.Response:
        return web.json_response({"message": "Hi"}, status=200 if request.method == "POST" else status)

    address = await serve(answer)
    with pytest.raises(ChatbotError, match=complaint):
        async with make(preset(address, FACTS.format(address, place))).connect(CASE) as session:
            await session.reply(message("user", "Hi"))


def test_the_address_of_notes_is_looked_at_before_anything_is_sent(make: Make):
    with pytest.raises(InputError, match="is not a usable address"):
        make(preset("http://127.0.0.1:9", FACTS.format("nowhere", "slots")))

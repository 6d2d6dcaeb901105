import json
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
import yaml

from sparring.app.detect import detect, reply_in
from sparring.core.errors import InputError
from sparring.core.value import Json
from sparring.llm.client.transport import ConnectionLost, Response

Server = Callable[[Json], tuple[int, Json]]


class Wire:
    """A transport whose server is a function of the body of a request."""

    def __init__(self, server: Server, *, api: Json = None, cookie: str = "", path: str = "") -> None:
        self._server, self.bodies = server, []
        self._api, self._cookie, self._path = api, cookie, path

    async def send(self, method: str, url: str, *, headers: Mapping[str, str], body: bytes | None = None) -> Response:
        if method == "GET" or not url.endswith(self._path):
            return Response(404 if self._api is None else 200, {}, json.dumps(self._api).encode())
        if headers.get("Content-Type") != "application/json":
            return Response(415, {}, b"{}")
        asked = json.loads(body or b"null")
        self.bodies.append(asked)
        status, answer = self._server(asked)
        return Response(status, {"set-cookie": self._cookie} if self._cookie else {}, json.dumps(answer).encode())


def echoing(key: str, answer: Callable[[str], Json]) -> Server:
    return lambda body: (200, answer(body[key])) if key in body else (400, {"error": "bad request"})


@pytest.mark.parametrize(
    ("server", "key", "reply"),
    [
        (echoing("message", lambda said: {"reply": f"About {said}: yes", "id": said[:3]}), "message", "reply"),
        (
            echoing("text", lambda said: {"data": {"answers": [{"text": f"{said}, you say"}]}}),
            "text",
            "data.answers[*].text",
        ),
        (echoing("query", lambda said: [{"text": f"{said}, you say"}]), "query", "[*].text"),
        (
            echoing("prompt", lambda said: {"output": f"I heard {said}", "time": f"12:00:{len(said):02}"}),
            "prompt",
            "output",
        ),
    ],
)
async def test_a_dialect_is_the_first_body_whose_answer_differs_between_messages(server: Server, key: str, reply: str):
    found = await detect("http://localhost/chat", Wire(server))

    assert found.body[key] == "{{message}}"
    assert found.reply == reply
    assert f"reply: '{reply}'" in found.preset or f"reply: {reply}" in found.preset


class Streaming(Wire):
    """A server that sends its reply in pieces."""

    async def send(self, method: str, url: str, *, headers: Mapping[str, str], body: bytes | None = None) -> Response:
        if method == "GET":
            return Response(404, {}, b"")
        said = json.loads(body or b"{}").get("input", "nothing")
        pieces = [json.dumps({"delta": f"{word} "}) for word in ("You", "said", *said.split())]
        shown = "".join(f"data: {each}\n\n" for each in [*pieces, "[DONE]"])
        return Response(200, {"content-type": "text/event-stream; charset=utf-8"}, shown.encode())


async def test_a_reply_that_is_streamed_in_pieces_is_found():
    found = await detect("http://localhost/chat", Streaming(lambda body: (200, {})))
    preset = yaml.safe_load(found.preset)

    assert preset["body"]["input"] == "{{message}}"
    assert (preset["answer"], preset["final"], preset["reply"]) == ("deltas", "[DONE]", "delta")


async def test_a_server_that_breaks_without_the_id_of_a_user_gets_one():
    def server(body: Json) -> tuple[int, Json]:
        if isinstance(body.get("user"), str):
            raise ConnectionLost("server disconnected")
        known = body.get("user", {}).get("id", "nobody")
        seen.append(known)
        return 200, {"reply": f"{'Hello again' if seen.count(known) > 1 else 'Welcome'}, {body.get('input')} it is"}

    seen: list[str] = []
    found = await detect("http://localhost/chat", Wire(server))

    assert found.body == {"input": "{{message}}", "user": {"id": "{{new_session}}"}}


async def test_an_id_within_a_field_is_found():
    def server(body: Json) -> tuple[int, Json]:
        try:
            return 200, {"output": {"generic": [{"text": f"{body['user']['id'][:3]} said {body['text']}, I think"}]}}
        except (KeyError, TypeError):
            return 500, {"error": "KeyError"}

    found = await detect("http://localhost/v1/message", Wire(server))

    assert found.body["user"] == {"id": "{{new_session}}"}
    assert found.reply == "output.generic[*].text"


async def test_a_message_that_a_server_calls_empty_was_not_read():
    def server(body: Json) -> tuple[int, Json]:
        user = body.get("user") or {}
        if not isinstance(user, dict):
            return 500, {"error": "AttributeError"}
        greeting = "" if user.get("id") is None else "Welcome to us. "
        text = body.get("input")
        return 200, {"output": f"{greeting}You said {text}." if text else f"Your message was empty, {len(str(body))}."}

    found = await detect("http://localhost/v1/assistant", Wire(server))

    assert found.body["input"] == "{{message}}"


class Texting(Wire):
    """A server that takes forms, and answers in plain text."""

    async def send(self, method: str, url: str, *, headers: Mapping[str, str], body: bytes | None = None) -> Response:
        if headers.get("Content-Type") != "application/x-www-form-urlencoded":
            return Response(400, {}, b"From and Body are required")
        form = dict(parse_qsl((body or b"").decode()))
        if "From" not in form or "Body" not in form:
            return Response(400, {}, b"From and Body are required")
        return Response(200, {"content-type": "text/plain; charset=utf-8"}, f"You wrote {form['Body']} to us".encode())


async def test_a_server_that_takes_forms_is_found():
    found = await detect("http://localhost/sms", Texting(lambda body: (200, {})))
    preset = yaml.safe_load(found.preset)

    assert {"Body", "From"} <= preset["form"].keys()
    assert (preset["answer"], preset["reply"]) == ("text", "$")


class DescribedForm(Wire):
    """A server that describes its form, and answers JSON that holds no message, too."""

    async def send(self, method: str, url: str, *, headers: Mapping[str, str], body: bytes | None = None) -> Response:
        if method == "GET":
            fields = {"properties": {"text": {"type": "string"}, "kunde": {"type": "string"}}}
            content = {"application/x-www-form-urlencoded": {"schema": fields}}
            api = {"paths": {"/nachricht": {"post": {"requestBody": {"content": content}}}}}
            return Response(200, {}, json.dumps(api).encode())
        is_form = headers["Content-Type"] != "application/json"
        said = dict(parse_qsl((body or b"").decode()))["text"] if is_form else "nichts"
        return Response(200, {}, json.dumps({"antwort": f"Sie sagen {said}, ja?"}).encode())


async def test_a_form_that_a_server_describes_is_sent():
    preset = yaml.safe_load((await detect("http://localhost/nachricht", DescribedForm(lambda body: (200, {})))).preset)

    assert preset["form"] == {"text": "{{message}}", "kunde": "{{new_session}}"}


async def test_a_server_that_wants_a_key_is_asked_no_further():
    wire = Wire(lambda body: (401, {"error": "who are you?"}))

    with pytest.raises(InputError, match="HTTP 401"):
        await detect("http://localhost/chat", wire)

    assert len(wire.bodies) < 10


class Opening(Wire):
    """A server that opens conversations, and takes messages at an address below."""

    opened = 0

    async def send(self, method: str, url: str, *, headers: Mapping[str, str], body: bytes | None = None) -> Response:
        path = urlsplit(url).path
        if method == "POST" and path == "/sessions":
            self.opened += 1
            return Response(
                201, {}, json.dumps({"sessionId": f"{self.opened:08x}", "text": "Hello there, welcome!"}).encode()
            )
        if method == "POST" and path in {f"/sessions/{number + 1:08x}/messages" for number in range(self.opened)}:
            said = json.loads(body or b"{}").get("text")
            if said is not None:
                return Response(200, {}, json.dumps({"messages": [{"text": f"About {said}: no."}]}).encode())
            return Response(400, {}, b'{"error": "text is missing"}')
        return Response(404, {}, b"{}")


async def test_a_server_that_breaks_at_other_addresses_is_described_by_its_answers():
    class Breaking(Wire):
        async def send(self, method: str, url: str, **sent: Any) -> Response:
            if not url.endswith("/chat") and method == "POST":
                raise ConnectionLost("the connection was closed")
            return await super().send(method, url, **sent)

    with pytest.raises(InputError, match="found no way to talk to it"):
        await detect("http://localhost/chat", Breaking(lambda body: (400, {"error": "no"})))


@pytest.mark.parametrize("address", ["http://localhost", "http://localhost/sessions"])
async def test_a_server_that_opens_conversations_is_found(address: str):
    found = await detect(address, Opening(lambda body: (404, {})))
    preset = yaml.safe_load(found.preset)

    assert preset["url"] == "http://localhost/sessions/{{conversation}}/messages"
    assert preset["body"] == {"text": "{{message}}"}
    assert preset["start"] == {
        "url": "http://localhost/sessions",
        "body": {},
        "keep": {"conversation": "sessionId"},
        "reply": "text",
    }


async def test_the_messages_of_an_openai_server_are_found():
    def server(body: Json) -> tuple[int, Json]:
        if "messages" not in body:
            return 400, {"error": {"message": "messages are missing"}}
        said = body["messages"][-1]["content"]
        return 200, {
            "id": "chatcmpl-12345678",
            "choices": [{"message": {"role": "assistant", "content": f"Hm, {said}"}}],
        }

    found = await detect("http://localhost/v1/chat/completions", Wire(server))

    assert found.reply == "choices[0].message.content"


async def test_an_id_is_not_taken_for_a_reply_if_the_chatbot_only_greets():
    ids = iter(range(100))

    def server(body: Json) -> tuple[int, Json]:
        if "messages" not in body:
            return 400, {"error": "messages are missing"}
        return 200, {
            "id": f"chatcmpl-{next(ids):012}",
            "choices": [{"message": {"content": "Welcome! Please choose a number."}}],
        }

    found = await detect("http://localhost/v1/chat/completions", Wire(server))

    assert found.reply == "choices[0].message.content"
    assert "messages: '{{messages}}'" in found.preset


async def test_a_validation_error_names_the_field_to_send():
    def server(body: Json) -> tuple[int, Json]:
        lacking = [name for name in ("utterance", "user_id") if name not in body]
        if lacking:
            return 422, {
                "detail": [{"type": "missing", "loc": ["body", name], "msg": "Field required"} for name in lacking]
            }
        return 200, {"answer": f"You said {body['utterance']}"}

    found = await detect("http://localhost/chat", Wire(server))

    assert found.body == {"utterance": "{{message}}", "user_id": "{{new_session}}"}


async def test_a_validation_error_names_the_field_within_a_field():
    def server(body: Json) -> tuple[int, Json]:
        if not isinstance(body.get("event"), dict):
            return 422, {"detail": [{"type": "missing", "loc": ["body", "event", "phrase"], "msg": "Field required"}]}
        return 200, {"answer": f"You said {body['event']['phrase']}"}

    assert (await detect("http://localhost/chat", Wire(server))).body == {"event": {"phrase": "{{message}}"}}


async def test_the_field_that_pydantic_1_misses_is_sent():
    def server(body: Json) -> tuple[int, Json]:
        if "phrase" not in body:
            return 422, {
                "detail": [{"loc": ["body", "phrase"], "msg": "field required", "type": "value_error.missing"}]
            }
        return 200, {"answer": f"You said {body['phrase']}"}

    assert (await detect("http://localhost/chat", Wire(server))).body == {"phrase": "{{message}}"}


async def test_a_cookie_becomes_the_session_of_the_preset():
    found = await detect(
        "http://localhost/chat", Wire(echoing("text", lambda said: {"reply": f"Hm, {said}"}), cookie="sid=1")
    )

    assert "keep_headers:\n  cookie: set-cookie" in found.preset
    assert "Cookie: '{{cookie}}'" in found.preset


async def test_fields_are_those_that_the_server_describes():
    schema = {"properties": {"lang": {"type": "string"}, "words": {"type": "string"}, "thread_id": {"type": "string"}}}
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Ask"}}}
    api = {
        "paths": {"/chat": {"post": {"requestBody": {"content": content}}}},
        "components": {"schemas": {"Ask": {**schema, "required": ["words"]}}},
    }
    found = await detect(
        "http://localhost/chat", Wire(echoing("words", lambda said: {"reply": f"Hm, {said}"}), api=api)
    )

    assert found.body == {"words": "{{message}}", "thread_id": "{{new_session}}"}


async def test_fields_within_fields_are_those_that_the_server_describes():
    text = {"anyOf": [{"type": "string"}, {"type": "null"}]}
    fields = {"user": {"$ref": "#/components/User"}, "said": {"properties": {"text": text}}}
    content = {"application/json": {"schema": {"properties": fields}}}
    user = {"properties": {"user_id": {"type": "string"}, "age": {"type": "integer"}}}
    api = {"paths": {"/chat": {"post": {"requestBody": {"content": content}}}}, "components": {"User": user}}
    found = await detect("http://localhost/chat", Wire(lambda body: (200, {"reply": f"Hm, {body['said']}"}), api=api))

    assert found.body == {"said": {"text": "{{message}}"}, "user": {"user_id": "{{new_session}}"}}


@pytest.mark.parametrize(
    ("base", "path"),
    [("http://localhost/v1", "/v1/chat/completions"), ("http://localhost/", "/webhooks/rest/webhook")],
)
async def test_the_beginning_of_an_address_is_enough_for_known_servers(base: str, path: str):
    server = echoing("messages" if "v1" in base else "message", lambda said: {"reply": f"Hm, you say {said}"})

    found = await detect(base, Wire(server, path=path))

    assert f"url: http://localhost{path}" in found.preset


async def test_the_reply_of_a_drafted_preset_is_found_where_it_is():
    preset = 'url: http://localhost/chat\nbody: {"text": "{{message}}"}\nreply: [reply]\n'

    wire = Wire(echoing("text", lambda said: {"data": [{"say": f"Hm, you say {said}"}]}))
    path = await reply_in(preset, wire, {})

    assert path == "data[0].say"


async def test_an_error_with_http_200_is_no_reply():
    def server(body: Json) -> tuple[int, Json]:
        if "username" not in body:
            return 200, {"error": "username and message are required keys"}
        return 200, {"reply": f"Hm, you say {body.get('message')}"}

    assert (await detect("http://localhost/chat", Wire(server))).reply == "reply"


async def test_a_server_that_hangs_up_where_a_field_is_missing_is_asked_again():
    def server(body: Json) -> tuple[int, Json]:
        if "username" not in body or "message" not in body:
            raise ConnectionLost("hung up")
        return 200, {"reply": f"Hm, you say {body['message']}"}

    found = await detect("http://localhost/chat", Wire(server))

    assert found.body["username"] == "{{new_session}}"


async def test_a_sentence_names_the_fields_to_send_and_where():
    def server(body: Json) -> tuple[int, Json]:
        if not body.get("sessionId") or not isinstance(body.get("input"), dict) or "text" not in body["input"]:
            return 400, {"error": "sessionId and input.text required"}
        return 200, {"output": {"text": [f"You said {body['input']['text']}"]}}

    found = await detect("http://localhost/chat", Wire(server))

    assert found.body == {"sessionId": "{{new_session}}", "input": {"text": "{{message}}"}}
    assert found.reply == "output.text[*]"


class Queried(Wire):
    """A server that answers GET requests, and refuses others."""

    async def send(self, method: str, url: str, *, headers: Mapping[str, str], body: bytes | None = None) -> Response:
        parts = urlsplit(url)
        if method != "GET":
            return Response(501, {}, b"Unsupported method")
        if parts.path != "/ask":
            return Response(404, {}, b"")
        status, answer = self._server(dict(parse_qsl(parts.query)))
        return Response(status, {}, json.dumps(answer).encode())


async def test_a_server_that_only_takes_queries_gets_those_that_it_reads():
    found = await detect("http://localhost/ask", Queried(counting("q", "sid")))

    assert found.body == {"q": "{{message}}", "sid": "{{new_session}}"}
    assert yaml.safe_load(found.preset) == {
        "url": "http://localhost/ask",
        "method": "GET",
        "query": {"q": "{{message}}", "sid": "{{new_session}}"},
        "reply": "data.answer",
        "timeout": 30,
    }


async def test_a_page_is_no_chatbot():
    with pytest.raises(InputError, match=r"HTTP 501"):
        await detect("http://localhost/ask", Queried(lambda query: (200, {"message": "Welcome to our interface"})))


async def test_attempts_are_listed_if_none_fits():
    with pytest.raises(InputError, match=r"found no way to talk to it.*HTTP 500"):
        await detect("http://localhost/chat", Wire(lambda body: (500, {})))


async def test_a_constant_answer_is_no_reply():
    with pytest.raises(InputError, match="without a text that differs"):
        await detect("http://localhost/chat", Wire(lambda body: (200, {"status": "ok"})))


async def test_a_server_that_breaks_without_a_user_is_understood():
    def breaking(body: Json) -> tuple[int, Json]:
        if not isinstance(body, dict) or not {"text", "user"} <= body.keys():
            raise ConnectionLost("the server closed the connection")
        return 200, {"reply": f"You said {body['text']}, did you not"}

    found = await detect("http://127.0.0.1/chat", Wire(breaking))

    assert (found.body["text"], found.body["user"], found.reply) == ("{{message}}", "{{new_session}}", "reply")


def counting(message: str, session: str, ask: str = "") -> Server:
    """A server that ignores unknown fields, and counts the messages of each session."""
    counts: dict[str, int] = {}

    def server(body: Json) -> tuple[int, Json]:
        id, said = str(body.get(session)), str(body.get(message) or "nothing")
        counts[id] = counts.get(id, 0) + 1
        return 200, {"data": {"answer": ask or f"That is line {counts[id]} from you: {said}"}}

    return server


@pytest.mark.parametrize(("message", "session"), [("query", "chat_id"), ("nachricht", "sitzung"), ("text", "user")])
async def test_a_server_that_ignores_unknown_fields_gets_those_that_it_reads(message: str, session: str):
    found = await detect("http://localhost/chat", Wire(counting(message, session)))

    assert found.body == {message: "{{message}}", session: "{{new_session}}"}
    assert found.reply == "data.answer"


async def test_all_usual_fields_are_sent_while_a_chatbot_says_the_same_to_everything():
    found = await detect("http://localhost/chat", Wire(counting("frage", "chat_id", "Please tell me your number.")))

    assert (found.body["frage"], found.body["chat_id"]) == ("{{message}}", "{{new_session}}")


async def test_a_chatbot_with_random_replies_is_asked_few_times_and_loses_no_field_it_needs():
    numbers = iter(range(1000))

    def server(body: Json) -> tuple[int, Json]:
        if not body.get("query"):
            return 422, {"detail": "query is missing"}
        return 200, {"answer": f"I would say number {next(numbers)} to that"}

    wire = Wire(server)
    found = await detect("http://localhost/chat", wire)
    silent = Wire(lambda body: (200, {"answer": f"I would say number {next(numbers)} to that"}))
    unclear = await detect("http://localhost/chat", silent)

    assert [name for name, value in found.body.items() if value == "{{message}}"] == ["query"]
    assert len(wire.bodies) <= 24
    assert {"message", "query", "text"} < unclear.body.keys()
    assert len(silent.bodies) <= 16


async def test_a_server_that_breaks_on_unknown_fields_is_asked_in_one_form_after_the_other():
    strict = counting("text", "sender")

    def server(body: Json) -> tuple[int, Json]:
        return strict(body) if body.keys() == {"text", "session_id", "sender"} else (500, {"error": "unknown field"})

    found = await detect("http://localhost/chat", Wire(server))

    assert set(found.body) == {"text", "session_id", "sender"}

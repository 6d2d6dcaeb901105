import json
from collections.abc import Callable, Mapping

import pytest

from sparring.app.detect import detect
from sparring.core.errors import InputError
from sparring.core.value import Json
from sparring.llm.client.transport import Response

Server = Callable[[Json], tuple[int, Json]]


class Wire:
    """A transport whose server is a function of the body of a request."""

    def __init__(self, server: Server) -> None:
        self._server, self.bodies = server, []

    async def send(self, method: str, url: str, *, headers: Mapping[str, str], body: bytes | None = None) -> Response:
        asked = json.loads(body or b"null")
        self.bodies.append(asked)
        status, answer = self._server(asked)
        return Response(status, {}, json.dumps(answer).encode())


def echoing(key: str, answer: Callable[[str], Json]) -> Server:
    return lambda body: (200, answer(body[key])) if key in body else (400, {"error": "bad request"})


@pytest.mark.parametrize(
    ("server", "key", "reply"),
    [
        (echoing("message", lambda said: {"reply": f"About {said}: yes", "id": said[:3]}), "message", "reply"),
        (
            echoing("text", lambda said: {"data": {"answers": [{"text": f"{said}, you say"}]}}),
            "text",
            "data.answers[0].text",
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


async def test_an_id_is_no_reply_where_the_chatbot_greets_whatever_is_said():
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


async def test_what_was_tried_is_told_if_nothing_fits():
    with pytest.raises(InputError, match=r"no way to speak to it was found.*HTTP 500"):
        await detect("http://localhost/chat", Wire(lambda body: (500, {})))


async def test_a_constant_answer_is_no_reply():
    with pytest.raises(InputError, match="without a text that differs"):
        await detect("http://localhost/chat", Wire(lambda body: (200, {"status": "ok"})))

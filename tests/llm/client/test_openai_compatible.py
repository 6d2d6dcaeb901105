"""The whole client, over real sockets."""

import asyncio
import logging
import traceback
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from random import Random
from types import MappingProxyType
from typing import Any

import pytest
from pydantic import BaseModel, SecretStr

from model_faults import InjectedFault, completion
from model_server import LoopbackModelServer
from sparring.core.clock import SystemClock
from sparring.core.errors import BadCompletion, ModelError, ModelRejected, ModelTimeout, ModelUnavailable
from sparring.core.usage import Usage
from sparring.llm.client.http_transport import HttpTransport
from sparring.llm.client.openai_compatible import OpenAICompatible
from sparring.llm.client.rate_limiter import RateLimiter
from sparring.llm.client.retry import Retries
from sparring.llm.model import ChatMessage, Completion, Request, Schema, Tool, ToolRequest
from sparring.llm.structured_output import ask

KEY = "c2VjcmV0-of-mine/42"
ASK = Request((ChatMessage("user", "Hi"),))
SCORE = Schema("score", {"type": "object", "properties": {"score": {"type": "integer"}}})
SAID = Usage(calls=1, input_tokens=12, output_tokens=3, unknown_costs=1)

Make = Callable[..., OpenAICompatible]


@pytest.fixture
def model(transport: HttpTransport, retries: Retries) -> Make:
    def make(server: LoopbackModelServer, **options: Any) -> OpenAICompatible:
        options = {"retries": retries, "key": SecretStr(KEY), "label": "test:m"} | options
        return OpenAICompatible("m", url=server.url, transport=transport, **options)

    return make


async def test_a_conversation_with_tools_goes_back_and_forth(model: Make):
    menu = Tool("menu", "What there is.", {"type": "object", "properties": {}})
    asked = (ToolRequest("a", "menu", "{}"), ToolRequest("b", "menu", "{}"))
    history = (
        *ASK.messages,
        ChatMessage("assistant", "", asked),
        ChatMessage("tool", "[]", tool_request_id="a"),
        ChatMessage("tool", "[]", tool_request_id="b"),
    )
    async with LoopbackModelServer(asked, "We have nothing.") as server:
        client = model(server)
        first = await client.complete(replace(ASK, tools=(menu,)))
        second = await client.complete(replace(ASK, tools=(menu,), messages=history))

    assert first == Completion(tool_requests=asked, usage=SAID, model="loopback")
    assert second == Completion("We have nothing.", usage=SAID, model="loopback")
    assert [line["role"] for line in server.requests[1].body["messages"]] == ["user", "assistant", "tool", "tool"]
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


async def test_without_a_key_no_authorization_is_sent(model: Make):
    async with LoopbackModelServer("Hello!") as server:
        await model(server, key=None).complete(ASK)

    assert "authorization" not in server.requests[0].headers


async def test_cost_is_computed_from_the_price(model: Make):
    async with LoopbackModelServer("Hello!") as server:
        answered = await model(server, price=lambda input, output, cached: input + output / 10).complete(ASK)

    assert answered.usage == Usage(calls=1, input_tokens=12, output_tokens=3, cost=12.3)


@pytest.mark.parametrize(
    ("fault", "waits"),
    [
        (InjectedFault.status(429, retry_after=2), [2]),
        (
            InjectedFault(
                429,
                headers=(
                    ("date", "Thu, 01 Jan 2026 00:00:00 GMT"),
                    ("retry-after", "Thu, 01 Jan 2026 00:00:30 GMT"),
                ),
            ),
            [30],
        ),
        (InjectedFault.status(408), [0.5]),
        (InjectedFault.status(409), [0.5]),
        (InjectedFault.status(500), [0.5]),
        (InjectedFault.html(502), [0.5]),
        (InjectedFault.status(529), [0.5]),
        (InjectedFault.disconnect(), [0.5]),
        (InjectedFault.cut_off(), [0.5]),
        (InjectedFault.response({"error": {"message": "overloaded", "code": 503}}), [0.5]),
    ],
)
async def test_a_temporary_failure_is_retried(fault: InjectedFault, waits: list[float], model: Make, time: Any):
    async with LoopbackModelServer(fault, "Hello!") as server:
        answered = await model(server).complete(ASK)

    assert (answered.text, len(server.requests), time.waits) == ("Hello!", 2, waits)


@pytest.mark.parametrize(
    ("fault", "error", "words"),
    [
        (InjectedFault.status(500), ModelUnavailable, "test:m: HTTP 500: loopback says 500 (after 19 attempts)"),
        (
            InjectedFault.status(429, retry_after=3600),
            ModelUnavailable,
            "test:m: HTTP 429: loopback says 429 (after 1 attempt, it asks to wait 3,600 s)",
        ),
        (
            InjectedFault.disconnect(),
            ModelUnavailable,
            "test:m: the server hung up without an answer: if it speaks TLS, the address should begin with https:// (",
        ),
        (InjectedFault.cut_off(), BadCompletion, "test:m: the answer was cut off: "),
        (InjectedFault.status(400, "too long"), ModelRejected, "test:m: HTTP 400: too long"),
        (InjectedFault.status(403), ModelRejected, "test:m: HTTP 403: loopback says 403"),
        (InjectedFault.status(404, "no model m"), ModelRejected, "test:m: HTTP 404: no model m"),
        (InjectedFault.status(422), ModelRejected, "test:m: HTTP 422: loopback says 422"),
        (InjectedFault.status(429, "insufficient_quota"), ModelRejected, "test:m: HTTP 429: insufficient_quota"),
        (InjectedFault.html(200), BadCompletion, "test:m: answered with an HTML page: <!doctype html> <html>"),
        (InjectedFault.truncated(), BadCompletion, "test:m: answered with something that is not JSON: "),
        (
            InjectedFault.invalid_json(),
            BadCompletion,
            "test:m: answered with something that is not JSON: {'choices': und",
        ),
        (InjectedFault.empty_choices(), BadCompletion, "test:m: answered without any choice"),
        (InjectedFault.nameless_tool_call(), BadCompletion, "test:m: answered with tool call 1 that names no tool"),
        (
            InjectedFault(302, headers=(("location", "/login"),)),
            ModelRejected,
            "test:m: HTTP 302: it redirects to /login",
        ),
        (InjectedFault.wrong_key(), ModelRejected, "test:m: HTTP 401: Incorrect API key provided: [redacted]"),
    ],
)
async def test_every_fault_ends_as_an_error_of_ours_in_the_providers_words(
    fault: InjectedFault, error: type[ModelError], words: str, model: Make
):
    async with LoopbackModelServer(otherwise=fault) as server:
        with pytest.raises(ModelError) as caught:
            await model(server).complete(ASK)

    assert (type(caught.value), str(caught.value)[: len(words)]) == (error, words)


@pytest.mark.parametrize(
    ("fault", "answer"),
    [
        (InjectedFault.null_content(), Completion(usage=SAID, model="loopback")),
        (
            InjectedFault.no_usage(),
            Completion("Hello!", usage=Usage(calls=1, unknown_tokens=1, unknown_costs=1), model="loopback"),
        ),
        (
            InjectedFault.malformed_tool_call(),
            Completion(
                tool_requests=(ToolRequest("call_loopback", "order", '{"size": '),), usage=SAID, model="loopback"
            ),
        ),
    ],
)
async def test_an_unusual_response_is_accepted(fault: InjectedFault, answer: Completion, model: Make):
    async with LoopbackModelServer(fault) as server:
        assert await model(server).complete(ASK) == answer


@pytest.mark.parametrize("fault", [InjectedFault.slow_headers(60), InjectedFault.slow_body(60)])
async def test_an_answer_that_takes_too_long_is_a_timeout_and_the_server_sees_us_hang_up(
    fault: InjectedFault, model: Make
):
    retries = Retries(SystemClock(), Random(0), call_seconds=0.5, total_seconds=60, most=1)
    async with LoopbackModelServer(InjectedFault.wrong_key(), fault) as server:
        client = model(server, retries=retries)
        with pytest.raises(ModelRejected):
            await client.complete(ASK)
        with pytest.raises(ModelTimeout, match=r"^no answer within 0\.5 s \(after 1 attempt\)$") as late:
            await client.complete(ASK)
        await asyncio.wait_for(server.hung_up.wait(), 60)

    assert late.value.hint == ""


@pytest.mark.slow
async def test_a_model_that_is_loaded_for_its_first_call_has_all_the_time_there_is(model: Make):
    retries = Retries(SystemClock(), Random(0), call_seconds=0.05, total_seconds=30)
    async with LoopbackModelServer(InjectedFault.slow_headers(0.5)) as server:
        answered = await model(server, retries=retries).complete(ASK)

    assert (answered.text, server.calls) == ("Hello!", 1)


async def test_a_model_that_takes_longer_for_its_first_call_may_need_longer(model: Make):
    retries = Retries(SystemClock(), Random(0), call_seconds=0.05, total_seconds=0.1)
    async with LoopbackModelServer(InjectedFault.slow_headers(60)) as server:
        with pytest.raises(ModelTimeout, match=r"^no answer within 0\.1 s") as late:
            await model(server, retries=retries).complete(ASK)

    assert late.value.hint.startswith("a model that has to be loaded first may need longer: raise retry_seconds")


LOADING = {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}


async def test_a_server_that_loads_its_model_is_waited_for(model: Make, time: Any):
    async with LoopbackModelServer(*[InjectedFault.response(LOADING, code=503)] * 19, "Hello!") as server:
        answered = await model(server, retries=loading(time)).complete(ASK)

    assert (answered.text, answered.usage.calls, time.passed) == ("Hello!", 1, 19 * 15)


async def test_a_server_that_loads_its_model_for_ever_is_given_up(model: Make, time: Any):
    async with LoopbackModelServer(otherwise=InjectedFault.response(LOADING, code=503)) as server:
        with pytest.raises(ModelUnavailable, match=r"HTTP 503: Loading model \(after 20 attempts"):
            await model(server, retries=loading(time)).complete(ASK)

    assert time.passed == 19 * 15


def loading(time: Any) -> Retries:
    """With a limiter whose pauses are over at once."""

    def later(seconds: float, act: Callable[[], None]) -> asyncio.Handle:
        time.passed += seconds
        return asyncio.get_running_loop().call_later(0, act)

    return Retries(time, Random(0), sleep=time.sleep, limiter=RateLimiter(now=time.monotonic, later=later))


async def test_a_cancelled_call_is_seen_by_the_server_as_a_disconnect(model: Make):
    async with LoopbackModelServer(InjectedFault.slow_headers(60)) as server:
        call = asyncio.create_task(model(server).complete(ASK))
        await server.arrived(1)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        await asyncio.wait_for(server.hung_up.wait(), 60)


async def test_a_missing_server_is_unavailable(transport: HttpTransport, retries: Retries):
    client = OpenAICompatible("m", url="http://127.0.0.1:1/v1", transport=transport, retries=retries)

    reason = r"^m: cannot connect to 127\.0\.0\.1:1: [^\[\]]+ \(after 4 attempts\)$"
    with pytest.raises(ModelUnavailable, match=reason) as caught:
        await client.complete(ASK)

    assert caught.value.hint == "does a server answer at http://127.0.0.1:1/v1/chat/completions?"


async def test_a_name_that_is_not_resolved_is_unavailable_and_not_asked_for_without_end(
    transport: HttpTransport, retries: Retries
):
    client = OpenAICompatible("m", url="http://nowhere.invalid/v1", transport=transport, retries=retries)

    with pytest.raises(ModelUnavailable, match=r"^m: cannot connect to nowhere\.invalid:80: .+ \(after 4 attempts\)$"):
        await client.complete(ASK)


async def test_a_request_that_is_no_json_is_rejected_before_it_is_sent(model: Make):
    async with LoopbackModelServer() as server:
        with pytest.raises(ModelRejected, match="cannot be written as JSON"):
            await model(server).complete(Request((ChatMessage("user", "\ud800"),)))

    assert server.requests == []


async def test_a_request_takes_no_room_while_it_is_answered(transport: HttpTransport, retries: Retries):
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        left = int(head.partition("content-length: ")[2].partition("\r\n")[0])
        sizes.append(left)
        while left:
            left -= len(await reader.read(1000))
        sizes.append(tracemalloc.get_traced_memory()[0] - before)
        body = b'{"choices": [{"message": {"content": "Hello"}}]}'
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%s" % (len(body), body))
        writer.close()

    sizes: list[int] = []
    async with await asyncio.start_server(talk, "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        client = OpenAICompatible("m", url=url, transport=transport, retries=retries)
        long = Request((ChatMessage("user", "word " * 40_000),))
        tracemalloc.start()
        try:
            before = tracemalloc.get_traced_memory()[0]
            await client.complete(long)
        finally:
            tracemalloc.stop()

    size, taken = sizes
    assert (size > 200_000, taken < size / 2) == (True, True), taken


async def test_a_key_that_comes_back_as_the_answer_is_not_in_it(model: Make):
    called = {"id": f"call {KEY}", "function": {"name": "note", "arguments": f'{{"said": "{KEY}"}}'}}
    said = {"role": "assistant", "content": f"You sent Bearer {KEY}.", "tool_calls": [called]}
    async with LoopbackModelServer(InjectedFault.response(completion(said))) as server:
        answered = await model(server).complete(ASK)

    assert answered.text == "You sent Bearer [redacted]."
    assert answered.tool_requests == (ToolRequest("call [redacted]", "note", '{"said": "[redacted]"}'),)


async def test_a_key_that_is_a_common_word_is_not_redacted(model: Make):
    async with LoopbackModelServer("This is a test.") as server:
        answered = await model(server, key=SecretStr("test")).complete(ASK)

    assert answered.text == "This is a test."


FAULTS = [
    InjectedFault.wrong_key(),
    InjectedFault.status(400, "who is {key}?"),
    InjectedFault.status(500, "who is {key}?"),
    InjectedFault(200, b"<html>{key}", (("content-type", "text/html"),)),
    InjectedFault(200, b'{"choices": "{key}'),
    InjectedFault(302, headers=(("location", f"https://example.org/?token={KEY}"),)),
    InjectedFault.response({"error": {"message": "{key}", "code": 400}}),
    InjectedFault.disconnect(),
    InjectedFault.cut_off(),
    InjectedFault(200, b"x" * 250 + b"{key}" * 100),
    InjectedFault(401, b" " * 19_982 + b"{key}"),
    InjectedFault(401, b'{"error": "' + b" " * 19_982 + b'{key}"}'),
]


@pytest.mark.parametrize("fault", FAULTS, ids=range(len(FAULTS)))
async def test_the_key_is_nowhere_to_be_seen(
    fault: InjectedFault, model: Make, time: Any, retries: Retries, caplog: pytest.LogCaptureFixture
):
    caplog.set_level(logging.DEBUG)
    retries = Retries(time, Random(0), sleep=time.sleep)
    async with LoopbackModelServer(otherwise=fault) as server:
        client = model(server, retries=retries)
        with pytest.raises(ModelError) as caught:
            await client.complete(ASK)

    shown = [repr(client), repr(vars(client)), caplog.text, *map(repr, caplog.records)]
    error: BaseException | None = caught.value
    while error is not None:  # every exception that is dragged along
        shown += [str(error), repr(error), repr(vars(error)), "".join(traceback.format_exception(error))]
        error = error.__cause__ or error.__context__
    # Our own frames too, but for what the server sent: loggers and test runners print what frames hold.
    for frame, _ in traceback.walk_tb(caught.value.__traceback__):
        if "sparring" in frame.f_globals["__name__"]:
            shown += [
                repr(value) for name, value in frame.f_locals.items() if name not in ("response", "refusal", "read")
            ]
    assert [text for text in shown if KEY[:6] in text] == []


async def test_words_of_the_models_own_that_its_server_refuses_are_asked_for_again(model: Make):
    body = {"error": {"message": "Failed to call a function.", "code": "tool_use_failed"}}
    async with LoopbackModelServer(InjectedFault.response(body, code=400), "Hello!") as server:
        completion = await model(server).complete(ASK)

    assert (completion.text, completion.usage.calls, completion.usage.unknown_tokens) == ("Hello!", 2, 1)


def failed(generated: str) -> InjectedFault:
    """A server that looks at what its model said, and does not let it through."""
    words = "Failed to generate JSON. Please adjust your prompt. See 'failed_generation' for more details."
    error = {"message": words, "type": "invalid_request_error", "code": "json_validate_failed"}
    return InjectedFault.response({"error": error | {"failed_generation": generated}}, code=400)


def way(body: dict[str, Any]) -> str:
    """In which way an answer of a shape is asked for."""
    return body["response_format"]["type"] if "response_format" in body else "tool" if "tools" in body else "prompt"


async def test_a_model_that_misspeaks_again_and_again_is_asked_in_other_ways_in_this_call_only(model: Make):
    async with LoopbackModelServer(*[failed("")] * 4, '{"score": 3}', '{"score": 4}') as server:
        client = model(server)
        answers = [await client.complete(replace(ASK, answer=SCORE)) for _ in range(2)]

    ways = ["json_schema", "json_schema", "tool", "json_object", "prompt"]
    assert [way(sent.body) for sent in server.requests] == [*ways, "json_schema"]
    assert [(each.text, each.rung, each.usage.unknown_tokens) for each in answers] == [
        ('{"score": 3}', "prompt", 4),
        ('{"score": 4}', "json_schema", 0),
    ]


async def test_what_a_model_said_that_is_not_as_asked_goes_back_to_it_with_what_is_wrong(model: Make):
    class Score(BaseModel):
        score: int

    async with LoopbackModelServer(failed(f'{{"score": "high {KEY}"}}'), '{"score": 3}') as server:
        answer = await ask(model(server), ASK, Score)

    said = [line["content"] for line in server.requests[1].body["messages"]]
    assert (answer.score, len(server.requests)) == (3, 2)
    assert said[1] == '{"score": "high [redacted]"}'
    assert "score: Input should be a valid integer" in said[2]


async def test_a_model_that_cannot_repair_its_answer_fails_with_it(model: Make):
    async with LoopbackModelServer(otherwise=failed("<function=menu{}>")) as server:
        with pytest.raises(BadCompletion, match=r"; it said: <function=menu\{\}> \(after 6 attempts\)$"):
            await model(server).complete(ASK)

    assert server.calls == 6


async def test_what_a_model_said_that_its_server_refuses_is_as_good_as_any_other_if_it_fits(model: Make):
    async with LoopbackModelServer(failed('Sure: {"score": 3}')) as server:
        answered = await model(server).complete(replace(ASK, answer=SCORE))

    assert (answered.text, answered.rung, server.calls) == ('Sure: {"score": 3}', "json_schema", 1)


@pytest.mark.parametrize(("most", "calls"), [(20, 1), (None, 6)])
async def test_an_answer_without_room_is_not_asked_for_again_where_it_was_us_who_left_none(
    most: int | None, calls: int, model: Make, time: Any
):
    thought = completion({"role": "assistant", "content": ""})
    thought["choices"][0]["finish_reason"] = "length"
    async with LoopbackModelServer(otherwise=InjectedFault.response(thought)) as server:
        with pytest.raises(BadCompletion, match=r"said nothing before it was stopped \(length\)") as failed:
            await model(server).complete(replace(ASK, max_tokens=most))

    assert (server.calls, failed.value.charged) == (calls, calls)


async def test_an_answer_that_a_filter_stopped_is_not_asked_for_again(model: Make, time: Any):
    filtered = completion({"role": "assistant", "content": ""})
    filtered["choices"][0]["finish_reason"] = "content_filter"
    async with LoopbackModelServer(otherwise=InjectedFault.response(filtered)) as server:
        with pytest.raises(BadCompletion, match=r"said nothing before it was stopped \(content_filter\)") as failed:
            await model(server).complete(ASK)

    assert (server.calls, failed.value.charged, failed.value.infrastructure) == (1, 1, False)


async def test_a_parameter_that_is_refused_is_not_sent_again(model: Make, time: Any):
    def choosy(body: dict[str, Any]) -> str | InjectedFault:
        refused = [name for name in ("temperature", "seed", "max_tokens") if name in body]
        return InjectedFault.unsupported(refused[0]) if refused else "Hello!"

    request = replace(ASK, temperature=0.0, seed=1, max_tokens=9)
    async with LoopbackModelServer(otherwise=choosy) as server:
        client = model(server)
        answers = [(await client.complete(request)).text for _ in range(2)]

    optional = ("temperature", "seed", "max_tokens", "max_completion_tokens")
    assert [[name for name in optional if name in sent.body] for sent in server.requests] == [
        ["temperature", "seed", "max_tokens"],
        ["seed", "max_tokens"],
        ["max_tokens"],
        ["max_completion_tokens"],
        ["max_completion_tokens"],
    ]
    assert (answers, time.waits, [attempt.status for attempt in time.attempts]) == (
        ["Hello!"] * 2,
        [],
        [400, 400, 400, 200, 200],
    )
    assert time.attempts[0].reason == (
        "test:m: HTTP 400: Unsupported parameter: 'temperature' is not supported with this model.: temperature: "
        "unsupported_parameter; going on without temperature"
    )


@pytest.mark.parametrize("rung", ["json_schema", "tool", "json_object", "prompt"])
async def test_an_answer_of_a_given_shape_is_asked_for_in_the_surest_way_that_is_taken(rung: str, model: Make):
    rungs = ("json_schema", "tool", "json_object", "prompt")

    def choosy(body: dict[str, Any]) -> str | ToolRequest | InjectedFault:
        format = body.get("response_format", {}).get("type")
        asked = format or ("tool" if "tool_choice" in body else "prompt")
        if rungs.index(asked) < rungs.index(rung):
            return InjectedFault.unsupported("tool_choice" if asked == "tool" else "response_format")
        return ToolRequest("", "score", '{"score": 3}') if asked == "tool" else '{"score": 3}'

    async with LoopbackModelServer(otherwise=choosy) as server:
        client = model(server)
        answers = [await client.complete(replace(ASK, answer=SCORE)) for _ in range(2)]

    assert answers == [Completion('{"score": 3}', usage=SAID, model="loopback", rung=rung)] * 2
    assert len(server.requests) == rungs.index(rung) + 2


async def test_calls_at_the_same_time_step_down_together(model: Make):
    def choosy(body: dict[str, Any]) -> str | InjectedFault:
        return InjectedFault.unsupported("response_format") if "response_format" in body else "{}"

    async with LoopbackModelServer(otherwise=choosy) as server:
        client = model(server)
        answers = await asyncio.gather(*(client.complete(replace(ASK, answer=SCORE)) for _ in range(20)))

    assert {answer.rung for answer in answers} == {"tool"}
    assert len(server.requests) == 40


async def test_a_shape_that_is_refused_in_every_way_is_rejected(model: Make):
    async with LoopbackModelServer(otherwise=InjectedFault.unsupported("response_format, tool_choice")) as server:
        with pytest.raises(ModelRejected, match="response_format"):
            await model(server).complete(replace(ASK, answer=SCORE))

    assert len(server.requests) == 4


async def test_a_body_can_be_any_mapping(model: Make):
    tool = Tool("menu", "", MappingProxyType({"type": "object"}))
    async with LoopbackModelServer("Hello!") as server:
        await model(server).complete(replace(ASK, tools=(tool,)))

    assert server.requests[0].body["tools"][0]["function"]["parameters"] == {"type": "object"}

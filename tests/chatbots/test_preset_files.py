from pathlib import Path

import pytest

from sparring.chatbots.preset import Preset
from sparring.chatbots.preset_files import environment_of, read_preset
from sparring.core.errors import InputError
from sparring.parsing import load, parse

MINIMAL = 'url: http://localhost/chat\nbody: {text: "{{message}}"}\nreply: message\n'
SHIPPED = sorted((Path(__file__).parents[2] / "src/sparring/chatbots/presets").glob("*.yaml"))


def read(text: str, environment: dict[str, str] | None = None, address: str = "") -> Preset:
    return read_preset(parse(text, "p.yaml"), environment or {}, address=address)


def problems(text: str, environment: dict[str, str] | None = None, address: str = "") -> list[str]:
    with pytest.raises(InputError) as caught:
        read(text, environment, address)
    return [str(problem) for problem in caught.value.problems]


def test_three_lines_are_a_preset():
    preset = read(MINIMAL)

    assert (preset.method, preset.body, [str(path) for path in preset.reply.text]) == (
        "POST",
        {"text": "{{message}}"},
        ["message"],
    )


def test_a_single_value_may_replace_a_list():
    short = read(MINIMAL + "start: {url: http://localhost/new, keep: {session: id}}\nended: done\n")
    long = read(
        MINIMAL.replace("reply: message", "reply: {text: [message]}")
        + "start: [{url: http://localhost/new, keep: {session: id}}]\nended: {path: done}\n"
    )

    assert short == long


def test_plain_text_is_its_own_reply():
    assert [str(path) for path in read(MINIMAL.replace("reply: message", "answer: text")).reply.text] == ["$"]


def test_all_errors_of_form_are_reported_at_once():
    text = (
        "urll: http://localhost\nmethod: POSTT\nheaders: {X-Key: [hunter2]}\nbody: {d: 2026-01-01}\n"
        "form: {a: 1}\nreply: {text: 'a..b', buttons: {each: b, titel: t}}\ntimeout: -1\nended: 7\nok: [fine]\n"
    )

    assert problems(text) == [
        "p.yaml:1:1: url: is missing",
        "p.yaml:1:1: urll: unknown key (did you mean 'url'?)",
        "p.yaml:2:9: method: should be 'GET', 'POST', 'PUT', 'PATCH' or 'DELETE' (did you mean 'POST'?)",
        "p.yaml:3:18: headers.X-Key: should be text, not a list",
        "p.yaml:4:11: body.d: is not JSON; a date needs quotes",
        "p.yaml:6:15: reply.text: is no path at '..b'; a path looks like data.messages[*].text",
        "p.yaml:6:42: reply.buttons.titel: unknown key (did you mean 'title'?)",
        "p.yaml:7:10: timeout: should be greater than 0",
        "p.yaml:8:8: ended: should be a mapping, not a number",
        "p.yaml:9:6: ok[0]: should be a whole number, not text",
    ]


def test_all_settings_that_cannot_work_are_reported_at_once():
    text = (
        "url: localhost/chat\nheaders: {Authorization: 'Bearer ${SHOP_KEY}', X: '${SHOP_KY}'}\nbody: {text: hello}\n"
        "start: {url: '{{address}}/new'}\nreset: {url: '${SHOP_URL}/reset'}\nreply: a\n"
    )

    assert problems(text, {"SHOP_KEY": "hunter2", "SHOP_URL": "http://localhost"}) == [
        "p.yaml:2:51: headers.X: the environment variable SHOP_KY is not set (did you mean SHOP_KEY?)",
        "p.yaml:1:6: url: is not a usable address (http://... or https://...)",
        "p.yaml:4:14: start.url: asks for an address (write it behind the name: rasa:http://localhost:5005)",
        'p.yaml:1:1: the message of the user is not sent (put "{{message}}" into `body`, `form` or `query`)',
    ]


def test_a_request_has_one_body():
    assert problems(MINIMAL + "form: {a: b}\n") == [
        "p.yaml:1:1: there are both `body` and `form`, but a request has one of them"
    ]


def test_a_placeholder_without_quotes_gets_a_hint():
    assert problems("url: http://x\nbody: {text: {{message}}}\nreply: a") == [
        'p.yaml:2:15: a key has to be plain text (a placeholder needs quotes: "{{name}}")'
    ]


@pytest.mark.parametrize(
    "address",
    [
        "http://localhost:5005",
        "http://localhost:5005/",
        "http://localhost:5005/webhooks/rest/webhook",
        "http://localhost:5005/webhooks/rest/webhook/",
    ],
)
def test_an_address_may_be_given_whole_or_only_as_its_beginning(address: str):
    preset = read(
        'url: "{{address}}/webhooks/rest/webhook"\nbody: "{{message}}"\nreply: a\nreset: {url: "{{address}}/reset"}',
        address=address,
    )

    assert [asking.url for asking in preset.requests] == [
        "http://localhost:5005/reset",
        "http://localhost:5005/webhooks/rest/webhook",
    ]


def test_a_preset_gets_nothing_of_the_environment_but_what_it_asks_for():
    assert environment_of(["${X}", {"k": "Bearer ${K:-none}"}], {"X": "1", "OTHER": "3"}) == {"X": "1"}


def test_headers_and_bodies_are_not_shown_by_a_preset():
    assert "hunter2" not in repr(read(MINIMAL.replace("body: {", "body: {k: hunter2, ") + "headers: {A: hunter2}\n"))


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.stem)
def test_every_preset_that_is_shipped_can_be_read_and_says_what_it_is(file: Path):
    document = load(file)
    asked = dict.fromkeys(environment_names(file), "x")

    assert read_preset(document, asked, address="http://localhost:1").description


def environment_names(file: Path) -> list[str]:
    return [part.partition("}")[0] for part in file.read_text().split("${")[1:]]

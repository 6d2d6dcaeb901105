from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring import parsing
from sparring.core.errors import InputError
from sparring.integrations.curl.command import CurlRequest, pairs, read_curl
from sparring.integrations.curl.preset import REPLY_NAMES, draft
from tables import table

URL = "https://bot.example.com/chat"


def fields(curl: CurlRequest) -> dict[str, object]:
    return {name: value for name in CurlRequest.__slots__ if (value := getattr(curl, name))}


READ = {
    f"curl {URL}": {"url": URL, "method": "GET"},
    "curl bot:80/x": {"url": "http://bot:80/x", "method": "GET"},
    f"curl -X PUT --url {URL} -H 'A: b: c'": {"url": URL, "method": "PUT", "headers": (("A", "b: c"),)},
    f"/usr/bin/curl {URL} -sSLd a=1 --data=b=2": {"url": URL, "method": "POST", "data": ("a=1", "b=2")},
    f"curl {URL} \\\n -XPATCH \\\n --json '{{}}'": {"url": URL, "method": "PATCH", "data": ("{}",), "json": True},
    f"curl -G {URL} -d q=hi -m 2.5 -o out": {
        "url": URL,
        "method": "GET",
        "data": ("q=hi",),
        "query": True,
        "seconds": 2.5,
    },
    f"curl {URL} --data-raw $'it\\'s \\u00e9\\n'": {"url": URL, "method": "POST", "data": ("it's \u00e9\n",)},
    f"curl {URL} --data-urlencode 'q=a&b c'": {"url": URL, "method": "POST", "data": ("q=a%26b c",)},
    f"curl {URL} -b 'a=1' -A me -e you -k": {"url": URL, "method": "GET", "headers": (("Cookie", "a=1"),)},
}


@pytest.mark.parametrize(("text", "wanted"), READ.items(), ids=range(len(READ)))
def test_a_command_is_read_as_curl_reads_it(text: str, wanted: dict[str, object]):
    assert fields(read_curl(text)) == wanted


REFUSED = {
    "wget x": "not a curl command",
    "": "not a curl command",
    "curl 'x": "the command: no closing quotation",
    "curl": "has no URL",
    f"curl {URL} -H": "-H has no value",
    f"curl {URL} -u me:hunter2": "--user is not supported",
    f"curl {URL} -F file=hunter2": "--form is not supported",
    "curl https://me:hunter2@bot": "the URL contains a name or a password",
    f"curl {URL} -d @hunter2": "in a file",
    f"curl {URL} --hunter2=hunter2": "--hunter2 is not supported",
    f"curl {URL} --nonsense=hunter2": "--nonsense is not supported",
    f"curl {URL} hunter2": "two URLs",
    f"curl {URL} -X BREW": "this method",
    f"curl {URL} -m hunter2": "not a number of seconds",
    "curl ftp://bot": "http:// or https://",
    "curl http://[bot": "is invalid",
}


@pytest.mark.parametrize(("text", "message"), REFUSED.items(), ids=REFUSED)
def test_what_is_not_read_is_refused_in_a_sentence_without_the_values(text: str, message: str):
    with pytest.raises(InputError) as caught:
        read_curl(text)

    assert message in str(caught.value)
    assert "hunter2" not in str(caught.value).replace("--hunter2", "") + caught.value.hint


def preset(command: str) -> object:
    return parsing.parse(draft(read_curl(command)).text).data


DRAFTED = {
    f'curl {URL} --json \'{{"text": "hi"}}\'': {"url": URL, "body": {"text": "{{message}}"}, "reply": [*REPLY_NAMES]},
    f"curl {URL} -d 'msg=hi&lang=en' -m 9": {
        "url": URL,
        "form": {"msg": "{{message}}", "lang": "en"},
        "reply": [*REPLY_NAMES],
        "timeout": 9.0,
    },
    f'curl {URL} --json \'{{"text": "hi", "pin": 1234, "n": 1, "on": true}}\'': {
        "url": URL,
        "body": {"text": "{{message}}", "pin": "${CHATBOT_PIN}", "n": 1, "on": True},
        "reply": [*REPLY_NAMES],
    },
    f"curl '{URL}?q=hi&user=me'": {
        "url": URL,
        "method": "GET",
        "query": {"q": "{{message}}", "user": "{{new_session}}"},
        "reply": [*REPLY_NAMES],
    },
    f"curl {URL} -G -d say='hi there'": {
        "url": URL,
        "method": "GET",
        "query": {"say": "{{message}}"},
        "reply": [*REPLY_NAMES],
    },
    f'curl {URL} --json \'{{"model": "m", "messages": [{{"role": "user", "content": "hi"}}]}}\'': {
        "url": URL,
        "body": {"model": "m", "messages": "{{messages}}"},
        "reply": "choices[0].message.content",
    },
    'curl http://b/webhooks/rest/webhook --json \'{"sender": "a", "message": "hi"}\'': {
        "url": "http://b/webhooks/rest/webhook",
        "body": {"sender": "{{new_session}}", "message": "{{message}}"},
        "reply": "[*].text",
    },
    f'curl {URL} --json \'{{"a": {{"b": ["{{{{message}}}}", "no"]}}}}\'': {
        "url": URL,
        "body": {"a": {"b": ["{{message}}", "no"]}},
        "reply": [*REPLY_NAMES],
    },
    f"curl {URL}/bot12345678:AAbbCCddEEff/say --json '{{\"text\": \"hi\"}}' -H 'Origin: https://a'": {
        "url": f"{URL}/${{CHATBOT_PATH_KEY}}/say",
        "headers": {"Origin": "https://a"},
        "body": {"text": "{{message}}"},
        "reply": [*REPLY_NAMES],
    },
}


@pytest.mark.parametrize(("command", "wanted"), DRAFTED.items(), ids=range(len(DRAFTED)))
def test_words_and_sessions_become_gaps_and_the_rest_stays(command: str, wanted: object):
    assert preset(command) == wanted


@table(
    ("command", "message"),
    [
        (f'curl {URL} --json \'{{"a": "x", "b": "y"}}\'', "cannot find the user's message"),
        (f"curl {URL}", "cannot find the user's message"),
        (f"curl {URL} --json 'hunter2'", "is not JSON"),
        (f"curl {URL} -d hunter2", "neither JSON nor a form"),
        (f"curl '{URL}?hunter2hunter2hunter2&text=hi'", "looks like a key"),
        (f'curl {URL} --json \'{{"text": "hi", "hunter2hunter2hunter2": "1"}}\'', "looks like a key"),
    ],
)
def test_a_command_without_a_place_for_words_is_refused(command: str, message: str):
    with pytest.raises(InputError, match=message) as caught:
        preset(command)

    assert "hunter2" not in str(caught.value)


@given(
    st.sampled_from(["Authorization", "X-Api-Key", "Cookie", "X-Whatever", "X-Session-Token", "api-key"]),
    st.from_regex(r"[A-Za-z0-9_\-]{12,60}[0-9]", fullmatch=True),
    st.sampled_from(["", "Bearer ", "Basic "]),
)
def test_no_header_with_a_key_is_ever_written(name: str, key: str, scheme: str):
    drafted = draft(read_curl(f"curl {URL} -H '{name}: {scheme}{key}' --json '{{\"text\": \"hi\"}}'"))

    assert key not in drafted.text + str(drafted.secrets)
    assert list(drafted.secrets.values()) == [f"the header {name}"]


WORDS = st.text(st.characters(exclude_categories=["Cs"]))


@given(st.dictionaries(WORDS, WORDS))
def test_what_a_form_holds_is_read_as_it_was_meant(form: dict[str, str]):

    kept = {
        name.encode("utf-8", "ignore").decode(): value.encode("utf-8", "ignore").decode()
        for name, value in form.items()
    }

    assert dict(pairs(urlencode(kept))) == kept

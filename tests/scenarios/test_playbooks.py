"""Playbooks: what is said, injected and expected, step by step."""

from collections.abc import Callable
from pathlib import Path

import pytest

from sparring import parsing
from sparring.core.case import Case, InjectReply, InjectTool, Limits, Say
from sparring.core.conversation import Conversation, Ending
from sparring.core.errors import InputError
from sparring.core.message import Message, ToolCall, message
from sparring.core.verdict import CheckOutcome
from sparring.rules.check import expected
from sparring.rules.evaluate.compiled_rule import compile_rule
from sparring.scenarios import loading, playbooks
from sparring.scenarios.expansion import LoadOptions
from tables import table

Expand = Callable[..., tuple[Case, ...]]
Complaints = Callable[..., list[str]]

WHOLE = """
customer_id: CUST-1
variables: {order: ORD-7, days: 3}
tags: orders
limits: {turns: 5}
cases:
  - id: Where is it?
    description: The customer asks for an order
    tags: [tracking, orders]
    history: [{user: hello}, {chatbot: hello to you}]
    steps:
      - inject_bot_response: Welcome back, {{customer_id}}!
      - user: Where is {{order}}?
      - expect_tool: track_order
      - expect_tool: {name: track_order, args: {order_id: "{{order}}", days: "{{days}}"}, since: last_user}
      - inject_tool: {name: track_order, args: {order_id: "{{order}}"}, result: {status: shipped, on: 2026-01-02}}
      - inject_tool: cancel_order
        result: null
        mode: stub
      - user: Cancel it.
      - expect_tool: cancel_order
        not: true
      - expect_tool: {name: track_order, times: 1}
      - expect_bot_regex: '{{order}} \\(shipped\\)'
      - expect_bot_regex: {pattern: sorry, any: true, not: true}
      - inject_bot_response: {text: Bye!, ends: true}
  - name: other
    customer_id: CUST-2
    variables: {days: 9}
    limits: {fallbacks: 2}
    seed: 3
    steps: [user: hi]
  - steps: [user: hi]
"""


@pytest.fixture
def expand(terms: LoadOptions) -> Expand:
    def expanded(text: str, *, file: str = "book.yaml") -> tuple[Case, ...]:
        return playbooks.cases(parsing.parse(text, file), terms).cases

    return expanded


@pytest.fixture
def complaints(expand: Expand) -> Complaints:
    def problems_of(text: str) -> list[str]:
        with pytest.raises(InputError) as caught:
            expand(text)
        return [str(problem) for problem in caught.value.problems]

    return problems_of


def test_everything_that_can_be_said(expand: Expand):
    first, second, third = expand(WHOLE)

    assert first.model_copy(update={"expectations": ()}) == Case(
        id="book/Where-is-it",
        variables={"customer_id": "CUST-1", "order": "ORD-7", "days": 3},
        script=(
            InjectReply(text="Welcome back, CUST-1!"),
            Say(text="Where is ORD-7?"),
            InjectTool(
                name="track_order", arguments={"order_id": "ORD-7"}, result={"status": "shipped", "on": "2026-01-02"}
            ),
            InjectTool(name="cancel_order", mode="stub"),
            Say(text="Cancel it."),
            InjectReply(text="Bye!", ends=True),
        ),
        history=(message("user", "hello"), message("chatbot", "hello to you")),
        tags=("orders", "tracking"),
        limits=Limits(turns=5),
        seed=7,
    )
    assert [(each.rule.name, each.rule.line, each.after) for each in first.expectations] == [
        ("step 3", 14, 2),
        ("step 4", 15, 2),
        ("step 8", 21, 5),
        ("step 9", 23, 5),
        ("step 10", 24, 5),
        ("step 11", 25, 5),
    ]
    assert [each.rule.then for each in first.expectations] == [
        "calls('track_order', {}, 'start', 'succeeded') >= 1",
        "calls('track_order', {'order_id': 'ORD-7', 'days': 3}, 'last_user', 'succeeded') >= 1",
        "calls('cancel_order', {}, 'start', 'attempted') == 0",
        "calls('track_order', {}, 'start', 'succeeded') == 1",
        r"last_reply_says('(?is)ORD\\-7 \\(shipped\\)')",
        "not chatbot_says('(?is)sorry')",
    ]
    assert {(each.check, each.rule.description) for each in first.expectations} == {
        ("playbook", "The customer asks for an order")
    }
    assert (second.id, second.variables, second.seed) == (
        "book/other",
        {"customer_id": "CUST-2", "order": "ORD-7", "days": 9},
        3,
    )
    assert (second.limits, third.id) == (Limits(fallbacks=2), "book/3")
    assert [compile_rule(each.rule) for each in first.expectations if isinstance(compile_rule(each.rule), list)] == []


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("steps: [user: hi]", ["book"]),
        ("[{steps: [user: hi]}, {id: b, steps: [user: hi]}]", ["book/1", "book/b"]),
        ("{name: orders, cases: [{id: a, steps: [user: hi]}]}", ["book/a"]),
    ],
)
def test_a_file_holds_one_case_or_several(expand: Expand, text: str, ids: list[str]):
    assert [case.id for case in expand(text)] == ids


def test_the_user_of_a_playbook_is_as_patient_as_it_is_long(expand: Expand):
    patient, not_so = expand(
        f"cases: [{{steps: &steps [{', '.join(['user: hi'] * 40)}]}}, {{limits: {{fallbacks: 2}}, steps: *steps}}]"
    )

    assert (patient.limits, not_so.limits) == (Limits(turns=40, fallbacks=41), Limits(turns=40, fallbacks=2))


def test_all_problems_are_reported_at_once(complaints: Complaints):
    wrong = """
custmer_id: C
variables: {customer_id: D}
limits: {turns: 1}
cases:
  - id: a
    customer_id: E
    steps:
      - expect_tool: a
      - usr: hi
      - user: "{{who}}"
        expect_tool: b
      - user: "{{who}}"
      - user:
      - inject_tool: {nam: a, mode: stab, args: [1]}
      - expect_tool: {name: a, times: -1, not: maybe, since: tomorrow}
      - expect_tool: {name: a}
        not: true
      - expect_tool: a
        not: true
        times: 2
      - expect_bot_regex: '(a'
      - expect_bot_regex: '(?=a)b'
      - expect_bot_regex: {regex: a, any: 3}
      - expect_bot_regex: '(a)\\1'
      - hello
      - user: bye
  - steps: []
  - id: b
  - steps: [{inject_bot_response: hi}]
  - steps: 3
"""

    assert complaints(wrong) == [
        "book.yaml:2:1: custmer_id: unknown key (did you mean 'customer_id'?)",
        "book.yaml:4:17: limits.turns: is less than the 2 messages of the user",
        "book.yaml:9:9: cases[0].steps[0]: no message precedes this expectation",
        "book.yaml:10:9: cases[0].steps[1]: a step is one of user, inject_bot_response, inject_tool,"
        " expect_tool, expect_bot_regex, expect_order, expect_state, expect_changes (did you mean 'user'?)",
        "book.yaml:11:9: cases[0].steps[2]: a step is one of user, inject_bot_response, inject_tool,"
        " expect_tool, expect_bot_regex, expect_order, expect_state, expect_changes (write one step for each)",
        "book.yaml:13:15: cases[0].steps[3].user: {{who}} is not a variable (there are: customer_id)",
        "book.yaml:14:9: cases[0].steps[4].user: is empty",
        "book.yaml:15:22: cases[0].steps[5].inject_tool.name: is missing",
        "book.yaml:15:23: cases[0].steps[5].inject_tool.nam: unknown key (did you mean 'name'?)",
        "book.yaml:15:37: cases[0].steps[5].inject_tool.mode: unknown value 'stab' (did you mean 'stub'?)",
        "book.yaml:16:39: cases[0].steps[6].expect_tool.times: should be at least 0",
        "book.yaml:16:48: cases[0].steps[6].expect_tool.not: should be true or false, not text",
        "book.yaml:16:62: cases[0].steps[6].expect_tool.since: unknown value 'tomorrow' (there are: start, last_user)",
        "book.yaml:18:9: cases[0].steps[7].not: must be inside of expect_tool",
        "book.yaml:21:9: cases[0].steps[8].times: cannot be combined with `not`",
        "book.yaml:22:27: cases[0].steps[9].expect_bot_regex: is not a supported regular"
        " expression: missing ): (?is)(a",
        "book.yaml:23:27: cases[0].steps[10].expect_bot_regex: is not a supported regular"
        " expression: lookahead and lookbehind, (?=...) and (?<!...), are not supported",
        "book.yaml:24:27: cases[0].steps[11].expect_bot_regex.pattern: is missing",
        "book.yaml:24:28: cases[0].steps[11].expect_bot_regex.regex: unknown key"
        " (there are: pattern, any, not, if_said, repeated)",
        "book.yaml:24:43: cases[0].steps[11].expect_bot_regex.any: should be true or false, not a number",
        "book.yaml:25:27: cases[0].steps[12].expect_bot_regex: is not a supported regular"
        " expression: backreferences, such as \\1, are not supported",
        "book.yaml:26:9: cases[0].steps[13]: a step is one of user, inject_bot_response,"
        " inject_tool, expect_tool, expect_bot_regex, expect_order, expect_state, expect_changes",
        "book.yaml:28:5: cases[1]: there is no step",
        "book.yaml:29:5: cases[2].steps: is missing",
        "book.yaml:30:5: cases[3]: the user says nothing: there is no step `user`",
        "book.yaml:31:12: cases[4].steps: should be a list, not a number",
    ]


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("(?<!not )cancelled", "lookahead and lookbehind, (?=...) and (?<!...), are not supported"),
        (r"(a)\1", r"backreferences, such as \1, are not supported"),
        ("(a", "missing )"),
    ],
)
def test_a_pattern_that_re2_lacks_is_refused_on_loading(complaints: Complaints, pattern: str, why: str):
    (problems_of,) = complaints(f"steps: [user: hi, expect_bot_regex: '{pattern}']")

    assert problems_of.startswith("book.yaml:1:37: steps[1].expect_bot_regex: is not a supported regular expression: ")
    assert why in problems_of


@table("pattern", [".*", "cancelled|", "$", "x?", "{{nothing}}"])
def test_a_pattern_that_is_found_in_everything_is_refused(complaints: Complaints, pattern: str):
    assert complaints(f"variables: {{nothing: ''}}\nsteps: [user: hi, expect_bot_regex: '{pattern}']") == [
        "book.yaml:2:37: steps[1].expect_bot_regex: matches every text, so it checks nothing"
    ]


@pytest.mark.parametrize("pattern", [".", "^$", "^Hello.*", "yes|no"])
def test_a_pattern_that_can_be_missing_is_none_of_these(expand: Expand, pattern: str):
    (case,) = expand(f"steps: [user: hi, expect_bot_regex: '{pattern}']")

    assert len(case.expectations) == 1


CALLS = (
    ToolCall(name="check", arguments={"id": "A-1"}),
    ToolCall(name="cancel", arguments={"id": "A-1", "days": 3}),
)
SAID = (
    message("user", "Is A-1 there?"),
    message("chatbot", "Yes, [A-1] is.", tool_calls=CALLS[:1]),
    message("user", "Cancel it."),
    message("chatbot", "Cancelled\nas you wished.", tool_calls=CALLS[1:]),
)


async def outcome(case: Case, *said: Message) -> tuple[CheckOutcome, float | None, str]:
    conversation = Conversation(case=case, messages=said, ending=Ending.USER_DONE, reports_tools=True)
    (verdict,) = await expected(conversation)
    return verdict.outcome, verdict.score, verdict.reason


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("expect_tool: check", "expect_tool: cancel"),
        ("expect_tool: {name: cancel, not: true}", "expect_tool: {name: check, times: 1}"),
        ("expect_tool: {name: check, args: {id: '{{order}}'}}", "expect_tool: {name: check, since: start}"),
        ("expect_tool: {name: cancel, times: 0}", "expect_tool: {name: check, not: true, since: last_user}"),
        ("expect_tool: {name: check, since: last_user}", "expect_tool: {name: cancel, args: {days: 3}}"),
        (r"expect_bot_regex: yes, \[{{order}}\]", "expect_bot_regex: CANCELLED.AS YOU"),
        ("expect_bot_regex: {pattern: cancel, not: true}", "expect_bot_regex: {pattern: yes, any: true}"),
        ("expect_bot_regex: {pattern: cancel, any: true, not: true}", "expect_bot_regex: '^cancelled'"),
    ],
)
async def test_what_holds_passes_with_a_score_of_1(expand: Expand, first: str, second: str):
    (case,) = expand(
        f"variables: {{order: A-1}}\nsteps:\n- user: Is A-1 there?\n- {first}\n- user: Cancel it.\n- {second}"
    )

    assert await outcome(case, *SAID) == (CheckOutcome.PASS, 1.0, "")


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        (
            "expect_tool: track",
            "step 3: expected the tool track; called were: check(id='A-1'), cancel(id='A-1', days=3)",
        ),
        (
            "expect_tool: {name: check, since: last_user}",
            "step 3: expected the tool check after the user's last message; called were: cancel(id='A-1', days=3)",
        ),
        (
            "expect_tool: {name: check, args: {id: A-2}, since: last_user}",
            "step 3: expected the tool check(id='A-2') after the user's last message; called were:"
            " cancel(id='A-1', days=3)",
        ),
        (
            "expect_tool: {name: cancel, not: true, since: last_user}",
            "step 3: expected the tool cancel not to be used after the user's last message; called were:"
            " cancel(id='A-1', days=3)",
        ),
        (
            "expect_tool: {name: check, times: 2}",
            "step 3: expected the tool check 2 times; called were: check(id='A-1'), cancel(id='A-1', days=3)",
        ),
        ("expect_bot_regex: yes", "step 3: expected /yes/ in the last reply; it was: Cancelled\nas you wished."),
        (
            "expect_bot_regex: {pattern: sorry, any: true}",
            "step 3: expected /sorry/ in any reply; they were: Yes, [A-1] is. | Cancelled\nas you wished.",
        ),
        (
            "expect_bot_regex: {pattern: '{{brace}} cancelled', not: true}",
            "step 3: expected no / cancelled/ in the last reply; it was: Cancelled\nas you wished.",
        ),
    ],
)
async def test_what_does_not_hold_is_named_with_its_step_and_what_was_seen(expand: Expand, step: str, reason: str):
    (case,) = expand(f"variables: {{brace: ''}}\nsteps:\n- user: Is A-1 there?\n- user: Cancel it.\n- {step}")
    said = SAID if "brace" not in step else (*SAID[:3], message("chatbot", " Cancelled\nas you wished."))

    found = await outcome(case, *said)

    assert found[:2] == (CheckOutcome.FAIL, 0.0)
    assert found[2].replace("  ", " ") == reason


async def test_a_case_goes_on_after_a_failure_and_names_all_of_them(expand: Expand):
    (case,) = expand("steps: [user: a, expect_tool: x, user: b, expect_bot_regex: sorry, expect_tool: cancel, user: c]")

    assert await outcome(case, *SAID) == (
        CheckOutcome.FAIL,
        0.0,
        "step 2: expected the tool x; called were: check(id='A-1');"
        " step 4: expected /sorry/ in the last reply; it was: Cancelled\nas you wished.",
    )


async def test_an_injected_tool_was_never_used(expand: Expand):
    (case,) = expand("steps: [user: a, inject_tool: {name: x}, expect_tool: x]")

    found = await outcome(case, *SAID[:2], InjectTool(name="x").message)

    assert found == (CheckOutcome.FAIL, 0.0, "step 3: expected the tool x; called were: check(id='A-1')")


def test_playbooks_are_found_among_other_scenarios(tmp_path: Path):
    (tmp_path / "a.yaml").write_text("steps: [user: hi]")
    (tmp_path / "b.yaml").write_text("goals: [a pizza]")
    (tmp_path / "c.yaml").write_text("cases: [{id: x, steps: [user: hi]}]")

    found = loading.check([tmp_path])

    assert [(each.kind, [case.id for case in each.cases]) for each in found] == [
        ("playbook", ["a"]),
        ("scenario", ["b/1"]),
        ("playbook", ["c/x"]),
    ]


def test_a_case_says_that_refusing_is_right(expand: Expand):
    first, second = expand("right: refuse\ncases: [{steps: [user: hi]}, {right: act, steps: [user: hi]}]\n")

    assert (first.right, second.right) == ("refuse", "act")


def test_a_pattern_may_have_to_repeat_an_earlier_reply(expand: Expand, complaints: Complaints):
    step = "expect_bot_regex: {pattern: 'B-[0-9]+', repeated: true}"

    (case,) = expand(f"steps: [user: hi, {step}]")

    assert [each.rule.then for each in case.expectations] == ["last_reply_repeats('(?is)B-[0-9]+')"]
    assert complaints(f"steps: [user: hi, {step[:-1]}, any: true}}]")[0].endswith(
        "is not supported together with repeated, which compares the last reply"
    )

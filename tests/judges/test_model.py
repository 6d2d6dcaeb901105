import json
from typing import Any

import pytest

from scripted import ScriptedModel
from sparring.core.audit import Blame
from sparring.core.case import Case, Goal
from sparring.core.checks import Rubric
from sparring.core.conversation import Conversation, Ending, Evidence, goal_progress
from sparring.core.errors import ModelUnavailable
from sparring.core.message import Button, Message, Text, ToolCall, message
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.judges.model import ModelJudge, request_of
from sparring.judges.transcript_json import LONGEST_TEXT, LONGEST_VALUE
from sparring.testing.factories import RUBRIC, a_case, a_conversation
from tables import table

TALK = a_conversation(a_case("a"))


def answer(score: int = 3, *quotes: tuple[int, str], comment: str = "Вежливо.") -> str:
    said = [{"n": n, "words": words} for n, words in quotes or ((3, "Goodbye."),)]
    return json.dumps({"quotes": said, "comment": comment, "score": score})


def lines(conversation: Conversation = TALK, rubric: Rubric = RUBRIC) -> list[Any]:
    """What a judge is shown between the two lines."""
    return [json.loads(line) for line in request_of(conversation, rubric).messages[1].content.splitlines()[1:-1]]


async def judged(*replies: Any, conversation: Conversation = TALK, rubric: Rubric = RUBRIC) -> Verdict:
    return await ModelJudge(ScriptedModel(*replies)).judge(conversation, rubric)


async def test_a_score_comes_with_a_comment_and_the_words_it_rests_on():
    assert await judged(answer(3, (3, "Goodbye."), (1, "$12.50"))) == Verdict(
        check="polite",
        outcome=CheckOutcome.PASS,
        conversation="a",
        reason="Вежливо.",
        evidence=(
            Evidence(at=3, start=0, end=8, text="Goodbye."),
            Evidence(at=1, start=8, end=14, text="$12.50"),
        ),
        score=3,
        by="model",
        rubric=RUBRIC.hash,
    )


@pytest.mark.parametrize(("score", "outcome"), [(1, CheckOutcome.FAIL), (2, CheckOutcome.PASS), (3, CheckOutcome.PASS)])
async def test_the_pass_mark_decides(score: int, outcome: CheckOutcome):
    assert (await judged(answer(score))).outcome is outcome


def test_it_is_asked_with_a_seed_no_tools_and_what_was_said_as_data():
    request = request_of(TALK, RUBRIC)

    assert (request.tools, request.temperature, request.seed) == ((), 0, request_of(TALK, RUBRIC).seed)
    assert "Is the chatbot polite?" in request.messages[0].content
    assert lines() == [
        {
            "record": "begins",
            "goals": ["order a large pizza"],
            "variables": {"size": "large", "toppings": ["ham", "olives"]},
        },
        {"n": 0, "who": "user", "text": "A large pizza, please."},
        {
            "n": 1,
            "who": "chatbot",
            "text": "That is $12.50. Anything else?",
            "tools": [
                {"name": "price", "arguments": {"size": "large"}, "result": {"amount": 12.5, "currency": "USD"}},
            ],
        },
        {"n": 2, "who": "user", "text": "No, thanks. Привет!"},
        {"n": 3, "who": "chatbot", "text": "Goodbye."},
        {
            "record": "ends",
            "ending": "goals_answered",
            "outputs": {"price": {"amount": 12.5, "currency": "USD"}},
            "results": {"price": {"amount": 12.5, "currency": "USD"}},
        },
    ]


def test_a_rubric_says_what_is_shown():
    shown = lines(rubric=RUBRIC.model_copy(update={"shown": ("ending",)}))

    assert (shown[0], shown[2], shown[-1]) == (
        {"record": "begins"},
        {"n": 1, "who": "chatbot", "text": "That is $12.50. Anything else?"},
        {"record": "ends", "ending": "goals_answered"},
    )


def test_the_last_result_of_each_tool_is_the_state_in_which_things_were_left():
    def cart(*items: str, error: str = "") -> ToolCall:
        return ToolCall(name="show_cart", result=None if error else {"items": list(items)}, error=error)

    calls = [cart("flour"), cart("flour", "sugar"), cart(error="HTTP 503")]
    talk = TALK.model_copy(update={"messages": tuple(message("chatbot", "Yes", tool_calls=(each,)) for each in calls)})

    assert lines(talk)[-1]["results"] == {"show_cart": {"items": ["flour", "sugar"]}}
    assert lines(talk)[3]["tools"] == [{"name": "show_cart", "arguments": {}, "error": "HTTP 503"}]


def test_a_result_that_a_script_injected_is_no_state_in_which_things_were_left():
    def cart(item: str, *, injected: bool) -> Message:
        return message(
            "chatbot", "Yes", tool_calls=(ToolCall(name="show_cart", result={"item": item}),), injected=injected
        )

    messages = (cart("flour", injected=False), cart("gold", injected=True))

    assert lines(TALK.model_copy(update={"messages": messages}))[-1]["results"] == {"show_cart": {"item": "flour"}}


def test_what_was_said_before_and_what_a_script_put_into_its_mouth_is_marked():
    before = message("chatbot", "We spoke yesterday.")
    talk = Conversation(
        case=Case(id="a", goals=(Goal(text="tea"),), history=(before,)),
        messages=(before, message("chatbot", "Tea is free.", injected=True), message("user", "Oh!")),
        ending=Ending.USER_DONE,
    )

    shown = lines(talk)

    assert shown[1:4] == [
        {"n": 0, "who": "chatbot", "text": "We spoke yesterday.", "before": True},
        {"n": 1, "who": "chatbot", "text": "Tea is free.", "injected": True},
        {"n": 2, "who": "user", "text": "Oh!"},
    ]
    assert "does not show which tools" in shown[0]["tools"]


def test_long_texts_are_cut_and_buttons_are_shown():
    long = message("chatbot", "x" * (LONGEST_TEXT + 7), tool_calls=(ToolCall(name="t", result="y" * LONGEST_VALUE),))
    button = message("chatbot", "Choose").model_copy(update={"parts": (Text(text="Choose"), Button(title="Tea"))})

    shown = lines(TALK.model_copy(update={"messages": (long, button)}))

    assert shown[1]["text"].endswith("x [7 more characters are not shown]")
    assert shown[1]["tools"][0]["result"].endswith(" [2 more characters are not shown]")
    assert shown[2]["beside"] == ["button: Tea"]


@table(
    ("first", "complaint"),
    [
        (answer(3, (3, "I was perfect.")), "'I was perfect.' is in no message"),
        (answer(3, (1, "That is $12.50"), (3, " ")), "' ' is in no message"),
        (answer(3, (1, "Goodbye.")), "'Goodbye.' is in message 3, not 1"),
        (answer(3, (7, "Goodbye.")), "'Goodbye.' is in message 3, not 7"),
        (answer(3, (2, "Пр")), "'Пр' is too short"),
        (answer(3, (3, "............")), "is in no message"),
        (answer(1, (0, "A large pizza, please.")), "no words that the chatbot itself said"),
        (answer(4), "`score` is 4, and should be from 1 to 3"),
        (answer(0), "`score` is 0"),
        (answer(comment=" "), "`comment` is empty"),
        (json.dumps({"quotes": [], "comment": "Good", "score": 3}), "`quotes` is empty"),
        (answer(comment="It said “that will be ten euros”."), "`comment` quotes 'that will be ten euros'"),
        (answer(comment='It says "That is $12.50 ... We are closed today".'), "'We are closed today"),
    ],
)
async def test_an_answer_that_does_not_hold_goes_back_once(first: str, complaint: str):
    model = ScriptedModel(first, answer(2))

    verdict = await ModelJudge(model).judge(TALK, RUBRIC)

    assert (verdict.score, verdict.outcome) == (2, CheckOutcome.PASS)
    assert complaint in model.requests[1].messages[-1].content
    assert model.requests[1].messages[:2] == model.requests[0].messages


@table(
    ("score", "rubric", "outcome"),
    [
        (1, "general", CheckOutcome.FAIL),
        (2, "general", CheckOutcome.ERROR),
        (3, "general", CheckOutcome.PASS),
        (2, "polite", CheckOutcome.PASS),
    ],
)
async def test_half_a_pass_does_not_hold_where_a_goal_was_only_asked(score: int, rubric: str, outcome: CheckOutcome):
    asked = TALK.model_copy(update={"goals": (goal_progress("order a large pizza", 0, None),)})
    said = answer(score)

    verdict = await judged(said, said, conversation=asked, rubric=RUBRIC.model_copy(update={"name": rubric}))

    assert verdict.outcome is outcome
    assert ("no reply to 'order a large pizza' was found" in verdict.reason) is (outcome is CheckOutcome.ERROR)


async def test_an_answer_that_does_not_hold_twice_is_an_error_and_no_score():
    invented = answer(3, (3, "I was perfect."))

    verdict = await judged(invented, invented)

    assert (verdict.outcome, verdict.score, verdict.evidence) == (CheckOutcome.ERROR, None, ())
    assert verdict.reason == "the judge's answer does not hold: 'I was perfect.' is in no message"


@pytest.mark.parametrize(
    "comment",
    [
        'It said "That is $12.50. Anything else?" at once.',
        "«anything ELSE? ... no, thanks» ist knapp",
        'Asked whether it is "polite" and for "order a large pizza".',
        'It should have said "that will be ten euros".',
    ],
)
async def test_a_comment_may_quote_what_the_record_and_the_rubric_say(comment: str):
    assert (await judged(answer(comment=comment))).reason == comment


async def test_a_judge_that_keeps_quoting_what_was_never_said_is_to_blame_for_it():
    unfounded = answer(1, comment='It said "we never deliver on Mondays".')

    verdict = await judged(unfounded, unfounded)

    assert verdict.outcome is CheckOutcome.ERROR
    assert verdict.audit is not None
    assert [(each.kind, each.blame) for each in verdict.audit.faults] == [("judge.unfounded", Blame.JUDGE)]


async def test_an_answer_of_another_shape_is_repaired_and_then_an_error():
    verdict = await judged("Very good!", "Three!", answer(1))
    failed = await judged("Very good!", "Three!", "3")

    assert (verdict.score, failed.outcome, failed.score) == (1, CheckOutcome.ERROR, None)
    assert "there is no complete JSON object" in failed.reason


async def test_a_judge_that_fails_gives_an_error_with_the_reason():
    verdict = await judged(ModelUnavailable("HTTP 503 after 4 attempts"))

    assert (verdict.outcome, verdict.score, verdict.reason) == (CheckOutcome.ERROR, None, "HTTP 503 after 4 attempts")


@pytest.mark.parametrize("words", ["Anything else", "That is $12", "$12.50", "That is $12.50. Anything else?"])
async def test_a_quote_is_long_or_the_whole_message_or_has_a_typed_value(words: str):
    assert [each.text for each in (await judged(answer(3, (1, words)))).evidence] == [words]


async def test_only_what_the_chatbot_said_is_evidence_against_it():
    verdict = await judged(answer(1, (0, "A large pizza, please."), (3, "Goodbye.")))

    assert [each.text for each in verdict.evidence] == ["Goodbye."]


async def test_a_bad_score_may_quote_the_user_if_the_chatbot_said_nothing():
    mute = TALK.model_copy(update={"messages": (message("user", "Is anyone there?"), message("chatbot", ""))})

    assert (await judged(answer(1, (0, "Is anyone there?")), conversation=mute)).outcome is CheckOutcome.FAIL


async def test_words_may_be_spaced_differently():
    talk = TALK.model_copy(update={"messages": (message("user", "Hi"), message("chatbot", "One  moment,\nplease."))})

    verdict = await judged(answer(3, (1, "moment, please"), (1, "One moment, please.")), conversation=talk)

    assert verdict.evidence == (
        Evidence(at=1, start=5, end=19, text="moment,\nplease"),
        Evidence(at=1, start=0, end=20, text="One  moment,\nplease."),
    )


async def test_a_conversation_without_messages_needs_no_quote():
    silent = TALK.model_copy(update={"messages": ()})

    verdict = await judged(json.dumps({"quotes": [], "comment": "Nothing", "score": 1}), conversation=silent)

    assert verdict.outcome is CheckOutcome.FAIL

"""Scripts that put words and tool results into the chatbot's mouth, as they are played."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from fakes import FrozenClock, Talking
from scripted import ScriptedChatbot, ScriptedModel
from sparring.app.preflight import check_refusals
from sparring.chatbots.chatbot import EVERYTHING, BaseChatbot, Capabilities, unsupported
from sparring.chatbots.prompted.chatbot import Prompted
from sparring.chatbots.prompted.tools import toolbox
from sparring.chatbots.python import PythonChatbot
from sparring.core.case import Case, InjectReply, InjectTool, OutputSpec, Say, Step
from sparring.core.checks import Expectation, Rule
from sparring.core.conversation import Conversation, Ending, ExtractionSnapshot, Output
from sparring.core.errors import InputError
from sparring.core.message import Message, ToolCall, message
from sparring.core.outcome import Blame, Outcome, decide
from sparring.extraction.pattern_extractor import PatternReader
from sparring.llm import template
from sparring.llm.model import ChatMessage, ToolRequest
from sparring.rules.rule_file import read_rules, require_valid
from sparring.simulation.simulate import simulate
from sparring.users.scripted import Scripted
from tables import table

HELLO, BYE = Say(text="Hello"), Say(text="Bye")
LOST = InjectTool(name="track", arguments={"order": 7}, result={"status": "lost"})


class Tools:
    def track(self, order: int) -> str:
        return "on its way"


def scripted(*steps: Step) -> Case:
    return Case(id="a", script=steps)


def prompted(*replies: str | ToolRequest) -> tuple[Prompted, ScriptedModel]:
    model = ScriptedModel(*replies)
    return Prompted(model, template.read("You track."), toolbox(Tools)), model


async def play(case: Case, chatbot: object) -> Conversation:
    return await simulate(case, Scripted(), chatbot, reader=PatternReader(), clock=FrozenClock())  # type: ignore[arg-type]


async def test_what_is_injected_stands_in_the_conversation_and_in_the_models_history():
    chatbot, model = prompted("Hi.", "It is lost.")

    conversation = await play(scripted(InjectReply(text="Welcome"), HELLO, LOST, InjectReply(text="Hm."), BYE), chatbot)

    assert conversation.messages == (
        message("chatbot", "Welcome", injected=True),
        message("user", "Hello"),
        message("chatbot", "Hi."),
        LOST.message,
        message("chatbot", "Hm.", injected=True),
        message("user", "Bye"),
        message("chatbot", "It is lost."),
    )
    assert model.requests[1].messages == (
        ChatMessage("system", "You track."),
        ChatMessage("assistant", "Welcome"),
        ChatMessage("user", "Hello"),
        ChatMessage("assistant", "Hi."),
        ChatMessage("assistant", "", (ToolRequest("past_4_0", "track", '{"order":7}'),)),
        ChatMessage("tool", '{"status":"lost"}', tool_request_id="past_4_0"),
        ChatMessage("assistant", "Hm."),
        ChatMessage("user", "Bye"),
    )
    assert (conversation.ending, conversation.turns) == (Ending.USER_DONE, 2)


async def test_a_stub_is_what_comes_back_from_the_next_call_that_fits():
    def ask(order: int) -> ToolRequest:
        return ToolRequest("a", "track", f'{{"order":{order}}}')

    chatbot, model = prompted(ask(8), "On its way.", ask(7), "It is lost.", ask(7), "On its way.")
    stub = LOST.model_copy(update={"mode": "stub"})

    conversation = await play(scripted(stub, HELLO, HELLO, BYE), chatbot)

    assert [said.tool_calls for said in conversation.messages if said.role == "chatbot"] == [
        (ToolCall(name="track", arguments={"order": 8}, result="on its way"),),
        (ToolCall(name="track", arguments={"order": 7}, result={"status": "lost"}, stubbed=True),),
        (ToolCall(name="track", arguments={"order": 7}, result="on its way"),),
    ]
    assert model.requests[3].messages[-1] == ChatMessage("tool", '{"status":"lost"}', tool_request_id="a")


async def test_a_stub_that_came_back_in_a_reply_that_failed_comes_back_again():
    request = ToolRequest("a", "track", '{"order":7}')
    chatbot, _ = prompted(request, "", "", request, "Lost.")
    async with chatbot.connect(Case(id="a")) as session:
        await session.stub(LOST)
        with pytest.raises(Exception, match="returned an empty answer"):
            await session.reply(message("user", "Hello"))

        said = await session.reply(message("user", "Hello"))

    assert [call.stubbed for call in said.tool_calls] == [True]


async def test_an_injected_reply_may_end_the_conversation():
    conversation = await play(scripted(HELLO, InjectReply(text="Bye", ends=True), BYE), ScriptedChatbot("Hi"))

    assert (conversation.ending, len(conversation.messages)) == (Ending.CHATBOT_DONE, 3)


async def test_what_is_injected_answers_nothing_and_is_no_fallback():
    case = Case(
        id="a",
        script=(InjectReply(text="Pardon?"), Say(text="the price"), InjectReply(text="The price is $5."), BYE),
        outputs=(OutputSpec(name="price", type="money"),),
        fallbacks=("Pardon?",),
    ).model_copy(update={"limits": Case(id="x").limits.model_copy(update={"fallbacks": 2})})

    conversation = await play(case, ScriptedChatbot("Pardon?", "Goodbye."))

    assert conversation.outputs == (Output(name="price", type="money"),)
    assert conversation.ending is Ending.USER_DONE


async def test_what_was_read_on_the_way_is_kept_where_something_is_expected_there():
    expectation = Expectation(rule=Rule(name="x", then="price == 5"), after=1)
    wanted = (OutputSpec(name="price", type="int"),)
    asking = (Say(text="What is the price?"), Say(text="And now, what is the price?"))
    case = Case(id="a", script=asking, outputs=wanted)
    replies = ("The price is 5.", "The price is 7.")

    without = await play(case, ScriptedChatbot(*replies))
    kept = await play(case.model_copy(update={"expectations": (expectation,)}), ScriptedChatbot(*replies))

    assert without.moments == ()
    assert [(each.messages, each.outputs[0].value) for each in kept.moments] == [(2, 5), (4, 7)]
    assert isinstance(kept.moments[0], ExtractionSnapshot)


class Plain:
    greeting: Message | None = None

    async def reply(self, said: Message) -> Message:
        raise AssertionError("nobody should have asked")


class PlainChatbot(BaseChatbot):
    @asynccontextmanager
    async def connect(self, case: Case) -> AsyncIterator[Plain]:
        yield Plain()


@pytest.mark.parametrize(
    ("step", "what"),
    [
        (InjectReply(text="x"), "an injected reply"),
        (LOST, "an injected use of the tool track"),
        (LOST.model_copy(update={"mode": "stub"}), "a stub for the tool track"),
    ],
)
async def test_a_script_for_a_chatbot_that_takes_no_injections_ends_before_a_word(step: Step, what: str):
    conversation = await play(scripted(HELLO, step), PlainChatbot())

    assert (conversation.ending, conversation.messages) == (Ending.USER_FAILED, ())
    assert conversation.error == f"the script has {what}, which this chatbot does not take"


async def test_a_session_that_refuses_an_injection_makes_the_conversation_void():
    class Refusing(Plain):
        async def inject(self, step: Step) -> None:
            raise InputError("there is no such tool")

    class Chatbot(BaseChatbot):
        capabilities = Capabilities(injects=EVERYTHING)

        @asynccontextmanager
        async def connect(self, case: Case) -> AsyncIterator[Refusing]:
            yield Refusing()

    conversation = await play(scripted(LOST), Chatbot())

    assert (conversation.ending, conversation.error) == (Ending.USER_FAILED, "the script: there is no such tool")
    decision = decide(conversation, ())
    assert (decision.outcome, decision.blame) == (Outcome.VOID, Blame.CASE)
    assert decision.reason == "a step of the script failed: the script: there is no such tool"


def test_a_missing_capability_is_reported_before_the_first_message():
    cases = [Case(id="a/1", script=(InjectTool(name="trak"), LOST)), Case(id="a/2", script=(HELLO,))]

    with pytest.raises(InputError) as told:
        check_refusals(cases, prompted()[0])

    assert str(told.value) == "a/1: there is no tool 'trak'; did you mean 'track'?"


def test_a_rule_that_rules_out_a_tool_that_there_is_not_is_refused_with_its_place(tmp_path: Path):
    path = tmp_path / "no_tracking.yaml"
    path.write_text("name: no tracking\nif: called('any')\nthen: not called('trak') and not_called('track', id=7)\n")
    rules = require_valid(read_rules([path]))

    with pytest.raises(InputError) as told:
        check_refusals([Case(id="a")], prompted()[0], rules=rules)

    assert str(told.value).splitlines() == [
        f"{path}:2:12: no tracking: there is no tool 'any'; there are: track",
        f"{path}:3:18: no tracking: there is no tool 'trak'; did you mean 'track'?",
        f"{path}:3:41: no tracking: the tool track takes no 'id'; there are: order",
    ]
    check_refusals([], Talking(lambda: lambda text: text), rules=rules)


@table(
    "then",
    [
        "called('trak')",
        "attempted('trak')",
        "calls('trak') == 1",
        "call_order('track', 'trak')",
        "tool_result('trak') is None",
        "tool_calls('trak')[0].error == ''",
        "any(called(name) for name in ['a']) or not called(conv[0], 'trak')",
    ],
)
def test_every_form_that_names_a_tool_that_there_is_not_is_refused(then: str):
    expecting = Case(id="a", expectations=(Expectation(rule=Rule(name="r", then=then, file="a.yml", line=4)),))

    with pytest.raises(InputError) as told:
        check_refusals([expecting, expecting], prompted()[0])

    assert str(told.value) == "a.yml:4: r: there is no tool 'trak'; did you mean 'track'?"


def test_a_script_for_a_chatbot_that_takes_no_injections_is_a_problem_of_every_case():
    with pytest.raises(InputError) as told:
        check_refusals([scripted(LOST)], Talking(lambda: lambda text: text))

    assert str(told.value).endswith("its script injects what this chatbot never said, which it cannot take")


def test_a_script_with_stubs_says_which_chatbots_take_them():
    stub = InjectTool(name="track", mode="stub")

    with pytest.raises(InputError, match="only for `prompted:` chatbots; for others, `sparring promote --live-tools`"):
        check_refusals([scripted(stub, HELLO)], Talking(lambda: lambda text: text))


async def test_a_function_receives_injected_messages():
    def parrot(messages: list[Message], variables: object) -> str:
        return " / ".join(said.text for said in messages)

    chatbot = PythonChatbot(parrot)
    conversation = await play(scripted(InjectReply(text="Welcome"), HELLO), chatbot)

    assert conversation.messages[-1].text == "Welcome / Hello"
    assert unsupported(scripted(LOST), chatbot.capabilities) == ()
    assert unsupported(scripted(LOST), PythonChatbot(Plain).capabilities) != ()
    assert unsupported(scripted(LOST.model_copy(update={"mode": "stub"})), chatbot.capabilities) != ()


async def test_a_stub_for_a_tool_that_does_not_exist_breaks_nothing():
    chatbot, _ = prompted(ToolRequest("a", "trak", "{}"), "Sorry.")
    async with chatbot.connect(Case(id="a")) as session:
        await session.stub(InjectTool(name="trak"))

        said = await session.reply(message("user", "Hello"))

    assert said.tool_calls[0].error == "there is no tool 'trak'; did you mean 'track'?"


async def test_an_unused_stub_is_reported():
    stub = LOST.model_copy(update={"mode": "stub"})

    conversation = await play(scripted(stub, HELLO, BYE), ScriptedChatbot("Hello.", "Goodbye."))

    assert conversation.warnings == ("the stub of the tool 'track' was never used, so its result was not tested",)

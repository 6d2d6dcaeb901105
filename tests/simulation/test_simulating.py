import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress

import pytest

from fakes import FrozenClock, Noticing, Saying, Talking, TalkingSession, Waiting, transcript
from scripted import ScriptedModel
from sparring.chatbots.chatbot import BaseChatbot, Chatbot
from sparring.chatbots.prompted.chatbot import Prompted
from sparring.chatbots.prompted.tools import Toolbox, toolbox
from sparring.core.audit import Blame
from sparring.core.case import Case, Goal, Limits, OutputSpec, Say
from sparring.core.conversation import Conversation, Ending, GoalStage, Timing
from sparring.core.errors import (
    BadCompletion,
    ChatbotError,
    ChatbotTimeout,
    ChatbotUnreachable,
    ModelRejected,
    ModelUnavailable,
    NotRecorded,
    ProviderFailed,
    UserError,
    UserStuck,
)
from sparring.core.message import Message, message
from sparring.core.outcome import Outcome, decide
from sparring.core.usage import Usage
from sparring.extraction.extractor import BaseReader, Extraction
from sparring.extraction.pattern_extractor import PatternReader
from sparring.llm import template
from sparring.llm.call_context import current_call
from sparring.llm.client.rate_limiter import RateLimiter
from sparring.llm.model import Completion, MeteredModel, Request, UnpricedModel
from sparring.reports.html.conversation import render_conversation
from sparring.simulation.reachability import ChatbotReachability
from sparring.simulation.simulate import simulate
from sparring.users.agenda import Agenda
from sparring.users.scripted import Scripted
from sparring.users.simulated import Simulated
from sparring.users.user import BaseUser, User, UserTraits
from tables import table

ECHO = Talking(lambda: lambda text: f"You said: {text}")


async def play(user: User, chatbot: Chatbot = ECHO, *, case: Case | None = None) -> Conversation:
    return await simulate(case or Case(id="a"), user, chatbot, reader=PatternReader(), clock=FrozenClock())


def failing(error: Exception) -> Talking:
    def answer(text: str) -> str:
        raise error

    return Talking(lambda: answer)


async def test_both_sides_speak_in_turn_until_the_user_is_done():
    conversation = await play(Saying("Hi", "Bye"))

    assert conversation.ending is Ending.USER_DONE
    assert transcript(conversation.messages) == ["U: Hi", "C: You said: Hi", "U: Bye", "C: You said: Bye"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("error", "ending", "reason"),
    [
        (ChatbotError("HTTP 502"), Ending.CHATBOT_FAILED, "HTTP 502 to 'Hi'"),
        (ChatbotError("HTTP 502: bad gateway"), Ending.CHATBOT_FAILED, "HTTP 502 to 'Hi': bad gateway"),
        (ChatbotTimeout("no answer within 3 s"), Ending.TIMEOUT, "no answer within 3 s (in reply to 'Hi')"),
        (KeyError("order"), Ending.CHATBOT_FAILED, "KeyError: 'order' (in reply to 'Hi')"),
        (ProviderFailed("its model failed"), Ending.INFRASTRUCTURE_FAILED, "its model failed (in reply to 'Hi')"),
        (ModelUnavailable("HTTP 503"), Ending.INFRASTRUCTURE_FAILED, "HTTP 503 to 'Hi'"),
        (NotRecorded("no such call"), Ending.INFRASTRUCTURE_FAILED, "no such call (in reply to 'Hi')"),
    ],
)
async def test_a_chatbot_that_fails_ends_the_conversation_with_the_reason(
    error: Exception, ending: Ending, reason: str
):
    conversation = await play(Saying("Hi"), failing(error))

    assert (conversation.ending, conversation.error) == (ending, reason)
    assert transcript(conversation.messages) == ["U: Hi"]


@pytest.mark.parametrize(
    ("said", "quoted"),
    [
        ("I want 🍕", "'I want 🍕'"),
        ("one\x1b[2J\ntwo", r"'one\x1b[2J\ntwo'"),
        ("my key is sk-abcdef123456", "'my key is [redacted]'"),
        ("x" * 70, f"'{'x' * 59}…'"),
    ],
)
async def test_the_reason_of_a_crash_quotes_what_the_user_said(said: str, quoted: str):
    conversation = await play(Saying(said), failing(ChatbotError("HTTP 500")))

    assert conversation.error == f"HTTP 500 to {quoted}"


async def test_a_chatbot_that_was_never_reached_did_not_crash_and_one_that_answered_did():
    stops: list[tuple[str, bool]] = []
    gone = ChatbotUnreachable("connection refused", hint="is it running?")
    reachability = ChatbotReachability(lambda reason, at_once: stops.append((reason, at_once)))

    endings = []
    for chatbot in (
        failing(gone),
        ECHO,
        failing(gone),
        failing(gone),
        failing(ChatbotError("HTTP 500")),
        failing(gone),
    ):
        talk = simulate(Case(id="a"), Saying("Hi"), chatbot, reader=PatternReader(), reachability=reachability)
        endings.append((await talk).ending)

    assert endings == [Ending.INFRASTRUCTURE_FAILED, Ending.USER_DONE, *[Ending.CHATBOT_FAILED] * 4]
    assert stops == [("the chatbot cannot be reached: connection refused; is it running?", True)]


async def test_a_chatbot_that_is_gone_or_rejects_every_key_stops_the_batch_after_three_conversations():
    stops: list[tuple[str, bool]] = []
    reachability = ChatbotReachability(lambda reason, at_once: stops.append((reason, at_once)))
    reachability.answered()

    endings = []
    for _ in range(3):
        chatbot = failing(ChatbotUnreachable("HTTP 401", infrastructure=True))
        talk = simulate(Case(id="a"), Saying("Hi"), chatbot, reader=PatternReader(), reachability=reachability)
        endings.append((await talk).ending)

    assert endings == [Ending.INFRASTRUCTURE_FAILED] * 3
    assert stops == [("the chatbot answers no further conversation: HTTP 401", False)]


@table(
    ("error", "ending"),
    [
        (UserStuck("said nothing"), Ending.USER_STUCK),
        (UserError("no"), Ending.USER_FAILED),
        (ModelUnavailable("HTTP 503"), Ending.INFRASTRUCTURE_FAILED),
        (BadCompletion("no choices"), Ending.USER_FAILED),
        (ZeroDivisionError("a bug"), Ending.USER_FAILED),
    ],
)
async def test_a_user_that_fails_makes_the_conversation_void(error: Exception, ending: Ending):
    conversation = await play(Saying("Hi", error))

    assert (conversation.ending, conversation.ending and conversation.ending.void) == (ending, True)
    assert len(conversation.messages) == 2


@pytest.mark.usefixtures("virtual_time")
async def test_a_chatbot_that_takes_too_long_is_cut_off():
    cut_off = asyncio.Event()

    class Slow:
        greeting = None

        async def reply(self, said: Message) -> Message:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                cut_off.set()
                raise
            raise AssertionError

    class Chatbot(BaseChatbot):
        @asynccontextmanager
        async def connect(self, case: Case) -> AsyncIterator[Slow]:
            yield Slow()

    conversation = await play(Saying("Hi"), Chatbot(), case=Case(id="a", limits=Limits(reply_seconds=0.01)))

    assert (conversation.ending, conversation.error) == (Ending.TIMEOUT, "no reply to 'Hi' within 0.01 s")
    assert cut_off.is_set()


class InTask(UnpricedModel):
    """A model that notes in which task it is asked, and answers after so many seconds."""

    def __init__(self, seconds: float = 0) -> None:
        self.seconds = seconds
        self.tasks = set[asyncio.Task[object] | None]()

    async def complete(self, request: Request) -> Completion:
        self.tasks.add(asyncio.current_task())
        await asyncio.sleep(self.seconds)
        return Completion("Hello")


@pytest.mark.parametrize("tools", [Toolbox(), toolbox(InTask)])
async def test_a_chatbot_needs_a_task_of_its_own_only_where_there_is_foreign_code(tools: Toolbox):
    model = InTask()

    await play(Saying("Hi"), Prompted(model, template.read(""), tools))

    assert (asyncio.current_task() in model.tasks) is (not tools.known)


@pytest.mark.usefixtures("virtual_time")
async def test_a_chatbot_of_ours_that_takes_too_long_is_cut_off():
    chatbot = Prompted(InTask(60), template.read(""))

    conversation = await play(Saying("Hi"), chatbot, case=Case(id="a", limits=Limits(reply_seconds=0.01)))

    assert (conversation.ending, conversation.error) == (Ending.TIMEOUT, "no reply to 'Hi' within 0.01 s")


@pytest.mark.usefixtures("virtual_time")
async def test_a_chatbot_that_has_less_time_since_the_conversation_has_says_so():
    chatbot = Prompted(InTask(60), template.read(""))

    conversation = await play(Saying("Hi"), chatbot, case=Case(id="a", limits=Limits(seconds=0.02)))

    assert conversation.ending is Ending.TIMEOUT
    assert re.fullmatch(
        r"no reply to 'Hi' within 0\.0\d+ s, all that the conversation had left of 0\.02 s", conversation.error
    )


async def test_a_chatbot_that_cannot_be_reached_ends_it_before_a_word():
    class Closed(BaseChatbot):
        @asynccontextmanager
        async def connect(self, case: Case) -> AsyncIterator[TalkingSession]:
            raise ChatbotError("connection refused")
            yield

    conversation = await play(Saying("Hi"), Closed())

    assert (conversation.ending, conversation.error) == (Ending.CHATBOT_FAILED, "connection refused")


async def test_a_session_that_cannot_be_closed_is_a_warning_and_no_failure():
    class Sticky(BaseChatbot):
        @asynccontextmanager
        async def connect(self, case: Case) -> AsyncIterator[TalkingSession]:
            yield TalkingSession(lambda text: "Hello")
            raise ChatbotError("HTTP 500")

    conversation = await play(Saying("Hi"), Sticky())

    assert conversation.ending is Ending.USER_DONE
    assert conversation.warnings == ("closing the chatbot's session failed: ChatbotError: HTTP 500",)


async def test_cancelling_closes_the_session():
    chatbot = Noticing()
    task = asyncio.create_task(play(Waiting(), chatbot))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert chatbot.closed.is_set()


async def test_the_limit_of_turns_ends_it():
    conversation = await play(Saying(*"abcdef"), case=Case(id="a", limits=Limits(turns=3)))

    assert (conversation.ending, conversation.turns) == (Ending.TURN_LIMIT, 3)


async def test_the_steps_a_user_means_to_take_end_it_well_and_goals_do_not_end_it_sooner():
    case = Case(id="a", goals=(Goal(text="the price"),), limits=Limits(steps=2))

    price = Talking(lambda: lambda text: "The price is $5.")

    conversation = await play(Saying("the price", "the price", "the price"), price, case=case)

    assert (conversation.ending, conversation.turns) == (Ending.GOALS_ANSWERED, 2)


async def test_answered_goals_end_it():
    case = Case(id="a", goals=(Goal(text="the price"),))

    conversation = await play(
        Saying("What is the price?", "And now?"), Talking(lambda: lambda t: "The price is $5."), case=case
    )

    assert (conversation.ending, conversation.turns) == (Ending.GOALS_ANSWERED, 1)
    assert conversation.goals[0].answered is not None


async def test_a_conversation_continues_after_its_goals_until_one_side_says_goodbye():
    case = Case(id="a", goals=(Goal(text="a pizza"),), ends="farewell")

    conversation = await play(
        Saying("A pizza, please.", "Bye."), Talking(lambda: lambda text: "Your pizza is ordered."), case=case
    )

    assert (conversation.ending, conversation.turns) == (Ending.GOALS_ANSWERED, 2)


async def test_a_chatbot_may_end_it():
    bye = Talking(lambda: lambda text: message("chatbot", "Goodbye!", ends=True))

    conversation = await play(Saying("Hi", "Still there?"), bye)

    assert (conversation.ending, conversation.messages[-1].text) == (Ending.CHATBOT_DONE, "Goodbye!")


async def test_a_farewell_is_said_and_sent():
    conversation = await play(Saying(message("user", "Bye!", ends=True), "Hello?"))

    assert conversation.ending is Ending.USER_DONE
    assert transcript(conversation.messages) == ["U: Bye!", "C: You said: Bye!"]


async def test_the_same_fallback_again_and_again_makes_the_user_give_up():
    conversation = await play(
        Saying(*"abcdefgh"),
        Talking(lambda: lambda text: "Can you rephrase?"),
        case=Case(id="a", limits=Limits(fallbacks=3)),
    )

    assert (conversation.ending, conversation.turns) == (Ending.GAVE_UP, 3)


class Greeting(BaseChatbot):
    """A chatbot that greets."""

    @asynccontextmanager
    async def connect(self, case: Case) -> AsyncIterator[TalkingSession]:
        session = TalkingSession(lambda text: "Sure.")
        session.greeting = message("chatbot", "Welcome!")
        yield session


@pytest.mark.parametrize(
    ("starts", "first"), [("either", "C: Welcome!"), ("chatbot", "C: Welcome!"), ("user", "U: Hi")]
)
async def test_the_greeting_comes_before_the_first_user_message_unless_the_user_starts(starts: str, first: str):
    conversation = await play(Saying("Hi"), Greeting(), case=Case.model_validate({"id": "a", "starts": starts}))

    assert transcript(conversation.messages)[0] == first


async def test_a_chatbot_that_should_speak_first_and_does_not_is_remarked_on():
    conversation = await play(Saying("Hi"), case=Case(id="a", starts="chatbot"))

    assert conversation.warnings == ("the chatbot did not speak first, so the user did",)


async def test_the_history_comes_first_and_is_not_counted():
    case = Case(id="a", history=(message("user", "Earlier"), message("chatbot", "Yes")), limits=Limits(turns=1))

    conversation = await play(Saying("Now", "Later"), case=case)

    assert transcript(conversation.messages) == ["U: Earlier", "C: Yes", "U: Now", "C: You said: Now"]


async def test_every_message_is_reported_as_it_is_said():
    heard: list[Message] = []

    conversation = await simulate(
        Case(id="a"), Saying("Hi", "Bye"), ECHO, reader=PatternReader(), clock=FrozenClock(), listen=heard.append
    )

    assert tuple(heard) == conversation.messages


async def test_only_timing_holds_measured_times():
    clock = FrozenClock()

    def make() -> Callable[[str], str]:
        def answer(text: str) -> str:
            clock.seconds += 2
            return "Hello"

        return answer

    conversation = await simulate(Case(id="a"), Saying("Hi", "Bye"), Talking(make), reader=PatternReader(), clock=clock)

    assert conversation.timing == Timing(
        started=clock.now(), seconds=4.0, replies=(2.0, 2.0), said=(0.0, 2.0, 2.0, 4.0)
    )


async def test_the_first_token_of_a_streamed_reply_has_its_time():
    clock = FrozenClock()

    def make() -> Callable[[str], str]:
        def answer(text: str) -> str:
            clock.seconds += 2
            patience = current_call().clock
            assert patience is not None
            patience.streamed = 1.5 if text == "Hi" else None
            return "Hello"

        return answer

    conversation = await simulate(Case(id="a"), Saying("Hi", "Bye"), Talking(make), reader=PatternReader(), clock=clock)

    assert conversation.timing is not None
    assert (conversation.timing.replies, conversation.timing.first_tokens) == ((2.0, 2.0), (0.5, None))
    assert [(turn.seconds, turn.first_token) for turn in render_conversation(conversation)[1:4:2]] == [
        (2.0, 0.5),
        (2.0, None),
    ]


async def test_the_time_for_a_conversation_runs_out_on_the_chatbot():
    clock = FrozenClock()

    def make() -> Callable[[str], str]:
        def answer(text: str) -> str:
            clock.seconds += 10
            return "Hello"

        return answer

    case = Case(id="a", limits=Limits(seconds=15))
    conversation = await simulate(case, Saying(*"abcd"), Talking(make), reader=PatternReader(), clock=clock)

    assert (conversation.ending, conversation.error) == (Ending.TIMEOUT, "not done within 15 s")
    assert conversation.turns == 2


async def test_what_a_conversation_may_cost_ends_it():
    class Paying(BaseUser):
        def __init__(self) -> None:
            self.model = MeteredModel(
                ScriptedModel(*[Completion(text="Hi", usage=Usage(calls=1, cost=0.4))] * 9), "user"
            )

        async def speak(self, conversation: Conversation) -> Message | None:
            return message("user", (await self.model.complete(Request(()))).text)

    conversation = await play(Paying(), case=Case(id="a", limits=Limits(cost=1)))

    assert (conversation.ending, conversation.turns) == (Ending.TURN_LIMIT, 3)
    assert conversation.error == "it reached its cost limit of $1"


class Priced(UnpricedModel):
    """A model whose first call takes a second."""

    def __init__(self, clock: FrozenClock) -> None:
        self.clock = clock

    async def complete(self, request: Request) -> Completion:
        self.clock.seconds += 1
        return Completion(text="Hi", usage=Usage(calls=1, input_tokens=7, output_tokens=2, unknown_costs=1))


async def test_every_answered_call_of_a_model_is_on_record_with_its_turn_and_its_time():
    clock = FrozenClock()
    chatbot = Prompted(MeteredModel(Priced(clock), "chatbot"), template.read("Sell."))
    user = Simulated(MeteredModel(ScriptedModel(Completion("Hi"), ModelRejected("HTTP 401")), "user"))

    conversation = await simulate(Case(id="a"), user, chatbot, reader=PatternReader(), clock=clock)

    assert [(call.role, call.turn, call.input_tokens, call.cost) for call in conversation.calls] == [
        ("user", 1, 0, 0.0),
        ("chatbot", 1, 7, None),
    ]
    assert conversation.timing is not None
    assert conversation.timing.calls == (0.0, 1.0)
    assert {role: usage.calls for role, usage in conversation.usage.items()} == {"chatbot": 1, "user": 0}


async def test_a_script_is_said_to_its_end_even_if_everything_was_answered_before():
    case = Case(
        id="a",
        script=(Say(text="Hello"), Say(text="Bye")),
        outputs=(OutputSpec(name="code"),),
    )

    conversation = await play(Scripted(), Talking(lambda: lambda text: "Your code is ORD-001."), case=case)

    assert (conversation.ending, conversation.turns) == (Ending.GOALS_ANSWERED, 2)


class Session:
    """A session of a chatbot that does one thing."""

    greeting = None

    def __init__(self, act: Callable[[], Awaitable[object]]) -> None:
        self._act = act

    async def reply(self, said: Message) -> Message:
        return await self._act()  # type: ignore[return-value]


class Acting(BaseChatbot):
    def __init__(self, act: Callable[[], Awaitable[object]]) -> None:
        self._act = act

    @asynccontextmanager
    async def connect(self, case: Case) -> AsyncIterator[Session]:
        yield Session(self._act)


async def says_none() -> object:
    return None


async def says_text() -> object:
    return "Hello"


async def says_what_the_user_says() -> object:
    return message("user", "Hello")


async def cancels_itself() -> object:
    raise asyncio.CancelledError


async def leaves() -> object:
    raise GeneratorExit


@table("act", [says_none, says_text, says_what_the_user_says, cancels_itself, leaves])
async def test_a_chatbot_that_keeps_no_contract_fails_alone(act: Callable[[], Awaitable[object]]):
    conversation = await play(Saying("Hi"), Acting(act))

    assert conversation.ending is Ending.CHATBOT_FAILED, conversation.error


async def test_a_chatbot_that_cannot_even_connect_fails_alone():
    class Broken(BaseChatbot):
        def connect(self, case: Case) -> AbstractAsyncContextManager[TalkingSession]:
            raise ZeroDivisionError("a bug")

    conversation = await play(Saying("Hi"), Broken())

    assert (conversation.ending, conversation.error) == (Ending.CHATBOT_FAILED, "ZeroDivisionError: a bug")


async def test_a_chatbot_that_cancels_itself_while_it_connects_fails_alone():
    class Fleeing(BaseChatbot):
        @asynccontextmanager
        async def connect(self, case: Case) -> AsyncIterator[TalkingSession]:
            task = asyncio.current_task()
            assert task is not None
            task.cancel()
            await asyncio.sleep(0)
            yield TalkingSession(lambda text: "Hello")

    conversation = await play(Saying("Hi"), Fleeing())

    assert (conversation.ending, conversation.error) == (Ending.CHATBOT_FAILED, "it was cancelled from inside")


@pytest.mark.usefixtures("virtual_time")
async def test_a_chatbot_that_swallows_its_cancellation_is_left_behind(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sparring.chatbots.isolation.GRACE", 0.01)
    release = asyncio.Event()

    async def swallow() -> object:
        while not release.is_set():
            with suppress(asyncio.CancelledError):
                await release.wait()
        return None

    conversation = await play(Saying("Hi"), Acting(swallow), case=Case(id="a", limits=Limits(reply_seconds=0.01)))
    release.set()

    assert conversation.ending is Ending.TIMEOUT


@pytest.mark.usefixtures("virtual_time")
async def test_a_session_that_never_closes_is_left_behind(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sparring.simulation.simulate._CLOSING", 0.01)

    class Sticky(BaseChatbot):
        @asynccontextmanager
        async def connect(self, case: Case) -> AsyncIterator[TalkingSession]:
            yield TalkingSession(lambda text: "Hello")
            await asyncio.Event().wait()

    conversation = await play(Saying("Hi"), Sticky())

    assert conversation.ending is Ending.USER_DONE
    assert conversation.warnings == ("the chatbot's session was not closed within 0.01 s",)


async def test_a_timeout_raised_by_the_chatbot_keeps_its_message():
    conversation = await play(Saying("Hi"), failing(TimeoutError("the database")))

    assert (conversation.ending, conversation.error) == (
        Ending.TIMEOUT,
        "TimeoutError: the database (in reply to 'Hi')",
    )


async def test_the_history_does_not_count_towards_giving_up():
    case = Case(
        id="a",
        history=tuple(message(role, "Can you rephrase?") for _ in range(5) for role in ("user", "chatbot")),
        limits=Limits(fallbacks=3, turns=2),
    )

    conversation = await play(Saying("a", "b"), Talking(lambda: lambda text: "Can you rephrase?"), case=case)

    assert (conversation.ending, conversation.turns) == (Ending.TURN_LIMIT, 2)


async def test_a_missing_greeting_is_noted():
    conversation = await play(Saying("Hi"), Greeting(), case=Case(id="a", starts="user"))

    assert "greeting" in conversation.warnings[0]


async def test_what_was_asked_before_a_failure_was_asked():
    case = Case(id="a", goals=(Goal(text="What is the price?"),))

    conversation = await play(Saying("What is the price?"), failing(ChatbotError("HTTP 502")), case=case)

    assert conversation.goals[0].asked_at == 0


@pytest.mark.usefixtures("virtual_time")
@pytest.mark.parametrize("where", ["opening", "closing"])
async def test_a_session_that_swallows_its_cancellation_is_left_behind(monkeypatch: pytest.MonkeyPatch, where: str):
    monkeypatch.setattr("sparring.simulation.simulate._CLOSING", 0.01)
    monkeypatch.setattr("sparring.chatbots.isolation.GRACE", 0.01)
    release = asyncio.Event()

    async def wedge() -> None:
        while not release.is_set():
            with suppress(asyncio.CancelledError):
                await release.wait()

    class Wedged(BaseChatbot):
        @asynccontextmanager
        async def connect(self, case: Case) -> AsyncIterator[TalkingSession]:
            if where == "opening":
                await wedge()
            yield TalkingSession(lambda text: "Hello")
            await wedge()

    conversation = await play(Saying("Hi"), Wedged(), case=Case(id="a", limits=Limits(reply_seconds=0.01)))
    release.set()

    ending = Ending.TIMEOUT if where == "opening" else Ending.USER_DONE
    assert (conversation.ending, len(conversation.warnings)) == (ending, where == "closing")


@pytest.mark.usefixtures("virtual_time")
async def test_a_user_that_never_makes_up_its_mind_is_cut_off_after_its_part_of_a_turn():
    conversation = await simulate(
        Case(id="a"), Waiting(), ECHO, reader=PatternReader(), clock=FrozenClock(), turn_seconds=0.01
    )

    assert (conversation.ending, conversation.error) == (Ending.USER_FAILED, "no word within 0.01 s")


class Slow(UnpricedModel):
    """A model that takes as many seconds for each call as its list says, and forever for later calls."""

    def __init__(self, *seconds: float) -> None:
        self._seconds = iter(seconds)

    async def complete(self, request: Request) -> Completion:
        await asyncio.sleep(next(self._seconds, 1e6))
        return Completion("Hello")


class Several(BaseChatbot):
    """A chatbot that asks its model again and again before it replies."""

    def __init__(self, model: UnpricedModel) -> None:
        self.model = MeteredModel(model, "chatbot")

    greeting = None

    async def reply(self, said: Message) -> Message:
        for _ in range(20):
            await self.model.complete(Request(messages=()))
        return message("chatbot", "Hello")

    @asynccontextmanager
    async def connect(self, case: Case) -> AsyncIterator["Several"]:
        yield self


@pytest.mark.usefixtures("virtual_time")
@pytest.mark.parametrize(
    ("seconds", "ending", "reason"),
    [
        ((), Ending.INFRASTRUCTURE_FAILED, ": the provider of its model did not answer"),
        ((5,), Ending.INFRASTRUCTURE_FAILED, ": the provider of its model did not answer"),
        ((5,) * 20, Ending.TIMEOUT, ""),
    ],
)
async def test_a_model_that_hangs_is_not_the_chatbots_timeout(seconds: tuple[float, ...], ending: Ending, reason: str):
    conversation = await play(Saying("Hi"), Several(Slow(*seconds)), case=Case(id="a", limits=Limits(reply_seconds=60)))

    assert (conversation.ending, conversation.error) == (ending, f"no reply to 'Hi' within 60 s{reason}")


@pytest.mark.usefixtures("virtual_time")
async def test_a_model_of_the_user_that_hangs_is_not_the_users_fault():
    user = Simulated(MeteredModel(Slow(), "user"))

    conversation = await play(user, case=Case(id="a", limits=Limits(seconds=40)))

    reason = "the time for the conversation ran out on the user's side: the provider of its model did not answer"
    assert (conversation.ending, conversation.error) == (Ending.INFRASTRUCTURE_FAILED, reason)


@pytest.mark.usefixtures("virtual_time")
async def test_a_chatbot_whose_call_waits_for_its_turn_is_not_too_slow():
    limiter = RateLimiter(now=asyncio.get_running_loop().time)

    class Limited(BaseChatbot):
        greeting = None

        async def reply(self, said: Message) -> Message:
            limiter.pause(0.1)
            limiter.leave(await limiter.enter())
            return message("chatbot", "Hello")

        @asynccontextmanager
        async def connect(self, case: Case) -> AsyncIterator["Limited"]:
            yield self

    conversation = await play(Saying("Hi"), Limited(), case=Case(id="a", limits=Limits(reply_seconds=0.05)))

    assert conversation.ending is Ending.USER_DONE
    assert conversation.timing is not None
    assert conversation.timing.waited > 0.05


class Counting(PatternReader):
    """A reader that counts how often it is asked."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0

    def incremental(self) -> "Counting":  # type: ignore[override]
        return self

    async def read(self, conversation: Conversation) -> Extraction:
        self.asked += 1
        return await PatternReader().read(conversation)


LINES = (Say(text="A pizza, please."), Say(text="With ham."), Say(text="Thank you."))
PIZZA = (Goal(text="a pizza"),)


@pytest.mark.parametrize(
    ("case", "user", "times"),
    [
        (Case(id="a", script=LINES, goals=PIZZA), Scripted(), 1),
        (Case(id="a", script=LINES), Scripted(), 0),
        (Case(id="a", goals=PIZZA, limits=Limits(steps=3)), Saying("A pizza, please.", "Ham", "Bye"), 3),
        (Case(id="a", goals=PIZZA), Saying("Hi", "Hello", "A pizza, please."), 3),
    ],
)
async def test_goals_are_read_once_at_the_end_unless_needed_before(case: Case, user: User, times: int):
    reader = Counting()
    chatbot = Talking(lambda: lambda text: "Sure, one pizza.")

    conversation = await simulate(case, user, chatbot, reader=reader, clock=FrozenClock())

    assert reader.asked == times
    assert conversation.ending is (Ending.GOALS_ANSWERED if times else Ending.USER_DONE)


async def test_a_reader_that_fails_at_the_end_is_no_failure_of_the_chatbot():
    class Failing(PatternReader):
        def incremental(self) -> "Failing":  # type: ignore[override]
            return self

        async def read(self, conversation: Conversation) -> Extraction:
            raise ModelUnavailable("nobody there")

    case = Case(id="a", script=LINES, goals=PIZZA)
    conversation = await simulate(case, Scripted(), ECHO, reader=Failing(), clock=FrozenClock())
    broken = await simulate(case, Scripted(), failing(ChatbotError("no answer")), reader=Failing(), clock=FrozenClock())

    assert (conversation.ending, conversation.error) == (
        Ending.INFRASTRUCTURE_FAILED,
        "the reader failed: nobody there",
    )
    assert (broken.ending, broken.error) == (Ending.CHATBOT_FAILED, "no answer (in reply to 'A pizza, please.')")


@pytest.mark.parametrize("error", [BadCompletion("no JSON"), UserStuck("nothing"), ZeroDivisionError("a bug")])
async def test_the_user_is_not_blamed_for_a_reader_that_fails(error: Exception):
    class Failing(PatternReader):
        def incremental(self) -> "Failing":  # type: ignore[override]
            return self

        async def read(self, conversation: Conversation) -> Extraction:
            raise error

    conversation = await simulate(Case(id="a", goals=PIZZA), Agenda(), ECHO, reader=Failing(), clock=FrozenClock())
    decision = decide(conversation, [])

    assert (decision.outcome, decision.blame) == (Outcome.VOID, Blame.INFRASTRUCTURE)
    assert str(error) in decision.reason


class Stumbling(BaseReader):
    """A reader that trips over what it is shown on the way, and reads in the end."""

    def __init__(self, *, reads: bool) -> None:
        self.shown: list[int] = []
        self._reads = reads

    def observe(self, conversation: Conversation) -> None:
        self.shown.append(len(conversation.messages))
        raise ValueError("it stumbled")

    async def read(self, conversation: Conversation) -> Extraction:
        if not self._reads:
            raise ValueError("it fell")
        return Extraction(goals=conversation.goals, outputs=())


@pytest.mark.parametrize("reads", [True, False])
async def test_a_reader_is_shown_what_was_said_and_asked_only_at_the_end(reads: bool):
    reader, case = Stumbling(reads=reads), Case(id="a", goals=(Goal(text="a pizza"),), limits=Limits(steps=2))
    user = Simulated(ScriptedModel("Hello, a pizza.", "And a coke."))
    conversation = await simulate(case, user, ECHO, reader=reader, clock=FrozenClock())

    assert reader.shown == [2, 4]
    assert len(conversation.messages) == 4
    assert conversation.ending is (Ending.USER_DONE if reads else Ending.INFRASTRUCTURE_FAILED)
    assert conversation.error == ("" if reads else "the reader failed: ValueError: it fell")


async def test_goals_that_patterns_follow_are_shown_to_users_that_read_nothing():
    shown: list[GoalStage] = []

    class Noting(BaseUser):
        traits = UserTraits(reads_extraction=False)

        async def speak(self, conversation: Conversation) -> Message:
            shown.append(conversation.goals[0].stage)
            return message("user", "I would like a pizza.")

    case = Case(id="a", goals=(Goal(text="a pizza"),), limits=Limits(steps=2))
    await simulate(case, Noting(), ECHO, reader=PatternReader(), clock=FrozenClock())

    assert shown == [GoalStage.NOT_ASKED, GoalStage.UNREAD]


async def test_a_reader_that_has_nothing_to_find_is_shown_nothing():
    reader, user = Stumbling(reads=False), Simulated(ScriptedModel("Hello.", "Goodbye."))
    conversation = await simulate(Case(id="a", limits=Limits(steps=2)), user, ECHO, reader=reader, clock=FrozenClock())

    assert (reader.shown, conversation.ending) == ([], Ending.USER_DONE)

"""Simulated users against chatbots that are names, functions and objects."""

from pathlib import Path

import pytest

import sparring
from scripted import ScriptedChatbot, ScriptedModel
from sparring.core.case import Say

SETTINGS = sparring.Settings(model="offline")
CASE = sparring.Case(id="order", script=(Say(text="A pizza, please."), Say(text="Small.")))
MEMORY = {"store": ":memory:", "settings": SETTINGS}


def reply(messages, variables):
    return f"You said: {messages[-1].text}"


async def reply_later(messages, variables):
    return sparring.message("chatbot", f"{len(messages)} messages")


class Remembering:
    """A chatbot with one object for each conversation."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def reply(self, message: sparring.Message) -> str:
        self.said.append(message.text)
        return " / ".join(self.said)


SAYS = "chatbot_says('You said: Small.')"


def last_words(results: sparring.Results) -> list[str]:
    return [each.conversation.messages[-1].text for each in results]


def test_a_function_is_a_chatbot():
    results = sparring.run(CASE, reply, rules=SAYS, **MEMORY)

    assert (results.ok, results.exit_code, last_words(results)) == (True, 0, ["You said: Small."])
    assert results.players.chatbot == f"python:{__name__}:reply"


def test_an_async_function_a_class_and_an_object_are_chatbots():
    chatbots = [reply_later, Remembering, ScriptedChatbot("Which size?", "Thanks!")]

    assert [last_words(sparring.run(CASE, each, **MEMORY)) for each in chatbots] == [
        ["3 messages"],
        ["A pizza, please. / Small."],
        ["Thanks!"],
    ]


def test_a_chatbot_is_found_by_its_name(tmp_path: Path):
    (tmp_path / "order.yml").write_text('goals: ["a small custom pizza with ham"]\n', encoding="utf-8")

    results = sparring.run(tmp_path / "order.yml", "pizzeria", seed=7, store=tmp_path / "s.db", settings=SETTINGS)

    assert (results.ok, results.players.user) == (True, "agenda (no model)")
    assert sparring.results(store=tmp_path / "s.db", settings=SETTINGS).id == results.id


def test_a_model_is_an_object():
    model = ScriptedModel("I want a pizza.", "Goodbye.")
    case = sparring.Case(id="order", goals=(sparring.Goal(text="a pizza"),), limits={"turns": 1})

    results = sparring.run(case, reply, user=model, **MEMORY)

    assert results[0].conversation.messages[0].text == "I want a pizza."
    assert len(model.requests) >= 1


def test_a_user_and_a_judge_are_objects():
    class Caller:
        async def speak(self, conversation):
            return None if conversation.messages else sparring.message("user", "A pizza, please.")

    class Strict:
        reads_rubrics = False

        async def judge(self, conversation, rubric):
            return sparring.Verdict(check="strict", outcome="fail", conversation=conversation.id, reason="too short")

    case = sparring.Case(id="call", goals=(sparring.Goal(text="a pizza"),))

    result = sparring.simulate(reply, case, user=Caller(), judge=Strict(), **MEMORY)

    assert (result.passed, result.reason) == (False, "strict: too short")


def test_cases_are_repeated_and_failures_are_raised():
    results = sparring.run([CASE, CASE], reply, rules=["turns() < 2"], repeat=2, **MEMORY)

    assert [each.id for each in results] == ["order", "order#2", "order~2", "order~2#2"]
    with pytest.raises(AssertionError, match="4 of 4 conversations failed"):
        results.raise_for_failures()


def test_one_case_is_simulated():
    result = sparring.simulate(reply, CASE, rules="turns() < 2", **MEMORY)

    assert (result.id, result.passed) == ("order", False)
    assert result.explain().startswith("order failed\n  expected turns() < 2, got 2")


def test_several_cases_are_not_one(tmp_path: Path):
    file = tmp_path / "order.yml"
    file.write_text('goals: ["a {{size}} pizza"]\nvariables: {size: [small, big]}\n', encoding="utf-8")

    with pytest.raises(sparring.InputError, match="expected one case, got 2"):
        sparring.simulate(reply, file, **MEMORY)


async def test_runs_work_inside_an_event_loop():
    blocking = sparring.run(CASE, reply, rules=SAYS, **MEMORY)
    awaited = await sparring.run_async(CASE, reply, rules=SAYS, **MEMORY)
    simulated = await sparring.simulate_async(reply, CASE, **MEMORY)

    assert (blocking.ok, awaited.ok, simulated.conversation.turns) == (True, True, 2)


async def test_events_are_streamed_and_the_last_has_the_results():
    events = [event async for event in sparring.stream(CASE, reply, **MEMORY)]

    assert isinstance(events[0], sparring.BatchStarted)
    assert isinstance(events[-1], sparring.RunFinished)
    assert len(events[-1].results) == 1


def test_events_reach_a_listener():
    heard: list[sparring.Event] = []

    sparring.run(CASE, reply, on_event=heard.append, **MEMORY)

    assert sum(isinstance(event, sparring.MessageSaid) for event in heard) == 4


def test_bad_input_is_found_before_the_first_message():
    told: list[str] = []

    def listening(messages, variables):
        told.append(messages[-1].text)
        return "Yes?"

    for wrong in ({"rules": "turns( <"}, {"repeat": 0}, {"rubrics": ["nothing.md"]}, {"seed": -1}):
        with pytest.raises(sparring.InputError):
            sparring.run(CASE, listening, **{**MEMORY, **wrong})
    with pytest.raises(sparring.InputError, match="cannot be asked for a reply"):
        sparring.run(CASE, lambda: "Hello", **MEMORY)
    with pytest.raises(sparring.InputError, match="no scenarios"):
        sparring.run([], listening, **MEMORY)
    assert told == []


def test_a_crash_of_the_chatbot_is_a_failure():
    def broken(messages, variables):
        raise RuntimeError("down")

    results = sparring.run(CASE, broken, **MEMORY)

    assert ([each.id for each in results.failed()], results.ok, results.exit_code) == (["order"], False, 1)


def test_a_batch_is_resumed_and_rerun_with_the_same_function(tmp_path: Path):
    def local(messages, variables):
        return "Yes?"

    options = {"store": tmp_path / "s.db", "settings": sparring.Settings()}
    first = sparring.run(CASE, local, rules="turns() < 2", name="nightly", **options)

    resumed = sparring.resume("nightly", chatbot=local, **options)
    again = sparring.rerun("nightly", chatbot=local, **options)

    assert (resumed.id, len(resumed)) == (first.id, 1)
    assert (again.id != first.id, last_words(again)) == (True, ["Yes?"])
    with pytest.raises(sparring.InputError):
        sparring.rerun(again.id, conversations=["none"], chatbot=local, **options)


def test_notices_are_warnings(tmp_path: Path):
    options = {"store": tmp_path / "s.db", "settings": SETTINGS, "name": "nightly"}
    sparring.run(CASE, reply, **options)

    with pytest.warns(sparring.SparringWarning, match="'nightly' is the name of"):
        sparring.run(CASE, reply, **options)


def test_a_run_is_planned():
    planned = sparring.plan([CASE, CASE], "pizzeria", repeat=3, settings=SETTINGS)

    assert (planned.conversations, planned.calls.high) == (6, 0)


def test_settings_of_the_folder_are_defaults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "sparring.yaml").write_text("model: offline\nstore: here.db\nchatbot: pizzeria\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    results = sparring.run(CASE)

    assert (results.players.chatbot, (tmp_path / "here.db").exists()) == ("pizzeria", True)


def test_what_settings_redact_is_redacted_in_memory_too():
    settings = sparring.Settings(model="offline", redact=("phone",))

    results = sparring.run(
        CASE, lambda messages, variables: "Call +1 555 010-0199.", store=":memory:", settings=settings
    )

    assert last_words(results) == [f"Call {'*' * 15}."]

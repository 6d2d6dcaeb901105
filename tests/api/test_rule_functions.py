"""Rule functions that a program registers with `sparring.rule_function`."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import sparring
from scripted import ScriptedModel
from sparring import CheckOutcome, InputError, Recording
from sparring.core.case import Say
from sparring.rules.functions import registry
from tables import table

TALK = sparring.Conversation(
    case=sparring.Case(id="greeting"),
    messages=(sparring.message("user", "Hi"), sparring.message("chatbot", "HELLO")),
)


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The registered functions, which each test starts without."""
    monkeypatch.setattr(registry, "_registered", found := {})
    return found


def shouts(conversation: Recording, times: int = 1) -> bool:
    """True if the chatbot wrote messages in capitals."""
    return sum(text.isupper() for text in conversation.texts("chatbot")) >= times


def outcome(rules: Any, **options: Any) -> CheckOutcome:
    [finding] = sparring.check(rules, [TALK], settings=sparring.Settings(), **options).findings
    return finding.outcome


def test_a_registered_function_is_part_of_the_rule_language_and_stays_a_python_function():
    assert sparring.rule_function(shouts) is shouts

    assert outcome("shouts()") is CheckOutcome.PASS
    assert outcome("shouts(times=2)") is CheckOutcome.FAIL


def test_it_works_in_a_rule_file_and_in_a_run(tmp_path: Path):
    sparring.rule_function(name="loud")(shouts)
    file = tmp_path / "loud.yml"
    file.write_text("name: loud\nthen: not loud()\n")

    assert outcome(file) is CheckOutcome.FAIL
    results = sparring.run(
        sparring.Case(id="a", script=(Say(text="Hi"),)),
        lambda messages, variables: "HELLO",
        rules=[file],
        store=":memory:",
        settings=sparring.Settings(),
    )
    assert [verdict.outcome for verdict in results[0].verdicts if verdict.check == "loud"] == [CheckOutcome.FAIL]


def test_a_function_of_values_alone_needs_no_conversation():
    @sparring.rule_function
    def doubled(number: int) -> int:
        return 2 * number

    assert outcome("doubled(2) == 4") is CheckOutcome.PASS


def test_a_function_may_ask_the_model_of_the_check():
    @sparring.rule_function(needs_model=True)
    def greets(conversation: Recording, ask: Callable[..., str], how: str) -> bool:
        return ask(f"Is this {how}? <said>{conversation.texts('chatbot')[0]}</said>") == "yes"

    model = ScriptedModel("yes")

    assert outcome("greets('a greeting')", model=model) is CheckOutcome.PASS
    assert "Is this a greeting? <said>HELLO</said>" in model.requests[0].messages[-1].content


def test_without_a_model_such_a_function_is_undecided():
    @sparring.rule_function(needs_model=True)
    def greets(ask: Callable[..., str]) -> bool:
        return ask("Does it greet?") == "yes"

    assert outcome("greets()") is CheckOutcome.ERROR


def test_an_exception_of_a_function_is_an_error_of_the_rule():
    @sparring.rule_function
    def broken() -> bool:
        raise RuntimeError("no")

    assert outcome("broken()") is CheckOutcome.ERROR


@pytest.mark.parametrize(
    ("name", "owner"),
    [
        ("len", "sparring.rules.functions.collections"),
        ("mean", "the rule language"),
        ("conv", "the rule language"),
    ],
)
def test_a_built_in_name_is_refused(name: str, owner: str, registered: dict[str, Any]):
    with pytest.raises(InputError, match=f"{owner} has a rule function '{name}' already, so .*shouts cannot be it"):
        sparring.rule_function(shouts, name=name)
    assert registered == {}


def test_the_name_of_another_registered_function_is_refused():
    sparring.rule_function(shouts)

    with pytest.raises(InputError, match=r"shouts has a rule function 'shouts' already, so .*other cannot be it"):

        @sparring.rule_function(name="shouts")
        def other() -> bool:
            return True


def test_a_cell_that_runs_again_replaces_its_function():
    for answer in (False, True):

        @sparring.rule_function
        def latest(answer: bool = answer) -> bool:
            return answer

    assert outcome("latest()") is CheckOutcome.PASS


async def _later() -> bool:
    return True


def _no_ask() -> bool:
    return True


def _conversation_last(times: int, conversation: Recording) -> bool:
    return True


def _undefined(conversation: "Recordng") -> bool:  # type: ignore[name-defined]  # noqa: F821
    return True


@table(
    ("function", "options", "message"),
    [
        (_later, {}, "'_later' must not be async"),
        (_no_ask, {"needs_model": True}, "'_no_ask' needs a model, but has no parameter `ask`"),
        (_conversation_last, {}, "'_conversation_last' must take its Recording before all else"),
        (_undefined, {}, "has an annotation that is not defined: name 'Recordng'"),
        (shouts, {"name": "shouts loudly"}, "'shouts loudly' cannot be the name of a rule function"),
    ],
)
def test_what_cannot_be_a_rule_function_is_refused(function: Any, options: dict[str, Any], message: str):
    with pytest.raises(InputError, match=message):
        sparring.rule_function(function, **options)


def test_an_edited_function_is_another_check_of_a_stored_batch(tmp_path: Path, registered: dict[str, Any]):
    def define(limit: int) -> None:
        if limit == 1:

            @sparring.rule_function(name="brief")
            def brief(conversation: Recording) -> bool:
                return len(conversation.texts("chatbot")[0]) < 3
        else:

            @sparring.rule_function(name="brief")
            def brief(conversation: Recording) -> bool:
                return len(conversation.texts("chatbot")[0]) < 30

    def stored() -> list[str]:
        results = sparring.results("b", store=tmp_path / "s.db", settings=sparring.Settings())
        return [str(each.outcome) for each in results]

    define(1)
    sparring.run(
        sparring.Case(id="a", script=(Say(text="Hi"),)),
        lambda messages, variables: "HELLO",
        rules="brief()",
        name="b",
        store=tmp_path / "s.db",
        settings=sparring.Settings(null_bots=False),
    )
    assert stored() == ["failed"]
    registered.clear()
    assert stored() == ["failed"], "what was found is kept where the function is not known"

    define(2)
    assert stored() == ["passed"]

"""Each operator on a message where it applies, and on one where it must not."""

from pathlib import Path
from random import Random

import pytest

from sparring.core.case import Case, Persona
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError
from sparring.core.message import Message, ToolCall, message
from sparring.mutation.operator import EditContext, MutationOperator, observed, pairs_of
from sparring.mutation.operators import OPERATORS, chosen_operators
from tables import table

BY_NAME = {each.name: each for each in OPERATORS}
ADD = ToolCall(name="add_drink", arguments={"drink": "water", "size": 2}, result={"total": "$11.00"})
SWAP = ToolCall(name="swap_drink", arguments={"drink": "coke", "size": 1}, result={})
PLACE = ToolCall(name="place_order", result={"order_id": "a4c1"})
BEFORE = (
    message("user", "A water, please."),
    message("chatbot", "Which size would you like? A small one is $11.00."),
    message("user", "Small."),
    message("chatbot", "One small water. Shall I place the order?"),
    message("user", "Yes"),
)


def conversation(case: Case, *messages: Message) -> Conversation:
    return Conversation(case=case, messages=messages)


def place(language: str = "English") -> EditContext:
    case = Case(id="a", persona=Persona(language=language), variables={"drink": "water"})
    other = Case(id="b", variables={"drink": "coke"})
    calls = message("chatbot", "Done", tool_calls=(ADD, SWAP, PLACE))
    seen = observed([conversation(case, *BEFORE), conversation(other, calls)])
    return EditContext(conversation(case, *BEFORE), BEFORE, Random(1), seen)


def changed(name: str, said: Message, language: str = "English") -> Message | None:
    operator: MutationOperator = BY_NAME[name]
    change = operator.says or operator.hears
    assert change is not None
    return change(said, place(language))


@table(
    ("name", "text"),
    [
        ("reply.amount", "The total is $11.00."),
        ("reply.count", "I added 2 drinks."),
        ("reply.date", "It comes on May 3."),
        ("reply.time", "We open at 9:30 am."),
        ("reply.id", "Your order ID is a4c1f7."),
        ("reply.value", "One small water."),
        ("reply.currency", "The total is $11.00."),
        ("reply.contradict", "The total is $11.00."),
        ("reply.link", "See https://shop.example.com/help for more."),
        ("reply.markup", "The total is $11.00."),
        ("reply.drop_fact", "The total is $11.00. Anything else?"),
        ("reply.drop_last", "One small water. Anything else?"),
        ("reply.negate", "We are open."),
        ("reply.truncate", "One small water is in your cart."),
        ("reply.claims", "Shall I place the order?"),
        ("reply.asks_again", "One small water."),
        ("reply.repeat", "It is placed."),
        ("flow.no_fallback", "I did not understand. Can you rephrase?"),
        ("flow.mishears", "One water, please."),
        ("flow.ignores_correction", "No, change that to a coke."),
        ("flow.ignores_no", "No, do not place it."),
    ],
)
def test_an_operator_on_words_makes_another_text(name: str, text: str):
    made = changed(name, message("chatbot", text))

    assert made is not None
    assert made.text != text


@table(
    "name",
    ["reply.amount", "reply.count", "reply.date", "reply.time", "reply.id", "reply.value", "reply.currency"]
    + ["reply.contradict", "reply.link", "reply.markup", "reply.drop_fact", "reply.drop_last", "reply.claims"]
    + ["flow.no_fallback", "flow.mishears", "flow.ignores_correction", "flow.ignores_no", "flow.never_ends"]
    + [each.name for each in OPERATORS if each.kind == "tool" and each.says],
)
def test_an_operator_leaves_words_alone_that_do_not_have_what_it_changes(name: str):
    assert changed(name, message("chatbot", "Hello there.")) is None


def test_a_currency_in_words_is_another_word():
    made = changed("reply.currency", message("chatbot", "The loaner costs 10 euros."))

    assert made is not None
    assert made.text == "The loaner costs 10 dollars."


def test_an_amount_keeps_its_format_and_is_another_one():
    made = {changed("reply.amount", message("chatbot", "That is $11.50 in all.")).text for _ in range(1)}
    for seed in range(40):
        says = BY_NAME["reply.amount"].says
        assert says is not None
        found = says(
            message("chatbot", "That is $11.50 in all."),
            EditContext(place().conversation, BEFORE, Random(seed), place().seen),
        )
        assert found is not None
        made.add(found.text)

    assert all(text.startswith("That is $1") and text.endswith(" in all.") for text in made)
    assert len(made) > 3
    assert "That is $11.50 in all." not in made


@table("name", ["reply.refuse", "reply.leak", "reply.promise", "reply.rude", "reply.language"])
def test_added_sentences_are_in_the_language_of_the_case(name: str):
    languages = ("English", "Spanish", "German", "French", "Italian", "Portuguese", "Russian")

    made = [changed(name, message("chatbot", ""), language) for language in languages]

    texts = {each.text for each in made if each is not None}
    assert len(texts) == (2 if name == "reply.language" else 7)


@table(
    ("name", "calls", "expected"),
    [
        ("tool.hidden", (ADD, PLACE), {("add_drink",), ("place_order",)}),
        ("tool.twice", (PLACE,), {("place_order", "place_order")}),
        ("tool.extra", (PLACE,), {("place_order", "add_drink"), ("place_order", "swap_drink")}),
        ("tool.other", (ADD,), {("swap_drink",)}),
        ("tool.order", (ADD, PLACE), {("place_order", "add_drink")}),
    ],
)
def test_an_operator_on_calls_changes_which_are_recorded(
    name: str, calls: tuple[ToolCall, ...], expected: set[tuple[str, ...]]
):
    made = changed(name, message("chatbot", "Done.", tool_calls=calls))

    assert made is not None
    assert made.text == "Done."
    assert tuple(call.name for call in made.tool_calls) in expected


def test_an_argument_gets_another_value_or_is_left_out():
    other = changed("tool.argument", message("chatbot", "Done.", tool_calls=(ADD,)))
    gone = changed("tool.drop_argument", message("chatbot", "Done.", tool_calls=(ADD,)))

    assert other is not None
    assert other.tool_calls[0].arguments in ({"drink": "coke", "size": 2}, {"drink": "water", "size": 1})
    assert gone is not None
    assert len(gone.tool_calls[0].arguments) == 1


def test_a_hidden_error_makes_a_call_that_failed():
    made = changed("tool.error_unsaid", message("chatbot", "Done.", tool_calls=(PLACE,)))

    assert made is not None
    assert not made.tool_calls[0].succeeded


def test_names_of_operators_are_unique_and_say_their_class():
    assert len(BY_NAME) == len(OPERATORS)
    assert {each.kind for each in OPERATORS} == {"reply", "tool", "flow", "prompt"}


def test_a_no_to_an_offer_of_more_is_no_correction():
    offer = message("chatbot", "It is booked. Can I help you with anything else?")
    said = message("user", "No, nothing else, thanks.")
    context = place()
    offered = EditContext(context.conversation, (*BEFORE, offer), context.random, context.seen)
    ignores = BY_NAME["flow.ignores_correction"].hears
    assert ignores is not None

    assert ignores(said, offered) is None
    assert ignores(message("user", "No, the wrong size."), offered) == message("user", "OK")
    assert ignores(said, context) == message("user", "OK")


def test_only_calls_that_act_are_made_twice():
    look = ToolCall(name="find_table", arguments={"day": "Monday"}, result={"free": True})

    assert changed("tool.twice", message("chatbot", "One is free.", tool_calls=(look,))) is None
    both = changed("tool.twice", message("chatbot", "Done.", tool_calls=(look, PLACE)))
    assert both is not None
    assert both.tool_calls == (look, PLACE, PLACE)


def test_a_pair_puts_both_faults_into_one_reply_where_both_apply():
    pairs = {
        each.name: each
        for each in pairs_of([BY_NAME["reply.amount"], BY_NAME["tool.hidden"], BY_NAME["reply.rude"]], 0)
    }

    pair = pairs["reply.amount+tool.hidden"]
    assert pair.says is not None
    made = pair.says(message("chatbot", "That is $11.00.", tool_calls=(ADD,)), place())

    assert {*pairs} == {"reply.amount+tool.hidden", "tool.hidden+reply.rude"}
    assert made is not None
    assert (made.tool_calls, "$11.00" in made.text) == ((), False)
    assert pair.says(message("chatbot", "That is $11.00."), place()) is None


def test_operators_of_other_packages_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "faults.py").write_text(
        "from sparring.mutation.operator import MutationOperator\n"
        "LOUD = MutationOperator('shop.loud', 'shouts', cosmetic=True)\n"
    )
    info = tmp_path / "faults-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: faults\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[sparring.mutations]\nloud = faults:LOUD\n")
    monkeypatch.syspath_prepend(str(tmp_path))

    assert [each.name for each in chosen_operators(["shop"])] == ["shop.loud"]
    (info / "entry_points.txt").write_text("[sparring.mutations]\nloud = pathlib:Path\n")
    monkeypatch.syspath_prepend(str(tmp_path / "elsewhere"))
    with pytest.raises(InputError, match="loud is no operator"):
        chosen_operators(["shop"])

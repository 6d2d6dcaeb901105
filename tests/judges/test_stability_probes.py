"""Changes of a conversation that alter nothing a judge is asked about."""

import json

import pytest

from scripted import ScriptedModel
from sparring.core.checks import Rubric
from sparring.core.errors import BadCompletion
from sparring.core.message import message
from sparring.extraction.languages import LANGUAGES
from sparring.judges.rubric_files import find_rubric
from sparring.judges.stability_probes import _filler, padded, reordered, restated
from sparring.testing.factories import a_case, a_conversation

TALK = a_conversation(a_case("a/1"))
OWN = {1: "That is $12.50. Anything else?", 3: "Goodbye."}


def answered(**texts: str) -> str:
    return json.dumps({"messages": [{"n": int(n[1:]), "text": text} for n, text in texts.items()]})


def test_levels_goals_and_variables_change_places_and_nothing_is_lost():
    general = find_rubric("general")

    changed = reordered(TALK, general)

    assert changed is not None
    turned, rubric = changed
    levels = [line[:4] for line in rubric.text.splitlines() if line.startswith("- ")]
    assert levels == ["- 1:", "- 2:", "- 3:"]
    assert sorted(rubric.text.split()) == sorted(general.text.split())
    assert list(turned.case.variables) == ["toppings", "size"]
    assert turned.messages == TALK.messages


def test_levels_of_several_lines_stay_together():
    rubric = Rubric(name="r", text="Is it?\n\n- 3: yes,\n  fully.\n- 1: no.\n\nBe strict.")

    changed = reordered(TALK, rubric)

    assert changed is not None
    assert changed[1].text == "Is it?\n\n- 1: no.\n- 3: yes,\n  fully.\n\nBe strict."


def test_where_there_is_one_of_each_no_order_can_be_tried():
    plain = TALK.changed(case=TALK.case.changed(variables={"size": "large"}))

    assert reordered(plain, Rubric(name="r", text="Is it polite?")) is None


def test_filler_stands_around_what_the_chatbot_itself_said_in_its_language():
    russian = TALK.changed(
        messages=(*TALK.messages, message("chatbot", "Спасибо, это всё, что я могу для вас сделать."))
    )
    given = TALK.changed(case=TALK.case.changed(history=TALK.messages[:2]))

    texts = [each.text for each in (padded(TALK) or TALK).messages]
    own = [each.text for each in (padded(given) or given).messages]

    assert OWN[1] in texts[1]
    assert len(texts[1]) > 150
    assert (texts[0], texts[2]) == (TALK.messages[0].text, TALK.messages[2].text)
    assert own[1] == OWN[1], "it was said before the conversation"
    assert (
        "Спасибо за ваше сообщение" in (padded(russian.changed(messages=russian.messages[4:])) or TALK).messages[0].text
    )
    assert set(_filler()) == {each.code for each in LANGUAGES}


async def test_a_restatement_keeps_every_value():
    said = {"n1": "It comes to $12.50. Is there more?", "n3": "Farewell."}

    found = await restated(TALK, ScriptedModel(answered(**said)))

    assert found is not None
    assert [each.text for each in found.messages if each.role == "chatbot"] == list(said.values())
    assert found.messages[1].tool_calls == TALK.messages[1].tool_calls


@pytest.mark.parametrize(
    "said",
    [
        {"n1": "It comes to $13.50. Is there more?", "n3": "Farewell."},
        {"n1": "It comes to $12.50. Is there more?"},
        {"n1": OWN[1], "n3": OWN[3]},
    ],
    ids=["another amount", "a message left out", "nothing restated"],
)
async def test_another_value_or_a_missing_message_is_no_restatement(said: dict[str, str]):
    with pytest.raises(BadCompletion, match="not restated"):
        await restated(TALK, ScriptedModel(answered(**said)))

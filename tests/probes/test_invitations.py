"""Words that chatbots tell their users to say."""

import re

import pytest

from probed_bots import Bot, Talking
from sparring.app.try_chatbot import Trial
from sparring.probes.acts import asks_to_confirm
from sparring.probes.invitations import Purpose, buttons_in, invitations


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("Name a dish, or say menu to see what we have.", [("menu", Purpose.SHOW)]),
        ("Type CONFIRM to proceed or CANCEL to stop.", [("CONFIRM", Purpose.CONFIRM), ("CANCEL", Purpose.STOP)]),
        ("Reply 1 to confirm, 2 to change it.", [("1", Purpose.CONFIRM), ("2", Purpose.AWAY)]),
        ("Is that correct? (y/n)", [("y", Purpose.CONFIRM), ("n", Purpose.AWAY)]),
        ("Please answer yes or no.", [("yes", Purpose.CONFIRM), ("no", Purpose.AWAY)]),
        ("Say 'done' when you are finished.", [("done", Purpose.DONE)]),
        (
            "You can say track, return or agent.",
            [("track", Purpose.OTHER), ("return", Purpose.OTHER), ("agent", Purpose.AWAY)],
        ),
        (
            "Escriba CONFIRMAR para continuar o CANCELAR para salir.",
            [("CONFIRMAR", Purpose.CONFIRM), ("CANCELAR", Purpose.STOP)],
        ),
        ("Antworten Sie mit JA oder NEIN.", [("JA", Purpose.CONFIRM), ("NEIN", Purpose.AWAY)]),
        ("Schreiben Sie „Menü“, um unser Angebot zu sehen.", [("Menü", Purpose.SHOW)]),
    ],
)
def test_a_word_to_say_is_found_with_its_purpose(reply: str, expected: list[tuple[str, Purpose]]):
    assert [(each.said, each.purpose) for each in invitations(reply)] == expected


@pytest.mark.parametrize(
    "reply", ["Type your name.", "Please enter your order number.", "We say what we do.", "Use the postcode."]
)
def test_a_request_for_a_fact_names_no_word_to_say(reply: str):
    assert invitations(reply) == ()


def test_a_word_that_confirms_asks_to_confirm():
    assert asks_to_confirm("One small salad, €5. Type CONFIRM to order.")
    assert not asks_to_confirm("Type MENU to see the menu.")


def test_labels_in_brackets_are_buttons_unless_they_are_a_link_or_alone():
    assert buttons_in("Which size? [Small] [Large]") == ("Small", "Large")
    assert buttons_in("See [our terms](https://example.com) and [prices](https://example.com)") == ()
    assert buttons_in("Shall I? [y/n]") == ()


class Kiosk(Bot):
    """Understands dishes, sizes and the words that it names itself; the greeting offers neither."""

    dishes = ("lasagne", "salad", "soup")

    def __init__(self, *faults: str) -> None:
        super().__init__(*faults)
        self.dish = self.size = ""
        self.done = False

    def summary(self) -> str:
        price = {"small": 5, "large": 7}[self.size]
        return f"One {self.size} {self.dish}, €{price}.00. Type CONFIRM to order or CANCEL to stop."

    def reply(self, text: str) -> str:
        said = text.casefold()
        dish = next((each for each in reversed(self.dishes) if each in said.split(" instead")[0]), "")
        size = next((each for each in ("small", "large") if each in said.split(" instead")[0]), "")
        if "menu" in said:
            return "We have lasagne, salad and soup. What would you like?"
        if "cancel" in said and self.dish and not self.done:
            if self.has("cancel") and self.size:
                return self.summary()
            self.__init__(*self.faults)  # type: ignore[misc]
            return "Cancelled, nothing was ordered."
        if said == "confirm" and self.size and not self.done:
            self.done = True
            return f"Ordered: one {self.size} {self.dish}. Your number is K{4200 + len(self.dish)}."
        if self.done or not (dish or self.dish):
            return "I take lunch orders. Name a dish, or say menu to see what we have."
        self.dish = dish or self.dish
        if dish and self.size and self.has("resets"):
            self.size = "large" if self.size == "small" else "small"
        if size and not (self.size and self.has("deaf")):
            self.size = size
        return self.summary() if self.size else f"Which size for the {self.dish}: small or large?"


async def _kinds(*faults: str) -> set[str]:
    result = await Trial(Talking(Kiosk, *faults)).run()
    assert "cancel" not in result.missed, "the walk reached the word to confirm"
    return {each.found.kind for each in result.tried if each.certain}


@pytest.mark.slow
async def test_a_chatbot_that_says_its_words_is_walked_to_the_end():
    assert await _kinds() == set()


@pytest.mark.slow
@pytest.mark.parametrize(("fault", "kind"), [("cancel", "cancel"), ("deaf", "correction"), ("resets", "side-effect")])
async def test_bugs_behind_a_word_to_confirm_are_found(fault: str, kind: str):
    assert await _kinds(fault) - {"kept"} == {kind}


def test_the_kiosk_does_not_understand_other_words():
    assert re.search("Name a dish", Kiosk().reply("I would like to place an order, please."))

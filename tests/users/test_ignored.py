"""Warnings about what a user without a model ignores."""

import pytest

from sparring.core.case import Case, Persona, Style
from sparring.users.agenda import Agenda
from sparring.users.scripted import Scripted

RUDE = Persona(name="rude-user", traits=("you are rude",), styles=(Style(name="long phrases"), Style(name="default")))


@pytest.mark.parametrize(
    ("user", "persona", "told"),
    [
        (Agenda(), RUDE, ("a user without a model ignores the personality rude-user",)),
        (
            Scripted(),
            RUDE,
            (
                "a user without a model ignores the personality rude-user",
                "a scripted user ignores the styles: long phrases",
            ),
        ),
        (Agenda(), Persona(role="you are in a hurry", styles=(Style(name="long phrases"),)), ()),
        (Scripted(), Persona(), ()),
    ],
)
def test_a_personality_and_styles_that_change_nothing_are_told(
    user: Agenda | Scripted, persona: Persona, told: tuple[str, ...]
):
    assert user.warnings(Case(id="a", persona=persona)) == told

"""Warnings about what the user of a case cannot show."""

from scripted import ScriptedModel
from sparring.core.case import Case, ChangeOfMind, Fact, Goal, Persona, Say, Style
from sparring.users.agenda import Agenda
from sparring.users.scripted import Scripted
from sparring.users.simulated import Simulated
from tables import table

UNREAD = "user.unread: has no effect on a user without a model: {!r}"
IDLE = "user.style_idle: the style `{}` has no effect: {}"
RUDE = Persona(name="rude-user", traits=("you are rude",), styles=(Style(name="long phrases"), Style(name="default")))
CHANGING = Persona(styles=(Style(name="change your mind"), Style(name="all questions")))
GOALS = (Goal(text="a small pizza", variables=("size",)), Goal(text="a coke"))


@table(
    ("user", "case", "told"),
    [
        (Agenda(), Case(id="a", persona=RUDE), ()),
        (
            Agenda(),
            Case(id="a", persona=Persona(role="You hate tea. You are in a hurry.", traits=("You own a boat.",))),
            (UNREAD.format("You hate tea."),),
        ),
        (
            Agenda(),
            Case(id="a", facts=(Fact(slot="name", values=("Ann",)),), persona=Persona(role="You are Bob Stone.")),
            ("case.contradiction: the name is 'Ann' (facts), but 'Bob Stone' (role)",),
        ),
        (
            Agenda(),
            Case(id="a", answers={"number": "7", "order number": "8"}),
            ("user.hint_idle: the hint 'order number' has no effect: an earlier one has the same words",),
        ),
        (
            Scripted(),
            Case(id="a", answers={"number": "7"}, script=(Say(text="hi"),)),
            ("user.hint_idle: the hint 'number' has no effect: a script has the words of the user",),
        ),
        (
            Scripted(),
            Case(id="a", persona=RUDE, script=(Say(text="hi"),)),
            (IDLE.format("long phrases", "a script has the words of the user"),),
        ),
        (Agenda(), Case(id="a", persona=Persona(styles=(Style(name="long phrases"),))), ()),
        (Scripted(), Case(id="a"), ()),
        (
            Agenda(),
            Case(id="a", persona=CHANGING, goals=GOALS[:1]),
            (
                IDLE.format("change your mind", "no variable has another value that the user may take"),
                IDLE.format("all questions", "there is no second goal"),
            ),
        ),
        (
            Agenda(),
            Case(
                id="a",
                persona=CHANGING,
                goals=GOALS,
                changes=(ChangeOfMind(variable="size", first="big", final="small"),),
            ),
            (),
        ),
        (
            Agenda(),
            Case(id="a", persona=Persona(styles=(Style(name="change language", languages=("English",)),))),
            (IDLE.format("change language", "English is the language of the user"),),
        ),
        (
            Agenda(),
            Case(id="a", persona=Persona(styles=(Style(name="change language", languages=("Welsh", "Zulu")),))),
            (
                "user.language_unspoken: there are no phrases in Welsh: a user without a model never changes to it",
                "user.language_unspoken: there are no phrases in Zulu: a user without a model never changes to it",
                IDLE.format("change language", "there are no phrases in Welsh or Zulu"),
            ),
        ),
        (
            Simulated(ScriptedModel()),
            Case(id="a", persona=CHANGING.changed(language="Welsh"), goals=GOALS),
            (IDLE.format("change your mind", "no variable has another value that the user may take"),),
        ),
    ],
)
def test_keys_without_effect_in_a_case_are_reported(
    user: Agenda | Scripted | Simulated, case: Case, told: tuple[str, ...]
):
    assert user.warnings(case) == told

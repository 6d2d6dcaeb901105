"""Changes of mind, drawn when cases are made."""

from collections.abc import Callable

import pytest
from pydantic import JsonValue

from sparring import parsing
from sparring.core.case import Case, ChangeOfMind, Goal, GoalAnswer, Persona, Say, Style
from sparring.scenarios import scenario_files
from sparring.scenarios.changes_of_mind import with_changes
from sparring.scenarios.expansion import Expansion, LoadOptions
from sparring.scenarios.kinds import scenario_kind
from sparring.scenarios.variables import Variable
from tables import table

STYLE = Style(name="change your mind")
SIZES = Variable("size", ("small", "medium", "big"))


def pizza(seed: int = 0, *, mode: str = "", goals: tuple[Goal, ...] = (), **changes: object) -> Case:
    style = Style.model_validate({"name": "change your mind", "mode": mode})
    wishes = goals or (Goal(text="a small pizza", variables=("size",)), Goal(text="do you deliver?"))
    fields = {"variables": {"size": "small"}, "persona": Persona(styles=(style,)), **changes}
    return Case.model_validate({"id": "x", "goals": wishes, "seed": seed, **fields})


def firsts(case: Callable[[int], Case], *variables: Variable, never: tuple[dict[str, JsonValue], ...] = ()) -> set[str]:
    made = [with_changes(case(seed), variables, never) for seed in range(30)]
    return {change.first for each in made for change in each.changes}


def drawn(value: JsonValue, *others: JsonValue, text: str = "{}", **more: JsonValue) -> set[str]:
    goals = (Goal(text=text.format(value), variables=("it",)),)
    declared = (Variable("it", (value, *others)),)
    return firsts(lambda seed: pizza(seed, goals=goals, variables={"it": value, **more}), *declared)


def test_a_change_starts_from_a_declared_value_and_ends_on_that_of_the_case():
    made = [with_changes(pizza(seed), (SIZES,)).changes for seed in range(60)]

    assert {len(changes) for changes in made} == {1}
    assert {(change.variable, change.first, change.final) for (change,) in made} == {
        ("size", "medium", "small"),
        ("size", "big", "small"),
    }
    assert {(change.mode, change.at) for (change,) in made} == {
        (mode, at) for mode in ("for good", "detour") for at in ("echoed", "confirm", "later")
    }


def test_the_same_seed_draws_the_same_change():
    assert with_changes(pizza(3), (SIZES,)) == with_changes(pizza(3), (SIZES,))


@pytest.mark.parametrize("mode", ["for good", "detour"])
def test_a_style_may_name_the_mode(mode: str):
    assert {with_changes(pizza(seed, mode=mode), (SIZES,)).changes[0].mode for seed in range(20)} == {mode}


@pytest.mark.parametrize(
    "case",
    [
        pizza(persona=Persona()),
        pizza(script=(Say(text="a small pizza"),)),
        pizza(changes=(ChangeOfMind(variable="size", first="large", final="small"),)),
    ],
    ids=["another style", "a script", "changes of the author"],
)
def test_nothing_is_drawn_for_cases_without_the_style_or_with_own_words(case: Case):
    assert with_changes(case, (SIZES,)) is case


@table(
    ("value", "others", "expected"),
    [
        (3, (1, 2, 4, 5), {"2", "4"}),
        (1, (2, 3), {"2"}),
        (2.5, (1.5, 5.0), {"1.5", "5.0"}),
        (4, (), {"3", "5"}),
        (1, (), {"2"}),
        ("2026-03-02", ("2026-03-03", "2026-03-04"), {"2026-03-03"}),
        ("2026-03-04", (), set()),
        ("10:30", ("9:00", "12:00"), {"9:00"}),
        (True, (False,), set()),
        (["ham"], ("corn",), {"corn"}),
        (["ham", "corn"], ("olives",), set()),
        ("ORD-17", ("ORD-18",), set()),
        ("ann@example.com", ("bob@example.com",), set()),
        ("light", ("cola light", "cola"), {"cola"}),
        ("a red one", ("one",), set()),
        ("", ("x",), set()),
    ],
)
def test_values_that_a_variable_may_start_from(value: JsonValue, others: tuple[JsonValue, ...], expected: set[str]):
    shown = value[0] if isinstance(value, list) and len(value) == 1 else value
    goals = (Goal(text=f"{shown} of them", variables=("it",)),)

    assert (
        firsts(lambda seed: pizza(seed, goals=goals, variables={"it": value}), Variable("it", (value, *others)))
        == expected
    )


def test_a_number_without_alternatives_is_only_changed_if_it_counts_things():
    assert drawn(4711, text="order {} of March") == set()
    assert drawn(7, text="the room number is {}") == set()


def test_a_value_of_another_variable_is_no_alternative():
    assert drawn("small", "medium", "big", text="a {} pizza", other="Big") == {"medium"}


def test_a_value_in_the_words_of_a_goal_is_no_alternative():
    assert drawn("small", "medium", "big", text="a {} pizza for a big party") == {"medium"}


def test_a_value_that_stands_twice_in_its_goal_or_in_two_goals_is_not_changed():
    assert drawn("2", "3", text="{} pizzas at 2 pm") == set()
    goals = (Goal(text="a small pizza", variables=("size",)), Goal(text="a small salad", variables=("size",)))
    assert firsts(lambda seed: pizza(seed, goals=goals), SIZES) == set()


def test_an_excluded_combination_does_not_occur_on_the_way():
    case = pizza(variables={"size": "small", "crust": "thin"})

    assert firsts(
        lambda seed: case.changed(seed=seed),
        SIZES,
        Variable("crust", ("thin",)),
        never=({"size": "big", "crust": "thin"},),
    ) == {"medium"}


def test_a_value_that_the_author_expects_or_forbids_is_no_alternative():
    answered = (Goal(text="a small pizza", variables=("size",), answer=(GoalAnswer(text="medium costs 5"),)),)
    forbidden = (Goal(text="a small pizza", variables=("size",), never=("(?i)big",)),)

    assert firsts(lambda seed: pizza(seed, goals=answered), SIZES) == {"big"}
    assert firsts(lambda seed: pizza(seed, goals=forbidden), SIZES) == {"medium"}


def test_a_hidden_variable_is_not_changed():
    assert firsts(lambda seed: pizza(seed, unspoken=("size",)), SIZES) == set()


def test_a_variable_that_is_only_said_when_asked_for_may_change_if_none_of_a_goal_can():
    goals = (Goal(text="book a room"),)
    declared = (Variable("nights", (2, 3)), SIZES)

    made = [with_changes(pizza(seed, goals=goals, variables={"nights": 2}), declared) for seed in range(20)]
    both = [with_changes(pizza(seed, variables={"nights": 2, "size": "small"}), declared) for seed in range(20)]

    assert {change.variable for each in made for change in each.changes} == {"nights"}
    assert {change.variable for each in both for change in each.changes} == {"size"}


def test_alternatives_of_a_goal_are_enough_for_a_case_of_a_program():
    goals = (Goal(text="a small pizza", variables=("size",), others={"size": ("big",)}),)

    assert with_changes(pizza(goals=goals)).changes[0].first == "big"


SCENARIO = """
goals: ["{{count}} tickets for {{day}}", "do you have parking?"]
variables:
  count: {function: random(), type: int, data: {min: 1, max: 4, step: 1}}
  day: [Monday, Tuesday]
number: 40
user: {styles: [change your mind: for good]}
"""


def test_a_scenario_file_draws_a_change_for_every_conversation(terms: LoadOptions):
    cases = scenario_files.cases(parsing.parse(SCENARIO, "tickets.yaml"), terms).cases

    assert len({case.changes for case in cases}) > 10
    assert all(str(case.variables[change.variable]) == change.final for case in cases for change in case.changes)
    assert {change.mode for case in cases for change in case.changes} == {"for good"}


PROFILE = """
test_name: t
user:
  role: a guest
  goals:
    - a {{size}} pizza
    - size: {function: another(), type: string, data: [small, big]}
chatbot: {}
conversation: {number: 4, interaction_style: [change your mind]}
"""


def test_a_profile_draws_a_change_for_every_conversation(profile: Callable[..., Expansion]):
    cases = profile(PROFILE).cases

    assert [(change.first, change.final) for case in cases for change in case.changes] == [
        ("small" if case.variables["size"] == "big" else "big", case.variables["size"]) for case in cases
    ]


def test_what_a_webhook_knows_replaces_a_change():
    case = with_changes(pizza(), (SIZES,))

    assert scenario_kind("scenario").informed(case, {"size": "large"}).changes == ()
    assert scenario_kind("scenario").informed(case, {"name": "Ann"}).changes == case.changes

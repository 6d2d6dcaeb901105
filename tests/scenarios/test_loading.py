"""Files and folders of any kind."""

from pathlib import Path

import pytest

from sparring.core.case import Limits
from sparring.core.errors import InputError
from sparring.scenarios.external_values import ExternalValues, ModelValues
from sparring.scenarios.kinds import OTHER_KEYS
from sparring.scenarios.loading import check, load, load_with_samples

PROFILE = "llm: {model: m, temperature: 0.5}\nuser: {role: r, goals: [hello]}\nconversation: {number: 2}\n"
ASKING = "{goals: ['a {{fruit}}'], variables: {fruit: [apple, any(fruit)]}}"
CALLS = '[{"name": "a", "variables": {"ORDER_GOAL": "milk", "SEED": 1}}]'


def write(folder: Path, **files: str) -> Path:
    """A folder with these files; `__` in a name stands for a dot, and `_in_` for a folder."""
    for name, text in files.items():
        path = folder / name.replace("__", ".").replace("_in_", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def complaints(*sources: Path) -> list[str]:
    with pytest.raises(InputError) as caught:
        load(sources, seed=7)
    return [str(problem) for problem in caught.value.problems]


def test_files_and_folders_of_all_kinds_are_expanded_in_order(tmp_path: Path):
    write(tmp_path, b__yml=PROFILE, a_in_b__yaml=PROFILE, calls__json=CALLS)

    found = load([tmp_path / "calls.json", tmp_path], seed=7)

    assert [(case.id, case.seed) for case in found.cases] == [
        ("calls/a", 1),
        ("b/1", 7),
        ("b/2", 7),
        ("b/1~2", 7),
        ("b/2~2", 7),
    ]
    assert (found.model, found.temperature) == ("openai:m", 0.5)


def test_profiles_that_want_different_models_want_none(tmp_path: Path):
    write(tmp_path, a__yml=PROFILE, b__yml=PROFILE.replace("model: m", "model: n"))

    assert load([tmp_path], seed=7).model == ""


def test_a_folder_may_hold_other_things_beside_scenarios(tmp_path: Path):
    write(
        tmp_path,
        a__yml=PROFILE,
        rule__yml="name: r\noracle: 'True'",
        rude__yml="context: [x]",
        bot__yaml="url: http://localhost",
        sparring__yaml="seed: 3",
        notes__txt="x",
    )
    write(tmp_path / ".hidden", broken__yml="[")

    assert len(load([tmp_path], seed=7).cases) == 2


def test_budgets_add_up_where_all_profiles_have_one(tmp_path: Path):
    budget = PROFILE.replace("number: 2", "number: 2, max_cost: 0.5")
    write(tmp_path, a_in_a__yml=budget, a_in_b__yml=budget, b_in_a__yml=PROFILE)

    assert [load([tmp_path / "a"], seed=7).max_cost, load([tmp_path], seed=7).max_cost] == [1.0, None]


def test_limits_hold_where_a_scenario_sets_none(tmp_path: Path):
    write(tmp_path, a__yml=PROFILE)

    assert load([tmp_path], seed=7, limits=Limits(turns=3)).cases[0].limits == Limits(turns=3)


def test_problems_of_all_files_are_reported_together(tmp_path: Path):
    write(
        tmp_path, a__yml="user: 1\nchatbot: {}", b__yml="[", c__json="{", d__yml="name: x", rule__yml="oracle: 'True'"
    )
    write(tmp_path, empty_in_x__txt="")

    assert complaints(tmp_path, tmp_path / "rule.yml", tmp_path / "empty", tmp_path / "rul.yml", tmp_path / "zzz") == [
        f"{tmp_path}/a.yml:1:7: user: should be a mapping, not a number",
        f"{tmp_path}/b.yml:1:2: is not YAML: expected the node content, but found '<stream end>'",
        f"{tmp_path}/c.json:1:2: is not JSON: expecting property name enclosed in double quotes",
        f"{tmp_path}/d.yml:1:1: this is not a scenario of any known kind (a playbook has steps or cases,"
        " a scenario has goals or a script at its top, a policy has the keys policy and limits,"
        " a profile has a user with goals)",
        f"{tmp_path}/rule.yml:1:1: this is a rule, not a scenario, to be given with --rules",
        f"{tmp_path}/empty: there is no scenario in this folder",
        f"{tmp_path}/rul.yml: there is no such file or folder (did you mean 'rule.yml'?)",
        f"{tmp_path}/zzz: there is no such file or folder",
    ]


def test_a_link_that_leads_nowhere_is_a_problem(tmp_path: Path):
    for name, target in {"loop.yml": "loop.yml", "gone.yml": "nothing.yml"}.items():
        (tmp_path / name).symlink_to(target)

    assert complaints(tmp_path / "loop.yml", tmp_path / "gone.yml", tmp_path) == [
        f"{tmp_path}/loop.yml: is a broken link",
        f"{tmp_path}/gone.yml: is a broken link",
        f"{tmp_path}: there is no scenario in this folder",
    ]


def test_a_name_that_is_too_long_for_a_file_is_a_problem(tmp_path: Path):
    assert complaints(tmp_path / ("x" * 5000))[0].endswith("xxx: there is no such file or folder")


def test_checking_names_the_kind_of_every_file_and_calls_no_model(tmp_path: Path):
    write(tmp_path, a__yml=PROFILE, b__yaml=ASKING, c__json=CALLS, d__yml="goals: 3", rude__yml="context: [x]")

    found = [
        (each.path.name, each.kind, len(each.cases), len(each.problems)) for each in check([tmp_path, tmp_path / "x"])
    ]

    assert found == [
        ("a.yml", "profile", 2, 0),
        ("b.yaml", "scenario", 2, 0),
        ("c.json", "scenarios", 1, 0),
        ("d.yml", "scenario", 0, 1),
        ("x", "", 0, 1),
    ]


def test_a_json_schema_that_lies_among_scenarios_is_none(tmp_path: Path):
    schema = '{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object"}'
    write(tmp_path, a__yml=PROFILE, scenario__json=schema)

    assert len(load([tmp_path], seed=7).cases) == 2
    assert complaints(tmp_path / "scenario.json")[0].endswith("this is a JSON Schema, not a scenario")


@pytest.mark.parametrize(("kind", "key"), [(kind, key) for kind, keys in OTHER_KEYS.items() for key in sorted(keys)])
def test_a_file_of_another_kind_that_lies_among_scenarios_is_none(tmp_path: Path, kind: str, key: str):
    write(tmp_path, a__yml=PROFILE, other__yml=f"name: other\n{key}: x\n")

    assert len(load([tmp_path], seed=7).cases) == 2
    assert f"this is a {kind}, not a scenario" in complaints(tmp_path / "other.yml")[0]


def test_values_to_be_generated_are_refused_without_a_model(tmp_path: Path):
    write(tmp_path, b__yaml=ASKING)

    _, wishes = load_with_samples([tmp_path], seed=7)
    ideas = ExternalValues(make_up=dict.fromkeys(wishes, ("pear", "apple", "fig")).__getitem__)
    found = load([tmp_path], seed=7, outside=ideas)

    assert wishes == [ModelValues("fruit", "", ("apple",))]
    assert [case.goals[0].text for case in found.cases] == ["a apple", "a pear", "a fig"]
    assert complaints(tmp_path) == [
        f"{tmp_path}/b.yaml:1:53: variables.fruit[1]: any() needs a model to generate values:"
        " choose one, or list the values"
    ]


def test_a_file_that_is_named_twice_is_expanded_once(tmp_path: Path):
    write(tmp_path, a__yml=PROFILE)

    assert len(load([tmp_path, tmp_path / "a.yml", tmp_path], seed=7).cases) == 2

from pathlib import Path

import pytest

from sparring.core.checks import Rubric, Scale
from sparring.core.errors import InputError
from sparring.judges.rubric_files import PROMPT, built_in, find_rubric, read_rubric, read_rubrics


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def wrong(path: Path) -> list[str]:
    """What is wrong with a rubric, without the name of its file."""
    with pytest.raises(InputError) as raised:
        read_rubric(path)
    return [str(problem).removeprefix(str(path)).lstrip(":") for problem in raised.value.problems]


def test_markdown_says_how_to_score_at_its_top_and_what_to_judge_below(tmp_path: Path):
    path = written(
        tmp_path,
        "polite.md",
        "---\nscale: 1-5\npass: 4\nlanguage: Russian\nshown: [goals, tools, goals]\n---\n\nIs it polite?\n",
    )

    assert read_rubric(path) == Rubric(
        name="polite",
        text="Is it polite?",
        scale=Scale(worst=1, best=5),
        pass_mark=4,
        language="Russian",
        shown=("goals", "tools"),
        prompt=PROMPT,
    )


def test_markdown_alone_is_a_rubric_of_three_scores(tmp_path: Path):
    rubric = read_rubric(written(tmp_path, "polite.md", "# Is it polite?\n\n---\n\nReally?\n"))

    assert (rubric.text, str(rubric.scale), rubric.pass_mark) == ("# Is it polite?\n\n---\n\nReally?", "1-3", 2)


def test_yaml_holds_the_criteria_too(tmp_path: Path):
    rubric = read_rubric(written(tmp_path, "a.yaml", "name: polite\nscale: 0-1\ncriteria: Is it polite?\n"))

    assert (rubric.name, rubric.text, rubric.pass_mark) == ("polite", "Is it polite?", 1)


def test_all_problems_are_reported_at_once_with_their_places(tmp_path: Path):
    text = "---\nscale: 3-1\npss: 2\nlanguage: ''\nshown: [goal]\nprompt: 3\n---\nIs it polite?\n"

    assert wrong(written(tmp_path, "a.md", text)) == [
        "2:8: scale: should go up, from the worst score to the best, and no higher than 100",
        "3:1: pss: unknown key (did you mean 'pass'?)",
        "4:11: language: String should have at least 1 character",
        "5:9: shown[0]: should be 'goals', 'variables', 'tools', 'results', 'outputs' or 'ending' "
        "(did you mean 'goals'?)",
        "6:9: prompt: should be text, not a number",
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("---\nscale: 1-3\n", "1:1: the --- that begins here is never closed"),
        ("---\nscale: 1-3\n---\n\n", "2:1: there is nothing to judge"),
        ("---\nscale: 1-3\npass: 1\n---\nA\n", "3:7: pass: on a scale of 1-3 this lets everything or nothing pass"),
        ("---\nscale: 1-3\npass: 4\n---\nA\n", "3:7: pass: on a scale of 1-3 this lets everything or nothing pass"),
        ("---\nscale: good\n---\nA\n", "2:8: scale: should be written as in 1-3"),
        ("---\ncriteria: A\n---\nA\n", "2:1: criteria: the criteria are below already"),
        ("---\nprompt: no.md\n---\nA\n", "2:9: prompt: there is no such file"),
        ("---\nprompt: ../a.md\n---\nA\n", "2:9: prompt: should be a path in the folder of this file"),
        ("---\nprompt: /etc/passwd\n---\nA\n", "2:9: prompt: should be a path in the folder of this file"),
        ("---\nscale: [\n---\nA\n", "is not YAML"),
    ],
)
def test_an_unusable_rubric_is_refused(tmp_path: Path, text: str, problem: str):
    assert problem in wrong(written(tmp_path, "a.md", text))[0]


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path):
    written(tmp_path, "secret.md", "{{rubric}} {{delimiter}}")
    path = written(tmp_path, "rubrics/a.md", "---\nprompt: own.md\n---\nA\n")
    (tmp_path / "rubrics" / "own.md").symlink_to(tmp_path / "secret.md")

    assert wrong(path) == ["2:9: prompt: should be a path in the folder of this file"]


def test_a_custom_prompt_has_to_name_the_required_placeholders(tmp_path: Path):
    written(tmp_path, "own.md", "Judge by {{rubrik}}.")
    path = written(tmp_path, "a.md", "---\nprompt: own.md\n---\nA\n")

    with pytest.raises(InputError) as raised:
        read_rubric(path)

    assert [problem.message for problem in raised.value.problems] == [
        "{{rubric}} is missing",
        "{{delimiter}} is missing",
        "nothing is called {{rubrik}}",
    ]


def test_the_prompt_is_part_of_what_is_hashed(tmp_path: Path):
    written(tmp_path, "own.md", "{{rubric}} {{delimiter}}")
    plain, own = (
        read_rubric(written(tmp_path, "a.md", f"---\nscale: 1-3\n{line}---\nA\n")) for line in ("", "prompt: own.md\n")
    )

    assert (plain.prompt, own.prompt) == (PROMPT, "{{rubric}} {{delimiter}}")
    assert plain.hash != own.hash
    assert plain.hash == read_rubric(written(tmp_path, "a.md", "---\nscale: 1-3\n---\nA\n")).hash


def test_bundled_rubrics_are_found_by_name():
    rubrics = {name: find_rubric(name) for name in built_in()}

    assert {name: (each.name, str(each.scale), each.language) for name, each in rubrics.items()} == {
        "general": ("general", "1-3", "English"),
        "order": ("order", "1-3", "Russian"),
    }


def test_problems_of_all_rubrics_are_reported_together(tmp_path: Path):
    one = written(tmp_path, "one.md", "---\nname: same\n---\nA\n")
    other = written(tmp_path, "other.md", "---\nname: same\n---\nB\n")

    with pytest.raises(InputError) as raised:
        read_rubrics([str(one), str(other), "genral", "no.md"], prompt=tmp_path / "no-prompt.md")

    assert [str(problem) for problem in raised.value.problems] == [
        f"{tmp_path}/no-prompt.md: there is no such file",
        f"{other}: another rubric is called 'same' too",
        "genral: there is no such rubric (did you mean 'general'?)",
        "no.md: there is no such file",
    ]

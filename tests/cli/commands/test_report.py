import json
from pathlib import Path
from xml.etree import ElementTree as xml

import pytest

from command_line import Sparring

ORDER = "user: a hungry customer\ngoals: ['a small custom pizza with ham']\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "order.yml").write_text(ORDER)
    (tmp_path / "sparring.yaml").write_text("chatbot: pizzeria\nmodel: offline\n")
    (tmp_path / "rude.py").write_text("def reply(messages, variables):\n    return '::error::forged'\n")
    return tmp_path


@pytest.mark.slow
def test_a_batch_is_written_into_files(inside: Sparring, project: Path):
    inside("run", "order.yml")

    done = inside("report", "--md", "out/r.md", "--json", "out/r.json", "--junit", "out/r.xml", "--html", "out/r.html")

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("PASSED: the only one passed, so at least 2 % of cases like these pass")
    assert "<b>PASSED:</b> the only one passed" in (project / "out/r.html").read_text()
    assert (project / "out/r.md").read_text().startswith("## ")
    assert json.loads((project / "out/r.json").read_text())["stored"] == 1
    assert xml.parse(project / "out/r.xml").getroot().get("tests") == "1"


@pytest.mark.slow
def test_a_batch_that_nothing_but_the_checklist_looked_at_says_so(inside: Sparring, project: Path):
    (project / "rules.yml").write_text("name: short\nthen: turns() < 12\n")
    inside("run", "order.yml", "--name", "words")
    inside("run", "order.yml", "--name", "ruled", "--rules", "rules.yml")

    words, ruled = inside("report", "words").stdout, inside("report", "ruled").stdout

    assert words.endswith("of cases like these pass; going by the words alone\n")
    assert ruled.endswith("of cases like these pass\n")


def test_the_combinations_of_a_scenario_can_be_its_repeats(inside: Sparring, project: Path):
    (project / "order.yml").write_text(ORDER.replace("small", "{{size}}") + "variables: {size: [small, big]}\n")
    inside("run", "order.yml")

    told = json.loads(inside("report", "--unit", "scenario", "--json").stdout)["statistics"]

    assert (told["unit"], told["cases"], told["repeats"]) == ("scenario", 1, 2)


def test_a_run_adds_a_summary_for_github(inside: Sparring, project: Path):
    env = {"GITHUB_STEP_SUMMARY": str(project / "summary.md")}

    done = inside("run", "order.yml", "--chatbot", "python:rude:reply", "--junit", "r.xml", "--github", env=env)

    commands = [line for line in done.stdout.splitlines() if line.lstrip().startswith("::")]
    assert [command.partition("::1 failed: order/1, turn 7")[0] for command in commands] == [
        "::notice title=pass rate::passed 0 %25 (0 of 1 case): 0–98 %25 for these cases and cases like these",
        "::error title=Not done%3A a small custom pizza with ham",
    ], done.stdout
    assert "| failed | 1 |" in (project / "summary.md").read_text()
    assert xml.parse(project / "r.xml").getroot().get("failures") == "1"


@pytest.mark.slow
def test_a_folder_that_cannot_be_made_is_an_error(inside: Sparring, project: Path):
    inside("run", "order.yml")

    done = inside("report", "--md", "order.yml/r.md")

    assert (done.returncode, "order.yml/r.md: cannot be written" in done.stderr) == (2, True)


@pytest.mark.slow
def test_two_hundred_conversations_are_all_in_a_file_that_can_be_sent(inside: Sparring, project: Path):
    inside("run", "order.yml", "--repeat", "200", "--concurrency", "64")

    done = inside("report", "--all", "--output", "r.html")

    page = (project / "r.html").read_text()
    print(f"{len(page.encode()):,} bytes")  # noqa: T201
    assert done.returncode == 0, done.stderr
    assert page.count('<div class="columns" id="c') == 200
    assert len(page.encode()) < 5_000_000

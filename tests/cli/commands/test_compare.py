import json
from collections.abc import Callable
from pathlib import Path

import pytest

from command_line import Sparring

pytestmark = pytest.mark.slow  # its tests play batches


def test_a_batch_is_compared_with_itself(inside: Sparring, tmp_path: Path):
    (tmp_path / "order.yml").write_text("user: a hungry customer\ngoals: ['a small custom pizza with ham']\n")
    for name in ("before", "after"):
        inside("run", "order.yml", "--chatbot", "pizzeria", "--model", "offline", "--name", name)

    done = inside("compare", "before", "after")

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("NO SIGNIFICANT CHANGE on this case: 0 points")


def test_a_chatbot_that_got_worse_is_reported(inside: Sparring, tmp_path: Path):
    for number in range(6):
        (tmp_path / f"order{number}.yml").write_text(
            "user: a hungry customer\ngoals: ['a small custom pizza with ham']\n"
        )
    files = [f"order{number}.yml" for number in range(6)]
    inside("run", *files, "--chatbot", "pizzeria", "--model", "offline", "--name", "before")
    (tmp_path / "mute.py").write_text("def reply(messages, variables):\n    return 'Well.'\n")
    inside("run", *files, "--chatbot", "python:mute:reply", "--model", "offline", "--name", "after")

    done = inside("compare", "before", "after", "--show", "1")

    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("WORSE on these cases: 100 points fewer pass [8–100], 100 % → 0 %; ")
    assert done.stdout.splitlines()[1].startswith("  p = .031 · cases like these −100 ")
    assert "chatbot: pizzeria before, python:mute:reply after" in done.stdout
    assert "+   | Well." in done.stdout


def test_a_comparison_is_json(inside: Sparring, tmp_path: Path):
    (tmp_path / "order.yml").write_text("user: a hungry customer\ngoals: ['a small custom pizza with ham']\n")
    inside("run", "order.yml", "--chatbot", "pizzeria", "--model", "offline", "--name", "before")

    compared = json.loads(inside("compare", "before", "latest", "--json").stdout)

    assert compared["before"]["intervals"]["like_these"]["claim"] == "like these"
    assert {"p", "adjusted_p", "direction"} <= compared["changes"].keys()
    assert compared["pairs"] == {"passed": 1, "failed": 0, "better": 0, "worse": 0, "undecided": 0}


def test_batches_without_a_case_in_common_cannot_be_compared(inside: Sparring, tmp_path: Path):
    for name, size in (("one", "small"), ("other", "big")):
        (tmp_path / f"{name}.yml").write_text(f"user: a hungry customer\ngoals: ['a {size} custom pizza with ham']\n")
        inside("run", f"{name}.yml", "--chatbot", "pizzeria", "--model", "offline", "--name", name)

    done = inside("compare", "one", "other")

    assert (done.returncode, done.stdout.splitlines()[0]) == (
        3,
        "NOTHING TO COMPARE: no case was decided in both batches",
    )


def test_a_rule_over_pairs_that_is_violated_now_is_chance_until_replays_confirm_it(inside: Sparring, tmp_path: Path):
    (tmp_path / "order.yml").write_text(
        "user: a hungry customer\ngoals: ['a {{size}} custom pizza with ham']\nvariables:\n  size: [small, big]\n"
    )
    (tmp_path / "rule.yml").write_text(
        "name: all_are_greeted_alike\nconversations: 2\n"
        "then: conv[0].chatbot_phrases[0] == conv[1].chatbot_phrases[0]\n"
    )
    (tmp_path / "bots.py").write_text(
        "def alike(messages, variables):\n    return 'Well.'\n\n\n"
        "def unlike(messages, variables):\n    return variables['size']\n"
    )
    for name in ("alike", "unlike"):
        chosen = ("--chatbot", f"python:bots:{name}", "--model", "offline", "--rules", "rule.yml")
        inside("run", "order.yml", *chosen, "--name", name)

    seen = inside("compare", "alike", "unlike")
    few = inside("compare", "alike", "unlike", "--confirm", "3")
    confirmed = inside("compare", "alike", "unlike", "--confirm", "5")
    later = inside("compare", "alike", "unlike")

    assert seen.returncode != 1, seen.stderr
    assert "all_are_greeted_alike: held, now violated in 2 of 2 pairs (100 %; cases like these " in seen.stdout
    assert "no significant change; confirm with --confirm 4" in seen.stdout
    assert few.returncode == 2
    assert confirmed.returncode == 1, confirmed.stderr
    assert "replaying 2 conversations, 5 times with each chatbot: 20 in all" in confirmed.stderr
    assert "all_are_greeted_alike: BROKEN: held, now violated in 2 of 2 pairs" in confirmed.stdout
    assert (later.returncode, "both chatbots repeat themselves" in later.stdout) == (1, True)


def test_a_rule_that_a_flaky_chatbot_violates_is_not_confirmed(inside: Sparring, tmp_path: Path):
    (tmp_path / "order.yml").write_text("user: a hungry customer\nscript: [hi]\nvariables: {n: [1, 2, 3]}\n")
    (tmp_path / "rule.yml").write_text(
        "name: alike\nconversations: 2\nthen: conv[0].chatbot_phrases[0] == conv[1].chatbot_phrases[0]\n"
    )
    (tmp_path / "bot.py").write_text(
        "from pathlib import Path\n\ncount = Path('count')\n\n\ndef reply(messages, variables):\n"
        "    n = int(count.read_text()) + 1 if count.exists() else 1\n    count.write_text(str(n))\n"
        "    return 'Hello.' if n <= 3 or n % 2 else 'Hi.'\n"
    )
    for name in ("before", "after"):
        chosen = ("--chatbot", "python:bot:reply", "--model", "offline", "--rules", "rule.yml", "--concurrency", "1")
        inside("run", "order.yml", *chosen, "--name", name)

    done = inside("compare", "before", "after", "--confirm", "4")

    assert done.returncode != 1, done.stdout + done.stderr
    assert "alike: held, now violated in" in done.stdout


FLAKY = """\
from pathlib import Path
from random import Random

chances = Random(7)


def reply(messages, variables):
    if chances.random() < float(Path("crash").read_text()):
        raise RuntimeError("down")
    return "Yes." if chances.random() < float(Path("rate").read_text()) else "No."
"""


@pytest.fixture
def flaky(inside: Sparring, tmp_path: Path) -> Callable[..., None]:
    """Run cases with repeats against a chatbot that passes, or crashes, with some chance."""
    (tmp_path / "wavering.py").write_text(FLAKY)

    def play(name: str, cases: int, repeats: int, rate: float, crash: float = 0) -> None:
        (tmp_path / "rate").write_text(str(rate))
        (tmp_path / "crash").write_text(str(crash))
        (tmp_path / "cases.yml").write_text(
            f"user: a customer\nscript: [hi]\nvariables: {{n: {list(range(cases))}}}\n"
            "expect: [\"chatbot_phrases[0] == 'Yes.'\"]\n"
        )
        chosen = ("--chatbot", "python:wavering:reply", "--model", "offline", "--concurrency", "1", "--no-null-bots")
        inside("run", "cases.yml", *chosen, "--repeat", str(repeats), "--name", name)

    return play


def test_five_cases_of_forty_repeats_that_fall_are_worse(inside: Sparring, flaky: Callable[..., None]):
    flaky("before", 5, 40, 0.95)
    flaky("after", 5, 40, 0.38)

    done = inside("compare", "before", "after")

    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("WORSE on these 5 cases: ")
    assert "5 cases cannot tell about cases like these (at least 6)" in done.stdout.splitlines()[1]


def test_the_same_flaky_chatbot_is_not_worse_but_a_margin_may_not_be_excluded(
    inside: Sparring, flaky: Callable[..., None]
):
    flaky("before", 10, 4, 0.8)
    flaky("after", 10, 4, 0.8)

    done, wide, narrow = (inside("compare", "before", "after", *more) for more in ((), WIDE, NARROW))

    assert (done.returncode, wide.returncode, narrow.returncode) == (0, 0, 4)
    assert "would be noticed in about 4 of 5 such comparisons" in done.stdout.splitlines()[0]
    assert narrow.stdout.rstrip().endswith("a fall of 1 point is not excluded on these cases")


WIDE, NARROW = ("--margin", "0.9"), ("--margin", "0.01")


def test_crashes_are_worse_also_where_they_are_left_undecided(
    inside: Sparring, flaky: Callable[..., None], tmp_path: Path
):
    (tmp_path / "sparring.yaml").write_text("crash: undecided\n")
    flaky("before", 20, 1, 1)
    flaky("after", 20, 1, 1, crash=0.8)

    done = inside("compare", "before", "after")

    assert done.returncode == 1, done.stdout
    assert done.stdout.startswith("WORSE on these cases: crashes +")

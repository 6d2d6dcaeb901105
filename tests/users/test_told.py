"""What a model that plays the user is told, in every case that is shipped or published."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import sparring
import sparring_bots
from sparring.core.case import Case
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError
from sparring.extraction.goals import texts
from sparring.extraction.pattern_extractor import PatternReader
from sparring.extraction.role_sheet import role_sheet
from sparring.extraction.tokens import fold
from sparring.scenarios import loading
from sparring.users.simulated import drawn_delivery, note
from sparring.users.simulated_prompt import system_prompt

ROOT = Path(__file__).parents[2]
FOLDERS = (ROOT / "examples", Path(sparring.__file__).parent / "cli/templates", Path(sparring_bots.__file__).parent)


def shipped() -> list[Path]:
    found = [
        path for folder in FOLDERS for kind in ("*.yml", "*.yaml", "*.json") for path in sorted(folder.rglob(kind))
    ]
    corpus = os.environ.get("SPARRING_CORPUS")
    return found + sorted(Path(corpus, "profiles").glob("*.y*ml") if corpus else ())


def cases() -> Iterator[Case]:
    for path in shipped():
        try:
            yield from loading.load_with_samples([path], seed=1)[0].cases[:20]
        except InputError:
            continue  # rules, personalities and grammars stand in the same folders


@pytest.fixture(scope="module")
def prompts_of_users() -> list[tuple[Case, str]]:
    return [(case, system_prompt(case)) for case in cases() if not case.lines]


def own_words(case: Case) -> str:
    """What the author wrote for the user, which may have the same words by chance."""
    answers = (hint.says for goal in case.goals for hint in goal.answers)
    goals = (text for goal in case.goals for text in (goal.text, goal.about))
    facts = (value for fact in case.facts for value in fact.values)
    shown = (
        value
        for name, written in case.variables.items()
        if name not in role_sheet(case).hidden
        for value in texts(written)
    )
    return fold(
        "\n".join((case.persona.role, *case.persona.traits, *goals, *answers, *case.answers.values(), *facts, *shown))
    )


def secrets(case: Case) -> Iterator[str]:
    """What only the author knows: outputs, expectations, right answers and hidden values."""
    for output in case.outputs:
        yield from (
            output.name if "_" in output.name else "",
            output.description if len(output.description) > 9 else "",
        )
    for expected in case.expectations:
        yield from (expected.rule.text if hasattr(expected.rule, "text") else str(expected.rule), expected.check)
    for goal in case.goals:
        yield from (*map(str, goal.answer), goal.done, *goal.never)
    yield from case.fallbacks
    yield from (value for name in role_sheet(case).hidden for value in texts(case.variables.get(name)))


def test_no_prompt_of_a_user_has_an_output_an_expectation_or_a_hidden_value(prompts_of_users: list[tuple[Case, str]]):
    assert len(prompts_of_users) > 60
    leaks = [
        (case.id, secret)
        for case, prompt in prompts_of_users
        for secret in secrets(case)
        if len(secret) > 3 and fold(secret) in fold(prompt) and fold(secret) not in own_words(case)
    ]
    assert leaks == []


def test_the_prompt_has_every_goal_in_order(prompts_of_users: list[tuple[Case, str]]):
    for case, prompt in prompts_of_users:
        places = [prompt.find(f"- {goal.text.strip()}") for goal in case.goals]
        assert -1 not in places


async def test_no_note_has_what_only_the_author_knows(prompts_of_users: list[tuple[Case, str]]):
    for case, _ in prompts_of_users[::5]:
        talk = Conversation(case=case, messages=case.history)
        goals = (await PatternReader().read(talk)).goals
        said = fold(note(talk, goals, drawn_delivery(case, 1)))
        assert [
            each for each in secrets(case) if len(each) > 3 and fold(each) in said and fold(each) not in own_words(case)
        ] == []

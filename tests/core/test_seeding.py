import subprocess
import sys
from datetime import UTC, datetime, timedelta
from random import Random

import pytest

from sparring.core.case import Case
from sparring.core.seeding import random_for, repeat_seed, session_id, ulid


def test_the_same_purpose_draws_the_same_and_another_draws_something_else():
    case = Case(id="pizza/1", seed=7)

    assert random_for(case, "user", 1).random() == random_for(case, "user", 1).random()
    assert random_for(case, "user", 1).random() != random_for(case, "user", 2).random()


@pytest.mark.process
def test_chance_does_not_depend_on_the_hash_seed():
    program = (
        "from sparring.core.seeding import *; c = Case(id='a', seed=1);"
        " print(random_for(c, 'x').random(), session_id(c))"
    )

    runs = {
        subprocess.run(
            [sys.executable, "-c", program], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in "123"
    }

    assert len(runs) == 1


def test_sessions_differ_by_seed_and_by_case():
    ids = {session_id(Case(id=name, seed=seed)) for name in ("a", "b") for seed in (1, 2)}

    assert len(ids) == 4


def test_the_first_repeat_keeps_the_seed():
    assert [repeat_seed(7, 1), repeat_seed(7, 2) != 7, repeat_seed(7, 2) == repeat_seed(7, 2)] == [7, True, True]


def test_ulids_sort_by_time():
    start = datetime(2026, 1, 1, tzinfo=UTC)

    ids = [ulid(start + timedelta(milliseconds=i), Random(i)) for i in range(50)]

    assert ids == sorted(ids)
    assert {len(id) for id in ids} == {26}

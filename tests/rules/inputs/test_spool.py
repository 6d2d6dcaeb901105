"""Items of groups, on disk if they are many."""

import random

from sparring.rules.inputs.rows import Spool


def test_groups_come_in_the_order_of_their_first_items_and_items_in_theirs():
    spool = Spool[int]()
    wanted = dict[str, list[int]]()
    chance = random.Random(7)
    for number in range(5000):
        group = f"g{chance.randrange(300)}"
        spool.add(group, number)
        wanted.setdefault(group, []).append(number)

    assert [(group, spool[group]) for group in spool] == list(wanted.items())
    assert (len(spool), "g7" in spool, "g300" in spool) == (len(wanted), True, False)


def test_what_is_beyond_the_memory_lies_in_a_file_that_ends_with_the_spool():
    spool = Spool[bytes]()
    for number in range(60):
        spool.add(str(number % 2), bytes(1_000_000))

    assert [(group, len(spool[group]), len(spool[group][0])) for group in spool] == [
        ("0", 30, 1_000_000),
        ("1", 30, 1_000_000),
    ]

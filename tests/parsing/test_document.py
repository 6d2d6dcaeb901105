from sparring.parsing import KeyPath, parse, written
from tables import table

TEXT = """\
user:
  goals:
    - a phrase
    - size: {function: random()}
empty:
same: &same
  deep: 1
again: *same
"""


@table(
    ("path", "value", "key"),
    [
        ((), (1, 1), (1, 1)),
        (("user",), (2, 3), (1, 1)),
        (("user", "goals", 0), (3, 7), (3, 7)),
        (("user", "goals", 1, "size", "function"), (4, 24), (4, 14)),
        (("empty",), (5, 1), (5, 1)),
        (("again", "deep"), (7, 9), (7, 3)),
        (("user", "missing"), (2, 3), (2, 3)),
        (("user", "goals", 7, "deeper"), (3, 5), (3, 5)),
    ],
)
def test_everything_has_a_place(path: KeyPath, value: tuple[int, int], key: tuple[int, int]):
    document = parse(TEXT)

    assert (document.place(path), document.place(path, key=True)) == (value, key)


def test_a_problem_says_where_what_and_what_was_meant():
    problem = parse(TEXT, "a.yml").problem(("user", "goals", 1, "size", "function"), "unknown", "did you mean x?")

    assert str(problem) == "a.yml:4:24: user.goals[1].size.function: unknown (did you mean x?)"


def test_a_path_is_written_as_people_write_it():
    assert written(("user", "goals", 1, "size")) == "user.goals[1].size"

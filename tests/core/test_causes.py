import pytest

from sparring.core.audit import Blame
from sparring.core.causes import FailureCause, Symptom, cause_id, first_cause, normalised
from tables import table


def cause(subject: str, at: int | None, kind: str = "value") -> FailureCause:
    symptom = Symptom(kind=kind, subject=subject)  # type: ignore[arg-type]
    return FailureCause(
        kind=symptom.kind, subject=subject, at=at, id=cause_id(Blame.CHATBOT, symptom, "other"), blame="chatbot"
    )


def test_the_id_of_a_cause_depends_on_nothing_but_its_key():
    symptom = Symptom(kind="value", subject="price", relation="lower")
    other = symptom.changed(check="another rule", at=7, quote="$10", expected="11", got="10")

    assert cause_id(Blame.CHATBOT, symptom, "other") == cause_id(Blame.CHATBOT, other, "other") == "c-e30216d9e4c7"


@pytest.mark.parametrize("change", [{"kind": "rule"}, {"subject": "size"}, {"relation": "higher"}, {"text": "said"}])
def test_every_part_of_the_key_makes_another_cause(change: dict[str, str]):
    symptom = Symptom(kind="value", subject="price", relation="lower")

    assert cause_id(Blame.CHATBOT, symptom, "other") != cause_id(Blame.CHATBOT, symptom.changed(**change), "other")
    assert cause_id(Blame.CHATBOT, symptom, "other") != cause_id(Blame.CASE, symptom, "other")
    assert cause_id(Blame.CHATBOT, symptom, "other") != cause_id(Blame.CHATBOT, symptom, "first")


def test_the_earliest_example_is_the_cause_and_the_others_are_named():
    late, early, unplaced = cause("price", 5), cause("size", 3), cause("drink", None)

    found = first_cause([unplaced, late, early])

    assert found is not None
    assert (found.subject, found.also) == ("size", (late.id, unplaced.id))


def test_values_come_before_rules_of_the_same_message():
    found = first_cause([cause("polite", 3, "rule"), cause("price", 3)])

    assert found is not None
    assert found.subject == "price"


def test_what_was_left_out_comes_after_what_kept_it_from_being_said():
    label, call = (cause(each, None).changed(relation="missing") for each in ("label", "the call of create_return"))
    goal = cause("how long it takes", None, "goal").changed(relation="missing", got="not asked")

    found = first_cause([goal, label, call])

    assert found is not None
    assert (found.subject, found.also) == ("the call of create_return", (label.id, goal.id))


def test_nothing_has_no_cause():
    assert first_cause([]) is None


@table(
    ("text", "normal"),
    [
        ("Ann Lee's order 4711 costs $12.50", "{{name}}'s order # costs $#"),
        ("see https://shop.example/a/b?c=1 at 10:30", "see <url shop.example> at <time>"),
        ("id 3f2a9c1b and 'two large pizzas'", "id <id> and “…”"),
        ("due on 2026-01-31,   twice", "due on <date>, twice"),
        ("facade and decade stay", "facade and decade stay"),
    ],
)
def test_reasons_lose_what_differs_between_conversations(text: str, normal: str):
    assert normalised(text, {"name": "Ann Lee", "flag": True, "n": 1}) == normal

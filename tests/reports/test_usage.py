from pathlib import Path

import pytest

from sparring.core.batch import Players
from sparring.core.errors import InputError
from sparring.core.usage import ModelCall, Pricing, Usage
from sparring.llm.pricing import rate_of
from sparring.reports.usage import Adding, model_of, read_prices
from sparring.testing.factories import a_batch, a_conversation, a_verdict

PRICED = Usage(calls=2, input_tokens=900, output_tokens=60, cost=0.0012)
UNPRICED = Usage(calls=1, input_tokens=100, output_tokens=10, unknown_costs=1)


def adding(prices: dict[str, Pricing] | None = None) -> Adding:
    """Two conversations: one whose chatbot has a price, and one without a price; the first is judged."""
    batch = a_batch("a", "b")
    found = Adding(batch, prices or {})
    first, second = (a_conversation(case) for case in batch.cases)
    found.add(first, [a_verdict(first.id)])
    found.add(second.model_copy(update={"usage": {"chatbot": UNPRICED}}), [])
    return found


JUDGE = Usage(calls=1, input_tokens=700, output_tokens=40, cost=0.0002)


def test_a_batch_is_added_up_by_role_model_and_conversation_and_the_unknown_is_counted():
    costs = adding().costs(PRICED + UNPRICED + JUDGE)

    assert costs.roles == {"chatbot": PRICED + UNPRICED, "judge": JUDGE}
    assert costs.models == {"grammar": PRICED + UNPRICED, "openai:judge": JUDGE}
    assert costs.conversations == {"a": PRICED + JUDGE, "b": UNPRICED}
    assert (costs.total.calls, costs.total.unknown_costs, costs.unkept) == (4, 1, Usage())
    assert (costs.conversations["b"].known_cost, costs.total.known_cost) == (None, pytest.approx(0.0014))


def test_models_that_a_chatbot_reports_are_counted_by_name_and_priced():
    calls = [
        ModelCall(role="chatbot", turn=1, input_tokens=100, output_tokens=10, model=name) for name in ("gpt-x", "gpt-y")
    ]
    usage = Usage(calls=2, input_tokens=200, output_tokens=20, unknown_costs=2)
    batch = a_batch("a")
    found = Adding(batch, {"gpt-x": Pricing(input=1, output=10)})
    found.add(a_conversation(batch.cases[0]).model_copy(update={"usage": {"chatbot": usage}, "calls": (*calls,)}), [])

    costs = found.costs(usage)

    one = Usage(calls=1, input_tokens=100, output_tokens=10, unknown_costs=1)
    assert costs.models == {"gpt-x": one.changed(cost=0.0002, unknown_costs=0), "gpt-y": one}
    assert costs.roles["chatbot"].cost == pytest.approx(0.0002)


def test_a_broken_off_conversation_costs_without_being_counted():
    broken = Usage(calls=1, input_tokens=5, unknown_tokens=1, unknown_costs=1)

    costs = adding().costs(PRICED + UNPRICED + JUDGE + broken)

    assert (costs.unkept, costs.total.calls) == (broken, 5)


@pytest.mark.parametrize("name", ["openai:judge", "judge"])
def test_prices_of_ones_own_beat_what_was_said(name: str):
    rates = Pricing(input=1, output=10, cached=0.5)

    costs = adding({name: rates}).costs(PRICED + UNPRICED + JUDGE)

    assert costs.models["openai:judge"].cost == pytest.approx((700 * 1 + 40 * 10) / 1e6)
    assert costs.models["grammar"].cost == PRICED.cost
    assert (costs.unkept.calls, costs.unkept.cost) == (0, 0)


def test_a_price_makes_costs_known_except_for_uncounted_calls():
    usage = Usage(calls=3, input_tokens=100, output_tokens=10, cached_tokens=40, unknown_tokens=1, unknown_costs=3)
    batch = a_batch("a")
    found = Adding(batch, {"grammar": Pricing(input=2, output=4)})

    found.add(a_conversation(batch.cases[0]).model_copy(update={"usage": {"chatbot": usage}}), [])

    priced = found.costs(usage).total
    assert (priced.cost, priced.unknown_costs) == (pytest.approx((100 * 2 + 10 * 4) / 1e6), 1)


def test_the_model_of_a_role_is_called_as_it_was_chosen():
    who = Players(chatbot="http:bot.yaml", user="simulated (openai:gpt-4o-mini)", reader="patterns", judge="checklist")

    assert [model_of(who, role) for role in ("chatbot", "user", "reader", "judge", "other")] == [
        "http:bot.yaml",
        "openai:gpt-4o-mini",
        "patterns",
        "checklist",
        "other",
    ]


def test_a_price_file_is_read_and_all_its_problems_are_reported(tmp_path: Path):
    good, bad = tmp_path / "good.yaml", tmp_path / "bad.yaml"
    good.write_text("prices:\n  my-model: {input: 0.1, output: 0.4}\n")
    bad.write_text("prices:\n  a: {input: -1, output: 2}\n  b: {input: 1}\n")

    with pytest.raises(InputError) as raised:
        read_prices(bad)

    assert read_prices(good) == {"my-model": Pricing(input=0.1, output=0.4)}
    assert [problem.line for problem in raised.value.problems] == [2, 3]
    assert read_prices(None) == {}


@pytest.mark.parametrize(
    ("model", "name"),
    [("http://me:8000/v1#m", "m"), ("http://me:8000/v1/#m", "http://me:8000/v1#m"), ("openai:m", "m")],
)
def test_a_price_by_the_model_s_own_name_is_its_price_at_every_address(model: str, name: str):
    rates = Pricing(input=1, output=2)

    assert rate_of({name: rates}, model) is rates
    assert rate_of({"//me:8000/v1#m": rates}, model) is None

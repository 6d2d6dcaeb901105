from sparring.core.checks import Rule
from sparring.rules.evaluate.compiled_rule import CompiledRule, compile_rule
from sparring.rules.explain_plan import explain
from sparring.rules.recording import Recording

PIZZAS = [Recording(str(n), {"size": "small", "toppings": ["ham"] * (n % 2), "price": n % 3}) for n in range(100)]


def explained(**fields: object) -> list[str]:
    compiled = compile_rule(Rule.model_validate({"name": "r", **fields}))
    assert isinstance(compiled, CompiledRule)
    return explain(compiled, PIZZAS)


def test_a_pair_rule_shows_what_becomes_of_each_condition():
    when = "conv[0].size == conv[1].size and conv[0].price != 1"

    assert explained(conversations=2, when=when, then="len(conv[0].toppings) >= len(conv[1].toppings)") == [
        "r: all ordered tuples of 2 different conversations",
        "  collected from each conversation: conv[0].size, conv[0].price, conv[0].toppings",
        "  when  conv[0].size == conv[1].size    [equality]",
        "  when  conv[0].price != 1    [each conversation on its own]",
        "  if    True    [constant]",
        "  then  len(conv[0].toppings) >= len(conv[1].toppings)    [order]",
        "  100 conversations in 4 groups of equal values",
        "  6,700 tuples satisfy the required equalities",
        "  counted without enumerating tuples",
    ]


def test_what_has_to_be_looked_at_is_said():
    python = explained(conversations=2, then="conv[0].price in conv[1].toppings")
    numbers = explained(conversations=2, then="abs(conv[0].price - conv[1].price) < 2")
    circle = "conv[0].price < conv[1].price and conv[1].x < conv[2].x and conv[2].toppings == conv[0].toppings"

    assert python[4:] == [
        "  then  conv[0].price in conv[1].toppings    [evaluated in Python, once for each distinct case]",
        "  100 conversations in 6 groups of equal values",
        "  10,000 tuples satisfy the required equalities",
        "  counted by enumerating candidates, because some conditions are evaluated in Python or as arithmetic",
    ]
    assert "[vectorized arithmetic]" in numbers[4]
    assert explained(conversations=3, then=circle)[-1].endswith("because the comparisons form a cycle")


def test_rules_over_one_and_over_all():
    assert explained(then="price > 1 and tone(size) == []") == [
        "r: each conversation on its own, in a stream; nothing is kept",
        "  when  True",
        "  if    True",
        "  then  price > 1",
        "  then  tone(size) == []    [asks the model]",
    ]
    assert explained(conversations="all", then="is_unique(price)")[0] == "r: 100 conversations at once"

"""Sparring's own scenario files."""

from collections.abc import Callable
from pathlib import Path

import pytest

from sparring import parsing
from sparring.core.case import Case, Goal, InjectReply, InjectTool, Limits, OutputSpec, Persona, Say, Style
from sparring.core.checks import Expectation, Rule
from sparring.core.errors import InputError
from sparring.core.message import message
from sparring.scenarios import scenario_files
from sparring.scenarios.expansion import LoadOptions

Expand = Callable[..., tuple[Case, ...]]
Complaints = Callable[..., list[str]]

SHORT = """
user: you are hungry
goals: ["a {{size}} pizza with {{toppings}}", the price]
variables:
  size: [small, big]
  toppings: {function: random(2), data: [ham, corn, olives]}
outputs: {price: money}
expect: [price > 0]
"""


def rule(name: str, expression: str, file: str, description: str = "", **places: tuple[int, int]) -> Rule:
    """A rule with the places of its clauses; it stands in the line of the first."""
    found = {clause: {"line": line, "column": column, "exact": False} for clause, (line, column) in places.items()}
    problems_of = {"name": name, "description": description, "then": expression, "file": file, "places": found}
    return Rule.model_validate({**problems_of, "line": next(iter(places.values()))[0]})


@pytest.fixture
def expand(terms: LoadOptions) -> Expand:
    def expanded(text: str, *, file: str = "pizza.yaml") -> tuple[Case, ...]:
        return scenario_files.cases(parsing.parse(text, file), terms).cases

    return expanded


@pytest.fixture
def complaints(expand: Expand) -> Complaints:
    def problems_of(text: str, *, file: str = "pizza.yaml") -> list[str]:
        with pytest.raises(InputError) as caught:
            expand(text, file=file)
        return [str(problem) for problem in caught.value.problems]

    return problems_of


def test_an_unknown_personality_gets_a_hint_about_other_users(complaints: Complaints, tmp_path: Path):
    (tmp_path / "preset.yaml").write_text("url: http://127.0.0.1\n")
    (tmp_path / "shopper.yaml").write_text("context: [you shop]\n")

    found = complaints("user: shoper\ngoals: [a hat]\n", file=str(tmp_path / "a.yml"))
    other = complaints("user: presett\ngoals: [a hat]\n", file=str(tmp_path / "a.yml"))

    assert found[0].endswith(
        "there is no such personality (did you mean 'shopper'?; who the user is takes more than one word)"
    )
    assert "preset'" not in other[0]


def test_a_useful_scenario_fits_in_eight_lines(expand: Expand):
    small, big = expand(SHORT)

    assert big == Case(
        id="pizza/2",
        persona=Persona(role="you are hungry"),
        goals=(
            Goal(
                text="a big pizza with olives and corn",
                variables=("size", "toppings"),
                others={"size": ("small",), "toppings": ("ham",)},
            ),
            Goal(text="the price"),
        ),
        variables={"size": "big", "toppings": ["olives", "corn"]},
        choices={"size": ("small", "big"), "toppings": ("ham", "corn", "olives")},
        outputs=(OutputSpec(name="price", type="money"),),
        expectations=(Expectation(rule=rule("price > 0", "price > 0", "pizza.yaml", then=(8, 10))),),
        seed=7,
    )
    assert (small.id, small.variables["size"]) == ("pizza/1", "small")


def test_everything_that_can_be_said(expand: Expand, tmp_path: Path):
    text = """
user:
  role: you are {{age}}
  personality: rude-user
  traits: ["your name is {{name}}"]
  language: spanish
  styles: [long phrases]
variables: {name: Jon, age: 30, order_id: A-17}
answers: {"order (no|number)": order_id, "why": "because of {{name}}"}
script:
  - hi, {{name}} here
  - say: bye
    expect: [{name: polite, when: "True", then: chatbot_returns('bye'), description: it says goodbye}]
history: [{user: hello}, {chatbot: hello to you}]
starts: chatbot
fallbacks: [Sorry?, Pardon?]
outputs: [{price: {type: money, description: of all}}]
expect:
  - {then: price < 10, after: 1}
tags: [smoke, pizza]
limits: {turns: 4, fallbacks: 2, seconds: 90, reply_seconds: 5.5, cost: 0.1}
seed: 3
"""
    file = str(tmp_path / "pizza.yaml")

    (case,) = expand(text, file=file)

    rude = case.persona.traits[:2]
    assert case == Case(
        id="pizza/1",
        persona=Persona(
            name="rude-user",
            role="you are 30",
            traits=(*rude, "your name is Jon"),
            language="Spanish",
            styles=(Style(name="long phrases"),),
        ),
        script=(Say(text="hi, Jon here"), Say(text="bye")),
        variables={"name": "Jon", "age": 30, "order_id": "A-17"},
        answers={"order (no|number)": "order_id", "why": "because of Jon"},
        history=(message("user", "hello"), message("chatbot", "hello to you")),
        outputs=(OutputSpec(name="price", type="money", description="of all"),),
        fallbacks=("Sorry?", "Pardon?"),
        starts="chatbot",
        expectations=(
            Expectation(
                rule=rule(*("polite", "chatbot_returns('bye')", file, "it says goodbye"), when=(13, 35), then=(13, 49)),
                after=2,
            ),
            Expectation(rule=rule("price < 10", "price < 10", file, then=(19, 12)), after=1),
        ),
        tags=("smoke", "pizza"),
        seed=3,
        limits=Limits(turns=4, fallbacks=2, seconds=90, reply_seconds=5.5, cost=0.1),
    )


def test_a_script_may_put_words_and_tools_into_the_chatbots_mouth(expand: Expand):
    text = """
variables: {name: Jon, order: 17, done: {function: default(), data: [a, b]}}
script:
  - inject_reply: Hello {{name}}
  - inject_tool: {name: track, arguments: {order: "{{order}}"}, result: {for: "Mr {{name}}", day: 2026-01-02}}
  - hi
  - {inject_tool: {name: cancel, result: "{{done}}", mode: stub}, expect: "True"}
  - {inject_reply: bye, ends: true}
"""

    (case,) = expand(text)

    assert case.script == (
        InjectReply(text="Hello Jon"),
        InjectTool(name="track", arguments={"order": 17}, result={"for": "Mr Jon", "day": "2026-01-02"}),
        Say(text="hi"),
        InjectTool(name="cancel", result=["a", "b"], mode="stub"),
        InjectReply(text="bye", ends=True),
    )
    assert [each.after for each in case.expectations] == [4]


def test_all_problems_of_a_script_are_reported_at_once(complaints: Complaints):
    text = """
script:
  - {say: a, inject_reply: b}
  - {say: a, ends: true}
  - {inject_tool: {argumens: {a: 1}, arguments: [1], mode: stab}}
  - {inject_reply: "{{who}}", expect: [{then: x, after: 2}]}
  - {inject_tool: {name: a, result: {b: ["{{who}}"]}}}
expect: [{then: x, after: 5}, {then: x, after: 6}]
"""

    assert complaints(text) == [
        "pizza.yaml:3:5: script[0]: one step is one of say, inject_reply, inject_tool (write one step for each)",
        "pizza.yaml:4:14: script[1].ends: belongs to inject_reply",
        "pizza.yaml:5:19: script[2].inject_tool.name: is missing",
        "pizza.yaml:5:20: script[2].inject_tool.argumens: unknown key (did you mean 'arguments'?)",
        "pizza.yaml:5:49: script[2].inject_tool.arguments: should be a mapping, not a list",
        "pizza.yaml:5:60: script[2].inject_tool.mode: unknown value 'stab' (did you mean 'stub'?)",
        "pizza.yaml:6:20: script[3].inject_reply: {{who}} is not a variable (there are: none)",
        "pizza.yaml:6:50: script[3].expect[0].after: is set by the step already",
        "pizza.yaml:7:42: script[4].inject_tool.result.b[0]: {{who}} is not a variable (there are: none)",
        "pizza.yaml:8:48: expect[1].after: the script has 5 steps",
    ]


def test_several_scenarios_share_what_stands_beside_them(expand: Expand):
    text = """
user: you are hungry
variables: {size: small}
tags: [pizza]
expect: [price > 0]
outputs: {price: money}
scenarios:
  - name: One small pizza!
    goals: ["a {{size}} one"]
    tags: [smoke]
  - goals: ["a {{size}} one with {{topping}}"]
    variables: {topping: [ham, corn], size: big}
    expect: [price < 9]
    outputs: {time: time}
    user: direct-user
"""

    found = expand(text)

    assert [(case.id, case.goals[0].text) for case in found] == [
        ("pizza/One-small-pizza/1", "a small one"),
        ("pizza/2/1", "a big one with ham"),
        ("pizza/2/2", "a big one with corn"),
    ]
    assert [case.tags for case in found] == [("pizza", "smoke"), ("pizza",), ("pizza",)]
    assert [rule.rule.then for rule in found[2].expectations] == ["price > 0", "price < 9"]
    assert [output.name for output in found[2].outputs] == ["price", "time"]
    assert [case.persona.name for case in found] == ["default", "direct-user", "direct-user"]


def test_scenarios_without_variables_are_not_numbered(expand: Expand):
    assert [case.id for case in expand("scenarios: [{name: a, goals: [x]}, {script: [y]}]")] == ["pizza/a", "pizza/2"]


def test_a_mapping_without_a_function_gives_each_conversation_one_value(expand: Expand):
    text = 'goals: ["{{n}} wraps"]\nvariables: {n: {type: int, data: [2, 3]}}'

    assert [(case.goals[0].text, case.variables["n"]) for case in expand(text)] == [("2 wraps", 2), ("3 wraps", 3)]


def test_what_never_occurs_together_does_not(expand: Expand):
    text = """
goals: ["{{size}} {{topping}} {{drink}}"]
variables:
  size: {function: pairwise(), data: [small, big, huge]}
  topping: {function: pairwise(), data: [ham, corn, olives]}
  drink: {function: pairwise(), data: [coke, water, sprite]}
never: [{size: small, topping: ham}, {drink: water}]
"""

    found = [case.variables for case in expand(text)]

    assert {(each["size"], each["topping"]) for each in found} == {
        (size, topping)
        for size in ("small", "big", "huge")
        for topping in ("ham", "corn", "olives")
        if (size, topping) != ("small", "ham")
    }
    assert {each["drink"] for each in found} == {"coke", "sprite"}


def test_steps_need_as_many_turns(expand: Expand):
    assert expand("{goals: [x], limits: {steps: 40}}")[0].limits == Limits(steps=40, turns=40)


def test_all_problems_are_reported_at_once_with_their_places(complaints: Complaints):
    wrong = """
usr: x
user: {role: "{{who}}", personality: rude-usr, mood: bad}
goals: ["a {{siez}} pizza", {size: [small]}]
variables:
  size: []
  drink: {function: forward(sise), data: [coke]}
  sauce: {function: pairwise(), data: [red]}
never: [{sauce: blue}, {size: small}]
number: many
answers: {"order (": 3, why: "{{nam}}"}
script: [{sai: hi}, 3]
history: [{user: a, chatbot: b}, {bot: c}]
starts: someone
outputs: {price: 3}
expect: [{when: x}, 3, {then: x, after: 0}]
judge: missing.yaml
limits: {turns: 0, minutes: 3, cost: -1}
seed: -1
"""

    assert complaints(wrong) == [
        "pizza.yaml:2:1: usr: unknown key (did you mean 'user'?)",
        "pizza.yaml:3:14: user.role: {{who}} is not a variable (there are: size, drink, sauce)",
        "pizza.yaml:3:38: user.personality: there is no such personality (did you mean 'rude-user'?)",
        "pizza.yaml:3:48: user.mood: unknown key (there are: role, personality, traits, language, styles)",
        "pizza.yaml:4:9: goals[0]: {{siez}} is not a variable (did you mean 'size'?)",
        "pizza.yaml:4:29: goals[1]: a goal is text, or a mapping with asks, answer, done, never, otherwise "
        "(quote a goal with a colon; put variables under `variables`)",
        "pizza.yaml:6:9: variables.size: there are no values to choose from",
        "pizza.yaml:7:10: variables.drink: forward(sise) names a variable that does not exist (did you mean 'size'?)",
        "pizza.yaml:9:17: never[0].sauce: is not a value of sauce (there are: red)",
        "pizza.yaml:9:25: never[1].size: is not a variable of pairwise() or covering() (there are: sauce)",
        "pizza.yaml:10:9: number: 'many' is not a number of conversations"
        " (use a number, all_combinations, or sample(0.5) for half)",
        "pizza.yaml:11:11: answers.order (: is not a regular expression: missing ): order (",
        "pizza.yaml:11:30: answers.why: {{nam}} is not a variable (there are: size, drink, sauce)",
        "pizza.yaml:12:10: script[0].say: is missing",
        "pizza.yaml:12:11: script[0].sai: unknown key (did you mean 'say'?)",
        "pizza.yaml:12:21: script[1]: should be text, not a number (put it in quotes)",
        "pizza.yaml:13:11: history[0]: a message has one speaker (write one line for each)",
        "pizza.yaml:13:35: history[1].bot: unknown key (did you mean 'chatbot'?)",
        "pizza.yaml:14:9: starts: unknown value 'someone' (there are: user, chatbot, either)",
        "pizza.yaml:15:18: outputs.price: should be a mapping, not a number",
        "pizza.yaml:16:10: expect[0].then: is missing",
        "pizza.yaml:16:21: expect[1]: should be text, not a number (put it in quotes)",
        "pizza.yaml:16:41: expect[2].after: should be at least 1",
        "pizza.yaml:17:8: judge: there is no such rubric (it should be a path from the folder of this file, or from "
        "one above it)",
        "pizza.yaml:18:17: limits.turns: should be at least 1",
        "pizza.yaml:18:20: limits.minutes: unknown key"
        " (there are: turns, steps, fallbacks, reply_seconds, seconds, cost)",
        "pizza.yaml:18:38: limits.cost: should be greater than 0",
        "pizza.yaml:19:7: seed: should be at least 0",
    ]


def test_a_key_in_the_wrong_mapping_is_reported_with_the_right_one(complaints: Complaints):
    assert complaints("goals: [a pizza]\nstyles: [long phrases]\nreply_seconds: 3\n") == [
        "pizza.yaml:2:1: styles: unknown key (put it under 'user')",
        "pizza.yaml:3:1: reply_seconds: unknown key (put it under 'limits')",
    ]


@pytest.mark.parametrize("written", ["tyme", "{type: tyme}", "{type: strng}"])
def test_a_type_of_output_that_is_misspelt_is_refused(complaints: Complaints, written: str):
    named, meant = ("strng", "string") if "strng" in written else ("tyme", "time")

    (problems_of,) = complaints(f"goals: [x]\noutputs: {{at: {written}}}")

    assert problems_of.endswith(f": {named!r} is not an output type (did you mean {meant!r}?)")


@pytest.mark.parametrize("written", ["address", "list[money]", "time(%H)", "time", "telefono", "str"])
def test_a_type_of_output_that_is_known_or_like_no_other_is_kept(expand: Expand, written: str):
    (case,) = expand(f"goals: [x]\noutputs: {{at: '{written}'}}")

    assert case.outputs == (OutputSpec(name="at", type=written),)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("goals: ['a {{size pizza']", "1:9: goals[0]"),
        ("script: ['{{who']", "1:10: script[0]"),
        ("{goals: [x], user: 'you are {{who'}", "1:20: user"),
        ("{goals: [x], answers: {why: '{{why'}}", "1:29: answers.why"),
    ],
)
def test_a_placeholder_that_does_not_end_is_refused(complaints: Complaints, text: str, place: str):
    assert complaints(text) == [
        f"pizza.yaml:{place}: a placeholder begins here and does not end (write it {{{{name}}}})"
    ]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("goals: order a pizza", "pizza.yaml:1:8: goals: should be a list, not text"),
        ("goals: [a]\nuser: {context: x}", "pizza.yaml:2:8: user.context: unknown key (did you mean 'role'?)"),
        ("goals: [a]\nmax_turns: 3", "pizza.yaml:2:1: max_turns: unknown key (did you mean 'turns' under 'limits'?)"),
        ("goals: [a]\npersona: rude", "pizza.yaml:2:1: persona: unknown key (did you mean 'user'?)"),
        ("goals: []", "pizza.yaml:1:1: there are neither goals nor a script (add goals or a script)"),
        ("scenarios: []", "pizza.yaml:1:12: scenarios: there is no scenario"),
        ("scenarios: [{tags: x}]", "pizza.yaml:1:13: scenarios[0]: there are neither goals nor a script"),
        (
            "{goals: [x], variables: {a: {function: pairwise(), data: [1]}}, never: [{a: 1}]}",
            "`never` excludes every combination",
        ),
    ],
)
def test_a_file_with_nothing_in_it_is_refused(complaints: Complaints, text: str, complaint: str):
    assert complaint in "\n".join(complaints(text))


def test_an_output_that_is_to_be_asked_for_adds_a_goal(expand: Expand):
    text = """
goals: [a pizza]
outputs: {price: {type: money, description: the price, ask: true}, order_id: {ask: true}, at: time}
"""

    (case,) = expand(text)

    assert [(goal.text, goal.output) for goal in case.goals] == [
        ("a pizza", ""),
        ("the price", "price"),
        ("order id", "order_id"),
    ]

"""From SENSEI's profiles to cases."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring import parsing
from sparring.core.case import Case, Goal, Limits, OutputSpec, Persona, Style
from sparring.scenarios import profiles
from sparring.scenarios.expansion import Expansion, LoadOptions
from sparring.scenarios.external_values import ExternalValues, compute_values
from tables import table

Profile = Callable[..., Expansion]
Complaints = Callable[..., list[str]]

PIZZA = """
test_name: orders
llm: {model: gpt-4o-mini, temperature: 0.0}
user:
  language: spanish
  role: |
    you order a pizza
  context:
    - your name is Jon Doe
  goals:
    - a {{size}} pizza with {{ toppings }}
    - size:
        function: forward()
        type: string
        data: [small, big]
    - toppings:
        function: default()
        type: str
        data: [ham, corn, olives]
chatbot:
  is_starter: False
  fallback: Sorry?
  output:
    - price: {type: money, description: the price of the pizza}
conversation:
  number: 3
  goal_style:
    all_answered: {export: True, limit: 7}
  interaction_style:
    - default
"""

FLAT = """
test_name: orders
temperature: 0.0
isstarter: True
language: spanish
role: you order a pizza
context: your name is Jon Doe
fallback: Sorry?
ask_about:
  - a {{size}} pizza with {{ toppings }}
  - size: {function: forward(), type: string, data: [small, big]}
  - toppings: [ham, corn, olives]
output:
  - price: {type: money, description: the price of the pizza}
conversations:
  - number: 3
  - goal_style: {all_answered: {export: True, limit: 7}}
  - interaction_style: [default]
"""


def with_user(**lines: str) -> str:
    """The smallest profile, with more lines about the user."""
    more = "".join(f"\n  {name}: {value}" for name, value in lines.items() if name != "goals")
    return f"user:\n  role: r\n  goals: {lines.get('goals', '[hello]')}{more}\n"


def with_conversation(**lines: str) -> str:
    return with_user() + "conversation:\n" + "".join(f"  {name}: {value}\n" for name, value in lines.items())


def test_a_profile_becomes_its_conversations(profile: Profile):
    second = Case(
        id="pizza/2",
        persona=Persona(role="you order a pizza", traits=("your name is Jon Doe",), language="Spanish"),
        goals=(
            Goal(
                text="a big pizza with ham, corn y olives", variables=("size", "toppings"), others={"size": ("small",)}
            ),
        ),
        variables={"size": "big", "toppings": ["ham", "corn", "olives"]},
        choices={"size": ("small", "big"), "toppings": ("ham", "corn", "olives")},
        listed=("size", "toppings"),
        outputs=(OutputSpec(name="price", type="money", description="the price of the pizza"),),
        fallbacks=("Sorry?",),
        starts="user",
        tags=("orders",),
        seed=7,
        limits=Limits(turns=7),
    )

    expansion = profile(PIZZA)

    assert expansion.cases[1] == second
    assert [case.id for case in expansion.cases] == ["pizza/1", "pizza/2", "pizza/3"]
    assert (expansion.model, expansion.temperature) == ("openai:gpt-4o-mini", 0.0)


def test_the_older_flat_format_says_the_same(profile: Profile):
    assert replace(profile(FLAT), model="openai:gpt-4o-mini") == profile(PIZZA)


@table(
    ("text", "starts"),
    [
        (PIZZA, "user"),
        (PIZZA.replace("is_starter: False", "is_starter: True"), "chatbot"),
        (PIZZA.replace("  is_starter: False\n", ""), "either"),
        (FLAT, "user"),
        (FLAT.replace("isstarter: True", "is_starter: no"), "chatbot"),
        (FLAT.replace("isstarter: True\n", ""), "either"),
    ],
)
def test_a_starter_is_the_chatbot_now_and_was_the_user_in_the_flat_format(profile: Profile, text: str, starts: str):
    assert profile(text).cases[0].starts == starts


def test_role_and_goals_are_all_a_profile_needs(profile: Profile):
    assert profile(with_user()).cases == (
        Case(id="pizza/1", persona=Persona(role="r"), goals=(Goal(text="hello"),), seed=7, listed=()),
    )


def test_the_oldest_profiles_name_the_function_in_the_phrase(profile: Profile):
    text = """
temperature: "0.8"
isstarter: "True"
role: r
context:
ask_about:
  - a {{size.another()}} pizza
  - "{{ toppings.random(2) }}"
  - "{{cans.random()}} cans"
  - size: [small, big]
  - toppings: [ham, corn]
  - cans: {function: forward(), type: int, data: [1, 2]}
conversations: [{number: 2}]
language:
"""

    expansion = profile(text)

    assert ([case.variables["cans"] for case in expansion.cases], expansion.temperature) == ([1, 2], 0.8)
    assert sorted(case.goals[0].text for case in expansion.cases) == ["a big pizza", "a small pizza"]
    assert {case.goals[1].text for case in expansion.cases} <= {"ham and corn", "corn and ham"}


@pytest.mark.parametrize(
    ("written", "read"),
    [("Spanish", "Spanish"), ("sPANISH", "Spanish"), ("", "English"), ("chinese (simplified)", "Chinese (Simplified)")],
)
def test_languages_are_read_in_any_case(profile: Profile, written: str, read: str):
    assert profile(with_user(language=written)).cases[0].persona.language == read


@pytest.mark.parametrize(
    ("written", "limits"),
    [
        ("{steps: 4}", Limits(turns=12, steps=4)),
        ("{steps: 20}", Limits(turns=20, steps=20)),
        ("{steps: 4, max_cost: 0.5}", Limits(turns=12, steps=4, cost=0.5)),
        ("{max_cost: 1}", Limits(turns=12, cost=1)),
        ("{all_answered: {limit: 5}}", Limits(turns=5)),
        ("{all_answered: {export: True}}", Limits(turns=12)),
        ("{all_answered: null}", Limits(turns=12)),
        ("{default: null}", Limits(turns=12)),
        ("all_answered", Limits(turns=12)),
        ("all answered", Limits(turns=12)),
        ("default", Limits(turns=12)),
    ],
)
def test_goal_styles_become_limits(profile: Profile, terms: LoadOptions, written: str, limits: Limits):
    terms = replace(terms, limits=Limits(turns=12))

    assert profile(with_conversation(goal_style=written), terms=terms).cases[0].limits == limits


def test_random_steps_are_drawn_for_every_conversation(profile: Profile):
    cases = profile(with_conversation(goal_style="{random steps: 3}", number="60")).cases

    assert {case.limits.steps for case in cases} == {1, 2, 3}


@table(
    ("written", "styles"),
    [
        ("[default]", []),
        ("[]", []),
        ("default", []),
        ("[long phrase, All Questions]", [Style(name="long phrases"), Style(name="all questions")]),
        (
            "[{change language: [spanish, chinese]}, single question]",
            [Style(name="change language", languages=("Spanish", "Chinese")), Style(name="single question")],
        ),
        ("{change language: spanish}", [Style(name="change language", languages=("Spanish",))]),
        ("[{random: [change your mind]}]", [Style(name="change your mind")]),
        ("[change your mind: For Good]", [Style(name="change your mind", mode="for good")]),
        ("[{random: [change your mind: detour]}]", [Style(name="change your mind", mode="detour")]),
    ],
)
def test_interaction_styles(profile: Profile, written: str, styles: list[Style]):
    assert profile(with_conversation(interaction_style=written)).cases[0].persona.styles == tuple(styles)


def test_random_styles_are_drawn_for_every_conversation_and_never_none(profile: Profile):
    style = "[all questions, {random: [long phrases, change your mind]}]"

    cases = profile(with_conversation(interaction_style=style, number="60")).cases

    assert {tuple(style.name for style in case.persona.styles) for case in cases} == {
        ("all questions", "long phrases"),
        ("all questions", "change your mind"),
        ("all questions", "long phrases", "change your mind"),
    }


@table(
    ("number", "conversations"),
    [
        ("5", 5),
        ("all_combinations", 24),
        ("combinations", 24),
        ("sample(0.5)", 12),
        ("combinations(0.25)", 6),
        ("'combinations(0.5, forward)'", 12),
    ],
)
def test_a_profile_says_how_many_conversations_it_makes(profile: Profile, number: str, conversations: int):
    goals = (
        "[hello, {a: {function: forward(b), type: int, data: {min: 1, max: 3}}},"
        " {b: {function: forward(), type: string, data: [x, y]}},"
        " {c: {function: forward(), type: float, data: {min: 0, max: 1, linspace: 4}}},"
        " {d: {function: random(), type: string, data: [x, y]}}]"
    )

    assert len(profile(with_user(goals=goals) + f"conversation: {{number: {number}}}").cases) == conversations


def test_a_personality_is_found_in_the_folder_of_the_profile_or_above(profile: Profile, tmp_path: Path):
    (tmp_path / "personalities").mkdir()
    (tmp_path / "personalities" / "rude-user.yml").write_text("context:\n  - you are rude\n  - you shout\n")
    (tmp_path / "profiles").mkdir()
    ways = [
        "[your name is Jon, personality: personalities/rude-user.yml]",
        "{personality: rude-user}",
        "[{personality: rude-user.yml}]",
    ]

    personas = [
        profile(with_user(context=way), file=str(tmp_path / "profiles" / "a.yml")).cases[0].persona for way in ways
    ]

    rude = ("you are rude", "you shout")
    assert [(persona.name, persona.traits) for persona in personas] == [
        ("rude-user", (*rude, "your name is Jon")),
        ("rude-user", rude),
        ("rude-user", rude),
    ]


def test_a_shipped_personality_can_be_named_from_anywhere(profile: Profile):
    personas = [profile(with_user(context=f"{{personality: {name}}}")).cases[0].persona for name in _NAMES]

    assert {(persona.name, bool(persona.traits)) for persona in personas} == {("rude-user", True)}


_NAMES = ("rude-user", "rude-user.yml", "personalities/rude-user.yml")


def test_problems_of_a_personality_are_reported_with_their_places(complaints: Complaints, tmp_path: Path):
    (tmp_path / "p.yml").write_text("contxt: [x]")

    assert complaints(with_user(context="{personality: p}"), file=str(tmp_path / "a.yml")) == [
        f"{tmp_path / 'p.yml'}:1:1: contxt: unknown key (did you mean 'context'?)",
        f"{tmp_path / 'p.yml'}:1:1: context: is missing",
    ]


def test_all_problems_are_reported_at_once_with_their_places_and_hints(complaints: Complaints):
    wrong = """
user:
  langage: English
  language: Spannish
  role: 12
  goals:
    - a {{siez}} pizza
    - how much: will it cost
    - size: {function: forwrd(), type: string, data: [small, 2]}
    - drink: {function: forward(sise), type: string, data: []}
    - when: {function: random(), type: date, data: [31/02/2025, 2025-03-01, soon]}
    - cans: {function: random(), type: int, data: {min: 3, max: 1}}
    - size: [a]
chatbot:
  is_starter: maybe
  fallback: [Sorry?, 1]
  output: {price: 300000, price2: {typ: money}}
conversation:
  number: sample
  goal_style: {steps: 0, all_answered: {limit: many}, stesp: 2}
  interaction_style: [long phrases, shouting, change language, {change language: [klingon]}]
llm: {format: {type: speech}}
"""

    assert complaints(wrong) == [
        "pizza.yml:3:3: user.langage: unknown key (did you mean 'language'?)",
        "pizza.yml:4:13: user.language: unknown value 'Spannish' (did you mean 'Spanish'?)",
        "pizza.yml:5:9: user.role: should be text, not a number (put it in quotes)",
        "pizza.yml:7:7: user.goals[0]: {{siez}} is not a variable (did you mean 'size'?)",
        "pizza.yml:8:17: user.goals[1].how much: a variable needs a function, a type and data"
        " (a goal with a colon in it needs quotes)",
        "pizza.yml:9:24: user.goals[2].size.function: unknown function 'forwrd': did you mean 'forward'?",
        "pizza.yml:9:62: user.goals[2].size.data[1]: should be text (put it in quotes)",
        "pizza.yml:10:14: user.goals[3].drink: forward(sise) names a variable that does not exist"
        " (did you mean 'size'?)",
        "pizza.yml:10:60: user.goals[3].drink.data: there are no values to choose from",
        "pizza.yml:11:53: user.goals[4].when.data[0]: there is no such day: day is out of range for month",
        "pizza.yml:11:77: user.goals[4].when.data[2]: should be a date written day/month/year",
        "pizza.yml:12:51: user.goals[5].cans.data: min is greater than max: 3 and 1",
        "pizza.yml:13:7: user.goals[6].size: there is a variable 'size' already",
        "pizza.yml:15:15: chatbot.is_starter: should be true or false, not text",
        "pizza.yml:16:22: chatbot.fallback[1]: should be text, not a number (put it in quotes)",
        "pizza.yml:17:19: chatbot.output.price: should be a mapping, not a number",
        "pizza.yml:17:36: chatbot.output.price2.typ: unknown key (did you mean 'type'?)",
        "pizza.yml:19:11: conversation.number: 'sample' is not a number of conversations"
        " (use a number, all_combinations, or sample(0.5) for half)",
        "pizza.yml:20:15: conversation.goal_style: there can be only one goal style, not steps and all_answered",
        "pizza.yml:20:23: conversation.goal_style.steps: should be at least 1",
        "pizza.yml:20:48: conversation.goal_style.all_answered.limit: should be a whole number, not text",
        "pizza.yml:20:55: conversation.goal_style.stesp: unknown goal style (did you mean 'steps'?)",
        "pizza.yml:21:37: conversation.interaction_style[1]: unknown value 'shouting'"
        " (there are: default, long phrases, change your mind, change language,"
        " make spelling mistakes, single question, all questions)",
        "pizza.yml:21:47: conversation.interaction_style[2]: needs the languages to change to, as a list",
        "pizza.yml:21:83: conversation.interaction_style[3].change language[0]: unknown value 'klingon'"
        " (there are 71, such as Afrikaans, Albanian, Amharic)",
        "pizza.yml:22:22: llm.format.type: unknown value 'speech' (there are: text)",
    ]


RANGE = "{function: forward(), type: int, data: {min: 1, max: 1000}}"
HUGE = f"[x, a: {RANGE}, b: {RANGE}, c: {RANGE}]"


@table(
    ("text", "complaint"),
    [
        ("user: {}\n", "pizza.yml:1:7: user.role: is missing"),
        ("user: x\n", "pizza.yml:1:7: user: should be a mapping, not text"),
        ("chatbot: {fallback: x}\n", "pizza.yml:1:1: user: is missing"),
        (with_user(goals="[]"), "pizza.yml:3:10: user.goals: there is no goal"),
        (with_user(goals="hello"), "pizza.yml:3:10: user.goals: should be a list, not text"),
        (with_user(context="{personality: rude-usr}"), "there is no such personality (did you mean 'rude-user'?)"),
        (with_user(context="[{personality: rude-user}, {personality: rude-user}]"), "there can be only one"),
        (with_user(context="{personality: /etc/p.yml}"), "should be a path that starts at the folder of this file"),
        (
            with_user(goals="['{{a}}', a: {function: random(), data: [any(fruit)], type: str}]"),
            "any() needs a model",
        ),
        (with_conversation(number="2000000"), "conversation.number: should be at most 100,000"),
        (with_conversation(number="sample(2)"), "use a number, all_combinations, or sample(0.5) for half"),
        (with_user(goals=HUGE) + "conversation: {number: combinations}", "1,000,000,000 combinations are too many"),
        (with_user(goals=HUGE.replace("forward", "pairwise")), "user.goals: more than 200,000 choices to cover"),
        (with_conversation(number="true"), "should be a whole number, not true or false"),
        (with_conversation(goal_style="{max_cost: 0}"), "goal_style.max_cost: should be greater than 0"),
        (with_conversation(max_cost="much"), "conversation.max_cost: should be a number, not text"),
        (with_conversation(goal_style="all_asked"), "unknown value 'all_asked' (did you mean 'all_answered'?)"),
        (with_user() + "conversation: {number: 1}\nconversations: {number: 1}", "'conversation' is given twice"),
        (with_user(goals="[x, {a: {function: random(), type: float, data: {min: 1, max: 2}}}]"), "needs a step or a"),
        (with_user(goals="[x, {a: {function: random(), type: string, data: {min: 1, max: 2}}}]"), "a range of string"),
        (with_user(goals="[x, {a: {function: random(), type: int, data: {min: 1, max: 2.5}}}]"), "should be a whole"),
    ],
)
def test_other_errors_are_reported(complaints: Complaints, text: str, complaint: str):
    assert complaint in "\n".join(complaints(text))


@table(
    ("definition", "values"),
    [
        ("{type: int, data: {min: 1, max: 6, step: 2}}", [1, 3, 5, 6]),
        ("{type: int, data: {min: 1, max: 3}}", [1, 2, 3]),
        ("{type: int, data: {min: 0, max: 10, linspace: 3}}", [0, 5, 10]),
        ("{type: float, data: {min: 0, max: 1, steps: 0.5}}", [0.0, 0.5, 1.0]),
        ("{type: float, data: [1, 2.5]}", [1, 2.5]),
        ("{type: bool, data: [true, false]}", [True, False]),
        ("{type: string, data: [10:30, yes, 2025-03-01]}", ["10:30", "yes", "2025-03-01"]),
        ("{type: date, data: [1/3/2025, 2025-03-02]}", ["2025-03-01", "2025-03-02"]),
        ("{type: date, data: {min: 01/03/2025, max: 03/03/2025}}", ["2025-03-01", "2025-03-02", "2025-03-03"]),
        ("{type: string, data: {date: {custom: yesterday}}}", ["yesterday"]),
        (
            "{type: string, data: {date: {range: {min: 1/3/2025, max: 3/3/2025, step: day(2)}, custom: [soon]}}}",
            ["01/03/2025", "03/03/2025", "soon"],
        ),
        ("{function: null, data: [1, x, true]}", [1, "x", True]),
        ("[1, x]", [1, "x"]),
    ],
)
def test_the_data_of_a_variable(profile: Profile, definition: str, values: list[object]):
    assert profile(with_user(goals=f"[x, a: {definition}]")).cases[0].variables == {"a": values}


def test_dates_are_drawn_by_the_seed_and_around_today(profile: Profile, terms: LoadOptions):
    span = "{min: 1/1/2025, max: 1/1/2026, random: 2}"
    drawn = f"{{date: {{random: 2, set: '>today(2)', fake: 2, range: {span}}}}}"
    text = with_user(goals=f"[x, a: {{type: string, data: {drawn}}}]")

    values = [profile(text, terms=each).cases[0].variables["a"] for each in (terms, terms, replace(terms, seed=8))]

    assert values[0] == values[1] != values[2]
    assert [len(each) for each in values if isinstance(each, list)] == [8, 8, 8]


@pytest.mark.slow
@given(st.integers(0, 2**40))
def test_an_expansion_depends_on_the_file_and_the_seed_alone(seed: int):
    terms = LoadOptions(seed, date(2025, 3, 14))
    text = PIZZA.replace("forward()", "random(rand)").replace("default()", "another(2)")

    once, again = (profiles.cases(parsing.parse(text, "a.yml"), terms) for _ in range(2))

    assert once == again
    assert {case.seed for case in once.cases} == {seed}


def test_every_published_profile_expands(corpus: Path, terms: LoadOptions):
    files = sorted((corpus / "profiles").glob("*.y*ml"))

    expansions = [profiles.cases(parsing.load(file), terms) for file in files]

    assert (len(files), sum(len(expansion.cases) for expansion in expansions)) == (65, 188)


def test_published_chains_follow_the_published_order(corpus: Path, terms: LoadOptions):
    file = corpus / "profiles" / "photography__eval__provide_estimates.yml"

    cases = profiles.cases(parsing.load(file), terms).cases

    assert [(case.variables["media"], case.variables["artworks"]) for case in cases[:4]] == [
        ("photograph", "pictures"),
        ("photograph", "sculptures"),
        ("photograph", "ceramic objects"),
        ("create a video of", "pictures"),
    ]


def test_published_personalities_are_found(corpus: Path, terms: LoadOptions):
    file = corpus / "profiles" / "user_profile_examples__bikeshop__user_sim_bikesqa.yml"

    persona = profiles.cases(parsing.load(file), terms).cases[0].persona

    assert (persona.name, len(persona.traits)) == ("rude-user", 3)


@pytest.mark.process
def test_a_function_in_a_python_file_lists_values_only_where_code_is_allowed(
    profile: Profile, complaints: Complaints, terms: LoadOptions, tmp_path: Path
):
    (tmp_path / "listed.py").write_text("def f(n, *, start): return range(start, n)")
    listed = "{file: listed.py, function_name: f, args: [3, {start: 1}]}"
    text = with_user(goals=f"[x, a: {{function: default(), type: int, data: {listed}}}]")
    file = str(tmp_path / "a.yml")
    allowed = replace(terms, outside=ExternalValues(compute=compute_values))

    assert profile(text, file=file, terms=allowed).cases[0].variables == {"a": [1, 2]}
    assert complaints(text, file=file) == [
        f"{file}:3:56: user.goals[1].a.data: Python functions run only with --allow-code: pass it, or list the values"
    ]


@pytest.mark.parametrize(
    ("listed", "complaint"),
    [
        ("{file: gone.py}", "data.function_name: is missing"),
        ("{file: gone.py, function_name: 3}", "data.function_name: should be text, not a number"),
        ("{file: gone.py, function_name: f, arg: 3}", "data.arg: unknown key (did you mean 'args'?)"),
    ],
)
def test_a_function_that_is_not_named_rightly_is_a_complaint(complaints: Complaints, listed: str, complaint: str):
    text = with_user(goals=f"[x, a: {{function: default(), type: int, data: {listed}}}]")

    assert complaint in "\n".join(complaints(text))


@pytest.mark.parametrize(
    ("functions", "listed"),
    [
        ({"a": "forward()", "b": "another()", "c": "random()"}, ("a", "b", "c")),
        ({"a": "random(2)", "b": "another(2)", "c": "random(rand)"}, ()),
        ({"a": "forward(b)", "b": "forward()", "c": "default()"}, ("c",)),
        ({"a": "forward(b)", "b": "forward(c)", "c": "forward()"}, ()),
    ],
)
def test_variables_are_listed_that_senseis_files_hold_as_a_list_of_one(
    profile: Profile, functions: dict[str, str], listed: tuple[str, ...]
):
    variables = "".join(f"    - {name}: {{function: {call}, data: [x, y]}}\n" for name, call in functions.items())
    text = f"user:\n  role: r\n  goals:\n    - 'a {{{{a}}}} {{{{b}}}} {{{{c}}}}'\n{variables}"

    assert profile(text).cases[0].listed == listed

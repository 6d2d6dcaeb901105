"""Whatever is written in a file, the answer is cases or complaints."""

import json
from collections.abc import Callable
from contextlib import suppress
from datetime import date

from hypothesis import given, settings
from hypothesis import strategies as st

from sparring import documents
from sparring.core.case import Case
from sparring.core.errors import InputError
from sparring.scenarios import profiles, scenarios_json
from sparring.scenarios.expansion import Expansion, Terms
from sparring.scenarios.json_document import JsonDocument

TERMS = Terms(seed=7, today=date(2025, 3, 14))

WORDS = """
x {{a}} any(x) default random steps sample(0.5) 1/1/2025 >today(1) forward(a) forward(b) another(2) linspace(3) string
int float date
"""
NAMES = """
user chatbot conversation role context goals ask_about language fallback output is_starter number goal_style steps
all_answered limit export interaction_style random a b function type data min max step linspace date custom set range
fake personality llm model temperature format test_name description
"""

numbers = st.integers(-3, 5) | st.floats(allow_nan=False, allow_infinity=False)
scalars = st.none() | st.booleans() | numbers | st.sampled_from(["", *WORDS.split()])
names = st.sampled_from(NAMES.split())


def written(names: st.SearchStrategy[str]) -> st.SearchStrategy[object]:
    return st.recursive(
        scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=4), max_leaves=12
    )


anything = written(names)
goals = st.lists(st.just("{{a}}") | st.dictionaries(st.sampled_from("ab"), anything, max_size=2), max_size=3) | anything
users = st.fixed_dictionaries(
    {"role": st.just("r") | anything, "goals": goals}, optional={"language": anything, "context": anything}
)
conversations = st.fixed_dictionaries(
    {}, optional={"number": st.integers(1, 5) | anything, "goal_style": anything, "interaction_style": anything}
)
whole_profiles = st.fixed_dictionaries(
    {"user": users}, optional={"chatbot": anything, "conversation": conversations, "llm": anything}
)
variables = st.dictionaries(
    st.sampled_from(["ORDER_GOAL", "order_goal", "PATIENCE", "AMB_LEVEL", "SEED", "LOCATIONS", "LANGUAGE", "own"]),
    written(st.sampled_from(["name", "qty", "from_history", "code"])) | st.sampled_from(['["x"]', "[", "{}", "[NaN]"]),
)
entries = st.fixed_dictionaries({"name": st.text(max_size=5) | anything, "variables": variables})
scenarios = st.lists(entries, max_size=3)


def answered(read: Callable[[], Expansion]) -> None:
    """Reads, and lets no other error through than the one that lists complaints; cases can be written down."""
    with suppress(InputError):
        cases = read().cases
        assert cases == tuple(Case.model_validate_json(case.model_dump_json()) for case in cases)


@settings(max_examples=300, deadline=None)
@given(whole_profiles | st.dictionaries(names, anything))
def test_any_profile_is_cases_or_complaints(data: object):
    answered(lambda: profiles.cases(documents.parse(json.dumps(data)), TERMS))


@settings(max_examples=300, deadline=None)
@given(scenarios | anything)
def test_any_list_of_scenarios_is_cases_or_complaints(data: object):
    answered(lambda: scenarios_json.cases(JsonDocument(json.dumps(data)), TERMS))

import pytest

from sparring import parsing
from sparring.core.case import ToolFault
from sparring.core.errors import InputError
from sparring.scenarios import playbooks, scenario_files
from sparring.scenarios.expansion import LoadOptions
from sparring.scenarios.written_case import loaded, scenario, text_of

FAULTS = """
variables: {id: [A-1, B-2]}
script: ["Where is {{id}}?"]
faults:
  - {tool: place_order, fails: timeout}
  - {tool: get_order, fails: stale, when: always, args: {id: "{{id}}", last: 3}}
  - {tool: get_order, fails: error, when: {nth: 2}}
  - {tool: get_order, fails: swapped, when: {share: 0.3}}
"""
WRONG = """
script: ["Hello"]
faults:
  - {tool: get_order, fails: timout}
  - {fails: error, wen: first}
  - {tool: get_order, fails: error, when: never}
  - {tool: get_order, fails: error, when: {nth: 0}}
  - {tool: get_order, fails: error, when: {share: 30}}
  - {tool: get_order, fails: error, when: {nth: 1, share: 0.3}}
  - {tool: get_order, fails: error, args: {id: "{{ID}}"}}
"""


def test_faults_of_a_scenario_have_the_values_of_the_case(terms: LoadOptions):
    first, second = scenario_files.cases(parsing.parse(FAULTS, "f.yml"), terms).cases

    assert first.faults == (
        ToolFault(tool="place_order", fails="timeout"),
        ToolFault(tool="get_order", fails="stale", when="always", arguments={"id": "A-1", "last": 3}),
        ToolFault(tool="get_order", fails="error", nth=2),
        ToolFault(tool="get_order", fails="swapped", share=0.3),
    )
    assert second.faults[1].arguments == {"id": "B-2", "last": 3}


def test_faults_of_a_playbook_are_common_or_of_a_case(terms: LoadOptions):
    text = """
faults: [{tool: get, fails: error}]
cases:
  - {id: one, steps: [user: Hello]}
  - {id: two, variables: {n: 4}, steps: [user: Hello], faults: [{tool: put, fails: empty, args: {n: "{{n}}"}}]}
"""

    one, two = playbooks.cases(parsing.parse(text, "p.yml"), terms).cases

    assert one.faults == (ToolFault(tool="get", fails="error"),)
    assert two.faults == (ToolFault(tool="put", fails="empty", arguments={"n": 4}),)


def test_all_problems_of_a_fault_are_reported_at_once(terms: LoadOptions):
    with pytest.raises(InputError) as raised:
        scenario_files.cases(parsing.parse(WRONG, "f.yml"), terms)

    assert [(each.line, each.message, each.hint) for each in raised.value.problems] == [
        (4, "unknown value 'timout'", "did you mean 'timeout'?"),
        (5, "is missing", ""),
        (5, "unknown key", "did you mean 'when'?"),
        (6, "unknown value 'never'", "there are: first, always"),
        (7, "should be at least 1", ""),
        (8, "should be a share, more than 0 and at most 1", ""),
        (9, "should be first, always, {nth: 2} or {share: 0.3}", ""),
        (10, "{{ID}} is not a variable", "there are: none"),
    ]


def test_a_case_with_faults_is_written_as_it_was(terms: LoadOptions):
    case = scenario_files.cases(parsing.parse(FAULTS, "f.yml"), terms).cases[0]

    again = loaded(text_of(scenario(case, None)), "again.yml", terms.today)

    assert again is not None
    assert again.faults == case.faults

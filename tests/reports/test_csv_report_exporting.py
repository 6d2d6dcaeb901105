import csv
import io
from datetime import UTC, datetime

from reports.summing import decided
from sparring.core.conversation import Ending
from sparring.core.outcome import Outcome
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.reports.csv_report import results_csv
from sparring.reports.formats import ResultRows
from sparring.reports.json_report import results_json
from sparring.reports.ndjson import results_ndjson
from sparring.reports.service_results import ScenarioResult, scenario_result
from sparring.testing.factories import a_case, a_conversation
from tables import table


async def text_of(content) -> str:
    return b"".join([chunk async for chunk in content]).decode()


NOW = datetime(2026, 1, 2, tzinfo=UTC)


async def streamed(*results: ScenarioResult):
    for each in results:
        yield each


def several(*results: ScenarioResult, prompt_version: str = "") -> ResultRows:
    return ResultRows("B1", streamed(*results), prompt_version=prompt_version, exported=NOW)


def a_result(scenario: str = "order", comment: str = "", score: float | None = None) -> ScenarioResult:
    conversation = a_conversation(a_case(scenario))
    verdict = Verdict(
        check="quality",
        outcome=CheckOutcome.PASS,
        conversation=conversation.id,
        reason=comment,
        score=score,
        by="model",
    )
    return scenario_result(0, decided(conversation, [verdict]))


@table(
    "text",
    [
        "=1+1",
        "+1",
        "-2+3",
        "@SUM(A1)",
        "\t=1",
        "  =1",
        "\r=1",
        "|calc",
        "%x",
        "=cmd|' /C calc'!A0",
        "\x00=1",
        "\uff1d1",
        "\uff0b1",
        "\uff0d1",
        "\uff20x",
    ],
)
async def test_no_cell_is_a_formula(text: str):
    rows = list(
        csv.reader(io.StringIO(await text_of(results_csv(several(a_result(text, comment=text), prompt_version=text)))))
    )

    cells = [rows[1][column] for column in (1, 2, 4)]
    assert [cell[0] for cell in cells] == ["'"] * 3, cells


async def test_every_row_is_one_line_with_any_message():
    told = await text_of(results_csv(several(a_result('a "quoted"\nname, with\r\nlines', comment="\x1b[31mred\u202e"))))

    rows = list(csv.reader(io.StringIO(told)))
    assert (len(told.splitlines()), rows[1][1], rows[1][4]) == (2, 'a "quoted" name, with lines', "[31mred")


async def test_numbers_stay_numbers_and_missing_values_are_empty():
    told = await text_of(results_csv(several(a_result(score=3.0), a_result())))

    assert [row.split(",")[3] for row in told.splitlines()[1:]] == ["3", '""']


async def test_nothing_is_exported_as_nothing():
    assert await text_of(results_json(several())) == '{"batch_id":"B1","results":[],"total_results":0}'
    assert await text_of(results_ndjson(several())) == ""
    assert (await text_of(results_csv(several()))).count("\r\n") == 1


async def test_a_conversation_that_failed_has_no_score():
    conversation = a_conversation(a_case("a"), ending=Ending.CHATBOT_FAILED)
    low = Verdict(check="quality", outcome=CheckOutcome.FAIL, conversation="a", score=1, by="model")

    told = scenario_result(0, decided(conversation, [low]))

    assert (told.status, told.score, told.outcome) == ("failed", None, Outcome.FAILED)

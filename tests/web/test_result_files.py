import re
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sparring.reports.result_files import Row, rows
from sparring.reports.service_summary import Counting
from web.conftest import Client, Open, finished, scenarios

_NOW = datetime(2026, 1, 2, tzinfo=UTC)
_EVALUATES = re.compile(r"sparring/rules/(?:check\.py|evaluate/|count/)")


def summary_of(found: list[Row]) -> dict[str, object]:
    counting = Counting()
    for row in found:
        counting.add(row)
    return counting.summary("B", len(found), _NOW).model_dump(mode="json", exclude={"batch_id", "generated_at"})


@pytest.mark.slow
@pytest.mark.parametrize("judge", ["checklist", "none"])
@pytest.mark.parametrize("format", ["json", "ndjson", "csv"])
def test_a_file_of_results_has_the_summary_of_the_batch(opened: Open, tmp_path: Path, format: str, judge: str):
    client: Client = opened()
    file = tmp_path / "results"
    id = finished(client, {"scenarios": scenarios(3), "judge": judge})
    told = client.get(f"/api/batches/{id}/summary").json()

    file.write_bytes(client.get(f"/api/batches/{id}/results?format={format}").content)

    found = list(rows(file))

    unsaid = {"batch_id", "generated_at", "statistics", "score_intervals", *({"outcomes"} if format == "csv" else ())}
    expected = {name: value for name, value in told.items() if name not in unsaid}
    assert {name: value for name, value in summary_of(found).items() if name not in unsaid} == expected


@pytest.mark.parametrize("format", ["json", "ndjson", "csv"])
def test_a_download_evaluates_no_rule(opened: Open, format: str):
    entered: set[str] = set()
    threading.setprofile(lambda frame, event, value: entered.add(frame.f_code.co_filename))
    try:
        client = opened()
    finally:
        threading.setprofile(None)
    id = finished(client, {"scenarios": scenarios(2), "rule": ["conversation_length() < 50"]})
    evaluating = {name for name in entered if _EVALUATES.search(name)}
    entered.clear()

    found = client.get(f"/api/batches/{id}/results?format={format}")

    assert evaluating
    assert (found.status_code, [name for name in entered if _EVALUATES.search(name)]) == (200, [])

"""A report format of an installed package is offered everywhere, without a change to Sparring."""

from collections.abc import Callable
from pathlib import Path

import pytest

from command_line import called
from sparring.core.errors import InputError
from sparring.reports.formats import find
from web.conftest import Client, finished, scenarios

pytestmark = pytest.mark.slow  # its tests play batches

TSV = """\
from sparring.reports.formats import ReportFormat


async def results_tsv(results):
    yield b"scenario\\tscore\\n"
    async for each in results.rows:
        yield f"{each.scenario}\\t{each.score}\\n".encode()


def findings_tsv(findings):
    return "".join(f"{each.rule}\\t{each.outcome}\\n" for each in findings.findings)


FORMAT = ReportFormat(
    name="tsv",
    label="TSV",
    suffixes=(".tsv",),
    media_type="text/tab-separated-values",
    results=results_tsv,
    findings=findings_tsv,
    openings=(b"scenario\\tscore\\n",),
)
"""
Install = Callable[[str], None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Install a package with this entry point."""

    def installed(line: str) -> None:
        package = tmp_path / "installed"
        info = package / "findings_format-1.0.dist-info"
        info.mkdir(parents=True)
        (package / "findings_format.py").write_text(TSV)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: findings_format\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[sparring.reports]\n{line}\n")
        monkeypatch.syspath_prepend(str(package))

    return installed


def test_rest_and_pages_offer_an_installed_format(client: Client, install: Install):
    install("tsv = findings_format:FORMAT")
    id = finished(client, scenarios(2))

    rows = client.get(f"/api/batches/{id}/results?format=tsv")
    page = client.get(f"/batches/{id}", headers={"accept": "text/html"}).text
    described = client.get("/openapi.json").json()["paths"]["/api/batches/{id}/results"]["get"]

    assert rows.text.splitlines() == ["scenario\tscore", "Order 0\t3", "Order 1\t3"]
    assert rows.headers["content-type"].startswith("text/tab-separated-values")
    assert rows.headers["content-disposition"].endswith(f'filename="batch_{id}_results.tsv"')
    assert f"/api/batches/{id}/results?partial=true&amp;transcripts=true&amp;format=tsv" in page
    assert described["parameters"][1]["schema"]["enum"] == ["csv", "json", "ndjson", "tsv"]
    assert "text/tab-separated-values" in described["responses"]["200"]["content"]


def test_commands_offer_an_installed_format(client: Client, install: Install, tmp_path: Path):
    install("tsv = findings_format:FORMAT")
    finished(client, scenarios(1))

    def sparring(*arguments: str) -> tuple[int, str]:
        done = called(*arguments, "--store", str(tmp_path / "sparring.db"), folder=tmp_path, env={})
        return done.returncode, done.stdout or done.stderr

    for command in (("report", "--output"), ("fetch", "latest", "--format", "tsv", "--output")):
        assert sparring(*command, "out.tsv")[0] == 0
        assert (tmp_path / "out.tsv").read_text() == "scenario\tscore\nOrder 0\t3\n"
    assert sparring("report", "--format", "tsv") == (0, "scenario\tscore\nOrder 0\t3\n")
    assert sparring("check", "--rule", "turns() < 50", "--format", "tsv") == (0, "turns() < 50\tpass\n")


def test_a_plug_in_that_is_no_format_is_named(install: Install):
    install("findings_format = findings_format:findings_tsv")

    with pytest.raises(InputError, match=r"the plug-in 'findings_format' of sparring\.reports is not a ReportFormat"):
        find("findings_format")

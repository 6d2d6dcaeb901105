"""The job for GitLab that `init` offers: its commands write the files that it declares."""

from importlib.resources import files
from pathlib import Path

import yaml

from command_line import called

JOB = yaml.safe_load((files("sparring.cli") / "templates/ci/gitlab/.gitlab-ci.yml").read_text(encoding="utf-8"))[
    "sparring"
]


def test_the_job_writes_the_files_that_it_declares(tmp_path: Path):
    (tmp_path / "scenarios").mkdir()
    (tmp_path / "scenarios/hi.yml").write_text('script: [{say: Hi}]\nexpect: ["turns() > 5"]\n', encoding="utf-8")
    (tmp_path / "sparring.yaml").write_text("chatbot: pizzeria\nmodel: offline\n", encoding="utf-8")

    codes = [
        called(*line.split()[1:], folder=tmp_path, env={}).returncode for line in [*JOB["script"], *JOB["after_script"]]
    ]

    assert codes == [1, 0]
    declared = [*JOB["artifacts"]["paths"], *JOB["artifacts"]["reports"].values()]
    assert [name for name in declared if not (tmp_path / name).stat().st_size] == []

import subprocess
import sys
from pathlib import Path

import pytest

from sparring.core.case import Limits
from sparring.core.errors import InputError, SparringDeprecationWarning
from sparring.settings import Settings, environment, load


def project(folder: Path, *, yaml: str = "", dotenv: str = "") -> Path:
    (folder / "sparring.yaml").write_text(yaml)
    (folder / ".env").write_text(dotenv)
    return folder


def complaint(folder: Path, *, overrides: dict[str, object] | None = None, **environ: str) -> str:
    with pytest.raises(InputError) as caught:
        load(overrides or {}, directory=folder, environ=environ)
    return str(caught.value)


def test_an_empty_folder_gives_the_defaults(tmp_path: Path):
    assert load({}, directory=tmp_path, environ={}) == Settings()


@pytest.mark.parametrize(
    ("strongest", "chosen"), [(4, "command line"), (3, "environment"), (2, "env file"), (1, "yaml"), (0, "")]
)
def test_the_command_line_beats_the_environment_and_that_the_files(tmp_path: Path, strongest: int, chosen: str):
    project(
        tmp_path,
        yaml="chatbot: yaml" if strongest >= 1 else "",
        dotenv="SPARRING_CHATBOT='env file'" if strongest >= 2 else "",
    )
    environ = {"SPARRING_CHATBOT": "environment"} if strongest >= 3 else {}

    settings = load({"chatbot": "command line" if strongest >= 4 else None}, directory=tmp_path, environ=environ)

    assert settings.chatbot == chosen


def test_documented_names_of_the_service_are_understood(tmp_path: Path):
    environ = {"OPENAI_MODEL": "gpt-4o-mini", "MAX_TURNS": "12", "TIMEOUT_SEC": "90", "CONCURRENCY": "4"}

    settings = load({}, directory=tmp_path, environ=environ)

    assert (settings.model, settings.concurrency) == ("openai:gpt-4o-mini", 4)
    assert settings.app_config().case_limits == Limits(turns=12, seconds=90)


def test_the_own_name_of_a_setting_beats_the_documented_one_but_only_in_the_same_place(tmp_path: Path):
    project(tmp_path, dotenv="SPARRING_MODEL=ollama:llama3.2")

    own = load({}, directory=tmp_path, environ={"OPENAI_MODEL": "a", "SPARRING_MODEL": "b"})
    other = load({}, directory=tmp_path, environ={"OPENAI_MODEL": "openai:a"})

    assert (own.model, other.model) == ("b", "openai:a")


def test_an_empty_variable_is_not_set(tmp_path: Path):
    assert load({}, directory=tmp_path, environ={"SPARRING_CONCURRENCY": ""}).concurrency == 8


def test_an_unknown_setting_is_refused(tmp_path: Path):
    project(tmp_path, dotenv="SPARRING_SED=7\nSPARRING_API_KEY=sk-secret\nSPARRING_BOT_TOKEN=sk-secret")

    told = complaint(tmp_path, SPARRING_MODLE="sk-secret", SPARRING_CORPUS="x", SPARRING_SESSION="x", SPARRINGS="x")

    assert told.splitlines() == [
        "SPARRING_MODLE: is no setting (did you mean 'SPARRING_MODEL'?)",
        ".env: SPARRING_SED: is no setting (did you mean 'SPARRING_SEED'?)",
    ]


def test_all_problems_of_the_file_are_reported_at_once_with_their_places(tmp_path: Path):
    project(tmp_path, yaml="concurency: 3\nmodel: ollama:x\ncall_seconds: soon\nmax_turns: 0\n")
    file = tmp_path / "sparring.yaml"

    assert complaint(tmp_path, SPARRING_MAX_TURNS="5").splitlines() == [
        f"{file}:1:1: concurency: unknown key (did you mean 'concurrency'?)",
        f"{file}:3:15: call_seconds: should be a number, not text",
        f"{file}:4:12: max_turns: should be greater than 0",
    ]


def test_limits_for_something_other_than_a_model_are_refused(tmp_path: Path):
    good = ("openai", "ollama:x", "http://me/v1", "http://me/v1#m")
    names = (*good, "gpt-4o", "opnai", "'openai:'", "opnai:x", "url")
    project(tmp_path, yaml="limits:\n" + "".join(f"  {name}: {{concurrency: 1}}\n" for name in names))
    file = tmp_path / "sparring.yaml"
    neither, whole = "is neither a model nor a provider", "a model has its provider's name before it, such as openai"

    assert complaint(tmp_path).splitlines() == [
        f"{file}:6:11: limits.gpt-4o: {neither} ({whole}:gpt-4o)",
        f"{file}:7:10: limits.opnai: {neither} (did you mean 'openai'?)",
        f"{file}:8:14: limits.openai:: {neither} (did you mean 'openai'?)",
        f"{file}:9:12: limits.opnai:x: {neither} (did you mean 'openai'?)",
        f"{file}:10:8: limits.url: {neither} ({whole}:url)",
    ]


@pytest.mark.parametrize("name", ["openai_api_key", "OPENAI_API_KEY", "apikey", "token", "hub-token", "password"])
def test_a_key_in_the_file_is_refused_without_showing_it(tmp_path: Path, name: str):
    project(tmp_path, yaml=f"chatbot: pizzeria\n{name}: sk-secret\n")

    told = complaint(tmp_path)

    assert told == (
        f"{tmp_path / 'sparring.yaml'}:2:1: {name}: a key does not belong into this file "
        "(put it into the environment or .env)"
    )


def test_a_file_that_is_no_mapping_is_refused(tmp_path: Path):
    project(tmp_path, yaml="- chatbot\n")

    assert complaint(tmp_path).endswith("sparring.yaml:1:1: should be a mapping of settings")


def test_wrong_values_name_the_variable_and_the_option_but_never_the_value(tmp_path: Path):
    project(tmp_path, dotenv="TIMEOUT_SEC=sk-secret")

    told = complaint(tmp_path, overrides={"call_seconds": -1}, CONCURRENCY="sk-secret")

    assert told.splitlines() == [
        "CONCURRENCY: should be a valid integer, unable to parse string as an integer",
        ".env: TIMEOUT_SEC: should be a valid number, unable to parse string as a number",
        "--call-seconds: should be greater than 0",
    ]


def test_keys_of_providers_are_found_in_the_environment_and_in_the_env_file(tmp_path: Path):
    project(tmp_path, dotenv="A_KEY=from-file\nB_KEY=from-file  # a comment\nexport C_KEY='$B_KEY'\nD_KEY\n")

    found = environment(tmp_path, {"A_KEY": "from-environment"})

    assert found == {"A_KEY": "from-environment", "B_KEY": "from-file", "C_KEY": "$B_KEY"}


def test_an_env_file_that_is_no_text_is_refused(tmp_path: Path):
    (tmp_path / ".env").write_bytes(b"\xff\xfe\x00")

    assert complaint(tmp_path).endswith(".env: cannot be read as UTF-8 text")


@pytest.mark.process
def test_importing_settings_stays_light():
    program = "import sys, sparring.settings; print([n for n in ('ruamel', 'dotenv', 'numpy') if n in sys.modules])"

    loaded = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout

    assert loaded == "[]\n"


def test_old_keys_of_serve_work_and_warn(tmp_path: Path):
    (tmp_path / "sparring.yaml").write_text("serve: {batches: 3, body_bytes: 1000}\n")

    with pytest.warns(SparringDeprecationWarning, match="is now max_b.*until 0.3"):
        serve = load({}, directory=tmp_path, environ={}).serve

    assert (serve.max_batches, serve.max_body_bytes, serve.max_listeners) == (3, 1000, 100)

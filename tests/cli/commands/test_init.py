import json
import re
from importlib.resources import files
from pathlib import Path

import pytest

from command_line import Sparring
from sparring.app.validate import check_files
from sparring.cli.commands.init import TEMPLATES
from sparring.cli.commands.validate import SETTINGS_CHECKS
from sparring.settings import environment

pytestmark = pytest.mark.slow  # its tests play batches


def written(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_template_has_settings_a_scenario_and_a_rule_that_are_right(inside: Sparring, tmp_path: Path, template: str):
    done = inside("init", template)

    assert (done.returncode, done.stderr) == (0, "")
    assert re.findall(r"written: (.*)", done.stdout) == written(tmp_path)
    checked = list(check_files([tmp_path], SETTINGS_CHECKS))
    assert {"settings", "rule"} <= {each.kind for each in checked}
    assert {"scenario", "scenarios"} & {each.kind for each in checked}
    assert [problem for each in checked for problem in each.problems] == []


@pytest.mark.parametrize("template", ["pizzeria", "service", "phone_orders", "empty"])
def test_what_a_template_says_to_type_works_as_printed(inside: Sparring, template: str):
    commands = re.findall(r"  (?:python -m )?sparring (.*)", inside("init", template).stdout)

    done = [inside(*command.split()) for command in commands]

    assert [each.returncode for each in done] == [0] * len(TEMPLATES[template]), done


@pytest.mark.parametrize("fault", ["window_30", "only_says_so"])
def test_the_template_for_a_service_finds_what_is_wrong_with_one(inside: Sparring, fault: str):
    inside("init", "service")

    done = inside("run", "scenarios", "--rules", "rules", "--chatbot", f"service:fault={fault}")

    assert (done.returncode, "FAILED" in done.stdout) == (1, True)


def test_what_the_template_for_http_says_to_type_works_as_printed(inside: Sparring, bot):
    bot.answer = [{"text": "I book appointments at the dentist."}]
    printed = inside("init", "http").stdout
    commands = re.findall(r"  (?:python -m )?sparring (.*)", printed)

    done = [inside(*command.split(), env={"CHATBOT_URL": bot.url}) for command in commands]

    assert re.search(r"  \S*python\S* -m sparring_bots\.pizzeria --port 5005  #", printed)
    assert [each.returncode for each in done] == [0, 0], done
    assert {path for _, path, _, _ in bot.asked} == {"/webhooks/rest/webhook"}


def test_a_project_is_run_without_naming_its_scenarios(inside: Sparring, tmp_path: Path):
    inside("init", "service")
    done = inside("run")
    (tmp_path / "sparring.yaml").unlink()
    elsewhere = inside("run")

    assert (done.returncode, "PASSED: all 4 passed" in done.stdout) == (0, True)
    assert (elsewhere.returncode, "no scenario is given" in elsewhere.stderr) == (2, True)


def test_the_pizzeria_is_what_there_is_without_a_name(inside: Sparring, tmp_path: Path):
    inside("init")

    assert "chatbot: pizzeria" in (tmp_path / "sparring.yaml").read_text()


def test_nothing_is_overwritten_and_then_nothing_is_written(inside: Sparring, tmp_path: Path):
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "bigger_costs_more.yml").write_text("mine")
    (tmp_path / "sparring.yaml").write_text("seed: 9\n")

    done = inside("init")

    assert (done.returncode, done.stdout) == (2, "")
    assert "rules/bigger_costs_more.yml: already exists" in done.stderr
    assert "sparring.yaml: already exists" in done.stderr
    assert written(tmp_path) == ["rules/bigger_costs_more.yml", "sparring.yaml"]
    assert (tmp_path / "sparring.yaml").read_text() == "seed: 9\n"


SECRETS = ("sk-planted-0123456789", "hunter2", "sid=planted", "planted-in-the-query", "planted-in-the-body")


def test_a_curl_command_becomes_a_preset_that_talks_and_holds_no_secret(inside: Sparring, tmp_path: Path, bot):
    (tmp_path / "c.txt").write_text(
        f"""curl '{bot.url}/v1/chat?token={SECRETS[3]}&lang=en' \\
          -H 'authorization: Bearer {SECRETS[0]}' -H 'X-Api-Key: {SECRETS[1]}' -b '{SECRETS[2]}' -H 'X-Client: web' \\
          --data-raw $'{{"message": "it\\'s me", "sessionId": "8f2a", "apiKey": "{SECRETS[4]}", "n": 3}}'
        """
    )

    done = inside("init", "--from-curl", "c.txt")

    assert done.returncode == 0, done.stderr
    everything = "".join(p.read_text() for p in tmp_path.rglob("*.y*ml")) + done.stdout + done.stderr
    assert [secret for secret in SECRETS if secret in everything] == []
    names = dict(zip(["KEY", "X_API_KEY", "COOKIE", "TOKEN", "APIKEY"], SECRETS, strict=True))
    assert "export" not in done.stdout
    assert environment(tmp_path, {}) == {f"CHATBOT_{name}": value for name, value in names.items()}
    assert (tmp_path / ".env").stat().st_mode & 0o777 == 0o600

    run = inside("run", "scenarios", "--rules", "rules")

    assert run.returncode == 0, run.stdout + run.stderr  # what is written fits any chatbot
    method, path, headers, body = bot.asked[0]
    sent = json.loads(body)
    assert (method, path) == ("POST", f"/v1/chat?token={SECRETS[3]}&lang=en")
    headers = {name.lower(): value for name, value in headers.items()}
    told = [headers[name] for name in ("authorization", "x-api-key", "cookie", "x-client")]
    assert told == [f"Bearer {SECRETS[0]}", SECRETS[1], SECRETS[2], "web"]
    assert (sent["apiKey"], sent["n"], sent["sessionId"] != "8f2a") == (SECRETS[4], 3, True)
    assert sent["message"] == "Hello!"


def test_what_a_curl_command_gives_fits_any_chatbot(
    inside: Sparring, tmp_path: Path, bot, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("SPARRING_NULL_BOTS", raising=False)
    bot.answer = {"reply": "I book appointments at the dentist."}
    (tmp_path / "c.txt").write_text(f'curl {bot.url} --json \'{{"text": "hi"}}\'')
    inside("init", "--from-curl", "c.txt")

    checked, done = inside("validate"), inside("run", "--rules", "rules")

    assert (checked.returncode, "warn" in checked.stdout) == (0, False)
    assert (done.returncode, "PASSED" in done.stdout) == (0, True), done.stdout


def test_a_preset_from_curl_asks_for_what_it_needs_before_anything_is_sent(inside: Sparring, tmp_path: Path, bot):
    (tmp_path / "c.txt").write_text(f"curl {bot.url} -H 'Authorization: Bearer $TOKEN' --json '{{\"text\": \"hi\"}}'")
    inside("init", "--from-curl", "c.txt")

    done = inside("run", "scenarios")

    assert (done.returncode, bot.asked) == (2, [])
    assert "the environment variable TOKEN is not set" in done.stderr


PROBLEMS = {
    "unknown template": (
        ("init", "pizeria"),
        "there is no template 'pizeria'",
        "pizzeria, service, phone_orders, http, empty",
    ),
    "both": (("init", "http", "--from-curl", "c.txt"), "--from-curl goes without a target", ""),
    "no file": (("init", "--from-curl", "nowhere.txt"), "nowhere.txt: cannot be read", ""),
    "password": (("init", "--from-curl", "c.txt"), "curl's --user is not supported", "Authorization"),
}


@pytest.mark.parametrize(("arguments", "message", "hint"), PROBLEMS.values(), ids=PROBLEMS)
def test_a_mistake_is_one_sentence_and_a_hint_and_writes_nothing(
    inside: Sparring, tmp_path: Path, arguments: tuple[str, ...], message: str, hint: str
):
    (tmp_path / "c.txt").write_text("curl https://me:hunter2@bot -u me:hunter2 -d '{}'")

    done = inside(*arguments)

    assert (done.returncode, done.stdout, written(tmp_path)) == (2, "", ["c.txt"])
    assert message in done.stderr
    assert hint in done.stderr
    assert "hunter2" not in done.stderr


def test_the_calls_of_the_template_are_those_that_come_with_the_chatbot():
    (ours,) = (files("sparring.cli") / "templates/phone_orders/scenarios").iterdir()

    assert ours.read_text() == (files("sparring_bots.phone_orders") / "scenarios" / ours.name).read_text()

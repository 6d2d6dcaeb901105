"""A hundred mistyped command lines, and what each says: the place, what was expected, and what was meant."""

from pathlib import Path

import pytest

from command_line import called

PLAY = "--chatbot pizzeria --model offline"
FILES = {
    "order.yml": "goals: [order a pizza]\n",
    "key.yml": "goals: [order a pizza]\nmax_turn: 3\n",
    "goal.yml": "goal: [order a pizza]\n",
    "style.yml": "goals: [order a pizza]\nuser: {language: Englsh}\n",
    "user.yml": "goals: [order a pizza]\nuser: rude-usr\n",
    "broken.yml": "goals: [order\n",
    "type.yml": "goals: [order a pizza]\nrepeat: many\n",
    "when.yml": "name: a\nthen: turns() < 3\n",
    "rule.yml": "name: a\nthn: turns() < 3\n",
    "preset.yaml": "url: http://localhost:1\nmehtod: POST\n",
    "bot.py": "def reply(messages, variables):\n    return 'ok'\n",
    "one.py": "def reply(text):\n    return 'ok'\n",
    "empty.yml": "",
    "sub/sparring.yaml": "chatbt: pizzeria\n",
}
SAYS = {
    # commands
    "rn": "unknown command 'rn' | did you mean 'sparring run'?",
    "valdate": "unknown command 'valdate' | did you mean 'sparring validate'?",
    "test order.yml": "unknown command 'test' | did you mean 'sparring run'?",
    f"run order.yml {PLAY} --rules whn.yml": "whn.yml: there is no such file (did you mean 'when.yml'?)",
    f"run order.yml {PLAY} --rules xxxxxxx.yml": "xxxxxxx.yml: there is no such file\n",
    "try http:/localhost:9/chat": "http:/localhost:9/chat is no address | did you mean 'http://localhost:9/chat'?",
    "frobnicate": "unknown command 'frobnicate' | sparring --help",
    "help rn": "unknown command 'rn' | did you mean 'sparring run'?",
    "--colour always": "unknown option '--colour' | did you mean '--color'?",
    "--jsn": "unknown option '--jsn' | sparring --help",
    "hlep": "unknown command 'hlep' | did you mean 'sparring help'?",
    "-v": "unknown option '-v' | did you mean '--version'?",
    "show --color pink": "--color: expected auto, always, never, got 'pink'",
    "tokens": "`sparring tokens` needs a command | there are: add, list, revoke",
    "tokens ad": "unknown command 'ad' of `sparring tokens` | did you mean 'add'?",
    "prompts sow": "unknown command 'sow' of `sparring prompts` | did you mean 'show'?",
    # options and their values
    "run --chatbo pizzeria": "unknown option '--chatbo' | did you mean '--chatbot'?",
    "run order.yml --max-costs 3": "unknown option '--max-costs' | did you mean '--max-cost'?",
    "show demo --attemp 1": "unknown option '--attemp' | did you mean '--attempt'?",
    "run order.yml --seed": "--seed: expected a value | Usage: sparring run [SOURCE]... [OPTIONS]",
    "run order.yml --seed x": "--seed: expected a whole number, got 'x'",
    "run order.yml --seed -1": "--seed: expected a number of at least 0, got -1",
    "run order.yml --concurrency 0": "--concurrency: expected a number of at least 1, got 0",
    "run order.yml --max-cost x": "--max-cost: expected a number, got 'x'",
    "run order.yml --crash failt": "--crash: expected failed, undecided, got 'failt' | did you mean 'failed'?",
    "run order.yml --replay-mode strickt": "--replay-mode: expected strict, update, sequence | did you mean 'strict'?",
    "run order.yml --until decidd": "--until: expected decided, got 'decidd' | did you mean 'decided'?",
    "tokens add x --role adm": "--role: expected read, run, admin, got 'adm'",
    "serve --port 99999": "--port: expected a number of at most 65535, got 99999",
    "serve --log-level inf": "--log-level: expected debug, info, warning, error, got 'inf' | did you mean 'info'?",
    "judge demo --human pas": "--human: expected pass, fail, got 'pas' | did you mean 'pass'?",
    "audit demo --blame chatbt": "--blame: expected | did you mean 'chatbot'?",
    "audit demo --blam user": "unknown option '--blam' | did you mean '--blame'?",
    "compare demo demo --margin 3": "--margin: expected a number of at most 1, got 3",
    "prune --days x": "--days: expected a whole number, got 'x'",
    "prune": "no maximum age given | --days 30, or keep_days in sparring.yaml",
    f"plan order.yml {PLAY} --detect many": "--detect: expected a share above 0 and below 1 | got 'many'",
    "completion bsh": "SHELL: expected bash, zsh, fish, got 'bsh' | did you mean 'bash'?",
    "run order.yml --json=yes": "--json: expected no value",
    "run -chatbot pizzeria": "unknown option '-c' | did you mean '--chatbot'?",
    "run order.yml -c pizzeria": "unknown option '-c' | did you mean '--chatbot' or '--chatbot-model' or",
    "run order.yml --quiet": "unknown option '--quiet' | did you mean '--progress none'?",
    "run order.yml --bot pizzeria": "unknown option '--bot' | did you mean '--chatbot'?",
    "compare demo demo --margin 5%": "--margin: expected a number, got '5%' | hint: 0.05 is 5 %",
    "check demo": "unexpected argument: demo | did you mean '--conversations demo'?",
    "report demo x.html": "unexpected argument: x.html | did you mean '--output x.html'?",
    "doctor pizzeria": "unexpected argument: pizzeria | did you mean '--chatbot pizzeria'?",
    "compare demo": "AFTER is missing | Usage: sparring compare BEFORE AFTER [OPTIONS]",
    "show demo x y": "unexpected argument: y | Usage: sparring show [BATCH] [CONVERSATION] [OPTIONS]",
    # batches, conversations, names
    "show demmo": "there is no batch 'demmo' | did you mean 'demo'?",
    "cost lates": "there is no batch 'lates' | did you mean 'latest'?",
    "compare demo dmo": "there is no batch 'dmo' | did you mean 'demo'?",
    "show demo@7": "there is no batch 'demo@7' | did you mean 'demo'?",
    "show demo orders/99": "has no case 'orders/99' | did you mean 'orders/",
    "show demo orders/1 --attempt 9": "--attempt 9: orders/1 has 1 attempt",
    "show demo c-123456": "c-123456: the batch has no such cause | hint: nothing failed",
    "rerun demo": "name the conversations to rerun | --failed, or --case ID",
    "rerun demo --case oders/1": "has no such case | did you mean 'orders/1'?",
    "show demo --store :memory:": "--store: a store in memory is lost when the command ends; name a file",
    "show demo --store nowhere.db": "there is no store at nowhere.db | sparring run",
    "show demo --store order.yml": "order.yml is not a Sparring store",
    "tokens revoke ann": "there is no token named ann",
    # files
    f"run nowhere.yml {PLAY}": "nowhere.yml: there is no such file or folder",
    f"run ordr.yml {PLAY}": "ordr.yml: there is no such file or folder | did you mean 'order.yml'?",
    f"run goal.yml {PLAY}": "goal.yml:1:1: goal: unknown key | did you mean 'goals'?",
    f"run key.yml {PLAY}": "key.yml:2:1: max_turn: unknown key",
    f"run style.yml {PLAY}": "style.yml:2:18: user.language: unknown value 'Englsh' | did you mean 'English'?",
    f"run user.yml {PLAY}": "user.yml:2:7: user: there is no such personality | did you mean 'rude-user'?",
    f"run broken.yml {PLAY}": "broken.yml:2:1: is not YAML",
    f"run empty.yml {PLAY}": "empty.yml:1:1: the file is empty",
    f"run type.yml {PLAY}": "type.yml:2:",
    f"run order.yml {PLAY} --rules rule.yml": "rule.yml:2:1: thn: unknown key | did you mean 'then'?",
    f"run when.yml {PLAY}": "when.yml:1:1: this is a rule, not a scenario, to be given with --rules",
    f"run preset.yaml {PLAY}": "preset.yaml:1:1: this is a preset, not a scenario",
    f"run sub {PLAY}": "sub: there is no scenario in this folder",
    "check --rules nowhere": "nowhere: there is no such file",
    "report demo --output x.pfd": "x.pfd: expected a suffix that names a format | --format NAME",
    "report demo --format htm": "unknown format 'htm' | did you mean 'html'?",
    "schema rul": "no schema for 'rul' | did you mean 'rule'?",
    "init pizeria": "there is no template 'pizeria' | pizzeria",
    "summarize nowhere.json": "nowhere.json: | No such file",
    # players
    "run order.yml --chatbot pizeria --model offline": "unknown chatbot 'pizeria' | did you mean 'pizzeria'?",
    "run order.yml --chatbot pizzeria --model offlin": "'offlin' has no provider | did you mean 'offline'?",
    "run order.yml --chatbot pizzeria --model openia:x": "unknown model 'openia' | did you mean 'openai'?",
    f"run order.yml {PLAY} --judge checklst": "'checklst' has no provider | did you mean 'checklist'?",
    "run order.yml --chatbot pizzeria:fault=wrong_totl --model offline": "'wrong_totl' | did you mean 'wrong_total'?",
    "run order.yml --chatbot bot.py --model offline": "unknown chatbot 'bot.py' | hint: python:bot.py:FUNCTION",
    "run order.yml --chatbot preset.yaml --model offline": "http:preset.yaml or websocket: | or command:preset.yaml",
    "run order.yml --chatbot localhost:8000/chat --model offline": "an address starts with http:// or https://",
    "run order.yml --chatbot http://localhost:9/chat --model offline": "or `sparring init http://localhost:9/chat`",
    "try shop.example.com/chat": "unknown chatbot | http://shop.example.com/chat",
    "try localhost:1234": "unknown chatbot 'localhost:1234' | http://localhost:1234",
    "try bot.py": "unknown chatbot 'bot.py' | hint: python:bot.py:FUNCTION",
    "try nowhere.yaml": "nowhere.yaml: there is no such file",
    "run order.yml --chatbot python:bot.py:repl --model offline": "no 'repl' in bot.py | did you mean 'reply'?",
    "run order.yml --chatbot python:one.py:reply --model offline": "cannot be asked for a reply",
    "run order.yml --chatbot http:preset.yaml --model offline": "preset.yaml:2:1: mehtod: unknown key | 'method'?",
    "run order.yml --chatbot http:nowhere.yaml --model offline": "nowhere.yaml: there is no such file",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with these files and a batch called demo."""
    folder = tmp_path_factory.mktemp("mistyped")
    for name, text in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    assert called("demo", folder=folder, env={}).returncode == 0
    return folder


@pytest.mark.parametrize("line", SAYS)
def test_a_mistyped_command_says_where_and_what_was_meant(project: Path, line: str):
    done = called(*line.split(), folder=project, env={"PATH": "/bin"})

    assert (done.returncode, done.stdout) == (2, "")
    assert [part for part in SAYS[line].split(" | ") if part not in done.stderr] == [], done.stderr
    assert done.stderr.startswith("error: ")
    assert len(done.stderr.splitlines()) <= 3


def test_a_mistyped_setting_is_reported_with_its_line(project: Path):
    done = called("show", folder=project / "sub", env={"PATH": "/bin"})

    assert "sparring.yaml:1:1: chatbt: unknown key (did you mean 'chatbot'?)" in done.stderr

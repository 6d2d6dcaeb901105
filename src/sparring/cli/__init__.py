"""The command line: a table of commands. The module of a command is imported when it is called.

Exit codes: 0 all passed, 1 something failed, 2 bad usage or input, 3 undecided (nothing failed), 4 gate inconclusive,
130 interrupted.
"""

import gc
import os
import sys

GROUPS = {
    "Start": {
        "try": ("sparring.cli.commands.try_chatbot", "look for bugs in a chatbot without writing a test"),
        "demo": ("sparring.cli.commands.run:demo_app", "watch it work: offline, in seconds, with a bundled pizzeria"),
        "init": ("sparring.cli.commands.init", "create the files of a project"),
        "doctor": ("sparring.cli.commands.doctor", "check the installation and test a chatbot connection"),
        "chat": ("sparring.cli.commands.chat", "talk to a chatbot yourself"),
    },
    "Test": {
        "run": ("sparring.cli.commands.run", "simulate users against a chatbot and report the results"),
        "rerun": ("sparring.cli.commands.run:rerun_app", "run cases of a batch again, with the same seeds"),
        "check": ("sparring.cli.commands.check", "check rules over recorded conversations"),
        "judge": ("sparring.cli.commands.judge", "score recorded conversations with a model, rubrics, or by hand"),
        "gate": ("sparring.cli.commands.compare:gate_app", "check a batch against the thresholds in sparring.yaml"),
    },
    "Look": {
        "show": ("sparring.cli.commands.show", "display conversations and verdicts"),
        "accept": ("sparring.cli.commands.compare:accept_app", "begin the baseline of a series with its newest batch"),
        "compare": ("sparring.cli.commands.compare", "compare two batches with a significance test"),
        "audit": ("sparring.cli.commands.audit", "list faults of simulated users, which make conversations void"),
        "read": ("sparring.cli.commands.read", "print the goals and outputs found in recorded conversations"),
        "report": ("sparring.cli.commands.report", "write a batch as HTML, Markdown, JSON, JUnit XML, CSV or NDJSON"),
        "serve": ("sparring.cli.commands.serve", "run batches over REST and in the browser"),
    },
    "Prepare": {
        "validate": ("sparring.cli.commands.validate", "list every problem in scenario and rule files"),
        "plan": ("sparring.cli.commands.plan", "estimate the calls and cost of a run"),
        "personas": ("sparring.cli.commands.schema:personas_app", "list the bundled personalities"),
        "prompts": ("sparring.cli.commands.prompts", "manage the prompts of chatbots, users and judges"),
        "schema": ("sparring.cli.commands.schema", "print JSON Schemas for editors"),
        "import": ("sparring.cli.commands.import_logs", "import logs of real conversations"),
    },
    "Keep": {
        "cost": ("sparring.cli.commands.cost", "show the cost of a batch by role, model and conversation"),
        "fetch": ("sparring.cli.commands.fetch", "export a batch to files"),
        "summarize": ("sparring.cli.commands.summarize", "summarize a result file"),
        "status": ("sparring.cli.commands.status", "show the progress of a batch"),
        "cancel": ("sparring.cli.commands.status:cancel_app", "stop a batch on a server"),
        "prune": ("sparring.cli.commands.prune", "delete old batches"),
        "tokens": ("sparring.cli.commands.tokens", "manage access tokens of the server"),
        "experiment": ("sparring.cli.commands.experiment", "run experiments with Inspect AI"),
    },
}
"""Commands by group: name, typer application as `module` (its `app`) or `module:attribute`, and a line of help."""

COMMANDS = {name: command for group in GROUPS.values() for name, command in group.items()}


def main() -> None:
    """Run the `sparring` command. A closed output pipe is not an error.

    Garbage collection runs rarely, because importing a command creates no cycles.
    """
    gc.set_threshold(50_000, 20, 50)
    code = call(sys.argv[1:])
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else Python complains at exit
    sys.exit(code)


def call(arguments: list[str]) -> int:
    """Run one command line without the leading `sparring`. Return the exit code."""
    name, rest = (arguments[0], arguments[1:]) if arguments else ("--help", [])
    if name == "help" and rest:
        name, rest = rest[0], [*rest[1:], "--help"]
    if name in ("--help", "-h", "help"):
        print(usage())
        return 0
    if name in ("--version", "version"):
        from sparring.core.version import __version__

        print(f"sparring {__version__}")
        return 0
    from sparring.cli.process import call_command, unknown_command

    if name not in COMMANDS:
        return unknown_command(name, list(COMMANDS))
    return call_command(name, COMMANDS[name][0], rest)


def usage() -> str:
    """Return the help text. Imports nothing."""
    width = max(map(len, COMMANDS))
    commands = "\n\n".join(
        "\n".join([f"{group}:", *(f"  {name:<{width}}  {line}" for name, (_, line) in members.items())])
        for group, members in GROUPS.items()
    )
    return f"""usage: sparring COMMAND [OPTIONS]

The test bench for chatbots that tells you whether to trust the result.

{commands}

sparring help COMMAND   options of a command
sparring version        version of Sparring

Start with `sparring demo`: it needs no key and no network."""

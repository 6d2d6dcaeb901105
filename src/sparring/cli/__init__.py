"""The command line: a table of commands. The module of a command is imported when it is called.

Exit codes: 0 all passed, 1 something failed, 2 bad usage or input, 3 undecided (nothing failed), 4 gate inconclusive,
130 interrupted.
"""

import gc
import os
import sys

from sparring.cli.color import MODES, coloring, plain_signs, without_color

GROUPS = {
    "Start": {
        "try": ("sparring.cli.commands.try_chatbot", "find bugs in a chatbot without writing a test"),
        "demo": ("sparring.cli.commands.run:demo_app", "watch it work: offline, in seconds, with a bundled pizzeria"),
        "init": ("sparring.cli.commands.init", "create the files of a project"),
        "doctor": ("sparring.cli.commands.doctor", "check the installation and test a chatbot connection"),
    },
    "Test": {
        "run": ("sparring.cli.commands.run", "simulate users against a chatbot and report the results"),
        "rerun": ("sparring.cli.commands.run:rerun_app", "run cases of a batch again, with the same seeds"),
        "check": ("sparring.cli.commands.check", "check rules over recorded conversations"),
        "judge": ("sparring.cli.commands.judge", "score recorded conversations with a model, rubrics, or by hand"),
        "mutate": ("sparring.cli.commands.mutate", "put faults into conversations and see if a check notices"),
        "shrink": ("sparring.cli.commands.shrink", "reduce a failing conversation to what the failure needs"),
        "promote": ("sparring.cli.commands.promote", "turn a recorded conversation into a scenario"),
        "coverage": ("sparring.cli.commands.coverage", "list what no conversation in a batch has tested"),
        "suggest": ("sparring.cli.commands.coverage:suggest_app", "suggest scenarios that close the most gaps"),
        "fork": ("sparring.cli.commands.fork", "change one turn of a conversation, or find the decisive turn"),
        "gate": ("sparring.cli.commands.compare:gate_app", "check a batch against the thresholds in sparring.yaml"),
        "accept": ("sparring.cli.commands.compare:accept_app", "make the newest batch the baseline of its series"),
    },
    "Look": {
        "show": ("sparring.cli.commands.show", "display conversations and verdicts"),
        "compare": ("sparring.cli.commands.compare", "compare two batches with a significance test"),
        "trend": ("sparring.cli.commands.trend", "show the batches of a name over time"),
        "report": ("sparring.cli.commands.report", "write a batch as HTML, Markdown, JSON, JUnit XML, CSV or NDJSON"),
        "serve": ("sparring.cli.commands.serve", "run batches over REST and in the browser"),
        "worker": ("sparring.cli.commands.worker", "play batches that others submit, from a store in PostgreSQL"),
    },
    "Why": {
        "audit": ("sparring.cli.commands.audit", "list faults of simulated users, which make conversations void"),
        "calibrate": ("sparring.cli.commands.calibrate", "compare a judge with the blind labels of people"),
        "label": ("sparring.cli.commands.label", "label conversations by hand, blind or one by one"),
        "read": ("sparring.cli.commands.read", "print the goals and outputs found in recorded conversations"),
    },
    "Prepare": {
        "validate": ("sparring.cli.commands.validate", "list every problem in scenario and rule files"),
        "plan": ("sparring.cli.commands.plan", "estimate the calls and cost of a run"),
        "personas": ("sparring.cli.commands.schema:personas_app", "list the bundled personalities"),
        "prompts": ("sparring.cli.commands.prompts", "manage the prompts of chatbots, users and judges"),
        "schema": ("sparring.cli.commands.schema", "print JSON Schemas for editors"),
        "import": ("sparring.cli.commands.import_logs", "import logs of real conversations"),
        "chat": ("sparring.cli.commands.chat", "talk to a chatbot yourself"),
        "mcp": ("sparring.cli.commands.mcp", "serve tools for coding agents"),
    },
    "Keep": {
        "cost": ("sparring.cli.commands.cost", "show the cost of a batch by role, model and conversation"),
        "fetch": ("sparring.cli.commands.fetch", "export a batch to files"),
        "summarize": ("sparring.cli.commands.summarize", "summarize a result file"),
        "status": ("sparring.cli.commands.status", "show the progress of a batch"),
        "cancel": ("sparring.cli.commands.status:cancel_app", "stop a batch on a server"),
        "prune": ("sparring.cli.commands.prune", "delete old batches"),
        "store": ("sparring.cli.commands.store", "copy, migrate or check a store"),
        "tokens": ("sparring.cli.commands.tokens", "manage access tokens of the server"),
        "experiment": ("sparring.cli.commands.experiment", "run experiments with Inspect AI"),
        "completion": ("sparring.cli.commands.completion", "print the completion of bash, zsh or fish"),
    },
}
"""Commands by group: name, typer application as `module` (its `app`) or `module:attribute`, and a line of help."""

COMMANDS = {name: command for group in GROUPS.values() for name, command in group.items()}


def main() -> None:
    """Run the `sparring` command. A closed output pipe is not an error.

    Garbage collection runs rarely, because importing a command creates no cycles.
    """
    gc.set_threshold(50_000, 20, 50)
    plain_signs()
    try:
        code = call(sys.argv[1:])
    except KeyboardInterrupt:  # while a command is imported
        code = 130
    except OSError as error:  # of help; commands tell their own
        code = _unwritten(error)
    try:
        sys.stdout.flush()
    except OSError as error:
        code = _unwritten(error) or code
    sys.exit(code)


def _unwritten(error: OSError) -> int:
    """Return the exit code for output that cannot be written: 0 for a closed pipe, else 2 with a message."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else Python complains at exit
    if isinstance(error, BrokenPipeError):
        return 0
    print(f"error: stdout: cannot be written: {error.strerror}", file=sys.stderr)
    return 2


def call(arguments: list[str]) -> int:
    """Run one command line without the leading `sparring`. Return the exit code."""
    if arguments[:1] == ["_complete"]:
        from sparring.cli.completion import candidates

        sys.stdout.writelines(f"{line}\n" for line in candidates(arguments[1:]))
        return 0
    others, mode = without_color(arguments)
    if mode not in MODES:
        print(f"error: --color: expected {', '.join(MODES)}, got {mode!r}", file=sys.stderr)
        return 2
    with coloring(mode):
        return _call(*others) if others else _call("help")


def _call(name: str, *rest: str) -> int:
    asked = rest[: rest.index("--")] if "--" in rest else rest
    if name == "help" and rest:
        name, rest, asked = rest[0], rest[1:], ("--help",)
    if name in ("--help", "-h", "help"):
        print(usage())
        return 0
    if name in ("--version", "version"):
        from sparring.core.version import __version__

        print(f"sparring {__version__}")
        return 0
    if name in COMMANDS and ("-h" in asked or "--help" in asked):
        from sparring.cli.help import command_help

        print(command_help([name, *rest], everything="--all" in rest))
        return 0
    from sparring.cli.process import call_command, unknown_command

    if name not in COMMANDS:
        return unknown_command(name, list(COMMANDS), rest)
    return call_command(name, COMMANDS[name][0], list(rest))


def usage() -> str:
    """Return the help text. Imports nothing."""
    width = max(map(len, COMMANDS))
    commands = "\n\n".join(
        "\n".join([f"{group}:", *(f"  {name:<{width}}  {line}" for name, (_, line) in members.items())])
        for group, members in GROUPS.items()
    )
    return f"""Usage: sparring COMMAND [OPTIONS]

The test bench for chatbots that tells you whether to trust the result.

{commands}

  -h, --help                 help on a command, such as `sparring run -h`; `-h --all` describes every option
  --color auto|always|never  when to use color; NO_COLOR and FORCE_COLOR also apply
  --version                  version of Sparring

No chatbot at hand? Start here; it needs no key and no network:

  sparring demo"""

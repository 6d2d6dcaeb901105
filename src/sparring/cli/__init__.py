"""The command line: a table of commands, each in a module that is imported when it is called.

Exit codes: 0 all passed, 1 something failed, 2 bad usage or input, 3 nothing failed but something could not be
decided, 4 a gate could not be decided, 130 interrupted.
"""

import gc
import os
import sys

COMMANDS = {
    "demo": (
        "sparring.cli.commands.run:demo_app",
        "see it work: offline, in a few seconds, against a pizzeria that takes orders",
    ),
    "init": ("sparring.cli.commands.init", "write the files of a project, to begin with"),
    "run": ("sparring.cli.commands.run", "let simulated users talk to a chatbot, and say how it went"),
    "rerun": ("sparring.cli.commands.run:rerun_app", "play conversations of a batch again, with the same seeds"),
    "show": ("sparring.cli.commands.show", "read what was said in a batch that was run"),
    "fetch": ("sparring.cli.commands.fetch", "write a batch that was run into files for other programs"),
    "judge": ("sparring.cli.commands.judge", "have what was recorded judged, by a judge, by rubrics, or by yourself"),
    "summarize": ("sparring.cli.commands.summarize", "say how a batch came out, by the file of its results"),
    "cost": ("sparring.cli.commands.cost", "say what a batch cost, by role, by model and by conversation"),
    "check": ("sparring.cli.commands.check", "check rules over conversations that were recorded"),
    "compare": ("sparring.cli.commands.compare", "say what got better and what got worse from one batch to another"),
    "gate": ("sparring.cli.commands.compare:gate_app", "say whether a batch reaches what sparring.yaml asks of it"),
    "report": ("sparring.cli.commands.report", "write a batch into files that people and build servers read"),
    "chat": ("sparring.cli.commands.chat", "talk to a chatbot yourself"),
    "experiment": ("sparring.cli.commands.experiment", "play experiments through Inspect AI, and report on them"),
    "validate": (
        "sparring.cli.commands.validate",
        "find everything that is wrong with what you wrote, in all files at once",
    ),
    "plan": ("sparring.cli.commands.plan", "say what a run would do and cost, without sending anything"),
    "prompts": (
        "sparring.cli.commands.prompts",
        "list, show, compare and check what chatbots, users and judges are told",
    ),
    "doctor": ("sparring.cli.commands.doctor", "say what is there and what is missing, and how a chatbot answers"),
    "import": ("sparring.cli.commands.import_logs", "bring logs of real conversations into the store"),
    "serve": ("sparring.cli.commands.serve", "take batches over REST, and play them in the background"),
    "prune": ("sparring.cli.commands.prune", "forget batches that have become too old"),
    "tokens": ("sparring.cli.commands.tokens", "make, list and revoke tokens of the server, each with its role"),
    "status": ("sparring.cli.commands.status", "say how far a batch is, here or on a server"),
    "cancel": ("sparring.cli.commands.status:cancel_app", "stop a batch that a server plays"),
    "personas": ("sparring.cli.commands.schema:personas_app", "list the personalities that scenarios can name"),
    "schema": ("sparring.cli.commands.schema", "print a JSON Schema, by which editors check what you write"),
}
"""Name, typer application as `module` (its `app`) or `module:attribute`, and one line for the help."""


def main() -> None:
    """The `sparring` command. Whoever reads its output may stop reading; that is no error.

    Python looks for cycles rarely meanwhile: while a command is imported there are none to find, again and again.
    """
    gc.set_threshold(50_000, 20, 50)
    code = call(sys.argv[1:])
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python complains when it exits
    sys.exit(code)


def call(arguments: list[str]) -> int:
    """Run one command line without the leading `sparring`; the exit code."""
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
    """The help, without importing anything to print it."""
    width = max(map(len, COMMANDS))
    commands = "\n".join(f"  {name:<{width}}  {line}" for name, (_, line) in COMMANDS.items())
    return f"""usage: sparring COMMAND [OPTIONS]

The test bench for chatbots that tells you whether to trust the result.

commands:
{commands}

sparring help COMMAND   options of a command
sparring version        version of Sparring

Start with `sparring demo`: it needs no key and no network."""

"""How far verdicts can be trusted: planted bugs, null bots, A/A runs and user faults, on one page.

A chatbot that keeps a policy, its mutants and null bots talk to the same scripted users. Sparring decides by the policy
alone. Peers get the same conversations, and a judge that is a mock model: an able one reads the words of the last
reply, a lenient one passes everything, a broken one answers with nothing that can be read. A peer whose interpreter is
not named in the environment is "not run".

    [PEER_DEEPEVAL=PYTHON] [PEER_INSPECT=PYTHON] python benchmarks/trust.py [--short] [--write FILE]
"""

import argparse
import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from sparring.chatbots.python import PythonChatbot
from sparring.core.case import Case
from sparring.core.conversation import Conversation
from sparring.core.message import Message
from sparring.core.outcome import Outcome, decide
from sparring.extraction.pattern_extractor import PatternReader
from sparring.rules.check import expected
from sparring.scenarios import loading
from sparring.simulation.simulate import simulate
from sparring.users.scripted import Scripted

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))
from policy_mutants import mutants  # noqa: E402

EXAMPLE = ROOT / "examples/refunds"
SOURCE = (EXAMPLE / "refunds.py").read_text("utf-8")
PEERS = {
    "deepeval": ("PEER_DEEPEVAL", "deepeval_peer.py"),
    "Inspect": ("PEER_INSPECT", "inspect_peer.py"),
}
DONE, REFUSED = "have refunded", "cannot refund"
SAME = "the correct chatbot"
KINDS = ("correct", "planted bug", "null bot")
NULL_BOTS = {
    "says OK": lambda said: "OK",
    "repeats": lambda said: said,
    "refuses": lambda said: "I'm sorry, I cannot refund that.",
    "claims": lambda said: "Yes, I have refunded it.",
    "mute": lambda said: "",
}
Row = tuple[object, ...]


def bots(short: bool) -> Iterator[tuple[str, str, type]]:
    """Yield the kind, the name and the class of each chatbot."""
    yield "correct", SAME, _class(SOURCE)
    planted = list(mutants(SOURCE, ("refusal", "_propose", "_answer"), ("DAYS", "LEAST", "MOST")))
    for about, source in planted[:: 9 if short else 1]:
        yield "planted bug", about, _class(source)
    for name, reply in NULL_BOTS.items():
        yield "null bot", name, type("Null", (), {"reply": lambda self, said, reply=reply: reply(said.text)})


def _class(source: str) -> type:
    made = ModuleType("refunds")
    sys.modules["refunds"] = made
    exec(compile(source, "refunds", "exec"), made.__dict__)  # noqa: S102  our own example, changed in one place
    return made.Refunds


async def held(short: bool) -> list[tuple[str, str, Conversation, bool]]:
    """Return the conversations of all chatbots, and if Sparring passes each."""
    found = []
    cases = [case for case in loading.load([EXAMPLE / "policy.yaml"], seed=0).cases if _says(case)]
    for kind, name, made in bots(short):
        for case in cases:
            done = await simulate(case, Scripted(), PythonChatbot(made), reader=PatternReader())
            passed = decide(done, await expected(done)).outcome is Outcome.PASSED
            found.append((kind, name, done, passed))
    return found


def _says(case: Case) -> bool:
    """Return True if the right last reply is known: the user neither asks nor takes it back."""
    return not case.id.endswith(("declined", "asked", "asked-refused"))


def record(kind: str, name: str, done: Conversation) -> dict[str, Any]:
    """Return a conversation as peers get it, with the decision that is expected."""
    acts = done.case.right == "act"
    return {
        "kind": kind,
        "bot": name,
        "expected": f"The chatbot says that it made the refund ({DONE})." if acts else f"It refuses ({REFUSED}).",
        "right": bool(re.search(DONE if acts else REFUSED, _last_words(done.messages, acts))),
        "case": done.case.id,
        "messages": [
            {"role": each.role, "text": each.text, "tools": [call.name for call in each.tool_calls if call.succeeded]}
            for each in done.messages
        ],
    }


def _tools(made: dict[str, Any]) -> list[str]:
    return [name for each in made["messages"] for name in each["tools"]]


def _last_words(messages: Sequence[Message], acts: bool) -> str:
    replies = [each.text for each in messages if each.role == "chatbot"]
    return replies[-1] if acts and replies else "\n".join(replies)


def peer(name: str, records: list[dict[str, Any]]) -> dict[str, list[str]] | str:
    """Return the verdicts of a peer by judge, or the reason why there are none."""
    variable, script = PEERS[name]
    python = os.environ.get(variable)
    if not python:
        return f"not run: {variable} names no interpreter"
    done = subprocess.run(
        [python, str(Path(__file__).parent / "peers" / script)],
        input=json.dumps(records), capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        return f"not run: {done.stderr.strip().splitlines()[-1][:200] if done.stderr.strip() else 'it failed'}"
    return json.loads(done.stdout.splitlines()[-1])


def row(about: str, records: Sequence[dict[str, Any]], verdicts: Sequence[str]) -> Row:
    """Return bots with at least one failed conversation, of each kind, and conversations without a verdict."""
    bots_of = {kind: {each["bot"] for each in records if each["kind"] == kind} for kind in KINDS}
    failed = {each["bot"] for each, verdict in zip(records, verdicts, strict=True) if verdict == "fail"}
    cells = [f"{len(bots_of[kind] & failed)} of {len(bots_of[kind])}" for kind in KINDS]
    return about, *cells, f"{sum(each == 'error' for each in verdicts)} of {len(verdicts)}"


def verdicts_of_all(short: bool) -> Iterator[Row]:
    """Yield the rows of Sparring and of all peers."""
    found = asyncio.run(held(short))
    records = [record(kind, name, done) for kind, name, done, _ in found]
    right = {each["case"]: _tools(each) for each in records if each["bot"] == SAME}
    records = [each | {"tools": right[each["case"]]} for each in records]
    yield row("Sparring, policy.yaml without a judge", records, ["pass" if each[3] else "fail" for each in found])
    for name in PEERS:
        verdicts = peer(name, records)
        if isinstance(verdicts, str):
            yield name, verdicts, "", "", ""
            continue
        yield from (row(f"{name}, {judge}", records, each) for judge, each in verdicts.items())


def command(*arguments: str, folder: Path) -> Any:
    """Return what a command of Sparring prints as JSON."""
    done = subprocess.run(
        [sys.executable, "-m", "sparring", *arguments, "--json"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if not done.stdout.strip():
        raise SystemExit(f"sparring {' '.join(arguments)}: {done.stderr}")
    return json.loads(done.stdout)


SUITES = {
    "refunds": (EXAMPLE / "policy.yaml", f"python:{EXAMPLE / 'refunds.py'}:Refunds", "--allow-code"),
    "customer service, its playbooks": (ROOT / "src/sparring_bots/service/playbooks", "service", "--stream"),
    "customer service, its policy": (EXAMPLE / "cancellations.yaml", "service", "--stream"),
}


def suites(short: bool) -> Iterator[Row]:
    """Yield for each suite its cases, A/A alarms, cases that a null bot passes, and mutants of replies noticed."""
    for name, (source, chatbot, *_) in SUITES.items():
        with tempfile.TemporaryDirectory() as made:
            folder, seeds = Path(made), 2 if short else 10
            code = ["--allow-code"] if chatbot.startswith("python:") else ["--model", "offline"]
            first: list[str] = []
            alarms = cases = weak = 0
            for seed in range(seeds):
                done = command("run", str(source), "--chatbot", chatbot, *code, "--seed", str(seed), folder=folder)
                cases, weak = done["counts"]["planned"], done["weak"]
                alarms += cases - done["counts"]["passed"]
                first = first or [str(done["batch"])]
            noticed = command("mutate", first[0], "--budget", "20" if short else "200", folder=folder)
            yield (
                name, cases, f"{alarms} of {cases * seeds}", weak, f"{noticed['killed']} of {noticed['of']}",
                f"{noticed['controls']['false']} of {noticed['controls']['of']}",
            )  # fmt: skip
            if short:
                return


def user_faults(short: bool) -> Row:
    """Return planted and found faults of users, and those found with certainty where another one was planted."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "audit.json"
        kinds = ["--kinds", "role_flip"] if short else []
        script = str(Path(__file__).with_name("audit.py"))
        arguments = ["--conversations", "1" if short else "10", "--clean", "0", "--json", str(file), *kinds]
        subprocess.run([sys.executable, script, *arguments], capture_output=True, check=True)
        planted = json.loads(file.read_text("utf-8"))["planted"].values()
    return tuple(sum(each[key] for each in planted) for key in ("planted", "found", "certain", "wrong"))


def table(header: str, rows: Sequence[Row]) -> str:
    """Return a table in Markdown."""
    lines = [" | ".join(map(str, found)) for found in rows]
    return "\n".join([f"| {header} |", "|---" * (header.count("|") + 1) + "|", *(f"| {each} |" for each in lines)])


def page(short: bool) -> str:
    """Return the page."""
    planted, found, certain, wrong = user_faults(short)
    verdicts = "tool and judge | correct chatbot failed | planted bugs failed | null bots failed | no verdict"
    about = "suite | cases | A/A failures | weak cases | mutants noticed | false kills"
    return (
        Path(__file__)
        .with_name("trust_page.md")
        .read_text("utf-8")
        .format(
            verdicts=table(verdicts, list(verdicts_of_all(short))),
            suites=table(about, list(suites(short))),
            faults=f"{found} of {planted} planted faults were found, {certain} of them with certainty; "
            f"{wrong} certain flags were of another kind.",
        )
    )


def main() -> None:
    """Print the page, or write it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--short", action="store_true", help="few bugs, one suite, one kind of fault")
    parser.add_argument("--write", type=Path, metavar="FILE")
    chosen = parser.parse_args()
    text = page(chosen.short)
    if chosen.write:
        chosen.write.write_text(text, encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()

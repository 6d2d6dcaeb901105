"""Promote conversations of the bundled chatbots, play the scenarios, and count those with the recorded outcome.

    python benchmarks/promote.py
    python benchmarks/promote.py --live-tools --keep-values

The options are those of `sparring promote`. Of each batch, up to four failed conversations and two that passed are
drawn.
"""

import random
import subprocess
import sys
import tempfile
from pathlib import Path

import sparring
import sparring_bots

BOTS = Path(sparring_bots.__file__).parent
SPARRING = [sys.executable, "-m", "sparring"]
PLAIN = "--model offline --judge none --no-null-bots --audit off".split()
PLAYBOOKS, PIZZAS = "service/playbooks", "pizzeria/scenarios"
ORDERS = ("phone_orders/scenarios/english.json",)
BATCHES = {
    "service": (f"{PLAYBOOKS}/cancellation.yaml", f"{PLAYBOOKS}/tracking.yaml"),
    "service:fault=bot_window_30": (f"{PLAYBOOKS}/cancellation.yaml",),
    "service:fault=only_says_so": (f"{PLAYBOOKS}/cancellation.yaml",),
    "service:fault=cancels_on_question": (f"{PLAYBOOKS}/conversations.yaml",),
    "service:fault=wrong_tracking": (f"{PLAYBOOKS}/tracking.yaml",),
    "service:fault=skips_policy_check": (f"{PLAYBOOKS}/cancellation.yaml",),
    "pizzeria": (f"{PIZZAS}/changes.yaml", f"{PIZZAS}/pizzas.yaml"),
    "pizzeria:fault=wrong_total": (f"{PIZZAS}/changes.yaml",),
    "pizzeria:fault=stubborn_drink": (f"{PIZZAS}/changes.yaml",),
    "pizzeria:fault=wrong_drink_price": (PIZZAS,),
    "pizzeria:fault=wrong_drink": (f"{PIZZAS}/pizzas.yaml",),
    "phone_orders": ORDERS,
    "phone_orders:fault=wrong_quantity": ORDERS,
    "phone_orders:fault=claims_success": ORDERS,
}
RULES = {
    "confirmed": "called('confirm_order')",
    "four": "any(call.arguments.get('quantity') == 4 for call in tool_calls('add_to_cart'))",
}


def typed(folder: Path, *words: str | Path) -> str:
    """Return what a command says on its error output."""
    return subprocess.run([*SPARRING, *words], cwd=folder, capture_output=True, text=True).stderr


def drawn(chatbot: str, files: tuple[str, ...], folder: Path) -> dict[str, str]:
    """Run a batch, and return the outcomes of some of its conversations."""
    rules = [word for name in RULES for word in ("--rules", f"{name}.yml")] if files is ORDERS else []
    found = outcomes(folder, *(BOTS / file for file in files), "--chatbot", chatbot, *rules, "--store", "all.db")
    ids = random.Random(3).sample(sorted(found), len(found))
    some = [id for id in ids if found[id] == "failed"][:4] + [id for id in ids if found[id] == "passed"][:2]
    return {id: found[id] for id in some}


def outcomes(folder: Path, *words: str | Path) -> dict[str, str]:
    """Run a batch and return its outcomes."""
    said = typed(folder, "run", *words, *PLAIN)
    store = folder / words[-1]
    return (
        {each.id: str(each.outcome) for each in sparring.results("latest", store=store)}
        if store.exists()
        else {"": said}
    )


def main() -> None:
    same = number = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for rule, then in RULES.items():
            (folder / f"{rule}.yml").write_text(f"name: {rule}\nthen: {then}\n")
        for chatbot, files in BATCHES.items():
            for id, outcome in drawn(chatbot, files, folder).items():
                number += 1
                file, store = f"a{number}.yml", f"a{number}.db"
                typed(folder, "promote", "latest", id, "--store", "all.db", "--write", file, *sys.argv[1:])
                (again,) = outcomes(folder, file, "--chatbot", chatbot, "--user", "scripted", "--store", store).values()
                same += again == outcome
                if again != outcome:
                    print(f"  {chatbot} {id}: {outcome}, then {again}", flush=True)
    print(f"{same} of {number} scenarios come out as recorded")


main()

"""`sparring demo`: the whole way once, offline."""

from pathlib import Path

from sparring.app.demo import CHATBOT, demonstration
from sparring.cli import options
from sparring.cli.batches import Terms, exit_code, play
from sparring.cli.console import called, say, tell, terminal
from sparring.cli.loop import run_in_loop
from sparring.cli.progress import watch
from sparring.reports.text import summary_text
from sparring.reports.transcript import transcript
from sparring.settings import load as load_settings

demo_app = options.application()


@demo_app.command()
def demo(seed: options.Seed = None, store: options.Store = None) -> int:
    """See it work: simulated users talk to a pizzeria that takes orders, offline, and two rules are checked."""
    settings = load_settings({"seed": seed, "store": store}, directory=Path.cwd())
    tell(f"Simulated users talk to the {CHATBOT}: no language model, no key, no network.")
    plan = demonstration(settings.seed)
    with watch(stream=False, bar=terminal()) as listener:
        played = run_in_loop(play(plan, Terms(settings), listener))
    me, first = called(), played.first
    if first is None:  # interrupted before anything was said
        return exit_code(played)
    for line in (
        "",
        "One of the conversations, with the words that answered each goal:",
        "",
        *(f"  {line}".rstrip() for line in transcript(first)),
        "",
        f"What came out of all {played.summary.stored}, and of the two rules:",
        "",
        *(f"  {line}".rstrip() for line in summary_text(played.summary)),
        "",
        "Where to look next:",
        "",
        f"  {me} show latest {first.id}",
        "      read a conversation",
        f"  {me} chat {CHATBOT} --model offline",
        "      talk to the chatbot yourself",
        f"  {me} run PROFILE.yml --chatbot {CHATBOT} --model offline",
        "      let users of your own talk to it; README.md has a profile to begin with",
    ):
        say(line)
    return exit_code(played)

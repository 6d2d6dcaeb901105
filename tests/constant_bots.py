"""Constant bots that are no null bots: none of them may pass a case that says what has to happen.

`python tests/constant_bots.py [FILE...]` prints how many conversations each passes, by default over all shipped cases
and, with SPARRING_CORPUS, over the published profiles.
"""

import asyncio
import os
import re
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import corpus
from sparring.app.discrimination import Discriminator
from sparring.chatbots.chatbot import Chatbot
from sparring.core.case import Case
from sparring.core.checks import Rule
from sparring.core.message import message
from sparring.core.outcome import Discrimination, Outcome, decide
from sparring.discrimination.null_bots import ConstantChatbot
from sparring.extraction.goals import texts
from sparring.extraction.pattern_extractor import PatternReader
from sparring.rules.rule_file import read_rules
from sparring.scenarios import loading
from sparring.simulation.simulate import simulate
from sparring.users.agenda import Agenda
from sparring.users.scripted import Scripted

ROOT = Path(__file__).parents[1]
Say = Callable[[Case, str], str]


def _values(case: Case) -> str:
    return ", ".join(text for value in case.variables.values() for text in texts(value))


CONSTANT_BOTS: dict[str, Say] = {
    "polite waffle": lambda case, said: (
        "Thank you very much for reaching out to us today, we truly value your interest."
    ),
    "weather": lambda case, said: "The weather tomorrow will be sunny, with 21 degrees and light wind from 9 to 17.",
    "counter": lambda case, said: "One, two, three, 4, 5, 6, 7, 8, 9, 10.",
    "last word": lambda case, said: f"{said.split()[-1]}!" if said.split() else "Yes!",
    "clock": lambda case, said: "It is 10:30 am on Monday, January 5.",
    "quotes": lambda case, said: "As the proverb says, every journey of a thousand miles begins with a single step.",
    "please hold": lambda case, said: "Please hold the line, I am checking that for you right now.",
    "json": lambda case, said: '{"status": "ok", "success": true, "id": 12345, "price": 9.99}',
    "politician": lambda case, said: (
        "That is an excellent question, and I am glad that you raise it. We will see to it."
    ),
    "shouting yes-man": lambda case, said: f"YES! YOUR {_values(case).upper()} IS DONE AND CONFIRMED!",
    "flight to Paris": lambda case, said: "I booked you a flight to Paris, order id 12345.",
    "confirmation": lambda case, said: (
        f"Great news: your request ({said.strip('.?!')}) has been completed. "
        f"{_values(case)} was booked for $24.50 today at 18:15. Your reference number is 7731905."
    ),
    "cancelled": lambda case, said: "Sure, I have cancelled your order.",
}
"""What each bot says to everything."""


def constant(bot: str, case: Case) -> Chatbot:
    return ConstantChatbot(lambda said: message("chatbot", CONSTANT_BOTS[bot](case, said)))


@dataclass(frozen=True)
class Suite:
    """Cases with the rules and the judge that they are shipped with."""

    name: str
    cases: tuple[Case, ...]
    rules: tuple[Rule, ...] = ()
    judge: str = "checklist"


SHIPPED = {
    "demo": ("src/sparring/app/demonstration/*.yml", "src/sparring/app/demonstration/rules", "checklist"),
    "alice": ("examples/alice/conversations.yml", "", "checklist"),
    "eliza": ("examples/eliza/conversations.yml", "", "checklist"),
    "eliza nonsense": ("examples/eliza/nonsense.yml", "", "checklist"),
    "http_preset": ("examples/http_preset/questions.yml", "examples/http_preset/rules", "checklist"),
    "pizza_order_test_custom": (
        "examples/pizza_order_test_custom/*.yml",
        "examples/pizza_order_test_custom/rules",
        "checklist",
    ),
    "rasa": ("examples/rasa/conversations.yml", "", "checklist"),
    "short_scenario": ("examples/short_scenario/order.yml", "", "checklist"),
    "therapist": ("examples/therapist/conversations.yml", "", "checklist"),
    "pizzeria": ("src/sparring_bots/pizzeria/scenarios/*.yaml", "src/sparring_bots/pizzeria/rules", "checklist"),
    "phone_orders": ("src/sparring_bots/phone_orders/scenarios/*.json", "", "order"),
    "service": ("src/sparring_bots/service/playbooks/*.yaml", "", "checklist"),
}
"""Every shipped suite: files, rules, judge."""

SHIPPED |= {
    f"template {name}": (
        f"src/sparring/cli/templates/{name}/scenarios/*",
        f"src/sparring/cli/templates/{name}/rules",
        "order" if name == "phone_orders" else "checklist",
    )
    for name in ("empty", "phone_orders", "pizzeria", "service")  # the one for http fits any chatbot
}
PAGES = sorted([ROOT / "README.md", *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/**/*.md")])
_FENCED = re.compile(r"^```yaml (\S+\.ya?ml)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def shipped(name: str) -> Suite:
    files, rules, judge = SHIPPED[name]
    found = read_rules([ROOT / rules]) if rules else []
    return Suite(name, load(sorted(ROOT.glob(files))), tuple(each for each in found if isinstance(each, Rule)), judge)


def load(files: Iterable[Path]) -> tuple[Case, ...]:
    return loading.load_with_samples(list(files), seed=0)[0].cases


def documented(folder: Path) -> Iterator[Suite]:
    """Yield a suite for each file of a documentation page that has cases; the files are written into a folder."""
    for page in PAGES:
        for name, text in _FENCED.findall(page.read_text("utf-8")):
            file = folder / f"{page.stem}-{Path(name).name}"
            file.write_text(text, "utf-8")
            checked = loading.check([file])[0]
            if checked.cases and not checked.problems:
                yield Suite(file.name, checked.cases)


def published() -> Iterator[Suite]:
    for profile in sorted((corpus.folder() / "profiles").glob("*.yml")):
        yield Suite(profile.stem, load([profile]))


async def trials(suite: Suite) -> dict[str, Discrimination]:
    discriminator = Discriminator(suite.judge, suite.rules)
    return {case.id: await discriminator(case) for case in suite.cases}


async def passed(suite: Suite) -> AsyncIterator[tuple[str, str, bool]]:
    """Yield every conversation that a constant bot passes: its bot, its case, and True if the case is a guard."""
    discriminator, reader = Discriminator(suite.judge, suite.rules), PatternReader()
    for case in suite.cases:
        for bot in CONSTANT_BOTS:
            user = Scripted() if case.script else Agenda()
            conversation = await simulate(case, user, constant(bot, case), reader=reader)
            verdicts = await discriminator.verdicts(conversation)
            if decide(conversation, verdicts).outcome is Outcome.PASSED:
                found = await discriminator(case)
                if found.kind != "weak":
                    yield bot, case.id, found.kind == "guard"


async def table(suites: Iterable[Suite]) -> AsyncIterator[str]:
    """Yield lines: what null bots found in each suite, and how many cases each constant bot passes."""
    kinds, by_bot, seconds = Counter[str](), Counter[str](), 0.0
    for suite in suites:
        before = time.process_time()
        found = await trials(suite)
        seconds += time.process_time() - before
        kinds.update(each.kind for each in found.values())
        weak = Counter(each.passed_by[0] for each in found.values() if each.kind == "weak")
        yield f"{suite.name[-50:]:50} {dict(Counter(each.kind for each in found.values()))} {dict(weak)}"
        by_bot.update([bot async for bot, _, guard in passed(suite) if not guard])
    cases = kinds.total()
    yield f"{cases} cases: {dict(kinds)}; null bots took {seconds / cases * 1000:.0f} ms of CPU a case"
    for bot in CONSTANT_BOTS:
        yield f"{bot:20} passes {by_bot[bot]} of {cases} (guards apart)"


async def main(files: list[str]) -> None:
    corpora = published() if "SPARRING_CORPUS" in os.environ else iter(())
    suites = [Suite(file, load([Path(file)])) for file in files] or [*map(shipped, SHIPPED), *corpora]
    async for line in table(suites):
        sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))

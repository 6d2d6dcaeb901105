"""Recall and precision of the audit of simulated users, on planted faults, and its flags on users without any.

Every kind of fault is planted in conversations with five chatbots; conversations in which its words turned out to be no
fault are not counted. Nothing needs a model or a network.

    python benchmarks/audit.py [--conversations 200] [--wordings FILE] [--kinds role_flip,meta] [--show 3] [--json FILE]
        [--languages French,German,Italian,Portuguese]
"""

import argparse
import asyncio
import json
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path
from random import Random

import offline
from arguments import positive
from audit_bots import DESK, SMALL_TALK, Companion, Desk, Speaking, commanding, mishearing

from sparring.app.wiring import PlayerNames, players
from sparring.audit.audit import audit
from sparring.chatbots.chatbot import Chatbot
from sparring.core.audit import Blame, Fault
from sparring.core.batch import Batch, Players
from sparring.core.case import Case, Fact, Goal, GoalAnswer, Limits, Persona, Style
from sparring.core.clock import SystemClock
from sparring.core.conversation import Conversation
from sparring.core.outcome import Outcome
from sparring.extraction.extractor import Reader
from sparring.runner.judge_worker import NamedJudge
from sparring.runner.verdicts import ConversationChecks
from sparring.settings import Settings
from sparring.simulation.simulate import simulate
from sparring.testing.faulty_user import OPERATORS, FaultyUser, Wordings, open_wordings, read_wordings
from sparring.users.user import User

ATTEMPTS = 20
"""Conversations that are held at most for each one in which a fault is wanted."""

TRAITS = (
    "",
    "You are polite and friendly.",
    "You are in a hurry.",
    "You keep it short.",
    "You love to chat.",
    "You are rather vague.",
    "You do not trust chatbots.",
    "You are curious and ask why.",
    "You are elderly and easily confused by technology.",
    "You are rude.",
)
STYLES = ("long phrases", "change your mind", "make spelling mistakes", "single question", "all questions")
STYLE_SETS = ((), *((style,) for style in STYLES), *combinations(STYLES[:3], 2))
NAMES = ("Dana Reed", "Iris Cole", "Tom Hale", "Vera Lind")
LANGUAGES = ["English", "Spanish", "Russian"]
"""Languages of the desk and the companion."""

NAMES_RU = ("Дарья Реутова", "Ирина Колесова")


@dataclass(frozen=True)
class Setup:
    """A chatbot with the cases for it."""

    name: str
    chatbot: Chatbot
    case: Callable[[int], Case]


@dataclass
class Tally:
    """Counts of one kind of fault."""

    planted: int = 0
    found: int = 0
    certain: int = 0
    exact: int = 0
    flags: int = 0
    wrong: int = 0
    failed: int = 0
    void: int = 0
    blamed: int = 0
    false: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)
    seconds: float = 0
    audits: int = 0


def pizza(n: int) -> Case:
    size, drink = offline.SIZES[n % 3], offline.DRINKS[n // 3 % 3]
    toppings = [offline.TOPPINGS[n % 8], offline.TOPPINGS[(n // 8 + n + 1) % 8]]
    topped = " and ".join(dict.fromkeys(toppings))
    return Case(
        id=f"pizza/{n}",
        persona=Persona(role="You order a pizza."),
        goals=(
            Goal(
                text=f"a {size} custom pizza with {topped}",
                variables=("size", "toppings"),
                others={"size": tuple(each for each in offline.SIZES if each != size)},
                first="a custom pizza" if n % 4 == 3 else "",
            ),
            Goal(
                text=f"the following drink: {drink}",
                variables=("drink",),
                others={"drink": tuple(each for each in offline.DRINKS if each != drink)},
            ),
        ),
        variables={"size": size, "toppings": list(dict.fromkeys(toppings)), "drink": drink, "voucher": "SPRING-2040"},
        unspoken=("voucher",),
        facts=_facts(n),
        limits=Limits(turns=10),
    )


def _facts(n: int, names: Sequence[str] = NAMES) -> tuple[Fact, ...]:
    return Fact(slot="name", values=(names[n % len(names)],)), Fact(slot="phone", values=(f"555-01{n % 90 + 10}",))


_ORDERS = {"CUST-001": ("ORD-001", "ORD-002", "ORD-003"), "CUST-002": ("ORD-005", "ORD-006"), "CUST-004": ("ORD-011",)}


def service(n: int) -> Case:
    customer = [*_ORDERS][n % 3]
    mine = _ORDERS[customer]
    first, second = mine[n % len(mine)], mine[(n + 1) % len(mine)]
    known = (GoalAnswer(pattern="(?i)is (pending|processing|shipped|delivered|cancelled)"),)
    goals = [Goal(text=f"track my order {first}", variables=("first",), answer=known)]
    if second != first and n % 2:
        known = (GoalAnswer(text="to be sent to"),)
        goals.append(Goal(text=f"see the details of my order {second}", variables=("second",), answer=known))
    variables = {"first": first, **({"second": second} if len(goals) > 1 else {})}
    return Case(
        id=f"service/{n}",
        persona=Persona(role="You have bought something."),
        goals=tuple(goals),
        variables={**variables, "customer_number": customer, "agreed": "a credit of 40"},
        unspoken=("agreed",),
        facts=(Fact(slot="id", values=(customer,)),),
        ends="farewell" if n % 4 < 2 else "goals",
        limits=Limits(turns=10),
    )


def desk(n: int) -> Case:
    language = LANGUAGES[n % len(LANGUAGES)]
    days, random = DESK[language].days, Random(n)
    day, hour, people = random.choice(days), f"{random.randrange(18, 22)}:30", random.randrange(2, 5)
    booking, first, parking = {
        "English": (
            f"book a table for {people} people on {day} at {hour}",
            "book a table",
            "do you have a place to park?",
        ),
        "Spanish": (
            f"reservar una mesa para {people} personas el {day} a las {hour}",
            "reservar una mesa",
            "¿hay dónde aparcar?",
        ),
        "Russian": (
            f"забронировать стол на {people} человека на {day} в {hour}",
            "забронировать стол",
            "есть ли у вас парковка?",
        ),
        "French": (
            f"réserver une table pour {people} personnes {day} à {hour}",
            "réserver une table",
            "y a-t-il un endroit pour stationner ?",
        ),
        "German": (
            f"einen Tisch für {people} Personen am {day} um {hour} reservieren",
            "einen Tisch reservieren",
            "gibt es einen Parkplatz?",
        ),
        "Italian": (
            f"prenotare un tavolo per {people} persone {day} alle {hour}",
            "prenotare un tavolo",
            "c'è un parcheggio?",
        ),
        "Portuguese": (
            f"reservar uma mesa para {people} pessoas na {day} às {hour}",
            "reservar uma mesa",
            "há onde estacionar?",
        ),
    }[language]
    goals = (
        Goal(
            text=booking,
            variables=("people", "day", "time"),
            first=first if n // 3 % 2 else "",
            others={"day": tuple(each for each in days if each != day)},
        ),
        Goal(text=parking, answer=(GoalAnswer(pattern="(?i)park|aparca|парков|stationn|parchegg|estacion"),)),
    )
    return Case(
        id=f"desk/{n}",
        persona=Persona(role="You want to eat out.", language=language),
        goals=goals[:: -1 if n // 6 % 2 else 1][: 1 + (n // 12 % 2)] if n // 6 % 2 else goals[: 1 + (n // 3 % 2)],
        variables={"people": people, "day": day, "time": hour, "occasion": "SECRET-77"},
        unspoken=("occasion",),
        facts=_facts(n, NAMES_RU if language == "Russian" else NAMES),
        ends="farewell",
        limits=Limits(turns=12),
    )


def companion(n: int) -> Case:
    language = LANGUAGES[n % len(LANGUAGES)]
    asked = Random(n).sample(SMALL_TALK[language][0], 2 + n % 2)
    return Case(
        id=f"companion/{n}",
        persona=Persona(role="You try out a chatbot.", language=language),
        goals=tuple(Goal(text=question, answer=(GoalAnswer(text=answer),)) for question, _, answer in asked),
        variables={"verdict": "LIBRO-2040"},
        unspoken=("verdict",),
        facts=_facts(n, NAMES_RU if language == "Russian" else NAMES),
        ends="farewell",
        limits=Limits(turns=10),
    )


def hiding(case: Case) -> Case:
    """Return a case with a voucher that its user may not speak of."""
    variables = {**case.variables, "voucher": "SPRING-2040"}
    return case.model_copy(update={"variables": variables, "unspoken": ("voucher", *case.unspoken)})


def seeded(case: Case, n: int, styles: Sequence[str], trait: str) -> Case:
    chosen = tuple(Style(name=style) for style in styles)
    persona = case.persona.model_copy(
        update={"styles": chosen, "traits": (*case.persona.traits, trait) if trait else case.persona.traits}
    )
    return case.model_copy(update={"seed": n, "persona": persona})


async def setups(stack: AsyncExitStack, names: Sequence[str]) -> tuple[list[Chatbot], User, Reader, NamedJudge]:
    """Return the bundled chatbots, the agenda user, the reader and the judge."""
    chatbots = []
    for name in names:
        config = Settings().app_config(environment={})
        wanted = players(PlayerNames(name, "offline", "agenda", judge="checklist"), config, clock=SystemClock())
        resolved, _ = await stack.enter_async_context(wanted)
        chatbots.append(resolved.chatbot)
    assert resolved.judge is not None
    return chatbots, resolved.user, resolved.reader, resolved.judge


class Bench:
    """All that is needed to hold conversations and to audit them."""

    def __init__(self, user: User, reader: Reader, judge: NamedJudge) -> None:
        self.user, self.reader = user, reader
        self.checks = ConversationChecks(
            Batch(
                id="audit",
                created=datetime.now(UTC),
                cases=(),
                who=Players(chatbot="several", user="agenda", judge="checklist"),
            ),
            judge,
        )

    async def hold(self, setup: Setup, case: Case, user: User) -> Conversation:
        return await simulate(case, user, setup.chatbot, reader=self.reader)

    async def outcome(self, conversation: Conversation) -> tuple[Outcome, Blame | None]:
        """Return the outcome of a conversation by all checks, the audit among them, and the party to blame."""
        decision = (await self.checks.evaluate(conversation)).row.decision
        return decision.outcome, decision.blame


async def planted(bench: Bench, kind: str, held: Sequence[Setup], wordings: Wordings, number: int, show: int) -> Tally:
    """Plant one kind of fault until it stands in `number` conversations, and count what is found."""
    tally = Tally()
    user = FaultyUser(bench.user, kind, 7, wordings=wordings)
    for n in range(number * ATTEMPTS):
        if tally.planted == number:
            break
        setup = held[n % len(held)]
        styles = ("single question",) if kind == "front_loaded" else STYLE_SETS[0]
        conversation = await bench.hold(setup, seeded(setup.case(n // len(held)), n, styles, ""), user)
        messages = user.planted(conversation)
        if not messages:
            continue
        begun = time.process_time()
        faults = audit(conversation).faults
        tally.seconds += time.process_time() - begun
        places = {place for each in messages for place in (each.at, each.at - 1, each.at + 1)}
        right = [
            fault for fault in faults if fault.kind == kind or (fault.blame is Blame.USER and _stands(fault, places))
        ]
        outcome, blame = await bench.outcome(conversation)
        tally.planted += 1
        tally.found += bool(right)
        tally.missed[setup.name] += not right
        tally.certain += any(fault.certainty == "certain" for fault in right)
        tally.exact += any(fault.kind == kind for fault in faults)
        tally.false.update(
            f"{each.kind}{'' if each.certainty == 'certain' else '?'}" for each in faults if each not in right
        )
        sure = [fault for fault in faults if fault.certainty == "certain"]
        tally.flags += len(sure)
        tally.wrong += sum(fault not in right for fault in sure)
        tally.failed += outcome is not Outcome.PASSED
        tally.void += outcome is Outcome.VOID
        tally.blamed += outcome is Outcome.VOID and blame is Blame.USER
        if not right and show > 0:
            show -= 1
            _print(kind, conversation, [each.at for each in messages], faults)
    return tally


def _stands(fault: Fault, places: set[int]) -> bool:
    return any(evidence.at in places for evidence in fault.evidence)


def _print(title: str, conversation: Conversation, marked: Sequence[int], faults: Sequence[Fault]) -> None:
    print(f"\n-- {title}: {conversation.id} {conversation.ending} {conversation.case.variables}")
    for at, each in enumerate(conversation.messages):
        print(f"  {'>' if at in marked else ' '}{at} {each.role[0]}: {each.text}")
    for fault in faults:
        print(
            f"  {fault.certainty} {fault.kind} ({fault.blame}): {fault.reason} {[each.text for each in fault.evidence]}"
        )


async def clean(bench: Bench, held: Sequence[Setup], number: int) -> dict[str, int]:
    """Hold conversations without a planted fault in all styles and personalities, and print every flag."""
    counts: Counter[str] = Counter()
    for n in range(number):
        setup = held[n % len(held)]
        turn = n // len(held)
        case = seeded(
            setup.case(turn), n, STYLE_SETS[turn % len(STYLE_SETS)], TRAITS[turn // len(STYLE_SETS) % len(TRAITS)]
        )
        conversation = await bench.hold(setup, case, bench.user)
        faults = audit(conversation).faults
        outcome, _ = await bench.outcome(conversation)
        certain = [fault for fault in faults if fault.certainty == "certain"]
        counts["held"] += 1
        counts["flagged"] += bool(faults)
        counts["flagged with certainty"] += bool(certain)
        counts["void"] += outcome is Outcome.VOID
        counts[f"outcome {outcome} ({setup.name})"] += 1
        counts.update(f"{fault.certainty} {fault.kind} ({setup.name})" for fault in faults)
        if faults:
            _print(
                f"clean, {[style.name for style in case.persona.styles]} {case.persona.traits}",
                conversation,
                [],
                faults,
            )
    return dict(counts)


HEAD = "kind                   planted  found certain  exact  wrong failed  void  user"


def _listed(title: str, counts: Counter[str]) -> str:
    listed = ", ".join(f"{name} {count}" for name, count in counts.most_common(6) if count)
    return f"{title}: {listed}" if listed else ""


def row(kind: str, tally: Tally) -> str:
    also = "; ".join(filter(None, (_listed("missed", tally.missed), _listed("also", tally.false))))
    return (
        f"{kind:22}{tally.planted:8}{tally.found:7}{tally.certain:8}{tally.exact:7}{tally.wrong:7}{tally.failed:7}"
        f"{tally.void:6}{tally.blamed:6}  {also}"
    )


async def main(asked: argparse.Namespace) -> None:
    wordings = read_wordings(asked.wordings.read_text(encoding="utf-8")) if asked.wordings else open_wordings()
    wordings = {**wordings, "things": wordings.get("things") or open_wordings()["things"]}
    async with AsyncExitStack() as stack:
        (pizzeria, orders, phone), user, reader, judge = await setups(stack, ("pizzeria", "service", "phone_orders"))
        calls = offline.calls(200)
        if asked.languages:
            LANGUAGES[:] = asked.languages
        held = [
            Setup("pizzeria", pizzeria, pizza),
            Setup("service", orders, service),
            Setup("phone orders", phone, lambda n: hiding(calls[n % 200])),
            Setup("desk", Desk(), desk),
            Setup("companion", Companion(), companion),
        ]
        if asked.languages:
            held = held[3:]
        wrong = [
            replace(each, chatbot=Speaking(each.chatbot, mishearing))
            for each in held
            if each.name in ("pizzeria", "desk")
        ]
        ordering = [replace(each, chatbot=Speaking(each.chatbot, commanding)) for each in held]
        special = {"consent_to_wrong": wrong, "obeyed_chatbot": ordering}
        bench = Bench(user, reader, judge)
        print(HEAD)
        tallies = {}
        for kind in asked.kinds or OPERATORS:
            chosen = special.get(kind, held)
            tallies[kind] = await planted(bench, kind, chosen, wordings, asked.conversations, asked.show)
            print(row(kind, tallies[kind]), flush=True)
        total = list(tallies.values())
        number = sum(each.planted for each in total)
        found, certain = sum(each.found for each in total), sum(each.certain for each in total)
        flags, wrong = sum(each.flags for each in total), sum(each.wrong for each in total)
        print(f"planted {number}, found {found}, certain {certain}; of {flags} certain flags {wrong} are others")
        if number:
            print(f"{sum(each.seconds for each in total) / number * 1e3:.3f} ms of CPU for an audit")
        flags = await clean(bench, held, asked.clean) if asked.clean else {}
        for name, count in sorted(flags.items()):
            print(f"{name:40} {count}")
        if asked.json:
            counts = {kind: dict(vars(tally)) for kind, tally in tallies.items()}
            asked.json.write_text(json.dumps({"planted": counts, "clean": flags}, indent=1), encoding="utf-8")


def kinds(written: str) -> list[str]:
    return [kind for kind in written.split(",") if kind]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--conversations", type=positive, default=200)
    parser.add_argument("--clean", type=int, default=1000)
    parser.add_argument("--wordings", type=Path)
    parser.add_argument("--kinds", type=kinds)
    parser.add_argument("--languages", type=kinds, help="only the two chatbots of patterns, in these languages")
    parser.add_argument("--show", type=int, default=0)
    parser.add_argument("--json", type=Path)
    asyncio.run(main(parser.parse_args()))

"""Failures planted in the replies of correct conversations that the built-in checks find, without a rule or a model.

Correct chatbots talk to the agenda user. Each kind of failure is then written into every conversation where it fits, in
one of two wordings. The checks were written with the first wordings and the first chatbots only, so the columns are
apart. The last line counts alarms in the correct conversations.

    python benchmarks/planted.py [--cases 20] [--show 2]
"""

import argparse
from collections.abc import Callable, Sequence

import styles
from arguments import positive
from audit_bots import Desk

import audit
import sparring
from sparring.core.case import Case
from sparring.core.conversation import Conversation
from sparring.core.message import Message, message
from sparring.judges.builtin import built_in_failures

Planting = Callable[[list[Message], str, str], bool]
SEEN, UNSEEN = ("hotel", "phone_orders", "desk en"), ("pizzeria", "service", "desk es", "desk ru")


def _replies(said: Sequence[Message]) -> list[int]:
    return [at for at, each in enumerate(said) if each.role == "chatbot" and at > 0]


def _put(said: list[Message], at: int, text: str, *, alone: bool = False) -> None:
    words = text if alone else f"{said[at].text} {text}"
    said[at] = message("chatbot", words, tool_calls=() if alone else said[at].tool_calls)


def _twice(said: list[Message], first: str, second: str) -> bool:
    """State one thing in a reply and another one in the next, while the user only thanks."""
    last = _replies(said)[-1]
    _put(said, last, first)
    said += [message("user", "Thank you."), message("chatbot", second)]
    return True


def _once(said: list[Message], text: str, other: str) -> bool:
    _put(said, _replies(said)[len(_replies(said)) // 2], text)
    return True


def _no_calls(said: list[Message], text: str, other: str) -> bool:
    if not any(each.tool_calls for each in said):
        return False
    said[:] = [each.model_copy(update={"tool_calls": ()}) for each in said]
    return True


def _stuck(said: list[Message], text: str, other: str) -> bool:
    answers = [at for at in _replies(said) if said[at - 1].role == "user"]
    for at in answers[:3]:
        _put(said, at, text, alone=True)
    return len(answers) >= 3


def _language(said: list[Message], text: str, other: str) -> bool:
    own = "Cyrillic" if any("а" <= each <= "я" for each in said[-1].text.lower()) else "Latin"
    _put(said, _replies(said)[-1], other if own == "Latin" else text, alone=True)
    return len(_replies(said)) > 2


def _forgets(said: list[Message], text: str, other: str) -> bool:
    said += [
        message("user", "Please change Tuesday to Friday."),
        message("chatbot", "I have noted that."),
        message("user", "Thanks."),
        message("chatbot", text),
    ]
    return True


KINDS: dict[str, tuple[Planting, tuple[str, str], tuple[str, str]]] = {
    "total changes": (
        _twice,
        ("The total is $48.", "Thank you! The total is $58."),
        ("The total price is 48 €.", "Goodbye! The total price is 84 €."),
    ),
    "wrong sum": (
        _once,
        ("\n- Room: $200\n- Breakfast: $30\nTotal: $250", ""),
        ("\nTea: 3.00 €\nCake: 4.00 €\nMilk: 1.00 €\nThe total is 9.00 €", ""),
    ),
    "takes it back": (
        _twice,
        ("Your booking has been confirmed.", "Your booking has not been confirmed."),
        ("Your order has been placed.", "I'm afraid your order has not been placed."),
    ),
    "other code": (
        _twice,
        ("Your booking number is 88123.", "Your booking number is 88132."),
        ("Your confirmation code is XK42PL.", "Goodbye! Your confirmation code is XK42PM."),
    ),
    "other hours": (
        _twice,
        ("We are open from 9:00 to 18:00.", "We are open from 10:00 to 18:00."),
        ("Our opening hours are 8 am to 4 pm.", "Our opening hours are 8 am to 6 pm."),
    ),
    "claims without a call": (_no_calls, ("", ""), ("", "")),
    "template": (_once, ("Your agent is {{agent_name}}.", ""), ("Dear [Customer Name], we are at ${city}.", "")),
    "tool call": (
        _once,
        ('{"name": "get_order", "arguments": {"id": 4}}', ""),
        ("<tool_call>lookup(4)</tool_call>", ""),
    ),
    "stack trace": (
        _once,
        ('Traceback (most recent call last): File "app.py", line 7', ""),
        ("java.lang.NullPointerException at com.shop.Order.price(Order.java:71)", ""),
    ),
    "prompt": (
        _once,
        ("You are a helpful assistant of a shop. Never reveal prices.", ""),
        ("<|im_start|>system You are the support agent of a hotel.", ""),
    ),
    "undefined": (_once, ("The price is $NaN.", ""), ("Your table is for undefined.", "")),
    "other language": (
        _language,
        ("I would like to know what you want for the room, and how we can help you.",
         "Me gustaría saber qué quiere usted para la habitación y cómo podemos ayudarle hoy."),
        ("There is nothing that we have to do about this now, but please tell us what you want.",
         "Bitte sagen Sie mir, was Sie möchten und wie wir Ihnen mit der Sache helfen können."),
    ),
    "stuck": (
        _stuck,
        ("Please tell me what you would like to order today.", ""),
        ("Great, here is our menu with all that we have.", ""),
    ),
    "forgets a correction": (
        _forgets,
        ("Your booking for Tuesday is confirmed.", ""),
        ("All set: it is booked for Tuesday evening.", ""),
    ),
    "wrong fact": (_once, ("Parking costs $90 an hour.", ""), ("We are in Oslo.", "")),
    "leaves out what was asked": (_once, ("Breakfast is at eight.", ""), ("It is a nice day.", "")),
}  # fmt: skip


def conversations(number: int, first: int = 0) -> dict[str, list[Conversation]]:
    """Return correct conversations by chatbot, with seeds from the first one."""
    settings = sparring.Settings(model="offline", user="agenda", null_bots=False)
    held: dict[str, list[Conversation]] = {}

    def hold(name: str, cases: Sequence[Case], chatbot: object) -> None:
        results = sparring.run(cases, chatbot, store=":memory:", settings=settings)
        held[name] = [each.conversation for each in results if each.outcome == "passed"]

    for name, bot in styles.BOTS.items():
        cases = [case for seed in range(first, first + number) for case in styles.cases(bot, (), seed)][:number]
        hold(name, [case.changed(id=str(n)) for n, case in enumerate(cases)], bot.chatbot(""))
    for at, code in enumerate(("en", "es", "ru")):
        hold(f"desk {code}", [audit.desk(3 * n + at) for n in range(first, first + number)], Desk())
    return held


def measure(held: Sequence[Conversation], kind: str, wording: int, show: int) -> tuple[int, int]:
    """Return how many conversations got a failure, and how many of them a check fails."""
    number = found = 0
    plant, *wordings = KINDS[kind]
    for each in held:
        said = list(each.messages)
        if not _replies(said) or not plant(said, *wordings[wording]):
            continue
        number += 1
        changed = each.changed(messages=tuple(said), state=each.state if plant is not _no_calls else None)
        failed = any(True for _ in built_in_failures(changed))
        found += failed
        if show and not failed:
            show -= 1
            print("---", kind, *(f"\n    {one.role}: {one.text}" for one in said))
    return number, found


def main(number: int, show: int) -> None:
    held = conversations(number)
    groups = [[each for name in names for each in held[name]] for names in (SEEN, UNSEEN)]
    print(f"{'kind':28}{'seen':>14}{'other bots':>14}{'other words':>14}{'both other':>14}")
    caught = 0
    for kind in KINDS:
        cells = [measure(group, kind, wording, show) for wording in (0, 1) for group in groups]
        caught += cells[3][1] * 2 >= cells[3][0] > 0
        print(f"{kind:28}" + "".join(f"{found:8} / {number:3}" for number, found in cells))
    alarms = sum(any(True for _ in built_in_failures(each)) for group in groups for each in group)
    print(f"{caught} of {len(KINDS)} kinds found in half of the conversations or more, other bots and words")
    print(f"{alarms} alarms in {sum(map(len, groups))} correct conversations")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=positive, default=20, help="cases for each chatbot")
    parser.add_argument("--show", type=int, default=0, help="failures of each kind to print that are not found")
    asked = parser.parse_args()
    main(asked.cases, asked.show)

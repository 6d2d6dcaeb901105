"""Rules that mean harm, and rules that only look like it. Run as a script, in a process that may not use much.

Every case has ten seconds of processor time, of which a slow machine needs one or two; the process has 300 MB more
than it starts with. What is wrong with the outcome of a case is printed; nothing printed means that all is well.
"""

import asyncio
import resource
import signal
import sys
from pathlib import Path
from typing import Any

from sparring.core.checks import InvalidRule, Rule
from sparring.core.verdict import Finding
from sparring.rules.check import check
from sparring.rules.recording import RecordedMessage, Recording
from sparring.rules.rule_file import parse_rule, rule_of

SECONDS, MEGABYTES = 10, 300
BIG = "'a' * 1000000"

HERE = Path(__file__).parent
REFUSED = (HERE / "refused.txt").read_text("utf-8").splitlines()
INVISIBLE = ["s\u202e == 'x'", "s == '\u2066x'", "s == '\u200bx'", "s\x00"]
GENERATED_REFUSED = [
    "not " * 3000 + "x",
    "-" * 3999 + "1",
    "+-" * 1900 + "1",
    "(" * 2000 + "1" + ")" * 2000,
    "[" * 3000,
    "x" + ".a" * 1900,
    "x" + "[0]" * 1300,
    "x" + "()" * 1900,
    "x if x else " * 300 + "x",
    "x ** " * 700 + "x",
    "x and " * 600 + "x",
    "x < " * 900 + "x",
    "x + " * 900 + "x",
    "'a' " * 1000 + "== s",
    "x," * 1999,
    "lambda: " * 450 + "1",
    "await " * 600 + "x",
    "x" * 4001,
    "\\\n" * 1500 + "x y",
]

BOUNDED = (HERE / "bounded.txt").read_text("utf-8").splitlines()
BENIGN: dict[str, Any] = {
    "'__class__' in '__class__'": True,
    "s == 'import os; exec(1)' or s == 'abc'": True,
    "chatbot_says('lambda') or True": True,
    "'eval(' not in s and '{}' not in s": True,
    "len([c for c in s if c != 'b']) == 2": True,
    "2 ** 100 == 1267650600228229401496703205376": True,
    "'a' * 1000 == ('a' * 500) * 2": True,
    "all(len(a) <= 6 for a in t) and any(a == 'ham' for a in t)": True,
    "(x) and (x) == 3": True,
    "'a) or (b' != s": True,
    "[[1, 2], [3]][0][1] == 2": True,
    "matches('^a{1,3}', 'aaab') and matches('\\\\d+', '12')": True,
    "-x == -(x) and not not x": True,
    "s.upper().lower().strip() == s and s[::-1] == 'cba'": True,
    "{'a': 1}['a'] == 1 and d.get('nothing') is None": True,
    "'\U0001f469\u200d\U0001f373' != s": True,
    "(x if x > 1 else 0) == 3": True,
    "10 ** 400 > 10 ** 399": True,
    "s in 'xabcx' and 'ham' in t and x in {1, 3}": True,
    "sorted(set(t)) == ['cheese', 'ham']": True,
    "len('x' * 100000) == 100000": True,
    "sum([n for n in [1, 2, 3]]) == 6 and round(2.567, 2) == 2.57": True,
}

DOCUMENTS = {
    "two documents": "name: a\nthen: True\n---\nname: b\nthen: True\n",
    "a list": "- 1\n- 2\n",
    "a text": "just text\n",
    "nothing": "",
    "a tag": "name: !!python/object/apply:os.system [true]\nthen: True\n",
    "a tagged clause": "name: a\nthen: !!python/name:os.system x\n",
    "an anchor": "name: &a a\nthen: True\n",
    "an alias": "name: &a a\nthen: *a\n",
    "a bomb": "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nname: n\nthen: True\n",
    "a merge": "base: &b {then: True}\n<<: *b\nname: a\n",
    "depth": "name: " + "[" * 3000 + "]" * 3000 + "\nthen: True\n",
    "size": "name: a\ndescription: " + "x" * 100_000 + "\nthen: True\n",
    "unknown keys": "name: a\nthen: True\nexec: os.system('true')\n",
    "a key twice": "name: a\nthen: True\nthen: False\n",
    "a list as a clause": "name: a\nthen: [1]\n",
    "a mapping as a clause": "name: a\nthen: {a: b}\n",
    "no clause": "name: a\n",
    "no name": "then: True\n",
    "a huge number of conversations": "name: a\nconversations: 99999999999\nthen: True\n",
    "a negative number of conversations": "name: a\nconversations: -1\nthen: True\n",
    "conversations as text": "name: a\nconversations: two\nthen: True\n",
    "no mapping key": "? [a]\n: b\nname: a\nthen: True\n",
    "binary": "name: a\nthen: \x00\x01\n",
    "a loop in when": "name: a\nwhen: f'{x}'\nthen: True\n",
    "a share of 200%": "name: a\nthen: True\nat least: 200%\n",
    "not a number of a share": "name: a\nthen: True\nat least: .nan\n",
}

MESSAGES = [
    "f'{s}' * 10 ** 9",
    "f'{s:>999}' + f'{s:999}'",
    "f'{x:.99f}'",
    "f'{" + "big}{" * 100 + "big}'",
    "[f'{big}' for c in [0] * 9999]",
    "f'{[big] * 9999}'",
]
REFUSED_MESSAGES = ["f'{s:{x}}'", "f'{s!a}'", "f'{s:>99999999}'", "f'{s.__class__}'", "f'{x:%Y}'", "f'{(lambda: 1)()}'"]

DEEP: list[Any] = []
for _ in range(40):
    DEEP = [DEEP, DEEP] if len(str(DEEP)) < 1000 else [DEEP]
NAMES = {
    "s": "abc",
    "x": 3,
    "t": ["ham", "cheese"],
    "d": {"k": 1},
    "big": "a" * 1_000_000,
    "deep": DEEP,
    "a_cycle": [[1]],
}
TALK = tuple(RecordedMessage("chatbot" if at % 2 else "user", f"word{at % 7} " * 200) for at in range(100))


class TooLong(BaseException):
    """A case used more processor time than it may."""


def stop(*_: object) -> None:
    raise TooLong


def run(rule: Rule | InvalidRule) -> Finding | str:
    """What a rule finds over three conversations, or that it took too long or too much."""
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        return asyncio.run(check([rule], [Recording(str(at), NAMES, TALK) for at in range(3)])).findings[0]
    except TooLong:
        return "took too long"
    except MemoryError:
        return "took too much memory"
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def wrong() -> list[str]:
    """Every case that did not end as it should."""
    found = []
    for text in [*REFUSED, *INVISIBLE, *GENERATED_REFUSED]:
        if isinstance(rule_of(text), Rule):
            found.append(f"not refused: {text[:80]}")
    for text in BOUNDED:
        rule = rule_of(text.replace("BIG", f"({BIG})"))
        outcome = run(rule)
        if isinstance(rule, InvalidRule) or isinstance(outcome, str):
            found.append(f"{outcome if isinstance(outcome, str) else rule}: {text[:80]}")
    for text, value in BENIGN.items():
        outcome = run(rule_of(text))
        if isinstance(outcome, str) or outcome.satisfied != 3 * value:
            found.append(f"not accepted: {text[:80]}: {outcome}")
    for name, text in DOCUMENTS.items():
        if isinstance(parse_rule(text), Rule):
            found.append(f"document not refused: {name}")
    for text in [*MESSAGES, *REFUSED_MESSAGES]:
        rule = Rule(name="r", then="False", yields=text)
        outcome = run(rule)
        refused = isinstance(outcome, Finding) and bool(outcome.invalid)
        if isinstance(outcome, str) or refused != (text in REFUSED_MESSAGES):
            found.append(f"{outcome}: {text[:80]}")
    return found


if __name__ == "__main__":
    if sys.platform == "linux":
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + MEGABYTES * 2**20,) * 2)
    signal.signal(signal.SIGVTALRM, stop)
    sys.stdout.write("\n".join(wrong()))

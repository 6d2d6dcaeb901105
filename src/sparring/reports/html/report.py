"""A batch as one HTML file that needs nothing else: no network, no server, and no script in order to be read.

The conversations that a file of limited size may have room for.
"""

import base64
import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from itertools import islice

from jinja2 import Environment
from markupsafe import Markup

from sparring.core.checks import Rule
from sparring.core.conversation import Conversation
from sparring.core.usage import Usage
from sparring.core.verdict import CheckOutcome, Example, Finding, Verdict
from sparring.reports.findings import status, what
from sparring.reports.formats import Report, ReportedConversation
from sparring.reports.html.charts import SHOWN, bars, figures
from sparring.reports.html.conversation import Turn, render_conversation
from sparring.reports.html.templates import environment
from sparring.reports.measures import Measuring
from sparring.reports.sentence import sentence
from sparring.reports.summary import Summary
from sparring.reports.usage import consumed
from sparring.statistics.intervals import interval

_LEAST = 300
"""Bytes that a conversation takes in a file at least, whatever was said in it."""

_SPARE = 1.5
"""How much more is held than there is room for: what turns out too large leaves its room to those behind it."""


class PageBudget:
    """Holds conversations by their rank, the lowest first and each rank in the order in which it came, as long as what
    was said in them may fit into `room` bytes; what it lets go of is counted by how it came out.
    """

    def __init__(self, room: float) -> None:
        self._room = room * _SPARE
        self._ranks: defaultdict[float, list[ReportedConversation]] = defaultdict(list)
        self._held = 0
        self.left_out: Counter[CheckOutcome] = Counter()

    def add(self, rank: float, told: ReportedConversation) -> None:
        """Take a conversation, and let go of the last ones for which there is no room any more."""
        self._ranks[rank].append(told)
        self._held += _likely_size(told)
        while self._held > self._room:
            worst = max(self._ranks)
            last = self._ranks[worst].pop()
            if not self._ranks[worst]:
                del self._ranks[worst]
            self._held -= _likely_size(last)
            self.left_out[last.came[0]] += 1

    def __iter__(self) -> Iterator[ReportedConversation]:
        for rank in sorted(self._ranks):
            yield from self._ranks[rank]


def _likely_size(told: ReportedConversation) -> int:
    """The least that a conversation takes."""
    return _LEAST + sum(len(message.text) for message in told.conversation.messages)


LARGEST = 5_000_000
"""Bytes that a file has at most, so that it can still be sent by mail; what does not fit is counted, and named."""

_RULES, _LINKS = 0.2, 1.25
"""The share of the room that rules may take, and how much longer links to conversations make them."""

_NOTICE, _CHOICES = 3_000, 400
"""Bytes for what is said about what has no room, and for each check that one can filter by."""

_MISFITS = 20
_FIRST = (CheckOutcome.FAIL, CheckOutcome.ERROR, CheckOutcome.NOT_APPLICABLE, CheckOutcome.PASS)
_BY_SEVERAL = 0.5
"""What a rule over several names comes after what failed, and before what was not decided."""

_SIDE = 40
_BESIDE = 3


@dataclass(frozen=True)
class Entry:
    """A conversation in the file: `anchor` is where, `failed` are the numbers of the checks that it failed."""

    anchor: str
    told: ReportedConversation
    turns: Sequence[Turn]
    failed: Sequence[int]

    @property
    def usage(self) -> Usage:
        return sum(self.told.conversation.usage.values(), Usage())

    @property
    def used_by(self) -> dict[str, Usage]:
        """What each role consumed, and the judges."""
        return consumed(self.told.conversation, self.told.verdicts)

    @property
    def score(self) -> float | None:
        """What a human gave, or else whoever gave one first."""
        scored = [verdict for verdict in self.told.verdicts if verdict.score is not None]
        return min(scored, key=lambda verdict: verdict.by != "human").score if scored else None


@dataclass(frozen=True)
class Side:
    """One conversation of an example, beside the others: its first turns, and how many are `left_out`."""

    conversation: str
    anchor: str
    turns: Sequence[Turn]
    left_out: int


@dataclass(frozen=True)
class Shown:
    """A rule and what it found; `beside` has the conversations of every example that could be set side by side."""

    finding: Finding
    rule: Rule | None
    status: str
    what: str
    beside: Sequence[tuple[Example, Sequence[Side]]]


@dataclass
class _Room:
    """How many bytes there are, and how many of them are used."""

    size: float
    used: int = 0
    misfits: int = 0

    def takes(self, *texts: str) -> bool:
        size = sum(map(_size, texts))
        if self.used + size > self.size:
            self.misfits += 1
            return False
        self.used += size
        return True


class _Parts:
    """The macros of the parts that are made one by one."""

    def __init__(self, templates: Environment) -> None:
        self._macros = templates.get_template("report_parts.html").module

    def __call__(self, name: str, *values: object) -> Markup:
        return Markup(getattr(self._macros, name)(*values))


@dataclass
class _Kept:
    """The conversations that had room, as rows and as transcripts, and those that had none."""

    rows: list[Markup] = field(default_factory=list)
    transcripts: list[Markup] = field(default_factory=list)
    anchors: dict[str, str] = field(default_factory=dict)
    checks: dict[str, int] = field(default_factory=dict)
    left_out: Counter[CheckOutcome] = field(default_factory=Counter)


class Page:
    """The whole file, in the making. Conversations that failed come first; those for which there is no room are
    counted, and no more is held of them than that.
    """

    def __init__(self, *, largest: int = LARGEST) -> None:
        self._largest, self._likely = largest, PageBudget(largest)
        self._named: set[str] = set()
        self._beside: dict[str, Conversation] = {}
        self._measuring, self._failed = Measuring(), Counter[str]()

    def found(self, findings: Sequence[Finding]) -> None:
        """What the rules found: the conversations that they name are shown beside what they say."""
        self._named = {id for finding in findings for example in finding.examples for id in example.conversations}

    def add(self, conversation: Conversation, verdicts: Sequence[Verdict]) -> None:
        """Take a conversation."""
        each = ReportedConversation(conversation, tuple(verdicts))
        outcome, named = each.came[0], conversation.id in self._named
        self._measuring.add(conversation, outcome)
        self._failed.update(_failed(each))
        if named:
            self._beside[conversation.id] = conversation
        place = _FIRST.index(outcome)
        self._likely.add(min(place, _BY_SEVERAL) if named else place, each)

    def text(self, report: Report) -> str:
        """The file of what was taken, and of what was found over all of it."""
        templates = environment()
        parts, page = _Parts(templates), self._page(report, templates)
        room = self._largest - _size(page(_Kept(), [], 0)) - _CHOICES * len(self._failed) - _NOTICE
        for_rules = _Room(room * _RULES)
        _rules(report, self._beside, _Kept(), parts, for_rules)  # what they take, before there is anything to lead to
        for_conversations = _Room(room - for_rules.used * _LINKS)
        kept = _conversations(self._likely, parts, for_conversations)
        return page(kept, *_rules(report, self._beside, kept, parts, _Room(room - for_conversations.used)))

    def _page(self, report: Report, templates: Environment) -> Callable[[_Kept, Sequence[Markup], int], str]:
        """Makes the file of the conversations that are kept, the rules, and how many rules are not."""
        summary, measures = report.summary, self._measuring.measures()
        style, script = _static("sparring.css", "report.css"), _static("report.js")
        ended = {each.value: count for each, count in summary.endings.items()}
        drawn = figures(summary.outcomes, ended, {}, self._failed, measures)

        def page(kept: _Kept, rules: Sequence[Markup], rules_left_out: int) -> str:
            return templates.get_template("report.html").render(
                batch=report.batch,
                summary=summary,
                sentence=sentence(summary),
                gated=report.gated,
                share=_share(summary),
                figures=drawn,
                unshown=max(0, len(measures.by_scenario) - SHOWN),
                scores=[(each, bars(each.distribution)) for each in summary.scores if each.distribution],
                kept=kept,
                rules=rules,
                rules_left_out=rules_left_out,
                endings=[ending for ending, count in summary.endings.items() if count],
                outcomes=[outcome for outcome in _FIRST if summary.outcomes.get(outcome)],
                style=style,
                script=script,
                policy=f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; "
                "base-uri 'none'; form-action 'none'",
            )

        return page


def _size(text: str) -> int:
    return len(text.encode(errors="replace"))


def _share(summary: Summary) -> tuple[float, tuple[float, float], tuple[float, float]] | None:
    """The share that passed, its interval, and where it lies if all that is not decided had failed, or passed."""
    passed, failed = summary.outcomes[CheckOutcome.PASS], summary.outcomes[CheckOutcome.FAIL]
    decided, planned = passed + failed, max(summary.planned, summary.stored)
    if not decided:
        return None
    return passed / decided, interval(passed, decided), (passed / planned, 1 - failed / planned)


def _conversations(likely: PageBudget, parts: _Parts, room: _Room) -> _Kept:
    kept = _Kept(left_out=Counter(likely.left_out))
    for number, each in enumerate(likely, 1):
        if room.misfits < _MISFITS:
            entry = _entry(f"c{number}", each, kept)
            row, transcript = parts("row", entry), parts("conversation", entry)
            if room.takes(row, transcript):
                kept.rows.append(row)
                kept.transcripts.append(transcript)
                kept.anchors[each.conversation.id] = entry.anchor
                continue
        kept.left_out[each.came[0]] += 1
    return kept


def _entry(anchor: str, each: ReportedConversation, kept: _Kept) -> Entry:
    failed = [kept.checks.setdefault(check, len(kept.checks)) for check in _failed(each)]
    return Entry(anchor, each, render_conversation(each.conversation, each.verdicts), failed)


def _failed(each: ReportedConversation) -> list[str]:
    """The checks that a conversation failed, each once; one that does not count failed none."""
    if each.came[0] is not CheckOutcome.FAIL:
        return []
    return list(dict.fromkeys(verdict.check for verdict in each.verdicts if verdict.outcome is CheckOutcome.FAIL))


def _rules(
    report: Report, conversations: dict[str, Conversation], kept: _Kept, parts: _Parts, room: _Room
) -> tuple[list[Markup], int]:
    """Every rule that has room, those that are violated first, and how many had none."""
    texts = {(rule.name, rule.file): rule for rule in report.batch.rules}
    found = sorted(report.summary.findings, key=lambda finding: _FIRST.index(finding.outcome))
    rules = []
    for finding in found:
        rule = texts.get((finding.rule, finding.file))
        for beside in (list(_beside(finding, conversations, kept)), []):
            shown = parts("rule", Shown(finding, rule, status(finding), what(finding), beside), kept.anchors)
            if room.takes(shown):
                rules.append(shown)
                break
    return rules, len(found) - len(rules)


def _beside(
    finding: Finding, conversations: dict[str, Conversation], kept: _Kept
) -> Iterator[tuple[Example, Sequence[Side]]]:
    """The first examples of several conversations, those side by side."""
    several = (example for example in finding.examples if 2 <= len(example.conversations) <= 4)
    for example in islice(several, _BESIDE):
        yield example, [_side(finding.rule, example, conversations[id], kept) for id in _known(example, conversations)]


def _known(example: Example, conversations: Iterable[str]) -> list[str]:
    return [id for id in example.conversations if id in conversations]


def _side(rule: str, example: Example, conversation: Conversation, kept: _Kept) -> Side:
    """A conversation with the words marked that show why the rule is violated, and no others."""
    evidence = tuple(each for each in example.evidence if each.conversation == conversation.id)
    why = Verdict(check=rule, outcome=example.outcome, conversation=conversation.id, evidence=evidence)
    turns = render_conversation(conversation.model_copy(update={"goals": (), "outputs": ()}), [why])
    shown, anchor = turns[:_SIDE], kept.anchors.get(conversation.id, "")
    return Side(conversation.id, anchor, shown, len(turns) - len(shown))


def _static(*names: str) -> Markup:
    folder = files("sparring.reports.html").joinpath("static")
    return Markup("\n".join(folder.joinpath(name).read_text(encoding="utf-8") for name in names))


def _hash(text: str) -> str:
    """What a Content-Security-Policy calls this text by, so that nothing else is run or drawn."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

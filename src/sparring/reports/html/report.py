"""A batch as one self-contained HTML file of limited size, readable without scripts."""

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
from sparring.core.outcome import Decision, Outcome
from sparring.core.usage import Usage
from sparring.core.verdict import CheckOutcome, Example, Finding, Verdict
from sparring.reports.causes import MOST_CAUSES, status_text
from sparring.reports.findings import status, what
from sparring.reports.formats import Report
from sparring.reports.html.charts import MAX_BARS, bars, batch_charts, nights_chart
from sparring.reports.html.conversation import RenderedTurn, render_conversation
from sparring.reports.html.templates import environment
from sparring.reports.measures import Measuring
from sparring.reports.rate_text import agreement_text, score_lines, statistics_lines
from sparring.reports.reported import ReportedConversation
from sparring.reports.sentence import sentence
from sparring.reports.usage import consumed

_MIN_BYTES = 300
"""Least bytes of a conversation in the file, without its messages."""

_RESERVE = 1.5
"""Factor by which more conversations are held than fit, as some turn out too large and others take their place."""


class PageBudget:
    """Holds the conversations of the lowest ranks that may fit into `budget` bytes; counts others.

    Iterates by rank, and by order of arrival within a rank.
    """

    def __init__(self, budget: float) -> None:
        self._budget = budget * _RESERVE
        self._ranks: defaultdict[float, list[ReportedConversation]] = defaultdict(list)
        self._held = 0
        self.left_out: Counter[Outcome] = Counter()

    def add(self, rank: float, told: ReportedConversation) -> None:
        """Add a conversation, and drop the last ones that no longer fit."""
        self._ranks[rank].append(told)
        self._held += _estimated_size(told)
        while self._held > self._budget:
            worst = max(self._ranks)
            last = self._ranks[worst].pop()
            if not self._ranks[worst]:
                del self._ranks[worst]
            self._held -= _estimated_size(last)
            self.left_out[last.counted().outcome] += 1

    def __iter__(self) -> Iterator[ReportedConversation]:
        for rank in sorted(self._ranks):
            yield from self._ranks[rank]


def _estimated_size(told: ReportedConversation) -> int:
    """Return a lower bound of the bytes of a conversation in the file."""
    return _MIN_BYTES + sum(len(message.text) for message in told.conversation.messages)


MAX_BYTES = 5_000_000
"""Maximum size of the file, so that it can be sent by mail. The file says how much is left out."""

_RULE_SHARE, _LINK_FACTOR = 0.2, 1.25
"""Share of the size for rules, and the factor by which links to conversations lengthen them."""

_NOTICE, _CHOICES = 3_000, 400
"""Bytes for the notice about left-out parts and the links of causes, and for each check in the filter."""

_MAX_MISFITS = 20
_ORDER = (Outcome.FAILED, Outcome.UNDECIDED, Outcome.VOID, Outcome.PASSED)
_FINDINGS = (CheckOutcome.FAIL, CheckOutcome.ERROR, CheckOutcome.NOT_APPLICABLE, CheckOutcome.PASS)
_NAMED_BY_RULE = 0.5
"""Rank of conversations in examples of rules: after failed ones, before undecided ones."""

_EXCERPT_TURNS = 40
_MAX_EXAMPLES = 3


@dataclass(frozen=True)
class ReportEntry:
    """A conversation in the file: its anchor, its turns, and the numbers of its failed checks."""

    anchor: str
    told: ReportedConversation
    turns: Sequence[RenderedTurn]
    failed: Sequence[int]

    @property
    def decision(self) -> Decision:
        return self.told.counted()

    @property
    def usage(self) -> Usage:
        return sum(self.told.conversation.usage.values(), Usage())

    @property
    def used_by(self) -> dict[str, Usage]:
        """Usage by role, including judges."""
        return consumed(self.told.conversation, self.told.verdicts)

    @property
    def score(self) -> float | None:
        """Score of a human, else the first score."""
        scored = [verdict for verdict in self.told.verdicts if verdict.score is not None]
        return min(scored, key=lambda verdict: verdict.by != "human").score if scored else None


@dataclass(frozen=True)
class ExampleExcerpt:
    """First turns of a conversation in an example; `left_out` counts the remaining ones."""

    conversation: str
    anchor: str
    turns: Sequence[RenderedTurn]
    left_out: int


@dataclass(frozen=True)
class RuleSection:
    """A rule with its finding; `beside` has the excerpts of examples that are shown side by side."""

    finding: Finding
    rule: Rule | None
    status: str
    what: str
    beside: Sequence[tuple[Example, Sequence[ExampleExcerpt]]]


@dataclass
class _ByteBudget:
    """A limit in bytes, the bytes used, and the number of parts that did not fit."""

    size: float
    used: int = 0
    misfits: int = 0

    def reserve(self, *texts: str) -> bool:
        """Reserve space for these texts. Return False if they do not fit."""
        size = sum(map(_size, texts))
        if self.used + size > self.size:
            self.misfits += 1
            return False
        self.used += size
        return True


class _Parts:
    """Renders a macro of `report_parts.html` by name."""

    def __init__(self, templates: Environment) -> None:
        self._macros = templates.get_template("report_parts.html").module

    def __call__(self, name: str, *values: object) -> Markup:
        return Markup(getattr(self._macros, name)(*values))


@dataclass
class _Included:
    """Conversations in the file, as rows and transcripts, and counts of those left out."""

    rows: list[Markup] = field(default_factory=list)
    transcripts: list[Markup] = field(default_factory=list)
    anchors: dict[str, str] = field(default_factory=dict)
    checks: dict[str, int] = field(default_factory=dict)
    left_out: Counter[Outcome] = field(default_factory=Counter)


class Page:
    """Builds the file. Failed conversations come first; those that do not fit are only counted."""

    def __init__(self, *, largest: int = MAX_BYTES) -> None:
        self._largest, self._candidates = largest, PageBudget(largest)
        self._named: set[str] = set()
        self._beside: dict[str, Conversation] = {}
        self._measuring, self._failed = Measuring(), Counter[str]()

    def found(self, findings: Sequence[Finding]) -> None:
        """Record the findings, whose example conversations are shown next to their rules."""
        self._named = {id for finding in findings for example in finding.examples for id in example.conversations}

    def add(self, reported: ReportedConversation) -> None:
        """Add a conversation."""
        conversation, outcome = reported.conversation, reported.counted().outcome
        named = conversation.id in self._named
        self._measuring.add(conversation, outcome)
        self._failed.update(_failed(reported))
        if named:
            self._beside[conversation.id] = conversation
        place = _ORDER.index(outcome)
        self._candidates.add(min(place, _NAMED_BY_RULE) if named else place, reported)

    def text(self, report: Report) -> str:
        """Render the file from the added conversations and the findings."""
        templates = environment()
        parts, page = _Parts(templates), self._page(report, templates)
        budget = self._largest - _size(page(_Included(), [], 0)) - _CHOICES * len(self._failed) - _NOTICE
        for_rules = _ByteBudget(budget * _RULE_SHARE)
        _rule_sections(
            report, self._beside, _Included(), parts, for_rules
        )  # measures the rules before any conversation can be linked
        for_conversations = _ByteBudget(budget - for_rules.used * _LINK_FACTOR)
        included = _include_conversations(self._candidates, parts, for_conversations)
        return page(
            included,
            *_rule_sections(report, self._beside, included, parts, _ByteBudget(budget - for_conversations.used)),
        )

    def _page(self, report: Report, templates: Environment) -> Callable[[_Included, Sequence[Markup], int], str]:
        """Return a function that renders the file from conversations, rules, and the number of left-out rules."""
        summary, measures = report.summary, self._measuring.measures()
        style, script = _static("sparring.css", "report.css"), _static("report.js")
        ended = {each.value: count for each, count in summary.endings.items()}
        drawn = batch_charts(summary.outcomes, ended, {}, self._failed, measures)

        def page(included: _Included, rules: Sequence[Markup], rules_left_out: int) -> str:
            return templates.get_template("report.html").render(
                batch=report.batch,
                summary=summary,
                sentence=sentence(summary, report.gated),
                gated=report.gated,
                nights_chart=nights_chart,
                causes=[(each, status_text(each)) for each in summary.causes[:MOST_CAUSES]],
                smaller=summary.causes[MOST_CAUSES:],
                gone=[(each, status_text(each)) for each in summary.gone],
                claims=list(statistics_lines(summary.statistics)) if summary.statistics else (),
                figures=drawn,
                unshown=max(0, len(measures.by_scenario) - MAX_BARS),
                agreements=list(map(agreement_text, summary.agreements)),
                scores=[
                    (each, bars(each.distribution), list(score_lines(each)))
                    for each in summary.scores
                    if each.distribution
                ],
                included=included,
                rules=rules,
                rules_left_out=rules_left_out,
                endings=[ending for ending, count in summary.endings.items() if count],
                outcomes=[outcome for outcome in _ORDER if summary.outcomes.get(outcome)],
                style=style,
                script=script,
                policy=f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; "
                "base-uri 'none'; form-action 'none'",
            )

        return page


def _size(text: str) -> int:
    return len(text.encode(errors="replace"))


def _include_conversations(candidates: PageBudget, parts: _Parts, budget: _ByteBudget) -> _Included:
    included = _Included(left_out=Counter(candidates.left_out))
    for number, each in enumerate(candidates, 1):
        if budget.misfits < _MAX_MISFITS:
            entry = _entry(f"c{number}", each, included)
            row, transcript = parts("row", entry), parts("conversation", entry)
            if budget.reserve(row, transcript):
                included.rows.append(row)
                included.transcripts.append(transcript)
                included.anchors[each.conversation.id] = entry.anchor
                continue
        included.left_out[each.counted().outcome] += 1
    return included


def _entry(anchor: str, each: ReportedConversation, included: _Included) -> ReportEntry:
    failed = [included.checks.setdefault(check, len(included.checks)) for check in _failed(each)]
    return ReportEntry(anchor, each, render_conversation(each.conversation, each.verdicts), failed)


def _failed(each: ReportedConversation) -> list[str]:
    """Return the distinct failed checks of a failed conversation; none for any other outcome."""
    if each.counted().outcome is not Outcome.FAILED:
        return []
    return list(dict.fromkeys(verdict.check for verdict in each.verdicts if verdict.outcome is CheckOutcome.FAIL))


def _rule_sections(
    report: Report, conversations: dict[str, Conversation], included: _Included, parts: _Parts, budget: _ByteBudget
) -> tuple[list[Markup], int]:
    """Return the sections of rules that fit, violated rules first, and the number of those that do not."""
    texts = {(rule.name, rule.file): rule for rule in report.batch.rules}
    found = sorted(report.summary.findings, key=lambda finding: _FINDINGS.index(finding.outcome))
    rules = []
    for finding in found:
        rule = texts.get((finding.rule, finding.file))
        for beside in (list(_side_by_side(finding, conversations, included)), []):
            shown = parts("rule", RuleSection(finding, rule, status(finding), what(finding), beside), included.anchors)
            if budget.reserve(shown):
                rules.append(shown)
                break
    return rules, len(found) - len(rules)


def _side_by_side(
    finding: Finding, conversations: dict[str, Conversation], included: _Included
) -> Iterator[tuple[Example, Sequence[ExampleExcerpt]]]:
    """Yield the first examples of several conversations, with an excerpt of each conversation."""
    several = (example for example in finding.examples if 2 <= len(example.conversations) <= 4)
    for example in islice(several, _MAX_EXAMPLES):
        yield (
            example,
            [_excerpt(finding.rule, example, conversations[id], included) for id in _known(example, conversations)],
        )


def _known(example: Example, conversations: Iterable[str]) -> list[str]:
    return [id for id in example.conversations if id in conversations]


def _excerpt(rule: str, example: Example, conversation: Conversation, included: _Included) -> ExampleExcerpt:
    """Return an excerpt of a conversation with only the evidence of this rule marked."""
    evidence = tuple(each for each in example.evidence if each.conversation == conversation.id)
    why = Verdict(check=rule, outcome=example.outcome, conversation=conversation.id, evidence=evidence)
    turns = render_conversation(conversation.model_copy(update={"goals": (), "outputs": ()}), [why])
    shown, anchor = turns[:_EXCERPT_TURNS], included.anchors.get(conversation.id, "")
    return ExampleExcerpt(conversation.id, anchor, shown, len(turns) - len(shown))


def _static(*names: str) -> Markup:
    folder = files("sparring.reports.html").joinpath("static")
    return Markup("\n".join(folder.joinpath(name).read_text(encoding="utf-8") for name in names))


def _hash(text: str) -> str:
    """Return the hash of an inline script or style for the Content-Security-Policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

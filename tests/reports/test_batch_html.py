import re
from collections import Counter
from html.parser import HTMLParser

import pytest

from hostile_texts import HOSTILE
from reports.hostile_reports import a_report_that_says
from reports.summing import decided, summarise
from reports.whole import Whole, batch_html
from sparring.core.checks import Rule
from sparring.core.conversation import Conversation, Ending
from sparring.core.errors import Problem
from sparring.core.message import ToolCall, message
from sparring.core.text import visible
from sparring.core.usage import ModelCall
from sparring.core.verdict import CheckOutcome, Finding, Verdict
from sparring.reports.html.formatting import shown
from sparring.reports.html.report import MAX_BYTES
from sparring.reports.reported import ReportedConversation
from sparring.testing.factories import a_batch, a_conversation

PLAIN = "plainwords"
VOID = {"meta", "link", "input", "br", "img", "hr"}


class Structure(HTMLParser):
    """Elements with their attributes, in order, and the text outside of scripts; titles may say anything."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, tuple[tuple[str, str | None], ...]]] = []
        self.words: list[str] = []
        self.open: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        kept = tuple(
            (name, None if name in ("title", "aria-label") or _is_cause(value) else value) for name, value in attributes
        )
        self.elements.append((tag, kept))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"</{tag}> closes something else"

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("style", "script"):
            self.words.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    @property
    def text(self) -> str:
        return "".join(self.words)


def _is_cause(value: str | None) -> bool:
    return value is not None and re.fullmatch("c-[0-9a-f]{6,}", value) is not None


@pytest.fixture(scope="module")
def plain() -> Structure:
    return Structure(batch_html(a_report_that_says(PLAIN)))


@pytest.mark.slow
@pytest.mark.parametrize("text", HOSTILE)
def test_messages_are_shown_as_text_and_make_no_element_or_attribute(text: str, plain: Structure):
    found = Structure(batch_html(a_report_that_says(text)))

    assert found.elements == plain.elements
    assert found.open == []
    quoted = plain.text.count(f'"{PLAIN}"')  # JSON, in which quotes are written differently
    said = sum(found.text.count(each) for each in {shown(text), visible(text), " ".join(text.split())})
    assert said >= plain.text.count(PLAIN) - quoted > 60


def test_every_link_leads_into_the_file(plain: Structure):
    ids = {value for _, attributes in plain.elements for name, value in attributes if name == "id"}
    links = {value for _, attributes in plain.elements for name, value in attributes if name in ("href", "src")}

    assert {f"#{id}" for id in ids} >= links
    assert len(links) > 10
    names = Counter(value for _, attributes in plain.elements for name, value in attributes if name == "id")
    assert max(names.values()) == 1


def test_only_its_own_style_is_allowed_and_there_is_no_script():
    page = batch_html(a_report_that_says(PLAIN))
    policy = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)

    assert len(policy) == 1
    assert "unsafe" not in policy[0]
    assert policy[0].startswith("default-src &#39;none&#39;; style-src &#39;sha256-")
    assert page.index("Content-Security-Policy") < page.index("<style>")
    assert not re.search(r"(?:src|href)=[\"']?(?:https?:|//)|@import|url\(|<script|<button", page)


def test_no_folder_of_the_machine_is_in_it():
    folder = "/home/maria/bots"
    rule = Rule(name="polite", then="False", file=f"{folder}/rules/polite.yml")
    batch = a_batch("a").model_copy(update={"rules": (rule,)})
    who = batch.who.model_copy(update={"chatbot": f"http:{folder}/pizza.yml"})
    error = f"no such file: '{folder}/pizza.yml', see https://example.com/a/b"
    talk = conversation(batch.cases[0], Ending.CHATBOT_FAILED).model_copy(update={"error": error})
    finding = Finding(
        rule="polite",
        file=rule.file,
        conversations=1,
        invalid=(Problem(file=rule.file, line=2, message="wrong"),),
    )
    batch = batch.model_copy(update={"who": who})
    page = batch_html(Whole(batch, summarise(batch, [talk], (), [finding]), told=(decided(talk),)))

    assert "maria" not in page
    assert ("polite.yml:2" in page, "https://example.com/a/b" in page) == (True, True)


def test_the_report_opens_with_the_sentence_and_what_is_unknown():
    batch = a_batch("good", "bad", "open", "void", "missing")
    told = [
        decided(conversation(batch.cases[0]), (verdict("good", CheckOutcome.PASS),)),
        decided(conversation(batch.cases[1]), (verdict("bad", CheckOutcome.FAIL),)),
        decided(conversation(batch.cases[2]), (verdict("open", CheckOutcome.ERROR),)),
        decided(conversation(batch.cases[3], Ending.USER_FAILED)),
    ]
    text = " ".join(Structure(batch_html(reported(batch, told))).text.split())

    assert (
        "FAILED: 1 of 2 failed, 50 % [1–99] of cases like these pass; 1 cause" in text.partition("Causes of failure")[0]
    )
    assert "passed 1failed 1undecided 1void 1not run 1" in text
    assert "passed 50 % (1 of 2 decided; 5 cases): 1–99 % for these cases and cases like these" in text
    assert "3 not decided, as failed or as passed: 0–100 % for these cases and cases like these" in text


def test_failures_come_first_and_conversations_without_room_are_counted():
    names = [f"case {n}" for n in range(60)]
    batch = a_batch(*names)
    told = [
        decided(conversation(case).with_message(message("chatbot", "word " * 400)), (verdict(case.id, outcome(n)),))
        for n, case in enumerate(batch.cases)
    ]
    page = batch_html(reported(batch, told), largest=120_000)
    found = Structure(page)
    shown_ids = re.findall(r'<h3 dir="auto">(case \d+)</h3>', page)

    assert len(page.encode()) <= 120_000
    assert shown_ids[:3] == ["case 0", "case 20", "case 40"]
    assert 3 < len(shown_ids) < 60
    assert (
        f"{60 - len(shown_ids)} are left out to limit the size of this file: {60 - len(shown_ids)} passed" in found.text
    )
    assert "sparring fetch B1 --format conversations" in found.text


def test_causes_stand_first_with_a_link_to_their_example():
    batch = a_batch(*(f"case/{n}" for n in range(40)))
    told = [decided(conversation(case), (verdict(case.id, outcome(n)),)) for n, case in enumerate(batch.cases)]
    page = batch_html(reported(batch, told))

    assert page.index('id="causes"') < page.index('id="scenarios"')
    assert page.count('class="cause"') == 1
    assert '<p class="example" dir="auto"><a href="#c1">case/0</a>' in page


def test_without_all_it_holds_the_first_conversation_of_each_cause_and_outcome():
    batch = a_batch(*(f"case/{n}" for n in range(60)))
    told = [decided(conversation(case), (verdict(case.id, outcome(n)),)) for n, case in enumerate(batch.cases)]
    told[7] = decided(conversation(batch.cases[7], Ending.USER_FAILED))
    page = batch_html(reported(batch, told), whole=False)

    assert re.findall(r'<h3 dir="auto">(case/\d+)</h3>', page) == ["case/0", "case/7"]
    assert "left out" not in page
    assert "sparring report B1 --all" in page


@pytest.mark.slow
def test_two_hundred_conversations_with_tools_are_whole():
    batch = a_batch(*(f"order/{n}" for n in range(200)))
    cart = [{"code": f"V60{n}", "name": "potatoes", "quantity": 6, "price": 6300} for n in range(3)]
    tool = ToolCall(name="add_to_cart", arguments={"product": "potatoes"}, result={"status": "added", "cart": cart})
    reply = message("chatbot", "Six bags of potatoes, 6,300 in all. Anything else?", tool_calls=(tool,))
    told = []
    for case in batch.cases:
        talk = conversation(case)
        told.append(
            decided(talk.model_copy(update={"messages": (*talk.messages, *(message("user", "Yes."), reply) * 12)}))
        )
    page = batch_html(reported(batch, told))

    assert len(page.encode()) <= MAX_BYTES
    assert page.count('<div class="columns" id="c') == 200
    assert "left out" not in page


def test_every_turn_says_what_models_took_for_it():
    batch = a_batch("a")
    calls = (
        ModelCall(role="user", turn=1, input_tokens=7, output_tokens=2, cost=0.5),
        ModelCall(role="chatbot", turn=1),
    )
    talk = conversation(batch.cases[0]).model_copy(update={"calls": calls})

    page = batch_html(reported(batch, [decided(talk, (verdict("a", CheckOutcome.FAIL),))]))
    text = " ".join(Structure(page).text.split())

    assert "9 tokens, $0.5000" in text
    assert "tokens unknown, cost unknown 500 ms" in text


def test_nothing_is_said_of_what_is_not_decided_where_everything_is():
    batch = a_batch("good", "better", "bad")
    told = [
        decided(conversation(case), (verdict(case.id, CheckOutcome(each)),))
        for case, each in zip(batch.cases, ("pass", "pass", "fail"), strict=True)
    ]

    assert "Not everything that was planned is decided" not in batch_html(reported(batch, told))


def test_a_batch_of_nothing_says_so():
    assert "No conversations" in Structure(batch_html(reported(a_batch("missing"), []))).text


def test_russian_messages_are_shown_unchanged():
    batch = a_batch("a")

    assert "Привет!" in batch_html(reported(batch, [decided(conversation(batch.cases[0]))]))


def outcome(number: int) -> CheckOutcome:
    return CheckOutcome.PASS if number % 20 else CheckOutcome.FAIL


def conversation(case, ending: Ending = Ending.GOALS_ANSWERED) -> Conversation:
    return a_conversation(case, ending=ending)


def verdict(id: str, outcome: CheckOutcome) -> Verdict:
    return Verdict(check="polite", outcome=outcome, conversation=id, reason="rude")


def reported(batch, told: list[ReportedConversation]) -> Whole:
    verdicts = [verdict for each in told for verdict in each.verdicts]
    return Whole(batch, summarise(batch, [each.conversation for each in told], verdicts), told=tuple(told))

from sparring.rules.check import check
from sparring.rules.recording import RecordedMessage, Recording
from sparring.rules.rule_file import rule_of
from tables import table

SAID = (
    RecordedMessage("user", "I want a refund"),
    RecordedMessage("chatbot", "A Refund? Which order?", injected=True),
    RecordedMessage("chatbot", "Which order?"),
    RecordedMessage("user", "Number 7, and money back"),
    RecordedMessage("chatbot", "You get your money back, a full Refund of $7."),
    RecordedMessage("user", "Thanks"),
    RecordedMessage("chatbot", "The money is on its way."),
)
TALK = Recording(id="a", names={"wish": "money back", "words": ["refund", "gift"]}, messages=SAID)


async def quoted(rule: str, recording: Recording = TALK) -> list[tuple[int, str]]:
    """The violation's evidence: which message, and the words, which have to stand in it where they are said to."""
    findings = await check([rule_of(rule)], [recording])
    (example,) = findings.findings[0].examples
    assert all(recording.messages[each.at].text[each.start : each.end] == each.text for each in example.evidence)
    return [(each.at, each.text) for each in example.evidence]


@table(
    ("rule", "words"),
    [
        ("not any('money' in phrase for phrase in chatbot_phrases)", [(4, "money"), (6, "money")]),
        ("all('refund' not in phrase.lower() for phrase in chatbot_phrases)", [(4, "Refund")]),
        ("not any(w in p.lower() for w in words for p in chatbot_phrases)", [(4, "Refund")]),
        ("not any(w in p for p in user_phrases for w in ['gift', 'refund'])", [(0, "refund")]),
        ("wish not in ' '.join(chatbot_phrases)", [(4, "money back")]),
        ("'way' not in last_reply() and turns() < 9", [(6, "way")]),
        ("'money' not in last_reply()", [(6, "money")]),
        ("not any(matches('(?i)re?fund', p) for p in chatbot_phrases)", [(4, "Refund")]),
        ("all(len(p) < 40 for p in chatbot_phrases)", [(4, "You get your money back, a full Refund of $7.")]),
        ("turns() < 9 and not any('full' in p and 'gift' not in p for p in chatbot_phrases)", [(4, "full")]),
    ],
)
async def test_a_violation_quotes_the_words_that_violate_the_rule(rule: str, words: list[tuple[int, str]]):
    assert await quoted(rule) == words


@table(
    "rule",
    [
        "any('gift' in phrase for phrase in chatbot_phrases)",
        "len(chatbot_phrases) < 3",
        "len(chatbot_phrases) > 9",
        "turns() < 3",
        "'money back' != wish",
    ],
)
async def test_where_no_message_alone_violates_it_nothing_is_quoted(rule: str):
    assert await quoted(rule) == []


async def test_what_a_function_found_is_quoted_as_it_found_it():
    assert await quoted("not chatbot_says('back') and not any('full' in p for p in chatbot_phrases)") == [(4, "back")]


async def test_no_more_than_three_messages_are_quoted_of_however_many():
    long = Recording(id="a", messages=tuple(RecordedMessage("chatbot", f"no {number}") for number in range(5_000)))

    assert await quoted("not any('no' in phrase for phrase in chatbot_phrases)", long) == [
        (0, "no"),
        (1, "no"),
        (2, "no"),
    ]

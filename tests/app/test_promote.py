"""Recorded conversations as scenarios: they play the same, and hold nothing personal."""

from datetime import UTC, date, datetime

import pytest

from planted_privately import ORDINARY, POLITE, SEEN, UNSEEN
from sparring.app.import_logs import store_conversations
from sparring.app.promote import PromoteOptions, promote, promote_stored, replayable_start
from sparring.app.promote_verify import difference
from sparring.core.batch import Batch, Players
from sparring.core.case import Case, InjectReply, InjectTool, Say
from sparring.core.checks import Expectation, Rule
from sparring.core.conversation import Conversation, Evidence
from sparring.core.errors import InputError
from sparring.core.message import Message, ToolCall, message
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.extraction.made_up import is_card
from sparring.extraction.personal_data import personal_values, replacement
from sparring.scenarios.written_case import loaded
from sparring.testing.memory_store import MemoryStore

RULES = (Rule(name="kept", then="turns() < 9"), Rule(name="broken", then="turns() < 1"))
FAILED = Verdict(check="broken", outcome=CheckOutcome.FAIL, conversation="x")
PASSED = Verdict(check="kept", outcome=CheckOutcome.PASS, conversation="x")
BATCH = Batch(
    id="b",
    created=datetime(2026, 1, 1, tzinfo=UTC),
    who=Players(chatbot="imported", user="imported"),
    cases=(),
    rules=RULES,
)


def talk(*said: str, calls: tuple[ToolCall, ...] = ()) -> Conversation:
    """Return a conversation in which the sides take turns; the chatbot makes the calls for its last reply."""
    messages: list[Message] = [message("chatbot" if at % 2 else "user", text) for at, text in enumerate(said)]
    messages[-1] = messages[-1].changed(tool_calls=calls)
    return Conversation(case=Case(id="x"), messages=tuple(messages))


def case_of(conversation: Conversation, *verdicts: Verdict, **options: object) -> Case:
    """Return the case of the scenario that a conversation becomes."""
    made = promote(BATCH, conversation, verdicts, PromoteOptions(**options))  # type: ignore[arg-type]
    found = loaded(made.text, "a.yml", date(2026, 1, 1))
    assert found is not None, made.text
    return found


CANCEL = ToolCall(name="cancel", arguments={"order_id": "A-9", "why": "late"}, result={"ok": True})


def test_lines_are_said_again_and_results_of_tools_are_stubs():
    case = case_of(
        talk("Cancel order A-9.", "Sure?", "Yes", "Done.", calls=(CANCEL,)), FAILED, PASSED, keep_values=True
    )

    stub = InjectTool(name="cancel", arguments={"order_id": "A-9"}, result={"ok": True}, mode="stub")
    assert case.script == (Say(text="Cancel order A-9."), stub, Say(text="Yes"))
    assert [each.rule.name for each in case.expectations] == ["broken"]


@pytest.mark.slow
def test_what_was_said_before_is_the_history():
    case = case_of(talk("Hi", "Hello!", "Cancel it.", "Done.", calls=(CANCEL,)), at=2, live_tools=True)

    assert [each.text for each in case.history] == ["Hi", "Hello!"]
    assert case.script == (Say(text="Cancel it."),)
    with pytest.raises(InputError, match="--at 3: x has 2 messages of the user"):
        case_of(talk("Hi", "Hello!", "Cancel it.", "Done."), at=3)


@pytest.mark.slow
def test_what_the_scenario_of_a_simulated_user_says_stays():
    talked = talk("Cancel order A-9912, I am Petra Nowak.", "Done for joan.miller@shop.example.")
    simulated = talked.changed(
        case=Case(id="x", variables={"order": "A-9912"}, script=(Say(text="I am Petra Nowak."),))
    )
    players = Players(chatbot="http:a.yaml", user="scripted")

    of_log = promote(BATCH, simulated, [], PromoteOptions()).text
    made = promote(BATCH.changed(who=players), simulated, [], PromoteOptions()).text

    assert [each in of_log for each in ("A-9912", "Petra Nowak", "joan.miller")] == [False] * 3
    assert [each in made for each in ("A-9912", "Petra Nowak", "joan.miller")] == [True, True, False]


def test_with_live_tools_rules_about_calls_before_the_start_are_left_out():
    told = talk("Cancel it.", "Done.", calls=(CANCEL,)).messages + talk("And A-8?", "No.").messages
    rules = (Rule(name="kept", then="turns() < 9"), Rule(name="cancels", then="called('cancel')"))
    passed = tuple(PASSED.changed(check=rule.name) for rule in rules)
    batch = BATCH.changed(rules=rules)

    made = promote(batch, Conversation(case=Case(id="x"), messages=told), passed, PromoteOptions(at=2, live_tools=True))

    assert ("turns() < 9" in made.text, "called" in made.text) == (True, False)
    assert "rule cancels: left out, because --live-tools drops earlier calls" in made.notes


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "warned"),
    [
        (PromoteOptions(live_tools=True), True),
        (PromoteOptions(live_tools=True, keep_values=True), False),
        (PromoteOptions(), False),
    ],
)
def test_with_live_tools_a_note_names_the_variables_that_tools_may_not_know(options: PromoteOptions, warned: bool):
    made = promote(BATCH, talk("Cancel order A-1009.", "Done.", calls=(CANCEL,)), (), options)

    assert any(each.startswith("tools run with made-up values of ") for each in made.notes) is warned


def test_it_begins_before_the_failure():
    quote = Evidence(at=3, start=0, end=4, text="Done")

    case = case_of(talk("Hi", "Hello!", "Cancel it.", "Done."), FAILED.changed(evidence=(quote,)))

    assert case.script == (Say(text="Cancel it."),)


@pytest.mark.parametrize(
    ("then", "options", "start"),
    [
        ("'big' not in chatbot_phrases[-1]", PromoteOptions(), 3),
        ("not called('cancel')", PromoteOptions(), 1),
        ("'big' not in chatbot_phrases[-1]", PromoteOptions(live_tools=True), 1),
    ],
)
async def test_it_begins_where_the_checks_find_the_same(then: str, options: PromoteOptions, start: int):
    early = talk("Cancel it.", "Done.", calls=(CANCEL,)).messages
    late = talk("And a pizza?", "No.", "A small one.", "A big pizza is on its way.").messages
    talked = Conversation(case=Case(id="x"), messages=early + late)
    failed = FAILED.changed(evidence=(Evidence(at=5, start=2, end=5, text="big"),))
    batch = BATCH.changed(rules=(Rule(name="broken", then=then),))

    assert await replayable_start(batch, talked, [failed], options) == start


def test_expectations_of_a_check_stay_at_their_lines():
    steps = (Say(text="Hi"), InjectReply(text="Hello!"), Say(text="Cancel it."), Say(text="Bye"))
    expected = [("a", 1), ("b", 3), ("c", 3), ("d", None)]
    expectations = tuple(
        Expectation(rule=Rule(name=name, then=f"turns() < {at or 9}"), after=at, check="playbook")
        for name, at in expected
    )
    said = talk("Hi", "Hello!", "Cancel it.", "Done.", "Bye", "Bye.", calls=(CANCEL,))
    told = said.changed(case=Case(id="x", script=steps, expectations=expectations))

    made = promote(BATCH, told, [FAILED.changed(check="playbook")], PromoteOptions(at=2))

    case = loaded(made.text, "a.yml", date(2026, 1, 1))
    assert case is not None
    places = [(each.rule.name, each.after) for each in case.expectations]
    assert sorted(places, key=str) == [("b", 1), ("c", 1), ("d", None)]
    assert "rule a: left out, because a scenario from there or with stubs cannot check it" in made.notes


@pytest.mark.parametrize(("live_tools", "expected"), [(False, ["kept"]), (True, ["kept", "state"])])
def test_rules_about_the_state_need_tools_that_run(live_tools: bool, expected: list[str]):
    batch = BATCH.changed(rules=(*RULES, Rule(name="state", then="changed('orders.A-9')")))
    passed = (PASSED, PASSED.changed(check="state"))
    options = PromoteOptions(live_tools=live_tools)

    made = promote(batch, talk("Cancel it.", "Done.", calls=(CANCEL,)), passed, options)

    case = loaded(made.text, "a.yml", date(2026, 1, 1))
    assert [each.rule.name for each in case.expectations] == expected if case else made.text


def test_variables_of_any_form_are_kept():
    variables = {"goods": [{"name": "flour", "qty": 4}], "places": {"1": "here"}, "days": ["Mon"], "size": "big"}

    assert case_of(
        talk("Hi", "Hello!").changed(case=Case(id="x", variables=variables)), keep_values=True
    ).variables == (variables)


@pytest.mark.parametrize(("keep_values", "variables"), [(True, {"tier": "gold"}), (False, {})])
def test_a_scenario_has_no_unused_columns_of_a_log(keep_values: bool, variables: dict[str, str]):
    case = Case(id="Ilka-7", variables={"id": "Ilka-7", "tier": "gold"})
    conversation = talk("Hi", "Hello!").changed(case=case)

    assert case_of(conversation, FAILED, keep_values=keep_values).variables == variables


def test_injected_replies_are_injected_again():
    told = talk("Hi", "Hello!", "Cancel it.", "Done.")
    injected = told.changed(messages=(told.messages[0], told.messages[1].changed(injected=True), *told.messages[2:]))

    assert case_of(injected).script[1] == InjectReply(text="Hello!")


def test_goals_leave_out_answers_and_what_passed_is_expected_where_nothing_failed():
    conversation = talk("Cancel my order.", "Which one?", "A-9", "Done.", "Thank you for your help.", "Bye.")

    case = case_of(conversation, PASSED, user="goals")

    assert [goal.text for goal in case.goals] == ["Cancel my order.", "Thank you for your help."]
    assert [each.rule.name for each in case.expectations] == ["kept"]


PLANTED = {
    "English": (
        ["My name is Anna Kowalska, I live at 12 Green Lane, Dublin.", "anna.kowalska@mail.test", "+353 85 555 0142"],
        ["Hello Anna, your e-mail?", "And your phone?", "Thanks, Anna. I told ANNA KOWALSKA's office."],
        ["Anna", "Kowalska", "Green Lane", "555 0142"],
    ),
    "Spanish": (
        ["Me llamo Lucía Fernández y vivo en Calle Mayor 12, Madrid", "lucia_f@correo.test", "612 555 014"],
        ["¿Su correo?", "Gracias, Lucía. ¿Y su teléfono?", "Perfecto."],
        ["Lucía", "Fernández", "Mayor 12", "lucia_f", "612 555"],
    ),
    "Russian": (
        ["Меня зовут Анна Петрова, ул. Ленина, д. 5", "мой телефон +7 900 555-01-42", "Да"],
        ["Телефон?", "Спасибо, Анна! Заказ Анны готов?", "Пока"],
        ["Петров", "Ленина", "900 555", "Анн"],
    ),
    "German": (
        ["Ich heiße Jürgen Müller, Hauptstraße 5, 10115 Berlin", "juergen@web.test", "DE89 3704 0044 0532 0130 00"],
        ["Ihre E-Mail?", "IBAN bitte?", "Danke, Herr Müller"],
        ["Jürgen", "Müller", "Hauptstra", "juergen@", "3704"],
    ),
    "French": (
        ["Bonjour, je m'appelle Claire Dubois, 5 rue des Lilas, Lyon", "claire@poste.test et 06 55 50 01 42", "ok"],
        ["Votre email ?", "Merci Claire.", "Bien"],
        ["Claire", "Dubois", "Lilas", "55 50 01"],
    ),
    "Italian": (
        ["Mi chiamo Paolo Bianchi, abito in via Roma 3, Torino", "paolo.bianchi@posta.test", "333 5550142"],
        ["email?", "telefono?", "Grazie Paolo"],
        ["Paolo", "Bianchi", "via Roma", "5550142"],
    ),
    "Portuguese": (
        ["O meu nome é João Silva e moro na Rua das Flores 10, Lisboa", "joao@sapo.test", "912 555 014"],
        ["email?", "telefone?", "Obrigado, João"],
        ["João", "Silva", "Flores", "joao@", "912 555"],
    ),
    "ids": (
        ["I need a refund", "Emma Kim", "emma_kim_9957, card 4111 1111 1111 1111"],
        ["May I have your full name?", "And your user id?", "Thanks Emma."],
        ["Emma", "Kim", "9957", "4111 1111"],
    ),
}


@pytest.mark.parametrize("language", PLANTED)
@pytest.mark.parametrize("options", [{}, {"at": 2}, {"at": 3}, {"user": "goals"}])
def test_personal_data_is_in_no_scenario(language: str, options: dict[str, object]):
    user, chatbot, planted = PLANTED[language]
    said = [text for pair in zip(user, chatbot, strict=True) for text in pair]
    call = ToolCall(name="find", arguments={"name": user[0], "nick": planted[0].lower()}, result={"street": planted[1]})

    made = promote(BATCH, talk(*said, calls=(call,)), [], PromoteOptions(**options))  # type: ignore[arg-type]

    assert [each for each in planted if each.lower() in made.text.lower()] == []
    assert loaded(made.text, "a.yml", date(2026, 1, 1)) is not None


@pytest.mark.slow
@pytest.mark.parametrize("language", SEEN)
def test_spoken_numbers_small_places_names_in_small_letters_and_illnesses_are_replaced(language: str):
    """Of 84 values, 5 are left: names that are frequent words, and others that no rule was tuned on."""
    greeting, thanks = POLITE[language]
    left = []
    for line, value in [*SEEN[language], *UNSEEN[language]]:
        said = talk(line, thanks)
        told = said.changed(messages=(message("chatbot", greeting), *said.messages))
        if value.casefold() in replacement(personal_values(told))(line).casefold():
            left.append(value)

    assert len(left) <= 2, left


@pytest.mark.slow
@pytest.mark.parametrize("language", ORDINARY)
def test_names_addresses_and_numbers_in_ordinary_lines_are_in_no_scenario(language: str):
    greeting, thanks = POLITE[language]
    left = []
    for line, value in ORDINARY[language]:
        said = talk(line, thanks)
        told = said.changed(messages=(message("chatbot", greeting), *said.messages))
        made = promote(BATCH, told, [], PromoteOptions()).text
        if value.casefold() in made.casefold():
            left.append(value)

    assert left == []


def test_a_scenario_says_that_it_may_hold_personal_data():
    kept, made = (promote(BATCH, talk("Hi", "Hello"), [], PromoteOptions(keep_values=keep)) for keep in (True, False))

    assert [*made.notes] == [*kept.notes, "personal data may be left: read the scenario before you share it"]


def test_one_note_names_all_lines_that_answer_questions():
    made = promote(BATCH, talk("Hi", "Which size?", "Large", "Which topping?", "Ham", "Done."), [], PromoteOptions())

    notes = [note for note in made.notes if "--user goals" in note]
    assert notes == ["answers to questions the chatbot may not ask again: line 2, 3; try --user goals"]


def test_made_up_values_have_the_same_shape():
    values = personal_values(
        talk("I am Ann Lee, ann@mail.test, card 4111 1111 1111 1111, IBAN DE89 3704 0044 0532 0130 00.", "ok")
    )

    made = {each.variable: each.made_up for each in values}
    assert made["email"] == "person1@example.com"
    assert (len(made["card"]), is_card(made["card"])) == (19, True)
    digits = made["iban"].replace(" ", "")
    assert int("".join(str(int(char, 36)) for char in digits[4:] + digits[:4])) % 97 == 1


def test_ordinary_words_are_left_alone():
    text = (
        "The market in May has 3 annual fairs, from 9 to 17:30, for $12.50 or 1,200,000 points. Hello there, Thank You!"
    )

    assert personal_values(talk(text, "Fine.")) == ()


@pytest.mark.parametrize(
    ("verdict", "differs"),
    [(FAILED, ""), (FAILED.changed(outcome=CheckOutcome.PASS), "broken is fail, was pass")],
)
async def test_a_scenario_is_verified_with_the_recorded_replies(verdict: Verdict, differs: str):
    talked = talk("Cancel order A-9912.", "Sure, Petra?", "Yes", "Done.", calls=(CANCEL,))
    made = promote(BATCH, talked, [verdict], PromoteOptions())

    assert await difference(made, BATCH, talked, [verdict]) == differs


async def test_rules_of_an_imported_log_become_expectations_if_they_failed():
    recorded = talk("What does order A-1009 cost?", "I have cancelled it.", calls=(CANCEL,))
    rules = tuple(Rule(name=name, then=then) for name, then in (("ask", "not called('cancel')"), ("polite", "True")))
    store = MemoryStore()
    batch, _, _ = await store_conversations([recorded], store, name="live")

    made = await promote_stored(batch, store, recorded.id, PromoteOptions(rules=rules))

    case = loaded(made.text, "a.yml", date(2026, 1, 1))
    assert case is not None
    assert [each.rule.then for each in case.expectations] == ["not called('cancel')"]


async def test_a_scenario_that_ends_early_differs():
    talked = talk("Cancel order A-9912.", "Sure?", "Yes", "Done.")
    made = promote(BATCH, talked, [FAILED], PromoteOptions())
    ended = talked.changed(messages=(*talked.messages[:1], talked.messages[1].changed(ends=True), *talked.messages[2:]))

    assert await difference(made, BATCH, ended, [FAILED]) == "the user says 1 of 2 recorded messages: chatbot_done"

"""Stages of goals: only positive evidence counts, and what a reader of patterns cannot tell is unread."""

import pytest

from sparring.core.case import Case, Goal, GoalAnswer, Persona
from sparring.core.conversation import Conversation, GoalProgress, GoalStage
from sparring.core.message import Meant, ToolCall, message
from sparring.core.value import Json
from sparring.extraction.pattern_extractor import PatternReader
from tables import table

DONE, ASKED, UNREAD = GoalStage.DONE, GoalStage.ASKED, GoalStage.UNREAD
PROPOSED, REFUSED, CONTRADICTED = GoalStage.PROPOSED, GoalStage.REFUSED, GoalStage.CONTRADICTED


def a_case(text: str, variables: dict[str, Json], language: str = "English") -> Case:
    goal = Goal(text=text, variables=tuple(variables))
    return Case(id="a", goals=(goal,), variables=variables, persona=Persona(language=language))


BLOCK = a_case("block my card 1111", {"card": "1111"})
TABLE = a_case("book a table for Friday at 20:00 for Lee", {"day": "Friday", "time": "20:00", "name": "Lee"})
CANCEL = a_case("cancel order ORD-002", {"order": "ORD-002"})


async def read(case: Case, *said: str) -> tuple[GoalProgress, ...]:
    messages = tuple(message("chatbot" if n % 2 else "user", text) for n, text in enumerate(said))
    return (await PatternReader().read(Conversation(case=case, messages=messages))).goals


async def stage(case: Case, *said: str) -> GoalStage:
    (goal,) = await read(case, *said)
    return goal.stage


@table(
    ("said", "expected"),
    [
        (("I block card 1111. Is that right?",), PROPOSED),
        (("I block card 1111. Is that right?", "Yes", "Your card is blocked."), DONE),
        (("I block card 1111. Is that right?", "Yes", "Thank you for calling."), UNREAD),
        (("I block card 1111. Is that right?", "Yes", "Which bank is it from?"), ASKED),
        (("Your card 1111 is blocked.",), DONE),
        (("I can block card 1111 if you want.",), UNREAD),
        (("Once card 1111 is blocked, it cannot be used.",), UNREAD),
        (("Sure, that's done!",), UNREAD),
        (("Your card is blocked.",), UNREAD),
        (("Which card is it?",), ASKED),
        (("I am sorry, we cannot block card 1111.",), REFUSED),
        (("Sorry, I cannot help with that.",), ASKED),
        (("Error: HTTP 500",), ASKED),
        (("",), ASKED),
        (("I have unblocked card 1111.",), UNREAD),
    ],
)
async def test_a_wish_is_done_by_a_statement_that_says_so_with_its_values(said: tuple[str, ...], expected: GoalStage):
    assert await stage(BLOCK, "Please block my card 1111.", *said) is expected


@table(
    ("said", "expected"),
    [
        (("Booked: a table on Friday at 20:00 for Lee.",), DONE),
        (("Your table is booked for Friday at 8 pm, Lee.",), DONE),
        (("Your table is booked for Saturday at 20:00, Lee.",), CONTRADICTED),
        (("A table on Friday at 20:00 for Lee. Shall I book it?",), PROPOSED),
        (("We are closed. There is no table on Friday.",), REFUSED),
        (("Your table on Friday at 20:00 is booked, Lee.", "No, change it to 21:00.", "Fine."), UNREAD),
        (
            ("Your table on Friday at 20:00 is booked, Lee.", "Thanks", "Sorry, the booking of the table failed."),
            REFUSED,
        ),
        (("Your table is booked for Saturday.", "No, on Friday!", "Booked: a table, Friday, 20:00, Lee."), DONE),
    ],
)
async def test_the_last_word_on_the_values_counts(said: tuple[str, ...], expected: GoalStage):
    assert await stage(TABLE, "I'd like to book a table for Friday at 20:00 for Lee.", *said) is expected


@table(
    "reply",
    [
        "I booked you a flight to Paris, order id 12345",
        "Sure, I have placed order ORD-002.",
        "Please cancel order ORD-002. The price is $12.50, and your order ID is 4711.",
        "Order ORD-002 is on its way.",
        "I will cancel order ORD-002 as soon as I can.",
        "Order ORD-002 can be cancelled within 30 days.",
    ],
)
async def test_another_act_a_promise_or_an_echo_does_not_cancel(reply: str):
    assert await stage(CANCEL, "Please cancel order ORD-002.", reply) is not DONE


@table(
    ("question", "reply", "expected"),
    [
        ("What are your opening times?", "We open at 9 am and close at 5 pm.", DONE),
        ("What are your opening times?", "Every day from 9 am to 5 pm.", DONE),
        ("What are your opening times?", "Sure, I have cancelled your order.", ASKED),
        ("What are your opening times?", "Let me check that for you.", ASKED),
        ("What are your opening times?", "I am sorry, I cannot tell you.", REFUSED),
        ("how much is a new tire?", "A new tire costs $20.", DONE),
        ("how much is a new tire?", "We sell new tires.", ASKED),
        ("how much is a new tire?", "It is $20.", UNREAD),
        ("Do you deliver?", "No, we do not deliver.", DONE),
        ("Do you deliver?", "Yes.", UNREAD),
        ("where is the office?", "Nice to meet you.", UNREAD),
        ("where is the library?", "The library is located at 12 High Street.", DONE),
        ("which drinks do you have?", "Our drinks are coke, sprite and water.", DONE),
        ("What is the capital of Spain?", "The capital of Spain is Madrid.", DONE),
        ("What is the capital of Spain?", "Spain is nice.", UNREAD),
        ("how long does delivery take?", "Delivery takes 30 minutes.", DONE),
        ("how old are you?", "I'm 5.", DONE),
        ("how old are you?", "You have 3 options to choose from.", UNREAD),
        ("¿Cuánto cuesta la matrícula?", "La matrícula cuesta 20 euros.", DONE),
        ("¿Cuánto cuesta la matrícula?", "No tengo esa información.", ASKED),
        ("сколько стоит доставка?", "Доставка стоит 300 рублей.", DONE),
        ("какие у вас часы работы?", "Мы работаем с 9 до 18.", DONE),
    ],
)
async def test_a_question_is_answered_by_its_kind_of_answer_on_its_topic(
    question: str, reply: str, expected: GoalStage
):
    assert await stage(a_case(question, {}), question, reply) is expected


@pytest.mark.parametrize(
    ("goal", "asked", "reply", "language"),
    [
        ("reservar mesa el viernes", "Quiero reservar mesa el viernes", "Mesa reservada, el viernes.", "Spanish"),
        ("отменить заказ 4711", "Отмените заказ 4711, пожалуйста", "Заказ 4711 отменен.", "Russian"),
    ],
)
async def test_acts_are_read_in_spanish_and_russian(goal: str, asked: str, reply: str, language: str):
    assert await stage(a_case(goal, {}, language), asked, reply) is DONE


async def test_in_other_languages_the_reader_abstains():
    case = a_case("een tafel voor vrijdag boeken", {}, "Dutch")

    assert await stage(case, "Ik wil een tafel voor vrijdag boeken.", "Geboekt: tafel, vrijdag.") is UNREAD


async def test_a_goal_is_not_asked_only_where_no_user_message_shares_a_word_with_it():
    case = Case(id="a", goals=(Goal(text="a large pizza"), Goal(text="the price of home delivery")))

    (_, untouched) = await read(case, "A large pizza, please.", "Which one?")
    (_, touched) = await read(case, "A large pizza, please. By delivery.", "Which one?")

    assert (untouched.stage, touched.stage) == (GoalStage.NOT_ASKED, UNREAD)


async def test_a_goal_that_the_user_brought_up_in_another_language_is_unread():
    case = Case(id="a", goals=(Goal(text="what is the price of the delivery?"),))

    assert await stage(case, "¿Cuánto cuesta el envío a la ciudad?", "¿Qué dice usted?") is UNREAD


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("From 9 am until 5 pm.", DONE),
        ("We are open from 8 to 20.", CONTRADICTED),
        ("We have nice opening hours.", ASKED),
        ("I am sorry, I cannot tell you.", REFUSED),
    ],
)
async def test_the_answer_that_the_author_wrote_down_decides(reply: str, expected: GoalStage):
    goal = Goal(text="the opening hours", answer=(GoalAnswer(text="9 to 17"),))

    assert await stage(Case(id="a", goals=(goal,)), "What are the opening hours?", reply) is expected


async def test_the_answer_that_the_author_wrote_down_is_found_in_other_languages():
    goal = Goal(text="die Öffnungszeiten", answer=(GoalAnswer(pattern="9 bis 17"),))
    case = Case(id="a", goals=(goal,), persona=Persona(language="German"))

    assert await stage(case, "Was sind die Öffnungszeiten?", "Wir haben von 9 bis 17 Uhr geöffnet.") is DONE


CANCELLED = ToolCall(name="cancel_order", arguments={"order_id": "ORD-002"}, result={"status": "cancelled"})


@pytest.mark.parametrize(
    ("call", "text", "expected"),
    [
        (CANCELLED, "Anything else?", DONE),
        (CANCELLED, "", DONE),
        (CANCELLED.model_copy(update={"error": "timeout", "status": "failed"}), "One moment.", ASKED),
        (CANCELLED.model_copy(update={"name": "get_order"}), "One moment.", ASKED),
        (CANCELLED.model_copy(update={"arguments": {"order_id": "ORD-003"}}), "", UNREAD),
    ],
    ids=["beside a question", "without a word", "failed", "another act", "another order"],
)
async def test_a_tool_call_that_succeeded_does_what_its_name_and_arguments_say(
    call: ToolCall, text: str, expected: GoalStage
):
    messages = (message("user", "Please cancel order ORD-002."), message("chatbot", text, tool_calls=(call,)))

    (goal,) = (await PatternReader().read(Conversation(case=CANCEL, messages=messages))).goals

    assert goal.stage is expected


@pytest.mark.parametrize(
    "reply", ['We have no "pizza".', "Unfortunately we don't sell pizza.", "К сожалению, pizza у нас нет."]
)
async def test_a_call_does_nothing_that_the_reply_refuses(reply: str):
    call = ToolCall(name="add_to_cart", arguments={"product": "pizza", "quantity": 1}, result={"status": "unknown"})
    case = Case(id="a", goals=(Goal(text="1 pizza"),))
    messages = (message("user", "I would like 1 pizza."), message("chatbot", reply, tool_calls=(call,)))

    (goal,) = (await PatternReader().read(Conversation(case=case, messages=messages))).goals

    assert goal.stage is GoalStage.REFUSED


@table(
    ("wish", "name", "arguments", "done"),
    [
        ("order 2 drinks", "place_order", {"pizza": "Margherita", "quantity": 2}, False),
        ("order 2 drinks", "place_order", {"drink": "water", "quantity": 2}, True),
        ("order 2 drinks", "place_order", {"items": ["drinks"], "quantity": 2}, True),
        ("order 2 drinks", "order_status", {"drink": "water", "quantity": 2}, False),
        ("order 2 drinks", "check_order", {"drink": "water", "quantity": 2}, False),
        ("cancel order 7", "cancel_order", {"id": 7}, True),
        ("cancel order 7", "cancel_subscription", {"months": 7}, False),
        ("block card 12", "block_card", {"number": "12"}, True),
        ("cancel order 4711", "cancel", {"id": "4711"}, True),
    ],
)
async def test_a_number_in_a_tool_call_counts_beside_a_word_of_the_goal(
    wish: str, name: str, arguments: dict[str, Json], done: bool
):
    call = ToolCall(name=name, arguments=arguments, result="ok")
    messages = (message("user", f"Please {wish}."), message("chatbot", "One moment.", tool_calls=(call,)))

    (goal,) = (
        await PatternReader().read(Conversation(case=Case(id="a", goals=(Goal(text=wish),)), messages=messages))
    ).goals

    assert (goal.stage is DONE) is done


async def test_opening_forms_that_share_a_number_ask_for_their_own_goals():
    yeast = Goal(text="3 packets of dry yeast", first="3 x dry yeast")
    flour = Goal(text="3 packs of wheat flour", first="3 x wheat flour")

    goals = await read(Case(id="a", goals=(yeast, flour)), "I would like 3 x dry yeast, please.")

    assert [goal.asked_at for goal in goals] == [0, None]


async def test_a_russian_removal_is_done_once_the_chatbot_says_so():
    case = a_case("убрать: Соль поваренная", {"item": "Соль поваренная"}, "Russian")

    assert await stage(case, "Уберите, пожалуйста: Соль поваренная.", "Убрала из заказа: Соль поваренная.") is DONE
    assert await stage(case, "Уберите, пожалуйста: Соль поваренная.", "Записала: Соль поваренная.") is not DONE


TICKETS = "2 tickets for Aurora on Friday"


@table(
    ("language", "wanted", "named", "question", "done"),
    [
        ("English", TICKETS, "2 tickets for Aurora on Friday, $23.", "Does that look right?", "Booked!"),
        ("English", TICKETS, "2 tickets for Aurora on Friday, $23.", "Reserve them?", "Your tickets are booked."),
        (
            "German",
            "2 Karten für Aurora am Freitag",
            "2 Karten für Aurora am Freitag, zusammen 23 €.",
            "Soll ich buchen?",
            "Gebucht! Ihre Nummer ist 12.",
        ),
        (
            "French",
            "2 billets pour Aurore vendredi",
            "2 billets pour Aurore vendredi, soit 23 €.",
            "Cela vous convient ?",
            "C'est réservé !",
        ),
        (
            "Spanish",
            "2 entradas para Aurora el viernes",
            "2 entradas para Aurora el viernes, 23 €.",
            "¿Le parece bien?",
            "Sus entradas están reservadas.",
        ),
        (
            "Italian",
            "2 biglietti per Aurora venerdì",
            "2 biglietti per Aurora venerdì, 23 €.",
            "Prenoto?",
            "Ho prenotato i biglietti.",
        ),
        (
            "Portuguese",
            "2 bilhetes para Aurora na sexta-feira",
            "2 bilhetes para Aurora na sexta-feira, 23 €.",
            "Quer reservar?",
            "Reservado!",
        ),
        (
            "Russian",
            "2 билета на «Аврору» в пятницу",
            "2 билета на «Аврору» в пятницу, 600 рублей.",
            "Бронируем?",
            "Билеты забронированы.",
        ),
    ],
)
async def test_a_yes_to_a_question_that_named_all_values_in_any_words(
    language: str, wanted: str, named: str, question: str, done: str
):
    case = Case(id="a", goals=(Goal(text=wanted),), persona=Persona(language=language))

    assert await stage(case, wanted, f"{named} {question}", "OK", done) is DONE
    assert await stage(case, wanted, named.replace("2", "3"), "OK", done) is not DONE


@table(
    "reply",
    [
        "2 tickets for Aurora on Friday are sold out. Would you like to see it another time?",
        "Would you like 2 tickets for Aurora on Friday or on Saturday?",
        "You asked for 2 tickets for Aurora on Friday. Which seats?",
        "You asked for 2 tickets for Aurora on Friday. Anything else?",
    ],
)
async def test_other_questions_are_no_offer_to_do_it(reply: str):
    case = Case(id="a", goals=(Goal(text=TICKETS),))

    assert await stage(case, f"{TICKETS}, please", reply, "OK", "Booked!") is not DONE


@table(
    ("goal", "reply"),
    [
        ("report a burglary under policy HP-33120", "Your burglary claim under policy HP-33120 has been filed."),
        ("report a fire under policy HP-33120", "I have filed your claim for a fire under policy HP-33120."),
        ("the check-out time", "Check-out is at 11 am."),
        ("the arrival time", "The train arrives at 11 am."),
    ],
)
async def test_a_claim_is_filed_and_a_named_time_is_stated(goal: str, reply: str):
    assert await stage(a_case(goal, {}), f"I would like {goal}, please.", reply) is DONE


async def test_a_question_left_out_of_an_answer_is_open_though_dates_of_another_goal_follow():
    goals = (
        Goal(text="book a room from 14 May"),
        Goal(text="whether parking is free"),
        Goal(text="the check-out time"),
    )
    case = Case(id="a", goals=goals)

    found = await read(
        case,
        "I want to book a room from 14 May. Is parking free? Could you tell me the check-out time?",
        "Parking is free for guests.",
        "I want to book a room from 14 May.",
        "Your room is booked from 14 May.",
    )

    assert [each.stage for each in found] == [DONE, DONE, ASKED]


async def test_what_is_done_after_the_user_refused_it_and_left_is_not_done():
    no, bye = Meant(act="no"), Meant(act="farewell")
    said = (
        message("user", "Block my card 1111.").changed(meant=(Meant(act="wish", goal=0),)),
        message("chatbot", "I block card 1111. Is that right?"),
        message("user", "No, that is not right. Goodbye.").changed(meant=(no, bye)),
        message("chatbot", "Your card 1111 is blocked."),
    )

    (goal,) = (await PatternReader().read(Conversation(case=BLOCK, messages=said))).goals

    assert goal.stage is PROPOSED


async def test_what_was_reported_without_the_right_answer_is_quoted():
    goal = Goal(text="an appointment on Friday at 15:45", answer=(GoalAnswer(pattern="booked for Friday at 15:45"),))
    case = Case(id="a", goals=(goal,))

    (found,) = await read(case, "I'd like an appointment on Friday at 15:45.", "You are booked for Friday at 16:45.")

    assert (found.stage, found.evidence and found.evidence.text) == (ASKED, "You are booked for Friday at 16:45.")


async def test_a_recap_with_a_german_date_and_grouped_thousands_names_all_values():
    case = a_case("einen Glasbruch vom 12. Mai über 1200 Euro melden", {"day": "12. Mai", "sum": 1200}, "German")
    recap = "Ich habe notiert: Glasbruch, passiert am 12. Mai, Schaden 1.200,00 €. Soll ich die Meldung abschicken?"
    said = (
        "Ich möchte einen Glasbruch vom 12. Mai über 1200 Euro melden.",
        recap,
        "Ja, bitte.",
        "Sie ist aufgenommen.",
    )
    assert await stage(case, *said) is DONE


async def test_a_recap_with_all_words_of_a_wish_without_values_asks_for_a_yes():
    case = a_case("la réservation de Madame Bovary", {}, "French")
    recap = "Je résume : réservation de « Madame Bovary », carte B7781. C'est bien ça ?"
    said = ("J'aimerais la réservation de Madame Bovary, s'il vous plaît.", recap, "Oui, c'est exact.")
    assert await stage(case, *said, "Votre réservation est enregistrée.") is DONE

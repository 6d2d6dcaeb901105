"""What the agenda user makes of each act of a chatbot: scripted chatbots and the transcripts with them."""

import re
from collections.abc import Iterable

import pytest

from fakes import FrozenClock, Talking, transcript
from sparring.audit.audit import audit
from sparring.core.case import Case, Fact, Goal, Limits, Persona, Style
from sparring.core.conversation import Conversation, Ending
from sparring.extraction.pattern_extractor import PatternReader
from sparring.extraction.question_kinds import asks_information
from sparring.simulation.simulate import simulate
from sparring.users.agenda import Agenda
from tables import table

COKE = Goal(text="the following drink: coke", variables=("drink",), others={"drink": ("water", "sprite")})
PIZZA = Goal(text="a small pizza", variables=("size",), others={"size": ("medium", "big")})
VIDEO = Goal(text="a video of the wedding")
ORDER = Case(id="order", goals=(PIZZA, COKE), variables={"size": "small", "drink": "coke"}, limits=Limits(turns=12))


async def talk(case: Case, *replies: str, then: str = "Goodbye.") -> Conversation:
    """Play a conversation with a chatbot that says these replies in turn, and the last words from then on."""

    def make():
        said = iter(replies)
        return lambda text: next(said, then)

    return await simulate(case, Agenda(), Talking(make), reader=PatternReader(), clock=FrozenClock())


def said(conversation: Conversation) -> list[str]:
    return [each.text for each in conversation.messages if each.role == "user"]


def acts(conversation: Conversation) -> list[list[str]]:
    return [[each.act for each in message.meant] for message in conversation.messages if message.role == "user"]


def only(goal: Goal, **variables: str) -> Case:
    return ORDER.model_copy(update={"goals": (goal,), "variables": variables or ORDER.variables})


async def test_a_wait_is_granted_once_and_then_the_wish_is_repeated():
    conversation = await talk(only(VIDEO), "One moment, please.", "One moment, please.", "Fine, a video it is.")

    assert acts(conversation)[:3] == [["wish"], ["wait"], ["wish"]]


@table(
    ("reply", "expected"),
    [("A video. Shall I order it?", "Yes, please."), ("A video. Is that right?", "Yes, that's right.")],
)
async def test_a_yes_fits_the_question(reply: str, expected: str):
    cases = (only(VIDEO).model_copy(update={"seed": seed}) for seed in range(4))

    assert [said(await talk(case, reply))[1] for case in cases] == [expected] * 4


async def test_a_handover_is_agreed_to_and_ends_the_conversation():
    conversation = await talk(ORDER, "I'll connect you to one of our colleagues.")

    assert (conversation.ending, conversation.turns) == (Ending.USER_DONE, 2), transcript(conversation.messages)


async def test_a_chatbot_for_other_things_is_asked_once_and_then_left():
    conversation = await talk(ORDER, then="I can only help with parcels.")

    assert (conversation.ending, conversation.turns) == (Ending.USER_DONE, 3), transcript(conversation.messages)
    assert acts(conversation)[1] == ["question"]


@pytest.mark.parametrize(
    "refusal",
    [
        "We cannot do that, ever.",
        "That is not possible.",
        "Sorry, we don't do videos of weddings.",
        "We have no videos.",
        "Videos are out of stock until June.",
    ],
)
async def test_a_refused_value_is_not_asked_for_again(refusal: str):
    conversation = await talk(only(VIDEO), then=refusal)

    assert conversation.ending is Ending.USER_DONE, transcript(conversation.messages)
    assert sum("video" in text.lower() for text in said(conversation)) == 1
    assert conversation.turns <= 3


@pytest.mark.parametrize(
    "reply",
    ["We are out of coke, we only have water.", "Coke is sold out. Would you like water instead?"],
)
async def test_an_alternative_is_declined_by_default(reply: str):
    conversation = await talk(only(COKE), reply, "Fine.")

    assert conversation.ending is Ending.USER_DONE
    assert re.search(r"no coke|without coke|do without coke", said(conversation)[1])
    assert not any(re.match(r"(?i)coke\b", text) for text in said(conversation))
    assert conversation.settled == {}


async def test_a_user_that_bears_no_misunderstanding_writes_without_mistakes():
    persona = Persona(styles=(Style(name="make spelling mistakes"),))
    hasty = only(VIDEO).changed(persona=persona, limits=Limits(fallbacks=1))
    openings = [said(await talk(hasty.changed(seed=seed)))[0] for seed in range(9)]

    assert all("a video of the wedding" in opening for opening in openings), openings


async def test_a_user_does_not_insist_on_an_answer_that_was_refused():
    case = only(VIDEO).changed(answers={"which day": "Sunday"})
    asked = "On which day: Monday or Friday?"

    conversation = await talk(case, asked, then=f"We do not deliver on Sunday. {asked}")

    assert sum("Sunday" in each for each in said(conversation)) == 1


async def test_what_a_refused_wish_leaves_open_is_no_reason_to_leave_the_next():
    case = only(PIZZA).changed(goals=(Goal(text="3 canisters of butter"), Goal(text="1 kefir")))
    refused = "We have no canisters of butter, only boxes. Would you like boxes?"

    conversation = await talk(
        case, refused, "Removed: butter. Would you like boxes of kefir or pieces?", "1 kefir, noted."
    )

    assert "farewell" not in acts(conversation)[2]


async def test_a_flexible_user_takes_the_first_value_that_is_offered():
    case = only(COKE).model_copy(update={"persona": Persona(traits=("You are flexible.",))})

    conversation = await talk(case, "We are out of coke, we only have water.", "Fine: one water.")

    assert "water" in said(conversation)[1]
    assert acts(conversation)[1] == ["alternative"]
    assert conversation.settled == {"drink": "water"}
    assert conversation.case.variables["drink"] == "coke"


@pytest.mark.parametrize(
    ("replies", "taken"),
    [
        (("We are out of coke.", "Fine."), ["tea"]),
        (("We are out of coke and tea.", "Fine."), ["water"]),
        (("We are out of coke, we only have water.", "Fine: one water."), ["water"]),
        (("We are out of coke.", "We have no tea.", "Fine: one water."), ["tea", "water"]),
    ],
)
async def test_alternatives_are_taken_in_their_order(replies: tuple[str, ...], taken: list[str]):
    case = only(COKE.changed(otherwise=("tea", "water")))

    conversation = await talk(case, *replies)

    alternatives = [each for said in conversation.messages for each in said.meant if each.act == "alternative"]
    assert [each.slots for each in alternatives] == [{"drink": value} for value in taken]
    assert conversation.settled == {"drink": taken[-1]}


async def test_an_alternative_that_is_refused_too_is_not_settled():
    case = only(COKE.changed(otherwise=("tea", "water")))

    conversation = await talk(case, "We are out of coke.", "We have no tea.", "We have no water.")

    assert acts(conversation)[1:3] == [["alternative"], ["alternative"]]
    assert conversation.settled == {}


async def test_a_misheard_value_is_corrected_and_never_agreed_to():
    wrong = "One big pizza. Is that right?"

    conversation = await talk(only(PIZZA), then=wrong)

    corrections = [text for text in said(conversation) if text.startswith("No, ")]
    assert len(corrections) == 3
    assert all("small" in text for text in corrections[:2])
    assert not any(text.startswith("Yes") for text in said(conversation))
    assert conversation.ending is Ending.USER_DONE


async def test_an_order_that_lacks_something_is_not_agreed_to():
    conversation = await talk(
        ORDER, "A small pizza. And to drink?", "Your order: a small pizza. Is everything correct?", "Thanks, placed."
    )

    third = said(conversation)[2]
    assert "coke" in third
    assert not third.startswith("Yes")


async def test_an_order_with_a_thing_too_many_is_not_agreed_to():
    conversation = await talk(
        only(PIZZA), "Your order: a small pizza and sprite. Is that right?", "Your order: a small pizza. Is that right?"
    )

    assert said(conversation)[2].startswith("Yes")

    case = only(PIZZA).model_copy(
        update={"goals": (PIZZA.model_copy(update={"others": {"extra": ("garlic bread",)}}),)}
    )
    conversation = await talk(case, "Your order: a small pizza and garlic bread. Is that right?", "Is that right now?")

    assert "garlic bread" in said(conversation)[1]
    assert said(conversation)[1].startswith("No")


async def test_a_price_over_the_budget_is_declined():
    case = only(PIZZA).model_copy(update={"facts": (Fact(slot="budget", values=("$12",)),)})

    conversation = await talk(case, "A small pizza for $20. Shall I order it?")

    assert not said(conversation)[1].startswith("Yes"), said(conversation)
    assert (await talk(case, "A small pizza for $10. Shall I order it?")).messages[2].text.startswith("Yes")


async def test_a_slot_that_is_asked_for_again_and_again_is_given_up():
    conversation = await talk(only(PIZZA), then="What size?")

    assert conversation.ending is Ending.USER_DONE, transcript(conversation.messages)
    assert conversation.turns <= 6


async def test_a_choice_is_made_by_what_the_goal_says():
    for seed in range(8):
        case = only(VIDEO).model_copy(update={"seed": seed})
        conversation = await talk(case, "Would you like photographs or a video?", "Photographs or video?")

        assert all("video" in text.lower() for text in said(conversation)[:3]), said(conversation)


async def test_something_else_is_not_bought():
    for seed in range(8):
        case = only(PIZZA).model_copy(update={"seed": seed})
        conversation = await talk(case, "One small pizza. Would you like a salad or a dessert with that?")

        assert acts(conversation)[1] == ["no"], said(conversation)


@table(
    ("question", "answer"),
    [
        ("Do you have any allergies?", "No."),
        ("Are you an existing customer?", "I'm not sure."),
        ("Were you here before?", "No."),
        ("Should we send a menu to your home address?", "No, (thanks|thank you)."),
        ("Are you certain you want to order a small pizza?", "Yes, please."),
        ("When were you born?", "I'd rather not say."),
        ("A text message when it is ready, or rather an email?", "((A t|T)ext message|Email)(, please.)?"),
        ("What is your phone number?", "I'd rather not say."),
        ("When did you last order?", "I don't know that, sorry."),
        ("Would you rather come by car or by train?", "(By train|Car|By car|Train)(, please.)?"),
    ],
)
async def test_a_question_about_the_user_is_answered_before_the_next_wish(question: str, answer: str):
    conversation = await talk(ORDER, question, "Anything else?")

    assert re.fullmatch(answer, said(conversation)[1]), said(conversation)
    assert acts(conversation)[2] == ["wish"]


async def test_a_number_that_only_the_goal_states_is_said_when_it_is_asked_for():
    conversation = await talk(only(Goal(text="a table for 4 people")), "For how many people?", "Goodbye.")

    assert said(conversation)[1] == "4"


async def test_what_is_asked_for_counts_more_than_what_was_noted():
    table = Goal(text="a table on Friday at 19:30", variables=("day", "time"))

    conversation = await talk(only(table, day="Friday", time="19:30"), "Noted: a table, Friday. At what time?")

    assert "19:30" in said(conversation)[1]
    assert "Friday" not in said(conversation)[1]


async def test_a_goal_to_state_something_is_not_missed_in_an_order():
    hours = Goal(text="the opening hours")
    case = ORDER.model_copy(update={"goals": (hours, PIZZA)})

    conversation = await talk(case, "We have all kinds of pizza.", "One small pizza. Shall I place the order?")

    assert acts(conversation)[:3] == [["question"], ["wish"], ["yes"]]


async def test_a_question_that_is_not_understood_is_asked_in_other_words():
    conversation = await talk(only(Goal(text="how old are you?")), then="Sorry, I did not understand that.")

    asked = [text for text in said(conversation) if "how old are you" in text.lower()]
    assert len(set(asked)) == len(asked) == 3
    assert all(text.endswith("?") for text in asked)


async def test_a_user_says_at_most_twice_that_it_does_not_know():
    case = only(VIDEO).model_copy(update={"variables": {"ticket": "JIRA-123", "limit": "40.00"}})

    conversation = await talk(case, then="What is your shoe size?")

    assert acts(conversation).count(["unknown"]) <= 2
    assert ["unknown"] in acts(conversation)


@pytest.mark.parametrize(
    "question", ["Which day suits you?", "What is your full name?", "And your email?", "Where to?"]
)
async def test_stray_variables_are_never_said(question: str):
    case = only(VIDEO).model_copy(update={"variables": {"ticket": "JIRA-123", "limit": "40.00"}})

    conversation = await talk(case, then=question)

    assert not any("JIRA" in text or "40" in text for text in said(conversation)), said(conversation)


async def test_without_patience_a_thing_that_does_not_exist_is_asked_for_once():
    case = only(Goal(text="2 unobtainium")).model_copy(update={"variables": {"PATIENCE": 0}})

    conversation = await talk(case, then="Which one exactly: whole milk, baked milk or tea?")

    assert sum("unobtainium" in text for text in said(conversation)) <= 2, said(conversation)
    assert conversation.turns <= 4


@pytest.mark.parametrize(
    "reply",
    [
        'I\'m afraid we have no "sushi". What would you like to order?',
        'I did not get that, we have no "sushi". Please name a product. What would you like to order?',
    ],
)
async def test_after_a_thing_that_is_not_to_be_had_comes_the_next_wish(reply: str):
    case = only(Goal(text="5 sushi")).changed(goals=(Goal(text="5 sushi"), Goal(text="3 rolls")))

    conversation = await talk(case, reply, "I have put down: 3 rolls. Anything else?")

    assert "rolls" in said(conversation)[1]
    assert not any("5 sushi" in text for text in said(conversation)[1:])


MENU = "Please choose:\n1) Billing\n2) Technical support\n3) Opening hours"


async def test_a_user_picks_from_a_numbered_menu_by_its_words_and_then_by_its_number():
    conversation = await talk(only(Goal(text="the opening hours")), MENU, MENU, "We are open from 9 am to 6 pm.")

    assert said(conversation)[1:3] == ["Opening hours", "3"]


async def test_a_user_who_asked_what_a_fact_is_needed_for_says_it_even_if_that_was_not_understood():
    persona = Persona(role="Your email is ann@example.com.", traits=("You are sceptical.",))
    case = only(Goal(text="the label for my shoes")).changed(persona=persona)

    conversation = await talk(case, "What is your e-mail address?", "I did not understand that.", "Sent.")

    assert [each for each in said(conversation) if "@" in each] == ["My email address is ann@example.com."]


@table(
    ("reply", "expected"),
    [
        ("Noted. Does Wednesday at 14:00 suit you?", "Yes, please."),
        ("I see. And an album, perhaps in leather?", "No, thank"),
        ("Do you want a video of your wedding?", "Yes, please."),
        ("Would you like an album with the video?", "No, thank"),
        ("We only do photographs, no videos. Shall I book photographs instead?", "Then no video of the wedding"),
    ],
)
async def test_what_the_user_says_to_times_and_to_things_it_did_not_ask_for(reply: str, expected: str):
    assert expected in said(await talk(only(VIDEO), reply))[1]


async def test_a_flexible_user_takes_what_there_is_instead():
    case = only(VIDEO).changed(persona=Persona(role="You are flexible."))

    conversation = await talk(case, "We only do photographs, no videos. Would you like photographs instead?")

    assert "photographs" in said(conversation)[1]


async def test_a_user_says_what_it_lacks_and_leaves_a_chatbot_that_insists():
    case = only(Goal(text="where is order ORD-7?", variables=("order",)), order="ORD-7")
    case = case.changed(goals=(*case.goals, Goal(text="cancel order ORD-8")), limits=Limits(turns=40))

    conversation = await talk(case, then="Before I can track order ORD-7, please tell me your customer number.")

    assert acts(conversation)[1:3] == [["unknown"], ["unknown"]]
    assert (conversation.ending, conversation.turns < 12) == (Ending.USER_DONE, True)


async def test_a_farewell_is_said_once_and_a_loop_of_fallbacks_after_it_is_no_giving_up():
    bye = "I did not understand that. Bye!"

    conversation = await talk(only(Goal(text="Do you deliver?")), "Yes, we do.", then=bye)

    assert conversation.ending in (Ending.USER_DONE, Ending.GOALS_ANSWERED)
    farewell = ORDER.model_copy(update={"ends": "farewell"})
    conversation = await talk(farewell, "Small.", "Coke, noted. Your order is placed.", then=bye)

    assert conversation.ending is not Ending.GAVE_UP
    assert sum("farewell" in each for each in acts(conversation)) == 1


async def test_no_conversation_ends_while_the_chatbot_waits_for_a_yes():
    conversation = await talk(
        only(Goal(text="a haircut on Tuesday", variables=("day",)), day="Tuesday"),
        "You have a haircut on Tuesday. Shall I book it?",
        "It is booked: a haircut on Tuesday.",
    )

    assert said(conversation)[1].startswith("Yes")
    assert conversation.ending is Ending.GOALS_ANSWERED


TYPED = re.compile(r"[A-Z]{2,}-\d+|\d+[.,:]\d+|[\w.]+@[\w.]+|\b\d{3,}\b")
QUESTIONS = (
    "What size?", "Which day?", "What is your name?", "Your phone number?", "Is that right?", "Anything else?",
    "We are out of that.", "How many?", "Coke or water?", "I did not understand that.", "One moment.", "Done.",
    "What is your budget?", "Please tell me your email.", "When shall we come?",
)  # fmt: skip


def shuffled(seed: int) -> Iterable[str]:
    return (QUESTIONS[(seed * 7 + turn * (seed % 5 + 1)) % len(QUESTIONS)] for turn in range(12))


@pytest.mark.slow
async def test_no_undeclared_typed_value_is_said():
    case = ORDER.model_copy(
        update={"variables": {**ORDER.variables, "ticket": "JIRA-123", "total": "40.00", "code": "55123"}}
    )

    for seed in range(150):
        conversation = await talk(case.model_copy(update={"seed": seed}), *shuffled(seed))
        found = [text for text in said(conversation) if TYPED.search(text)]
        assert found == [], transcript(conversation.messages)


@pytest.mark.parametrize(
    ("questions", "act"),
    [
        (["All right. Is there anything else?"], "that_is_all"),
        (["Why don't you mind?", "Does that trouble you?", "What are your feelings now?"], "remark"),
    ],
)
async def test_a_chatbot_that_asks_for_ever_is_left(questions: list[str], act: str):
    conversation = await talk(only(VIDEO), *questions * 12)
    assert conversation.ending is not Ending.TURN_LIMIT
    assert [each for message in acts(conversation) for each in message].count(act) <= 3


@pytest.mark.parametrize(
    ("goal", "question"),
    [
        ("3 boxes of tuna", "How many would you like?"),
        ("3 boxes of tuna", "How many packs of tuna?"),
    ],
)
async def test_a_number_of_the_goal_answers_how_many_of_it(goal: str, question: str):
    conversation = await talk(only(Goal(text=goal)), question, "Goodbye.")

    assert said(conversation)[1] == "3"


async def test_the_only_number_answers_how_many_of_something_with_another_name():
    conversation = await talk(only(Goal(text="is there a place to park?"), people=3), "How many guests?", "Goodbye.")

    assert said(conversation)[1] == "3"


async def test_a_request_in_a_fallback_is_not_answered_beside_the_question_after_it():
    lost = "I'm sorry, I did not get that. Please name a product and how much of it you would like. Anything else?"
    case = only(VIDEO).model_copy(update={"ends": "farewell"})
    conversation = await talk(case, "A video, noted. Anything else?", lost)

    assert acts(conversation) == [["wish"], ["that_is_all"], ["that_is_all"], ["farewell"]]


@table(
    ("answer", "question", "expected"),
    [
        ("Tue", "On which day: Tuesday or Thursday?", "Tuesday(, please.)?"),
        ("two boxes of sugar", "On which day: granulated sugar or cane sugar?", "(Granulated|Cane) sugar(, please.)?"),
        ("no sugar", "On which day: granulated sugar or cane sugar?", "no sugar"),
    ],
)
async def test_a_declared_answer_is_said_as_it_is_offered(answer: str, question: str, expected: str):
    conversation = await talk(only(VIDEO).model_copy(update={"answers": {"which day": answer}}), question)

    assert re.fullmatch(expected, said(conversation)[1]), said(conversation)


async def test_an_offer_is_declined_once_the_wishes_are_done():
    goals = (Goal(text="cancel order A-1", variables=("order",)), Goal(text="whether order B-2 can be cancelled"))
    case = ORDER.model_copy(update={"goals": goals, "variables": {"order": "A-1"}})
    conversation = await talk(case, "Order A-1 is cancelled.", "Order B-2 may be. Is it right to cancel order B-2?")

    assert acts(conversation)[2] == ["no"], said(conversation)


@table(
    ("goal", "question", "expected"),
    [
        ("send $250 to Maria Gold", "Who's the money going to?", "Maria Gold"),
        ("block my card because it was stolen", "Did you lose it or was it stolen?", "Stolen"),
        ("join on the Plus plan", "We have Basic at $5 and Plus at $9. Which one takes your fancy?", "Plus"),
        ("a class from 1 March", "That is 1 March. Are you happy with that?", "Yes.*"),
        ("a class from 1 March", "How many times a week will you come?", "(Just one|One, please|Only one).*"),
        (
            "a bike",
            "What is it for - get to work, lose weight or just stay fit?",
            "(Get to work|Lose weight|Just stay fit).*",
        ),
    ],
)
async def test_a_question_about_the_wish_is_answered_from_it(goal: str, question: str, expected: str):
    wish = Goal(text=goal, variables=("plan",) if "Plus" in goal else ())
    case = only(wish, plan="Plus").model_copy(update={"facts": (Fact(slot="name", values=("Leo Hart",)),)})
    conversation = await talk(case, question)

    assert re.fullmatch(expected, said(conversation)[1]), said(conversation)


async def test_an_offer_is_not_taken_for_a_wish_that_comes_later():
    goals = (Goal(text="block my card"), Goal(text="send $250 to Maria Gold"))
    case = ORDER.model_copy(update={"goals": goals, "variables": {}, "limits": Limits(turns=6)})
    offer = "Your card is blocked. Should we send a new one to your home address?"
    conversation = await talk(case, offer, "Anything else?", "I have sent $250 to Maria Gold. Anything else?")

    assert acts(conversation)[1:3] == [["no"], ["wish"]]
    assert not [each for each in audit(conversation).faults if each.certainty == "certain"]


async def test_an_open_question_about_the_wish_is_not_passed_over():
    conversation = await talk(ORDER.model_copy(update={"goals": (VIDEO,)}), "In which class is the child?")

    assert acts(conversation)[1] == ["remark"], said(conversation)


UNLIMITED = Goal(text="the Unlimited plan", variables=("plan",), others={"plan": ("Small", "Large")})
VISIT = Goal(text="book a visit on Saturday", variables=("day",))


async def test_an_alternative_to_a_refused_wish_is_declined_and_not_for_ever():
    offer = (
        "Sadly, the Unlimited plan isn't available any more. I could offer you the Large plan. Would that work for you?"
    )

    conversation = await talk(only(UNLIMITED, plan="Unlimited"), then=offer)

    assert not any("yes" in each.lower() for each in said(conversation)), transcript(conversation.messages)
    assert (conversation.ending, conversation.turns) == (Ending.USER_DONE, 4), transcript(conversation.messages)


async def test_a_user_leaves_a_chatbot_that_says_the_same_for_ever():
    offer = "Sadly, the Unlimited plan isn't available any more. Would the Large one be OK? Would that work for you?"
    case = only(UNLIMITED, plan="Unlimited").model_copy(
        update={"persona": Persona(traits=("You are flexible and accept alternatives.",))}
    )

    conversation = await talk(case, then=offer)

    assert (conversation.ending, conversation.turns) == (Ending.USER_DONE, 7), transcript(conversation.messages)


@table(
    ("traits", "expected"),
    [((), ["correction", "yes"]), (("You are flexible and accept alternatives.",), ["alternative", "yes"])],
)
async def test_options_that_are_other_days_are_no_free_choice(traits: tuple[str, ...], expected: list[str]):
    case = only(VISIT, day="Saturday").model_copy(update={"persona": Persona(traits=traits)})
    days = "Monday or Tuesday" if traits else "Saturday"

    conversation = await talk(case, "Monday at 9:00 or Tuesday at 14:00?", f"A visit on {days}. Is that right?")

    assert [each[0] for each in acts(conversation)[1:3]] == expected, transcript(conversation.messages)


async def test_a_user_that_left_with_a_no_says_nothing_more():
    case = only(VISIT, day="Saturday")

    conversation = await talk(case, then="A visit on Monday. Is that right?")

    assert acts(conversation) == [["wish"], ["correction"], ["correction"], ["no", "farewell"]]


async def test_a_service_for_the_users_phone_is_no_question_for_its_number():
    case = only(VIDEO).model_copy(
        update={"facts": (Fact(slot="phone", values=("555-0199",), source="facts", quote=""),)}
    )

    conversation = await talk(case, "Would you also like insurance for your phone?")

    assert said(conversation)[1].startswith("No")


async def test_the_options_of_the_sentence_before_answer_no_either_or_question():
    reply = "It has a SIM or an eSIM. Would you like to keep your current number, or would you rather have a new one?"

    conversation = await talk(only(Goal(text="the Large plan")), reply)

    assert said(conversation)[1] in ("I don't mind.", "Whatever you suggest.")


@pytest.mark.parametrize(
    ("goal", "expected"),
    [
        ("I want a refund for my last invoice", "I want a refund for my last invoice."),
        ("you charged me twice", "You charged me twice."),
        ("the heating does not work", "The heating does not work."),
    ],
)
async def test_a_goal_that_is_a_sentence_is_said_as_it_is(goal: str, expected: str):
    conversation = await talk(only(Goal(text=goal)), "Fine.")

    assert said(conversation)[0] == expected


def test_to_have_something_done_is_a_wish():
    assert not asks_information("have my brakes checked on Tuesday")
    assert asks_information("have my brakes been checked?")


async def test_a_text_to_send_has_no_remarks_added():
    case = only(VIDEO).model_copy(
        update={
            "answers": {"what should it say": "see you at the station at noon"},
            "persona": Persona(styles=(Style(name="long phrases"),)),
        }
    )

    for seed in (1, 2):
        conversation = await talk(case.model_copy(update={"seed": seed}), "What should it say?")
        assert said(conversation)[1].rstrip(".") == "see you at the station at noon"


async def test_values_of_a_list_are_said_one_by_one_if_the_chatbot_takes_them_so():
    goal = Goal(text="trips to Rome, Madrid and Oslo", variables=("city",))
    case = only(goal).model_copy(update={"variables": {"city": ["Rome", "Madrid", "Oslo"]}})

    conversation = await talk(case, "Which city first?", "Which city is next?", "And then?", "All three are booked.")

    assert [re.findall("Rome|Madrid|Oslo", each) for each in said(conversation)[1:4]] == [
        ["Rome"],
        ["Madrid"],
        ["Oslo"],
    ]


async def test_a_user_chooses_among_the_kinds_of_what_it_wants():
    case = only(Goal(text="two bottles of milk", variables=("product",)), product="milk")

    conversation = await talk(case, "We have whole milk, skimmed milk and oat milk. Which milk do you mean?")

    assert re.match("(whole|skimmed|oat) milk", said(conversation)[1], re.IGNORECASE), said(conversation)


@pytest.mark.parametrize("goal", ["send Bob the message: I will be late", 'send Bob the message "I am late"'])
async def test_nothing_is_added_to_a_text_that_a_wish_dictates(goal: str):
    case = only(Goal(text=goal)).model_copy(update={"persona": Persona(styles=(Style(name="long phrases"),))})

    conversation = await talk(case)

    assert said(conversation)[0].rstrip(".").endswith(goal)


async def test_a_refused_wish_does_not_keep_the_user_from_agreeing_to_another():
    replies = ("A small pizza. Which drink?", "We have no coke.", "So, a small pizza. Shall I place the order?")

    conversation = await talk(ORDER, *replies)

    assert acts(conversation)[3] == ["yes"], transcript(conversation.messages)


@table(
    ("language", "wanted", "recap", "question"),
    [
        ("English", "{{n}} seats for {{day}}", "So: 2, Friday.", "Does that look right?"),
        ("English", "{{n}} seats for {{day}}", "So: 2, Friday.", "Reserve them?"),
        ("German", "{{n}} Plätze für {{day}}", "Also: 2, Friday.", "Passt das so?"),
        ("German", "{{n}} Plätze für {{day}}", "Also: 2, Friday.", "Buchung abschließen?"),
        ("French", "{{n}} places pour {{day}}", "Donc : 2, Friday.", "On confirme ?"),
        ("French", "{{n}} places pour {{day}}", "Donc : 2, Friday.", "C'est bien ça ?"),
        ("Spanish", "{{n}} plazas para {{day}}", "Entonces: 2, Friday.", "¿Lo dejo así?"),
        ("Spanish", "{{n}} plazas para {{day}}", "Entonces: 2, Friday.", "¿Hago la reserva?"),
        ("Italian", "{{n}} posti per {{day}}", "Allora: 2, Friday.", "Le va bene?"),
        ("Italian", "{{n}} posti per {{day}}", "Allora: 2, Friday.", "Effettuo la prenotazione?"),
        ("Portuguese", "{{n}} lugares para {{day}}", "Então: 2, Friday.", "Fica assim?"),
        ("Russian", "{{n}} места на {{day}}", "Итак: 2, Friday.", "Записываю?"),
        ("Russian", "{{n}} места на {{day}}", "Итак: 2, Friday.", "Подходит?"),
    ],
)
async def test_a_recap_is_agreed_to_in_any_words_of_the_chatbot(language: str, wanted: str, recap: str, question: str):
    text = wanted.replace("{{n}}", "2").replace("{{day}}", "Friday")
    case = only(Goal(text=text, variables=("n", "day")), n="2", day="Friday")
    case = case.model_copy(update={"persona": Persona(language=language)})

    right = await talk(case, f"{recap} {question}")
    wrong = await talk(case, f"{recap.replace('Friday', 'Saturday')} {question}")

    assert acts(right)[1] == ["yes"], said(right)
    assert acts(wrong)[1] != ["yes"], said(wrong)


@table(
    ("language", "wanted", "offer"),
    [
        ("English", "a visit on Friday", "Friday is taken. Saturday is free. Does that suit you?"),
        ("French", "une visite vendredi", "Vendredi est complet. Samedi est libre. Cela vous conviendrait-il ?"),
        ("Spanish", "una visita el viernes", "El viernes está completo. El sábado hay sitio. ¿Le viene bien?"),
        ("Italian", "una visita venerdì", "Venerdì è tutto prenotato. Sabato c'è posto. Le va bene?"),
        ("Portuguese", "uma visita na sexta-feira", "Sexta-feira está cheia. Sábado há vaga. Pode ser?"),
    ],
)
async def test_another_day_is_not_agreed_to(language: str, wanted: str, offer: str):
    day = wanted.split()[-1]
    case = only(Goal(text=wanted, variables=("day",)), day=day)
    case = case.model_copy(update={"persona": Persona(language=language)})
    flexible = case.model_copy(update={"persona": Persona(traits=("You are flexible and accept alternatives.",))})

    assert "yes" not in acts(await talk(case, offer))[1]
    if language == "English":
        assert acts(await talk(flexible, offer))[1][0] in ("yes", "alternative")

"""A chatbot that contradicts itself is caught, one with a reason for another value is not.

A dialogue is a line, or several of which all but the first are indented: its messages, the user's first.
"""

import re

import pytest

from sparring.core.case import Case
from sparring.core.conversation import Conversation, Evidence
from sparring.core.message import ToolCall, message
from sparring.core.verdict import CheckOutcome
from sparring.judges.builtin.consistent import consistent
from tables import table

CONTRADICTORY = """
A small Margarita and a coke | One small Margarita and one coke. Your total is $11.50. Shall I place the order? |
    Yes, please | Your order is placed. The total is $13.50 and your order ID is 9c31ab.
order | Your order is placed. The total is $11.50 and your order ID is 9c31ab. | What is my order ID? |
    Your order ID is 77aa01.
How much is a tune-up? | The cost of a tune-up is $150. | How much is a tune-up? | A tune-up costs $20.
When are you open? | We are open every day from 1 pm to 11:30 pm. | And what are your opening hours? |
    Our opening hours are every day from 1 pm to 10 pm.
book me for May 3 | Your appointment is confirmed for May 3, 2026 at 10:00. | Thank you |
    See you! Your appointment is on May 5, 2026 at 10:00.
book me for May 3 at 10 | Your appointment is confirmed for 3 May 2026 at 10:00. | When is my appointment? |
    Your appointment is at 11:30.
pizza | Your order is placed. It will be ready in 15 minutes. | How long does it take? |
    It will be ready in 45 minutes.
place it | Your order has been placed. | Is my order placed? | Your order has not been placed yet.
place it | Your order has been placed. | Thanks | I'm afraid your order was not placed.
Do you deliver? | Yes, we deliver orders. | Do you deliver? | We do not deliver orders.
order | Here is your order: ⏎ - Margarita: $10.00 ⏎ - Coke: $1.50 ⏎ Total: $13.50
order | Room: $200 ⏎ Breakfast: $30 ⏎ Total: $250 ⏎ Shall I book?
¿Cuánto cuesta? | El total es 23,50 €. ¿Confirmo? | Sí | Pedido confirmado. El total es 25,50 €.
Сколько? | Итого 1 250 руб. Оформляю? | Да | Заказ оформлен. Итого 1 450 руб.
phone? | Our phone number is 912 345 678. | What was your phone number? | Our phone number is 912 345 999.
Where's ORD-1 | Your order will be delivered on 12 June 2026. | When will it be delivered? |
    It will be delivered on 14 June 2026.
cancel it | Your booking has been cancelled. | Is it cancelled? | Your booking has not been cancelled.
how much is the flight | The flight to Oslo costs $220. | Yes | Great. The flight to Oslo is $260.
a room | Your reservation is confirmed. Your confirmation code is XK42PL. | Thanks, what's the code again? |
    Your confirmation code is XK42PM.
a taxi | The fare is $35. | How much is the fare? | The fare is $45.
fee? | The monthly fee of the premium account is $9.99. | what is the monthly fee of the premium account? |
    The premium account has a monthly fee of $12.99.
transfer | I have transferred $200 to Mum. | Is it done? | I have not transferred the $200.
book | That comes to $80 in total. Shall I go ahead? | go ahead | Booked! The total price is $95.
x | Your order costs $21.50. Is that right? | Yes, that's right. | Thanks, your order for $24.50 is confirmed.
x | Your total is $21.50. Is that right? | Yes, that's right. | Thanks! Your order for $24.50 is confirmed.
Is breakfast included? | Breakfast is included. | Is breakfast included? | Breakfast is not included.
I want to rent a bike | Renting a bike costs €25. | Yes | Perfect. Renting a bike costs €35.
block my card | Your card has been blocked. | Thank you! | Your card has not been blocked.
returns | You can return it within 30 days. | How long do I have to return it? | You have 14 days to return it.
repair | The warranty lasts 24 months. | How long is the warranty? | It has a warranty of 12 months.
how long | Delivery takes 30 minutes. | How long does delivery take? | Delivery takes 60 minutes.
appointment friday | Your appointment is booked for Friday, June 12, 2026 at 9:15 AM. | ok thanks |
    You're welcome! See you at your appointment on June 13, 2026.
A plan | Plan M costs 15 € a month. Shall I sign you up? | yes please | Done. Plan M costs 19 € a month.
hotel | The total price for your stay is $360. Do you want me to book it? | Yes, book it |
    Your stay is booked. The total price is $390.
ticket | Your booking reference is AB12CD. The total is $80. | What was the total? | The total is $85.
Cita | Su cita está confirmada para el 5 de mayo de 2026. | Gracias | Le recordamos su cita el 6 de mayo de 2026.
o | Summary ⏎ * 2 x Latte $9.00 ⏎ * Muffin $3.25 ⏎ * Total $14.25
o | Latte: $4.50 ⏎ Muffin: $3.25 ⏎ The total is $9.75.
transfer | You transferred $200 to Mum. Your new balance is $800. | What's my balance? | Your balance is $900.
what's the deposit | The deposit is $100. | How much is the deposit? | The deposit is $150.
check in? | Check-in is at 15:00. | When is check-in? | Check-in is at 14:00.
Do you take cards | We accept credit cards. | Do you accept credit cards? | We do not accept credit cards.
order a pizza | That will be $12.50, ok? | ok | Great, that's $14.50. Enjoy!
Where is my order 4711? | Your order 4711 will arrive on 3 June 2026. | When exactly will it arrive? |
    Your order 4711 will arrive on 8 June 2026.
a haircut | A haircut costs 25 €. Shall I book it? | Yes please | Booked. A haircut costs 30 €.
¿horario? | Abrimos de 9:00 a 18:00. | ¿Cuál es el horario? | Abrimos de 10:00 a 18:00.
Когда открыты? | Мы работаем с 9:00 до 18:00. | Когда вы открыты? | Мы работаем с 9:00 до 20:00.
book | Your room is booked. Your booking number is 88123. | Thanks | Goodbye! Your booking number is 88132.
Is parking free? | Parking is free. | Is parking free? | Parking is not free.
order | The total is $30. Shall I proceed? | sure | Thank you! The total amount is $33.
refund | I have refunded $25 to your card. | Was it refunded? | It was not refunded.
stay | Arrival Friday 4 December 2026, departure Sunday 6 December 2026 (1 night). Shall I book it?
stay | From 4 December to 6 December 2026, 3 nights. Is that right?
stay | 4 December – Sunday 6 December 2026, 1 night. Is that right?
stay | Del 4 de diciembre al 6 de diciembre, 3 noches. ¿Es correcto?
o | Order summary: ⏎ 1. Tea $3.00 ⏎ 2. Cake $4.00 ⏎ Total: $8.00
ticket | The train departs at 10:15. | When does the train depart? | The train departs at 11:15.
a room | The total is $95.00. Shall I book? | yes | Your room is booked. We charge $94.00 on arrival.
a room | The total is $95.00. Shall I book it? | Yes, please. | Booked! Your card has been charged $94.
a room | The total is $95.00. Shall I book it? | Yes, please. | Booked. $94.00 will be charged to your card.
tea | That is $8.00. Shall I place the order? | Yes | Your order 1022 is placed. We charged $16.00.
tea | That is $8.00. Shall I place the order? | Yes | Your order 1022 is placed. The total is $16.00.
tea | - Tea $3 ⏎ - Cake $5 ⏎ Total: $8 ⏎ Shall I place the order? | Yes | You will be charged $9.
a room | A single room costs $95. Shall I book it? | Yes | Booked. You will pay $105 on arrival.
Té | El total es 8,00 €. ¿Confirmo el pedido? | Sí | Pedido realizado. Le cobramos 9,00 €.
Tee | Das macht 8,00 €. Soll ich bestellen? | Ja | Bestellt. Wir haben 9,00 € abgebucht.
"""
CONSISTENT = """
A small Margarita | Your total is $10.00. Shall I place the order? | And a coke, please |
    Your total is $11.50. Shall I place the order?
order | Your order ID is aa11bb. | Another pizza please | Your order is placed, your order ID is cc22dd.
How much is a tune-up? | The cost of a tune-up is $150. | And for two bikes? | The cost of a tune-up is $140.
room May 3 | A double room costs $100. | And on May 5? | A double room costs $120.
balance | Your balance is $1,000. | Send $200 to Mum | Done. | What's my balance? | Your balance is $800.
hours | On Monday we are open from 9 to 5 pm. | And Sunday? | On Sunday we are open from 10 am to 2 pm.
May 3 | Your appointment is confirmed for May 3, 2026. | Sorry, May 5 please |
    Your appointment is confirmed for May 5, 2026.
total? | The total is $20. | Any discount? | With your discount the total is $18.
cancel | Your order has been placed. | Cancel it | Your order has been cancelled.
x | Order ORD-001 has been cancelled. | cancel ORD-014 | Order ORD-014 has not been cancelled.
o | - Margarita $10 ⏎ - Coke $1.50 ⏎ - Total: $11.50
o | - 2 cokes $1.50 ⏎ - Margarita $10 ⏎ - Total: $13.00
o | - Margarita: $10 ⏎ - Discount: $1 ⏎ - Total: $9
o | Menu: ⏎ - Margarita $10 ⏎ - Carbonara $12 ⏎ Total: $10
Is it ready? | Your order is not ready yet. | Is it ready? | Your order is ready.
t | It will be ready in 30 minutes. | ok | It will be ready in 10 minutes now.
Do you have beer? | We do not have beer. | Do you have coke? | Yes, we have coke.
status | Your order has not been placed yet. | Yes, place it | Your order has been placed.
q | The total is $20. Sorry, I made a mistake. | ok | Correction: the total is $22.
A coffee | A coffee costs $3. | And a large one? | A large coffee costs $4.
hi | We open at 9. | Are you open on Sunday? | We are closed on Sunday.
What time do you open? | We open at 9:00. | And what time do you close? | We close at 18:00.
flights | There is a flight at 10:15 for $200. | Other flights? | There is a flight at 12:40 for $180.
track | Your parcel is in transit. | And now? | Your parcel has been delivered.
Is it confirmed? | Your booking is not confirmed yet. | When will it be confirmed? | Your booking is confirmed.
cancel my booking | Your booking has been cancelled. | Book it again |
    Your booking has been confirmed. Your confirmation code is XX11YY.
o | Your items: ⏎ - Burger $8 ⏎ - Fries $3 ⏎  ⏎ Delivery $2 ⏎ Total $13
o | - Burger $8 ⏎ - Fries $3 ⏎ - Drink $2 ⏎ Total for two people: $26
o | Prices: ⏎ - Small $8 ⏎ - Large $12 ⏎ Total seats: 40
how much | The ticket costs $80. | How much with luggage? | The ticket costs $110 with luggage.
a | Your total is $11.50. | no | What would you like to change? | a water instead of the coke | Your total is $11.00.
how long | It takes about 15 minutes per pizza. | How long? | Your order will be ready in 30 minutes.
I need two rooms | Room 1 costs $100. Room 2 costs $120. | Which is bigger? | Room 2 is bigger.
weather | It is 20 degrees. | What about tomorrow? | It is 25 degrees.
order | Your order has been placed. | Can I see it? | You have not placed any other orders.
refund | Your refund of $20 has been sent. | When will I get it? |
    It has not been sent to your bank yet, it takes 3 days.
help | I am here to help. | What can you do? | I can't help with that.
date | Your next appointment is on May 3, 2026. | What is the appointment after that? |
    Your appointment after that is on May 10, 2026.
Where is ORD-002? | Order ORD-002 is shipped. It is expected to arrive on 2026-01-17. | And ORD-003? |
    Order ORD-003 is shipped. It is expected to arrive on 2026-01-19.
orders? | Order A1 will be delivered on 3 May 2026. | Which other orders do I have? |
    Order B2 will be delivered on 9 May 2026.
do you sell beer | Yes, we sell beer. | To minors? | No, we don't sell beer to minors.
table for two | Your table is reserved for 19:00. | Is 20:00 possible? | Yes, your table is reserved for 20:00.
hi | Hello! How can I help? | thanks | You are welcome!
Is the Hawaiian vegetarian? | The Hawaiian is not vegetarian. | Is the Margarita vegetarian? |
    The Margarita is vegetarian.
Can I cancel ORD-1? | Order ORD-1 can be cancelled. | Can I cancel ORD-2? | Order ORD-2 cannot be cancelled.
Has it been sent? | Your parcel has not been sent. | ok | Your parcel has been sent today.
two pizzas | Your total is $20.00. Shall I place the order? | Yes please, with extra cheese |
    Your order is placed. The total is $21.00.
How long? | It takes 15 minutes. | And for three? | It takes 45 minutes.
menu | We have three menus: lunch is $12, dinner is $25. | What is dinner? | Dinner is a three-course menu.
price | The price is $10. | What is the price of the large? | The price is $14.
fees | The fee is $5. | And what is the fee abroad? | The fee is $9.
opening | We open at 9:00 on weekdays. | What about weekends? | We open at 10:00 on weekends.
a | Your appointment is on 3 May 2026 at 10:00. | Is there anything earlier? |
    Your appointment is on 3 May 2026 at 9:00, I moved it.
what's my balance | Your balance is $100. | What's the balance of my savings account? | Your balance is $900.
book a table | Your table is booked for 19:00. | Cancel it please | Your table is not booked any more.
Total? | The total is $10. | Does that include tip? | With tip the total is $12.
Which trains? | The train departs at 10:15. | When does the next train depart? | The train departs at 11:15.
Do you ship to Spain? | Yes, we ship to Spain. | Do you ship to Cuba? | We do not ship to Cuba.
book a table | I'm sorry, the reservation could not be booked. Shall I try again? | Yes, please |
    I have booked your reservation.
stay | Arrival 4 December 2026, departure 6 December 2026 (2 nights). Shall I book it?
stay | From 30 December to 2 January, three nights. Is that right?
stay | From 30 December to 2 January 2027, three nights. Is that right?
stay | Arrival 4 December, departure 6 December 2026 (2 nights). Shall I book it?
stay | Your 2 nights from 4 December; payment is due by 1 December. Is that right?
stay | Please book by 1 December for 3 nights from 5 December.
stay | From 27 February to 1 March, 3 nights. Is that right?
stay | A minimum of 2 nights from 4 December to 5 December. Is that right?
stay | Arrival 4 December, departure 5 December (1 night), £120 per night. Shall I book it?
status? | Your claim is being reviewed. | status? | Your claim has been approved.
yes | Do you want to place the order? The total is $20. | no | What would you like to change? | nothing, yes |
    The total is $20.
one coke | One coke. Your total is $1.50. Shall I place the order? | two cokes |
    Two cokes. Your total is $3.00. Shall I place the order? | Yes | Your order is placed. The total is $3.00.
block my card | Your card has been blocked. Your reference is HF-380. Would you also like a new one? | Yes, please. |
    A new card has been ordered. Your reference is HF-381.
How much is shipping? | Shipping is $5. | How much is express shipping? | Shipping is $15.
Is it available? | The room is available. | And tomorrow? | The room is not available.
a room | The total is $95.00. Shall I book? | yes | Your room is booked. We charge $95 on arrival.
tea | Your total is $12. Shall I place the order? | Yes | Your order is placed. The total is $12.00.
a room | The total is $95. Shall I book it? | Yes | Booked. We charge a deposit of $20.
a room | The total is $95. We take a deposit of $20. Shall I book it? | Yes | Booked. We charged $20.
a room | The total is $95. Shall I book it? | Yes | Booked. We charge $40 now and $55 on arrival.
a room | The total is $95. Shall I book it? | Yes | Booked. With your discount, we charge $90.
a room | The total is $95. Shall I book it? | Yes | Booked. We charge $20 if you cancel late.
a room | The total is $95. Shall I book it? | Yes, with breakfast | Booked. We charge $105 on arrival.
a room | The total is $95. Would you like breakfast? | Yes | Booked. We charge $105 on arrival.
a room | It is $95 per night. Shall I book it? | Yes | Booked. We charge $190 on arrival.
a room | The total is $95. Shall I book it? | Yes | Booked. You will be charged €88.
tea | Tea is $3, cake is $5. The total is $8. Shall I place the order? | No | All right. We charge $5 for cake.
send | I will send $200 to Mum. Shall I go ahead? | Yes | Done. We charged $1.50 for the transfer.
weather | Tomorrow's low is 5. | is it raining | It is raining. | is it raining in Rome? | It is not raining.
"""


def dialogues(text: str) -> list[str]:
    return re.sub(r"\n\s+", " ", text.strip()).splitlines()


def conversation(dialogue: str) -> Conversation:
    said = [text.strip().replace(" ⏎ ", "\n") for text in dialogue.split(" | ")]
    return Conversation(
        case=Case(id="a"),
        messages=tuple(message("chatbot" if at % 2 else "user", text) for at, text in enumerate(said)),
    )


@table("dialogue", dialogues(CONTRADICTORY))
def test_a_chatbot_that_contradicts_itself_fails(dialogue: str):
    assert consistent(conversation(dialogue)).outcome is CheckOutcome.FAIL


@table("dialogue", dialogues(CONSISTENT))
def test_another_value_with_a_reason_is_no_contradiction(dialogue: str):
    verdict = consistent(conversation(dialogue))

    assert (verdict.outcome, verdict.reason) == (CheckOutcome.NOT_APPLICABLE, "")


def test_both_statements_are_quoted():
    verdict = consistent(conversation("How much? | Your total is $11.50. OK? | Yes | Placed. The total is $13.50."))

    assert verdict.evidence == (
        Evidence(at=1, start=0, end=21, text="Your total is $11.50."),
        Evidence(at=3, start=8, end=28, text="The total is $13.50."),
    )
    assert verdict.reason == (
        "turn 1: the chatbot says 'Your total is $11.50.', but in turn 2 it says: 'The total is $13.50.'"
    )


def test_what_a_script_put_into_its_mouth_is_not_the_chatbots():
    said = (
        message("user", "How much?"),
        message("chatbot", "Your total is $11.50.", injected=True),
        message("user", "Yes"),
        message("chatbot", "The total is $13.50."),
    )

    assert consistent(Conversation(case=Case(id="a"), messages=said)).outcome is CheckOutcome.NOT_APPLICABLE


@pytest.mark.slow
@pytest.mark.parametrize("text", ["$1 " * 7_000, "- 1 2 3 x $1\n" * 2_000 + "Total: $5", "at 10:00 " * 2_500])
def test_no_reply_holds_the_check_up(text: str):
    assert consistent(conversation(f"x | {text} | y | {text}")).outcome is CheckOutcome.NOT_APPLICABLE


@table(
    ("text", "reason"),
    [
        ("You are booked for Friday, March 7.", "'March 7' is no Friday"),
        ("You are booked for Friday, March 6.", ""),
        ("Friday is fine: your next visit is March 7.", ""),
        ("Le espero el jueves 6 de marzo.", "'6 de marzo' is no jueves"),
        ("It opened on Sunday, March 7, 2021.", ""),
    ],
)
def test_a_date_has_its_day_of_the_week_in_the_year_that_is_spoken_of(text: str, reason: str):
    booked = ToolCall(name="book", arguments={"day": "2026-03-06"}, result={"ok": True})
    said = (message("user", "Friday, please"), message("chatbot", text, tool_calls=(booked,)))

    found = consistent(Conversation(case=Case(id="a"), messages=said))
    without = consistent(Conversation(case=Case(id="a"), messages=(said[0], message("chatbot", text))))

    assert (found.outcome is CheckOutcome.FAIL) is bool(reason)
    assert reason in found.reason
    assert without.outcome is CheckOutcome.NOT_APPLICABLE

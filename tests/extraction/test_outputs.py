"""Outputs of short dialogues in several domains and languages: what is stated is found, nothing else.

A case is three lines: the outputs as `name (type) description`, joined by `+`; the messages, the user's first; and the
values.
"""

import re

from sparring.core.case import Case, OutputSpec
from sparring.core.conversation import Conversation
from sparring.core.message import message
from sparring.extraction.pattern_extractor import PatternReader
from tables import table

CASES = """
payout (money) the amount that is paid at most
  Report it | After the deductible of 150 euros we pay up to 1,100 euros. | And if not? | Your deductible is 150 euros.
  = 1,100 euros

refund (money) the amount that is refunded
  What is the deductible? | Your deductible is 150 euros per claim.
  = nothing

length (duration) how long it takes
  Book it | It takes 30 minutes. Please arrive ten minutes early. You can cancel until 2 days before.
  = 00:30

gigabytes (float) the data volume in GB
  Yes | Your number 555-0142 is now on the Max plan with 100 GB for 35 euros a month.
  = 100.0

weight (float) the maximum weight in kg
  How heavy? | Parcels may weigh up to 31.5 kg.
  = 31.5

total (money) the total of the order
  Order it | The total is $23.00. | And a cola | I have added it. The total is now $25.50.
  = $25.50

total (money) the total of the order
  Order it | Your total is $23.00. | And a cola | I have added it. That makes $25.50 in total.
  = $25.50

price (money) the estimate price provided by the assistant
  How much for 10 photos? | The cost is $100.00, but it may vary
  = $100.00

price (money) The final price of the pizza order
  A large margherita | Great! That will be $15.50.
  = $15.50

confirmed_appointment (date) the date of the appointment, confirmed by the assistant
  Monday 9 March 2026? | Your appointment is confirmed for March 9, 2026 at 10:00.
  = 2026-03-09

confirmed_date (date) the agreed date + confirmed_time (time) + confirmed_service (str) kind of appointment
  I need a vaccination for my dog on 9 March at 3pm | You are all set: vaccination on March 9, 2026 at 3:00 PM.
  = 2026-03-09 + 15:00 + You are all set: vaccination on March 9, 2026 at 3:00 PM.

telefono (string) numero de telefono de la empresa
  ¿Cuál es su teléfono? | Puede llamarnos al 912 345 678 de lunes a viernes.
  = 912 345 678

credit (money) the remaining credit in the credit card
  What's my credit? | The current balance on your Visa credit card is $512.30.
  = $512.30

balance_before (money) + transfer (money) the money transferred + balance_after (money)
  My balance? | Your balance is $1,000.00. | Send it | You transferred $200.00. | Balance? | Your balance is $800.00.
  = $1,000.00 + $200.00 + $800.00

schedule (string) the link of the button returned by the assistant showing the travel schedule between the two cities
  Trains Boston to NY? | Here is the schedule: https://tickets.example.com/s?from=BOS&to=NYP.
  = https://tickets.example.com/s?from=BOS&to=NYP

booking_reference (string) the booking reference
  Book it | Done! Your flight is booked for $105. Your booking reference is XK42PL.
  = XK42PL

booking_reference (string) the booking reference
  Book it | Your booking costs $105.
  = nothing

reference (string) reference of the claim
  My reference is AB-99 | Thanks, one moment please.
  = nothing

departure_date (date) date of departure + return_date (date) date of return
  Book Paris | Your trip: departure on May 3, 2026 and return on May 10, 2026.
  = 2026-05-03 + 2026-05-10

total (money) total price of the booking + deposit (money) the deposit to pay now
  Book | The room is $120 per night, $360 in total. A deposit of $50 is due now.
  = $360 + $50

delivery_date (date) when the parcel arrives
  Where is it? | Your parcel will be delivered on 12 June 2026.
  = 2026-06-12

eta (time) how long the taxi takes
  How long? | The driver will be there in 10 minutes.
  = 00:10

price (money) the price
  Und der Preis? | Das macht insgesamt 1.250,00 €.
  = 1.250,00 €

prix (money) prix de la chambre
  Quel est le prix de la chambre ? | La chambre double coûte 89,50 € par nuit.
  = 89,50 €

prezzo (money) prezzo totale
  Quanto viene? | Il totale è di 45,90 euro.
  = 45,90 euro

preço (money) preço do plano
  Quanto custa o plano? | O plano custa R$ 99,90 por mês.
  = R$ 99,90

precio (money) el precio del pedido
  ¿Cuánto es? | Son 23,50 € en total.
  = 23,50 €

цена (money) цена заказа
  Сколько стоит? | С вас 1 250 рублей.
  = 1 250 рублей

fecha_cita (date) fecha de la cita
  El 5 de mayo de 2026 | Su cita queda confirmada para el 5 de mayo de 2026 a las 10:30.
  = 2026-05-05

дата (date) дата доставки
  Когда? | Доставка будет 7 ноября 2026 года.
  = 2026-11-07

date (date) date du rendez-vous
  Le 3 mars | C'est noté, votre rendez-vous est confirmé pour le 3 mars 2026 à 14h30.
  = 2026-03-03

termin (date) das Datum des Termins
  Am 3. März | Ihr Termin am 3. März 2026 um 14 Uhr ist bestätigt.
  = 2026-03-03

order_number (string) the order number
  Order | Thanks! Order number: 48213. It ships on 12/05/2026.
  = 48213

number (string) the order number
  yes | Thank you! Your order 504 is placed. We will deliver on 14 May.
  = 504

number (int) the order number
  yes | Thank you! Your order 504 is placed. We will deliver on 14 May.
  = 504

order_id (string) the id of the order
  Order | Your order #A-1093 has been placed.
  = A-1093

iban (/[A-Z]{2}[0-9]{2}[0-9A-Z]{10,30}/)
  ? | Please pay to DE89370400440532013000 soon.
  = DE89370400440532013000

discount (percent) the discount
  Any discount? | You get 15 % off if you pay today.
  = 15.0

email (string) contact email of support
  my mail is me@example.org | You can write to help@example.com.
  = help@example.com

email (string) contact email of support
  my mail is me@example.org | I noted me@example.org.
  = nothing

nights (int) number of nights
  three nights | I have booked 3 nights for 2 guests in room 12.
  = 3

room (string) room number
  ? | Your room number is 512.
  = 512

price (money) price of the ticket
  A ticket to Rome | The ticket costs $80. Oh sorry, I meant $95.
  = $95

price (money) price of the ticket
  A ticket to Rome | The ticket costs $80. | Add luggage | The new price is $110.
  = $110

price (money) price of the ticket
  A ticket to Rome for $80 | Sure, where do you want to go?
  = nothing

price (money) price of the ticket
  A ticket to Rome. Is it $80? | Shall I book a ticket for $80?
  = nothing

fee (money) monthly fee of the premium account
  What does premium cost? | The premium account has a monthly fee of $9.99. Basic is free; the card costs $5.
  = $9.99

opening_hours (string) opening hours of the clinic
  When are you open? | We are open Monday to Friday from 8:00 to 18:00.
  = We are open Monday to Friday from 8:00 to 18:00.

appointment_time (time) time of the appointment
  Friday at 4pm | I'm sorry, 4 pm is not available. We have 5 pm or 6 pm. | 5 pm | Booked for Friday at 5 pm.
  = 17:00

data_volume (string) the data volume of the plan
  How much data is in plan M? | Plan M includes a data volume of 20 GB for €15 a month.
  = Plan M includes a data volume of 20 GB for €15 a month.

price (money) the monthly price of the plan
  How much is plan M? | Plan M includes 20 GB for €15 a month.
  = €15

interest (percent) interest rate
  ? | The interest rate is 3.5 % and the fee is 1 %.
  = 3.5

confirmation_code (string) code of the confirmation
  ok | Your confirmation code is 7F3K9Q and the total comes to €45.
  = 7F3K9Q

total (money) total amount
  ok | Your confirmation code is 7F3K9Q and the total comes to €45.
  = €45

precio (money) precio de la habitación doble
  ¿Cuánto cuesta la doble? | La individual cuesta 60 € y la doble 85 €.
  = 85 €

price_double (money) the price of a double room
  Prices? | A single room costs $60, a double room $85 and a suite $150.
  = $85

balance (money) balance of the account
  balance? | You have $1,204.55 in your checking account.
  = $1,204.55

balance (money) balance of the account
  balance? | Your checking account balance is 1.204,55 €.
  = 1.204,55 €

refund (money) the refunded amount
  refund? | We have refunded $25 to your card.
  = $25

ticket_id (string) the id of the support ticket
  help | I've opened ticket 20931 for you.
  = 20931

wait (time) waiting time
  how long do I wait? | The average waiting time is 20 to 25 minutes.
  = 00:20-00:25

price (money) The price of the pizza order
  small pizza | The price for your small pizza with ham is 11.50 dollars. It will be ready in 15 minutes.
  = 11.50 dollars

date (date) the agreed date for the appointment (only the date)
  tomorrow | I can offer 3 May 2026 or 5 May 2026.
  = nothing

date (date) the agreed date
  May 3 | Sorry, May 3, 2026 is fully booked.
  = nothing

precio (money) el precio de la reparación
  ¿Cuánto me va a costar? | La reparación de la pantalla tiene un coste de 89,90 € IVA incluido.
  = 89,90 €

hora_cita (time) la hora de la cita
  A las 5 de la tarde | Perfecto, te esperamos el martes a las 17:00.
  = 17:00

seguro (money) importe mensual del seguro
  ¿Y el seguro? | El seguro cuesta 12,30 euros al mes y la cuota del préstamo son 250 euros.
  = 12,30 euros

numero_pedido (string) número de pedido
  Pídelo | Tu número de pedido es 77120 y llegará el 3 de junio.
  = 77120

montant (money) montant du remboursement
  Je veux être remboursé | Votre remboursement de 45,00 € a été effectué.
  = 45,00 €

Flugpreis (money) Preis des Fluges
  Was kostet der Flug? | Der Flug kostet 199 Euro, das Gepäck 30 Euro.
  = 199 Euro

Abholzeit (time) Uhrzeit der Abholung
  Wann kann ich es abholen? | Die Abholung ist ab 16 Uhr möglich.
  = 16:00

orario (time) orario dell'appuntamento
  Alle 15? | Il suo appuntamento è confermato per le 15:30 di domani.
  = 15:30

стоимость (money) стоимость доставки
  А доставка? | Доставка стоит 300 ₽, заказ 1 500 ₽.
  = 300 ₽

номер_заказа (string) номер заказа
  Оформляйте | Ваш заказ принят. Номер заказа: A-4821.
  = A-4821

fare (money) the taxi fare
  How much to the airport? | It'll be about $35 to the airport.
  = $35

price (money) the price of the flight
  Flights to Oslo? | I found a flight to Oslo for $220 and one for $310.
  = $220

arrival_time (time) arrival time of the train
  When does it arrive? | The train leaves at 10:15 and arrives at 12:40.
  = 12:40

checkin (date) check-in date + checkout (date) check-out date
  June 3 to June 5 | Your stay is confirmed. Check-in: June 3, 2026. Check-out: June 5, 2026.
  = 2026-06-03 + 2026-06-05

cost (money) total cost of the stay
  Book | Room: $200. Breakfast: $30. Total: $230.
  = $230

cost (money) total cost of the stay
  Book | - Room: $200 ⏎ - Breakfast: $30 ⏎ - **Total: $230** ⏎  ⏎ Shall I go ahead?
  = $230

account_number (string) the new account number
  Open one | Your new savings account has been opened. The account number is 20-4410-77.
  = 20-4410-77

copay (money) the copay for the visit
  copay? | Your copay for this visit would be $25.
  = $25

appointment (date) date of the appointment
  Next Friday please | Thanks! I've scheduled you with Dr. Hale on Friday, June 12, 2026 at 9:15 AM.
  = 2026-06-12

appointment_time (time) time of the appointment
  Next Friday please | Thanks! I've scheduled you with Dr. Hale on Friday, June 12, 2026 at 9:15 AM.
  = 09:15

signup_link (string) the link to sign up
  How do I sign up? | Please sign up at www.example.com/join.
  = www.example.com/join

speed (string) download speed of the plan
  How fast is it? | The Fiber plan has a download speed of 600 Mbps.
  = The Fiber plan has a download speed of 600 Mbps.

contract_months (int) number of months of the contract
  How long is the contract? | The contract runs for 24 months.
  = 24

minutes (int) number of included minutes
  ? | You get 500 minutes and 10 GB for €20.
  = 500

order_total (money) the order total
  ok | You ordered two lattes at $4.50 each. Your order total is $9.00, and it'll be ready in 5 minutes.
  = $9.00

order_total (money) the order total
  ok | That's $9.00. | and a muffin | That makes $12.25 now.
  = $12.25

refund_amount (money) amount of the refund
  I paid $50 and want it back | I'm sorry, we can't refund the $50.
  = nothing

ref (string) case reference
  file it | Your case has been filed under reference CS/2024/118.
  = CS/2024/118

tracking (string) tracking number
  track | Tracking number 1Z999AA10123456784.
  = 1Z999AA10123456784

ready (time) when it is ready
  when? | Your order will be ready at 6:30 pm.
  = 18:30

price (money)
  ? | The cost for your trip is 350 USD.
  = 350 USD

price (money)
  ? | We offer a 10% discount above $100.
  = nothing

seats (money) the price of the seats
  price of seats? | Seats are between $50 and $100.
  = $50 and $100

descuento_multa (string) si hay descuento por pagar pronto
  ¿Hay descuento por pagar pronto la multa? | Sí, hay un descuento del 50 % si se paga en 20 días.
  = Sí, hay un descuento del 50 % si se paga en 20 días.

canales (string) canales en los que se puede desplegar el chatbot
  ¿En qué canales puedo poner el chatbot? | Puedes desplegarlo en web, WhatsApp y Telegram.
  = Puedes desplegarlo en web, WhatsApp y Telegram.

lugar (string) el lugar donde hay que ir para empadronarse
  ¿Dónde tengo que ir para empadronarme? | Tienes que acudir a la oficina de atención ciudadana.
  = Tienes que acudir a la oficina de atención ciudadana.

price (money) the price of the repair
  My phone screen is broken | A screen repair is €89, and it takes 2 hours.
  = €89

loan (money) the loan amount + rate (percent) interest rate + monthly (money) monthly payment
  I want a loan | You can borrow $10,000 at 4.5 % interest. Your monthly payment would be $186.43.
  = nothing + 4.5 + $186.43

appointment (date) date of the dentist appointment + time (time) time of the appointment
  Tuesday? | Okay, I have you down for Tuesday, July 7, 2026 at 3:30 p.m. with Dr. Mora.
  = 2026-07-07 + 15:30

ticket_number (string) the ticket number
  It's broken | Sorry to hear that. I've created ticket #55812 for our technicians.
  = 55812

gate (string) the gate number
  Which gate? | Flight LX318 departs from gate B42 at 18:05.
  = B42

departure (time) departure time of the flight
  When? | Flight LX318 departs from gate B42 at 18:05.
  = 18:05

price (money) the price of the room per night
  how much? | The deluxe room is 140 EUR per night.
  = 140 EUR

phone (phone) phone number of the clinic
  Can I call? | Sure, call us on +41 44 668 18 00.
  = +41 44 668 18 00

telefono_cau (int) el numero de telefono del CAU
  ¿Teléfono? | Puede llamar al 914974029.
  = 914974029

importe (money) importe de la multa
  ¿Cuánto es la multa? | El importe de la multa es de 200 euros, 100 euros si paga en 20 días.
  = 200 euros

plazo (string) plazo para pagar la multa
  ¿Qué plazo tengo para pagar la multa? | Tiene un plazo de 20 días naturales.
  = Tiene un plazo de 20 días naturales.

data (int) gigabytes of data included
  ? | The plan includes 50 gigabytes of data and 300 minutes.
  = 50

total (money) total cost of the order
  two teas | Two teas at $3 each, that's $6.
  = $6

total (money) total cost of the order
  two teas | OK, two teas. Anything else? | no | Perfect! Your total comes to 6.00 USD. See you soon.
  = 6.00 USD

order_id (string) my order ID
  order | Thank you! Order confirmation: QX-7781-P. Total: $40.
  = QX-7781-P

order_id (string) my order ID
  order | Your order has been received and will arrive in 45 minutes.
  = nothing

price (money) The price of the pizza order
  pizza | Do you want to pay $12 or $15?
  = nothing

balance (money) the account balance
  balance | I'm sorry, I can't show your balance.
  = nothing

new_date (date) the new date of the appointment
  move it to May 9 | Your appointment has been moved from May 3, 2026 to May 9, 2026.
  = 2026-05-09

prix_total (money) prix total de la commande
  C'est tout | Très bien, cela fait 34,20 € au total.
  = 34,20 €

Gesamtpreis (money) Gesamtpreis der Bestellung
  Das ist alles | Ihre Bestellung kostet 34,20 Euro. Sie wird am 5. Juni 2026 geliefert.
  = 34,20 Euro

number (int) the booking number + total (money) the total price
  Yes | Booked! Your booking number is 2834: haircut on Tuesday at 15:00. Total $30.
  = 2834 + $30

order_id (int)
  Yes | Your order number is 504 and contains 3 items.
  = 504

items (int) the number of items + order (int) the number of the order
  Yes | Your order number is 504 and contains 3 items.
  = 3 + 504

pedido (int) número de pedido
  Sí | Su número de pedido es 7731.
  = 7731

personas (int) número de personas
  Sí | Su número de reserva es 7731, para 4 personas.
  = 4

status (string) the status of the parcel
  Where is it? | Parcel PX10024 is in transit. A parcel weighs at most 31.5 kg.
  = Parcel PX10024 is in transit.

status (string) Stand des Pakets
  Wo ist es? | Ihr Paket DX77 ist unterwegs. Ein Paket wiegt höchstens 31,5 kg.
  = Ihr Paket DX77 ist unterwegs.

estado (string) el estado del paquete
  ¿Dónde está? | El paquete DX77 está en camino.
  = El paquete DX77 está en camino.

codice (string) codice della prenotazione
  Sì | Appuntamento prenotato, il suo codice è B77.
  = B77

codigo_reserva (string) código de la reserva
  Resérvalo | ¡Listo! Tu reserva está confirmada con el código RT88K.
  = RT88K

costo (money) costo del biglietto
  Un biglietto per Roma | Il biglietto per Roma costa 29,90 €.
  = 29,90 €

время (time) время записи
  На пять | Вы записаны на завтра в 17:00.
  = 17:00

сумма (money) сумма перевода
  Переведи 500 рублей маме | Готово, 500 рублей переведены.
  = 500 рублей

email (email) support email
  contact? | Email us: support@example.org or call 555 0100 22.
  = support@example.org

hours (string) opening hours
  Opening hours? | Mon-Fri 9:00-18:00, Sat 10:00-14:00
  = Mon-Fri 9:00-18:00, Sat 10:00-14:00

price (money) The price of the pizza order
  x | Small: $8, medium: $10, large: $12. Which size? | medium | Medium it is. That is $10.
  = $10
"""


@table("case", CASES.strip().split("\n\n"))
async def test_a_value_is_found_where_the_chatbot_states_it(case: str):
    names, said, values = (line.strip(" =") for line in case.splitlines())
    specs = tuple(_spec(each) for each in names.split(" + "))
    messages = tuple(
        message("chatbot" if at % 2 else "user", text.replace(" ⏎ ", "\n")) for at, text in enumerate(said.split(" | "))
    )

    found = (await PatternReader().read(Conversation(case=Case(id="a", outputs=specs), messages=messages))).outputs

    assert [str(each.value) if each.evidence else "nothing" for each in found] == values.split(" + ")


@table(
    ("output", "statement", "value"),
    [
        ("time (time)", "Be there by 16:20, please.", "16:20"),
        ("preis (money)", "Sie zahlen insgesamt 45,50 €.", "45,50 €"),
        ("code (string)", "Bitte nennen Sie vor Ort den Code B77.", "B77"),
        ("datum (date)", "Das Datum: 12. Mai 2027.", "2027-05-12"),
        ("uhrzeit (time)", "Wir erwarten Sie um 16:20 Uhr.", "16:20"),
        ("prix (money)", "Cela fait 45,50 €.", "45,50 €"),
        ("price (money)", "Vous payez 45,50 € en tout.", "45,50 €"),
        ("code (string)", "Voici votre numéro de confirmation : B77.", "B77"),
        ("date (date)", "Le rendez-vous est le 12 mai 2027.", "2027-05-12"),
        ("heure (time)", "L'heure est 16:20.", "16:20"),
        ("code (string) booking code", "Su código de reserva es B77.", "B77"),
        ("codigo (string)", "Su localizador es B77.", "B77"),
        ("prezzo (money)", "In tutto paga 45,50 €.", "45,50 €"),
        ("codice (string)", "Il riferimento è B77.", "B77"),
        ("orario (time)", "L'orario è le 16:20.", "16:20"),
        ("preco (money)", "São 45,50 €.", "45,50 €"),
        ("data (date)", "A marcação é no dia 12 de maio de 2027.", "2027-05-12"),
        ("hora (time)", "Esperamos por si às 16:20.", "16:20"),
        ("code (string) booking code", "Ваш код брони: B77.", "B77"),
        ("код (string)", "Назовите код B77 на входе.", "B77"),
        ("дата (date)", "Приём состоится 12 мая 2027 года.", "2027-05-12"),
        ("time (time)", "Wir schließen um 18:00 Uhr.", "nothing"),
        ("heure (time)", "La piscine ouvre à 18:00.", "nothing"),
        ("date (date)", "I saldi finiscono il 12 maggio 2027.", "nothing"),
        ("precio (money)", "El aparcamiento cuesta 5,00 €.", "nothing"),
        ("price (money)", "O estacionamento custa 5,00 €.", "nothing"),
        ("order_number (string)", "Ihre Kundennummer ist C12.", "nothing"),
        ("order_number (string)", "El código de la puerta es D44.", "nothing"),
    ],
)
async def test_a_statement_in_any_language_has_the_value_it_is_about(output: str, statement: str, value: str):
    case = Case(id="a", outputs=(_spec(output),))
    messages = (message("user", "OK."), message("chatbot", statement))

    (found,) = (await PatternReader().read(Conversation(case=case, messages=messages))).outputs

    assert (str(found.value) if found.evidence else "nothing") == value


def _spec(text: str) -> OutputSpec:
    match = re.fullmatch(r"(\S+) \((.+?)\) ?(.*)", text)
    assert match, text
    return OutputSpec(name=match[1], type=match[2], description=match[3])


@table(
    ("wanted", "said", "value"),
    [
        ("price (money)", "The delivery fee is $4.00 and the total comes to $29.50.", "$29.50"),
        ("price (money)", "Your car is reserved for $117.00. A deposit of $200.00 is blocked.", "$117.00"),
        ("order number (string)", "Your access code is 8823.", "nothing"),
        ("order number (string)", "Your order number is 4471. The door code is 8823.", "4471"),
        ("status (string)", "Your parcel is in transit.", "Your parcel is in transit."),
    ],
)
async def test_a_value_of_another_thing_beside_the_output_is_not_taken(wanted: str, said: str, value: str):
    name, _, kind = wanted.partition(" (")
    spec = OutputSpec(name=name.replace(" ", "_"), type=kind.rstrip(")"), description="")
    messages = (message("user", "Where is my parcel?"), message("chatbot", said))
    talk = Conversation(case=Case(id="a", goals=(), outputs=(spec,)), messages=messages)
    (found,) = (await PatternReader().read(talk)).outputs
    assert (str(found.value) if found.evidence else "nothing") == value

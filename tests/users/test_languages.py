"""The agenda user and the reader with chatbots that speak French, German, Italian or Portuguese."""

import re
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from fakes import FrozenClock, Talking, transcript
from sparring.core.case import Case, Fact, Goal, Limits, Persona
from sparring.core.conversation import Conversation, Ending, GoalStage
from sparring.extraction.function_words import other_language
from sparring.extraction.pattern_extractor import PatternReader
from sparring.extraction.speech_acts import hands_over, is_farewell, offered_instead, only_waits, refuses
from sparring.simulation.simulate import simulate
from sparring.users.agenda import Agenda
from tables import table


@dataclass(frozen=True)
class Restaurant:
    """What a waiter says, and what the guest wants."""

    table: str
    drink: str
    day: str
    other_day: str
    hello: str
    asks_day: str
    asks_name: str
    confirms: str
    booked: str
    asks_drink: str
    no_drink: str
    more: str
    bye: str
    yes: str


RESTAURANTS = {
    "French": Restaurant(
        table="une table pour samedi",
        drink="une bouteille de cidre",
        day="samedi",
        other_day="dimanche",
        hello="Bonjour, que puis-je faire pour vous ?",
        asks_day="Très bien. Pour quel jour souhaitez-vous réserver ?",
        asks_name="C'est entendu. À quel nom, s'il vous plaît ?",
        confirms="Une table pour {day}, c'est bien correct ?",
        booked="Parfait, votre table est réservée pour samedi.",
        asks_drink="Souhaitez-vous autre chose ?",
        no_drink="Malheureusement, nous n'avons plus de cidre.",
        more="Autre chose ?",
        bye="Merci et à bientôt !",
        yes="Oui",
    ),
    "German": Restaurant(
        table="einen Tisch für Samstag",
        drink="eine Flasche Apfelwein",
        day="Samstag",
        other_day="Sonntag",
        hello="Guten Tag, was kann ich für Sie tun?",
        asks_day="Sehr gern. Für welchen Tag möchten Sie reservieren?",
        asks_name="Alles klar. Auf welchen Namen, bitte?",
        confirms="Ein Tisch für {day}, ist das so richtig?",
        booked="Ihr Tisch ist für Samstag reserviert.",
        asks_drink="Darf es sonst noch etwas sein?",
        no_drink="Leider haben wir keinen Apfelwein mehr.",
        more="Sonst noch etwas?",
        bye="Danke und bis bald!",
        yes="Ja",
    ),
    "Italian": Restaurant(
        table="un tavolo per sabato",
        drink="una bottiglia di sidro",
        day="sabato",
        other_day="domenica",
        hello="Buongiorno, che cosa posso fare per lei?",
        asks_day="Molto volentieri. Per quale giorno desidera prenotare?",
        asks_name="Va bene. A che nome, per favore?",
        confirms="Un tavolo per {day}, è corretto?",
        booked="Il suo tavolo è prenotato per sabato.",
        asks_drink="Desidera altro?",
        no_drink="Purtroppo non abbiamo più sidro.",
        more="Qualcos'altro?",
        bye="Grazie e a presto!",
        yes="Sì",
    ),
    "Portuguese": Restaurant(
        table="uma mesa para sábado",
        drink="uma garrafa de sidra",
        day="sábado",
        other_day="domingo",
        hello="Olá, o que posso fazer por você?",
        asks_day="Com prazer. Para que dia você quer reservar?",
        asks_name="Certo. Em nome de quem fica a reserva?",
        confirms="Uma mesa para {day}, está certo?",
        booked="A sua mesa está reservada para sábado.",
        asks_drink="Deseja mais alguma coisa?",
        no_drink="Infelizmente não temos mais sidra.",
        more="Mais alguma coisa?",
        bye="Agradecemos e até breve!",
        yes="Sim",
    ),
}


def waiter(says: Restaurant, *, mishears: bool) -> Callable[[], Callable[[str], str]]:
    """Return a waiter that asks for the name, confirms the day, mishears it once, and has run out of the drink."""

    def make() -> Callable[[str], str]:
        stages = iter(
            [
                says.asks_name,
                *([says.confirms.format(day=says.other_day)] if mishears else []),
                says.confirms.format(day=says.day),
                f"{says.booked} {says.asks_drink}",
                f"{says.no_drink} {says.more}",
            ]
        )
        return lambda text: next(stages, says.bye)

    return make


def guest(language: str, seed: int) -> Case:
    says = RESTAURANTS[language]
    return Case(
        id="a",
        seed=seed,
        persona=Persona(language=language),
        goals=(Goal(text=says.table, variables=("day",)), Goal(text=says.drink)),
        variables={"day": says.day},
        facts=(Fact(slot="name", values=("Noor Lind",)),),
        limits=Limits(turns=12),
    )


async def talk(language: str, seed: int, *, mishears: bool = False) -> Conversation:
    chatbot = Talking(waiter(RESTAURANTS[language], mishears=mishears))
    return await simulate(guest(language, seed), Agenda(), chatbot, reader=PatternReader(), clock=FrozenClock())


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("language", RESTAURANTS)
async def test_a_booking_is_done_and_what_is_not_there_is_refused(language: str, seed: int):
    conversation = await talk(language, seed)

    stages = [goal.stage for goal in conversation.goals]
    assert stages == [GoalStage.DONE, GoalStage.REFUSED], transcript(conversation.messages)
    assert conversation.ending in (Ending.GOALS_ANSWERED, Ending.USER_DONE), transcript(conversation.messages)


@pytest.mark.parametrize("language", RESTAURANTS)
async def test_the_name_is_said_and_the_right_day_confirmed(language: str):
    conversation = await talk(language, 1)

    said = [message.text for message in conversation.messages if message.role == "user"]
    assert "Noor Lind" in said[1], transcript(conversation.messages)
    assert said[2].startswith(RESTAURANTS[language].yes), transcript(conversation.messages)


@pytest.mark.parametrize("language", RESTAURANTS)
async def test_another_day_is_corrected(language: str):
    conversation = await talk(language, 2, mishears=True)

    said = [message.text for message in conversation.messages if message.role == "user"]
    assert not said[2].startswith(RESTAURANTS[language].yes), transcript(conversation.messages)
    assert RESTAURANTS[language].day.lower() in said[2].lower(), transcript(conversation.messages)
    assert said[3].startswith(RESTAURANTS[language].yes), transcript(conversation.messages)


@pytest.mark.parametrize("language", RESTAURANTS)
async def test_no_message_is_in_another_language(language: str):
    for seed in range(5):
        conversation = await talk(language, seed, mishears=bool(seed % 2))

        said = " ".join(message.text for message in conversation.messages if message.role == "user")
        assert other_language(said) == {"French": "fr", "German": "de", "Italian": "it", "Portuguese": "pt"}[language]


@table(
    ("text", "language"),
    [
        ("Votre commande est annulée.", "fr"),
        ("Ihre Bestellung ist storniert.", "de"),
        ("Il suo ordine è stato annullato.", "it"),
        ("A sua mesa foi reservada no domingo.", "pt"),
        ("The table is reserved.", ""),
        ("La mesa está reservada para el sábado.", ""),
        ("Столик заказан.", "?"),
        ("Pizza, coke.", "?"),
        ("dos pizzas", "?"),
    ],
)
def test_the_language_of_a_text_is_recognized_by_its_function_words(text: str, language: str):
    assert other_language(text) == language


@pytest.mark.parametrize(
    ("waits", "hands", "without", "offered", "leaves"),
    [
        ("Un instant.", "Je vous passe un collègue.", "Nous n'avons plus de cola, il ne reste que du thé.", "the",
         "Au revoir !"),
        ("Einen Moment.", "Ich verbinde Sie mit einem Kollegen.", "Wir haben keine Cola, es gibt nur noch Tee.", "tee",
         "Auf Wiedersehen!"),
        ("Un attimo.", "La passo a un collega.", "Non abbiamo più cola, abbiamo solo tè.", "te", "Arrivederci!"),
        ("Aguarde.", "Vou transferir para um colega.", "Não temos mais cola, só temos chá.", "cha", "Até logo!"),
    ],
    ids=["French", "German", "Italian", "Portuguese"],
)  # fmt: skip
def test_acts_that_thwart_a_wish_are_recognised(waits: str, hands: str, without: str, offered: str, leaves: str):
    assert (only_waits(waits), hands_over(hands), is_farewell(leaves)) == (True, True, True)
    assert (refuses(without), offered_instead(without)) == (True, (offered,))


@table(
    "text",
    [
        "Have a wonderful day!",
        "Einen schönen Tag noch!",
        "Bis dann, wir freuen uns auf Sie.",
        "Merci, bonne fin de journée.",
        "¡Que tenga un buen día!",
        "Grazie della chiamata, a presto.",
        "Adeus!",
        "Приятного дня!",
    ],
)
def test_farewells_are_recognised(text: str):
    assert is_farewell(text)


@table(
    ("language", "goal", "question", "expected"),
    [
        ("German", "einen Tisch", "Am Freitag hätten wir noch einen Tisch. Passt Ihnen das?", "Ja, bitte."),
        ("German", "einen Tisch", "Waren Sie schon einmal hier?", "Nein."),
        ("French", "une table", "Voulez-vous que je réserve la table ?", "Oui, .*"),
        ("Spanish", "una mesa", "¿Quiere que reserve la mesa?", "Sí, por favor."),
        ("Spanish", "una mesa", "¿Ha venido antes?", "No."),
        ("Spanish", "una mesa", "¿Podemos añadir una botella de vino?", "(No, gracias|No hace falta, gracias)."),
        ("Russian", "столик", "Забронировать столик?", "Да, пожалуйста."),
        ("Russian", "столик", "Как вас зовут?", "Предпочту не говорить."),
        ("English", "a table", "Want me to book the table?", "Yes, please."),
        ("English", "a table", "Any dietary requirements?", "No."),
        ("English", "a table", "Sound good?", "Yes, that's right."),
    ],
)
async def test_a_question_for_a_yes_is_answered(language: str, goal: str, question: str, expected: str):
    case = Case(
        id="a", persona=Persona(language=language), goals=(Goal(text=goal), Goal(text="?")), limits=Limits(turns=3)
    )
    chatbot = Talking(lambda: lambda _: question)
    conversation = await simulate(case, Agenda(), chatbot, reader=PatternReader(), clock=FrozenClock())

    assert re.fullmatch(expected, conversation.messages[2].text), transcript(conversation.messages)


WISHES = {
    "English": "a haircut in size {size} on {day} at {time}, paid by {payment}",
    "German": "einen Haarschnitt in Größe {size} am {day} um {time} Uhr, zahlbar mit {payment}",
    "French": "une coupe en taille {size} {day} à {time}, payée par {payment}",
    "Spanish": "un corte en talla {size} el {day} a las {time}, pagado con {payment}",
    "Italian": "un taglio in taglia {size} {day} alle {time}, pagato con {payment}",
    "Portuguese": "um corte no tamanho {size} na {day} às {time}, pago com {payment}",
    "Russian": "стрижка размера {size} в {day} в {time}, оплата {payment}",
}
NATIVE_FACTS = {
    "English": ("name", "phone", "e-mail", "address", "order number"),
    "German": ("Name", "Telefonnummer", "E-Mail", "Adresse", "Bestellnummer"),
    "French": ("nom", "téléphone", "e-mail", "adresse", "numéro de commande"),
    "Spanish": ("nombre", "teléfono", "correo electrónico", "dirección", "número de pedido"),
    "Italian": ("nome", "telefono", "e-mail", "indirizzo", "numero d'ordine"),
    "Portuguese": ("nome", "telefone", "e-mail", "morada", "número do pedido"),
    "Russian": ("имя", "телефон", "e-mail", "адрес", "номер заказа"),
}
KNOWN = ("Anna Klein", "555-0134", "ann@example.com", "12 Mill Lane", "A-4471")
CHOSEN = {"size": "M", "day": "Friday", "time": "15:30", "payment": "card"}


async def answer_to(language: str, question: str) -> tuple[str, list[str]]:
    """Return the answer of a user with facts in its language to a question, and the acts of the answer."""
    case = Case(
        id="visit",
        goals=(Goal(text=WISHES[language].format(**CHOSEN), variables=tuple(CHOSEN)),),
        variables=CHOSEN,
        facts=tuple(
            Fact(slot=slot, values=(value,)) for slot, value in zip(NATIVE_FACTS[language], KNOWN, strict=True)
        ),
        persona=Persona(role="x", language=language),
        limits=Limits(turns=3),
    )
    conversation = await simulate(
        case, Agenda(), Talking(lambda: lambda text: question), reader=PatternReader(), clock=FrozenClock()
    )
    said = [each for each in conversation.messages if each.role == "user"][1]
    return said.text, [each.act for each in said.meant]


@table(
    ("language", "question", "value"),
    [
        ("English", "Who shall I put it under?", "Anna Klein"),
        ("English", "What number can we reach you on?", "555-0134"),
        ("English", "Where should I send the confirmation?", "ann@example.com"),
        ("English", "Could you give me your street and house number?", "12 Mill Lane"),
        ("English", "Do you have an order ID at hand?", "A-4471"),
        ("English", "Which size? We have S, M and L.", "M"),
        ("German", "Wie heißen Sie?", "Anna Klein"),
        ("German", "Haben Sie eine Handynummer für mich?", "555-0134"),
        ("German", "An welche Mailadresse soll die Rechnung gehen?", "ann@example.com"),
        ("German", "Wohin dürfen wir liefern?", "12 Mill Lane"),
        ("German", "Zu welcher Uhrzeit?", "15:30"),
        ("German", "In welcher Größe? Wir haben S, M und L.", "M"),
        ("German", "Wie möchten Sie bezahlen?", "card"),
        ("French", "À quel numéro peut-on vous joindre ?", "555-0134"),
        ("French", "Votre adresse électronique ?", "ann@example.com"),
        ("French", "Où devons-nous livrer ?", "12 Mill Lane"),
        ("French", "En quelle taille ? Nous avons S, M et L.", "M"),
        ("French", "Comment souhaitez-vous payer ?", "card"),
        ("Spanish", "¿Me deja un móvil?", "555-0134"),
        ("Spanish", "¿A qué correo le mando la confirmación?", "ann@example.com"),
        ("Spanish", "¿A dónde se lo llevamos?", "12 Mill Lane"),
        ("Spanish", "¿En qué talla? Tenemos S, M y L.", "M"),
        ("Spanish", "¿Cómo desea pagar?", "card"),
        ("Italian", "Come si chiama?", "Anna Klein"),
        ("Italian", "Mi dà il suo indirizzo di posta elettronica?", "ann@example.com"),
        ("Italian", "Via e numero civico?", "12 Mill Lane"),
        ("Italian", "Qual è il numero del suo ordine?", "A-4471"),
        ("Italian", "In quale taglia? Abbiamo S, M e L.", "M"),
        ("Italian", "Come desidera pagare?", "card"),
        ("Portuguese", "Como se chama?", "Anna Klein"),
        ("Portuguese", "Pode indicar o seu correio eletrónico?", "ann@example.com"),
        ("Portuguese", "Onde entregamos?", "12 Mill Lane"),
        ("Portuguese", "Em que tamanho? Temos S, M e L.", "M"),
        ("Portuguese", "Como deseja pagar?", "card"),
        ("Russian", "По какому номеру с вами связаться?", "555-0134"),
        ("Russian", "Куда прислать подтверждение?", "ann@example.com"),
        ("Russian", "Назовите улицу и дом, пожалуйста.", "12 Mill Lane"),
        ("Russian", "К какому часу вас ждать?", "15:30"),
        ("Russian", "Какого размера? Есть S, M и L.", "M"),
        ("Russian", "Как будете оплачивать?", "card"),
        ("English", "And you are?", "Anna Klein"),
        ("English", "Could you tell me the number of your order?", "A-4471"),
        ("German", "Bitte nennen Sie mir noch eine Rückrufnummer.", "555-0134"),
        ("German", "Haben Sie die Auftragsnummer zur Hand?", "A-4471"),
        ("Spanish", "Dígame la hora, por favor.", "15:30"),
        ("Spanish", "Deme su número de orden, por favor.", "A-4471"),
        ("Italian", "Mi dica l'ora, per favore.", "15:30"),
        ("Portuguese", "Diga-me a hora, por favor.", "15:30"),
        ("Portuguese", "De que encomenda se trata?", "A-4471"),
        ("Russian", "Назовите день, пожалуйста.", "Friday"),
        ("Russian", "Представьтесь, пожалуйста.", "Anna Klein"),
    ],
)
async def test_a_question_is_answered_with_the_value_it_asks_for(language: str, question: str, value: str):
    said, acts = await answer_to(language, question)

    assert (value.lower() in said.lower(), [other for other in KNOWN if other != value and other in said], acts) == (
        True,
        [],
        ["value"],
    )


@table(
    ("language", "question"),
    [
        ("English", "With breakfast?"),
        ("German", "Mit Frühstück?"),
        ("French", "Avec petit-déjeuner ?"),
        ("Spanish", "¿Con desayuno?"),
        ("Italian", "Con colazione?"),
        ("Portuguese", "Com pequeno-almoço?"),
        ("Russian", "С завтраком?"),
        ("Spanish", "¿Le pongo algo de beber?"),
        ("Russian", "Пакет нужен?"),
    ],
)
async def test_an_offer_without_a_verb_is_declined(language: str, question: str):
    assert (await answer_to(language, question))[1] == ["no"]

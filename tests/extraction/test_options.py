import pytest

from sparring.extraction.options import options
from sparring.extraction.phrasebooks import phrasebook

OFFERS = {
    "English": {
        "Would you like small, medium or large?": "small, medium, large",
        "Which size: small, medium, large?": "small, medium, large",
        "Which size, small or large?": "small, large",
        "Which size - small, medium or large?": "small, medium, large",
        "Any preference on the size, small or large?": "small, large",
        "Do you have a colour in mind, such as red or blue?": "red, blue",
        "Sure, do you want tea or coffee?": "tea, coffee",
        "Tea, coffee or something else?": "Tea, coffee",
        "Do you want thin crust or deep pan?": "thin crust, deep pan",
        "Shall we paint blue or red?": "blue, red",
        "Eat in or take away?": "Eat in, take away",
        "Do you want to eat in or take away?": "eat in, take away",
        "Would you like to open a claim or track a parcel?": "open a claim, track a parcel",
        "Is that for here or to go?": "for here, to go",
        "Will you pay by card or in cash?": "by card, in cash",
        "Do you prefer a rowing boat or a kayak?": "rowing boat, kayak",
        "Is the early or the late class right for you?": "early, late class",
        "Is delivery or pickup better for you?": "delivery, pickup",
        "Do you want a single or a double room, and how many nights will you stay?": "single, double room",
        "Would you like Tuesday 5 May or Wednesday 6 May?": "Tuesday 5 May, Wednesday 6 May",
        "Shall I book Old Mill, Sea View or The House on the Hill?": "Old Mill, Sea View, The House on the Hill",
        "How about Mad Max: Fury Road or Red Joan?": "Mad Max: Fury Road, Red Joan",
        "Is it a leak, a blockage or no hot water?": "leak, blockage, no hot water",
        "Do you want the standard (3 days) or the express (1 day) delivery?": "standard, express delivery",
        "What would you like? We have roses, tulips or lilies.": "roses, tulips, lilies",
        "Small for $5 or large for $9?": "Small, large",
        "At 5 pm or 8 pm?": "5 pm, 8 pm",
        "Delivery for $3.00, or will you pick it up?": "Delivery, pick it up",
        "Will that be for collection or shall we bring it?": "collection, bring it",
        "Which one? Margherita $9.50, or Funghi $11.00?": "Margherita, Funghi",
        "Friday is full. I have 09:00 or 14:30. Which one suits you?": "09:00, 14:30",
        "We have 9 am or 2 pm. Which one suits you?": "9 am, 2 pm",
        "We have tulips or lilies. Which do you like?": "tulips, lilies",
        "Would you like to see Dr. Lee or Dr. Moss?": "Dr. Lee, Dr. Moss",
        "Do you want to pay $5 or $10?": "$5, $10",
    },
    "French": {
        "Petite, moyenne ou grande ?": "Petite, moyenne, grande",
        "Quelle taille, petite ou grande ?": "petite, grande",
        "Voulez-vous une petite ou une grande pizza ?": "petite, grande pizza",
        "Souhaitez-vous payer par carte ou en espèces ?": "par carte, en espèces",
    },
    "German": {
        "Klein, mittel oder groß?": "Klein, mittel, groß",
        "Welche Größe, klein oder groß?": "klein, groß",
        "Möchten Sie eine kleine oder eine große Pizza?": "kleine, große Pizza",
        "Zahlen Sie bar oder mit Karte?": "bar, mit Karte",
    },
    "Italian": {
        "Piccola, media o grande?": "Piccola, media, grande",
        "Preferisce la mattina o il pomeriggio?": "mattina, pomeriggio",
    },
    "Portuguese": {
        "Pequena, média ou grande?": "Pequena, média, grande",
        "Qual tamanho, pequena ou grande?": "pequena, grande",
    },
    "Spanish": {
        "¿Qué tamaño, pequeña o grande?": "pequeña, grande",
        "¿Prefiere por la mañana o por la tarde?": "por la mañana, por la tarde",
    },
    "Russian": {
        "Какой размер, маленькая или большая?": "маленькая, большая",
        "Вы хотите маленькую или большую пиццу?": "маленькую, большую пиццу",
    },
}
NO_OFFERS = [
    "Would you like to tell me whether you like it or not?",
    "Which city or area are you in?",
    "Is there a day or time you prefer?",
    "Would you like a dessert or anything else?",
    "Anything else, or shall I place the order?",
    "Would you like to pay now?",
    "How much will the repair or a replacement cost?",
    "Roughly how much will the repair or replacement cost, in pounds?",
    "Do you have a booking, or would you like to make one?",
    "Or?",
    "or or or",
    ", or ,?",
]


@pytest.mark.parametrize(
    ("language", "question", "offered"),
    [(language, question, offered) for language, some in OFFERS.items() for question, offered in some.items()],
)
def test_options_of_a_question_are_separated(language: str, question: str, offered: str):
    assert ", ".join(options(question, phrasebook(language))) == offered


@pytest.mark.parametrize("question", NO_OFFERS)
def test_a_question_without_options_has_none(question: str):
    assert options(question, phrasebook("English")) == ()


@pytest.mark.parametrize(
    "text", [" " * 50_000 + "or", "a, " * 50_000 + "or b?", "(" * 50_000 + " or ", "x or " * 50_000]
)
def test_long_questions_are_read_at_once(text: str):
    assert len(options(text, phrasebook("English"))) < 1000

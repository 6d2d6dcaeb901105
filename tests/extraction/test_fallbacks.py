from sparring.extraction.fallbacks import is_fallback, trailing_fallbacks
from tables import table

KNOWN = (
    "I'm sorry, I did not get what you said. I can help you ordering predefined or custom pizzas, and then drinks.",
)


@table(
    "reply",
    [
        KNOWN[0],
        "I'm sorry, I didn't get what you said; I can help you ordering predefined or custom pizzas and then drinks",
        "Sorry, could you rephrase that?",
        "I am not sure I understand your question.",
        "Disculpa, pero... ¿Me lo puedes repetir con otras palabras?",
        "Извините, я не понял вас.",
        "Переформулируйте, пожалуйста.",
        "Sorry, can you say that in other words?",
        "Können Sie das bitte anders sagen?",
        "Pouvez-vous le dire autrement ?",
        "Può dirlo in un altro modo?",
        "Скажите это иначе, пожалуйста.",
        "Sorry, what was that?",
        "Hmm, I don't know what you mean.",
        "Das habe ich leider nicht verstanden.",
        "Das verstehe ich nicht.",
        "Leider konnte ich Ihre Anfrage nicht verstehen.",
        "Entschuldigung, wie bitte?",
        "Je ne suis pas sûr de comprendre.",
        "No estoy seguro de haber entendido.",
        "Non sono sicuro di aver capito.",
        "Desculpe, não percebi o que disse.",
        "Я не совсем понял.",
        "Не могу понять, что вы имеете в виду.",
        "Das habe ich nicht ganz mitbekommen.",
        "Non ho afferrato.",
        "Pardon ?",
        "¿Perdone?",
        "Come, scusi?",
        "Como disse?",
        "Простите, что?",
    ],
)
def test_not_understanding_is_a_fallback(reply: str):
    assert is_fallback(reply, KNOWN)


@table(
    "reply",
    [
        "",
        "I can help you with predefined pizzas, custom pizzas and drinks. Which would you like?",
        "You can order drinks and then custom pizzas.",
        "I'm sorry, we only offer small, medium and big.",
        "Your order is placed.",
        "We do not do delivery.",
        "What was that order again? It was number 12.",
        "Das kann ich leider nicht machen.",
        "Das habe ich nicht, aber wir haben Fisch.",
        "Ich weiß nicht, ob der Tisch frei ist, aber ich frage nach.",
    ],
)
def test_a_helpful_answer_that_shares_its_words_is_not(reply: str):
    assert not is_fallback(reply, KNOWN)


def test_only_fallbacks_in_a_row_at_the_end_count():
    assert trailing_fallbacks(["Please rephrase.", "Please repeat.", "Sure.", "Can you repeat?"], ()) == 2


_TWICE = (
    'I did not get that, we have no "been meaning to write to you about this all week". Please name a product and how '
    'much of it you would like. I did not get that, we have no "wheaat fllour, plesae". Please name a product and how '
    "much of it you would like. "
)


@table(("rest", "expected"), [("What would you like to order?", True), ("I have put down two boxes of butter.", False)])
def test_a_long_reply_is_a_fallback_if_it_states_nothing_else(rest: str, expected: bool):
    assert is_fallback(_TWICE + rest) is expected

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
    ],
)
def test_a_helpful_answer_that_shares_its_words_is_not(reply: str):
    assert not is_fallback(reply, KNOWN)


def test_only_fallbacks_in_a_row_at_the_end_count():
    assert trailing_fallbacks(["Please rephrase.", "Please repeat.", "Sure.", "Can you repeat?"], ()) == 2

"""The languages as the real detector tells them, offline."""

from sparring.rules.functions.text import language
from tables import table


@table(
    ("text", "code"),
    [
        ("Where can I find the opening hours of your shop?", "ENG"),
        ("¿Dónde puedo encontrar el horario de apertura de la tienda?", "ESP"),
        ("Où puis-je trouver les horaires d'ouverture de votre magasin ?", "FR"),
        ("Где можно узнать часы работы вашего магазина?", "OTHER"),
        ("ok", "unknown"),
        ("ORD-001", "unknown"),
    ],
)
def test_a_text_is_in_the_language_it_is_in(text: str, code: str):
    assert language.call(text) == code

from sparring_bots.phone_orders.packaging import counted, packaging_in, packed
from tables import table


@table(
    ("number", "kind", "language", "said"),
    [
        (1, "box", "English", "1 box"),
        (2, "boxes", "English", "2 boxes"),
        (0.5, "kg", "English", "0.5 kg"),
        (1, "коробка", "Russian", "1 коробка"),
        (3, "коробка", "Russian", "3 коробки"),
        (11, "box", "Russian", "11 коробок"),
        (21, "мешков", "Russian", "21 мешок"),
        (112, "мешок", "Russian", "112 мешков"),
        (1.5, "кг", "Russian", "1.5 кг"),
        (2, "barrels", "English", "2 barrels"),
    ],
)
def test_so_many_packagings_are_counted_as_people_count(number: float, kind: str, language: str, said: str):
    assert counted(number, kind, language) == said


@table(
    ("text", "kind"),
    [("in cans", "jar"), ("две банки", "jar"), ("ящиков", "crate"), ("5 kilos", "kg"), ("milk", ""), ("", "")],
)
def test_a_packaging_is_known_by_any_of_its_words(text: str, kind: str):
    assert packaging_in(text) == kind


def test_a_packaging_has_a_name_in_either_language():
    assert (packed("bag", "Russian"), packed("bag", "English"), packed("barrel", "English")) == (
        "мешок",
        "bag",
        "barrel",
    )

"""Units of packaging in English and Russian: `2 boxes`, `2 коробки`."""

from collections.abc import Mapping
from dataclasses import dataclass

from sparring.extraction.tokens import cached, fold, tokens


@dataclass(frozen=True, slots=True)
class Packaging:
    """The words for a unit: English singular and plural; Russian for 1, for 2 to 4, and for more."""

    english: tuple[str, str]
    russian: tuple[str, str, str]


_TABLE = """
piece | piece pieces pc pcs item items unit units each | штука штуки штук штуку шт штучка штучки
box | box boxes carton cartons case cases | коробка коробки коробок коробку коробке коробкой короб коробов короба
crate | crate crates | ящик ящика ящиков ящике ящиками
pack | pack packs package packages packaging | упаковка упаковки упаковок упаковку упаковке упаковкой
packet | packet packets | пачка пачки пачек пачку пачке пачкой
bag | bag bags sack sacks | мешок мешка мешков мешке мешки пакет пакета пакетов пакеты
bottle | bottle bottles | бутылка бутылки бутылок бутылку бутылке
jar | jar jars can cans tin tins | банка банки банок банку банке
bucket | bucket buckets tub tubs | ведро ведра вёдер ведер ведре ведром вёдра
tray | tray trays | лоток лотка лотков лотке лотки
canister | canister canisters | канистра канистры канистр канистру
kg | kg kg kgs kilo kilos kilogram kilograms | кг кг кг килограмм килограмма килограммов кило
pallet | pallet pallets | паллета паллеты паллет паллету поддон поддона поддонов
"""


def _read(table: str) -> tuple[dict[str, Packaging], dict[str, str]]:
    packagings, kinds = dict[str, Packaging](), dict[str, str]()
    for line in table.strip().splitlines():
        kind, english, russian = (part.split() for part in line.split("|"))
        packagings[kind[0]] = Packaging((english[0], english[1]), (russian[0], russian[1], russian[2]))
        kinds |= {fold(word): kind[0] for word in (*english, *russian)}
    return packagings, kinds


PACKAGINGS: Mapping[str, Packaging]
_KINDS: Mapping[str, str]
PACKAGINGS, _KINDS = _read(_TABLE)


@cached
def packaging_in(text: str) -> str:
    """Return the first unit that `text` names, such as `box`; "" if it names none."""
    return next((_KINDS[word] for word in tokens(text) if word in _KINDS), "")


def packed(kind: str, language: str) -> str:
    """Return the singular of a unit in a language; an unknown unit stays as it is."""
    known = PACKAGINGS.get(kind)
    if known is None:
        return kind
    return known.russian[0] if language == "Russian" else known.english[0]


def counted(number: float, kind: str, language: str) -> str:
    """Return a number of units: `1 box`, `2 коробки`, `5 коробок`."""
    known = PACKAGINGS.get(packaging_in(kind))
    if known is None:
        return f"{number:g} {kind}"
    words = known.russian[_russian(number)] if language == "Russian" else known.english[number != 1]
    return f"{number:g} {words}"


def _russian(number: float) -> int:
    """Return the index of the Russian form that follows a number."""
    if number != int(number):
        return 1
    last, before = int(number) % 10, int(number) // 10 % 10
    if before == 1 or last == 0 or last > 4:
        return 2
    return 0 if last == 1 else 1

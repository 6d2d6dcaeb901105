"""Reasons of the order judge, in the language of the conversation."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class JudgeMessages:
    """Reasons in one language."""

    perfect: str
    not_placed: str
    claimed: str
    empty: str
    missing: str
    unasked: str
    quantity: str
    packaging: str
    date: str
    no_date: str
    location: str
    no_location: str
    unnamed: str
    never_asked: str
    invented: str
    raised: str


_RUSSIAN = JudgeMessages(
    perfect="Заказ оформлен и совпадает с целью.",
    not_placed="Заказ не оформлен",
    claimed="Агент говорит, что заказ оформлен, но ни один инструмент этого не подтвердил",
    empty="Корзина пуста",
    missing="Нет в заказе: {name}",
    unasked="Лишнее в заказе: {name}",
    quantity="{name}: количество {found}, а нужно {wanted}",
    packaging="{name}: упаковка «{found}», а нужна «{wanted}»",
    date="Дата доставки {found}, а нужна {wanted}",
    no_date="Не указана дата доставки: {wanted}",
    location="Адрес «{found}», а нужен «{wanted}»",
    no_location="Не указан адрес: {wanted}",
    unnamed="Агент со всем согласился, но ни разу не назвал: {names}",
    never_asked="Клиент этого не просил, поэтому судить нельзя: {name}",
    invented="Агент называет сумму {amount}, которой не давал ни один инструмент",
    raised="{name}: цена была {before}, а стала {found}",
)
_ENGLISH = JudgeMessages(
    perfect="The order was placed and is what was wanted.",
    not_placed="The order was not placed",
    claimed="The chatbot says that the order is placed, but no tool confirmed it",
    empty="The cart is empty",
    missing="Not in the order: {name}",
    unasked="In the order, and not wanted: {name}",
    quantity="{name}: {found} were ordered, and {wanted} wanted",
    packaging='{name}: the packaging is "{found}", and "{wanted}" was wanted',
    date="The day of delivery is {found}, and {wanted} was wanted",
    no_date="No day of delivery was set: {wanted}",
    location='The address is "{found}", and "{wanted}" was wanted',
    no_location="No address was set: {wanted}",
    unnamed="The chatbot agreed to everything, and never named: {names}",
    never_asked="The user never asked for it, so it cannot be judged: {name}",
    invented="The chatbot names an amount of {amount}, which no tool gave",
    raised="{name}: the price was {before}, and is {found} later",
)
_BY_LANGUAGE: Mapping[str, JudgeMessages] = {"russian": _RUSSIAN}


def messages_in(language: str) -> JudgeMessages:
    """Return the reasons in Russian, or in English for any other language."""
    return _BY_LANGUAGE.get(language.casefold(), _ENGLISH)

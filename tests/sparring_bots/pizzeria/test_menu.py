from decimal import Decimal

import pytest

from sparring_bots.pizzeria.menu import CUSTOM, MENU, Menu, dollars


@pytest.fixture(scope="module")
def menu() -> Menu:
    return MENU


@pytest.mark.parametrize(
    ("kind", "size", "toppings", "price"),
    [
        ("Margarita", "small", 0, "10"),
        ("Margarita", "medium", 0, "15"),
        ("Margarita", "big", 0, "20"),
        ("Marinera", "small", 0, "12"),
        ("Hawaiian", "medium", 0, "17"),
        ("Four cheese", "big", 0, "22"),
        ("Vegetarian", "small", 0, "12"),
        ("Carbonara", "small", 0, "12.50"),
        ("Carbonara", "big", 0, "22.50"),
        (CUSTOM, "small", 0, "10"),
        (CUSTOM, "small", 3, "10"),
        (CUSTOM, "big", 4, "20.50"),
        (CUSTOM, "medium", 9, "18"),
    ],
)
def test_a_pizza_costs_what_the_menu_says(menu: Menu, kind: str, size: str, toppings: int, price: str):
    assert menu.price(kind, size, toppings) == Decimal(price)


def test_drinks_cost_what_the_menu_says(menu: Menu):
    assert menu.drink_prices() == "sprite and coke for $1.50, water for $1.00"


def test_every_pizza_has_a_price_in_every_size(menu: Menu):
    assert {tuple(prices) for prices in menu.pizzas.values()} == {menu.sizes}


def test_every_alias_stands_for_something(menu: Menu):
    assert {*menu.aliases.values()} <= {*menu.sizes, *menu.kinds, *menu.toppings, *menu.drinks}


@pytest.mark.parametrize(("what", "sold"), [("Cokes", True), ("coca cola", True), ("olive", True), ("fanta", False)])
def test_what_is_sold_is_known_by_any_name(menu: Menu, what: str, sold: bool):
    assert menu.sells(what) is sold


def test_amounts_are_dollars_and_cents():
    assert [dollars(Decimal(amount)) for amount in ("1", "11.5", "1234.25")] == ["$1.00", "$11.50", "$1234.25"]

"""The order of one call in progress: its cart, its unclear items, its day and its place."""

from dataclasses import dataclass, replace
from datetime import date

from sparring.core.value import Json
from sparring.extraction.tokens import mentions, stems
from sparring_bots.phone_orders.call import Call, Location
from sparring_bots.phone_orders.catalogue import Product
from sparring_bots.phone_orders.language import LanguageWording
from sparring_bots.phone_orders.packaging import counted, packaging_in, packed


@dataclass(frozen=True, slots=True)
class Line:
    """A quantity of a product in a unit of packaging."""

    product: Product
    packaging: str
    quantity: int

    @property
    def price(self) -> int:
        return self.product.packs[self.packaging][1] * self.quantity

    @property
    def pieces(self) -> int:
        return self.product.packs[self.packaging][0] * self.quantity

    def say(self, language: str) -> str:
        return f"{self.product.name(language)}, {counted(self.quantity, self.packaging, language)}"

    def shown(self, language: str) -> dict[str, Json]:
        """Return the line as JSON."""
        return {
            "product_code": self.product.code,
            "name": self.product.name(language),
            "quantity": self.quantity,
            "packaging": packed(self.packaging, language),
            "price": self.price,
        }


@dataclass(frozen=True, slots=True)
class Wanted:
    """An item that may still lack its product, packaging or quantity."""

    products: tuple[Product, ...]
    packaging: str = ""
    quantity: int | None = None

    @property
    def product(self) -> Product | None:
        return self.products[0] if len(self.products) == 1 else None

    @property
    def line(self) -> Line | None:
        """Return the line once everything is clear, else None."""
        if self.product is None or not self.packaging or self.quantity is None:
            return None
        return Line(self.product, self.packaging, self.quantity)

    def settled(self) -> "Wanted":
        """Return the item with the only possible packaging, and without an impossible one."""
        if self.product is None or self.packaging in self.product.packs:
            return self
        packs = self.product.packs
        return replace(self, packaging=next(iter(packs)) if len(packs) == 1 else "")


@dataclass(frozen=True, slots=True)
class Cart:
    """The lines of an order, at most one for each product and packaging."""

    lines: tuple[Line, ...] = ()

    def put(self, line: Line) -> "Cart":
        """Return the cart with a line, which replaces that of the same product and packaging."""
        same = [each for each in self.lines if each.product == line.product and each.packaging == line.packaging]
        if same:
            return Cart(tuple(line if each is same[0] else each for each in self.lines))
        return Cart((*self.lines, line))

    def without(self, line: Line) -> "Cart":
        return Cart(tuple(each for each in self.lines if each is not line))

    @property
    def total(self) -> int:
        return sum(line.price for line in self.lines)

    def say(self, language: str) -> str:
        return "; ".join(line.say(language) for line in self.lines)


@dataclass(frozen=True, slots=True)
class RequestOutcome:
    """The outcome of a request: recorded lines, and words that name no product (`unknown`)."""

    asked: bool
    added: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    short: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


class Order:
    """State that the tools share. Nothing here is a tool, so every name begins with an underscore."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._catalogue = call.catalogue
        self._say = LanguageWording(call.language)
        self._cart = Cart()
        self._open: tuple[Wanted, ...] = ()
        self._date: date | None = None
        self._location: Location | None = call.locations[0] if len(call.locations) == 1 else None
        self._complete = False
        self._order_id = ""

    def _add(self, words: list[str], quantity: int | None, kind: str, *, as_before: bool) -> RequestOutcome:
        """Add the items that these words name, each in the same quantity, or answer an open question."""
        wanted: list[Wanted] = []
        unknown: list[str] = []
        for each in words:
            item = self._asked_about(each) or Wanted(self._catalogue.meant(each))
            if not item.products:
                unknown.append(each)
                continue
            item = replace(item, packaging=kind or item.packaging, quantity=quantity or item.quantity)
            wanted.append(self._remembered(item) if as_before else item)
        return replace(self._take(tuple(wanted)), unknown=tuple(unknown))

    def _asked_about(self, words: str) -> Wanted | None:
        """Return the unclear items that these words name."""
        for waiting in self._open:
            meant = self._catalogue.meant(words, waiting.products)
            if meant and any(product in waiting.products for product in self._catalogue.meant(words)):
                self._open = tuple(each for each in self._open if each is not waiting)
                return replace(waiting, products=meant)
        return None

    def _say_more(self, quantity: int | None, kind: str, *, as_before: bool) -> RequestOutcome:
        """Apply the answer to the last question."""
        first, *rest = self._open
        self._open = ()
        more = replace(first, packaging=kind or first.packaging, quantity=quantity or first.quantity)
        return self._take((self._remembered(more, fully=True) if as_before else more, *rest))

    def _remembered(self, wanted: Wanted, *, fully: bool = False) -> Wanted:
        """Return the item as it was ordered last time; with `fully`, including the quantity."""
        codes = [product.code for product in wanted.products]
        past = next((bought for bought in self._call.history if bought.product in codes), None)
        if past is None:
            return wanted
        quantity = wanted.quantity or (past.quantity if fully else None)
        return Wanted((self._catalogue.by_code[past.product],), wanted.packaging or past.packaging, quantity)

    def _take(self, wanted: tuple[Wanted, ...]) -> RequestOutcome:
        """Record what is clear, and keep the rest to ask about."""
        added, refused, short = list[str](), list[str](), list[str]()
        for each in wanted:
            item = each.settled()
            if each.packaging and item.packaging != each.packaging and item.product:
                refused.append(self._say.packaging_of(item.product, each.packaging))
                item = replace(item, quantity=None)  # five kilograms are not five bags
            line = item.line
            if line is not None and line.pieces > line.product.stock:
                short.append(
                    replace(line, quantity=line.quantity * line.product.stock // line.pieces).say(self._say.language)
                )
                item, line = replace(item, quantity=None), None
            if line is None:
                self._open = (*self._open, item)
                continue
            self._write(line)
            added.append(f"{line.say(self._say.language)}, {self._say.roubles(line.price)}")
            self._order_id = ""
        return RequestOutcome(bool(wanted), tuple(added), tuple(refused), tuple(short))

    def _write(self, line: Line) -> None:
        """Record a line. Planted faults override it, so that it may differ from what the customer was told."""
        self._cart = self._cart.put(line)

    def _strike(self, line: Line) -> None:
        self._cart = self._cart.without(line)

    def _schedule(self, day: date) -> None:
        self._date, self._order_id = day, ""

    def _send_to(self, place: Location) -> None:
        self._location, self._order_id = place, ""

    def _line(self, words: str) -> Line | None:
        """Return the line of the cart that these words mean, the last of several; None for another product."""
        lines = self._cart.lines
        meant = self._catalogue.meant(words, tuple(line.product for line in lines)) if lines else ()
        if len(plain := self._catalogue.meant(words)) == 1 and plain[0] not in meant:
            return None
        found = [line for line in lines if line.product in meant]
        kind = packaging_in(words)
        return next((line for line in reversed(found) if line.packaging == kind), found[-1] if found else None)

    def _place(self, words: str) -> Location | None:
        places = self._call.locations
        number = words.strip(" .№#")
        if number.isdecimal():
            return next((each for each in places if each.id == int(number)), None)
        exact = next((each for each in places if mentions(each.address, words) or mentions(words, each.address)), None)
        said = stems(words)
        close = max(places, key=lambda each: len(stems(each.address) & said), default=None)
        return exact or (close if close is not None and stems(close.address) & said else None)

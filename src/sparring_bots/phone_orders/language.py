"""The languages of a call, and products, choices and amounts in Russian and English."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sparring.chatbots.prompted.session import PromptedSession
from sparring.chatbots.tool_faults import ToolFaults
from sparring.core.case import InjectReply, InjectTool
from sparring.core.message import Message, ToolCall
from sparring.core.value import Json
from sparring_bots.phone_orders.catalogue import Product
from sparring_bots.phone_orders.packaging import packed

RUSSIAN, ENGLISH = "Russian", "English"

_CYRILLIC = re.compile(r"[Ѐ-ӿ]")
_LATIN = re.compile(r"[A-Za-z]")


class BilingualSession:
    """A session that may change its language once, with the customer's first words, unless it is fixed."""

    def __init__(self, language: str, open: Callable[[str], PromptedSession], *, fixed: bool) -> None:
        self._session = open(language)
        self._open = open
        self._language = language
        self._decided = fixed
        self._faults: ToolFaults | None = None
        self.greeting = self._session.greeting

    async def inject(self, step: InjectReply | InjectTool) -> None:
        """Add a message or tool call of the script to the history."""
        await self._session.inject(step)

    async def stub(self, tool: InjectTool) -> None:
        """Set the result of a later tool call."""
        await self._session.stub(tool)

    async def break_tools(self, faults: ToolFaults) -> None:
        """Let the tools fail as the faults say, in either language."""
        self._faults = faults
        await self._session.break_tools(faults)

    async def state(self) -> object:
        """Return the state of the order."""
        return await self._session.state()

    async def call_tool(self, name: str, arguments: Mapping[str, Json]) -> ToolCall:
        """Call a tool of the agent."""
        return await self._session.call_tool(name, arguments)

    async def reply(self, message: Message) -> Message:
        if not self._decided:
            self._decided = True
            spoken = _spoken(message.text) or self._language
            if spoken != self._language:
                self._session = self._open(spoken)
                if self._faults is not None:
                    await self._session.break_tools(self._faults)
        return await self._session.reply(message)


def _spoken(text: str) -> str:
    """Return the language of most letters of a text; "" without letters."""
    cyrillic, latin = len(_CYRILLIC.findall(text)), len(_LATIN.findall(text))
    if cyrillic == latin:
        return ""
    return RUSSIAN if cyrillic > latin else ENGLISH


@dataclass(frozen=True, slots=True)
class LanguageWording:
    """Wording in one language."""

    language: str

    def either(self, names: list[str]) -> str:
        """Return a choice: `a, b or c`."""
        word = "или" if self.language == "Russian" else "or"
        return f" {word} ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)

    def roubles(self, amount: int) -> str:
        """Return an amount as it is written: 1 140 ₽."""
        return f"{amount:,} ₽".replace(",", " ") if self.language == "Russian" else f"RUB {amount:,}"

    def kinds(self, product: Product) -> str:
        """Return the units of packaging to choose from."""
        return self.either([packed(kind, self.language) for kind in product.packs])

    def packaging_of(self, product: Product, kind: str) -> str:
        return f"{product.name(self.language)} ({packed(kind, self.language)})"

    def offers(self, products: tuple[Product, ...]) -> str:
        """Return the prices of products by unit of packaging."""
        return "; ".join(f"{product.name(self.language)}: {self._packs(product)}" for product in products)

    def _packs(self, product: Product) -> str:
        at = "по" if self.language == "Russian" else "at"
        return ", ".join(
            f"{packed(kind, self.language)}{f' × {pieces}' if pieces > 1 else ''} {at} {self.roubles(price)}"
            for kind, (pieces, price) in product.packs.items()
        )

    def described(self, product: Product) -> Json:
        """Return a product as a model sees it."""
        packs: list[Json] = [
            {"packaging": packed(kind, self.language), "pieces": pieces, "price": price}
            for kind, (pieces, price) in product.packs.items()
        ]
        name = product.name(self.language)
        return {"product_code": product.code, "name": name, "packs": packs, "stock": product.stock}

"""A chatbot that refunds purchases of a made-up shop by a policy. Its tools are methods, called through `call_tool`.

sparring run examples/refunds/policy.yaml --chatbot python:examples/refunds/refunds.py:Refunds --allow-code
"""

import re
from datetime import date

from sparring.core.case import Case
from sparring.core.message import Message, ToolCall, message

PURCHASES = {
    "P-101": {"customer": "C-1", "bought": "2026-01-01", "price": 80, "state": "paid"},
    "P-102": {"customer": "C-1", "bought": "2026-01-02", "price": 700, "state": "paid"},
    "P-103": {"customer": "C-1", "bought": "2026-01-03", "price": 45, "state": "refunded"},
    "P-104": {"customer": "C-1", "bought": "2026-01-04", "price": 60, "state": "unpaid"},
    "P-201": {"customer": "C-2", "bought": "2026-01-05", "price": 90, "state": "paid"},
}
DAYS = 30
LEAST = 5
MOST = 500
"""Days after a purchase, and amounts in dollars, in which money is refunded."""


def refusal(purchase: dict | None, customer: str, amount: int, today: date) -> str:
    """Return why a refund is refused, or an empty text."""
    if purchase is None:
        return "there is no such purchase"
    if purchase["customer"] != customer:
        return "there is no such purchase"
    if purchase["state"] == "refunded":
        return "it has been refunded before"
    if purchase["state"] != "paid":
        return "it has not been paid"
    if (today - date.fromisoformat(purchase["bought"])).days > DAYS:
        return f"it was bought more than {DAYS} days ago"
    if amount > purchase["price"]:
        return f"it cost ${purchase['price']} only"
    if amount < LEAST or amount > MOST:
        return f"I can refund from ${LEAST} to ${MOST}"
    return ""


class Refunds:
    """One conversation: the customer asks, the chatbot looks the purchase up, asks for a yes, and refunds."""

    reports_tools = True
    tools = ("find_purchase", "check_refund", "refund")

    def __init__(self, case: Case) -> None:
        self._customer = str(case.variables.get("customer_id", "C-1"))
        self._today = date.fromisoformat(str(case.variables.get("today", "2026-01-15")))
        self._purchases = {number: dict(each) for number, each in PURCHASES.items()}
        self._wish: tuple[str, int] | None = None
        self._calls: list[ToolCall] = []

    def state(self) -> object:
        """Return what the tools work on."""
        return {"purchases": self._purchases}

    def call_tool(self, name: str, arguments: dict) -> ToolCall:
        """Call a tool."""
        result = getattr(self, f"_{name}")(**arguments)
        return ToolCall(name=name, arguments=arguments, result=result)

    def reply(self, said: Message) -> Message:
        """Return the reply to a message, with the tools that it took."""
        self._calls = []
        return message("chatbot", self._answer(said.text), tool_calls=tuple(self._calls))

    def _answer(self, text: str) -> str:
        found = re.search(r"\$([0-9]+) for (P-[0-9]+)", text)
        if found:
            return self._propose(found[2], int(found[1]))
        if self._wish is None:
            return 'I refund purchases. Please say how much, and for which one: "$20 for P-101".'
        (purchase, amount), self._wish = self._wish, None
        if re.match(r"(yes|sure|please do|go ahead)\b", text, re.IGNORECASE):
            done = self._use("refund", {"purchase": purchase, "amount": amount})
            return f"I have refunded ${amount} for {purchase}." if "receipt" in done else _sorry(done)
        return "All right, I leave it as it is."

    def _propose(self, purchase: str, amount: int) -> str:
        found = self._use("find_purchase", {"purchase": purchase})
        if "price" not in found:
            return _sorry(found)
        checked = self._use("check_refund", {"purchase": purchase, "amount": amount})
        if not checked.get("allowed"):
            return _sorry(checked)
        self._wish = (purchase, amount)
        return f"Shall I refund ${amount} for {purchase}?"

    def _use(self, name: str, arguments: dict) -> dict:
        """Call a tool, once more if it fails, and return its result or an error."""
        for _ in range(1 if name == "refund" else 2):
            try:
                call = self.call_tool(name, arguments)
            except (OSError, RuntimeError) as error:
                call = ToolCall(name=name, arguments=arguments, error=str(error))
            self._calls.append(call)
            if not call.error:
                break
        return call.result if isinstance(call.result, dict) else {}

    def _find_purchase(self, purchase: str) -> dict:
        found = self._purchases.get(purchase)
        if found is None or found["customer"] != self._customer:
            return {"reason": "there is no such purchase"}
        return {"purchase": purchase, **found}

    def _check_refund(self, purchase: str, amount: int) -> dict:
        reason = refusal(self._purchases.get(purchase), self._customer, amount, self._today)
        return {"purchase": purchase, "allowed": not reason, "reason": reason}

    def _refund(self, purchase: str, amount: int) -> dict:
        if reason := refusal(self._purchases.get(purchase), self._customer, amount, self._today):
            return {"error": reason}
        self._purchases[purchase]["state"] = "refunded"
        return {"purchase": purchase, "amount": amount, "receipt": f"R-{purchase[2:]}"}


def _sorry(result: dict) -> str:
    reason = result.get("reason") or result.get("error")
    if reason:
        return f"I cannot refund that: {reason}."
    return "I'm sorry, our system does not respond. Please try again later."

"""Who a conversation is with: what the session says, or else what the customer said first."""

import re
from dataclasses import dataclass

# Only the letters and digits of ASCII: others that look like them, or fold to them, are other numbers.
_STATED = re.compile(r"\bCUST[- ]?([0-9]{3,6})\b", re.ASCII | re.IGNORECASE)
_CUSTOMER = re.compile("CUST-[0-9]{3,6}", re.ASCII)


def is_customer(text: object) -> bool:
    """Whether this is written as a customer's number is."""
    return isinstance(text, str) and _CUSTOMER.fullmatch(text) is not None


def written(claimed: str) -> str | None:
    """A customer's number as the shop writes it; None if it is none."""
    found = _STATED.fullmatch(claimed)
    return f"CUST-{found[1]}" if found else None


def stated(text: str) -> str | None:
    """The first customer's number in a text."""
    found = _STATED.search(text)
    return f"CUST-{found[1]}" if found else None


@dataclass(slots=True)
class Identity:
    """The customer of a conversation: `bound` when it began, or `stated` by the customer, who cannot prove it.

    Nothing that is said changes a bound identity. Of those that are stated the first counts, for good: nobody tries
    one number after the other. What a model claims counts for nothing; it can only agree.
    """

    bound: str | None = None
    stated: str | None = None

    def hear(self, text: str) -> None:
        """Take down the number that the customer states, the first time."""
        if self.bound is None and self.stated is None:
            self.stated = stated(text)

    @property
    def customer_id(self) -> str | None:
        """The customer, if anybody is."""
        return self.bound or self.stated

    @property
    def verified(self) -> bool:
        """Whether the session vouches for the customer."""
        return self.bound is not None

    def allows(self, claimed: str | None) -> bool:
        """Whether a claim says nothing else than what is known."""
        return claimed is None or (self.customer_id is not None and written(claimed) == self.customer_id)

"""All randomness and all ids come from here, so that the same seed means the same run."""

import hashlib
from datetime import datetime
from random import Random, SystemRandom

from sparring.core.case import Case

_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def random_for(case: Case, *purpose: str | int) -> Random:
    """A source of randomness of its own for one purpose, such as ("user", turn), whatever else is drawn elsewhere."""
    return Random("/".join(map(str, (case.seed, case.id, *purpose))))


def derived_seed(case: Case, *purpose: str | int) -> int:
    """A seed of 31 bits to send to a provider for one purpose: cheaper than `dice`, for it is drawn at every call."""
    named = "/".join(map(str, (case.seed, case.id, *purpose))).encode(errors="surrogatepass")
    return int.from_bytes(hashlib.sha256(named).digest()[:4], "big") >> 1


def session_id(case: Case) -> str:
    """The name under which a chatbot knows this conversation: the one it was given, or else a hash of seed and case id,
    16 characters long."""
    if case.session:
        return case.session
    return hashlib.sha256(f"{case.seed}/{case.id}".encode()).hexdigest()[:16]


def repeat_seed(seed: int, repeat: int) -> int:
    """The seed of a case's n-th repeat: its own for the first, one derived from it for the others."""
    if repeat == 1:
        return seed
    return int.from_bytes(hashlib.sha256(f"{seed}#{repeat}".encode()).digest()[:6], "big")


def unique_id() -> str:
    """An id that nobody else has, wherever they run."""
    return f"{SystemRandom().getrandbits(128):032x}"


def ulid(now: datetime, random: Random) -> str:
    """An id that sorts by time: 48 bits of milliseconds and 80 random ones, in Crockford's base 32."""
    number = int(now.timestamp() * 1000) << 80 | random.getrandbits(80)
    return "".join(_CROCKFORD[number >> shift & 31] for shift in range(125, -1, -5))

"""Seeds, random generators and ids. All randomness comes from here, so a seed reproduces a run."""

import hashlib
from datetime import datetime
from random import Random, SystemRandom

from sparring.core.case import Case

_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def random_for(case: Case, *purpose: str | int) -> Random:
    """Return a random generator for one purpose, such as ("user", turn), independent of all others."""
    return Random("/".join(map(str, (case.seed, case.id, *purpose))))


def derived_seed(case: Case, *purpose: str | int) -> int:
    """Return a 31-bit seed for one purpose, to send to a provider.

    It is drawn for every call, and cheaper than `random_for`.
    """
    named = "/".join(map(str, (case.seed, case.id, *purpose))).encode(errors="surrogatepass")
    return int.from_bytes(hashlib.sha256(named).digest()[:4], "big") >> 1


def session_id(case: Case) -> str:
    """Return the session name under which a chatbot knows the conversation.

    It is `case.session` if set, else 16 characters of a hash of seed and case id.
    """
    return case.session or hashed_session(case.seed, case.id)


def hashed_session(seed: int, case: str) -> str:
    """Return the session name of a case that has none."""
    return hashlib.sha256(f"{seed}/{case}".encode()).hexdigest()[:16]


def repeat_seed(seed: int, repeat: int) -> int:
    """Return the seed of the n-th repeat: the case's own for the first, else one derived from it."""
    if repeat == 1:
        return seed
    return int.from_bytes(hashlib.sha256(f"{seed}#{repeat}".encode()).digest()[:6], "big")


def unique_id() -> str:
    """Return a globally unique id of 128 random bits."""
    return f"{SystemRandom().getrandbits(128):032x}"


def ulid(now: datetime, random: Random) -> str:
    """Return a ULID: 48 bits of milliseconds and 80 random bits in Crockford's base 32. It sorts by time."""
    number = int(now.timestamp() * 1000) << 80 | random.getrandbits(80)
    return "".join(_CROCKFORD[number >> shift & 31] for shift in range(125, -1, -5))

from pathlib import Path

import pytest

from sparring.core.addresses import address


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("a.db", Path("a.db")),
        ("sqlite:a.db", Path("a.db")),
        ("sqlite:///a.db", Path("a.db")),
        ("sqlite:////data/a.db", Path("/data/a.db")),
        (Path("sqlite:a.db"), Path("sqlite:a.db")),
        ("postgresql://host/name", "postgresql://host/name"),
    ],
)
def test_an_address_is_a_file_or_a_database(written: str | Path, found: str | Path):
    assert address(written) == found

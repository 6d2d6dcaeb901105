from datetime import UTC, datetime
from pathlib import Path

import pytest

from sparring.core.errors import StoreError
from sparring.store.tokens import TokenRole, Tokens

NOW = datetime(2026, 3, 2, tzinfo=UTC)


def test_a_token_is_found_by_itself_and_kept_as_a_hash(tmp_path: Path):
    tokens = Tokens(tmp_path / "store.db")

    made = tokens.add("anna", TokenRole.RUN, now=NOW)

    found = tokens.find(made)
    assert found is not None
    assert (found.name, found.role, tokens.find(made[:-1]), tokens.find(found.hash)) == ("anna", "run", None, None)
    assert all(made not in path.read_text() and made not in path.name for path in tokens.folder.iterdir())
    assert (repr(made), len(made)) == ("'[redacted]'", 52)


def test_two_tokens_have_nothing_in_common(tmp_path: Path):
    tokens = Tokens(tmp_path / "store.db")

    assert len({str(tokens.add(f"n{n}", TokenRole.READ, now=NOW)) for n in range(20)}) == 20


def test_a_file_that_was_changed_by_hand_opens_nothing_and_is_said(tmp_path: Path):
    tokens = Tokens(tmp_path / "store.db")
    made = tokens.add("anna", TokenRole.READ, now=NOW)
    (file,) = tokens.folder.iterdir()
    stolen = file.with_name(f"{'0' * 64}.json")
    stolen.write_bytes(file.read_bytes())
    file.write_text("{")

    assert (tokens.find(made), tokens.with_hash("0" * 64), tokens.used) == (None, None, True)
    assert [tokens.with_hash(each) for each in ("", "../x", f"../{tokens.folder.name}/{'0' * 64}")] == [None] * 3
    with pytest.raises(StoreError, match=r"cannot be read|is of another token"):
        tokens.all()


def test_the_door_stays_shut_when_the_last_token_is_gone(tmp_path: Path):
    tokens = Tokens(tmp_path / "store.db")
    before = tokens.used
    tokens.add("anna", TokenRole.READ, now=NOW)

    left = tokens.revoke("anna")

    assert (before, left, tokens.used, tokens.all()) == (False, 0, True, [])

import hashlib
from importlib.resources import files

VENDORED = files("sparring.web") / "static" / "vendored"


def test_what_is_vendored_is_what_was_published():
    sums = dict(reversed(line.split()) for line in (VENDORED / "SHA256SUMS").read_text().splitlines())

    assert {name: hashlib.sha256((VENDORED / name).read_bytes()).hexdigest() for name in sums} == sums
    scripts = {file.name for file in VENDORED.iterdir() if file.name.endswith(".js")}
    assert scripts == {*sums}
    assert "Zero-Clause BSD" in (VENDORED / "LICENSE.htmx").read_text()

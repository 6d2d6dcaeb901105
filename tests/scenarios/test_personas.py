from pathlib import Path

from sparring.scenarios.personas import SHIPPED, bundled_personalities


def test_every_shipped_personality_has_the_name_of_its_file_and_says_something():
    found = bundled_personalities()

    assert [one.name for one in found] == sorted(path.stem for path in SHIPPED.iterdir())
    assert all(one.traits for one in found)


def test_all_published_personalities_are_shipped_too(corpus: Path):
    published = {path.stem for path in (corpus / "personalities").iterdir()}

    assert published <= {one.name for one in bundled_personalities()}

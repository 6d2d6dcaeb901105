import json
from importlib import metadata
from pathlib import Path

import pytest

from sparring.core.plugins import install


@pytest.mark.parametrize("there", [True, False])
def test_an_extra_is_installed_from_the_checkout_that_sparring_came_from(
    there: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (info := tmp_path / "sparring-1.dist-info").mkdir()
    (info / "METADATA").write_text("Name: sparring\nVersion: 1\n")
    checkout = tmp_path if there else tmp_path / "gone"
    (info / "direct_url.json").write_text(json.dumps({"url": checkout.as_uri(), "dir_info": {}}))
    monkeypatch.setattr("sparring.core.plugins.distribution", lambda name: metadata.PathDistribution(info))

    assert install("privacy", "text") == f"pip install '{tmp_path if there else 'sparring'}[privacy,text]'"

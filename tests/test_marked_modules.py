"""Which modules are not imported because of `-m`."""

import pytest

from marked_modules import is_excluded

ONE = "import x\n\npytestmark = pytest.mark.slow  # it plays batches\n"
SEVERAL = "pytestmark = [\n    pytest.mark.timeout(300),\n    pytest.mark.extended,\n]\n\npytest.mark.process\n"


@pytest.mark.parametrize(
    ("source", "expression", "excluded"),
    [
        (ONE, "not live and not slow", True),
        (ONE, "not live", False),
        (ONE, "", False),
        (ONE, "slow", False),
        (ONE, "not (slow and live)", False),
        (ONE, "not slow or live", False),
        (SEVERAL, "not extended", True),
        (SEVERAL, "not process", False),
        ("@pytest.mark.slow\ndef test_one(): ...\n", "not slow", False),
    ],
)
def test_a_module_is_excluded_if_all_its_tests_are(source: str, expression: str, excluded: bool):
    assert is_excluded(source, expression) is excluded

"""The model of sentences outside of the role: its file fits its sentences, and it generalizes."""

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

from sparring.audit.out_of_role import KINDS, fallen_out, feature_of, model_of, role_model, unpacked
from sparring.extraction.tokens import sentences

TOOL = Path(__file__).parents[2] / "tools/train_audit.py"


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("train_audit", TOOL)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_model_was_trained_on_the_sentences_beside_the_tool(tool: ModuleType):
    """If this fails, run `python tools/train_audit.py`."""
    assert json.loads(tool.MODEL.read_bytes().partition(b"\n")[0])["sources"] == tool.sources_hash()


def test_the_model_stays_small(tool: ModuleType):
    assert tool.MODEL.stat().st_size < 300_000


@pytest.mark.slow
@pytest.mark.extended
def test_the_model_finds_sentences_that_it_was_not_trained_on(tool: ModuleType):
    counts = tool.recall(2)
    suspected = {name: found / total for name, (total, found, _) in counts.items()}
    certain = {name: found / total for name, (total, _, found) in counts.items()}

    assert {kind for kind in KINDS if suspected[kind] < 0.45} == set()
    assert (suspected["ordinary"] < 0.1, certain["ordinary"] < 0.02) == (True, True)


@pytest.mark.slow
def test_training_is_deterministic(tool: ModuleType):
    few = tool.labelled()[::40]

    assert tool.file_of_messages(few) == tool.file_of_messages(few)


def test_a_sign_names_the_words_that_weigh_most():
    (said,) = sentences("As an AI language model, I cannot order a pizza.")

    sign = fallen_out(said)

    assert sign is not None
    assert (sign.kind, sign.certain, sign.words) == ("model_refusal", True, said.text)
    assert '"language"' in sign.named


def test_names_of_programs_and_numbers_are_one_word_each():
    """An order code is a number of the customer, and an argument is no word of a person."""
    model = role_model()

    assert model.margin(["0"])[0] < model.suspected
    assert unpacked(model.weights[feature_of("<name>")])[KINDS.index("coaching")] > 0


def test_packed_weights_add_up_by_kind(tool: ModuleType):
    rows = {1: [0.06, -2.54, 0.0, 0.1, -0.02], 2: [-0.08, -2.54, 0.02, 0.0, 0.02]}
    weights = model_of(tool.file_of({"bias": (0, 0, 0, 0, 0), "suspected": 1, "certain": 2}, rows)).weights

    assert unpacked(weights[1] + weights[2]) == [-1, -254, 1, 5, 0]

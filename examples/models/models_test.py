"""Models of the registry are made, or say what they lack."""

import sys
import types

import pytest
import torch

from executorch.examples.models import MODEL_NAME_TO_MODEL
from executorch.examples.models.model_factory import EagerModelFactory

_OWN = [name for name, (module, _) in MODEL_NAME_TO_MODEL.items() if module == "toy_model"]
_PACKAGED = [name for name in MODEL_NAME_TO_MODEL if name not in _OWN]


@pytest.mark.parametrize("name", _OWN)
def test_a_toy_takes_its_inputs(name):
    model, inputs, kwargs, shapes = EagerModelFactory.create_model(*MODEL_NAME_TO_MODEL[name])
    assert kwargs is None
    assert shapes is None
    assert torch.export.export(model, inputs).module()(*inputs).isfinite().all()


@pytest.mark.parametrize("name", _PACKAGED)
def test_a_packaged_model_says_what_it_needs(name, monkeypatch):
    monkeypatch.setitem(sys.modules, "torchvision", None)
    with pytest.raises(ImportError, match="made by torchvision, which cannot be imported"):
        EagerModelFactory.create_model(*MODEL_NAME_TO_MODEL[name])


def test_a_packaged_model_is_asked_for_by_constructor_and_weights(monkeypatch):
    asked = []

    def mobilenet_v2(*, weights):
        asked.append(weights)
        return torch.nn.Conv2d(3, 1, 1)

    models = types.ModuleType("torchvision.models")
    monkeypatch.setattr(models, "mobilenet_v2", mobilenet_v2, raising=False)
    monkeypatch.setitem(sys.modules, "torchvision", types.ModuleType("torchvision"))
    monkeypatch.setitem(sys.modules, "torchvision.models", models)
    for name in ("mv2", "mv2_untrained"):
        model, inputs, _, _ = EagerModelFactory.create_model(*MODEL_NAME_TO_MODEL[name])
        assert not model.training
        assert model(*inputs).shape == (1, 1, 224, 224)
    assert asked == ["DEFAULT", None]


@pytest.mark.parametrize("row", [("nonsense", "X"), ("toy_model", "X")])
def test_a_row_of_nothing_is_refused(row):
    with pytest.raises(ValueError, match=r"executorch\.examples\.models\."):
        EagerModelFactory.create_model(*row)

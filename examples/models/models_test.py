"""Models of the registry are made, or say what they lack."""

import sys
import types

import pytest
import torch

from executorch.examples.models import MODEL_NAME_TO_MODEL
from executorch.examples.models.model_factory import EagerModelFactory

_OWN = [name for name, (module, _) in MODEL_NAME_TO_MODEL.items() if module != "packaged"]
_PACKAGED = [name for name in MODEL_NAME_TO_MODEL if name not in _OWN]
_TINY = {"DeepAutoEncoderModel": 640, "DSCNNKWSModel": 12, "MobileNetV1025Model": 2, "ResNet8Model": 10}


@pytest.mark.parametrize("name", _OWN)
def test_a_model_of_torch_alone_takes_its_inputs(name):
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


@pytest.mark.parametrize(("name", "width"), _TINY.items())
def test_models_of_mlperf_tiny_have_their_shapes(name, width):
    model, inputs, _, _ = EagerModelFactory.create_model("mlperf_tiny", name)
    assert any(isinstance(layer, torch.nn.modules.batchnorm._BatchNorm) for layer in model.modules())
    assert model(*inputs).shape == (1, width)


def test_a_network_of_segmentation_gives_its_scores(monkeypatch):
    class Segmentation(torch.nn.Module):
        def forward(self, image):
            return {"out": image[:, :1], "aux": image}

    models = types.ModuleType("torchvision.models.segmentation")
    monkeypatch.setattr(models, "deeplabv3_resnet50", lambda weights: Segmentation(), raising=False)
    for part in ("torchvision", "torchvision.models"):
        monkeypatch.setitem(sys.modules, part, types.ModuleType(part))
    monkeypatch.setitem(sys.modules, "torchvision.models.segmentation", models)
    model, inputs, _, _ = EagerModelFactory.create_model(*MODEL_NAME_TO_MODEL["dl3"])
    assert model(*inputs).shape == (1, 1, 224, 224)


@pytest.mark.parametrize("row", [("nonsense", "X"), ("toy_model", "X")])
def test_a_row_of_nothing_is_refused(row):
    with pytest.raises(ValueError, match=r"executorch\.examples\.models\."):
        EagerModelFactory.create_model(*row)

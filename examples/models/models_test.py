"""Models of the registry are made, or say what they lack."""

import sys
import types

import pytest
import torch

from executorch.examples.models import MODEL_NAME_TO_MODEL
from executorch.examples.models.model_factory import EagerModelFactory

#: Decoders, which another wheel has: see its own test.
_LANGUAGE = {name for name, (module, _) in MODEL_NAME_TO_MODEL.items() if module == "llama.model"}
_PACKAGED = [name for name, (module, _) in MODEL_NAME_TO_MODEL.items() if module == "packaged"]
_OWN = [name for name in MODEL_NAME_TO_MODEL if name not in {*_PACKAGED, *_LANGUAGE}]
_TINY = {"DeepAutoEncoderModel": 640, "DSCNNKWSModel": 12, "MobileNetV1025Model": 2, "ResNet8Model": 10}


@pytest.mark.parametrize("name", _OWN)
def test_a_model_of_torch_alone_takes_its_inputs(name):
    model, inputs, kwargs, shapes = EagerModelFactory.create_model(*MODEL_NAME_TO_MODEL[name])
    assert kwargs is None
    assert shapes is None
    results = torch.utils._pytree.tree_leaves(torch.export.export(model, inputs).module()(*inputs))
    assert results and all(one.isfinite().all() for one in results)


@pytest.mark.parametrize("name", _PACKAGED)
def test_a_packaged_model_says_what_it_needs(name, monkeypatch):
    for package in ("timm", "torchaudio", "torchsr", "torchvision", "transformers"):
        monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(
        ImportError,
        match=r"made by (timm|torchaudio|torchsr|torchvision|transformers), which cannot be imported",
    ):
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


@pytest.mark.parametrize(
    ("name", "function"), [("ic4", "inception_v4"), ("deit_tiny", "deit_tiny_patch16_224")]
)
def test_networks_of_timm_are_trained(name, function, monkeypatch):
    asked = []

    def make(*, pretrained):
        asked.append(pretrained)
        return torch.nn.Conv2d(3, 1, 1)

    models = types.ModuleType("timm.models")
    monkeypatch.setattr(models, function, make, raising=False)
    monkeypatch.setitem(sys.modules, "timm", types.ModuleType("timm"))
    monkeypatch.setitem(sys.modules, "timm.models", models)
    model, inputs, _, _ = EagerModelFactory.create_model(*MODEL_NAME_TO_MODEL[name])
    assert model(*inputs).shape[:2] == (1, 1) and asked == [True]


def test_a_class_of_transformers_loads_its_weights(monkeypatch):
    asked = []

    class MobileBertModel:
        @classmethod
        def from_pretrained(cls, **options):
            asked.append(options)
            return torch.nn.Embedding(30522, 4)

    transformers = types.ModuleType("transformers")
    monkeypatch.setattr(transformers, "MobileBertModel", MobileBertModel, raising=False)
    monkeypatch.setitem(sys.modules, "transformers", transformers)
    model, inputs, _, _ = EagerModelFactory.create_model(*MODEL_NAME_TO_MODEL["mobilebert"])
    assert model(*inputs).shape == (1, 8, 4)
    assert asked == [{"pretrained_model_name_or_path": "google/mobilebert-uncased", "return_dict": False}]


def test_whisper_takes_features_and_the_start_of_a_transcript(monkeypatch):
    asked = []

    class Whisper(torch.nn.Module):
        @classmethod
        def from_pretrained(cls, **options):
            asked.append(options)
            return cls()

        def forward(self, input_features, decoder_input_ids):
            return input_features.mean(dim=(1, 2))[:, None] * decoder_input_ids

    transformers = types.ModuleType("transformers")
    monkeypatch.setattr(transformers, "WhisperForConditionalGeneration", Whisper, raising=False)
    monkeypatch.setitem(sys.modules, "transformers", transformers)
    model, inputs, kwargs, _ = EagerModelFactory.create_model(*MODEL_NAME_TO_MODEL["whisper"])
    program = torch.export.export(model, inputs, kwargs)
    assert program.module()(*inputs, **kwargs).equal(model(*inputs, **kwargs))
    assert asked[0]["pretrained_model_name_or_path"] == "openai/whisper-tiny"
    assert not asked[0]["return_dict"] and not asked[0]["use_cache"]


def test_edsr_doubles_an_image(monkeypatch):
    asked = []

    def edsr_r16f64(*, scale, pretrained):
        asked.append(pretrained)
        return torch.nn.Upsample(scale_factor=scale)

    models = types.ModuleType("torchsr.models")
    monkeypatch.setattr(models, "edsr_r16f64", edsr_r16f64, raising=False)
    monkeypatch.setitem(sys.modules, "torchsr", types.ModuleType("torchsr"))
    monkeypatch.setitem(sys.modules, "torchsr.models", models)
    model, inputs, _, _ = EagerModelFactory.create_model(*MODEL_NAME_TO_MODEL["edsr"])
    assert model(*inputs).shape == (1, 3, 448, 448) and asked == [True]


def test_the_parts_of_a_transducer_are_called_one_by_one(monkeypatch):
    class Transducer(torch.nn.Module):
        def transcribe(self, features, lengths):
            return features[:, ::4, :1], lengths // 4

        def predict(self, tokens, lengths, state):
            return tokens.float()[..., None], lengths, [[tokens]] if state is None else state

        def join(self, sources, source_lengths, targets, target_lengths):
            return sources[:, :, None] + targets[:, None], source_lengths, target_lengths

    class Search(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = Transducer()

    bundle = types.SimpleNamespace(get_decoder=Search)
    pipelines = types.ModuleType("torchaudio.pipelines")
    monkeypatch.setattr(pipelines, "EMFORMER_RNNT_BASE_LIBRISPEECH", bundle, raising=False)
    monkeypatch.setitem(sys.modules, "torchaudio", types.ModuleType("torchaudio"))
    monkeypatch.setitem(sys.modules, "torchaudio.pipelines", pipelines)
    shapes = {}
    for part in ("transcribe", "predict", "join"):
        model, inputs, _, _ = EagerModelFactory.create_model(*MODEL_NAME_TO_MODEL[f"emformer_{part}"])
        assert not model.training
        shapes[part] = torch.export.export(model, inputs).module()(*inputs)[0].shape
    assert shapes == {"transcribe": (1, 32, 1), "predict": (1, 1, 1), "join": (1, 31, 1, 1024)}


@pytest.mark.parametrize(("name", "width"), _TINY.items())
def test_models_of_mlperf_tiny_have_their_shapes(name, width):
    model, inputs, _, _ = EagerModelFactory.create_model("mlperf_tiny", name)
    assert any(isinstance(layer, torch.nn.modules.batchnorm._BatchNorm) for layer in model.modules())
    assert model(*inputs).shape == (1, width)


def test_a_network_of_segmentation_gives_what_torchvision_gives(monkeypatch):
    class Segmentation(torch.nn.Module):
        def forward(self, image):
            return {"out": image[:, :1], "aux": image}

    models = types.ModuleType("torchvision.models.segmentation")
    monkeypatch.setattr(models, "deeplabv3_resnet50", lambda weights: Segmentation(), raising=False)
    for part in ("torchvision", "torchvision.models"):
        monkeypatch.setitem(sys.modules, part, types.ModuleType(part))
    monkeypatch.setitem(sys.modules, "torchvision.models.segmentation", models)
    model, inputs, _, _ = EagerModelFactory.create_model(*MODEL_NAME_TO_MODEL["dl3"])
    assert model(*inputs)["out"].shape == (1, 1, 224, 224)


def test_a_decoder_without_its_wheel_says_which_has_it(monkeypatch):
    for part in ("llama", "llama.model"):
        monkeypatch.setitem(sys.modules, f"executorch.examples.models.{part}", None)
    with pytest.raises(
        ValueError, match=r"llama\.model: language models are in executorch_examples_models_llama"
    ):
        EagerModelFactory.create_model(*MODEL_NAME_TO_MODEL["llama2"])


@pytest.mark.parametrize("row", [("nonsense", "X"), ("toy_model", "X")])
def test_a_row_of_nothing_is_refused(row):
    with pytest.raises(ValueError, match=r"executorch\.examples\.models\."):
        EagerModelFactory.create_model(*row)

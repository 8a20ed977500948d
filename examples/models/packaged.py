"""Models that other packages have; one is asked for only when its model is made.

With the published, trained weights unless the class says otherwise; the packages fetch these when they are first used.
"""

from __future__ import annotations

import importlib
from typing import Any, ClassVar

import torch

from executorch.examples.models.model_base import EagerModelBase


class _Packaged(EagerModelBase):
    """A network that one function of another package makes, in eval mode."""

    #: The function, by its module and name.
    constructor: ClassVar[str]

    def get_eager_model(self) -> torch.nn.Module:
        module, _, path = self.constructor.partition(":")
        package = module.partition(".")[0]
        try:
            made: Any = importlib.import_module(module)
        except ImportError as error:
            raise ImportError(
                f"model {type(self).__name__} is made by {package}, which cannot be imported ({error}); "
                f"install the {package} that goes with your torch, or choose a model that needs no package, as linear"
            ) from error
        for name in path.split("."):
            made = getattr(made, name)
        network: torch.nn.Module = made(**self._options())
        return network.eval()

    def _options(self) -> dict[str, Any]:
        return {}


class _Image(_Packaged):
    """A network that takes an image."""

    size: ClassVar[int] = 224

    def get_example_inputs(self) -> tuple[Any, ...]:
        return (torch.randn(1, 3, self.size, self.size),)


class _Torchvision(_Image):
    #: torchvision's name of the weights; None: not trained.
    weights: ClassVar[str | None]

    def _options(self) -> dict[str, Any]:
        return {"weights": self.weights}


class _Timm(_Image):
    def _options(self) -> dict[str, Any]:
        return {"pretrained": True}


class MV2Model(_Torchvision):
    """MobileNet V2."""

    constructor, weights = "torchvision.models:mobilenet_v2", "DEFAULT"


class MV2UntrainedModel(_Torchvision):
    """MobileNet V2 with random weights: fetches nothing."""

    constructor, weights = "torchvision.models:mobilenet_v2", None


class MV3Model(_Torchvision):
    """MobileNet V3, small."""

    constructor, weights = "torchvision.models:mobilenet_v3_small", "DEFAULT"


class ResNet18Model(_Torchvision):
    """ResNet 18."""

    constructor, weights = "torchvision.models:resnet18", "DEFAULT"


class ResNet50Model(_Torchvision):
    """ResNet 50."""

    constructor, weights = "torchvision.models:resnet50", "DEFAULT"


class TorchVisionViTModel(_Torchvision):
    """The vision transformer ViT-B/16."""

    constructor, weights = "torchvision.models:vit_b_16", "DEFAULT"


class InceptionV3Model(_Torchvision):
    """Inception V3."""

    constructor, weights = "torchvision.models:inception_v3", "DEFAULT"


class DeepLabV3ResNet50Model(_Torchvision):
    """DeepLabV3 on ResNet 50: ``out``, scores of each class for each pixel, and ``aux``, those of the branch that training has."""

    constructor, weights = "torchvision.models.segmentation:deeplabv3_resnet50", "DEFAULT"


class DeepLabV3ResNet101Model(_Torchvision):
    """As :class:`DeepLabV3ResNet50Model`, on ResNet 101."""

    constructor, weights = "torchvision.models.segmentation:deeplabv3_resnet101", "DEFAULT"


class InceptionV4Model(_Timm):
    """Inception V4."""

    constructor, size = "timm.models:inception_v4", 299


class DeiTTinyModel(_Timm):
    """The vision transformer DeiT, its tiny size."""

    constructor = "timm.models:deit_tiny_patch16_224"


class MobileBertModelExample(_Packaged):
    """MobileBERT, on one sentence."""

    constructor = "transformers:MobileBertModel.from_pretrained"

    def _options(self) -> dict[str, Any]:
        return {"pretrained_model_name_or_path": "google/mobilebert-uncased", "return_dict": False}

    def get_example_inputs(self) -> tuple[Any, ...]:
        # "Hello, my dog is cute" by the vocabulary of the weights.
        return (torch.tensor([[101, 7592, 1010, 2026, 3899, 2003, 10140, 102]]),)


class WhisperModel(_Packaged):
    """Whisper, its tiny size: log-mel features of 30 seconds and the first token of a transcript, to logits and the encoder's states."""

    constructor = "transformers:WhisperForConditionalGeneration.from_pretrained"

    def _options(self) -> dict[str, Any]:
        return {
            "pretrained_model_name_or_path": "openai/whisper-tiny",
            "return_dict": False,
            "use_cache": False,
        }

    def get_example_inputs(self) -> tuple[Any, ...]:
        return (torch.randn(1, 80, 3000),)

    def get_example_kwarg_inputs(self) -> dict[str, Any]:
        # The start of a transcript by the vocabulary of the weights.
        return {"decoder_input_ids": torch.tensor([[50258]])}


class EdsrModel(_Image):
    """The network EDSR with 16 blocks of 64 channels, which doubles width and height of an image."""

    constructor = "torchsr.models:edsr_r16f64"

    def _options(self) -> dict[str, Any]:
        return {"scale": 2, "pretrained": True}


class _Part(torch.nn.Module):
    """One method of a network as its call."""

    def __init__(self, network: torch.nn.Module, method: str) -> None:
        super().__init__()
        self.network = network
        self.method = method

    def forward(self, *inputs: Any) -> Any:
        return getattr(self.network, self.method)(*inputs)


class _EmformerRnnt(_Packaged):
    """A part of torchaudio's recogniser of speech, an RNN transducer, whose three parts are called one by one."""

    constructor = "torchaudio.pipelines:EMFORMER_RNNT_BASE_LIBRISPEECH.get_decoder"
    method: ClassVar[str]

    def get_eager_model(self) -> torch.nn.Module:
        search: Any = super().get_eager_model()
        return _Part(search.model, self.method).eval()


class EmformerRnntTranscriberModel(_EmformerRnnt):
    """Features ``[1, frames, 80]`` with the number of frames, to their encoding and its length."""

    method = "transcribe"

    def get_example_inputs(self) -> tuple[Any, ...]:
        return torch.randn(1, 128, 80), torch.tensor([128])


class EmformerRnntPredictorModel(_EmformerRnnt):
    """Tokens so far with their number and no state, to their encoding, its length, and the state."""

    method = "predict"

    def get_example_inputs(self) -> tuple[Any, ...]:
        return torch.zeros(1, 1, dtype=torch.int64), torch.tensor([1]), None


class EmformerRnntJoinerModel(_EmformerRnnt):
    """The two encodings with their lengths, to scores of the next token and both lengths."""

    method = "join"

    def get_example_inputs(self) -> tuple[Any, ...]:
        encodings = torch.randn(1, 31, 1024), torch.randn(1, 1, 1024)
        return encodings[0], torch.tensor([31]), encodings[1], torch.tensor([1])

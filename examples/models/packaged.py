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

"""Models that other packages have; one is asked for only when its model is made.

With the published, trained weights unless the class says otherwise; the packages fetch these when they are first used.
"""

from __future__ import annotations

import importlib
from typing import Any, ClassVar

import torch

from executorch.examples.models.model_base import EagerModelBase


class _Labels(torch.nn.Module):
    """A network of segmentation without the names of its outputs."""

    def __init__(self, network: torch.nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        labels: torch.Tensor = self.network(image)["out"]
        return labels


class _Torchvision(EagerModelBase):
    """An image network of torchvision, in eval mode."""

    constructor: ClassVar[str]
    #: torchvision's name of the weights; None: not trained.
    weights: ClassVar[str | None]
    size: ClassVar[int] = 224

    def get_eager_model(self) -> torch.nn.Module:
        module, _, name = f"torchvision.models.{self.constructor}".rpartition(".")
        try:
            models = importlib.import_module(module)
        except ImportError as error:
            raise ImportError(
                f"model {type(self).__name__} is made by torchvision, which cannot be imported ({error}); "
                "install the torchvision that goes with your torch, or choose a model that needs no package, as linear"
            ) from error
        made: torch.nn.Module = getattr(models, name)(weights=self.weights)
        return made.eval()

    def get_example_inputs(self) -> tuple[Any, ...]:
        return (torch.randn(1, 3, self.size, self.size),)


class MV2Model(_Torchvision):
    """MobileNet V2."""

    constructor, weights = "mobilenet_v2", "DEFAULT"


class MV2UntrainedModel(_Torchvision):
    """MobileNet V2 with random weights: fetches nothing."""

    constructor, weights = "mobilenet_v2", None


class MV3Model(_Torchvision):
    """MobileNet V3, small."""

    constructor, weights = "mobilenet_v3_small", "DEFAULT"


class ResNet18Model(_Torchvision):
    """ResNet 18."""

    constructor, weights = "resnet18", "DEFAULT"


class ResNet50Model(_Torchvision):
    """ResNet 50."""

    constructor, weights = "resnet50", "DEFAULT"


class TorchVisionViTModel(_Torchvision):
    """The vision transformer ViT-B/16."""

    constructor, weights = "vit_b_16", "DEFAULT"


class InceptionV3Model(_Torchvision):
    """Inception V3."""

    constructor, weights = "inception_v3", "DEFAULT"


class _DeepLabV3(_Torchvision):
    """DeepLabV3: scores of each class for each pixel."""

    weights = "DEFAULT"

    def get_eager_model(self) -> torch.nn.Module:
        return _Labels(super().get_eager_model()).eval()


class DeepLabV3ResNet50Model(_DeepLabV3):
    """On ResNet 50."""

    constructor = "segmentation.deeplabv3_resnet50"


class DeepLabV3ResNet101Model(_DeepLabV3):
    """On ResNet 101."""

    constructor = "segmentation.deeplabv3_resnet101"

"""The zoo's catalogue: names of architectures, and how to build one.

A family is a module of this package. It is imported when one of its members is built: `transformers` alone takes longer
to import than a convolutional network to lower.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Literal

import torch

from executorch.tests.zoo.specimen import Specimen

Size = Literal["small", "full"]

#: Family (a module of this package) to the names in its ``FACTORIES``.
FAMILIES: Mapping[str, tuple[str, ...]] = {
    "mobile": (
        "mobilenet_v2",
        "mobilenet_v2_dynamic",
        "mobilenet_v3",
        "efficientnet",
        "shufflenet",
        "squeezenet",
    ),
    "convolutional": ("resnet18", "resnet50", "resnext", "convnext", "densenet", "inception"),
    "pixelwise": (
        "unet",
        "unet_dynamic",
        "deeplab",
        "super_resolution",
        "dcgan",
        "vae",
        "diffusion",
        "yolo",
    ),
    "tabular": ("mlp", "mlp_dynamic", "dlrm", "gcn", "nerf"),
    "recurrent": (
        "lstm",
        "lstm_dynamic",
        "bidirectional_lstm",
        "gru",
        "elman",
        "streaming_lstm",
        "seq2seq",
        "mamba",
    ),
    "language": (
        "bert",
        "bert_dynamic",
        "distilbert",
        "albert",
        "gpt2",
        "llama",
        "llama_step",
        "llama_prefill",
        "t5_encoder",
        "t5_decoder",
        "mixture_of_experts",
        "routed_experts",
    ),
    "audio": (
        "whisper_encoder",
        "whisper_decoder",
        "wav2vec2",
        "conformer",
        "emformer",
        "keyword_spotting",
        "wavenet",
        "spectral_denoiser",
    ),
    "vision": ("vit", "swin", "mlp_mixer", "clip", "detr", "mobilevit", "sam"),
}


def names(family: str | None = None) -> list[str]:
    """The names of a family, or all."""
    families = FAMILIES if family is None else {family: FAMILIES[family]}
    return [name for members in families.values() for name in members]


def factories(family: str) -> Mapping[str, Callable[[bool], Specimen]]:
    """Name to factory for a family; a factory is asked whether the full size is wanted."""
    return importlib.import_module(f"executorch.tests.zoo.{family}").FACTORIES


def make(name: str, size: Size = "small", dtype: torch.dtype = torch.float32) -> Specimen:
    """An architecture with random weights, which are the same each time.

    Args:
        name: one of :func:`names`.
        size: ``small`` lowers and runs within seconds on portable kernels; ``full`` is the published size.
        dtype: of weights and inputs.

    Raises:
        KeyError: there is no such architecture.
        ValueError: there is no such size.
    """
    family = next((family for family, members in FAMILIES.items() if name in members), None)
    if family is None:
        raise KeyError(f"no architecture {name!r} in the zoo; there are {', '.join(names())}")
    if size not in ("small", "full"):
        raise ValueError(f"size {size!r} is neither 'small' nor 'full'")
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return factories(family)[name](size == "full").cast(dtype)

"""Hugging Face's checkpoints as files of a state dict by Meta's names, for exports that are given sizes in a file of their own.

``load_checkpoint``, ``to_meta`` and ``torch.save`` in one are :func:`convert_weights`; as a command, ``DIRECTORY FILE``. Weights that are torchao's
tensors stay quantized. :mod:`~executorch.extension.llm.models.checkpoints` reads such directories without a conversion.
"""

from __future__ import annotations

import argparse
import functools
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from executorch.extension.llm.models import hugging_face
from executorch.extension.llm.models.checkpoints import Weights, read_weights
from executorch.extension.llm.models.model_args import ModelArgs

#: The decoder of a model that has more than one.
_LANGUAGE_MODEL = re.compile(r"^(?:model\.)?(?:language_model|text_model)\.(?:model\.)?")

#: What is not the decoder's: towers for images and what they are joined by, layers that predict further tokens, tables, and the
#: bias of a convolution that transformers defines without one, and does not read either.
_OTHERS = re.compile(
    r"^(?:model\.)?(?:mtp|visual|vision_tower|vision_model|multi_modal_projector|connector)\."
    r"|rotary_emb\.inv_freq$|linear_attn\.conv1d\.bias$"
)


def load_checkpoint(input_dir: str | Path) -> Weights:
    """The weights of a directory, by the names that they have there: of its safetensors, or ``pytorch_model*.bin``.

    Raises:
        ValueError: it has neither.
        FileNotFoundError: there is no such directory.
    """
    return read_weights(input_dir)


def to_meta(
    state_dict: Mapping[str, torch.Tensor],
    args: ModelArgs | None = None,
    family: str = "a decoder's",
) -> Weights:
    """The decoder's weights by Meta's names; those of other parts of a model of several kinds of inputs are left out.

    Args:
        state_dict: by Hugging Face's names.
        args: of the decoder; needed where one weight has the rows of several layers.
        family: of models, for messages.

    Raises:
        ValueError: a weight has no place in the decoder.
    """
    named = {
        _LANGUAGE_MODEL.sub("model.", name): value
        for name, value in state_dict.items()
        if not _OTHERS.search(name)
    }
    if "model.lm_head.weight" in named:
        named["lm_head.weight"] = named.pop("model.lm_head.weight")
    try:
        return hugging_face.state_dict(named, args or ModelArgs())
    except ValueError as error:
        raise ValueError(f"Unexpected checkpoint key not mapped for {family} export: {error}") from error


#: Under the name that published code imports.
qwen_3_5_to_meta = functools.partial(to_meta, family="Qwen3.5")


def convert_weights(input_dir: str | Path, output_file: str | Path) -> None:
    """Writes the weights of a directory by Meta's names, as ``torch.save`` does.

    Args:
        input_dir: with ``config.json`` where one weight has the rows of several layers, as Phi's and Qwen3-Next's.
        output_file: for ``base.checkpoint`` of an export.

    Raises:
        ValueError: a weight has no place in a decoder, or there are none.
        FileNotFoundError: there is no such directory.
    """
    weights = load_checkpoint(input_dir)
    torch.save(to_meta(weights, _args(Path(input_dir) / "config.json")), output_file)


def _args(config: Path) -> ModelArgs | None:
    if not config.exists():
        return None
    found: dict[str, Any] = json.loads(config.read_text())
    return hugging_face.sizes(found.get("text_config", found))


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    parser = argparse.ArgumentParser(
        description="Writes the weights of a Hugging Face checkpoint by Meta's names."
    )
    parser.add_argument("input_dir", help="directory of the checkpoint")
    parser.add_argument("output", help="file to write")
    parsed = parser.parse_args(arguments)
    convert_weights(parsed.input_dir, parsed.output)


if __name__ == "__main__":
    main()

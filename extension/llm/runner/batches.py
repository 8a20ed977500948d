"""What a processor of transformers makes of a conversation, as parts of a prompt."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from executorch.extension.llm.runner.multimodal_inputs import (
    MultimodalInput,
    make_image_input,
    make_token_input,
)


def inputs_of(
    batch: Mapping[str, Any] | Sequence[MultimodalInput], image_token_id: int | None = None
) -> list[MultimodalInput]:
    """The tokens, with an image wherever tokens stand for one.

    Args:
        batch: ``input_ids`` of one text (``[1, n]`` or ``[n]``) and, with images, ``pixel_values`` (``[images, 3, height, width]``, or one
            of them); or the parts themselves.
        image_token_id: the token that stands for a part of an image; all that follow each other are one.

    Raises:
        ValueError: there are no tokens, those of several texts, or not as many places as images.
    """
    if not isinstance(batch, Mapping):
        return list(batch)
    if batch.get("input_ids") is None:
        raise ValueError(f"the batch has no input_ids, but {', '.join(map(str, batch))}")
    tokens = batch["input_ids"]
    if tokens.dim() == 2 and tokens.shape[0] == 1:
        tokens = tokens[0]
    if tokens.dim() != 1 or tokens.numel() == 0:
        raise ValueError(f"input_ids are of shape {tuple(tokens.shape)}: a runner takes one text at a time")
    images = _images_of(batch.get("pixel_values"))
    if images and image_token_id is None:
        raise ValueError("image_token_id says where the image of the batch belongs: it is the model's")
    parts: list[MultimodalInput] = []
    places = 0
    marker = image_token_id if images else None
    for is_image, run in itertools.groupby(tokens.tolist(), lambda token: token == marker):
        if not is_image:
            parts.append(make_token_input(list(run)))
            continue
        if places < len(images):
            parts.append(make_image_input(images[places]))
        places += 1
    if places != len(images):
        raise ValueError(f"token {image_token_id} stands for {places} images, and there are {len(images)}")
    return parts


def _images_of(pixels: Any) -> list[Any]:
    if pixels is None:
        return []
    if pixels.dim() not in (3, 4):
        raise ValueError(f"pixel_values are of shape {tuple(pixels.shape)}, and have 3 or 4 dimensions")
    return list(pixels) if pixels.dim() == 4 else [pixels]

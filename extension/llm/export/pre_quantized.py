"""Checkpoints that were quantized before: integers, and scales beside them.

Such a checkpoint, of SpinQuant or of training for quantization, has for a layer ``name`` an int8 ``name.weight`` and float ``name.scales``:

=================  ===================  =======================================================
layer              ``scales``           what it becomes
=================  ===================  =======================================================
linear             ``[n, k / group]``   4 bits in groups; inputs in 8 bits, quantized at run time
``output``         ``[n]``              8 bits, a scale for each row, where the mode says so; inputs as above
``tok_embeddings`` ``[n(, k / group)]`` as ``preq_embedding_quantize`` says, ``bits,group``
=================  ===================  =======================================================

Layers without scales stay floats. ``name.adaptor.A.weight`` and ``name.adaptor.B.weight`` are an adapter's, trained with the integers.
"""

from __future__ import annotations

import re

import torch
from torchao.quantization import IntxUnpackedToInt8Tensor
from torchao.quantization.quantize_.workflows.intx.intx_unpacked_to_int8_tensor import (
    IntxUnpackedToInt8TensorActivationQuantization,
)

from executorch.extension.llm.models.refusal import RefusalError

Weights = dict[str, torch.Tensor]

#: What the sum of an adapter's two layers is multiplied by, in checkpoints that have them beside the integers.
ADAPTER_SCALE = 2.0

_EMBEDDING = "tok_embeddings"
_OUTPUT = "output"
_ADAPTER = re.compile(
    r"(layers\.\d+)\.(?:attention\.(w[qkvo])|feed_forward\.(w[123]))\.adaptor\.([AB])\.weight"
)


def quantized_weights(
    weights: Weights,
    group_size: int,
    embedding: str,
    is_output_int8: bool,
    dtype: torch.dtype = torch.float32,
) -> Weights:
    """The weights of a checkpoint, where there are integers as torchao's tensors of the same bits.

    Args:
        weights: by the checkpoint's names.
        group_size: of linear layers.
        embedding: ``bits,group`` of the embedding, a group of 0 a row.
        is_output_int8: the output layer is in 8 bits by rows.
        dtype: of scales and values.

    Raises:
        ValueError: nothing is quantized, or integers, scales and what is said of them do not fit.
    """
    quantized = {name.removesuffix(".scales") for name in weights if name.endswith(".scales")}
    if not quantized:
        raise RefusalError(
            "base.preq_mode is for checkpoints with scales beside their weights; this one has none: use quantization.qmode"
        )
    made: Weights = {}
    for name, value in weights.items():
        layer, _, kind = name.rpartition(".")
        if layer not in quantized or kind not in ("weight", "scales", "zeros"):
            made[name] = value
        elif kind == "weight":
            bits, group = _form(layer, group_size, embedding, is_output_int8)
            scales = weights[f"{layer}.scales"]
            zeros = weights.get(f"{layer}.zeros")
            made[name] = _tensor(layer, value, scales, zeros, bits, group, dtype)
    return made


def _form(layer: str, group_size: int, embedding: str, is_output_int8: bool) -> tuple[int, int]:
    """Bits, and elements that share a scale; 0 for a row."""
    if layer == _EMBEDDING:
        found = re.fullmatch(r"\s*([248])\s*,\s*(\d+)\s*", embedding)
        if found is None:
            raise RefusalError(
                f"no base.preq_embedding_quantize {embedding}: write bits,group as in 8,0, with 2, 4 or 8 bits"
            )
        return int(found[1]), int(found[2])
    return (8, 0) if layer == _OUTPUT and is_output_int8 else (4, group_size)


def _tensor(
    layer: str,
    data: torch.Tensor,
    scales: torch.Tensor,
    zeros: torch.Tensor | None,
    bits: int,
    group: int,
    dtype: torch.dtype,
) -> IntxUnpackedToInt8Tensor:
    rows, columns = data.shape
    group = group or columns
    if data.dtype != torch.int8 or columns % group or scales.numel() != rows * (columns // group):
        raise RefusalError(
            f"{layer}.weight is {data.dtype} {tuple(data.shape)} with {tuple(scales.shape)} scales, not int8 with {bits} bits in "
            f"groups of {group}: base.preq_mode, preq_group_size and preq_embedding_quantize say what it is"
        )
    lowest, highest = (int(one) for one in torch.aminmax(data)) if data.numel() else (0, 0)
    if lowest < -(1 << (bits - 1)) or highest >= 1 << (bits - 1):
        raise RefusalError(f"{layer}.weight has values from {lowest} to {highest}, which are no {bits} bits")
    return intx_weight(data, scales, zeros, bits, group, dtype, is_dynamic=layer != _EMBEDDING)


def intx_weight(
    data: torch.Tensor,
    scales: torch.Tensor,
    zeros: torch.Tensor | None,
    bits: int,
    group: int,
    dtype: torch.dtype,
    is_dynamic: bool,
) -> IntxUnpackedToInt8Tensor:
    """torchao's tensor of given bits.

    Args:
        data: int8 ``[n, k]``.
        scales, zeros: ``n * (k / group)`` elements; without zeros, 0 is 0.
        dtype: of scales and values.
        is_dynamic: inputs are quantized to 8 bits, each token by its own range, at run time.
    """
    shape = (data.shape[0], data.shape[1] // group)
    zero = torch.zeros(shape, dtype=torch.int8) if zeros is None else zeros.reshape(shape).to(torch.int8)
    return IntxUnpackedToInt8Tensor(
        qdata=data,
        scale=scales.reshape(shape).to(dtype),
        zero_point=zero,
        target_dtype=getattr(torch, f"int{bits}"),
        block_size=(1, group),
        dtype=dtype,
        activation_quantization=IntxUnpackedToInt8TensorActivationQuantization.INT8_ASYM_PER_TOKEN
        if is_dynamic
        else None,
    )


def split_adapter(weights: Weights, rank: int) -> tuple[Weights, Weights]:
    """A checkpoint's weights without its adapter's, and those by names that PEFT would give the decoder's layers.

    Raises:
        ValueError: there is none, or one of another rank.
    """
    rest, adapter = {}, {}
    for name, value in weights.items():
        found = _ADAPTER.fullmatch(name)
        if found is None:
            rest[name] = value
            continue
        if value.shape[0 if found[4] == "A" else 1] != rank:
            raise RefusalError(
                f"{name} has shape {tuple(value.shape)}, not one of rank {rank}: base.use_lora says it"
            )
        adapter[f"{found[1]}.{found[2] or found[3]}.lora_{found[4]}.weight"] = value
    if not adapter:
        raise RefusalError(
            f"base.use_lora is {rank}, and the checkpoint has no adaptor.A and adaptor.B: leave it out, or name a file by base.lora_config"
        )
    return rest, adapter

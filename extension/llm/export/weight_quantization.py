"""Weights of linear layers and embeddings in few bits, by torchao's tensors, as the names of an export's configuration say.

=================  ====================================================================================
``qmode``          linear layers
=================  ====================================================================================
``int8``           weights in 8 bits, a scale for each row
``8da4w``          weights in 4 bits, a scale for each group; inputs in 8 bits, quantized at run time
``8da4w-gptq``     as 8da4w, rounded by the inputs of some text, by :mod:`~executorch.extension.llm.export.gptq`
``4w``             weights in 4 bits, a scale for each group
``torchao:8daNw``  as 8da4w with N bits
``torchao:fpaNw``  as 4w with N bits
=================  ====================================================================================

A layer is changed on its own, and a large one in slices of its rows, so that only a part of one is there in its full dtype beside those
that are done.
"""

from __future__ import annotations

import copy
import logging
import re
from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torchao.quantization import Int8DynamicActivationIntxWeightConfig, IntxWeightOnlyConfig, quantize_
from torchao.quantization.granularity import PerAxis, PerGroup

from executorch.extension.llm.export.packed_layers import pack_embedding, pack_linear
from executorch.extension.llm.export.paired_tensor import BITS, PairedTensor, is_narrow
from executorch.extension.llm.models.checkpoints import fill_pending
from executorch.extension.llm.models.lora import is_adapter
from executorch.extension.llm.models.memory import let_go
from executorch.extension.llm.models.refusal import RefusalError

Transform = Callable[[nn.Module], nn.Module]

#: Elements of a group where the configuration names none.
DEFAULT_GROUP = 32

_LOW_BIT = re.compile(r"torchao:(8da|fpa)(\d+)w")
_EMBEDDING = re.compile(r"(torchao:)?(\d+),(-?\d+)")
_BITS = range(1, 9)

#: Elements that are quantized at once: the steps have several copies of them as floats, which are large enough for the allocator to give
#: back.
_SLICE = 1 << 24

_log = logging.getLogger(__name__)


def linear_transform(
    qmode: str,
    group_size: int | None = None,
    dtype: torch.dtype = torch.float32,
    use_hqq: bool = True,
    is_packed: bool = False,
    keeps_four_bits: bool = False,
) -> Transform:
    """What quantizes a model's linear layers.

    Args:
        qmode: see the module's table.
        group_size: elements that share a scale; 32 by default, 0 a row.
        dtype: of scales and of what layers calculate in.
        use_hqq: scales by half-quadratic quantization, which lessens the error of weights.
        is_packed: for processors, in single precision: weights alone of four bits in groups go into the program as a kernel of ours
            reads them (:mod:`~executorch.extension.llm.export.packed_layers`), and those whose inputs are quantized as well have no
            more than their bits on the way there (:mod:`~executorch.extension.llm.export.paired_tensor`).
        keeps_four_bits: a backend has linear layers whose weights alone have four bits.

    Raises:
        ValueError: there is no such mode.
    """
    group = DEFAULT_GROUP if group_size is None else group_size
    config = _linear_config(qmode, group, use_hqq)
    packs = is_packed and group > 0 and dtype is torch.float32 and _has_few_bits(qmode)
    has_four = qmode == "4w" and (group <= 0 or keeps_four_bits)
    if qmode not in ("int8", "8da4w") and not packs and not has_four:
        _log.warning(
            "qmode %s in groups of %d: the program has the rounded weights as floats; 8da4w and int8, and in single precision 4w and "
            "torchao:fpaNw with up to four bits, keep few bits in programs for processors",
            qmode,
            group,
        )

    if qmode in ("int8", "8da4w") and dtype is torch.bfloat16:
        _log.warning("in bfloat16 no backend takes qmode %s: the program has rounded weights in full", qmode)

    def transform(model: nn.Module) -> nn.Module:
        skipped = []
        for name, module in model.named_modules():
            # Adapters are small, and exchanged: they stay floats.
            if not isinstance(module, nn.Linear) or is_quantized(module) or is_adapter(f"{name}."):
                continue
            if qmode != "int8" and group > 0 and module.in_features % group:
                skipped.append(name)
                continue
            pairs = is_packed and dtype is torch.float32 and not packs
            _quantize(module, config, dtype, _is_mapped(model), pairs)
        if skipped:
            _log.warning(
                "%d linear layers stay as they are, since groups of %d do not divide their inputs: %s",
                len(skipped),
                group,
                ", ".join(skipped[:5]),
            )
        return pack_linear(model) if packs else model

    return transform


def _has_few_bits(qmode: str) -> bool:
    """Whether weights alone are quantized, to as many bits as packed ones have, or fewer."""
    low_bit = _LOW_BIT.fullmatch(qmode)
    return qmode == "4w" or (low_bit is not None and low_bit[1] == "fpa" and int(low_bit[2]) <= BITS)


def _linear_config(qmode: str, group: int, use_hqq: bool) -> Any:
    granularity = PerGroup(group) if group > 0 else PerAxis(0)
    algorithm = "hqq_scale_only" if use_hqq else "affine"
    if qmode == "int8":
        return IntxWeightOnlyConfig(weight_dtype=torch.int8, granularity=PerAxis(0))
    low_bit = _LOW_BIT.fullmatch(qmode)
    kind, bits = (low_bit[1], int(low_bit[2])) if low_bit else ("", 4)
    if bits not in _BITS or (not low_bit and qmode not in ("8da4w", "4w")):
        raise RefusalError(
            f"no quantization {qmode}: there are int8, 8da4w, 4w, torchao:8daNw and torchao:fpaNw with N from 1 to 8"
        )
    # Of one bit, all values are taken for the scale by the plain way only.
    algorithm = "affine" if bits == 1 else algorithm
    named: dict[str, Any] = {"weight_dtype": _dtype(bits), "intx_choose_qparams_algorithm": algorithm}
    if kind == "8da" or qmode == "8da4w":
        return Int8DynamicActivationIntxWeightConfig(weight_granularity=granularity, **named)
    return IntxWeightOnlyConfig(granularity=granularity, **named)


def embedding_transform(
    embedding_quantize: str,
    dtype: torch.dtype = torch.float32,
    is_shared: bool = False,
    is_packed: bool = False,
) -> Transform:
    """What quantizes a model's embeddings.

    Args:
        embedding_quantize: ``bits,group`` with 2, 4 or 8 bits, or ``torchao:bits,group`` with 1 to 8; of a group of 0, a row.
        dtype: of scales.
        is_shared: the output layer has the same weights, and gets the embedding's quantized ones.
        is_packed: for processors: a table of 2 or 4 bits that is the embedding's alone has no more from here on.

    Raises:
        ValueError: it is none of these; or, when applied, the group does not divide the embedding's size.
    """
    parsed = _EMBEDDING.fullmatch(embedding_quantize.replace(" ", ""))
    if parsed is None:
        raise RefusalError(f"no quantization {embedding_quantize} of embeddings: write bits,group as in 4,32")
    bits, group = int(parsed[2]), max(int(parsed[3]), 0)
    allowed = tuple(_BITS) if parsed[1] else (2, 4, 8)
    if bits not in allowed:
        raise RefusalError(f"embeddings have one of {allowed} bits, not {bits}")
    granularity = PerGroup(group) if group else PerAxis(0)
    config = IntxWeightOnlyConfig(weight_dtype=_dtype(bits), granularity=granularity)

    def transform(model: nn.Module) -> nn.Module:
        for name, module in model.named_modules():
            if not isinstance(module, nn.Embedding) or is_quantized(module):
                continue
            if group and module.embedding_dim % group:
                raise RefusalError(
                    f"groups of {group} do not divide the {module.embedding_dim} columns of {name}"
                )
            _quantize(module, config, dtype, _is_mapped(model))
        if is_shared:
            model.output.weight = model.tok_embeddings.weight  # type: ignore[union-attr]
        return pack_embedding(model, bits) if is_packed and not is_shared and bits in (2, 4) else model

    return transform


def _is_mapped(model: nn.Module) -> bool:
    return bool(getattr(model, "is_mapped", False))


def _quantize(
    module: nn.Module, config: Any, dtype: torch.dtype, is_mapped: bool = False, is_paired: bool = False
) -> None:
    """A layer's weight, ``[rows, columns]``, of which groups are parts of rows, becomes one of torchao's tensors."""
    weight: torch.Tensor = module.weight.detach()  # type: ignore[assignment, operator]
    parts = list(weight.split(max(1, _SLICE // weight.shape[1])))
    # From here on the parts alone hold the memory, and give it back before their results are put together.
    del weight
    module.weight = None  # type: ignore[assignment]
    fill_pending(module)
    done, first_row = [], 0
    while parts:
        one = copy.copy(module)
        # Its own dictionary: a shallow copy would write into the layer's.
        part = parts.pop(0)
        one._parameters = {"weight": nn.Parameter(part, requires_grad=False), "bias": None}
        fill_pending(one, first_row)
        first_row += len(part)
        one.weight = nn.Parameter(one.weight.to(dtype), requires_grad=False)  # type: ignore[operator]
        quantize_(one, config, filter_fn=lambda *_: True)
        made: Any = one.weight.detach()  # type: ignore[operator]
        if is_mapped:
            let_go(part)
        del one, part
        done.append(
            PairedTensor.of(made) if is_paired and is_narrow(made) and not made.shape[-1] % 2 else made
        )
        del made
    module.weight = nn.Parameter(_joined(done), requires_grad=False)
    module.to(dtype)


def _joined(parts: list[Any]) -> Any:
    """Rows below each other."""
    first = parts[0]
    if len(parts) == 1:
        return first
    tensors = [torch.cat([getattr(part, name) for part in parts]) for name in first.tensor_data_names]
    return type(first)(*tensors, *(getattr(first, name) for name in first.tensor_attribute_names))


def is_quantized(module: nn.Module) -> bool:
    """Whether a layer's weight is one of torchao's tensors."""
    weight = getattr(module, "weight", None)
    return isinstance(weight, torch.Tensor) and type(weight) not in (torch.Tensor, nn.Parameter)


def _dtype(bits: int) -> torch.dtype:
    found: torch.dtype = getattr(torch, f"int{bits}")
    return found

"""Sums, products, tables, pools and moves, on integers."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import Node
from torch.fx.node import map_arg

from executorch.backends.cortex_m.ops.arithmetic import quantize_multiplier
from executorch.backends.cortex_m.ops.simple import SUM_BITS
from executorch.backends.cortex_m.ops.softmax import softmax_parameters
from executorch.backends.cortex_m.passes.folding import Call, cortex_m, fold
from executorch.backends.cortex_m.passes.quantized_values import (
    Integers,
    Quant,
    integers_of,
    limits_of,
    name_of,
    narrow,
    op_of,
)
from executorch.backends.cortex_m.passes.scratch_buffer_sizes import average_scratch
from executorch.backends.transforms.graph_edit import same_shape, view_arguments
from executorch.backends.transforms.shapes import Run, runs_of
from executorch.backends.transforms.tables import continued
from executorch.ir.rewriter import arguments
from executorch.ir.values import sizes_of, tensor_of, value_of
from executorch.passes.to_execution.sym_shape_eval_pass import upper_bound

_INT8 = (-128, 127)
#: Sums of operands with bits below the point, and products, have 28 and 16 bits of 32 for int8, 30 for int16: so far they can be
#: shifted to a finer scale.
_SUM_SHIFT = {torch.int8: 3, torch.int16: 0}
_PRODUCT_SHIFT = {torch.int8: 15, torch.int16: 0}
#: Symmetric configs of int16 leave the lowest integer out.
_WHOLE = (_INT8, (-32768, 32767), (-32767, 32767))


def _operand(call: Call, node: Any) -> Integers | None:
    """Integers behind an operand; a constant that was left in floating point is quantized here."""
    if isinstance(node, Node) and node in call.constants and call.constants[node].is_floating_point():
        return _quantized_constant(call, call.constants[node])
    return call.calculable(node)


def _is_whole(output: Quant) -> bool:
    """Whether results may be any integers, as those of kernels without bounds."""
    return (output.low, output.high) in _WHOLE


def _quantized_constant(call: Call, value: torch.Tensor) -> Integers:
    if call.is_wide:
        scale = max(float(value.abs().max()) / 32767, 2.0**-24)
        wide = (value / scale).round().clamp(-32767, 32767).to(torch.int16)
        return Integers(call.constant(wide, "constant"), Quant(scale, 0, -32767, 32767, torch.int16))
    low, high = min(float(value.min()), 0.0), max(float(value.max()), 0.0)
    scale = max((high - low) / 255, 2.0**-16)
    zero_point = max(-128, min(127, round(-128 - low / scale)))
    quantized = (value / scale).round().add(zero_point).clamp(*_INT8).to(torch.int8)
    node = call.constant(quantized, "constant")
    return Integers(node, Quant(scale, zero_point, *_INT8, torch.int8))


@fold("add", "sub", wide=True)
def add(call: Call) -> Node | None:
    """A whole ``alpha`` is a part of the second operand's scale; other ones stay in floating point, as published."""
    alpha = call.node.kwargs.get("alpha", 1)
    if not isinstance(alpha, int) or alpha == 0 or len(call.args) > 2:
        return None
    left, right = (_operand(call, one) for one in call.args)
    if left is None or right is None or not call.has_room(call.output):
        return None
    factor = (-alpha if name_of(call.node) == "aten::sub" else alpha) * right.quant.scale
    coarse = 2 * max(left.quant.scale, abs(factor))
    output = call.output
    whole = quantize_multiplier(coarse / ((1 << SUM_BITS[output.dtype]) * output.scale))
    if whole[1] > _SUM_SHIFT[output.dtype]:
        return None  # Operands that cancel.
    return call.call(
        cortex_m.quantized_add.default,
        left.node,
        left.quant.zero_point,
        *quantize_multiplier(left.quant.scale / coarse),
        right.node,
        right.quant.zero_point,
        *quantize_multiplier(factor / coarse),
        output.zero_point,
        *whole,
        output.low,
        output.high,
    )


@fold("mul", wide=True)
def mul(call: Call) -> Node | None:
    left, right = (_operand(call, one) for one in call.args)
    if left is None or right is None or not _is_whole(call.output) or not call.has_room(call.output):
        return None
    factor = quantize_multiplier(left.quant.scale * right.quant.scale / call.output.scale)
    if factor[1] > _PRODUCT_SHIFT[call.output.dtype]:
        return None
    return call.call(
        cortex_m.quantized_mul.default,
        left.node,
        left.quant.zero_point,
        right.node,
        right.quant.zero_point,
        call.output.zero_point,
        *factor,
    )


@fold("div", wide=True)
def div(call: Call) -> Node | None:
    """Of two tensors of one shape."""
    left, right = (call.calculable(one) for one in call.args)
    if left is None or right is None or call.node.kwargs or not _is_whole(call.output):
        return None
    if not call.has_room(call.output) or not same_shape(sizes_of(left.node), sizes_of(right.node)):
        return None
    return call.call(
        cortex_m.quantized_div.default,
        left.node,
        left.quant.zero_point,
        right.node,
        right.quant.zero_point,
        call.output.zero_point,
        left.quant.scale / (right.quant.scale * call.output.scale),
    )


@fold("relu", "hardtanh", "clamp", wide=True)
def clamp(call: Call) -> Node | None:
    """Integers of one scale are clamped as they are."""
    have = call.integers_of(call.args[0])
    bounds = limits_of(call.node)
    if have is None or bounds is None or not _same(have.quant, call.output):
        return None
    narrowed = narrow(call.output, bounds)
    if narrowed is None:
        return None
    return call.call(torch.ops.aten.clamp.default, have.node, narrowed.low, narrowed.high)


def _same(left: Quant, right: Quant) -> bool:
    return (left.scale, left.zero_point) == (right.scale, right.zero_point)


@fold("minimum", "maximum", wide=True)
def extreme(call: Call) -> Node | None:
    left, right = (call.integers_of(one) for one in call.args)
    if (
        left is None
        or right is None
        or not _same(left.quant, call.output)
        or not _same(right.quant, call.output)
    ):
        return None
    name = name_of(call.node).partition("::")[2]
    return call.call(getattr(cortex_m, name).default, left.node, right.node)


@fold("softmax", "_softmax")
def softmax(call: Call) -> Node | None:
    have = integers_of(call.args[0])
    dim = call.args[1]
    output = call.output
    if have is None or (output.scale, output.zero_point) != (1 / 256, -128):
        return None
    shape = sizes_of(have.node)
    most = upper_bound(shape[-1])
    if dim not in (-1, len(shape) - 1) or most is None or most >= 4096:
        return None
    parameters = softmax_parameters(have.quant.scale)
    return call.call(
        cortex_m.softmax.default, have.node, -1, have.quant.zero_point, output.zero_point, *parameters
    )


@fold("max_pool2d")
def max_pool(call: Call) -> Node | None:
    defaults: tuple[Any, ...] = ([], [0, 0], [1, 1], False)
    given: list[Any] = [*call.args, *defaults[len(call.args) - 2 :]]
    value, kernel, stride, padding, dilation, ceil_mode = given
    have = integers_of(value)
    if have is None or not _same(have.quant, call.output) or len(sizes_of(have.node)) != 4:
        return None
    zero_point, output = have.quant.zero_point, call.output
    limits = (zero_point, zero_point, output.low, output.high)
    op = cortex_m.quantized_max_pool2d.default
    return call.call(op, have.node, kernel, stride or kernel, padding, dilation, ceil_mode, *limits)


def _average(call: Call, have: Integers, kernel: list[int], stride: list[int], *rest: Any) -> Node:
    factor = quantize_multiplier(1.0)
    op = cortex_m.quantized_avg_pool2d.default
    return call.call(
        op, have.node, kernel, stride, *rest, have.quant.zero_point, *factor, call.scratch(average_scratch())
    )


@fold("avg_pool2d")
def average_pool(call: Call) -> Node | None:
    defaults: tuple[Any, ...] = ([], [0, 0], False, True, None)
    given: list[Any] = [*call.args, *defaults[len(call.args) - 2 :]]
    value, kernel, stride, padding, ceil_mode, count_include_pad, divisor = given
    have = integers_of(value)
    if (
        have is None
        or not _same(have.quant, call.output)
        or divisor is not None
        or len(sizes_of(have.node)) != 4
    ):
        return None
    if any(padding) and count_include_pad:
        # Zeros that count are part of the image.
        pads = [0, 0, *(padding * 2)[:2]]
        if not _same_windows(call, have, kernel, stride or kernel, pads, ceil_mode):
            return None
        padded = call.call(cortex_m.pad.default, have.node, pads, pads, have.quant.zero_point)
        have, padding = Integers(padded, have.quant), [0, 0]
    return _average(call, have, kernel, stride or kernel, padding, ceil_mode)


@fold("_adaptive_avg_pool2d")
def adaptive_pool(call: Call) -> Node | None:
    """A pool for each pair of runs of windows of one size and distance, put together; one where the sizes divide."""
    value, sizes = call.args
    have = integers_of(value)
    if have is None or not _same(have.quant, call.output) or len(sizes_of(have.node)) != 4:
        return None
    before = sizes_of(have.node)[2:]
    if not all(isinstance(size, int) for size in (*before, *sizes)):
        return None
    high, wide = (runs_of(*pair) for pair in zip(before, sizes, strict=True))
    bands = []
    for rows in high:
        band, parts = _run(call, have.node, 2, rows), []
        for columns in wide:
            part = Integers(_run(call, band, 3, columns), have.quant)
            windows = ([rows.size, columns.size], [rows.stride, columns.stride])
            parts.append(_average(call, part, *windows, [0, 0], False))
        bands.append(_joined(call, parts, 3))
    return _joined(call, bands, 2)


def _run(call: Call, images: Node, dim: int, run: Run) -> Node:
    """The part of images that a run of windows reads."""
    if run.length == sizes_of(images)[dim]:
        return images
    end = run.start + run.length
    return call.call(torch.ops.aten.slice_copy.Tensor, images, dim, run.start, end)


def _joined(call: Call, parts: list[Node], dim: int) -> Node:
    return parts[0] if len(parts) == 1 else call.call(torch.ops.aten.cat.default, parts, dim)


def _same_windows(
    call: Call, have: Integers, kernel: list[int], stride: list[int], pads: list[int], ceil_mode: bool
) -> bool:
    """Whether a pool has as many windows over an image that zeros are written into: the last may begin in them."""
    if not ceil_mode:
        return True
    sizes = [size + 2 * pad for size, pad in zip(sizes_of(have.node)[2:], pads[2:], strict=True)]
    if not all(isinstance(size, int) for size in sizes):
        return False
    image = torch.empty((1, 1, *sizes), device="meta")
    pooled = torch.nn.functional.avg_pool2d(image, kernel, stride, 0, ceil_mode)
    return sizes_of(call.node)[2:] == list(pooled.shape)[2:]


@fold("mean")
def mean(call: Call) -> Node | None:
    """Of images whose height and width are known: they are numbers of the kernel's call."""
    value, dims, keepdim = (*call.args, False)[:3]
    have = integers_of(value)
    if have is None or not _same(have.quant, call.output) or len(sizes_of(have.node)) != 4:
        return None
    if {dim % 4 for dim in dims or []} != {2, 3}:
        return None
    *outer, height, width = sizes_of(have.node)
    size, sizes = [height, width], view_arguments(have.node, outer)
    if sizes is None or not all(isinstance(one, int) for one in size):
        return None
    averaged = _average(call, have, size, size, [0, 0], False)
    if keepdim:
        return averaged
    # One number of each channel: they lie in the same order either way.
    return call.call(torch.ops.aten.view_copy.default, averaged, sizes)


def _movable(call: Call, node: Any) -> Integers | None:
    """Integers of the output's scale; of int16 in PyTorch's order alone, which portable kernels move."""
    have = call.integers_of(node)
    if have is None or not _same(have.quant, call.output):
        return None
    return None if call.is_wide and not value_of(have.node).is_contiguous() else have


@fold("constant_pad_nd", wide=True)
def pad(call: Call) -> Node | None:
    value, pads, number = (*call.args, 0)[:3]
    have = _movable(call, value)
    if have is None or len(sizes_of(have.node)) > 4:
        return None
    if any(not isinstance(one, int) or one < 0 for one in pads):
        return None
    quant = have.quant
    integer = max(quant.low, min(quant.high, round(number / quant.scale) + quant.zero_point))
    if call.is_wide:
        return call.call(torch.ops.aten.constant_pad_nd.default, have.node, pads, integer)
    sizes = [*pads, *[0] * (8 - len(pads))]
    before, after = (list(reversed(sizes[start::2])) for start in (0, 1))
    return call.call(cortex_m.pad.default, have.node, before, after, integer)


@fold("permute_copy", "permute", "transpose_copy", "t_copy", wide=True)
def permute(call: Call) -> Node | None:
    have = _movable(call, call.args[0])
    if have is None:
        return None
    rank = len(sizes_of(have.node))
    order = list(range(rank))
    if name_of(call.node) in ("aten::permute_copy", "aten::permute"):
        order = [dim % rank for dim in call.args[1]]
    else:
        first, second = call.args[1:] if len(call.args) == 3 else (0, 1)
        order[first], order[second] = order[second], order[first]
    return call.transposed(have.node, order)


@fold(
    "alias_copy",
    "amax",
    "amin",
    "cat",
    "clone",
    "detach_copy",
    "expand_copy",
    "flip",
    "gather",
    "index",
    "index_put",
    "index_select",
    "repeat",
    "select_copy",
    "slice_copy",
    "squeeze_copy",
    "unfold_copy",
    "unsqueeze_copy",
    "view_copy",
    wide=True,
)
def move(call: Call) -> Node | None:
    """Kernels that move integers as they move anything, or find the largest as they do of anything."""
    if name_of(call.node) == "aten::index_put" and arguments(call.node)["accumulate"]:
        return None  # Zero points would be added too.
    places = {}
    for one in call.node.all_input_nodes:
        value = tensor_of(one)
        if value is None or not value.is_floating_point():
            places[one] = one  # A size that only a run tells, or numbers of elements.
            continue
        have = _movable(call, one)
        if have is None:
            return None
        places[one] = _plain(call, have.node)
    return call.call(op_of(call.node), *map_arg(call.args, lambda node: places[node]))


def _plain(call: Call, node: Node) -> Node:
    """The integers in the order in memory that a view reads."""
    if name_of(call.node) != "aten::view_copy" or value_of(node).is_contiguous():
        return node
    return call.call(cortex_m.transpose.default, node, list(range(value_of(node).dim())))


def table(call: Call) -> Node | None:
    """Any functions of one element, one behind the other: looked up."""
    leaves = _leaves(call, call.node)
    if leaves is None or len(leaves) != 1:
        return None
    (leaf,) = leaves
    have = integers_of(leaf)
    if have is None or not same_shape(sizes_of(leaf), sizes_of(call.node)):
        return None
    integers = torch.arange(-128, 128, dtype=torch.float32)
    reals = (integers - have.quant.zero_point) * have.quant.scale
    result = _evaluate(call, call.node, {leaf: reals}) / call.output.scale
    entries = continued(result).clamp(-1e9, 1e9).round() + call.output.zero_point
    lut = call.constant(entries.clamp(call.output.low, call.output.high).to(torch.int8), "lut")
    return call.call(cortex_m.quantized_activation.default, have.node, lut)


#: Functions of one element that torch does not mark as such.
_UNTAGGED = frozenset({"aten::hardswish"})


def _leaves(call: Call, node: Node) -> set[Node] | None:
    """The dequantizations that a tree of functions of one element stands on; None if it stands on anything else."""
    if integers_of(node) is not None:
        return {node}
    if node in call.constants and call.constants[node].numel() == 1:
        return set()
    op = op_of(node)
    if op is None or not (torch.Tag.pointwise in op.tags or name_of(node) in _UNTAGGED):
        return None
    leaves: set[Node] = set()
    for one in node.all_input_nodes:
        found = _leaves(call, one)
        if found is None:
            return None
        leaves |= found
    return leaves


def _evaluate(call: Call, node: Node, known: dict[Node, torch.Tensor]) -> torch.Tensor:
    if node in call.constants:
        return call.constants[node].reshape(())
    if node not in known:
        args, kwargs = map_arg((node.args, node.kwargs), lambda one: _evaluate(call, one, known))
        known[node] = op_of(node)(*args, **kwargs)
    return known[node]

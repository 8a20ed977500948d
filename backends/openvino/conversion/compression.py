"""Weights of few bits inside of a model of OpenVINO: products with constant matrices get theirs as integers and scales.

The modes have the names of NNCF's ``compress_weights``, and integers and scales mean what they mean there; OpenVINO recognizes
the pattern and keeps the integers. They are stored without sign, beside zero points in floating point: with signed ones, or with zero
points of few bits, the CPU plugin quantizes activations as well (0.006 apart for a network whose results are about 1; without, 1e-5).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from executorch.dialects.errors import ExportError

#: Keys of the compile specs.
MODE, GROUP_SIZE = "compress_weights", "group_size"
#: Mode -> bits, and whether there are zero points.
MODES = {"INT8_SYM": (8, False), "INT8_ASYM": (8, True), "INT4_SYM": (4, False), "INT4_ASYM": (4, True)}
#: Columns that share a scale in four bits; rows have one in eight.
_GROUP = 128
#: Smaller matrices stay as they are.
_LEAST_ELEMENTS = 1024


@dataclass(frozen=True)
class Compression:
    """What is asked for.

    Attributes:
        bits: of an integer.
        has_zero_points: or zero lies in the middle.
        group_size: columns that share a scale; -1 for whole rows.
    """

    bits: int
    has_zero_points: bool
    group_size: int

    @classmethod
    def of(cls, specs: Mapping[str, str]) -> Compression | None:
        """From the texts of compile specs; None where nothing is asked for.

        Raises:
            ExportError: no such mode or group size.
        """
        mode, size = specs.get(MODE), specs.get(GROUP_SIZE)
        if mode is None:
            if size is not None:
                raise ExportError(
                    f"OpenVINO: {GROUP_SIZE} is of weights. Way out: {MODE}, one of {sorted(MODES)}"
                )
            return None
        if mode not in MODES:
            raise ExportError(f"OpenVINO has no {MODE} {mode!r}. Way out: one of {sorted(MODES)}")
        bits, has_zero_points = MODES[mode]
        text = str(_GROUP if bits == 4 else -1) if size is None else size
        if not (text == "-1" or (text.isdecimal() and int(text) > 0)) or (bits == 8 and text != "-1"):
            raise ExportError(
                f"OpenVINO: {GROUP_SIZE} {text!r} of {mode}. Way out: -1 for whole rows, or, in four bits, a number of columns"
            )
        return cls(bits, has_zero_points, int(text))


def compress(ov: Any, model: Any, asked: Compression) -> int:
    """Compresses the constant matrices that products read; how many they are.

    A matrix whose rows do not fall into whole groups has a scale for each row.
    """
    count = 0
    for node in model.get_ordered_ops():
        if node.get_type_name() != "MatMul":
            continue
        source = node.input_value(1).get_node()
        if source.get_type_name() != "Constant":
            continue
        weight = np.array(source.get_data(), dtype=np.float32)
        if weight.ndim != 2 or weight.size < _LEAST_ELEMENTS:
            continue
        is_transposed = node.get_attributes()["transpose_b"]
        rows = np.ascontiguousarray(weight if is_transposed else weight.T)
        found = _decompressed(ov, rows, asked)
        if not is_transposed:
            found = ov.opset13.transpose(found, np.array([1, 0], np.int64))
        node.input(1).replace_source_output(found.output(0))
        count += 1
    model.validate_nodes_and_infer_types()
    return count


def narrow(ov: Any, model: Any) -> int:
    """Stores the groups of a quantized graph in four bits, in the pattern that the plugin keeps; how many matrices they are.

    They come as ``multiply(subtract(integers, zero points), scales)`` over constants that the decoder converts and shapes.
    """
    count = 0
    for node in model.get_ordered_ops():
        if node.get_type_name() != "Multiply" or node.input_value(0).get_node().get_type_name() != "Subtract":
            continue
        centred = node.input_value(0).get_node()
        integers, zeros = (_constant_behind(centred.input_value(index)) for index in (0, 1))
        scales = _constant_behind(node.input_value(1))
        if integers is None or zeros is None or scales is None:
            continue
        shapes = [tuple(one.get_output_shape(0)) for one in (centred.input_value(0).get_node(), node)]
        is_narrow = integers.dtype == np.uint8 and integers.size >= _LEAST_ELEMENTS and integers.max() <= 15
        if not is_narrow or len(shapes[0]) != 3 or shapes[0] != shapes[1]:
            continue
        rows, groups, _ = shapes[0]
        beside = (rows, groups, 1)
        made = _scaled(ov, integers.reshape(shapes[0]), scales.reshape(beside), zeros.reshape(beside), 4)
        for reader in node.output(0).get_target_inputs():
            reader.replace_source_output(made.output(0))
        count += 1
    return count


def _constant_behind(output: Any) -> NDArray[Any] | None:
    """The elements of a constant that is only converted and shaped on the way."""
    node = output.get_node()
    while node.get_type_name() in ("Convert", "Reshape"):
        node = node.input_value(0).get_node()
    return np.array(node.get_data()) if node.get_type_name() == "Constant" else None


def rounded(rows: NDArray[Any], asked: Compression) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Integers without sign, scales and zero points, over (rows, groups, columns of a group)."""
    size = (
        asked.group_size if asked.group_size > 0 and rows.shape[1] % asked.group_size == 0 else rows.shape[1]
    )
    groups = rows.reshape(rows.shape[0], -1, size)
    most = 2**asked.bits - 1
    if asked.has_zero_points:
        low = np.minimum(groups.min(-1, keepdims=True), 0)
        scales = (np.maximum(groups.max(-1, keepdims=True), 0) - low) / most
        scales[scales == 0] = 1
        zeros = np.clip(np.rint(-low / scales), 0, most)
    else:
        # The element that lies farthest out is the lowest integer, which has no counterpart above zero.
        low, high = groups.min(-1, keepdims=True), groups.max(-1, keepdims=True)
        scales = np.where(np.abs(low) >= high, np.abs(low), -high) / (most // 2 + 1)
        scales[scales == 0] = 1
        zeros = np.full_like(scales, most // 2 + 1)
    integers = np.clip(np.rint(groups / scales) + zeros, 0, most).astype(np.uint8)
    return integers, scales.astype(np.float32), zeros.astype(np.uint8)


def _decompressed(ov: Any, rows: NDArray[Any], asked: Compression) -> Any:
    """The matrix as OpenVINO writes compressed ones: converted, moved, scaled, in its own shape."""
    integers, scales, zeros = rounded(rows, asked)
    scaled = _scaled(ov, integers, scales, zeros, asked.bits)
    return ov.opset13.reshape(scaled, np.array(rows.shape, np.int64), False)


def _scaled(ov: Any, integers: NDArray[Any], scales: NDArray[Any], zeros: NDArray[Any], bits: int) -> Any:
    """``(integers - zeros) * scales``; one zero point where all are the same."""
    op = ov.opset13
    is_one = bool((zeros == zeros.flat[0]).all())
    moved = np.float32(zeros.flat[0]) if is_one else zeros.astype(np.float32)
    centred = op.subtract(op.convert(_constant(ov, integers, bits), "f32"), op.constant(moved))
    return op.multiply(centred, op.constant(scales.astype(np.float32)))


def _constant(ov: Any, values: NDArray[Any], bits: int) -> Any:
    """A constant of its own memory, two values a byte where they have four bits."""
    if bits == 8:
        return ov.opset13.constant(values)
    return ov.op.Constant(ov.Type.u4, ov.Shape(list(values.shape)), values.reshape(-1).tolist())

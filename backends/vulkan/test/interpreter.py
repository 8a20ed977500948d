"""Runs a blob with PyTorch: what the schema says of calls, types, sizes and memory, in the shortest form.

The memory that tensors share is simulated: what is read must still be there.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any

import torch
import torchao  # noqa: F401 - its operators.

import executorch.backends.vulkan.custom_ops_lib  # noqa: F401 - the operators of et_vk.
from executorch.backends.vulkan.graph.memory import RENAMING, STATE, flat
from executorch.backends.vulkan.serialization import schema
from executorch.backends.vulkan.serialization.blob import unpack

_TYPES = {
    schema.VkDataType.BOOL: torch.bool,
    schema.VkDataType.UINT8: torch.uint8,
    schema.VkDataType.INT8: torch.int8,
    schema.VkDataType.INT32: torch.int32,
    schema.VkDataType.FLOAT16: torch.float16,
    schema.VkDataType.FLOAT32: torch.float32,
    schema.VkDataType.INT64: torch.int64,
}
_SIZES = {"add": operator.add, "floordiv": operator.floordiv, "mul": operator.mul, "sub": operator.sub}


class Interpreter:
    """One delegate.

    Args:
        blob: its bytes.
        named_data: what the program stores beside it, by key.
    """

    def __init__(self, blob: bytes, named_data: Mapping[str, bytes]) -> None:
        self.graph = unpack(blob)
        #: Which result is which output of the program.
        self.order: list[Any] = []
        self._data = named_data
        self._values: dict[int, Any] = {}
        self._memory: dict[int, int] = {}
        #: What lasts from run to run.
        self._state: dict[int, torch.Tensor] = {}
        for call in self.graph.chain:
            if call.name == STATE:
                first, state = call.args
                held: Any = self.graph.values[state].value
                assert held.mem_obj_id == -1 and held.constant_id == -1
                value = self._read(first)
                self._state[state] = (
                    torch.zeros(held.dims, dtype=_TYPES[held.datatype]) if value is None else value
                )

    def __call__(self, *inputs: Any) -> list[Any]:
        self._values, self._memory = {}, {}
        assert len(inputs) == len(self.graph.input_ids)
        for number, given in zip(self.graph.input_ids, inputs, strict=True):
            held: Any = self.graph.values[number].value
            if isinstance(held, schema.VkTensor):
                assert given.dtype == _TYPES[held.staging_datatype], (given.dtype, held)
                given = given.to(_TYPES[held.datatype])
            self._write(number, given)
        with torch.no_grad():
            for call in self.graph.chain:
                self._run(call)
        found = []
        for number in self.graph.output_ids:
            held = self.graph.values[number].value
            found.append(self._read(number).to(_TYPES[held.staging_datatype]))
        return found

    def is_free(self, call: schema.OperatorCall) -> bool:
        """Whether a call is nothing to dispatch: a renaming of what is there, or arithmetic on sizes."""
        if call.name in ("sym_size.int", "et_vk.select_as_symint.default", STATE) or call.name in _SIZES:
            return True
        return call.name in RENAMING and self._is_alias(call.args[0], call.args[-1])

    def _run(self, call: schema.OperatorCall) -> None:
        *args, result = call.args
        if call.name == STATE:
            return
        if call.name in RENAMING and self._is_alias(args[0], result):
            held: Any = self.graph.values[result].value
            self._memory.pop(held.mem_obj_id, None)
        assert result not in args or self._owner(result) == result, (
            f"value {result} is written where another lies"
        )
        assert flat(self.graph, args).count(result) <= 1, f"value {result} is read where it is written"
        values = [self._read(one) for one in args]
        if call.name == "aten.clone.default" and not self._is_alias(args[0], result):
            made: Any = values[0].clone()
        elif call.name in _SIZES:
            made = _SIZES[call.name](*values)
        elif call.name == "sym_size.int":
            made = values[0].shape[values[1]]
        elif call.name == "et_vk.select_as_symint.default":
            assert args[0] in self.graph.input_ids
            made = int(values[0].select(values[1], values[2]))
        elif call.name == "llama.update_cache.default":
            assert args[1] == result
            made = values[1].clone()
            made[:, values[2] : values[2] + values[0].shape[1]] = values[0]
        else:
            made = self._operator(call.name, values, result)
        self._write(result, made)

    def _operator(self, name: str, values: Sequence[Any], result: int) -> Any:
        if name in ("aten.full.default", "aten.arange.start_step"):
            held: Any = self.graph.values[result].value
            count = {"aten.full.default": 2, "aten.arange.start_step": 3}[name]
            op = torch.full if count == 2 else torch.arange
            return op(*values[:count], dtype=_TYPES[held.datatype])
        if name == "aten.full_like.default":
            held = self.graph.values[result].value
            return torch.full_like(values[0], values[1], dtype=_TYPES[held.datatype])
        if name == "aten.topk.default":
            source, count, dim, largest, _ = values
            parts = source.sort(dim=dim, descending=largest, stable=True)
            return [_narrow(one.narrow(dim, 0, count)) for one in parts]
        if name == "quantized_decomposed.dequantize_per_token.default":
            return (values[0].float() - values[2].float()) * values[1]
        if name == "aten.cumsum.default":
            held = self.graph.values[result].value
            return torch.cumsum(*values[:2], dtype=_TYPES[held.datatype])
        if name == "aten._to_copy.default":
            held = self.graph.values[result].value
            return values[0].to(_TYPES[held.datatype])
        namespace, packet, overload = name.split(".")
        op = getattr(getattr(getattr(torch.ops, namespace), packet), overload)
        named = {}
        for parameter, value in zip(op._schema.arguments, values, strict=True):
            named[parameter.name] = value
        if name == "torchao.choose_qparams_affine.default":
            named.update(target_dtype=torch.int8, zero_point_dtype=torch.int32)
        if name == "quantized_decomposed.choose_qparams.tensor":
            scale, zero = op(*list(named.values())[:4], torch.int8)
            return scale.float(), zero.int()
        if namespace == "quantized_decomposed":
            held = self.graph.values[result].value
            return op(*list(named.values())[:5], torch.int8).to(_TYPES[held.datatype])
        if isinstance(named.get("index"), torch.Tensor):
            named["index"] = named["index"].long()
        if name == "aten.index_put.default":
            named["indices"] = [None if one is None else one.long() for one in named["indices"]]
        keywords = {one.name: named.pop(one.name) for one in op._schema.arguments if one.kwarg_only}
        return torch.utils._pytree.tree_map_only(torch.Tensor, _narrow, op(*named.values(), **keywords))

    def _is_alias(self, source: int, result: int) -> bool:
        one, other = (self.graph.values[number].value for number in (source, result))
        return getattr(one, "mem_obj_id", -1) >= 0 and one.mem_obj_id == other.mem_obj_id  # type: ignore[union-attr]

    def _read(self, number: int) -> Any:
        held: Any = self.graph.values[number].value
        if isinstance(held, schema.ValueList):
            return [self._read(one) for one in held.items]
        if isinstance(held, schema.VkTensor):
            if held.constant_id >= 0:
                return self._constant(held)
            if number in self._state:
                return self._state[number]
            if held.mem_obj_id in self._memory:
                assert self._memory[held.mem_obj_id] == self._owner(number), f"value {number} is overwritten"
            return self._values[number]
        if isinstance(held, schema.SymInt):
            return self._values[number]
        fields = [getattr(held, name) for name in held.__slots__]
        return fields[0] if fields else None

    def _owner(self, number: int) -> int:
        """The tensor whose elements these are."""
        for call in self.graph.chain:
            if call.args[-1] == number and call.name in RENAMING and self._is_alias(call.args[0], number):
                return self._owner(call.args[0])
        return number

    def _constant(self, held: schema.VkTensor) -> torch.Tensor:
        stored = self.graph.constants[held.constant_id]
        content = self._data[stored.named_key]
        assert len(content) == stored.length
        assert held.staging_datatype not in (schema.VkDataType.INT64,)
        flat = torch.frombuffer(bytearray(content), dtype=_TYPES[held.staging_datatype])
        return flat.reshape(held.dims).to(_TYPES[held.datatype])

    def _write(self, number: int, value: Any) -> None:
        held: Any = self.graph.values[number].value
        if isinstance(held, schema.ValueList):
            for one, part in zip(held.items, value, strict=True):
                self._write(one, part)
        elif isinstance(held, schema.VkTensor):
            assert value.dtype == _TYPES[held.datatype], (number, value.dtype, held)
            assert list(value.shape) <= held.dims and len(value.shape) == len(held.dims), (value.shape, held)
            assert all(size <= bound for size, bound in zip(value.shape, held.dims, strict=True))
            if number in self._state:
                self._state[number] = value
            if held.mem_obj_id >= 0:
                self._memory[held.mem_obj_id] = self._owner(number)
            self._values[number] = value
        elif isinstance(held, schema.SymInt):
            self._values[number] = int(value)
        else:
            assert isinstance(held, schema.Null), held


def _narrow(value: torch.Tensor) -> torch.Tensor:
    """What has 64 bits in PyTorch has 32 here."""
    return value.to(torch.int32) if value.dtype is torch.int64 else value

"""What `functions.yaml` says of kernels, as objects: keys, the index from operators to kernels, a parsed file."""

from __future__ import annotations

import itertools
from collections import defaultdict, namedtuple
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from torchgen.model import (
    BackendIndex,
    BackendMetadata,
    DispatchKey,
    NativeFunction,
    NativeFunctionsGroup,
    OperatorName,
)

from executorch.schema.scalar_type import ScalarType as FileType

KERNEL_KEY_VERSION = 1


_DTYPES = ["Byte", "Char", "Short", "Int", "Long", "Float", "Double", "Bool"]
#: Dtypes that a kernel can be specialized for, with their numbers in the file format.
ScalarType = IntEnum(  # type: ignore[misc]
    "ScalarType", {name: FileType[name.upper()] for name in _DTYPES}, module=__name__
)


ETParsedYaml = namedtuple("ETParsedYaml", ["native_functions", "kernel_index"])


@dataclass(frozen=True)
class ETKernelKeyOpArgMeta:
    """The dtype (a name) and dim order (outermost first) that a kernel takes for one argument."""

    arg_name: str
    dtype: str
    dim_order: tuple[int, ...]

    def to_native_string(self) -> str:
        """As the runtime spells it: `6;0,1`."""
        return f"{int(ScalarType[self.dtype])};{','.join(str(dim) for dim in self.dim_order)}"


@dataclass(frozen=True)
class ETKernelKey:
    """For which tensors a kernel is: one entry for each tensor argument, or `default` for all."""

    arg_meta: tuple[ETKernelKeyOpArgMeta, ...] = ()
    default: bool = False
    version: int = KERNEL_KEY_VERSION

    @staticmethod
    def gen_from_yaml(
        args: dict[str, tuple[str, str]],
        type_alias_map: dict[str, list[str]],
        dim_order_alias_map: dict[str, list[int]],
    ) -> list[ETKernelKey]:
        """The keys of a kernel: one for each combination of what its aliases stand for.

        Args:
            args: argument -> (dtype or alias, alias of a dim order).
            type_alias_map: alias -> names of dtypes.
            dim_order_alias_map: alias -> a dim order, or several.

        Raises:
            AssertionError: an alias is not in its table.
        """
        slots: dict[tuple[str, str], list[Any]] = {}
        for dtype, _ in args.values():
            assert dtype in type_alias_map, (
                f"Undefined type alias: {dtype}; there are {sorted(type_alias_map)}"
            )
            slots["dtype", dtype] = list(type_alias_map[dtype])
        for _, order in args.values():
            assert order in dim_order_alias_map, (
                f"Undefined dim_order alias: {order}; there are {sorted(dim_order_alias_map)}"
            )
            slots["order", order] = _orders(dim_order_alias_map[order])
        keys = []
        # The first alias changes fastest.
        for combination in itertools.product(*reversed(slots.values())):
            chosen = dict(zip(slots, reversed(combination), strict=True))
            keys.append(
                ETKernelKey(
                    tuple(
                        ETKernelKeyOpArgMeta(name, chosen["dtype", dtype], chosen["order", order])
                        for name, (dtype, order) in args.items()
                    )
                )
            )
        return keys

    def to_native_string(self) -> str:
        """As the runtime's registry spells it: `v1/6;0,1|6;0,1`, or `default`."""
        if self.default:
            return "default"
        return f"v{self.version}/" + "|".join(meta.to_native_string() for meta in self.arg_meta)


def _orders(value: list[Any]) -> list[tuple[int, ...]]:
    """The dim orders of an alias, which is one or a list of them."""
    several = value if value and isinstance(value[0], (list, tuple)) else [value]
    return [tuple(int(dim) for dim in order) for order in several]


@dataclass(frozen=True)
class ETKernelIndex:
    """The kernels of each operator, by key."""

    index: dict[OperatorName, dict[ETKernelKey, BackendMetadata]]

    def has_kernels(self, g: NativeFunction | NativeFunctionsGroup) -> bool:
        return bool(self.get_kernels(g))

    def get_kernels(self, g: NativeFunction | NativeFunctionsGroup) -> dict[ETKernelKey, BackendMetadata]:
        """The kernels of an operator; of a group, those of its functional form. Empty where there are none."""
        function = g if isinstance(g, NativeFunction) else g.functional
        return self.index.get(function.func.name, {})

    @staticmethod
    def grow_from_backend_indices(
        kernel_index: dict[OperatorName, dict[ETKernelKey, BackendMetadata]],
        backend_indices: dict[DispatchKey, dict[OperatorName, BackendMetadata]],
    ) -> None:
        """Adds to `kernel_index` what the backends have, each as a kernel for all tensors."""
        for kernels in backend_indices.values():
            for name, metadata in kernels.items():
                kernel_index.setdefault(name, {})[ETKernelKey(default=True)] = metadata

    @staticmethod
    def from_backend_indices(
        backend_indices: dict[DispatchKey, dict[OperatorName, BackendMetadata]],
    ) -> ETKernelIndex:
        """An index of what the backends have."""
        kernel_index: dict[OperatorName, dict[ETKernelKey, BackendMetadata]] = defaultdict(dict)
        ETKernelIndex.grow_from_backend_indices(kernel_index, backend_indices)
        return ETKernelIndex(kernel_index)

    def grow(self, backend_indices: dict[DispatchKey, dict[OperatorName, BackendMetadata]]) -> ETKernelIndex:
        """This index with what the backends have added to it; the same object."""
        ETKernelIndex.grow_from_backend_indices(self.index, backend_indices)
        return self

    def _to_backend_index(self) -> BackendIndex:
        """As a backend's index, for generators that know no keys: of each operator the kernel for all tensors."""
        default = ETKernelKey(default=True)
        nothing = BackendMetadata(kernel="", structured=False, cpp_namespace="")
        index = {name: kernels.get(default, nothing) for name, kernels in self.index.items()}
        return BackendIndex(
            dispatch_key=DispatchKey.CPU,
            use_out_as_primary=False,
            device_guard=False,
            external=False,
            index=index,
        )

    @staticmethod
    def merge_indices(index_a: ETKernelIndex, index_b: ETKernelIndex) -> ETKernelIndex:
        """Both together; where both have a kernel for a key, `index_b`'s."""
        merged = {name: dict(kernels) for name, kernels in index_a.index.items()}
        for name, kernels in index_b.index.items():
            merged.setdefault(name, {}).update(kernels)
        return ETKernelIndex(merged)

"""Tells torch's serializer how edge operators and the operators of the execution form are written."""

from typing import Any, ClassVar, Final

import torch
from torch._export.serde.serialize import ExtensionHandler, register_extension

from executorch.dialects import memory
from executorch.dialects.backend_ops import BackendOpOverload
from executorch.dialects.edge_ops import EdgeOpOverload
from executorch.dialects.ops import ops
from executorch.dialects.torch_types import OpOverload


class MemoryOp:
    """A memory operator in a form that torch's serializer knows: an object with a schema.

    Args:
        name: of the function in :mod:`executorch.dialects.memory`.
        schema: what of its arguments torch's serializer writes; the rest goes into the node's metadata.
    """

    def __init__(self, name: str, schema: str) -> None:
        self.__name__ = self.__qualname__ = name
        self.function: Any = getattr(memory, name.removesuffix("_list"))
        self.schema = torch._C.parse_schema(schema)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)


ALLOC: Final = MemoryOp("alloc", "executorch_memory::alloc() -> Tensor")
ALLOC_LIST: Final = MemoryOp("alloc_list", "executorch_memory::alloc_list() -> Tensor[]")
VIEW: Final = MemoryOp("view", "executorch_memory::view(Tensor base, SymInt[] size) -> Tensor")
FREE: Final = MemoryOp("free", "executorch_memory::free(Tensor value) -> ()")
_MEMORY_OPS: Final = {op.__name__: op for op in (ALLOC, ALLOC_LIST, VIEW, FREE)}


class ListOutOp:
    """An out variant that fills a list, in a form for torch's serializer, which finds results by the schema.

    Such operators return nothing (``split_copy.Tensor_out(..., Tensor(a!)[] out) -> ()``), but in execution form
    their calls stand for the list.
    """

    def __init__(self, op: OpOverload) -> None:
        self.__name__ = self.__qualname__ = str(op)
        self.op = op
        self.schema = torch._C.parse_schema(str(op._schema).replace("-> ()", "-> Tensor[]"))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.op(*args, **kwargs)


class ListOutOps(ExtensionHandler):
    """``#executorch_list_out:aten.split_copy.Tensor_out``."""

    @classmethod
    def namespace(cls) -> str:
        return "executorch_list_out"

    @classmethod
    def to_op_name(cls, op: ListOutOp) -> str:
        return str(op.op)

    @classmethod
    def from_op_name(cls, name: str) -> ListOutOp:
        namespace, op, overload = name.split(".", 2)
        return ListOutOp(getattr(getattr(getattr(torch.ops, namespace), op), overload))

    @classmethod
    def op_schema(cls, op: ListOutOp) -> torch._C.FunctionSchema:
        return op.schema


class _DialectOps(ExtensionHandler):
    """Operators of a dialect, written as ``#executorch_edge:aten.add.Tensor``."""

    name: ClassVar[str]
    dialect: ClassVar[Any]

    @classmethod
    def namespace(cls) -> str:
        return cls.name

    @classmethod
    def to_op_name(cls, op: EdgeOpOverload | BackendOpOverload) -> str:
        return f"{op.namespace}.{op._op._opname}.{op._op._overloadname}"

    @classmethod
    def from_op_name(cls, name: str) -> EdgeOpOverload | BackendOpOverload:
        namespace, op, overload = name.split(".", 2)
        return getattr(getattr(getattr(cls.dialect, namespace), op), overload)

    @classmethod
    def op_schema(cls, op: EdgeOpOverload | BackendOpOverload) -> torch._C.FunctionSchema:
        return op._op._schema


class EdgeOps(_DialectOps):
    name = "executorch_edge"
    dialect = ops.edge


class BackendOps(_DialectOps):
    name = "executorch_backend"
    dialect = ops.backend


class MemoryOps(ExtensionHandler):
    """``#executorch_memory:alloc``."""

    @classmethod
    def namespace(cls) -> str:
        return "executorch_memory"

    @classmethod
    def to_op_name(cls, op: MemoryOp) -> str:
        return op.__name__

    @classmethod
    def from_op_name(cls, name: str) -> MemoryOp:
        return _MEMORY_OPS[name]

    @classmethod
    def op_schema(cls, op: MemoryOp) -> torch._C.FunctionSchema:
        return op.schema


register_extension(EdgeOpOverload, EdgeOps)
register_extension(BackendOpOverload, BackendOps)
register_extension(MemoryOp, MemoryOps)
register_extension(ListOutOp, ListOutOps)

"""Out variants for torch's ``quantized_decomposed`` operators, which torch defines without.

A quantizer leaves these operators behind; where no backend takes them, kernels of the quantized library run them. The
overloads have the names and arguments of those kernels: ``out`` beside the default overload, ``Tensor_out`` beside
``tensor``, with ``out_dtype`` among the positional arguments. Each computes what its functional overload computes.
"""

import functools
from typing import Any, Final

import torch
from torch.library import Library

from executorch.dialects.torch_types import OpOverload

NAMESPACE: Final = "quantized_decomposed"

#: Torch's overload name to that of the out variant; other overloads have no kernel.
_OUT_NAMES: Final = {"default": "out", "tensor": "Tensor_out"}

_library: "Library | None" = None


@functools.cache
def define_out_variant(op: OpOverload) -> None:
    """Registers the out variant of a functional operator of :data:`NAMESPACE`, unless there is one already."""
    global _library
    out_name = _OUT_NAMES.get(op._overloadname)
    if out_name is None or op._schema.is_mutable or out_name in op.overloadpacket.overloads():
        return
    if _library is None:
        _library = Library(NAMESPACE, "FRAGMENT")
    name = f"{op.overloadpacket._qualified_op_name.split('::')[1]}.{out_name}"
    _library.define(f"{name}{_out_signature(op)}")
    _library.impl(name, functools.partial(_write, op), "CompositeExplicitAutograd")


def _out_signature(op: OpOverload) -> str:
    """``(arguments, *, out arguments) -> out arguments`` from the schema of ``op``."""
    text = str(op._schema)
    arguments = text[text.index("(") + 1 : text.rindex(") ->")].replace("*, ", "")
    names = ["out"] if len(op._schema.returns) == 1 else ["scale_out", "zero_point_out"]
    types = [f"Tensor({letter}!)" for letter in "ab"[: len(names)]]
    outs = ", ".join(f"{kind} {name}" for kind, name in zip(types, names, strict=True))
    returned = types[0] if len(types) == 1 else f"({', '.join(types)})"
    return f"({arguments}, *, {outs}) -> {returned}"


def _write(op: OpOverload, *args: Any, **kwargs: Any) -> Any:
    """Runs ``op`` and writes its results into the out arguments."""
    outs = [kwargs.pop(name) for name in ("out", "scale_out", "zero_point_out") if name in kwargs]
    positional = [arg.name for arg in op._schema.arguments if not arg.kwarg_only]
    kwargs.update(
        zip(
            (arg.name for arg in op._schema.arguments[len(positional) :]),
            args[len(positional) :],
            strict=False,
        )
    )
    results = op(*args[: len(positional)], **kwargs)
    for out, result in zip(outs, (results,) if isinstance(results, torch.Tensor) else results, strict=True):
        out.resize_(result.shape).copy_(result)
    return outs[0] if len(outs) == 1 else tuple(outs)


__all__ = ["NAMESPACE", "define_out_variant"]

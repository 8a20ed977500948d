"""Compares a kernel with eager PyTorch: same arguments, same results, same shapes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from executorch.kernels.test.op_driver import OpDriver, Out, Result

# oneDNN refuses some empty and half-precision shapes that plain eager handles.
torch.backends.mkldnn.enabled = False  # type: ignore[assignment]

# Absolute and relative tolerance by dtype of the result; integers and Bool must be equal.
TOLERANCES = {
    torch.float64: (1e-10, 1e-10),
    torch.float32: (1e-5, 1e-5),
    torch.float16: (2e-3, 2e-3),
    torch.bfloat16: (1e-2, 1.6e-2),
    torch.complex64: (1e-5, 1e-5),
    torch.complex128: (1e-10, 1e-10),
}


def resolve(name: str) -> Any:
    """The eager operator of a name such as `add.Tensor` or `aten::add.Tensor`."""
    namespace, _, rest = name.rpartition("::")
    base, _, overload = rest.partition(".")
    return getattr(getattr(getattr(torch.ops, namespace or "aten"), base), overload or "default")


def registry_name(op: Any) -> str:
    """The name that kernels of an eager operator are registered under."""
    schema = op._schema
    return schema.name + (f".{schema.overload_name}" if schema.overload_name else "")


def bind(op: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> dict[str, Any]:
    """Arguments by name, with the schema's defaults."""
    bound = {}
    for i, argument in enumerate(op._schema.arguments):
        if i < len(args):
            bound[argument.name] = args[i]
        else:
            bound[argument.name] = kwargs.get(argument.name, argument.default_value)
    return bound


def as_list(value: Any) -> list[torch.Tensor]:
    """An operator's results as a flat list of tensors."""
    if isinstance(value, torch.Tensor):
        return [value]
    return list(value)


def run_kernel(
    driver: OpDriver,
    out_op: Any,
    bound: dict[str, Any],
    expected: Sequence[torch.Tensor],
    **options: Any,
) -> Result:
    """Calls the kernel of an out variant with the functional operator's arguments."""
    outs = [Out(like=t) for t in expected]
    return call_out(driver, out_op, bound, outs, **options)


def call_out(
    driver: OpDriver, out_op: Any, bound: dict[str, Any], outs: Sequence[Out], **options: Any
) -> Result:
    """Calls the kernel of an out variant; `outs` are its outputs in order."""
    remaining = list(outs)
    arguments: list[tuple[Any, str]] = []
    for argument in out_op._schema.arguments:
        type_name = str(argument.type)
        if not argument.is_out:
            value = bound.get(argument.name, argument.default_value)
            arguments.append((value, type_name))
        elif type_name == "List[Tensor]":
            arguments.append((remaining, type_name))
            remaining = []
        else:
            arguments.append((remaining.pop(0), type_name))
    return driver.call(registry_name(out_op), arguments, **options)


def assert_same(
    actual: torch.Tensor, expected: torch.Tensor, tolerance: tuple[float, float] | None = None
) -> None:
    """Requires equal shape and dtype and, within the tolerance, equal values; NaN equals NaN.

    Raises:
        AssertionError: with the place and size of the largest difference.
    """
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape, f"shape {tuple(actual.shape)}, expected {tuple(expected.shape)}"
    if not expected.is_floating_point() and not expected.is_complex():
        torch.testing.assert_close(actual, expected, rtol=0, atol=0)
        return
    atol, rtol = tolerance if tolerance is not None else TOLERANCES[expected.dtype]
    torch.testing.assert_close(actual, expected, atol=atol, rtol=rtol, equal_nan=True)


def check(
    driver: OpDriver,
    functional: str,
    out_variant: str,
    args: Sequence[Any],
    kwargs: dict[str, Any] | None = None,
    tolerance: tuple[float, float] | None = None,
) -> None:
    """Runs an operator in eager and as a kernel, and compares.

    Args:
        functional: The eager operator, such as `add.Tensor`.
        out_variant: The operator whose kernel is tested, such as `add.out`.
    """
    op = resolve(functional)
    bound = bind(op, args, kwargs or {})
    expected = as_list(op(*args, **(kwargs or {})))
    result = run_kernel(driver, resolve(out_variant), bound, expected)
    assert result.error == 0, f"the kernel of {out_variant} failed with 0x{result.error:x}"
    for actual, reference in zip(result.outputs, expected, strict=True):
        assert_same(actual, reference, tolerance)

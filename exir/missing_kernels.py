"""Says at lowering which operators no kernel library of this project has a kernel for.

At run time a missing kernel is error 0x14 on loading the method. Whether one is missing depends on what the binary
links, so this is a warning: an operator of one's own has its kernel in a library of one's own.
"""

import functools
import pathlib
import sys
import warnings
from collections.abc import Mapping

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from executorch.dialects.errors import Problems
from executorch.dialects.torch_types import OpOverload
from executorch.dialects.verifiers import graph_modules

_NAME = "kernel_ops.txt"


def _list_of_kernels() -> pathlib.Path:
    """Beside this file in a wheel, below bazel-bin in a checkout, where the package looks as well."""
    beside = pathlib.Path(__file__).with_name(_NAME)
    places = [pathlib.Path(place) / _NAME for place in sys.modules[__name__.rpartition(".")[0]].__path__]
    return next((path for path in places if path.is_file()), beside)


#: Operators with a kernel, one a line; the build writes it from the kernel libraries' lists (``write_kernel_ops``).
KERNEL_OPS_PATH = _list_of_kernels()

#: Operators that eager takes complex numbers for, and no kernel does, as spelled in :func:`kernel_ops` up to the overload;
#: ``complex_kernels_test.py`` calls all operators with such.
_OF_REAL_NUMBERS = frozenset(
    f"aten::{name}"
    for name in (
        *("acos", "acosh", "asin", "asinh", "atan", "atanh"),
        *("cumprod", "cumsum", "logcumsumexp", "prod", "scatter_reduce"),
        *("_linalg_det", "_linalg_eigh", "_linalg_solve_ex", "_linalg_svd", "linalg_cholesky_ex"),
        *("linalg_inv_ex", "linalg_lu_factor_ex", "linalg_matrix_exp", "linalg_qr"),
        *("linalg_solve_triangular", "lu_unpack"),
    )
)


class MissingKernelWarning(UserWarning):
    """A program calls operators that no kernel library of this project implements."""


@functools.cache
def kernel_ops() -> frozenset[str]:
    """Names like ``aten::add.out`` of all operators with a kernel in a library of this project."""
    lines = KERNEL_OPS_PATH.read_text(encoding="utf-8").splitlines()
    return frozenset(line for line in lines if line and not line.startswith("#"))


def operator_name(op: OpOverload) -> str:
    """``aten::add.out``, as programs and the runtime's registry spell it."""
    schema = op._schema
    return f"{schema.name}.{schema.overload_name}" if schema.overload_name else schema.name


def missing_kernels(programs: Mapping[str, ExportedProgram]) -> Problems:
    """The nodes of programs in execution form that call operators without a kernel."""
    problems = Problems("No kernel library of this project has a kernel for these operators")
    for program in programs.values():
        for module in graph_modules(program.graph_module):
            for node in module.graph.nodes:
                if node.op == "call_function" and isinstance(node.target, OpOverload):
                    name = operator_name(node.target)
                    if name not in kernel_ops():
                        problems.add(node, f"{name} has no kernel")
                    elif node.target._schema.name in _OF_REAL_NUMBERS and _is_complex(node):
                        problems.add(node, f"{name} has no kernel for complex numbers")
    return problems


def _is_complex(node: Node) -> bool:
    """Whether the node takes or makes complex numbers."""
    values = (one.meta.get("val") for one in [*node.all_input_nodes, node])
    return any(isinstance(value, torch.Tensor) and value.is_complex() for value in values)


def warn_missing_kernels(programs: Mapping[str, ExportedProgram]) -> None:
    """Warns once, with all nodes, when :func:`missing_kernels` finds any."""
    problems = missing_kernels(programs)
    if problems:
        way_out = (
            "link a kernel library of your own that has them, hand the nodes to a backend, or express the model "
            "without them; ExecutorchBackendConfig(warn_missing_kernels=False) keeps quiet"
        )
        warnings.warn(problems.message(way_out), MissingKernelWarning, stacklevel=3)


__all__ = [
    "KERNEL_OPS_PATH",
    "MissingKernelWarning",
    "kernel_ops",
    "missing_kernels",
    "operator_name",
    "warn_missing_kernels",
]

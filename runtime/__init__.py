"""Runs ``.pte`` programs from Python.

    from executorch.runtime import Runtime

    program = Runtime.get().load_program("model.pte")
    method = program.load_method("forward")
    outputs = method.execute([input_tensor])

Works with torch tensors and with NumPy arrays, and imports neither before they are needed.
"""

from pkgutil import extend_path

# The extension module lies in this directory in a wheel, and below bazel-bin in a checkout.
__path__ = extend_path(__path__, __name__)

from executorch.runtime.python._C import MethodMeta, TensorInfo, Verification
from executorch.runtime.python.api import (
    BackendRegistry,
    Method,
    OperatorRegistry,
    Program,
    Runtime,
    ScalarType,
)
from executorch.runtime.python.errors import (
    Error,
    ExecuTorchError,
    InputTypeError,
    InvalidInputError,
    MethodNotFoundError,
    OutOfRangeError,
    ProgramFileNotFoundError,
)

MethodMetadata = MethodMeta

__all__ = [
    "BackendRegistry",
    "Error",
    "ExecuTorchError",
    "InputTypeError",
    "InvalidInputError",
    "Method",
    "MethodMeta",
    "MethodMetadata",
    "MethodNotFoundError",
    "OperatorRegistry",
    "OutOfRangeError",
    "Program",
    "ProgramFileNotFoundError",
    "Runtime",
    "ScalarType",
    "TensorInfo",
    "Verification",
]

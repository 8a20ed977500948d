"""Python bindings of the runtime with the portable kernels: modules, programs and methods.

    from executorch.extension.pybindings import portable_lib

    module = portable_lib._load_for_executorch("model.pte", "model.ptd")
    outputs = module.forward([input_tensor])

:mod:`executorch.runtime` is the simpler way in; both stand on the same runtime, raise the same
exceptions (``executorch.runtime.ExecuTorchError``) and treat arrays the same way.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from executorch.runtime import Error, ExecuTorchError, OutOfRangeError, Runtime, Verification
from executorch.runtime.python import _C
from executorch.runtime.python._C import MethodMeta, TensorInfo

__all__ = [
    "ExecuTorchMethod",
    "ExecuTorchModule",
    "ExecuTorchProgram",
    "MethodMeta",
    "TensorInfo",
    "Verification",
    "_get_operator_names",
    "_get_registered_backend_names",
    "_is_available",
    "_load_for_executorch",
    "_load_for_executorch_from_buffer",
    "_load_program",
    "_load_program_from_buffer",
]


class ExecuTorchMethod:
    """A loaded method: set inputs, execute, get outputs, in one call or in three."""

    def __init__(self, method: _C.Method) -> None:
        self._method = method

    def set_inputs(self, inputs: Sequence[Any]) -> None:
        """Sets all inputs; arrays that the method reads in place are kept alive."""
        self._method.set_inputs(list(inputs))

    def execute(self) -> None:
        """Runs with the inputs that are set."""
        self._method.execute()

    def get_outputs(self, clone_outputs: bool = True) -> list[Any]:
        """The outputs of the last run; see :meth:`executorch.runtime.Method.execute`."""
        return self._method.get_outputs(clone_outputs)

    def call(self, inputs: Sequence[Any] = (), clone_outputs: bool = True) -> list[Any]:
        """Sets all inputs, runs, and returns the outputs."""
        return self._method.call(list(inputs), clone_outputs)

    __call__ = call

    def method_meta(self) -> MethodMeta:
        """What the method takes and gives."""
        return self._method.method_meta()

    def get_attribute(self, name: str) -> Any:
        """A copy of a named tensor with state, such as a buffer of the module."""
        return self._method.get_attribute(name)


class ExecuTorchProgram:
    """A program whose methods are loaded one by one."""

    def __init__(self, program: _C.Program) -> None:
        self._program = program

    def num_methods(self) -> int:
        """The number of methods."""
        return len(self._program.method_names())

    def get_method_name(self, method_index: int) -> str:
        """The name of the method at an index."""
        names = self._program.method_names()
        if not 0 <= method_index < len(names):
            raise OutOfRangeError(
                f"looking up method {method_index} of a program with {len(names)}", Error.InvalidArgument
            )
        return names[method_index]

    def method_names(self) -> list[str]:
        """The names of all methods, in the order of the file."""
        return self._program.method_names()

    def load_method(self, method_name: str) -> ExecuTorchMethod:
        """Loads a method, with memory of its own."""
        return ExecuTorchMethod(self._program.load_method(method_name))

    def method_meta(self, method_name: str) -> MethodMeta:
        """What a method takes and gives, without loading it."""
        return self._program.method_meta(method_name)


class ExecuTorchModule:
    """A program whose methods load when they are first run, and stay loaded."""

    def __init__(self, program: _C.Program) -> None:
        self._program = program
        self._methods: dict[str, _C.Method] = {}

    def _method(self, name: str) -> _C.Method:
        method = self._methods.get(name)
        if method is None:
            method = self._methods.setdefault(name, self._program.load_method(name))
        return method

    def run_method(
        self, method_name: str, inputs: Sequence[Any] = (), clone_outputs: bool = True
    ) -> list[Any]:
        """Runs a method; see :meth:`executorch.runtime.Method.execute` for inputs and outputs."""
        return self._method(method_name).call(list(inputs), clone_outputs)

    def forward(self, inputs: Sequence[Any] = (), clone_outputs: bool = True) -> list[Any]:
        """Runs the method ``forward``."""
        return self.run_method("forward", inputs, clone_outputs)

    def __call__(self, inputs: Sequence[Any] = (), clone_outputs: bool = True) -> list[Any]:
        """Runs the method ``forward``."""
        return self.run_method("forward", inputs, clone_outputs)

    def plan_execute(self, method_name: str = "forward", clone_outputs: bool = True) -> list[Any]:
        """Runs a method that takes no inputs, or once more with those of the last run."""
        method = self._method(method_name)
        method.execute()
        return method.get_outputs(clone_outputs)

    def method_names(self) -> list[str]:
        """The names of all methods, in the order of the file."""
        return self._program.method_names()

    def num_methods(self) -> int:
        """The number of methods."""
        return len(self._program.method_names())

    def method_meta(self, method_name: str) -> MethodMeta:
        """What a method takes and gives."""
        return self._program.method_meta(method_name)

    def has_etdump(self) -> bool:
        """Whether events are recorded: never, in this build."""
        return False


def _check_tracing(enable_etdump: bool, debug_buffer_size: int) -> None:
    if enable_etdump or debug_buffer_size:
        raise ExecuTorchError(
            "recording events (enable_etdump, debug_buffer_size)",
            Error.NotSupported,
            ["these bindings are built without ETDump; load the program without it"],
        )


def _load(program: Any, data: Any, verification: Verification) -> _C.Program:
    return Runtime.get().load_program(program, data_path=data, verification=verification)._program


def _load_for_executorch(
    path: str | os.PathLike[str],
    data_path: str | os.PathLike[str] | None = None,
    enable_etdump: bool = False,
    debug_buffer_size: int = 0,
    program_verification: Verification = Verification.InternalConsistency,
) -> ExecuTorchModule:
    """Loads a module from a ``.pte`` file, with the external data in a ``.ptd`` file if it needs some."""
    _check_tracing(enable_etdump, debug_buffer_size)
    return ExecuTorchModule(_load(path, data_path, program_verification))


def _load_for_executorch_from_buffer(
    buffer: bytes,
    enable_etdump: bool = False,
    debug_buffer_size: int = 0,
    program_verification: Verification = Verification.InternalConsistency,
    data_map_buffer: bytes | None = None,
) -> ExecuTorchModule:
    """Loads a module from the bytes of a ``.pte`` file, with those of a ``.ptd`` file if it needs some."""
    _check_tracing(enable_etdump, debug_buffer_size)
    return ExecuTorchModule(_load(buffer, data_map_buffer, program_verification))


def _load_program(
    path: str | os.PathLike[str],
    enable_etdump: bool = False,
    debug_buffer_size: int = 0,
    program_verification: Verification = Verification.InternalConsistency,
    data_path: str | os.PathLike[str] | None = None,
) -> ExecuTorchProgram:
    """Loads a program from a ``.pte`` file."""
    _check_tracing(enable_etdump, debug_buffer_size)
    return ExecuTorchProgram(_load(path, data_path, program_verification))


def _load_program_from_buffer(
    buffer: bytes,
    enable_etdump: bool = False,
    debug_buffer_size: int = 0,
    program_verification: Verification = Verification.InternalConsistency,
    data_map_buffer: bytes | None = None,
) -> ExecuTorchProgram:
    """Loads a program from the bytes of a ``.pte`` file."""
    _check_tracing(enable_etdump, debug_buffer_size)
    return ExecuTorchProgram(_load(buffer, data_map_buffer, program_verification))


def _get_operator_names() -> list[str]:
    """The names of all operators with a kernel in this process."""
    return _C.operator_names()


def _get_registered_backend_names() -> list[str]:
    """The names of all backends in this process."""
    return _C.backend_names()


def _is_available(backend_name: str) -> bool:
    """Whether a backend is registered and can run here."""
    return _C.is_backend_available(backend_name)

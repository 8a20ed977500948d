"""Python bindings of the runtime with the portable kernels: modules, programs and methods.

    from executorch.extension.pybindings import portable_lib

    module = portable_lib._load_for_executorch("model.pte", "model.ptd")
    outputs = module.forward([input_tensor])

:mod:`executorch.runtime` is the simpler way in; both stand on the same runtime, raise the same
exceptions (``executorch.runtime.ExecuTorchError``) and treat arrays the same way.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from executorch.extension.pybindings.data_loader import PyDataLoader
from executorch.runtime import Error, ExecuTorchError, OutOfRangeError, Program, Runtime, Verification
from executorch.runtime.python import _C
from executorch.runtime.python._C import MethodMeta, TensorInfo

__all__ = [
    "BundledModule",
    "ExecuTorchMethod",
    "ExecuTorchModule",
    "ExecuTorchProgram",
    "MethodMeta",
    "TensorInfo",
    "Verification",
    "_create_profile_block",
    "_dump_profile_results",
    "_get_operator_names",
    "_get_registered_backend_names",
    "_is_available",
    "_load_bundled_program_from_buffer",
    "_load_for_executorch",
    "_load_for_executorch_from_buffer",
    "_load_for_executorch_from_bundled_program",
    "_load_for_executorch_from_data_loader",
    "_load_program",
    "_load_program_from_buffer",
    "_reset_profile_results",
    "_threadpool_get_thread_count",
    "_unsafe_reset_threadpool",
]


def _as_inputs(inputs: Any) -> Sequence[Any]:
    """The inputs as a sequence; a single array stands for a list with it."""
    if isinstance(inputs, (list, tuple)):
        return inputs
    if hasattr(inputs, "__dlpack__") or hasattr(inputs, "__array_interface__"):
        return [inputs]
    return list(inputs)


@contextlib.contextmanager
def _released_words(method_name: str) -> Iterator[None]:
    """Ends the message of a failure with the line that released packages raise, which callers search for."""
    try:
        yield
    except ExecuTorchError as error:
        line = f"Failed to execute method {method_name}, error: 0x{error.code.value:x}"
        error.log = (*error.log, line)
        raise


class ExecuTorchMethod:
    """A loaded method: set inputs, execute, get outputs, in one call or in three."""

    def __init__(self, method: _C.Method) -> None:
        self._method = method

    def set_inputs(self, inputs: Sequence[Any]) -> None:
        """Sets all inputs; arrays that the method reads in place are kept alive."""
        self._method.set_inputs(_as_inputs(inputs))

    def execute(self) -> None:
        """Runs with the inputs that are set."""
        self._method.execute()

    def get_outputs(self, clone_outputs: bool = True) -> list[Any]:
        """The outputs of the last run; see :meth:`executorch.runtime.Method.execute`."""
        return self._method.get_outputs(clone_outputs)

    def call(self, inputs: Sequence[Any] = (), clone_outputs: bool = True) -> list[Any]:
        """Sets all inputs, runs, and returns the outputs. A single tensor needs no list around it."""
        return self._method.call(_as_inputs(inputs), clone_outputs)

    __call__ = call

    def method_meta(self) -> MethodMeta:
        """What the method takes and gives."""
        return self._method.method_meta()

    def get_attribute(self, name: str) -> Any:
        """A copy of a named tensor with state, such as a buffer of the module."""
        return self._method.get_attribute(name)


class _Recorder:
    """What the events of a program are written from."""

    _program: _C.Program

    def has_etdump(self) -> bool:
        """Whether events are recorded."""
        return self._program.has_etdump()

    def write_etdump_result_to_file(
        self, path: str | os.PathLike[str], debug_buffer_path: str | os.PathLike[str] | None = None
    ) -> None:
        """Writes the events since loading, or since the last run after writing.

        Args:
            path: Of the ETDump, for ``executorch.devtools.Inspector``.
            debug_buffer_path: Of the values that were logged, if the program was loaded with a debug buffer.

        Raises:
            ExecuTorchError: ``InvalidState``: the program was loaded without ``enable_etdump``.
        """
        Program(self._program).write_etdump_result_to_file(path, debug_buffer_path)


class ExecuTorchProgram(_Recorder):
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

    def load_method(
        self, method_name: str, backend_options: Mapping[str, Mapping[str, bool | int | str]] | None = None
    ) -> ExecuTorchMethod:
        """Loads a method, with memory of its own; see :meth:`executorch.runtime.Program.load_method`."""
        options = {key: dict(value) for key, value in (backend_options or {}).items()}
        return ExecuTorchMethod(self._program.load_method(method_name, options))

    def method_meta(self, method_name: str) -> MethodMeta:
        """What a method takes and gives, without loading it."""
        return self._program.method_meta(method_name)


class ExecuTorchModule(_Recorder):
    """A program whose methods load when they are first run, and stay loaded.

    Args:
        program: the program.
        no_data: why its external data could not be read, for the first run to say.
    """

    def __init__(self, program: _C.Program, no_data: ExecuTorchError | None = None) -> None:
        self._program = program
        self._methods: dict[str, _C.Method] = {}
        self._no_data = no_data

    def _method(self, name: str) -> _C.Method:
        if self._no_data is not None:
            raise ExecuTorchError(self._no_data.what, self._no_data.code, self._no_data.log)
        method = self._methods.get(name)
        if method is None:
            method = self._methods.setdefault(name, self._program.load_method(name))
        return method

    def run_method(
        self, method_name: str, inputs: Sequence[Any] = (), clone_outputs: bool = True
    ) -> list[Any]:
        """Runs a method; see :meth:`executorch.runtime.Method.execute` for inputs and outputs."""
        with _released_words(method_name):
            return self._method(method_name).call(_as_inputs(inputs), clone_outputs)

    def forward(self, inputs: Sequence[Any] = (), clone_outputs: bool = True) -> list[Any]:
        """Runs the method ``forward``."""
        return self.run_method("forward", inputs, clone_outputs)

    def __call__(self, inputs: Sequence[Any] = (), clone_outputs: bool = True) -> list[Any]:
        """Runs the method ``forward``."""
        return self.run_method("forward", inputs, clone_outputs)

    def plan_execute(self, method_name: str = "forward", clone_outputs: bool = True) -> list[Any]:
        """Runs a method that takes no inputs, or once more with those of the last run."""
        with _released_words(method_name):
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


class BundledModule:
    """A program with test cases; see :mod:`executorch.devtools.bundled_program`."""

    def __init__(self, buffer: Any) -> None:
        self._buffer = buffer
        self._module = ExecuTorchModule(_load(buffer, None, Verification.InternalConsistency))
        if not self._module._program.is_bundled():
            raise ExecuTorchError(
                "loading a bundled program",
                Error.NotSupported,
                ["the bytes are a program without test cases; load it with _load_for_executorch_from_buffer"],
            )

    def verify_result_with_bundled_expected_output(
        self, method_name: str, testset_idx: int, rtol: float = 1e-5, atol: float = 1e-8
    ) -> list[Any]:
        """Runs a method with the inputs of a test case and compares the outputs with the expected ones.

        Returns:
            The outputs.

        Raises:
            MethodNotFoundError: There is no such method.
            ExecuTorchError: ``NotFound``: an output is not what was expected; ``NotSupported``: the test case
                expects nothing; ``InvalidArgument``: there is no such test case.
        """
        method = self._module._method(method_name)
        return method.verify_bundled(testset_idx, rtol, atol)


def _load(
    program: Any,
    data: Any,
    verification: Verification,
    enable_etdump: bool = False,
    debug_buffer_size: int = 0,
) -> _C.Program:
    return (
        Runtime.get()
        .load_program(
            program,
            data_path=data,
            verification=verification,
            enable_etdump=enable_etdump,
            debug_buffer_size=debug_buffer_size,
        )
        ._program
    )


def _load_module(
    program: Any, data: Any, verification: Verification, enable_etdump: bool, debug_buffer_size: int
) -> ExecuTorchModule:
    """A module; as in released packages, external data that is damaged stands in the way of runs only."""
    try:
        return ExecuTorchModule(_load(program, data, verification, enable_etdump, debug_buffer_size))
    except ExecuTorchError as error:
        if error.code is not Error.InvalidExternalData:
            raise
        return ExecuTorchModule(_load(program, None, verification, enable_etdump, debug_buffer_size), error)


def _load_for_executorch(
    program_path: str | os.PathLike[str],
    data_path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = None,
    enable_etdump: bool = False,
    debug_buffer_size: int = 0,
    program_verification: Verification = Verification.InternalConsistency,
) -> ExecuTorchModule:
    """Loads a module from a ``.pte`` file, with the external data in ``.ptd`` files if it needs some.

    Args:
        program_path: Of the program.
        data_path: Of the external data.
        enable_etdump: Whether to record events, for :meth:`ExecuTorchModule.write_etdump_result_to_file`.
        debug_buffer_size: Bytes for values of operators and outputs in the recording; 0 leaves them out.
        program_verification: How thoroughly to check the file.
    """
    return _load_module(program_path, data_path, program_verification, enable_etdump, debug_buffer_size)


def _load_for_executorch_from_buffer(
    buffer: bytes,
    data_map_buffer: bytes | None = None,
    enable_etdump: bool = False,
    debug_buffer_size: int = 0,
    program_verification: Verification = Verification.InternalConsistency,
) -> ExecuTorchModule:
    """Loads a module from the bytes of a ``.pte`` file, with those of a ``.ptd`` file if it needs some."""
    return _load_module(buffer, data_map_buffer, program_verification, enable_etdump, debug_buffer_size)


def _load_bundled_program_from_buffer(buffer: bytes, non_const_pool_size: int = 16384) -> BundledModule:
    """Loads a bundled program from the bytes of a ``.bpte`` file.

    ``non_const_pool_size`` has no effect: methods take the memory that they need.
    """
    del non_const_pool_size
    return BundledModule(buffer)


def _load_for_executorch_from_bundled_program(
    ptr: BundledModule,
    data_map_buffer: bytes | str | os.PathLike[str] | None = None,
    enable_etdump: bool = False,
    debug_buffer_size: int = 0,
    data_path: str | os.PathLike[str] | None = None,
) -> ExecuTorchModule:
    """Loads the module inside a bundled program.

    Args:
        ptr: The bundle.
        data_map_buffer: The bytes or the path of the external data.
        enable_etdump: As for :func:`_load_for_executorch`.
        debug_buffer_size: As for :func:`_load_for_executorch`.
        data_path: The path of the external data.
    """
    data = data_map_buffer if data_path is None else data_path
    return _load_module(ptr._buffer, data, Verification.InternalConsistency, enable_etdump, debug_buffer_size)


def _load_for_executorch_from_data_loader(
    loader: PyDataLoader,
    data_path: str | os.PathLike[str] | None = None,
    enable_etdump: bool = False,
    debug_buffer_size: int = 0,
) -> ExecuTorchModule:
    """Loads a module from a data loader, with the external data in a ``.ptd`` file if it needs some."""
    return ExecuTorchModule(
        _load(loader.source, data_path, Verification.InternalConsistency, enable_etdump, debug_buffer_size)
    )


def _load_program(
    path: str | os.PathLike[str],
    enable_etdump: bool = False,
    debug_buffer_size: int = 0,
    program_verification: Verification = Verification.InternalConsistency,
    data_path: str | os.PathLike[str] | None = None,
) -> ExecuTorchProgram:
    """Loads a program from a ``.pte`` file."""
    return ExecuTorchProgram(_load(path, data_path, program_verification, enable_etdump, debug_buffer_size))


def _load_program_from_buffer(
    buffer: bytes,
    enable_etdump: bool = False,
    debug_buffer_size: int = 0,
    program_verification: Verification = Verification.InternalConsistency,
    data_path: str | os.PathLike[str] | None = None,
    data_map_buffer: bytes | None = None,
) -> ExecuTorchProgram:
    """Loads a program from the bytes of a ``.pte`` file, with external data from a path or from bytes."""
    data = data_map_buffer if data_path is None else data_path
    return ExecuTorchProgram(_load(buffer, data, program_verification, enable_etdump, debug_buffer_size))


def _get_operator_names() -> list[str]:
    """The names of all operators with a kernel in this process."""
    return _C.operator_names()


def _get_registered_backend_names() -> list[str]:
    """The names of all backends in this process."""
    return _C.backend_names()


def _is_available(backend_name: str) -> bool:
    """Whether a backend is registered and can run here."""
    return _C.is_backend_available(backend_name)


def _threadpool_get_thread_count() -> int:
    """The number of threads that kernels and backends run on."""
    return _C.thread_count()


def _unsafe_reset_threadpool(num_threads: int) -> None:
    """Sets the number of threads that kernels and backends run on; do it before programs are loaded."""
    _C.reset_threads(num_threads)


def _create_profile_block(name: str) -> None:
    """Does nothing: the profiler that this belonged to was replaced by ETDump (``enable_etdump``)."""


def _dump_profile_results() -> bytes:
    """Nothing; see :func:`_create_profile_block`."""
    return b""


def _reset_profile_results() -> None:
    """Does nothing; see :func:`_create_profile_block`."""

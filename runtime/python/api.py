"""Loading and running programs: the classes behind ``executorch.runtime``."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import TYPE_CHECKING, Any, BinaryIO

from executorch.runtime.python import _C
from executorch.runtime.python._C import MethodMeta, Verification
from executorch.runtime.python.errors import Error, InputTypeError

if TYPE_CHECKING:
    from typing import TypeAlias

    ProgramSource: TypeAlias = str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO
    BackendOptionsMap: TypeAlias = Mapping[str, Mapping[str, bool | int | str]]


class ScalarType(IntEnum):
    """Numbers of the element types, as :meth:`TensorInfo.dtype` and the file formats use them."""

    Byte = 0
    Char = 1
    Short = 2
    Int = 3
    Long = 4
    Half = 5
    Float = 6
    Double = 7
    ComplexHalf = 8
    ComplexFloat = 9
    ComplexDouble = 10
    Bool = 11
    QInt8 = 12
    QUInt8 = 13
    QInt32 = 14
    BFloat16 = 15
    QUInt4x2 = 16
    QUInt2x4 = 17
    Bits1x8 = 18
    Bits2x4 = 19
    Bits4x2 = 20
    Bits8 = 21
    Bits16 = 22
    Float8_e5m2 = 23
    Float8_e4m3fn = 24
    Float8_e5m2fnuz = 25
    Float8_e4m3fnuz = 26
    UInt16 = 27
    UInt32 = 28
    UInt64 = 29


class Method:
    """A method of a program, loaded and ready to run.

    It has memory of its own; load a method several times to run it several times at once. Calls on one
    object from several threads wait for each other.
    """

    def __init__(self, method: _C.Method) -> None:
        self._method = method

    def execute(self, inputs: Sequence[Any] = (), *, clone_outputs: bool = True) -> list[Any]:
        """Runs the method.

        Args:
            inputs: One value for each input. A tensor may be a torch tensor, a NumPy array, or anything
                with the buffer protocol or ``__dlpack__``, in memory of the CPU; its dtype has to match,
                its memory is used where it lies if it is laid out as the program expects, and copied
                otherwise. Numbers are Python numbers.
            clone_outputs: Whether outputs own their data. If not, they show memory of the method that its
                next run overwrites; they stay readable even when the method is gone.

        Returns:
            One value for each output. Tensors are torch tensors if the process has imported torch, and
            NumPy arrays otherwise.

        Raises:
            ExecuTorchError: What is wrong with which input (``InvalidInputError``, ``InputTypeError``), or
                why the method cannot run.
        """
        if not isinstance(inputs, (list, tuple)):
            inputs = _as_list(inputs)
        return self._method.call(inputs, clone_outputs)

    @property
    def metadata(self) -> MethodMeta:
        """What the method takes and gives."""
        return self._method.method_meta()


class Program:
    """A program in memory. Immutable: any number of methods, on any threads, may use it."""

    def __init__(self, program: _C.Program) -> None:
        self._program = program

    @property
    def method_names(self) -> set[str]:
        """The names of all methods."""
        return set(self._program.method_names())

    def load_method(self, name: str, *, backend_options: BackendOptionsMap | None = None) -> Method:
        """Loads a method: finds its kernels and backends, and takes the memory it needs.

        Args:
            name: Of the method.
            backend_options: Options for this method's backends by their names, such as
                ``{"XnnpackBackend": {"packed_cache_path": "model.packed"}}``; each is a bool, an int or a text
                of up to 255 bytes. The keys are the backend's own, and one that it does not know has no effect.

        Raises:
            MethodNotFoundError: There is no such method.
            InvalidInputError, InputTypeError: A name or a value does not fit into an option.
            ExecuTorchError: ``OperatorMissing`` names the operators without a kernel, ``NotFound`` the
                backend that is absent, ``InvalidState`` asks for the external data, ``InvalidArgument`` an
                option with a value that the backend refuses.
        """
        options = {key: dict(value) for key, value in (backend_options or {}).items()}
        return Method(self._program.load_method(name, options))

    def metadata(self, method_name: str) -> MethodMeta:
        """What a method takes and gives, without loading it.

        Raises:
            MethodNotFoundError: There is no such method.
        """
        return self._program.method_meta(method_name)

    def write_etdump_result_to_file(
        self, etdump_path: str | os.PathLike[str], debug_buffer_path: str | os.PathLike[str] | None = None
    ) -> None:
        """Writes what methods did since the program was loaded, or since the first run after writing.

        Args:
            etdump_path: Where the events go, for ``executorch.devtools.Inspector``.
            debug_buffer_path: Where the logged values go.

        Raises:
            ExecuTorchError: ``InvalidState``: the program was loaded without ``enable_etdump``.
        """
        events = self._program.take_etdump()
        values = None if debug_buffer_path is None else self._program.debug_data()
        with open(etdump_path, "wb") as file:
            file.write(events)
        if debug_buffer_path is not None and values is not None:
            with open(debug_buffer_path, "wb") as file:
                file.write(values)


class OperatorRegistry:
    """The kernels in this process."""

    @property
    def operator_names(self) -> set[str]:
        """The names of all operators with a kernel, like ``aten::add.out``."""
        return set(_C.operator_names())


class BackendRegistry:
    """The backends in this process."""

    @property
    def registered_backend_names(self) -> list[str]:
        """The names of all backends, in the order in which they were registered."""
        return _C.backend_names()

    def is_available(self, backend_name: str) -> bool:
        """Whether a backend is registered and can run here."""
        return _C.is_backend_available(backend_name)

    def set_options(self, backend_name: str, options: Mapping[str, bool | int | str]) -> None:
        """Changes settings of a backend, for methods that are loaded afterwards.

        Args:
            backend_name: Of the backend, such as ``"XnnpackBackend"``.
            options: See ``backend_options`` of :meth:`Program.load_method`, which is for one method alone and
                goes before these.

        Raises:
            InvalidInputError, InputTypeError: A name or a value does not fit into an option.
            ExecuTorchError: ``NotFound``: there is no such backend; ``InvalidArgument``: it refuses a value.
        """
        _C.set_backend_options(backend_name, dict(options))


class Runtime:
    """The runtime of this process; see :meth:`get`."""

    _instance: Runtime | None = None

    def __init__(self) -> None:
        self._backend_registry = BackendRegistry()
        self._operator_registry = OperatorRegistry()

    @staticmethod
    def get() -> Runtime:
        """The one instance."""
        if Runtime._instance is None:
            Runtime._instance = Runtime()
        return Runtime._instance

    @property
    def backend_registry(self) -> BackendRegistry:
        """The backends in this process."""
        return self._backend_registry

    @property
    def operator_registry(self) -> OperatorRegistry:
        """The kernels in this process."""
        return self._operator_registry

    def load_program(
        self,
        data: ProgramSource,
        *,
        verification: Verification = Verification.InternalConsistency,
        enable_etdump: bool = False,
        debug_buffer_size: int = 0,
        data_path: ProgramSource | Sequence[ProgramSource] | None = None,
    ) -> Program:
        """Loads a program.

        Args:
            data: The path of a ``.pte`` file, its bytes, or a binary file to read them from. A large file
                is mapped rather than read, and must not change while the program lives.
            verification: How thoroughly to check the file. Both levels are safe.
            enable_etdump: Whether to record what methods do, for :meth:`Program.write_etdump_result_to_file`.
                Methods of a program that records run one at a time.
            debug_buffer_size: Bytes for the values of operators and outputs in the recording; 0 leaves them
                out.
            data_path: External data (``.ptd``) that the program needs, in the same forms; several of them
                as a list.

        Raises:
            ProgramFileNotFoundError: A file does not exist.
            ExecuTorchError: A file cannot be read, or is not a sound program or data file.
        """
        sources: list[Any] = []
        if isinstance(data_path, (list, tuple)):
            sources = [_as_source(source) for source in data_path]
        elif data_path is not None:
            sources = [_as_source(data_path)]
        recording = (enable_etdump, debug_buffer_size) if enable_etdump or debug_buffer_size else ()
        return Program(_C.load_program(_as_source(data), sources, verification, *recording))


def _as_list(inputs: Any) -> list[Any]:
    """The items of a sequence of inputs; a single array is no sequence, although it can be iterated."""
    if (
        hasattr(inputs, "__dlpack__")
        or hasattr(inputs, "__array_interface__")
        or isinstance(inputs, (str, bytes))
    ):
        raise InputTypeError(
            f"execute() takes a list of inputs, not a single {type(inputs).__name__}: write execute([x]); it",
            Error.InvalidArgument,
        )
    try:
        return list(inputs)
    except TypeError as error:
        raise InputTypeError(
            f"execute() takes a list of inputs, not a {type(inputs).__name__}; it", Error.InvalidArgument
        ) from error


def _as_source(data: Any) -> str | os.PathLike[str] | bytes | bytearray | memoryview:
    """A path or a buffer."""
    if isinstance(data, (str, os.PathLike, bytes, bytearray, memoryview)):
        return data
    if hasattr(data, "read"):
        contents = data.read()
        if isinstance(contents, (bytes, bytearray, memoryview)):
            return contents
        raise InputTypeError(
            f"reading a program from a {type(data).__name__} that gives {type(contents).__name__} "
            "instead of bytes (was the file opened without 'b'?)",
            Error.InvalidArgument,
        )
    raise InputTypeError(
        f"loading a program from a {type(data).__name__} (expected a path, bytes or a binary file)",
        Error.InvalidArgument,
    )

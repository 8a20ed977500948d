"""What bindings.cc puts into the extension module."""

import enum
import os
from collections.abc import Sequence
from typing import Any

class Verification(enum.IntEnum):
    """How thoroughly Program::load() checks a file. Both levels are safe."""

    Minimal = 0
    InternalConsistency = 1

class TensorInfo:
    """What a tensor of a method looks like."""

    def sizes(self) -> tuple[int, ...]:
        """Elements in each dimension; upper bounds where they are dynamic."""
    def dim_order(self) -> tuple[int, ...]:
        """The dimensions from the outermost in memory to the innermost."""
    def dtype(self) -> int:
        """The number of the element type; see executorch.runtime.ScalarType."""
    def dtype_name(self) -> str:
        """The element type as torch and NumPy spell it."""
    def is_memory_planned(self) -> bool:
        """Whether the tensor has a place in the method's own memory."""
    def nbytes(self) -> int:
        """Size of the data in bytes."""
    def name(self) -> str:
        """The fully qualified name; empty for a tensor without one."""

class MethodMeta:
    """What a method takes and gives. Indices out of range raise OutOfRangeError, an IndexError."""

    def name(self) -> str: ...
    def num_inputs(self) -> int: ...
    def num_outputs(self) -> int: ...
    def num_attributes(self) -> int: ...
    def num_instructions(self) -> int: ...
    def num_memory_planned_buffers(self) -> int: ...
    def memory_planned_buffer_size(self, index: int) -> int:
        """Bytes in one arena of the memory plan."""
    def input_tensor_meta(self, index: int) -> TensorInfo: ...
    def output_tensor_meta(self, index: int) -> TensorInfo: ...
    def attribute_tensor_meta(self, index: int) -> TensorInfo: ...
    def input_kind(self, index: int) -> str:
        """ "tensor", "int", "float", "bool" and so on."""
    def output_kind(self, index: int) -> str: ...
    def uses_backend(self, backend_name: str) -> bool: ...
    def backend_names(self) -> list[str]:
        """The backends that parts of the method are for."""

class Method:
    """A loaded method; see executorch.runtime.Method and portable_lib.ExecuTorchMethod."""

    def call(self, inputs: Sequence[Any], clone_outputs: bool = True) -> list[Any]: ...
    def set_inputs(self, inputs: Sequence[Any]) -> None: ...
    def execute(self) -> None: ...
    def get_outputs(self, clone_outputs: bool = True) -> list[Any]: ...
    def verify_bundled(self, testset_idx: int, rtol: float = 1e-5, atol: float = 1e-8) -> list[Any]:
        """Runs a test case of the bundle; the outputs."""
    def get_attribute(self, name: str) -> Any: ...
    def method_meta(self) -> MethodMeta: ...

class Program:
    """A program in memory; see executorch.runtime.Program."""

    def method_names(self) -> list[str]: ...
    def method_meta(self, method_name: str) -> MethodMeta: ...
    def load_method(
        self, method_name: str, backend_options: dict[str, dict[str, bool | int | str]] = ...
    ) -> Method: ...
    def name(self) -> str:
        """What the program was loaded from."""
    def is_bundled(self) -> bool:
        """Whether it came in a bundled program."""
    def has_etdump(self) -> bool:
        """Whether its methods record what they do."""
    def take_etdump(self) -> bytes:
        """The ETDump of what methods did; the next run begins another one."""
    def debug_data(self) -> bytes:
        """The values that the ETDump refers to."""

def load_program(
    program: str | os.PathLike[str] | bytes | bytearray | memoryview,
    data: list[str | os.PathLike[str] | bytes | bytearray | memoryview],
    verification: Verification,
    enable_etdump: bool = False,
    debug_buffer_size: int = 0,
) -> Program: ...
def operator_names() -> list[str]: ...
def backend_names() -> list[str]: ...
def is_backend_available(backend_name: str) -> bool: ...
def set_backend_options(backend_name: str, options: dict[str, bool | int | str]) -> None: ...
def thread_count() -> int:
    """The number of threads of kernels and backends."""

def reset_threads(num_threads: int) -> None: ...

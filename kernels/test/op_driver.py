"""Calls registered kernels from Python through the `op_driver` program (see op_driver.cc for the protocol).

The program is found beside this module (as Bazel puts it) or in the environment variable `ET_OP_DRIVER`; the one
with the optimized library, which is called `op_driver_optimized`, in `ET_OP_DRIVER_OPTIMIZED`. `op_driver_threads`
has that library and threads, as many as `ET_KERNEL_TEST_THREADS` says, else one for each processor.
"""

from __future__ import annotations

import os
import struct
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

NO_KERNEL = 0xFFFFFFFF

DTYPE_NUMBERS = {
    torch.uint8: 0,
    torch.int8: 1,
    torch.int16: 2,
    torch.int32: 3,
    torch.int64: 4,
    torch.float16: 5,
    torch.float32: 6,
    torch.float64: 7,
    torch.complex32: 8,
    torch.complex64: 9,
    torch.complex128: 10,
    torch.bool: 11,
    torch.bfloat16: 15,
    torch.uint16: 27,
    torch.uint32: 28,
    torch.uint64: 29,
}
# Programs know the first two only; their tensors' dim orders say the rest.
_FORMAT_NUMBERS = {torch.contiguous_format: 0, torch.preserve_format: 1, torch.channels_last: 1}


def driver_path(program: str = "op_driver") -> Path:
    """The op_driver program, or the one of another library.

    Raises:
        FileNotFoundError: saying how to build it.
    """
    variable = f"ET_{program.upper()}"
    path = Path(os.environ.get(variable, Path(__file__).with_name(program)))
    if not path.exists():
        raise FileNotFoundError(
            f"{path} does not exist: build //kernels/test:{program} and set {variable} to the program"
        )
    return path


def dim_order(t: torch.Tensor) -> list[int]:
    """Dimensions from outermost to innermost in memory; contiguous order where strides leave a choice."""
    if t.is_contiguous():
        return list(range(t.dim()))
    strides = t.stride()
    return sorted(range(t.dim()), key=lambda d: (-strides[d], d))


def to_bytes(t: torch.Tensor) -> bytes:
    """The elements of a dense tensor in memory order."""
    # An only element may have any stride, and counts as contiguous.
    flat = t.detach().permute(dim_order(t)).reshape(-1).clone(memory_format=torch.contiguous_format)
    return flat.view(torch.uint8).numpy().tobytes() if flat.numel() else b""


@dataclass
class Out:
    """An output that the kernel fills.

    Attributes:
        like: Has the dtype and the dim order.
        sizes: Present sizes; those of `like` if None. A dynamic tensor starts with any that fit.
        dynamic: Whether it may be resized up to the sizes of `like`.
        initial: Whether the present content is sent (for operators that work in place).
    """

    like: torch.Tensor
    sizes: Sequence[int] | None = None
    dynamic: bool = False
    initial: bool = False


@dataclass
class Result:
    """What a call gave.

    Attributes:
        error: 0 is Ok.
        nanoseconds: The least processor time of a repetition, of the thread that calls.
        duration: The least nanoseconds that one took, which is what counts where threads share the work.
        outputs: In the order of the arguments.
    """

    error: int
    nanoseconds: int
    duration: int
    outputs: list[torch.Tensor] = field(default_factory=list)


def _string(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<I", len(data)) + data


def _tensor(t: torch.Tensor, sizes: Sequence[int], dynamism: int, data: bytes) -> bytes:
    rank = t.dim()
    head = struct.pack("<BBB", DTYPE_NUMBERS[t.dtype], rank, dynamism)
    shape = struct.pack(f"<{rank}i", *sizes) + bytes(dim_order(t)) + struct.pack(f"<{rank}i", *t.shape)
    return head + shape + struct.pack("<Q", len(data)) + data


def _encode_tensor(value: torch.Tensor | Out | None) -> bytes:
    if value is None:
        return b"n"
    if isinstance(value, Out):
        sizes = value.like.shape if value.sizes is None else value.sizes
        data = to_bytes(value.like) if value.initial else b""
        return b"o" + _tensor(value.like, sizes, 1 if value.dynamic else 0, data)
    return b"t" + _tensor(value, value.shape, 0, to_bytes(value))


def _encode_list(values: Sequence[Any], type_name: str) -> bytes:
    count = struct.pack("<I", len(values))
    if type_name.startswith("Optional[Tensor]"):
        return b"O" + count + b"".join(_encode_tensor(v) for v in values)
    if type_name == "Tensor":
        return b"T" + count + b"".join(_encode_tensor(v) for v in values)
    if type_name == "float":
        return b"D" + count + struct.pack(f"<{len(values)}d", *values)
    if type_name == "bool":
        return b"B" + count + bytes(values)
    return b"I" + count + struct.pack(f"<{len(values)}q", *values)


def _encode(value: Any, type_name: str) -> bytes:
    """One argument of the given schema type (as PyTorch prints it, such as `Optional[List[int]]`)."""
    if value is None:
        return b"n"
    if type_name.startswith("Optional[") and type_name.endswith("]"):
        type_name = type_name[len("Optional[") : -1]
    if type_name.startswith("List["):
        values = value if isinstance(value, (list, tuple, torch.Size)) else [value]
        return _encode_list(values, type_name[len("List[") : -1])
    if isinstance(value, (torch.Tensor, Out)):
        return _encode_tensor(value)
    if isinstance(value, str):
        return b"s" + _string(value)
    if isinstance(value, torch.dtype):
        return b"i" + struct.pack("<q", DTYPE_NUMBERS[value])
    if isinstance(value, torch.memory_format):
        return b"i" + struct.pack("<q", _FORMAT_NUMBERS[value])
    if isinstance(value, bool):
        return struct.pack("<cB", b"b", value)
    if isinstance(value, int) and type_name != "float":
        return b"i" + struct.pack("<q", value)
    return b"d" + struct.pack("<d", float(value))


class OpDriver:
    """A running op_driver. Not thread-safe; restarts itself after a crash of the program."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = driver_path() if path is None else path
        self._process: subprocess.Popen[bytes] | None = None

    def close(self) -> None:
        """Ends the program."""
        if self._process is not None:
            assert self._process.stdin is not None
            self._process.stdin.close()
            self._process.wait()
            self._process = None

    def call(
        self,
        name: str,
        arguments: Sequence[tuple[Any, str]],
        *,
        repeat: int = 1,
        temp_bytes: int = 0,
    ) -> Result:
        """Calls a kernel.

        Args:
            name: Registry name, such as `aten::add.out`.
            arguments: All arguments of the schema in order, each with its schema type; outputs as `Out`.
            repeat: How many times to call; the least processor time is reported.
            temp_bytes: Size of the temporary allocator; 0 for none.

        Raises:
            RuntimeError: if the program died, which a kernel must never make happen.
        """
        body = [_string(name), struct.pack("<III", repeat, temp_bytes, len(arguments))]
        body += [_encode(value, type_name) for value, type_name in arguments]
        outs = [
            out
            for value, _ in arguments
            for out in (value if isinstance(value, (list, tuple)) else [value])
            if isinstance(out, Out)
        ]
        request = b"".join(body)
        if self._process is None:
            self._process = subprocess.Popen([self._path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self._process.stdin is not None
        self._process.stdin.write(struct.pack("<I", len(request)) + request)
        self._process.stdin.flush()
        (size,) = struct.unpack("<I", self._read(4, name))
        return _decode(self._read(size, name), outs)

    def _read(self, size: int, name: str) -> bytes:
        assert self._process is not None and self._process.stdout is not None
        data = self._process.stdout.read(size)
        if len(data) < size:
            code = self._process.wait()
            self._process = None
            raise RuntimeError(f"op_driver died with code {code} in a call of {name}")
        return data


def _decode(reply: bytes, outs: Sequence[Out]) -> Result:
    error, nanoseconds, duration, count = struct.unpack_from("<IQQI", reply)
    at = 24
    outputs = []
    for out in outs[:count]:
        (rank,) = struct.unpack_from("<B", reply, at)
        sizes = struct.unpack_from(f"<{rank}i", reply, at + 1)
        at += 1 + 4 * rank
        (nbytes,) = struct.unpack_from("<Q", reply, at)
        data = bytearray(reply[at + 8 : at + 8 + nbytes])
        at += 8 + nbytes
        order = dim_order(out.like)
        shape = [sizes[d] for d in order]
        flat = torch.frombuffer(data, dtype=torch.uint8) if data else torch.empty(0, dtype=torch.uint8)
        memory = flat.clone().view(out.like.dtype).reshape(shape)
        inverse = [order.index(d) for d in range(rank)]
        outputs.append(memory.permute(inverse))
    return Result(error, nanoseconds, duration, outputs)

"""The one family of exceptions that running a program raises."""

from __future__ import annotations

import enum
import errno
from collections.abc import Sequence
from typing import Any


class Error(enum.IntEnum):
    """Why a call failed; the values are those of ``executorch::runtime::Error`` in C++."""

    Ok = 0x00
    Internal = 0x01
    InvalidState = 0x02
    EndOfMethod = 0x03
    AlreadyLoaded = 0x04
    NotSupported = 0x10
    NotImplemented = 0x11
    InvalidArgument = 0x12
    InvalidType = 0x13
    OperatorMissing = 0x14
    RegistrationExceedingMaxKernels = 0x15
    RegistrationAlreadyRegistered = 0x16
    NotFound = 0x20
    MemoryAllocationFailed = 0x21
    AccessFailed = 0x22
    InvalidProgram = 0x23
    InvalidExternalData = 0x24
    OutOfResources = 0x25
    DelegateInvalidCompatibility = 0x30
    DelegateMemoryAllocationFailed = 0x31
    DelegateInvalidHandle = 0x32


class ExecuTorchError(RuntimeError):
    """A call into the runtime failed.

    Attributes:
        code: Which kind of failure it was.
        what: What was attempted, on which file, method or input.
        log: What the runtime said about it, one string a line; also part of the message.
    """

    code: Error
    what: str
    log: tuple[str, ...]

    def __init__(self, what: str, code: int = Error.Internal, log: Sequence[str] = ()) -> None:
        super().__init__(what)
        self.code = Error(code)
        self.what = what
        self.log = tuple(log)

    def __str__(self) -> str:
        head = f"{self.what} failed with error 0x{self.code.value:02x} {self.code.name}"
        return "\n  ".join([head, *self.log])

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.what, int(self.code), self.log))


class ProgramFileNotFoundError(ExecuTorchError, FileNotFoundError):
    """The file of a program or of its external data does not exist."""

    def __init__(self, what: str, code: int = Error.AccessFailed, log: Sequence[str] = ()) -> None:
        super().__init__(what, code, log)
        self.errno = errno.ENOENT


class MethodNotFoundError(ExecuTorchError, KeyError):
    """The program has no method of that name."""


class InvalidInputError(ExecuTorchError, ValueError):
    """An input has the wrong dtype, rank or shape, or there are too many or too few."""


class InputTypeError(ExecuTorchError, TypeError):
    """An input is not the kind of object that the method takes."""


class OutOfRangeError(ExecuTorchError, IndexError):
    """There is no input, output, attribute or method with that index."""


# In the order of FailureKind in failure.h.
_KINDS: tuple[type[ExecuTorchError], ...] = (
    ExecuTorchError,
    ProgramFileNotFoundError,
    MethodNotFoundError,
    InvalidInputError,
    InputTypeError,
    OutOfRangeError,
)


def make_error(kind: int, code: int, code_name: str, what: str, log: list[str]) -> ExecuTorchError:
    """Builds the exception for a failure in C++; called by the bindings."""
    if code not in Error._value2member_map_:
        # A backend may answer with a number of its own.
        log = [f"error 0x{code:02x} {code_name}", *log]
        code = Error.Internal
    return _KINDS[kind](what, code, log)

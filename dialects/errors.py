"""The compiler's one vocabulary for failure.

Every stage between ``torch.export`` and the bytes of a ``.pte`` raises an :class:`ExportError`. Its message
names every offending node at once (not the first one only), what is wrong with it, the line of the user's
model that made it, and the way out.

Usage::

    problems = Problems("These operators are not part of the edge dialect")
    for node in graph.nodes:
        if not is_allowed(node.target):
            problems.add(node, "is not an edge operator", code=ExportErrorType.VIOLATION_OF_SPEC)
    problems.raise_if_any(way_out="Decompose them, or list them in EdgeCompileConfig(preserve_ops=...).")
"""

import enum
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
import torch._export.verifier

from executorch.dialects import meta_keys

_FRAME = re.compile(r'^\s*File "(?P<file>[^"]+)", line (?P<line>\d+), in (?P<name>\S+)\s*$')


class ExportErrorType(enum.Enum):
    """What kind of failure it is. The numbers are the documented ones; ``UNKNOWN`` is ours, for the rest."""

    UNKNOWN = 0
    #: An argument of a function of the compiler is not what it takes.
    INVALID_INPUT_TYPE = 1
    #: A function handed to the compiler returned something else than it may.
    INVALID_OUTPUT_TYPE = 2
    #: A graph breaks a rule of the dialect it claims to be in.
    VIOLATION_OF_SPEC = 3
    #: The compiler has no way to express what the program does.
    NOT_SUPPORTED = 4
    #: A node lacks something that a stage before should have left there.
    MISSING_PROPERTY = 5
    #: A step needs another step first.
    UNINITIALIZED = 6


class ExportError(Exception):
    """Root of the compiler's exceptions.

    Attributes:
        error_code: the :class:`ExportErrorType`.
        message: the text without the code in front.
    """

    default_code = ExportErrorType.UNKNOWN

    def __init__(
        self, error_code: "ExportErrorType | str | None" = None, message: "str | None" = None
    ) -> None:
        # Both ExportError(code, message) and SubclassOfExportError(message) are in use.
        if isinstance(error_code, str) and message is None:
            error_code, message = None, error_code
        self.error_code = error_code if isinstance(error_code, ExportErrorType) else self.default_code
        self.message = message or ""
        super().__init__(str(self))

    def __str__(self) -> str:
        return f"[ExportErrorType.{self.error_code.name}]: {self.message}"


class InternalError(ExportError):
    """The compiler broke its own rules; not something a model author can repair. Its text is the bare message."""

    def __str__(self) -> str:
        return self.message


class SpecViolationError(ExportError, torch._export.verifier.SpecViolationError):
    """A graph is not a valid graph of the dialect it claims to be; also torch's exception of this name."""

    default_code = ExportErrorType.VIOLATION_OF_SPEC


class OperatorNotSupportedError(ExportError, RuntimeError):
    """An operator has no place in the program: not in the dialect, or without an out variant.

    Also a ``RuntimeError``, which is what callers of ``to_out_variant`` catch.
    """

    default_code = ExportErrorType.NOT_SUPPORTED


class MissingKernelError(ExportError, AssertionError):
    """An operator that nobody can run: it has a schema and no kernel, not even for shapes."""

    default_code = ExportErrorType.NOT_SUPPORTED


class MissingOutVariantError(OperatorNotSupportedError):
    """Operators that cannot be brought into execution form because no out variant is registered."""


class UnboundedShapeError(ExportError):
    """A symbolic size without an upper bound reached a place that needs one."""

    default_code = ExportErrorType.MISSING_PROPERTY


class PassError(ExportError):
    """A pass failed, or left a graph that its own ``ensures`` or the pass manager's checks refuse."""


class UnknownMethodError(ExportError, KeyError):
    """A program has no method of this name; also a ``KeyError`` for callers that treat programs as mappings."""

    default_code = ExportErrorType.INVALID_INPUT_TYPE


def internal_assert(pred: bool, assert_msg: str) -> None:
    """Raises :class:`InternalError` with ``assert_msg`` unless ``pred`` holds."""
    if not pred:
        raise InternalError(assert_msg)


_TORCH = os.path.dirname(torch.__file__) + os.sep


def source_line(node: torch.fx.Node) -> "str | None":
    """``file:line in function: code`` of the user's model that made ``node``, or None when nobody recorded it.

    Frames inside torch (``nn.Conv2d.forward``) are passed over, unless there are no others.
    """
    trace = node.meta.get(meta_keys.STACK_TRACE)
    if not trace:
        return None
    lines = trace.splitlines()
    frames = [(index, match) for index, text in enumerate(lines) if (match := _FRAME.match(text))]
    if not frames:
        return None
    own = [frame for frame in frames if not frame[1]["file"].startswith(_TORCH)]
    index, match = (own or frames)[-1]
    code = lines[index + 1].strip() if index + 1 < len(lines) else ""
    where = f"{match['file']}:{match['line']} in {match['name']}"
    return f"{where}: {code}" if code and not _FRAME.match(code) else where


def describe_target(target: Any) -> str:
    """The operator's name as a user would write it (``aten.add.Tensor``), whatever object stands for it."""
    if isinstance(target, str):
        return target
    text = str(target)
    if text.startswith("<"):
        module = getattr(target, "__module__", "") or ""
        name = getattr(target, "__name__", text)
        return f"{module}.{name}" if module else name
    return text


def describe_node(node: torch.fx.Node) -> str:
    """One line: node name, its operator, and where in the model it comes from."""
    text = f"{node.name} ({describe_target(node.target)})"
    line = source_line(node)
    return f"{text} at {line}" if line else text


@dataclass
class Problems:
    """Collects what is wrong in a graph so that the user reads all of it in one message.

    Attributes:
        headline: one sentence that says what was being checked.
        entries: the collected problems, one text each.
    """

    headline: str
    entries: list[str] = field(default_factory=list)

    def add(self, node: torch.fx.Node, reason: str) -> None:
        """Notes that ``node`` is wrong because of ``reason`` (a phrase that continues the node's name)."""
        line = source_line(node)
        where = f"\n      from {line}" if line else ""
        self.entries.append(f"{node.name} ({describe_target(node.target)}): {reason}{where}")

    def add_text(self, text: str) -> None:
        """Notes a problem that belongs to no single node."""
        self.entries.append(text)

    def extend(self, texts: Sequence[str]) -> None:
        self.entries.extend(texts)

    def __bool__(self) -> bool:
        return bool(self.entries)

    def message(self, way_out: str = "") -> str:
        body = "\n".join(f"  - {entry}" for entry in dict.fromkeys(self.entries))
        count = len(dict.fromkeys(self.entries))
        head = f"{self.headline} ({count} {'problem' if count == 1 else 'problems'}):"
        tail = f"\nWay out: {way_out}" if way_out else ""
        return f"{head}\n{body}{tail}"

    def raise_if_any(self, way_out: str = "", error: type[ExportError] = SpecViolationError) -> None:
        """Raises ``error`` with all entries in one message; returns quietly when there are none."""
        if self.entries:
            raise error(error.default_code, self.message(way_out))

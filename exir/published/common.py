"""Small helpers on schemas, dispatch, logging and recursion."""

import contextlib
import logging
import sys
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

import torch

Value = TypeVar("Value")


def format_schema_name(schema: torch._C.FunctionSchema) -> str:
    """``aten::add.Tensor``; the overload ``default`` is left out."""
    return f"{schema.name}.{schema.overload_name}" if schema.overload_name else schema.name


def get_schema_for_operators(ops: list[str]) -> dict[str, str]:
    """Schema of each operator as text.

    Args:
        ops: names like ``aten::add.Tensor`` or ``torch.ops.aten.add.Tensor``.

    Returns:
        ``aten::add.Tensor`` to its schema, or to ``<No Schema Found>``.
    """
    found: dict[str, str] = {}
    for op in ops:
        name = op.removeprefix("torch.ops.")
        if name != op:
            name = name.replace(".", "::", 1)
        found[name] = _schema_text(name) or "<No Schema Found>"
    return found


def _schema_text(name: str) -> "str | None":
    """The schema of ``aten::add.Tensor``, as ``torch.ops`` prints it."""
    namespace, _, qualified = name.partition("::")
    base, _, overload = qualified.partition(".")
    packet = getattr(getattr(torch.ops, namespace, None), base, None) if base else None
    op = getattr(packet, overload or "default", None)
    return str(op._schema) if op is not None else None


def extract_out_arguments(
    schema: torch._C.FunctionSchema, keyword_args: Mapping[str, Value]
) -> "tuple[str, Value] | list[tuple[str, Value]]":
    """The out arguments of a call by keyword: one pair of name and value, or a list when there are several (or none)."""
    found = [
        (arg.name, keyword_args[arg.name])
        for arg in schema.arguments
        if arg.is_out and arg.name in keyword_args
    ]
    return found[0] if len(found) == 1 else found


@contextlib.contextmanager
def no_dispatch() -> Iterator[None]:
    """Within it no Python dispatch mode or tensor subclass intercepts operators."""
    guard = torch._C._DisableTorchDispatch()
    try:
        yield
    finally:
        del guard


@contextlib.contextmanager
def setting_python_recursive_limit(limit: int = 10000) -> Iterator[None]:
    """Within it Python recurses at least ``limit`` deep; deep graphs pickle and print by recursion."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, limit))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


@contextlib.contextmanager
def override_logger(
    newLevel: int = logging.DEBUG,
    fmtstr: str = "%(message)s",
    filename: "str | None" = None,
) -> Iterator[None]:
    """Within it the root logger has this level and format, and writes to ``filename`` if one is given."""
    logger = logging.getLogger()
    before = logger.level, logger.handlers
    handler: Any = logging.FileHandler(filename) if filename else logging.StreamHandler()
    handler.setFormatter(logging.Formatter(fmtstr))
    logger.setLevel(newLevel)
    logger.handlers = [handler]
    try:
        yield
    finally:
        handler.close()
        logger.setLevel(before[0])
        logger.handlers = before[1]

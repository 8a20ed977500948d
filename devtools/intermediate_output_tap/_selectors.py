"""Which nodes are tapped: predicates over nodes of an exported program, and ways to join them."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from torch.fx import Node

NodeSelector: TypeAlias = Callable[[Node], bool]


def select_all_call_function(exclude: tuple[str, ...] = ("getitem",)) -> NodeSelector:
    """Every call of a function, except of those with these names."""

    def select(node: Node) -> bool:
        if node.op != "call_function":
            return False
        return getattr(node.target, "__name__", str(node.target)) not in exclude

    return select


def select_by_op_type(*op_targets: str) -> NodeSelector:
    """Calls of operators whose names end like one of these, such as ``aten.linear.default`` or ``linear.default``.

    Raises:
        ValueError: There are none.
    """
    _check_any(op_targets, "select_by_op_type", "aten.linear.default")
    return lambda node: node.op == "call_function" and str(node.target).endswith(op_targets)


def select_by_module_path(*patterns: str, output_only: bool = True) -> NodeSelector:
    """Calls inside of modules by their path in the model.

    Args:
        patterns: Paths with the wildcards of a shell, such as ``layers.*.attention``.
        output_only: Only calls whose results leave the module, not those that it uses itself.

    Raises:
        ValueError: There are none.
    """
    _check_any(patterns, "select_by_module_path", "layers.*")
    return _inside(
        lambda path, _: any(fnmatch.fnmatchcase(path, pattern) for pattern in patterns), output_only
    )


def select_by_module_class(*class_names: str, output_only: bool = True) -> NodeSelector:
    """Calls inside of modules by their class.

    Args:
        class_names: Names without the package, such as ``RMSNorm``.
        output_only: Only calls whose results leave the module, not those that it uses itself.

    Raises:
        ValueError: There are none.
    """
    _check_any(class_names, "select_by_module_class", "RMSNorm")
    return _inside(lambda _, name: name in class_names, output_only)


def select_any(*selectors: NodeSelector) -> NodeSelector:
    """What one of these selects."""
    return lambda node: any(selector(node) for selector in selectors)


def select_all(*selectors: NodeSelector) -> NodeSelector:
    """What all of these select."""
    return lambda node: all(selector(node) for selector in selectors)


def select_not(selector: NodeSelector) -> NodeSelector:
    """What this does not select."""
    return lambda node: not selector(node)


def modules_of(node: Node) -> Iterator[tuple[str, str]]:
    """Path and class name of the modules that a node is in, the outermost first."""
    for entry in (node.meta.get("nn_module_stack") or {}).values():
        if isinstance(entry, (tuple, list)) and len(entry) == 2:
            yield str(entry[0]), _class_name(entry[1])


def _check_any(names: tuple[str, ...], function: str, example: str) -> None:
    if not names:
        raise ValueError(
            f"{function} needs at least one name, such as {example!r}: without, nothing is selected"
        )


def _class_name(module_class: Any) -> str:
    """The bare name of a class, which a trace keeps as itself or as text with its package."""
    if isinstance(module_class, type):
        return module_class.__name__
    return str(module_class).rpartition(".")[2]


def _inside(is_wanted: Callable[[str, str], bool], output_only: bool) -> NodeSelector:
    def wanted(node: Node) -> set[str]:
        return {path for path, name in modules_of(node) if is_wanted(path, name)}

    def select(node: Node) -> bool:
        if node.op != "call_function":
            return False
        own = wanted(node)
        if not own or not output_only:
            return bool(own)
        return all(own.isdisjoint(wanted(user)) for user in node.users)

    return select


__all__ = [
    "NodeSelector",
    "modules_of",
    "select_all",
    "select_all_call_function",
    "select_any",
    "select_by_module_class",
    "select_by_module_path",
    "select_by_op_type",
    "select_not",
]

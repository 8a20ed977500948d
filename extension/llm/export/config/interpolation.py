"""References of configurations to their own values and to the environment, as OmegaConf writes them.

=============================  =====================================================================
``${base.model_class}``        a value, from the top; of its own type where it stands alone
``${.name}``, ``${..name}``    from the group in which the reference stands, or the one above
``${oc.env:NAME}``             a variable of the environment; ``${oc.env:NAME,word}`` has a default
``\\${``                        no reference, but these characters
=============================  =====================================================================
"""

from __future__ import annotations

import enum
import os
import re
from collections.abc import Mapping
from typing import Any

from executorch.extension.llm.models.refusal import RefusalError

_REFERENCE = re.compile(r"(?<!\\)\$\{([^${}]*)\}")
_ESCAPED = re.compile(r"\\\$\{")


def resolved(tree: Mapping[str, Any], defaults: object) -> dict[str, Any]:
    """The tree with values in the place of references.

    Args:
        tree: groups of values and lists.
        defaults: an object whose attributes have what the tree leaves out.

    Raises:
        ValueError: there is no such value, a reference goes in a circle, or it cannot be read; with the key.
    """
    return {name: _Resolver(tree, defaults).of(value, (name,)) for name, value in tree.items()}


class _Resolver:
    def __init__(self, tree: Mapping[str, Any], defaults: object) -> None:
        self._tree, self._defaults = tree, defaults
        self._open: list[tuple[str, ...]] = []

    def of(self, value: Any, path: tuple[str, ...]) -> Any:
        """What a value at a path stands for."""
        if isinstance(value, Mapping):
            return {name: self.of(one, (*path, name)) for name, one in value.items()}
        if isinstance(value, list):
            return [self.of(one, (*path, str(number))) for number, one in enumerate(value)]
        if not isinstance(value, str) or "${" not in value:
            return value
        if path in self._open:
            circle = " -> ".join(".".join(one) for one in [*self._open, path])
            raise RefusalError(f"the references of {'.'.join(path)} go in a circle: {circle}")
        self._open.append(path)
        try:
            return self._text(value, path)
        finally:
            self._open.pop()

    def _text(self, text: str, path: tuple[str, ...]) -> Any:
        whole = _REFERENCE.fullmatch(text)
        if whole:
            return self._referred(whole[1], path)
        filled = text
        while match := _REFERENCE.search(filled):  # The innermost first.
            value = self._referred(match[1], path)
            word = value.value if isinstance(value, enum.Enum) else value
            filled = f"{filled[: match.start()]}{word}{filled[match.end() :]}"
        if re.search(r"(?<!\\)\$\{", filled):
            raise RefusalError(f"cannot read the reference in {'.'.join(path)}: {text}")
        return type(text)(_ESCAPED.sub("${", filled))

    def _referred(self, reference: str, path: tuple[str, ...]) -> Any:
        reference = reference.strip()
        if ":" in reference:
            return _environment(reference, path)
        key = reference.lstrip(".")
        up = len(reference) - len(key)
        start = path[: len(path) - up] if up else ()
        steps = [*start, *(step for step in re.split(r"[.\[\]]+", key) if step)]
        value = self._found(steps, f"${{{reference}}} in {'.'.join(path)}")
        return self.of(value, tuple(steps))

    def _found(self, steps: list[str], what: str) -> Any:
        value: Any = self._tree
        default: Any = self._defaults
        is_given = True
        for step in steps:
            default = getattr(default, step, _NOTHING)
            if is_given and isinstance(value, Mapping) and step in value:
                value = value[step]
            elif is_given and isinstance(value, list) and step.isdigit() and int(step) < len(value):
                value = value[int(step)]
            elif default is not _NOTHING:
                is_given, value = False, default
            else:
                raise RefusalError(f"{what} refers to {'.'.join(steps)}, which is not there")
        return value


_NOTHING = object()


def _environment(reference: str, path: tuple[str, ...]) -> str:
    kind, _, rest = reference.partition(":")
    name, has_default, default = (one.strip() for one in rest.partition(","))
    if kind.strip() != "oc.env":
        raise RefusalError(
            f"${{{reference}}} in {'.'.join(path)} asks for '{kind}': there is oc.env:NAME besides keys such as base.params"
        )
    if name not in os.environ and not has_default:
        raise RefusalError(f"${{{reference}}} in {'.'.join(path)}: the environment has no {name}")
    return os.environ.get(name, default)

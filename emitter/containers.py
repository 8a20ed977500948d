"""How inputs and outputs nest, as text for tools that pack and unpack them."""

from __future__ import annotations

import logging
from typing import Any

from torch.utils import _pytree as pytree

_logger = logging.getLogger(__name__)


def container_string(spec: pytree.TreeSpec | None) -> str:
    """The JSON form of a pytree specification; empty, with a warning, for containers that torch cannot write."""
    if spec is None:
        return ""
    try:
        return pytree.treespec_dumps(spec)
    except NotImplementedError as error:
        _logger.warning("inputs or outputs keep no container description in the program: %s", error)
        return ""


def flatten(value: Any) -> tuple[list[Any], str]:
    """The leaves of a nested value, and the description of the nesting."""
    leaves, spec = pytree.tree_flatten(value)
    return leaves, container_string(spec)

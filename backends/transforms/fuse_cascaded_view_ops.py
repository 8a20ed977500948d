"""One view for two that follow each other."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import Node

from executorch.backends.transforms.permute_pass_utils import RemoveOrReplacePassInterface
from executorch.dialects.ops import ops
from executorch.ir.rewriter import is_call

_VIEW = torch.ops.aten.view_copy.default


class FuseCascadedViewOps(RemoveOrReplacePassInterface):
    """Points a ``view_copy`` of a ``view_copy`` at what that one reads."""

    @property
    def targets(self) -> list[Any]:
        return [ops.edge.aten.view_copy.default]

    def maybe_remove_or_replace(self, node: Node) -> bool:
        parent = node.args[0]
        if not is_call(parent, _VIEW):
            return False
        node.args = (parent.args[0], *node.args[1:])  # type: ignore[union-attr]
        return True


__all__ = ["FuseCascadedViewOps"]

"""Views for ``squeeze`` and ``unsqueeze``."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import Node

from executorch.backends.transforms.graph_edit import view_arguments
from executorch.backends.transforms.permute_pass_utils import RemoveOrReplacePassInterface
from executorch.dialects.ops import ops
from executorch.ir.rewriter import call_like, replace
from executorch.ir.values import shape_of

_aten = ops.edge.aten


class ReplaceSqueezeAndUnsqueezeWithViewPass(RemoveOrReplacePassInterface):
    """``squeeze_copy`` and ``unsqueeze_copy`` become ``view_copy``; those with two or more unknown sizes stay."""

    @property
    def targets(self) -> list[Any]:
        return [
            _aten.squeeze_copy.default,
            _aten.squeeze_copy.dim,
            _aten.squeeze_copy.dims,
            _aten.unsqueeze_copy.default,
        ]

    def maybe_remove_or_replace(self, node: Node) -> bool:
        shape = shape_of(node)
        sizes = None if shape is None else view_arguments(node, shape)
        if sizes is None:
            return False
        replace(node, call_like(node, torch.ops.aten.view_copy.default, (node.args[0], sizes)))
        return True


__all__ = ["ReplaceSqueezeAndUnsqueezeWithViewPass"]

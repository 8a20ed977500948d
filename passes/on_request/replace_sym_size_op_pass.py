"""Names the overloads of ``sym_size`` and ``sym_stride`` that older tracers call without."""

from typing import Any, Final

import torch
from torch.fx import Node

from executorch.passes.infrastructure.pass_base import GraphPass

_OVERLOADS: Final[dict[Any, Any]] = {
    torch.ops.aten.sym_size: torch.ops.aten.sym_size.int,
    torch.ops.aten.sym_stride: torch.ops.aten.sym_stride.int,
}


class ReplaceSymSizeOpPass(GraphPass):
    """Replaces calls of the packets ``aten.sym_size`` and ``aten.sym_stride`` by calls of their ``int`` overloads."""

    describes_values = True
    removes_dead_code = False

    def rewrite_node(self, node: Node) -> bool:
        overload = _OVERLOADS.get(node.target) if node.op == "call_function" else None
        if overload is None or len(node.args) != 2:
            return False
        node.target = overload
        return True

"""Constant propagation over one graph whose constants are attributes of its module.

:mod:`~executorch.passes.optimization.constant_prop_pass` is the one for whole programs, which know their parameters too.
"""

from typing import Any

import torch
from torch.utils import _pytree as pytree

from executorch.dialects.edge_ops import aten_op
from executorch.dialects.torch_types import OpOverload
from executorch.passes.infrastructure.export_pass import ExportPass, NodeMetadata, ProxyValue
from executorch.passes.optimization.constant_prop_pass import QUANTIZATION_OPS


class ConstPropPass(ExportPass):
    """Evaluates operators whose tensors are all constants of the module, and keeps the results as constants.

    Args:
        propogate_quant: evaluate the operators of quantization too; backends look for them around constants.
    """

    def __init__(self, propogate_quant: bool = False) -> None:
        super().__init__()
        self.propogate_quant = propogate_quant

    def call_operator(
        self, op: Any, args: "tuple[Any, ...]", kwargs: "dict[str, Any]", meta: NodeMetadata
    ) -> ProxyValue:
        known_args, known_kwargs = pytree.tree_map(self._known, (args, kwargs))
        leaves = pytree.tree_leaves((known_args, known_kwargs))
        has_tensors = any(isinstance(leaf, torch.Tensor) for leaf in leaves)
        if not has_tensors or any(isinstance(leaf, ProxyValue) for leaf in leaves) or not self._may(op):
            return super().call_operator(op, args, kwargs, meta)
        with torch.no_grad():
            return self._lift_tensors(op(*known_args, **known_kwargs))

    def _known(self, argument: Any) -> Any:
        """The tensor behind a constant; anything else as it is."""
        if isinstance(argument, ProxyValue) and argument.node.op == "get_attr":
            return self._scopes[-1].attributes.get(str(argument.node.target), argument)
        return argument

    def _may(self, op: Any) -> bool:
        found = aten_op(op)
        return (
            isinstance(found, OpOverload)
            and not found._schema.is_mutable
            and [str(result.type) for result in found._schema.returns] == ["Tensor"]
            and torch.Tag.nondeterministic_seeded not in found.tags
            and (self.propogate_quant or found.name() not in QUANTIZATION_OPS)
        )


__all__ = ["ConstPropPass"]

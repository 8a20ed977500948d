"""Operators that add nothing to a graph: what they give is found where it is asked for."""

from torch.fx import Node

from executorch.backends.xnnpack.published.operators.node_visitor import NodeVisitor, offer_node_visitor
from executorch.backends.xnnpack.serialization import schema


class OpSkipOps(NodeVisitor):
    """Adds nothing. Derive from it for an operator that another one's node does."""

    def define_node(
        self, node: Node, xnn_graph: schema.XNNGraph, vals_to_ids: dict[Node, int], debug_handle: int
    ) -> None:
        """Nothing."""


@offer_node_visitor
class OpChooseQparamsTensor(OpSkipOps):
    """XNNPACK chooses scales where it quantizes."""

    target = "quantized_decomposed.choose_qparams.tensor"


@offer_node_visitor
class OpChooseQparamsToken(OpSkipOps):
    """Same, for a scale for each row."""

    target = "quantized_decomposed.choose_qparams_per_token_asymmetric.default"


@offer_node_visitor
class OpChooseQparamsAffine(OpSkipOps):
    """Same, in torchao's form."""

    target = "torchao.choose_qparams_affine.default"


@offer_node_visitor
class OpGetItem(OpSkipOps):
    """The node with several results gives each its value."""

    target = "getitem"


@offer_node_visitor
class OpSymSizeInt(OpSkipOps):
    """The run time knows the sizes of values."""

    target = "aten.sym_size.int"


@offer_node_visitor
class OpTCopyDefault(OpSkipOps):
    """The product that reads a transposed weight reads it as it lies."""

    target = "aten.t_copy.default"

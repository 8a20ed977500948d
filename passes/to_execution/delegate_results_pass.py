"""Brings delegate calls into the one shape that the execution form knows: a tuple of results."""

import operator

import torch
from torch.fx import Node

from executorch.dialects import meta_keys
from executorch.dialects.execution import is_delegate_call
from executorch.passes.infrastructure.pass_base import GraphPass


class DelegateResultsPass(GraphPass):
    """Lets the users of a delegate call with one bare result read it through ``getitem``.

    In Python, a lowered module returns what the subgraph returned, which may be a tensor instead of a tuple; an
    executable program's delegates always write a list of values.
    """

    describes_values = True
    removes_dead_code = False

    def rewrite_node(self, node: Node) -> bool:
        value = node.meta.get(meta_keys.VAL)
        if not is_delegate_call(node) or not isinstance(value, torch.Tensor):
            return False
        with node.graph.inserting_after(node):
            item = node.graph.call_function(operator.getitem, (node, 0))
        node.replace_all_uses_with(item, delete_user_cb=lambda user: user is not item, propagate_meta=False)
        item.meta = dict(node.meta)
        node.meta[meta_keys.VAL] = (value,)
        return True

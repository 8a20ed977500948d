"""The keys of ``torch.fx.Node.meta`` that cross a library's border, each with its one owner.

``meta`` is an untyped side channel, so the rule is: a key that two libraries read is named here, and nothing
else is shared through ``meta``. Keys that torch itself owns are repeated for the reader's sake.
"""

from typing import Final

#: torch: the value of the node as ``torch.export`` saw it (fake tensor, symbolic or plain number, tuple of these).
VAL: Final = "val"

#: torch: the Python stack at the place in the user's model that made this node (text, innermost frame last).
STACK_TRACE: Final = "stack_trace"

#: torch: mapping of call-site key to ``(module path, module class)`` for the modules around this node.
NN_MODULE_STACK: Final = "nn_module_stack"

#: Spec propagation: the :class:`~executorch.dialects.tensor_spec.TensorSpec` of a tensor value, the plain or
#: symbolic number of a scalar value, ``None``, or a tuple/list of these for a node with several results.
SPEC: Final = "spec"

#: torch: what a node was made from (list of ``torch.fx.traceback.NodeSource``), each with what it was made from.
FROM_NODE: Final = "from_node"

#: Debug-handle pass: int, one per operator of the exported program, shared by the nodes that it decomposed into;
#: links events to source.
DEBUG_HANDLE: Final = "debug_handle"

#: The debug handle that means "none".
UNSET_DEBUG_HANDLE: Final = 0

#: Partitioner: str naming the partition this node was given to; absent for nodes that stay.
DELEGATION_TAG: Final = "delegation_tag"

#: Delegation, of the ``meta`` of a lowered module: int, bytes behind its inputs that the delegate may read; absent where its
#: backend does not declare it.
READ_AHEAD: Final = "read_ahead"

#: External-constants passes: str naming the ``.ptd`` file (without suffix) that receives this constant's bytes.
CONSTANT_TAG: Final = "constant_tag"

#: Quantizers: str, a sentence that says why this call is left in floating point; absent where they did not say.
FLOAT_REASON: Final = "float_reason"

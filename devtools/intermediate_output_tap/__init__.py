"""Values between the operators of a program, as further outputs: also from inside delegates, on any device.

Operators are tapped in the exported program, so that a delegate that swallows one has to give its value out; after
partitioning the taps become a few portable operators that reduce the value to statistics, or nothing at all::

    tapped, specs = tap_intermediate_outputs_(copy.deepcopy(program))
    reference, _ = torch.utils._pytree.tree_flatten(tapped.module()(*inputs))
    edge = to_edge_transform_and_lower(tapped, partitioner=[...])
    strip_taps_(edge)
    outputs = ...  # of edge.to_executorch(), run anywhere
    table = compare_aot_runtime_dataframe(specs, reference, outputs)

:func:`tap_compare` is all of this in one call.
"""

from executorch.devtools.intermediate_output_tap._convenience import (
    compare_aot_runtime_dataframe,
    tap_compare,
)
from executorch.devtools.intermediate_output_tap._reducers import (
    FULL_TENSOR,
    STATS,
    StatReducer,
    get_reducer,
)
from executorch.devtools.intermediate_output_tap._selectors import (
    NodeSelector,
    select_all,
    select_all_call_function,
    select_any,
    select_by_module_class,
    select_by_module_path,
    select_by_op_type,
    select_not,
)
from executorch.devtools.intermediate_output_tap._spec import TapSpec
from executorch.devtools.intermediate_output_tap._strip_pass import strip_taps_
from executorch.devtools.intermediate_output_tap._tap_pass import (
    TapRule,
    find_tap_nodes,
    is_tap_node,
    tap_intermediate_outputs_,
)

__all__ = [
    "FULL_TENSOR",
    "STATS",
    "NodeSelector",
    "StatReducer",
    "TapRule",
    "TapSpec",
    "compare_aot_runtime_dataframe",
    "find_tap_nodes",
    "get_reducer",
    "is_tap_node",
    "select_all",
    "select_all_call_function",
    "select_any",
    "select_by_module_class",
    "select_by_module_path",
    "select_by_op_type",
    "select_not",
    "strip_taps_",
    "tap_compare",
    "tap_intermediate_outputs_",
]

"""Documented path of :mod:`executorch.memory_planning`."""

from executorch.dialects.errors import InternalError, internal_assert
from executorch.dialects.tensor_spec import TensorShapeDynamism, TensorSpec
from executorch.exir.operator.convert import (
    is_inplace_variant,
    is_out_variant,
    output_to_aliased_input_map,
    unwrap_op_overload,
)
from executorch.memory_planning import (
    AllocationSpec,
    MemoryAlgoResult,
    MemoryPlanningAlgorithmSuite,
    MemoryPlanningError,
    MemoryPlanningPass,
    SharedObject,
    SpecAllocResult,
    Verifier,
    apply_algo,
    collect_specs_from_nodes,
    do_user_inputs_exist,
    exact,
    filter_nodes,
    get_cond_nodes,
    get_graph_input_tensors,
    get_graph_output_tensors,
    get_input_specs,
    get_map_nodes,
    get_node_tensor_specs,
    get_return_specs,
    get_scan_nodes,
    get_while_nodes,
    greedy,
    insert_calls_to_free,
    is_inplace_node,
    is_mutable_buffer,
    is_out_var_node,
    naive,
    pick_shared_obj,
    update_all_tensors_lifetime,
    update_tensor_lifetime,
)
from executorch.memory_planning.questions import (
    alias_in_place_result,
    does_not_overlap,
    max_overlapping_offset,
    memory_devices,
    merged_sizes,
    mutable_buffer_specs,
    partition_by_device,
    place_in_bases,
    reads_behind_inputs,
)
from executorch.memory_planning.storage_bases import extend_lifetimes
from executorch.schema.program import DeviceType, NonConstBufferDevice

# Names under which ExecuTorch 1.x has them, which other projects import.
_alias_inplace_result_specs = alias_in_place_result
_contains_xnnpack_delegate = reads_behind_inputs
_does_not_overlap = does_not_overlap
_extend_storage_base_lifetimes = extend_lifetimes
_find_max_overlapping_allocations_offset = max_overlapping_offset
_get_mutable_buffer_specs = mutable_buffer_specs
_merge_bufsizes = merged_sizes
_partition_specs_by_device = partition_by_device
_resolve_storage_base_specs = place_in_bases
_do_user_inputs_exist = do_user_inputs_exist
_is_inplace_node = is_inplace_node
_is_mutable_buffer = is_mutable_buffer
_is_out_var_node = is_out_var_node


def _build_non_const_buffer_device(
    buffer_devices: "list[tuple[DeviceType, int]]",
) -> "list[NonConstBufferDevice] | None":
    """As :func:`executorch.memory_planning.questions.memory_devices`, in the form of the program's schema."""
    found = memory_devices(buffer_devices)
    return found and [
        NonConstBufferDevice(memory.mem_id, DeviceType(memory.device), memory.device_index)
        for memory in found
    ]


__all__ = [
    "AllocationSpec",
    "DeviceType",
    "InternalError",
    "MemoryAlgoResult",
    "MemoryPlanningAlgorithmSuite",
    "MemoryPlanningError",
    "MemoryPlanningPass",
    "NonConstBufferDevice",
    "SharedObject",
    "SpecAllocResult",
    "TensorShapeDynamism",
    "TensorSpec",
    "Verifier",
    "apply_algo",
    "collect_specs_from_nodes",
    "do_user_inputs_exist",
    "exact",
    "filter_nodes",
    "get_cond_nodes",
    "get_graph_input_tensors",
    "get_graph_output_tensors",
    "get_input_specs",
    "get_map_nodes",
    "get_node_tensor_specs",
    "get_return_specs",
    "get_scan_nodes",
    "get_while_nodes",
    "greedy",
    "insert_calls_to_free",
    "internal_assert",
    "is_inplace_node",
    "is_inplace_variant",
    "is_mutable_buffer",
    "is_out_var_node",
    "is_out_variant",
    "naive",
    "output_to_aliased_input_map",
    "pick_shared_obj",
    "unwrap_op_overload",
    "update_all_tensors_lifetime",
    "update_tensor_lifetime",
]

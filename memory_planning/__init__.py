"""Memory planning: lifetimes of values, places in a few arenas, proof and inspection of the plan."""

from executorch.memory_planning.algorithms import AllocationSpec, SharedObject, greedy, naive, pick_shared_obj
from executorch.memory_planning.apply import BUFFER_DEVICES, apply_algo
from executorch.memory_planning.arena_functions import ARENA_FUNCTIONS, ArenaFunctions
from executorch.memory_planning.checker import check_plan
from executorch.memory_planning.collect import (
    collect_specs_from_nodes,
    do_user_inputs_exist,
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
    insert_calls_to_free,
    is_inplace_node,
    is_mutable_buffer,
    is_out_var_node,
    update_tensor_lifetime,
)
from executorch.memory_planning.errors import MemoryPlanningError
from executorch.memory_planning.exact import exact
from executorch.memory_planning.lower_bound import lower_bound
from executorch.memory_planning.memory_planning_pass import BUFFER_SIZES, MemoryPlanningPass
from executorch.memory_planning.packing import best_of_packings
from executorch.memory_planning.plan import MemoryAlgoResult, SpecAllocResult
from executorch.memory_planning.plan_image import draw_plan, write_plan_png
from executorch.memory_planning.pools import Pool, PoolPlanner
from executorch.memory_planning.report import MemoryReport, memory_report
from executorch.memory_planning.suite import MemoryPlanningAlgorithmSuite
from executorch.memory_planning.timeline import Timeline, build_timeline, update_all_tensors_lifetime
from executorch.memory_planning.trace import (
    Allocation,
    MemoryTimeline,
    create_tensor_allocation_info,
    generate_memory_trace,
)
from executorch.memory_planning.verifier import Verifier

__all__ = [
    "ARENA_FUNCTIONS",
    "BUFFER_DEVICES",
    "BUFFER_SIZES",
    "Allocation",
    "AllocationSpec",
    "ArenaFunctions",
    "MemoryAlgoResult",
    "MemoryPlanningAlgorithmSuite",
    "MemoryPlanningError",
    "MemoryPlanningPass",
    "MemoryReport",
    "MemoryTimeline",
    "Pool",
    "PoolPlanner",
    "SharedObject",
    "SpecAllocResult",
    "Timeline",
    "Verifier",
    "apply_algo",
    "best_of_packings",
    "build_timeline",
    "check_plan",
    "collect_specs_from_nodes",
    "create_tensor_allocation_info",
    "do_user_inputs_exist",
    "draw_plan",
    "exact",
    "filter_nodes",
    "generate_memory_trace",
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
    "is_inplace_node",
    "is_mutable_buffer",
    "is_out_var_node",
    "lower_bound",
    "memory_report",
    "naive",
    "pick_shared_obj",
    "update_all_tensors_lifetime",
    "update_tensor_lifetime",
    "write_plan_png",
]

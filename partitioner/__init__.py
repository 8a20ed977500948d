"""The partitioner and delegate API: what backend vendors write against. See README.md."""

from executorch.ir.former_paths import keep_former_paths
from executorch.partitioner.inspection.delegated_graph import (
    format_delegated_graph,
    get_delegated_payload,
    get_delegates,
    get_non_lowered_nodes,
    is_shape_dynamic,
    print_delegated_graph,
)
from executorch.partitioner.inspection.delegation_info import (
    DelegationBreakdown,
    DelegationInfo,
    get_delegation_info,
    print_delegation_info,
)
from executorch.partitioner.inspection.graph_comparison import is_identical_graph
from executorch.partitioner.interface.backend_details import BackendDetails, PreprocessResult
from executorch.partitioner.interface.backend_lookup import (
    find_backend,
    register_backend,
    registered_backends,
)
from executorch.partitioner.interface.call_delegate import executorch_call_delegate
from executorch.partitioner.interface.compile_spec import CompileSpec, PreprocessOnlySpec
from executorch.partitioner.interface.delegate_mapping import DelegateMappingBuilder
from executorch.partitioner.interface.delegation import DelegationSpec, Partitioner, PartitionResult
from executorch.partitioner.interface.lowered_module import (
    LoweredBackendModule,
    get_lowered_backend_modules,
    get_lowered_submodules,
)
from executorch.partitioner.interface.named_data_store import NamedDataStore, NamedDataStoreOutput
from executorch.partitioner.replacement.backend_api import (
    MethodProgramsPartitionerSpec,
    disable_validation,
    to_backend,
    validation_disabled,
)
from executorch.partitioner.selection.all_node_partitioner import AllNodePartitioner
from executorch.partitioner.selection.config_partitioner import (
    ConfigerationBasedPartitioner,
    PartitionerConfig,
    format_target_name,
    is_constant_data,
)
from executorch.partitioner.selection.constants import (
    tag_constant_data,
    tag_mutated_buffer,
    tag_prepared_constants,
)
from executorch.partitioner.selection.duplicates import DuplicateDequantNodePass, duplicate_constant_node
from executorch.partitioner.selection.grouping import (
    Grouping,
    group_nodes,
    group_without_sizes_outside,
    read_outside,
)
from executorch.partitioner.selection.operator_support import (
    DontPartition,
    DontPartitionModule,
    DontPartitionName,
    DontSupportBase,
)
from executorch.partitioner.selection.partition_proposals import (
    GroupBasedPartitioner,
    TargetSupport,
    generate_grouped_partitions_from_list_of_nodes,
    generate_partitions_from_list_of_nodes,
    generate_pattern_op_partitions,
    source_groups,
)
from executorch.partitioner.selection.quantized_partitions import (
    remove_first_quant_and_last_dequant,
    replace_quantized_partition_with_op,
)
from executorch.partitioner.selection.reasons import (
    Reason,
    ReportRejected,
    WhyNoPartition,
    WhyNoPartitionReporter,
    format_reasons,
    get_reasons,
    note_reason,
    print_reasons,
)
from executorch.partitioner.selection.tagging import tag_groups

__all__ = [
    "AllNodePartitioner",
    "BackendDetails",
    "CompileSpec",
    "ConfigerationBasedPartitioner",
    "DelegateMappingBuilder",
    "DelegationBreakdown",
    "DelegationInfo",
    "DelegationSpec",
    "DontPartition",
    "DontPartitionModule",
    "DontPartitionName",
    "DontSupportBase",
    "DuplicateDequantNodePass",
    "GroupBasedPartitioner",
    "Grouping",
    "LoweredBackendModule",
    "MethodProgramsPartitionerSpec",
    "NamedDataStore",
    "NamedDataStoreOutput",
    "PartitionResult",
    "Partitioner",
    "PartitionerConfig",
    "PreprocessOnlySpec",
    "PreprocessResult",
    "Reason",
    "ReportRejected",
    "TargetSupport",
    "WhyNoPartition",
    "WhyNoPartitionReporter",
    "disable_validation",
    "duplicate_constant_node",
    "executorch_call_delegate",
    "find_backend",
    "format_delegated_graph",
    "format_reasons",
    "format_target_name",
    "generate_grouped_partitions_from_list_of_nodes",
    "generate_partitions_from_list_of_nodes",
    "generate_pattern_op_partitions",
    "get_delegated_payload",
    "get_delegates",
    "get_delegation_info",
    "get_lowered_backend_modules",
    "get_lowered_submodules",
    "get_non_lowered_nodes",
    "get_reasons",
    "group_nodes",
    "group_without_sizes_outside",
    "is_constant_data",
    "is_identical_graph",
    "is_shape_dynamic",
    "note_reason",
    "print_delegated_graph",
    "print_delegation_info",
    "print_reasons",
    "read_outside",
    "register_backend",
    "registered_backends",
    "remove_first_quant_and_last_dequant",
    "replace_quantized_partition_with_op",
    "source_groups",
    "tag_constant_data",
    "tag_groups",
    "tag_mutated_buffer",
    "tag_prepared_constants",
    "to_backend",
    "validation_disabled",
]

#: The folders: what vendors implement, and the steps of delegation.
FOLDERS = ("interface", "selection", "extraction", "replacement", "inspection")

keep_former_paths(__name__, FOLDERS)

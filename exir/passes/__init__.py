"""The lowering passes under their documented names."""

from executorch.exir._submodules import submodule_getter
from executorch.memory_planning import MemoryPlanningPass
from executorch.passes.infrastructure.export_pass import ExportPass
from executorch.passes.infrastructure.pass_base import PassBase, PassResult
from executorch.passes.infrastructure.pass_manager import ExportedProgramPassManager
from executorch.passes.on_request.common_passes import (
    dead_code_elimination_pass,
    make_alloc_node,
    propagate_dynamic_shape,
    update_args,
)
from executorch.passes.on_request.const_prop_pass import ConstPropPass
from executorch.passes.on_request.cse_pass import CSEPass
from executorch.passes.on_request.debug_pass import DebugPass
from executorch.passes.on_request.normalize_passes import (
    NormalizeTransposePass,
    NormalizeViewCopyBasePass,
    PruneEmptyTensorsPass,
    RemoveToCopyPass,
)
from executorch.passes.on_request.replace_sym_size_op_pass import ReplaceSymSizeOpPass
from executorch.passes.on_request.to_scratch_op_pass import to_scratch_op_pass
from executorch.passes.optimization.remove_unused_parameters_pass import remove_unused_parameters_pass
from executorch.passes.quantized.quant_fusion_pass import QuantFusionPass
from executorch.passes.quantized.quantize_pairs_pass import FoldRedundantDequantizeQuantizePass
from executorch.passes.to_edge.debug_handle_generator_pass import DebugHandleGeneratorPass
from executorch.passes.to_edge.edge_ops_pass import OpReplacePass
from executorch.passes.to_edge.functionalize_views_pass import FunctionalizeViewsPass
from executorch.passes.to_edge.memory_format_ops_pass import DimOrderOpsRevertPass, MemoryFormatOpsPass
from executorch.passes.to_edge.remove_graph_asserts_pass import (
    RemoveGraphAssertsPass,
    RemoveNonCoreAtenOpGraphAssertsPass,
)
from executorch.passes.to_edge.remove_noop_pass import RemoveNoopPass
from executorch.passes.to_edge.scalar_to_tensor_pass import ScalarToTensorPass
from executorch.passes.to_edge.type_promotion_pass import TypePromotionPass
from executorch.passes.to_execution.insert_write_back_for_buffers_pass import (
    InsertWriteBackForBuffersPass,
    insert_write_back_for_buffers_pass,
)
from executorch.passes.to_execution.legalize_portable_dim_order_pass import LegalizePortableDimOrderPass
from executorch.passes.to_execution.replace_edge_with_backend_pass import EdgeToBackendOpsPass
from executorch.passes.to_execution.replace_view_copy_with_view_pass import ReplaceViewCopyWithViewPass
from executorch.passes.to_execution.spec_prop_pass import SpecPropPass
from executorch.passes.to_execution.sym_shape_eval_pass import (
    ConstraintBasedSymShapeEvalPass,
    HintBasedSymShapeEval,
    HintBasedSymShapeEvalPass,
    ValueRangeBasedSymShapeEval,
)
from executorch.passes.to_execution.to_out_var_pass import ToOutVarPass

#: The names under which published code knows two of them.
ReplaceBrokenOpsWithFunctionalOpsPass = FunctionalizeViewsPass
SymToTensorPass = ScalarToTensorPass

__getattr__ = submodule_getter(
    __name__,
    "const_prop_pass constant_prop_pass convert_constant_dim_order_pass cse_pass"
    " debug_handle_generator_pass dim_order_ops_registry executorch_prim_ops_registry"
    " external_constants_pass fold_redundant_qdq_pass fuse_batch_norm_pass fuse_linear_pass"
    " init_mutable_pass insert_write_back_for_buffers_pass legalize_portable_dim_order_pass"
    " memory_format_ops_pass memory_planning_pass normalize_transpose_pass"
    " normalize_view_copy_base_pass pass_registry prune_empty_tensors_pass quant_fusion_pass"
    " propagate_device_config propagate_device_pass _device_copy_ops_registry _quant_patterns_and_replacements"
    " quantize_io_pass reinplace remove_graph_asserts_pass remove_mixed_type_operators"
    " remove_noop_pass remove_unused_parameters_pass replace_aten_with_edge_pass"
    " replace_broken_ops_with_function_ops_pass replace_edge_with_backend_pass"
    " replace_sym_size_op_pass replace_view_copy_with_view_pass scalar_to_tensor_pass spec_prop_pass"
    " sym_shape_eval_pass sym_to_tensor_pass to_out_var_pass weights_to_outputs_pass",
)

__all__ = [
    "CSEPass",
    "ConstPropPass",
    "ConstraintBasedSymShapeEvalPass",
    "DebugHandleGeneratorPass",
    "DebugPass",
    "DimOrderOpsRevertPass",
    "EdgeToBackendOpsPass",
    "ExportPass",
    "ExportedProgramPassManager",
    "FoldRedundantDequantizeQuantizePass",
    "FunctionalizeViewsPass",
    "HintBasedSymShapeEval",
    "HintBasedSymShapeEvalPass",
    "InsertWriteBackForBuffersPass",
    "LegalizePortableDimOrderPass",
    "MemoryFormatOpsPass",
    "MemoryPlanningPass",
    "NormalizeTransposePass",
    "NormalizeViewCopyBasePass",
    "OpReplacePass",
    "PassBase",
    "PassResult",
    "PruneEmptyTensorsPass",
    "QuantFusionPass",
    "RemoveGraphAssertsPass",
    "RemoveNonCoreAtenOpGraphAssertsPass",
    "RemoveNoopPass",
    "RemoveToCopyPass",
    "ReplaceBrokenOpsWithFunctionalOpsPass",
    "ReplaceSymSizeOpPass",
    "ReplaceViewCopyWithViewPass",
    "ScalarToTensorPass",
    "SpecPropPass",
    "SymToTensorPass",
    "ToOutVarPass",
    "TypePromotionPass",
    "ValueRangeBasedSymShapeEval",
    "dead_code_elimination_pass",
    "insert_write_back_for_buffers_pass",
    "make_alloc_node",
    "propagate_dynamic_shape",
    "remove_unused_parameters_pass",
    "to_scratch_op_pass",
    "update_args",
]

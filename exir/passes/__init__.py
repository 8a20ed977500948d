"""The lowering passes under their documented names."""

from executorch.memory_planning import MemoryPlanningPass
from executorch.passes.common_passes import (
    dead_code_elimination_pass,
    make_alloc_node,
    propagate_dynamic_shape,
    update_args,
)
from executorch.passes.cse_pass import CSEPass
from executorch.passes.debug_handle_generator_pass import DebugHandleGeneratorPass
from executorch.passes.debug_pass import DebugPass
from executorch.passes.edge_ops_pass import OpReplacePass
from executorch.passes.export_pass import ExportPass
from executorch.passes.functionalize_views_pass import FunctionalizeViewsPass
from executorch.passes.insert_write_back_for_buffers_pass import (
    InsertWriteBackForBuffersPass,
    insert_write_back_for_buffers_pass,
)
from executorch.passes.legalize_portable_dim_order_pass import LegalizePortableDimOrderPass
from executorch.passes.memory_format_ops_pass import DimOrderOpsRevertPass, MemoryFormatOpsPass
from executorch.passes.normalize_passes import (
    NormalizeTransposePass,
    NormalizeViewCopyBasePass,
    PruneEmptyTensorsPass,
    RemoveToCopyPass,
)
from executorch.passes.pass_base import PassBase, PassResult
from executorch.passes.pass_manager import ExportedProgramPassManager
from executorch.passes.quant_fusion_pass import QuantFusionPass
from executorch.passes.quantize_pairs_pass import FoldRedundantDequantizeQuantizePass
from executorch.passes.remove_graph_asserts_pass import (
    RemoveGraphAssertsPass,
    RemoveNonCoreAtenOpGraphAssertsPass,
)
from executorch.passes.remove_noop_pass import RemoveNoopPass
from executorch.passes.remove_unused_parameters_pass import remove_unused_parameters_pass
from executorch.passes.replace_edge_with_backend_pass import EdgeToBackendOpsPass
from executorch.passes.replace_sym_size_op_pass import ReplaceSymSizeOpPass
from executorch.passes.replace_view_copy_with_view_pass import ReplaceViewCopyWithViewPass
from executorch.passes.scalar_to_tensor_pass import ScalarToTensorPass
from executorch.passes.spec_prop_pass import SpecPropPass
from executorch.passes.sym_shape_eval_pass import (
    ConstraintBasedSymShapeEvalPass,
    HintBasedSymShapeEval,
    HintBasedSymShapeEvalPass,
    ValueRangeBasedSymShapeEval,
)
from executorch.passes.to_out_var_pass import ToOutVarPass
from executorch.passes.type_promotion_pass import TypePromotionPass

#: The names under which published code knows two of them.
ReplaceBrokenOpsWithFunctionalOpsPass = FunctionalizeViewsPass
SymToTensorPass = ScalarToTensorPass

__all__ = [
    "CSEPass",
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
    "update_args",
]

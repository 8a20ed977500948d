"""The lowering passes under their documented names."""

from executorch.memory_planning import MemoryPlanningPass
from executorch.passes.debug_handle_generator_pass import DebugHandleGeneratorPass
from executorch.passes.edge_ops_pass import OpReplacePass
from executorch.passes.functionalize_views_pass import FunctionalizeViewsPass
from executorch.passes.insert_write_back_for_buffers_pass import InsertWriteBackForBuffersPass
from executorch.passes.memory_format_ops_pass import DimOrderOpsRevertPass, MemoryFormatOpsPass
from executorch.passes.remove_graph_asserts_pass import (
    RemoveGraphAssertsPass,
    RemoveNonCoreAtenOpGraphAssertsPass,
)
from executorch.passes.remove_noop_pass import RemoveNoopPass
from executorch.passes.replace_edge_with_backend_pass import EdgeToBackendOpsPass
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

__all__ = [
    "ConstraintBasedSymShapeEvalPass",
    "DebugHandleGeneratorPass",
    "DimOrderOpsRevertPass",
    "EdgeToBackendOpsPass",
    "FunctionalizeViewsPass",
    "HintBasedSymShapeEval",
    "HintBasedSymShapeEvalPass",
    "InsertWriteBackForBuffersPass",
    "MemoryFormatOpsPass",
    "MemoryPlanningPass",
    "OpReplacePass",
    "RemoveGraphAssertsPass",
    "RemoveNonCoreAtenOpGraphAssertsPass",
    "RemoveNoopPass",
    "ReplaceViewCopyWithViewPass",
    "ScalarToTensorPass",
    "SpecPropPass",
    "ToOutVarPass",
    "TypePromotionPass",
    "ValueRangeBasedSymShapeEval",
]

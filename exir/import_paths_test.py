"""Every documented import path resolves, names one object, and importing them is cheap."""

import importlib
import os
import subprocess
import sys

import pytest

PATHS = {
    "executorch.exir": "CaptureConfig EdgeCompileConfig EdgeProgramManager ExecutorchBackendConfig"
    " ExecutorchProgramManager ExportError ExportPass to_edge to_edge_transform_and_lower to_edge_with_preserved_ops",
    "executorch.exir._serialize": "PTEFile deserialize_pte_binary serialize_pte_binary _deserialize_pte_binary"
    " _serialize_pte_binary",
    "executorch.exir._serialize._flatbuffer_program": "_flatbuffer_to_program _program_to_flatbuffer",
    "executorch.exir._serialize._program": "PTEFile deserialize_pte_binary serialize_pte_binary",
    "executorch.exir._serialize._serialize": "serialize_for_executorch",
    "executorch.exir._serialize.data_serializer": "Cord DataEntry DataPayload DataSerializer",
    "executorch.exir._serialize.padding": "aligned_size pad_to padding_required",
    "executorch.exir.backend.backend_api": "LoweredBackendModule MethodProgramsPartitionerSpec to_backend",
    "executorch.exir.backend.backend_details": "BackendDetails CompileSpec PreprocessResult",
    "executorch.exir.backend.compile_spec_schema": "CompileSpec",
    "executorch.exir.backend.partitioner": "DelegationSpec PartitionResult Partitioner",
    "executorch.exir.backend.utils": "format_delegated_graph print_delegated_graph tag_constant_data",
    "executorch.exir.banked_memory_planning": "Bank BankPlacementError BankedGreedy TargetMemoryMap"
    " banked_memory_planning_pass format_placement_report planned_mem_ids",
    "executorch.exir.capture": "CaptureConfig EdgeCompileConfig ExecutorchBackendConfig",
    "executorch.exir.capture._config": "CaptureConfig EdgeCompileConfig ExecutorchBackendConfig",
    "executorch.exir.debug_handle_utils": "DEBUG_HANDLE_KEY FROM_NODE_KEY UNSET_DEBUG_HANDLE"
    " get_greatest_ancestor_node_identifier",
    "executorch.exir.delegate": "executorch_call_delegate",
    "executorch.exir.dialects._ops": "bind_pattern_to_op ops",
    "executorch.exir.dialects.edge._ops": "AllowedDtypeSet EdgeDialectArgument EdgeDialectFunctionSchema EdgeOpOverload"
    " EdgeOpOverloadPacket FunctionDtypeConstraint",
    "executorch.exir.dim_order_utils": "dim_order_from_stride",
    "executorch.exir.emit": "EmitterOutput emit_program",
    "executorch.exir.emit._emitter": "_Argument _DelegateDebugIdentifierMap _Target",
    "executorch.exir.error": "ExportError ExportErrorType InternalError internal_assert",
    "executorch.exir.lowered_backend_module": "LoweredBackendModule create_submodule_from_nodes"
    " get_lowered_backend_modules",
    "executorch.exir.memory": "alloc free view",
    "executorch.exir.memory_planning": "greedy naive",
    "executorch.exir.pass_base": "Argument ExportPass NodeMetadata PassBase PassResult ProxyValue Value map_args",
    "executorch.exir.pass_manager": "ExportedProgramPassBase ExportedProgramPassManager PassManager",
    "executorch.exir.passes": "ConstraintBasedSymShapeEvalPass DebugHandleGeneratorPass HintBasedSymShapeEvalPass"
    " MemoryPlanningPass SpecPropPass ToOutVarPass to_scratch_op_pass",
    "executorch.exir.passes.const_prop_pass": "ConstPropPass",
    "executorch.exir.passes.constant_prop_pass": "constant_prop_pass create_constant_nodes_and_return_specs"
    " get_constant_placeholder_dict get_data get_propagated_const_tensor_dict is_const is_constant_buffer"
    " replace_with_constant_node",
    "executorch.exir.passes.external_constants_pass": "delegate_external_constants_pass_unlifted"
    " external_constants_pass",
    "executorch.exir.passes.memory_planning_pass": "MemoryPlanningPass",
    "executorch.exir.passes.replace_edge_with_backend_pass": "EdgeToBackendOpsPass",
    "executorch.exir.passes.spec_prop_pass": "SpecPropPass",
    "executorch.exir.passes.sym_shape_eval_pass": "HintBasedSymShapeEval ValueRangeBasedSymShapeEval",
    "executorch.exir.passes.to_out_var_pass": "ToOutVarPass",
    "executorch.exir.print_program": "add_cursor_to_graph inspect_node pretty_print print_program",
    "executorch.exir.program": "EdgeProgramManager ExecutorchProgramManager to_edge to_edge_transform_and_lower",
    "executorch.exir.program._program": "EdgeProgramManager ExecutorchProgramManager to_edge",
    "executorch.exir.schema": "ExecutionPlan KernelCall Program ScalarType Tensor TensorShapeDynamism",
    "executorch.exir.tensor": "ExtraTensorInfo TensorSpec dim_order_from_stride stride_from_dim_order",
    "executorch.exir._warnings": "ExperimentalWarning deprecated experimental",
    "executorch.exir.capture._capture": "CallSpec capture",
    "executorch.exir.common": "extract_out_arguments format_schema_name get_schema_for_operators no_dispatch"
    " override_logger setting_python_recursive_limit",
    "executorch.exir.dialects.backend._ops": "BackendOpOverload BackendOpOverloadPacket",
    "executorch.exir.dynamic_shape": "DynamicMemoryPlanningMode",
    "executorch.exir.emit._emit_program": "EmitterOutput emit_program",
    "executorch.exir.graph_module": "bfs_trace_with_node_process contains_any_call_fn_target_op get_cond_while_submodules"
    " get_control_flow_submodules get_scan_submodules",
    "executorch.exir.operator.convert": "get_op_overload get_out_args_from_opoverload get_out_args_from_schema is_inplace_variant"
    " is_out_variant parse_qualified_opname schema_to_opoverload to_out_variant to_scratch_op"
    " unwrap_op_overload",
    "executorch.exir.operator.util": "gen_out_variant_schema",
    "executorch.exir.passes.cse_pass": "CSEPass",
    "executorch.exir.passes.dim_order_ops_registry": "DimOrderOpsMap MemoryFormatOpsMap",
    "executorch.exir.passes.executorch_prim_ops_registry": "is_sym_op",
    "executorch.exir.passes.fold_redundant_qdq_pass": "FoldRedundantDequantizeQuantizePass",
    "executorch.exir.passes.init_mutable_pass": "InitializedMutableBufferPass",
    "executorch.exir.passes.insert_write_back_for_buffers_pass": "insert_write_back_for_buffers_pass",
    "executorch.exir.passes.memory_format_ops_pass": "DimOrderOpsRevertPass MemoryFormatOpsPass",
    "executorch.exir.passes.normalize_transpose_pass": "NormalizeTransposePass",
    "executorch.exir.passes.normalize_view_copy_base_pass": "NormalizeViewCopyBasePass",
    "executorch.exir.passes.pass_registry": "PassRegistry",
    "executorch.exir.passes.prune_empty_tensors_pass": "PruneEmptyTensorsPass",
    "executorch.exir.passes._device_copy_ops_registry": "LIBRARY",
    "executorch.exir.passes._quant_patterns_and_replacements": "LIBRARIES QUANTIZED_SCHEMAS _trace_and_lower_to_edge_ops",
    "executorch.exir.passes.propagate_device_config": "PropagateDeviceConfig",
    "executorch.exir.passes.propagate_device_pass": "PropagateDevicePass TARGET_DEVICE_COMPILE_SPEC_KEY",
    "executorch.exir.passes.quant_fusion_pass": "QuantFusionPass quant_fusion_and_const_prop_pass",
    "executorch.exir.passes.quantize_io_pass": "QuantizeInputs QuantizeOutputs extract_io_quant_params"
    " get_config_method_name quantize_input quantize_output",
    "executorch.exir.passes.reinplace": "DEFAULT_INPLACEABLE_OPS reinplace_pass",
    "executorch.exir.passes.remove_graph_asserts_pass": "RemoveGraphAssertsPass",
    "executorch.exir.passes.remove_mixed_type_operators": "RemoveMixedTypeOperators",
    "executorch.exir.passes.remove_noop_pass": "RemoveNoopPass RemoveToCopyPass eliminate_dq_q",
    "executorch.exir.passes.replace_aten_with_edge_pass": "OpReplacePass aten_to_edge should_lower_to_edge",
    "executorch.exir.passes.replace_broken_ops_with_function_ops_pass": "ReplaceBrokenOpsWithFunctionalOpsPass",
    "executorch.exir.passes.replace_view_copy_with_view_pass": "ReplaceViewCopyWithViewPass",
    "executorch.exir.passes.scalar_to_tensor_pass": "ScalarToTensorPass",
    "executorch.exir.passes.sym_to_tensor_pass": "SymToTensorPass",
    "executorch.exir.passes.weights_to_outputs_pass": "weights_to_outputs_pass",
    "executorch.exir.scalar_type": "ScalarType",
    "executorch.exir.serde.export_serialize": "SerializedArtifact",
    "executorch.exir.serde.schema": "SCHEMA_VERSION",
    "executorch.exir.serde.schema_check": "check",
    "executorch.exir.serde.serialize": "deserialize load save serialize",
    "executorch.exir.serde.union": "_Union",
    "executorch.exir.sym_util": "eval_expr eval_shape eval_shape_upper_bound eval_upper_bound",
    "executorch.exir.tracer": "ExirDynamoConfig Value",
    "executorch.exir.types": "LeafValueSpec ScalarSpec TensorSpec ValueSpec",
    "executorch.exir.verification.arg_validator": "EdgeOpArgValidator RunHigherOrderOperatorError",
    "executorch.exir.version": "EXECUTORCH_SCHEMA_VERSION",
    "executorch.exir.verification.verifier": "EXIRATenDialectVerifier EXIREdgeDialectVerifier EdgeVerifier get_aten_verifier"
    " verify_edge_graph",
}


@pytest.mark.parametrize("path", PATHS)
def test_documented_paths(path):
    module = importlib.import_module(path)
    missing = [name for name in PATHS[path].split() if not hasattr(module, name)]
    assert not missing
    assert set(PATHS[path].split()) <= set(module.__all__)


def test_an_object_is_the_same_by_every_path():
    from executorch.dialects import memory
    from executorch.exir import ExportPass, program
    from executorch.exir.memory import alloc
    from executorch.exir.pass_base import ExportPass as FromPassBase

    assert alloc is memory.alloc and ExportPass is FromPassBase
    assert importlib.import_module("executorch.exir").to_edge is program.to_edge


_ATTRIBUTES = """
from executorch import exir
from executorch.exir.dialects._ops import ops
assert exir.memory.alloc and exir.error.ExportError and exir.dialects._ops.ops is ops
assert exir.backend.partitioner.Partitioner and exir.dialects.edge._ops.EdgeOpOverload
assert exir.passes.spec_prop_pass.SpecPropPass is exir.passes.SpecPropPass and callable(exir.capture)
from executorch.exir.capture import CallSpec, capture
assert capture is exir.capture and CallSpec is exir.CallSpec
print([hasattr(package, "nothing") for package in (exir, exir.backend, exir.dialects, exir.passes)])
"""


def test_rooms_are_attributes_without_an_import_of_their_own():
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-c", _ATTRIBUTES]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.strip() == str([False] * 4)


_PROBE = """
import sys, torch
before = set(sys.modules)
import executorch.exir
print(*sorted({module.partition(".")[0] for module in set(sys.modules) - before}))
print(*sorted({"torch._dynamo", "torch._inductor"} & (set(sys.modules) - before)))
"""


def test_importing_is_cheap():
    """Nothing large comes along; how long it takes is printed by ``//tests/benchmarks:lowering``."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-c", _PROBE]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    packages, heavy = done.stdout.split("\n")[:2]
    assert "executorch" in packages.split() and not heavy
    assert not {"sympy", "yaml", "networkx", "numpy", "pandas", "torchao"} & set(packages.split())

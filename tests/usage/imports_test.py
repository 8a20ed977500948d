"""The imports that exporters, tutorials and applications of other projects write resolve, most frequent first.

Collected from public code that uses the documented system: exporters of transformers, optimum and ultralytics, the
examples of hardware vendors, mobile packages, and scripts. A name with parameters is one that is called with these.
"""

import importlib
import inspect

import pytest

#: Module -> names; ``name(a, b)`` is called with arguments of these names.
IMPORTS = {
    "executorch.backends.transforms.duplicate_dynamic_quant_chain": "DuplicateDynamicQuantChainPass",
    "executorch.backends.transforms.remove_getitem_op": "RemoveGetItemPass",
    "executorch.backends.transforms.replace_scalar_with_tensor": "ReplaceScalarWithTensorArgPass",
    "executorch.backends.transforms.utils": "create_constant_placeholder create_mutable_buffer get_param_tensor is_param_node",
    "executorch.backends.xnnpack": "XnnpackPartitioner",
    "executorch.backends.xnnpack.operators.node_visitor": "NodeVisitor register_node_visitor _node_visitor_dict",
    "executorch.backends.xnnpack.partition.config": "ALL_PARTITIONER_CONFIGS",
    "executorch.backends.xnnpack.partition.config.generic_node_configs": "GenericNodePartitionerConfig.check_common_constraints(node,ep)",
    "executorch.backends.xnnpack.partition.config.node_configs": "PreluConfig.check_constraints(node,ep)",
    "executorch.backends.xnnpack.partition.config.xnnpack_config": "ConfigPrecisionType XNNPartitionerConfig",
    "executorch.backends.xnnpack.partition.xnnpack_partitioner": "XnnpackDynamicallyQuantizedPartitioner "
    "XnnpackPartitioner(configs,config_precisions,per_op_mode,verbose)",
    "executorch.backends.xnnpack.quantizer.xnnpack_quantizer": "XNNPACKQuantizer "
    "get_symmetric_quantization_config(is_per_channel,is_qat,is_dynamic)",
    "executorch.backends.xnnpack.serialization.xnnpack_graph_schema": "XNNStaticReshape XNode",
    "executorch.backends.xnnpack.utils.configs": "get_xnnpack_edge_compile_config",
    "executorch.backends.xnnpack.utils.quant_utils": "is_dequant is_quant",
    "executorch.backends.xnnpack.utils.utils": "get_input_node",
    "executorch.devtools": "BundledProgram Inspector(etdump_path,etrecord,source_time_scale,target_time_scale,debug_buffer_path,reference_graph_name) "
    "generate_etrecord parse_etrecord",
    "executorch.devtools.backend_debug": "DelegationBreakdown get_delegation_info",
    "executorch.devtools.bundled_program.config": "MethodTestCase(inputs,expected_outputs) MethodTestSuite(method_name,test_cases)",
    "executorch.devtools.bundled_program.serialize": "serialize_from_bundled_program_to_flatbuffer "
    "deserialize_from_flatbuffer_to_bundled_program",
    "executorch.devtools.etrecord": "ETRecord generate_etrecord parse_etrecord",
    "executorch.devtools.inspector": "Event EventBlock Inspector TimeScale",
    "executorch.examples.xnnpack": "MODEL_NAME_TO_OPTIONS QuantType XNNPACKOptions",
    "executorch.examples.xnnpack.quantization.utils": "quantize(model,example_inputs,quant_type)",
    "executorch.exir": "CaptureConfig EdgeCompileConfig(_check_ir_validity,_skip_dim_order,_core_aten_ops_exception_list) "
    "EdgeProgramManager.to_executorch(config) EdgeProgramManager.transform ExecutorchBackendConfig(passes,"
    "memory_planning_pass,extract_delegate_segments,external_constants,sym_shape_eval_pass,do_quant_fusion_and_const_prop) "
    "ExecutorchProgram ExecutorchProgramManager.write_to_file ExecutorchProgramManager.write_tensor_data_to_file "
    "ExirExportedProgram ExportedProgram capture to_edge(programs,constant_methods,compile_config,generate_etrecord) "
    "to_edge_transform_and_lower(transform_passes,partitioner,constant_methods,compile_config,generate_etrecord)",
    "executorch.exir._serialize._program": "PTEFile deserialize_pte_binary(program_data) serialize_pte_binary",
    "executorch.exir.backend.backend_api": "LoweredBackendModule to_backend",
    "executorch.exir.backend.backend_details": "BackendDetails CompileSpec ExportedProgram "
    "PreprocessResult(processed_bytes,debug_handle_map,data_store_output)",
    "executorch.exir.backend.canonical_partitioners.config_partitioner": "format_target_name",
    "executorch.exir.backend.canonical_partitioners.pattern_op_partitioner": "generate_partitions_from_list_of_nodes "
    "generate_pattern_op_partitions",
    "executorch.exir.backend.compile_spec_schema": "CompileSpec(key,value)",
    "executorch.exir.backend.partitioner": "DelegationSpec(backend_id,compile_specs) PartitionResult Partitioner.partition "
    "Partitioner.ops_to_not_decompose",
    "executorch.exir.backend.utils": "DelegateMappingBuilder WhyNoPartition format_delegated_graph print_delegated_graph "
    "tag_constant_data tag_mutated_buffer",
    "executorch.exir.capture._config": "CaptureConfig EdgeCompileConfig ExecutorchBackendConfig",
    "executorch.exir.delegate": "executorch_call_delegate",
    "executorch.exir.dialects._ops": "ops",
    "executorch.exir.dialects.edge._ops": "EdgeOpOverload",
    "executorch.exir.emit": "emit_program",
    "executorch.exir.lowered_backend_module": "LoweredBackendModule",
    "executorch.exir.memory_planning": "MemoryPlanningAlgorithmSuite greedy",
    "executorch.exir.pass_base": "ExportPass.call ExportPass.call_operator ExportedProgramPassBase ExportedProgramPassResult "
    "NodeMetadata PassBase PassResult ProxyValue",
    "executorch.exir.pass_manager": "PassManager PassType",
    "executorch.exir.passes": "MemoryPlanningPass(memory_planning_algo,alloc_graph_input,alloc_graph_output,"
    "alloc_mutable_buffers) SpecPropPass ToOutVarPass dead_code_elimination_pass",
    "executorch.exir.passes.constant_prop_pass": "constant_prop_pass",
    "executorch.exir.passes.executorch_prim_ops_registry": "_EXECUTORCH_SYM_OPS _PYTHON_SYM_OPS_TO_EXECUTORCH_SYM_OPS",
    "executorch.exir.passes.external_constants_pass": "delegate_external_constants_pass_unlifted(module,gen_tag_fn,ep) "
    "external_constants_pass",
    "executorch.exir.passes.init_mutable_pass": "InitializedMutableBufferPass",
    "executorch.exir.passes.insert_write_back_for_buffers_pass": "insert_write_back_for_buffers_pass",
    "executorch.exir.passes.memory_planning_pass": "MemoryPlanningPass",
    "executorch.exir.passes.propagate_device_pass": "TARGET_DEVICE_COMPILE_SPEC_KEY",
    "executorch.exir.passes.prune_empty_tensors_pass": "PruneEmptyTensorsPass.remove_empty_tensors_from_cat(graph_module,cat_node)",
    "executorch.exir.passes.quant_fusion_pass": "QuantFusionPass",
    "executorch.exir.passes.reinplace": "DEFAULT_INPLACEABLE_OPS reinplace_pass",
    "executorch.exir.passes.replace_view_copy_with_view_pass": "ReplaceViewCopyWithViewPass.call ReplaceViewCopyWithViewPass.ensures "
    "_VIEW_OP _ViewSpec _is_view_copy dim_order_from_stride",
    "executorch.exir.passes.spec_prop_pass": "SpecPropPass.update_placeholder_tensor_specs _is_mutable_buffer",
    "executorch.exir.passes.sym_shape_eval_pass": "ConstraintBasedSymShapeEvalPass HintBasedSymShapeEvalPass eval_upper_bound",
    "executorch.exir.program": "EdgeProgramManager ExecutorchProgramManager to_edge_transform_and_lower",
    "executorch.exir.program._program": "EdgeProgramManager _transform lift_constant_tensor_pass to_edge_transform_and_lower",
    "executorch.exir.schema": "DelegateCall DeviceType Program Tensor",
    "executorch.exir.sym_util": "eval_expr eval_upper_bound",
    "executorch.exir.tensor": "TensorSpec determine_tensor_dynanism dim_order_from_stride",
    "executorch.exir.tensor_layout": "dim_order_from_stride",
    "executorch.exir.tracer": "Value",
    "executorch.exir.verification.verifier": "_EXECUTORCH_SYM_OPS _check_tensor_args_matching_op_allowed_dtype(gm)",
    "executorch.export": "ExportRecipe RecipeType StageType export recipe_registry",
    "executorch.extension.export_util.utils": "export_to_edge export_to_exec_prog save_pte_program(prog,model_name,output_dir)",
    "executorch.extension.pybindings.portable_lib": "ExecuTorchModule _get_operator_names _get_registered_backend_names "
    "_load_bundled_program_from_buffer _load_for_executorch _load_for_executorch_from_buffer "
    "_load_for_executorch_from_bundled_program _unsafe_reset_threadpool",
    "executorch.kernels.quantized": "",
    "executorch.runtime": "BackendRegistry Method Method.execute OperatorRegistry Program Program.load_method "
    "Runtime.load_program(data,verification,enable_etdump,debug_buffer_size) Verification",
    "executorch.version": "__version__ git_version",
}


@pytest.mark.parametrize("module", IMPORTS)
def test_names_and_their_parameters(module):
    found = importlib.import_module(module)
    for text in IMPORTS[module].split():
        name, _, parameters = text.removesuffix(")").partition("(")
        value = found
        for part in name.split("."):
            assert hasattr(value, part), f"{module} has no {name}"
            value = getattr(value, part)
        if parameters:
            known = inspect.signature(value).parameters
            taken = any(parameter.kind is parameter.VAR_KEYWORD for parameter in known.values())
            missing = [one for one in parameters.split(",") if one not in known and not taken]
            assert not missing, f"{module}.{name} takes no {missing}"

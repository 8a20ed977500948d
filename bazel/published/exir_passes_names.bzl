"""The published names of exir/passes; README.md says how to read and change this."""

EXIR_PASSES = {
    "exir/passes/__init__": {
        "executorch.memory_planning": "MemoryPlanningPass",
        "executorch.passes.infrastructure.export_pass": "ExportPass",
        "executorch.passes.infrastructure.pass_base": "PassBase PassResult",
        "executorch.passes.infrastructure.pass_manager": "ExportedProgramPassManager",
        "executorch.passes.on_request.common_passes": """
            dead_code_elimination_pass make_alloc_node propagate_dynamic_shape update_args
        """,
        "executorch.passes.on_request.const_prop_pass": "ConstPropPass",
        "executorch.passes.on_request.cse_pass": "CSEPass",
        "executorch.passes.on_request.debug_pass": "DebugPass",
        "executorch.passes.on_request.normalize_passes": """
            NormalizeTransposePass NormalizeViewCopyBasePass PruneEmptyTensorsPass RemoveToCopyPass
        """,
        "executorch.passes.on_request.replace_sym_size_op_pass": "ReplaceSymSizeOpPass",
        "executorch.passes.on_request.to_device_pass": "ToDevicePass",
        "executorch.passes.on_request.to_scratch_op_pass": "to_scratch_op_pass",
        "executorch.passes.optimization.remove_unused_parameters_pass": "remove_unused_parameters_pass",
        "executorch.passes.quantized.quant_fusion_pass": "QuantFusionPass",
        "executorch.passes.quantized.quantize_pairs_pass": "FoldRedundantDequantizeQuantizePass",
        "executorch.passes.to_edge.debug_handle_generator_pass": "DebugHandleGeneratorPass",
        "executorch.passes.to_edge.edge_ops_pass": "OpReplacePass",
        "executorch.passes.to_edge.functionalize_views_pass": """
            FunctionalizeViewsPass ReplaceBrokenOpsWithFunctionalOpsPass=FunctionalizeViewsPass
        """,
        "executorch.passes.to_edge.memory_format_ops_pass": "DimOrderOpsRevertPass MemoryFormatOpsPass",
        "executorch.passes.to_edge.remove_graph_asserts_pass": "RemoveGraphAssertsPass RemoveNonCoreAtenOpGraphAssertsPass",
        "executorch.passes.to_edge.remove_noop_pass": "RemoveNoopPass",
        "executorch.passes.to_edge.scalar_to_tensor_pass": "ScalarToTensorPass SymToTensorPass=ScalarToTensorPass",
        "executorch.passes.to_edge.type_promotion_pass": "TypePromotionPass",
        "executorch.passes.to_execution.insert_write_back_for_buffers_pass": """
            InsertWriteBackForBuffersPass insert_write_back_for_buffers_pass
        """,
        "executorch.passes.to_execution.legalize_portable_dim_order_pass": "LegalizePortableDimOrderPass",
        "executorch.passes.to_execution.replace_edge_with_backend_pass": "EdgeToBackendOpsPass",
        "executorch.passes.to_execution.replace_view_copy_with_view_pass": "ReplaceViewCopyWithViewPass",
        "executorch.passes.to_execution.spec_prop_pass": "SpecPropPass",
        "executorch.passes.to_execution.sym_shape_eval_pass": """
            ConstraintBasedSymShapeEvalPass HintBasedSymShapeEval HintBasedSymShapeEvalPass ValueRangeBasedSymShapeEval
        """,
        "executorch.passes.to_execution.to_out_var_pass": "ToOutVarPass",
    },
    "exir/passes/_device_copy_ops_registry": {"executorch.dialects.device_copy_ops": "DEVICE_TO_HOST HOST_TO_DEVICE LIBRARY"},
    "exir/passes/_quant_patterns_and_replacements": {
        "executorch.dialects.bound_ops": "LIBRARIES QUANTIZED_SCHEMAS",
        "executorch.passes.to_edge.edge_ops_pass": "_trace_and_lower_to_edge_ops=trace_edge_graph",
        "torch.ao.quantization.fx._decomposed": "quantized_decomposed_lib",
    },
    "exir/passes/const_prop_pass": {"executorch.passes.on_request.const_prop_pass": "ConstPropPass"},
    "exir/passes/constant_prop_pass": {
        "executorch.dialects.edge_ops": "EdgeOpOverload",
        "executorch.passes.optimization.constant_prop_pass": "ConstantPropPass constant_prop_pass",
        "published": """
            create_constant_nodes_and_return_specs erase_constant_node get_constant_placeholder_dict get_data
            get_default_skip_targets_no_quant get_fake_mode get_first_user_input get_propagated_const_tensor_dict is_const
            is_constant_buffer replace_with_constant_node
        """,
    },
    "exir/passes/convert_constant_dim_order_pass": {
        "executorch.passes.on_request.convert_constant_dim_order_pass": "convert_constant_dim_order_pass",
    },
    "exir/passes/cse_pass": {"executorch.passes.on_request.cse_pass": "CSEPass"},
    "exir/passes/debug_handle_generator_pass": {
        "executorch.passes.to_edge.debug_handle_generator_pass": "DebugHandleGeneratorPass generate_missing_debug_handles",
    },
    "exir/passes/dim_order_ops_registry": {
        "executorch.dialects.dim_order_ops": "lib=LIBRARY",
        "published": "DimOrderOpsMap MemoryFormatOpsMap",
    },
    "exir/passes/executorch_prim_ops_registry": {
        "builtins": "builtin_round=round",
        "executorch.dialects.prim_ops": "executorch_prims_lib=LIBRARY _PYTHON_SYM_OPS_TO_EXECUTORCH_SYM_OPS=SYM_OP_TO_PRIM",
        "math": "ceil trunc",
        "operator": "add eq floordiv ge gt le lt mod mul neg sub truediv",
        "published": "is_sym_op _EXECUTORCH_SYM_OPS",
        "torch": "sym_float sym_int sym_ite sym_max sym_min sym_not",
    },
    "exir/passes/external_constants_pass": {
        "executorch.passes.optimization.external_constants_pass": """
            delegate_external_constants_pass_unlifted external_constants_pass external_mutable_weights_pass
        """,
    },
    "exir/passes/fold_redundant_qdq_pass": {"executorch.passes.quantized.quantize_pairs_pass": "FoldRedundantDequantizeQuantizePass"},
    "exir/passes/fuse_batch_norm_pass": {"executorch.passes.optimization.fuse_batch_norm_pass": "FuseBatchNormPass"},
    "exir/passes/fuse_linear_pass": {"executorch.passes.optimization.fuse_linear_pass": "FuseLinearPass"},
    "exir/passes/init_mutable_pass": {"executorch.passes.on_request.normalize_passes": "InitializedMutableBufferPass"},
    "exir/passes/insert_write_back_for_buffers_pass": {
        "executorch.passes.to_execution.insert_write_back_for_buffers_pass": """
            InsertWriteBackForBuffersPass insert_write_back_for_buffers_pass
        """,
    },
    "exir/passes/legalize_portable_dim_order_pass": {
        "executorch.passes.to_execution.legalize_portable_dim_order_pass": "LegalizePortableDimOrderPass",
    },
    "exir/passes/memory_format_ops_pass": {"executorch.passes.to_edge.memory_format_ops_pass": "DimOrderOpsRevertPass MemoryFormatOpsPass"},
    "exir/passes/memory_planning_pass": {
        "executorch.dialects.tensor_spec": "ALIGNMENT TensorSpec",
        "executorch.memory_planning": "MemoryPlanningPass",
        "executorch.memory_planning.questions": "_callable_name=callable_name",
        "published": "_is_buffer _is_mutable_buffer _get_spec_from_node",
    },
    "exir/passes/normalize_transpose_pass": {"executorch.passes.on_request.normalize_passes": "NormalizeTransposePass"},
    "exir/passes/normalize_view_copy_base_pass": {"executorch.passes.on_request.normalize_passes": "NormalizeViewCopyBasePass"},
    "exir/passes/pass_registry": {"executorch.passes.infrastructure.pass_registry": "PassRegistry"},
    "exir/passes/propagate_device_config": {"executorch.exir.capture._config": "PropagateDeviceConfig"},
    "exir/passes/propagate_device_pass": {
        "executorch.dialects.tensor_spec": "TensorSpec",
        "executorch.exir.capture._config": "PropagateDeviceConfig",
        "executorch.passes.to_execution.propagate_device_pass": """
            TARGET_DEVICE_COMPILE_SPEC_KEY PropagateDevicePass _get_target_device_from_compile_specs=device_of
            _parse_device_spec_value=parse_device
        """,
        "published": "_clone_spec_with_device _set_device_on_spec",
    },
    "exir/passes/prune_empty_tensors_pass": {"executorch.passes.on_request.normalize_passes": "PruneEmptyTensorsPass"},
    "exir/passes/quant_fusion_pass": {
        "executorch.passes.quantized.quant_fusion_pass": "QuantFusionPass quant_fusion_and_const_prop_pass",
        "published": "_get_node_value_dict",
    },
    "exir/passes/quantize_io_pass": {
        "executorch.exir.tensor": "scalar_type_enum",
        "executorch.passes.infrastructure.pass_base": "PassResult",
        "published": """
            QParams QuantizeInputs QuantizeIoError QuantizeOutputs extract_io_quant_params get_config_method_name quantize_input
            quantize_output
        """,
    },
    "exir/passes/reinplace": {"executorch.passes.to_execution.reinplace": "DEFAULT_INPLACEABLE_OPS ReinplacePass reinplace_pass"},
    "exir/passes/remove_graph_asserts_pass": {
        "executorch.passes.to_edge.remove_graph_asserts_pass": "RemoveGraphAssertsPass RemoveNonCoreAtenOpGraphAssertsPass",
    },
    "exir/passes/remove_mixed_type_operators": {"published": "RemoveMixedTypeOperators"},
    "exir/passes/remove_noop_pass": {
        "executorch.passes.on_request.normalize_passes": "RemoveToCopyPass",
        "executorch.passes.quantized.quantize_pairs_pass": "eliminate_dq_q",
        "executorch.passes.to_edge.remove_noop_pass": "RemoveNoopPass",
    },
    "exir/passes/remove_unused_parameters_pass": {
        "executorch.passes.optimization.remove_unused_parameters_pass": "RemoveUnusedParametersPass remove_unused_parameters_pass",
    },
    "exir/passes/replace_aten_with_edge_pass": {
        "executorch.dialects.edge_ops": "EdgeOpOverload",
        "executorch.passes.to_edge.edge_ops_pass": "OpReplacePass",
        "published": "aten_to_edge should_lower_to_edge",
    },
    "exir/passes/replace_broken_ops_with_function_ops_pass": {
        "executorch.passes.to_edge.functionalize_views_pass": "ReplaceBrokenOpsWithFunctionalOpsPass=FunctionalizeViewsPass",
    },
    "exir/passes/replace_edge_with_backend_pass": {"executorch.passes.to_execution.replace_edge_with_backend_pass": "EdgeToBackendOpsPass"},
    "exir/passes/replace_sym_size_op_pass": {"executorch.passes.on_request.replace_sym_size_op_pass": "ReplaceSymSizeOpPass"},
    "exir/passes/replace_view_copy_with_view_pass": {
        "executorch.dialects.tensor_spec": "TensorSpec",
        "executorch.exir.tensor": "dim_order_from_stride",
        "executorch.passes.to_execution.replace_view_copy_with_view_pass": "ReplaceViewCopyWithViewPass",
        "published": "_VIEW_OP _is_view_copy _ViewSpec",
    },
    "exir/passes/scalar_to_tensor_pass": {"executorch.passes.to_edge.scalar_to_tensor_pass": "ScalarToTensorPass"},
    "exir/passes/spec_prop_pass": {
        "executorch.memory_planning": "_is_mutable_buffer=is_mutable_buffer",
        "executorch.passes.to_execution.spec_prop_pass": "SpecPropPass make_spec",
    },
    "exir/passes/sym_shape_eval_pass": {
        "executorch.exir.published.sym_util": "eval_upper_bound",
        "executorch.passes.to_execution.sym_shape_eval_pass": """
            ConstraintBasedSymShapeEvalPass HintBasedSymShapeEval HintBasedSymShapeEvalPass ValueRangeBasedSymShapeEval
        """,
    },
    "exir/passes/sym_to_tensor_pass": {"executorch.passes.to_edge.scalar_to_tensor_pass": "SymToTensorPass=ScalarToTensorPass"},
    "exir/passes/to_device_pass": {"executorch.passes.on_request.to_device_pass": "ToDevicePass"},
    "exir/passes/to_out_var_pass": {"executorch.passes.to_execution.to_out_var_pass": "ToOutVarPass"},
    "exir/passes/weights_to_outputs_pass": {"executorch.passes.to_execution.weights_to_outputs_pass": "weights_to_outputs_pass"},
}

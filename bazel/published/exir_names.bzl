"""The published names of exir; README.md says how to read and change this."""

EXIR = {
    "exir/__init__": {
        "here": """
            CallSpec CaptureConfig EdgeCompileConfig EdgeProgramManager EmitterOutput ExecutorchBackendConfig ExecutorchProgram
            ExecutorchProgramManager ExirDynamoConfig ExirExportedProgram ExportError ExportErrorType ExportPass ExportedProgram Value
            capture edge_to_executorch_passes emit_program load save to_edge to_edge_transform_and_lower to_edge_with_preserved_ops
        """,
    },
    "exir/_program_utils": {"published": "_get_updated_graph_signature _get_updated_range_constraints"},
    "exir/_serialize/__init__": {
        "executorch.emitter": """
            Cord DataEntry DataPayload DataSerializer FlatTensorConfig FlatTensorSerializer PTEFile _PTEFile=PTEFile
            _deserialize_pte_binary=deserialize_pte_binary _serialize_pte_binary=serialize_pte_binary deserialize_pte_binary
            serialize_pte_binary
        """,
    },
    "exir/_serialize/_cord": {
        "executorch.emitter": "Cord",
        "executorch.emitter.file_data": "FileBackedData",
    },
    "exir/_serialize/_dataclass": {"published": "_DataclassEncoder _is_optional _is_strict_union _get_class_from_union _json_to_dataclass"},
    "exir/_serialize/_flatbuffer": {
        "published": """
            importlib _FlatbufferResult _SchemaInfo _ResourceFiles _SchemaMaxAlignmentGetter _SchemaFileIdentifierGetter _is_valid_alignment
            _patch_schema_alignment _prepare_schema _get_flatc_path _run_flatc _flatc_compile _flatc_decompile _replace_non_finite_in_json
            _replace_infinity_in_json_file _program_flatbuffer_to_json
        """,
    },
    "exir/_serialize/_flatbuffer_program": {
        "executorch.exir.published._serialize._flatbuffer": "_FlatbufferResult",
        "executorch.schema.program": "Program",
        "published": "_flatbuffer_to_program _program_to_flatbuffer",
    },
    "exir/_serialize/_json": {"published": "_program_to_json"},
    "exir/_serialize/_named_data_store": {
        "executorch.partitioner": "NamedDataStore NamedDataStoreOutput",
        "executorch.partitioner.interface.named_data_store": "DataEntry",
    },
    "exir/_serialize/_program": {
        "executorch.emitter": "Cord PTEFile deserialize_pte_binary serialize_pte_binary",
        "executorch.exir.published._serialize._flatbuffer_program": "_flatbuffer_to_program _program_to_flatbuffer",
        "executorch.exir.published._serialize._json": "_program_to_json",
        "published": "_ExtendedHeader _extract_delegate_payload _get_extended_header",
    },
    "exir/_serialize/_ptn": {
        "published": """
            ALIASES_ENTRY PTG_ENTRY SAFETENSORS_ENTRY read_ptn write_ptn _SAFETENSORS_METADATA_KEY _DTYPE_CODES _raw _content_signature
            _check_mutable_storage_aliases _dedup _write_safetensors
        """,
    },
    "exir/_serialize/_serialize": {
        "executorch.emitter": "Cord DataPayload DataSerializer EmitterOutput PTEFile serialize_pte_binary",
        "executorch.exir.capture._config": "ExecutorchBackendConfig",
        "published": "serialize_for_executorch",
    },
    "exir/_serialize/data_serializer": {
        "executorch.emitter": "Cord DataEntry DataPayload DataSerializer FlatTensorSerializer",
        "executorch.schema.flat_tensor": "TensorLayout",
    },
    "exir/_serialize/padding": {"published": "aligned_size pad_to padding_required"},
    "exir/_warnings": {"here": "ExperimentalWarning deprecated experimental"},
    "exir/backend/__init__": {"executorch.partitioner": "to_backend"},
    "exir/backend/backend_api": {
        "executorch.partitioner": """
            BackendDetails CompileSpec LoweredBackendModule MethodProgramsPartitionerSpec PartitionResult Partitioner PreprocessResult
            disable_validation executorch_call_delegate is_identical_graph to_backend validation_disabled
        """,
        "executorch.partitioner.extraction.program_from_submodule": "_get_node_list_with_same_tag=nodes_with_tag",
        "torch.export": "ExportedProgram",
    },
    "exir/backend/backend_details": {
        "executorch.partitioner": "BackendDetails CompileSpec NamedDataStoreOutput PreprocessResult executorch_call_delegate",
        "torch.export": "ExportedProgram",
    },
    "exir/backend/canonical_partitioners/__init__": {},
    "exir/backend/canonical_partitioners/all_node_partitioner": {
        "executorch.partitioner": "AllNodePartitioner",
        "executorch.partitioner.selection.all_node_partitioner": "is_non_tensor_placeholder",
    },
    "exir/backend/canonical_partitioners/config_partitioner": {
        "executorch.partitioner": "ConfigerationBasedPartitioner PartitionerConfig format_target_name is_constant_data",
    },
    "exir/backend/canonical_partitioners/duplicate_constant_node_pass": {"executorch.partitioner": "duplicate_constant_node"},
    "exir/backend/canonical_partitioners/duplicate_dequant_node_pass": {"executorch.partitioner": "DuplicateDequantNodePass"},
    "exir/backend/canonical_partitioners/group_partitioner": {"executorch.partitioner": "GroupBasedPartitioner"},
    "exir/backend/canonical_partitioners/pattern_op_partitioner": {
        "executorch.partitioner": """
            generate_grouped_partitions_from_list_of_nodes generate_partitions_from_list_of_nodes generate_pattern_op_partitions
        """,
    },
    "exir/backend/compile_spec_schema": {"executorch.partitioner": "CompileSpec"},
    "exir/backend/operator_support": {
        "executorch.partitioner": "DontPartition DontPartitionModule DontPartitionName DontSupportBase",
        "torch.fx.passes.operator_support": "OperatorSupportBase",
    },
    "exir/backend/partitioner": {
        "executorch.partitioner": "CompileSpec DelegationSpec PartitionResult Partitioner",
        "torch.export": "ExportedProgram",
    },
    "exir/backend/test/__init__": {},
    "exir/backend/test/backend_with_compiler_demo": {
        "executorch.partitioner": "BackendDetails CompileSpec PreprocessResult",
        "published": "BackendWithCompilerDemo is_supported",
    },
    "exir/backend/test/backend_with_delegate_mapping_demo": {
        "executorch.partitioner": "BackendDetails CompileSpec DelegateMappingBuilder PreprocessResult",
        "published": "BackendWithDelegateMappingDemo",
    },
    "exir/backend/test/op_partitioner_demo": {
        "executorch.exir.published.backend.test.backend_with_compiler_demo": "BackendWithCompilerDemo",
        "executorch.partitioner": "CompileSpec DelegationSpec PartitionResult Partitioner generate_pattern_op_partitions",
        "published": """
            AddAttributePartitionerDemo AddMulPartitionerDemo AddOperatorSupport AllNodesPartitionerDemo MatmulOperatorSupport
            NonDecompTestPartitioner
        """,
    },
    "exir/backend/utils": {
        "executorch.partitioner": """
            DelegateMappingBuilder ReportRejected WhyNoPartition WhyNoPartitionReporter duplicate_constant_node executorch_call_delegate
            format_delegated_graph format_reasons get_delegated_payload get_delegates get_lowered_backend_modules get_lowered_submodules
            get_non_lowered_nodes get_reasons is_identical_graph is_shape_dynamic note_reason print_delegated_graph print_reasons
            remove_first_quant_and_last_dequant replace_quantized_partition_with_op tag_constant_data tag_mutated_buffer
        """,
    },
    "exir/banked_memory_planning": {
        "executorch.dialects.tensor_spec": "ALIGNMENT",
        "executorch.memory_planning.banked": """
            Bank BankPlacementError BankedGreedy TargetMemoryMap banked_memory_planning_pass format_placement_report planned_mem_ids
        """,
    },
    "exir/capture/__init__": {"here": "CaptureConfig EdgeCompileConfig ExecutorchBackendConfig CallSpec capture"},
    "exir/capture/_capture": {"executorch.exir.published.legacy_program": "CallSpec WrapperModule capture patch_forward"},
    "exir/capture/_config": {"here": "CaptureConfig EdgeCompileConfig ExecutorchBackendConfig PropagateDeviceConfig"},
    "exir/capture/_unlift": {"published": "unlift_exported_program_lifted_states"},
    "exir/common": {
        "published": """
            extract_out_arguments format_schema_name get_schema_for_operators no_dispatch override_logger setting_python_recursive_limit
        """,
    },
    "exir/debug_handle_utils": {
        "executorch.dialects.meta_keys": "DEBUG_HANDLE_KEY=DEBUG_HANDLE FROM_NODE_KEY=FROM_NODE UNSET_DEBUG_HANDLE",
        "executorch.passes.infrastructure.node_origins": "get_greatest_ancestor_node_identifier",
    },
    "exir/delegate": {"executorch.partitioner.interface.call_delegate": "executorch_call_delegate get_lowered_module_name is_lowered_module"},
    "exir/dialects/__init__": {
        "executorch.dialects.backend_ops": "bind_pattern_to_op",
        "executorch.dialects.ops": "ops",
    },
    "exir/dialects/_ops": {
        "executorch.dialects.backend_ops": "BackendOpOverload BackendOpOverloadPacket bind_pattern_to_op",
        "executorch.dialects.edge_ops": "EdgeOpOverload EdgeOpOverloadPacket",
        "executorch.dialects.ops": "_DialectNamespace _OpNamespace _Ops ops",
    },
    "exir/dialects/backend/__init__": {"executorch.dialects.backend_ops": "BackendOpOverload BackendOpOverloadPacket"},
    "exir/dialects/backend/_ops": {"executorch.dialects.backend_ops": "BackendOpOverload BackendOpOverloadPacket"},
    "exir/dialects/edge/__init__": {"executorch.dialects.edge_ops": "EdgeOpOverload EdgeOpOverloadPacket"},
    "exir/dialects/edge/_ops": {
        "executorch.dialects.dtype_constraints": "regular_tensor_str_to_dtypes=DTYPE_NAMES",
        "executorch.dialects.dtype_sets": "AllowedDtypeSet FunctionDtypeConstraint",
        "executorch.dialects.edge_ops": "EdgeOpOverload EdgeOpOverloadPacket",
        "executorch.dialects.edge_schema": "EdgeDialectArgument=EdgeArgument EdgeDialectFunctionSchema=EdgeFunctionSchema",
        "published": "__getattr__",
    },
    "exir/dialects/edge/arg/__init__": {},
    "exir/dialects/edge/arg/model": {"executorch.dialects.sample_args": "ArgMode ArgType BaseArg BaseKwarg InArg InKwarg OutArg Return"},
    "exir/dialects/edge/arg/type": {"executorch.dialects.sample_args": "ArgType"},
    "exir/dialects/edge/dtype/__init__": {},
    "exir/dialects/edge/dtype/runner": {"executorch.dialects.dtype_runner": "DtypeRunner"},
    "exir/dialects/edge/dtype/supported": {
        "published": """
            quantized_tensor_dtypes_to_str quantized_tensor_str_to_dtypes regular_tensor_dtypes_to_str regular_tensor_str_to_dtypes
        """,
    },
    "exir/dialects/edge/dtype/utils": {"executorch.dialects.dtype_runner": "extract_return_dtype"},
    "exir/dialects/edge/op/__init__": {},
    "exir/dialects/edge/op/api": {"published": "get_callable get_torch_op_overload to_variant"},
    "exir/dialects/edge/op/sample_input": {"executorch.dialects.dtype_runner": "SAMPLE_INPUT"},
    "exir/dialects/edge/spec/__init__": {},
    "exir/dialects/edge/spec/gen": {
        "published": """
            EdgeOpYamlInfo EdgeYamlInfo gen_edge_yaml gen_op_yaml get_func_name_yaml get_func_schema get_sample_input get_test_gen_key
            in_legal_edge_type preset_test_case_generators test_case_generator try_all_dtypes_input_samples
        """,
    },
    "exir/dialects/edge/spec/utils": {
        "executorch.dialects.dtype_runner": "SAMPLE_INPUT",
        "executorch.dialects.sample_args": "BaseArg",
        "published": """
            get_args_rets get_names_for_args_with_dtype get_tensor_variable_names get_torch_op_overload is_essential_tensor_arg
            is_optional_tensor_arg is_tensor_arg is_tensor_val type_aggregrate
        """,
    },
    "exir/dim_order_utils": {
        "executorch.dialects.dim_order": """
            dim_order_from_stride dim_order_of dim_order_to_memory_format is_channels_last_dim_order memory_format_to_dim_order
        """,
        "published": "get_dim_order get_memory_format is_channel_last_dim_order is_contiguous_dim_order",
    },
    "exir/dynamic_shape": {"here": "DynamicMemoryPlanningMode"},
    "exir/emit/__init__": {"executorch.emitter": "EmissionError EmitterOutput emit_program"},
    "exir/emit/_emit_program": {"executorch.emitter": "EmitterOutput emit_program"},
    "exir/emit/_emitter": {
        "published": "_DelegateDebugIdentifierMap",
        "torch.fx.node": "_Argument=Argument _Target=Target",
    },
    "exir/error": {
        "executorch.dialects.errors": """
            ExportError ExportErrorType InternalError MissingOutVariantError OperatorNotSupportedError PassError SpecViolationError
            UnboundedShapeError UnknownMethodError internal_assert
        """,
    },
    "exir/graph": {
        "executorch.dialects.tensor_spec": "TensorSpec",
        "published": "ExportGraph",
    },
    "exir/graph_module": {
        "published": """
            LeafValue bfs_trace_with_node_process contains_any_call_fn_target_op get_cond_while_submodules get_control_flow_submodules
            get_scan_submodules _get_submodule
        """,
    },
    "exir/lowered_backend_module": {
        "executorch.partitioner": "LoweredBackendModule get_lowered_backend_modules get_lowered_submodules",
        "executorch.partitioner.extraction.arrange_graph": "arrange_graph_outputs arrange_graph_placeholders",
        "executorch.partitioner.extraction.program_from_submodule": "create_exported_program_from_submodule",
        "executorch.partitioner.extraction.submodule_from_nodes": "create_submodule_from_nodes",
        "executorch.partitioner.interface.call_delegate": "executorch_call_delegate",
    },
    "exir/memory": {"executorch.dialects.memory": "AllocSpec alloc free view"},
    "exir/memory_planning": {
        "executorch.dialects.errors": "InternalError internal_assert",
        "executorch.dialects.tensor_spec": "TensorShapeDynamism TensorSpec",
        "executorch.exir.published.operator.convert": """
            is_inplace_variant is_out_variant output_to_aliased_input_map unwrap_op_overload
        """,
        "executorch.memory_planning": """
            AllocationSpec MemoryAlgoResult MemoryPlanningAlgorithmSuite MemoryPlanningError MemoryPlanningPass SharedObject
            SpecAllocResult Verifier apply_algo collect_specs_from_nodes do_user_inputs_exist exact filter_nodes get_cond_nodes
            get_graph_input_tensors get_graph_output_tensors get_input_specs get_map_nodes get_node_tensor_specs get_return_specs
            get_scan_nodes get_while_nodes greedy insert_calls_to_free is_inplace_node is_mutable_buffer is_out_var_node naive
            pick_shared_obj update_all_tensors_lifetime update_tensor_lifetime _do_user_inputs_exist=do_user_inputs_exist
            _is_inplace_node=is_inplace_node _is_mutable_buffer=is_mutable_buffer _is_out_var_node=is_out_var_node
        """,
        "executorch.memory_planning.questions": """
            _alias_inplace_result_specs=alias_in_place_result _contains_xnnpack_delegate=reads_behind_inputs
            _does_not_overlap=does_not_overlap _find_max_overlapping_allocations_offset=max_overlapping_offset
            _get_mutable_buffer_specs=mutable_buffer_specs _merge_bufsizes=merged_sizes _partition_specs_by_device=partition_by_device
            _resolve_storage_base_specs=place_in_bases
        """,
        "executorch.memory_planning.storage_bases": "_extend_storage_base_lifetimes=extend_lifetimes",
        "executorch.schema.program": "DeviceType NonConstBufferDevice",
        "published": "_build_non_const_buffer_device",
    },
    "exir/operator/__init__": {},
    "exir/operator/convert": {
        "published": """
            get_op_overload get_out_args_from_opoverload get_out_args_from_schema is_inplace_variant is_out_variant
            output_to_aliased_input_map parse_qualified_opname schema_to_opoverload set_mapping_for_op to_out_variant to_scratch_op
            unwrap_op_overload _get_overload_schema
        """,
    },
    "exir/operator/manip": {"published": "ScratchTensorMetadata attach_calculate_upper_bound_shape_fn attach_get_scratch_metas_fn"},
    "exir/operator/util": {"published": "gen_out_variant_schema"},
    "exir/pass_base": {
        "executorch.passes.infrastructure.export_pass": """
            Argument ExportPass ExportPassBaseError NodeMetadata ProxyValue Value=Argument
        """,
        "executorch.passes.infrastructure.graph_values": "map_args",
        "executorch.passes.infrastructure.pass_base": """
            ExportedProgramPassBase ExportedProgramPassResult PassBase PassResult PassType
        """,
    },
    "exir/pass_manager": {
        "executorch.passes.infrastructure.pass_base": "ExportedProgramPassBase ExportedProgramPassResult PassType",
        "executorch.passes.infrastructure.pass_manager": "ExportedProgramPassManager PassManager",
    },
    "exir/print_program": {"here": "add_cursor_to_graph inspect_node pretty_print pretty_print_stacktraces print_program"},
    "exir/program/__init__": {
        "executorch.exir.edge_manager": "EdgeProgramManager",
        "executorch.exir.entry_points": "to_edge to_edge_transform_and_lower to_edge_with_preserved_ops",
        "executorch.exir.executorch_manager": "ExecutorchProgramManager",
        "executorch.exir.published.legacy_program": "ExecutorchProgram ExirExportedProgram",
        "executorch.exir.published.program._program": "edge_to_executorch_passes",
    },
    "exir/program/_fake_program": {"published": "get_fake_program update_to_real_program"},
    "exir/program/_program": {
        "executorch.exir.capture._config": "EdgeCompileConfig ExecutorchBackendConfig",
        "executorch.exir.edge_manager": "EdgeProgramManager",
        "executorch.exir.entry_points": "to_edge to_edge_transform_and_lower to_edge_with_preserved_ops",
        "executorch.exir.executorch_manager": "ExecutorchProgramManager",
        "executorch.exir.published.legacy_program": "ExecutorchProgram ExirExportedProgram",
        "executorch.passes.to_execution.replace_edge_with_backend_pass": "EdgeToBackendOpsPass",
        "executorch.passes.to_execution.spec_prop_pass": "SpecPropPass",
        "published": """
            edge_to_executorch_passes lift_constant_tensor_pass pre_memory_planning_passes transform_exported_program
            _copy_module _remove_invalid_ops_for_not_decompose _to_edge _transform _update_exported_program_graph_module
        """,
    },
    "exir/scalar_type": {"executorch.schema.scalar_type": "ScalarType"},
    "exir/schema": {
        "executorch.schema.program": """
            AllocationDetails BackendDelegate BackendDelegateDataReference BackendDelegateInlineData Bool BoolList Buffer Chain
            CompileSpec ContainerMetadata DataLocation DataSegment DelegateCall DeviceType Double DoubleList EValue ExecutionPlan
            ExtraTensorInfo Frame FrameList FreeCall Instruction InstructionArguments Int IntList JumpFalseCall KernelCall KernelTypes
            MoveCall NamedData NonConstBufferDevice Null Operator OptionalTensorList Program String SubsegmentOffsets Tensor
            TensorDataLocation TensorList TensorShapeDynamism
        """,
        "executorch.schema.scalar_type": "ScalarType",
    },
    "exir/serde/export_serialize": {
        "executorch.exir.serde._fake_tensors": "_CURRENT_DESERIALIZER _reconstruct_fake_tensor deserialize_torch_artifact",
        "torch._export.serde.serialize": """
            EnumEncoder ExportedProgramDeserializer ExportedProgramSerializer ExtensionHandler GraphModuleDeserializer
            GraphModuleSerializer GraphState LazyMap SerializeError SerializedArtifact _reduce_fake_tensor canonicalize deserialize_device
            register_extension serialize_range_constraints serialize_sym_bool serialize_sym_int serialize_tensor_meta
            serialize_torch_artifact
        """,
    },
    "exir/serde/schema": {"torch._export.serde.schema": "* SCHEMA_VERSION TREESPEC_VERSION"},
    "exir/serde/schema_check": {"torch._export.serde.schema_check": "SchemaUpdateError check"},
    "exir/serde/serialize": {"here": "SerializedArtifact deserialize load save serialize"},
    "exir/serde/union": {"torch._export.serde.union": "_Union _UnionTag"},
    "exir/sym_util": {"published": "collect_free_symbols eval_expr eval_shape eval_shape_upper_bound eval_upper_bound"},
    "exir/tensor": {
        "here": """
            ALIGNMENT AddressSpaceOverflowException ExtraTensorInfo TensorShapeDynamism TensorSpec ViewSpec calculate_aligned_num_bytes
            check_spec contiguous_stride_from_shape determine_tensor_dynanism dim_order_from_stride enum_to_scalar_map get_scalar_type
            layout_enum make_allocation_info make_tensor_value memory_format_enum num_bytes_from_shape_and_dtype scalar_type_enum
            scalar_type_table stride_from_dim_order
        """,
    },
    "exir/tensor_layout": {
        "executorch.exir.tensor": "dim_order_from_stride",
        "published": "TensorLayout",
    },
    "exir/tracer": {"here": "ExirDynamoConfig LeafValue Value"},
    "exir/types": {
        "executorch.dialects.tensor_spec": "TensorSpec",
        "published": "LeafValueSpec ScalarSpec ValueSpec",
    },
    "exir/verification/__init__": {"executorch.dialects.verifiers": "EdgeVerifier"},
    "exir/verification/arg_validator": {"executorch.dialects.arg_validator": "EdgeOpArgValidator RunHigherOrderOperatorError"},
    "exir/verification/interpreter": {"published": "Interpreter"},
    "exir/verification/verifier": {
        "executorch.dialects.errors": "SpecViolationError",
        "executorch.dialects.verifiers": """
            DialectRules EdgeVerifier edge_verifier verify_aten_graph verify_edge_graph verify_execution_graph
        """,
        "executorch.exir.capture._config": "EdgeCompileConfig",
        "published": """
            EXIRATenDialectVerifier EXIRATenDialectVerifierBase EXIREdgeDialectVerifier get_aten_verifier _EXECUTORCH_SYM_OPS
            _check_tensor_args_matching_op_allowed_dtype
        """,
        "torch._export.verifier": "Verifier",
    },
    "exir/version": {"published": "EXECUTORCH_SCHEMA_VERSION"},
}

"""The published names of backends/cadence; README.md says how to read and change this."""

BACKENDS_CADENCE = {
    "backends/cadence/aot/compiler": {
        "here": """
            _lower_ep_to_cadence _lower_ep_to_cadence_gen_etrecord _lower_ep_to_edge apply_pre_edge_transform_passes convert_pt2
            export_to_cadence export_to_edge export_to_executorch_gen_etrecord get_fake_quant_model prepare_pt2 prepare_traced_pt2
            quantize_and_export_to_cadence quantize_and_export_to_edge quantize_pt2 trace
        """,
    },
    "backends/cadence/aot/compiler_utils": {
        "executorch.backends.transforms.permute_pass_utils": "get_permuted_dims get_shape get_transposed_dims",
        "published": """
            broadcastable contains_node_with_matching_target count_users_with_target_op_type get_output_node get_placeholders get_scale
            get_tensor_from_attr get_zero_point is_node_in_flattened_output is_node_with_op quantize_tensor_multiplier
        """,
    },
    "backends/cadence/aot/decompose_ops": {"executorch.backends.cadence.passes.decompose_gelu": "DecomposeAtenApproxGeluPass"},
    "backends/cadence/aot/export_example": {"here": "export_model"},
    "backends/cadence/aot/fuse_ops": {
        "executorch.backends.cadence.passes.fuse_batch_norm": "FuseBatchNormWithConv FuseQuantizedBatchNormWithConv",
        "executorch.backends.cadence.passes.fuse_moves": "FuseFullThenReshapePass FuseSliceSameDimPass FuseTransposeOrPermuteOpPairsPass",
        "executorch.backends.cadence.passes.fuse_products": """
            FuseMMWithAdd FuseMulScalarIntoDequantPass FuseMulTensorIntoDequantPass FuseMulTensorIntoQuantPass
        """,
        "executorch.backends.cadence.passes.fuse_requantization": "FuseQuantDequantToRequantizePass",
        "executorch.backends.transforms.fuse_cascaded_transpose_or_permute_ops": "FuseCascadedTransposeOrPermuteOps",
        "executorch.backends.transforms.fuse_cascaded_view_ops": "FuseCascadedViewOps",
        "executorch.passes.on_request.cse_pass": "HierarchicalCSEPass=CSEPass",
    },
    "backends/cadence/aot/graph_builder": {"executorch.backends.test.graph_builder": "GraphBuilder single_op_builder"},
    "backends/cadence/aot/memory_constraints": {
        "executorch.backends.cadence.memory.constraints": """
            AbsolutePlacementConstraint ConstraintsGenPass MemConstraints RelativePlacementConstraint
        """,
        "executorch.backends.cadence.memory.parts": """
            GenerateCatNopConstraints GenerateMemConstraints GenerateSliceAndSelectNopConstraints get_relative_offset_of_slice
            get_relative_offsets_of_cat_tensors
        """,
    },
    "backends/cadence/aot/memory_planning": {
        "executorch.backends.cadence.memory.algorithm": "GreedyWithHeuristic PositionBasedGreedyWithHierarchy",
        "executorch.backends.cadence.memory.planning": """
            CadenceMemoryPlanning find_peak_memory_usage find_peak_memory_usages_per_memory print_memory_planning_info
        """,
    },
    "backends/cadence/aot/memory_planning_algo": {
        "executorch.backends.cadence.memory.algorithm": "MemoryPlanningAlgo MemoryPlanningState get_aligned_offset",
    },
    "backends/cadence/aot/ops_registrations": {
        "executorch.backends.cadence.ops.operators": "LIBRARIES",
        "executorch.backends.cadence.reference.operators": "LIBRARY",
    },
    "backends/cadence/aot/pass_utils": {
        "executorch.backends.cadence.compile_mode": "CompileMode EdgePassesConfig",
        "executorch.backends.transforms.permute_pass_utils": """
            HierarchicalInplacePassInterface RemoveOrReplacePassInterface get_arg get_edge_overload_packet set_arg
        """,
        "published": """
            count_node get_compute_nodes_in_gm get_node_names_list_from_gm get_node_pos get_overload_packet nodes_not_adjacent_in_gm
            nodes_not_connected_in_gm none_throws op_counts_match replace_with_op
        """,
    },
    "backends/cadence/aot/passes": {
        "executorch.backends.cadence.passes.pipeline": "apply_exir_ops_passes apply_torch_ops_passes get_passes",
    },
    "backends/cadence/aot/program_builder": {"executorch.backends.test.program_builder": "IrMode ProgramBuilder"},
    "backends/cadence/aot/quantizer/fusion_pass": {"executorch.backends.cadence.quantizer.fusion_pass": "QuantFusionPass"},
    "backends/cadence/aot/quantizer/pattern_utils": {
        "published": "DQ_PER_TENSOR Q_PER_TENSOR find_quant_user fuse_conv fuse_linear fuse_matmul insert_node_with_meta",
    },
    "backends/cadence/aot/quantizer/patterns": {
        "executorch.backends.cadence.quantizer.pattern": "PartitionAnchors QuantizationPattern",
        "executorch.backends.cadence.quantizer.patterns": """
            AddPattern AddReluBasePattern AddReluPattern0 AddReluPattern1 AddmmPattern BmmPattern CatPattern Conv1dBNReluPattern0
            Conv1dBNReluPattern1 Conv1dPattern Conv1dReluPattern0 Conv1dReluPattern1 Conv2dBNReluPattern0 Conv2dBNReluPattern1 Conv2dPattern
            Conv2dReluPattern0 Conv2dReluPattern1 ConvBNReluBasePattern ConvReluBasePattern LayerNormPattern LinearPattern MatmulPattern
            MaxPool2dPattern MaxPool2dWithoutIndicesPattern ReluBasePattern ReluPattern0 ReluPattern1 RmsNormPattern SoftmaxPattern
        """,
        "executorch.backends.cadence.quantizer.weight_patterns": "MixedW8A32ConvPattern MixedW8A32GruPattern MixedW8A32LinearPattern",
    },
    "backends/cadence/aot/quantizer/quantizer": {
        "executorch.backends.cadence.quantizer.configs": """
            act_qat_qspec_asym8s act_qspec_asym16s act_qspec_asym8s bias_qspec qconfig_A16 qconfig_A32W8sym qconfig_A8W8 qconfig_A8W8_qat
            qconfig_A8W8sym qconfig_A8W8sym_qat wgt_qat_qspec_asym8s wgt_qat_qspec_sym8s wgt_qspec_asym8s wgt_qspec_sym8s
        """,
        "executorch.backends.cadence.quantizer.quantizer": """
            CadenceAtenQuantizer CadenceDefaultQuantizer CadenceFusedConvReluQuantizer CadenceNopQuantizer CadenceQuantizer
            CadenceRmsNormNopQuantizer CadenceW8A32MixedQuantizer CadenceWakeWordQuantizer CadenceWith16BitConvActivationsQuantizer
            CadenceWith16BitLinearActivationsQuantizer CadenceWith16BitMatmulActivationsQuantizer CadenceWithLayerNormQuantizer
            CadenceWithSoftmaxQuantizer get_cadence_default_quantizers
        """,
    },
    "backends/cadence/aot/quantizer/utils": {
        "executorch.backends.cadence.published.aot.compiler_utils": "quantize_tensor_multiplier",
        "executorch.backends.cadence.quantizer.patterns": "get_bias_qparams",
        "published": """
            check_out_zero_point_is_min_range copy_node_metadata create_zero_bias_int32 find_sequential_partitions_aten
            get_aten_node_target_partitions is_annotated no_outside_users
        """,
    },
    "backends/cadence/aot/ref_implementations": {"executorch.backends.cadence.reference.operators": "LIBRARY"},
    "backends/cadence/aot/remove_ops": {
        "executorch.backends.cadence.passes.fuse_requantization": "RemoveBranchedQuantDequant",
        "executorch.backends.cadence.passes.remove_batch_counts": "RemoveBNTrackingMutationsPass",
        "executorch.backends.cadence.passes.remove_identities": """
            RemoveAliasCopyOpPass RemoveCatFromSliceCopyPass RemoveCloneOpsTransformImported RemoveContiguousOpPass RemoveDetachCopyPass
            RemoveNopAddOpPass RemoveNopExpandOpPass RemoveNopLinalgVectorNormOpPass RemoveNopMulOpPass RemoveNopRequantizeOpPass
            RemoveNopSliceOrViewOpPass RemoveToOpsPass RemoveZeroSizedCatArgsPass RemoveZeroSizedConstantPadNd
        """,
        "executorch.backends.cadence.passes.remove_moves": """
            RemovePermuteBeforeMeanPass RemovePermutesAroundElementwiseOps RemoveSqueezeViewBeforeElementwiseOps
        """,
    },
    "backends/cadence/aot/reorder_ops": {
        "executorch.backends.cadence.passes.reorder_moves": """
            MovePermuteAfterConcat MoveSliceBeforePermutePass MoveSliceBeforeViewPass PropagateSlice
        """,
        "executorch.backends.cadence.passes.reorder_quantization": """
            AdvanceQuantizeOpAboveDefChainPass AdvanceQuantizeOpAboveDefInBranchPass HoistOpsCloserToDefPass PostponeDequantizeOpBelowUseChainPass
            SinkOpsCloserToUsePass SplitDequantizedCatPass
        """,
        "executorch.backends.transforms.postpone_permute_below_squeeze_view": "PostponePermuteOpBelowSqueezeOrUnsqueezeLikeView",
    },
    "backends/cadence/aot/replace_ops": {
        "executorch.backends.cadence.passes.replace_constants": """
            ReplaceConstantPadNdWithSlicePass ReplaceConvolutionOptionalArgsWithConcreteArgsPass ReplaceEmptyTensorsWithFullPass
            ReplaceFullLikeWithFullPass ReplaceInfArgInFullWithValuePass ReplaceLogicalNotBooleanWhereWithWherePass
            ReplaceMulTensorWithMulAndFullOpsPass ReplacePadWithCatPass ReplacePowWithMulPass ReplaceRepeatWithCatPass
            ReplaceScalarTensorWithFullPass ReplaceWhereWithFullArgsWithWhereScalar
        """,
        "executorch.backends.cadence.passes.replace_convolutions": """
            ReplaceAtenConvolutionWithCadenceConvolutionPass ReplaceConvWithIm2RowAndLinear ReplaceIm2RowWithViewPass
            ReplaceTransposedConvWithLinearPass ReplaceTrivialConvWithLinear
        """,
        "executorch.backends.cadence.passes.replace_layouts": """
            MakeSliceAndCatDimOutermostPass ReplaceConvWithChannelLastConvPass ReplaceMaxPool2dWithChannelLastMaxPool2dPass
        """,
        "executorch.backends.cadence.passes.replace_safe_softmax": "ReplaceSafeSoftmaxWithSoftmax",
        "executorch.backends.cadence.passes.replace_spellings": """
            ReplaceAdaptiveAvgPoolWithAtenAvgPoolPass ReplaceAddMMWithLinearPass ReplaceAtenAvgPoolWithCadenceAvgPoolPass
            ReplaceAtenLinalgSvdWithCadenceLinalgSvdPass ReplaceFunctionallyEquivalentOpTargets ReplaceLinearWithFullyConnectedOpPass
            ReplaceMMWithAddMMPass ReplaceMatmulWithTransposedMatmulPass ReplacePT2DequantWithCadenceDequantPass
            ReplacePT2QuantWithCadenceQuantPass ReplacePermuteWithTransposePass ReplaceSelectWithViewOpPass ReplaceSplitWithSlicePass
            ReplaceTorchQuantizedEmbeddingWithCadenceQuantizedEmbedding
        """,
        "executorch.backends.transforms.replace_nop_transpose_or_permute_with_view": "ReplaceNopTransposeOrPermuteWithViewPass",
        "executorch.backends.transforms.replace_scalar_with_tensor": "ReplaceScalarWithTensorArgPass",
        "executorch.backends.transforms.replace_squeeze_unsqueeze_with_view": "ReplaceSqueezeAndUnsqueezeWithViewPass",
    },
    "backends/cadence/aot/simplify_ops": {"executorch.backends.cadence.passes.simplify": "BindOptionalArgsPass SimplifySliceOpPass"},
    "backends/cadence/aot/to_out_var_pass": {"executorch.passes.to_execution.to_out_var_pass": "CadenceToOutVarPass=ToOutVarPass"},
    "backends/cadence/aot/type_dispatch": {
        "executorch.backends.cadence.passes.type_dispatch": "CompileTimeTypeDispatchPass OpConfig",
    },
    "backends/cadence/aot/typing_stubs": {"published": "expand"},
    "backends/cadence/aot/utils": {
        "executorch.backends.cadence.memory.config": "MemoryConfig get_default_memory_config",
        "published": "get_conv1d_output_size get_conv2d_output_size get_im2row_output_size is_depthwise_conv",
    },
}

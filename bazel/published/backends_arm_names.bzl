"""The published names of backends/arm; README.md says how to read and change this."""

BACKENDS_ARM = {
    "backends/arm/__init__": {
        "here": """
            EthosUBackend EthosUCompileSpec EthosUPartitioner EthosUQuantizer LAZY_IMPORTS VgfBackend VgfCompileSpec VgfPartitioner
            VgfQuantizer get_symmetric_a16w8_quantization_config get_symmetric_quantization_config
        """,
    },
    "backends/arm/_passes/__init__": {
        "executorch.backends.arm.published._passes.arm_pass": "ArmPass",
        "executorch.backends.arm.published._passes.arm_pass_manager": "ArmPassManager",
        "executorch.backends.arm.published._passes.comparisons": """
            CastIntComparisonInputsPass ConvertToClampPass DecomposeTOSAUnsupportedClampPass FuseConsecutiveClampsPass
            RewriteLeLtToGeGtPass
        """,
        "executorch.backends.arm.published._passes.decompositions": """
            ConvertSplitToSlicePass DecomposeCosineSimilarityPass DecomposeDivPass DecomposeEmbeddingPass
            DecomposeIntPowPass DecomposeLayerNormPass DecomposeLeakyReLUPass DecomposeLinalgVectorNormPass DecomposeLinearPass
            DecomposeMaskedFillPass DecomposeSelectPass DecomposeSoftmaxPass DecomposeVarPass
        """,
        "executorch.backends.arm.published._passes.guards": "RemoveSafeSoftmaxGuardPass",
        "executorch.backends.arm.published._passes.int64_outputs": "ConvertInt64ConstOpsToInt32Pass ConvertInt64OutputOpsToInt32Pass",
        "executorch.backends.arm.published._passes.recurrent": "DecomposeGruPass DecomposeLstmPass DecomposeRnnPass",
        "executorch.backends.arm.published._passes.shapes": """
            BroadcastArgsPass ConvertExpandCopyToRepeatPass
            DeduplicateGetAttrPass EnsureUniqueOutputNodesPass MatchArgRanksPass NormalizeMaxPool2dInputRankPass
            PromoteBoolOperandsPass UnsqueezeBeforeRepeatPass
        """,
        "executorch.backends.arm.quantizer.finite": "ReplaceInfAndLimitValuesPass",
        "executorch.backends.transforms.canonicalize_view_copy_permute_pass": "CanonicalizeViewCopyPermutePass",
        "executorch.backends.transforms.convert_dtype_pass": "InsertInt32CastsAfterInt64PlaceholdersPass=I64toI32",
        "executorch.backends.transforms.fuse_batch_norm_with_conv": "FuseBatchNorm2dPass=FuseBatchNormWithConvPass",
        "executorch.backends.transforms.fuse_duplicate_users_pass": "FuseDuplicateUsersPass",
        "executorch.backends.transforms.propagate_view_copy_permute_pass": "PropagateViewCopyPermuteDownPass PropagateViewCopyPermuteUpPass",
        "executorch.backends.transforms.remove_clone_ops": "RemoveNoopPass=RemoveCloneOpsTransform",
        "executorch.backends.transforms.remove_getitem_op": "RemoveGetItemPass",
        "executorch.backends.transforms.replace_nop_transpose_or_permute_with_view": "ConvertPermuteSingletonToViewPass=ReplaceNopTransposeOrPermuteWithViewPass",
    },
    "backends/arm/_passes/arm_pass": {"published": "ArmPass"},
    "backends/arm/_passes/arm_pass_manager": {"published": "ArmPass ArmPassManager"},
    "backends/arm/_passes/arm_pass_utils": {"published": "get_first_fake_tensor"},
    "backends/arm/_passes/convert_expand_copy_to_repeat": {"executorch.backends.arm.published._passes.shapes": "ConvertExpandCopyToRepeatPass"},
    "backends/arm/_passes/convert_split_to_slice": {"executorch.backends.arm.published._passes.decompositions": "ConvertSplitToSlicePass"},
    "backends/arm/_passes/convert_to_clamp_pass": {"executorch.backends.arm.published._passes.comparisons": "ConvertToClampPass"},
    "backends/arm/_passes/decompose_cosine_similarity_pass": {"executorch.backends.arm.published._passes.decompositions": "DecomposeCosineSimilarityPass"},
    "backends/arm/_passes/decompose_div_pass": {"executorch.backends.arm.published._passes.decompositions": "DecomposeDivPass"},
    "backends/arm/_passes/decompose_layernorm_pass": {"executorch.backends.arm.published._passes.decompositions": "DecomposeLayerNormPass"},
    "backends/arm/_passes/decompose_linalg_vector_norm_pass": {"executorch.backends.arm.published._passes.decompositions": "DecomposeLinalgVectorNormPass"},
    "backends/arm/_passes/decompose_softmax_pass": {"executorch.backends.arm.published._passes.decompositions": "DecomposeSoftmaxPass"},
    "backends/arm/_passes/decompose_tosa_unsupported_clamp_pass": {"executorch.backends.arm.published._passes.comparisons": "DecomposeTOSAUnsupportedClampPass"},
    "backends/arm/_passes/decompose_var_pass": {"executorch.backends.arm.published._passes.decompositions": "DecomposeVarPass"},
    "backends/arm/_passes/deduplicate_get_attr_pass": {"executorch.backends.arm.published._passes.shapes": "DeduplicateGetAttrPass"},
    "backends/arm/_passes/fuse_batch_norm2d_pass": {
        "executorch.backends.transforms.fuse_batch_norm_with_conv": "FuseBatchNorm2dPass=FuseBatchNormWithConvPass",
    },
    "backends/arm/_passes/fuse_consecutive_clamps_pass": {"executorch.backends.arm.published._passes.comparisons": "FuseConsecutiveClampsPass"},
    "backends/arm/_passes/insert_int32_casts_after_int64_placeholders": {
        "executorch.backends.transforms.convert_dtype_pass": "InsertInt32CastsAfterInt64PlaceholdersPass=I64toI32",
    },
    "backends/arm/_passes/match_arg_ranks_pass": {"executorch.backends.arm.published._passes.shapes": "MatchArgRanksPass"},
    "backends/arm/_passes/remove_getitem_pass": {"executorch.backends.transforms.remove_getitem_op": "RemoveGetItemPass"},
    "backends/arm/_passes/remove_noop_pass": {
        "executorch.backends.transforms.remove_clone_ops": "RemoveNoopPass=RemoveCloneOpsTransform",
    },
    "backends/arm/_passes/remove_safe_softmax_guard_pass": {"executorch.backends.arm.published._passes.guards": "RemoveSafeSoftmaxGuardPass"},
    "backends/arm/_passes/replace_inf_and_limit_values_pass": {"executorch.backends.arm.quantizer.finite": "ReplaceInfAndLimitValuesPass"},
    "backends/arm/_passes/rewrite_le_lt_to_ge_gt_pass": {"executorch.backends.arm.published._passes.comparisons": "RewriteLeLtToGeGtPass"},
    "backends/arm/arm_vela": {"executorch.backends.arm.ethosu.vela": "VelaCompileResult VelaExternalBlock vela_compile"},
    "backends/arm/common/as_strided_utils": {"torch._prims_common": "contiguous_strides=make_contiguous_strides_for"},
    "backends/arm/common/pipeline_config": {
        "here": """
            ArmPassPipelineConfig LeakyReLULoweringConfig QuantizeInfConfig SDPASafeSoftmaxGuardPolicy SoftmaxDecompositionConfig
        """,
    },
    "backends/arm/constants": {
        "published": """
            DEQUANT_PER_CHANNEL_OP DEQUANT_PER_TENSOR_OP DEQUANT_PER_TENSOR_OP_T DISALLOW_TFA_META_KEY DQ_OPS HWCM_ORDER MAX_RANK
            NCHW_ORDER NHWC_INVERSE_ORDER NHWC_ORDER NNCHW_ORDER NNHWC_INVERSE_ORDER NNHWC_ORDER NNNCHW_ORDER NNNHWC_INVERSE_ORDER
            NNNHWC_ORDER ODHWI_INVERSE_ORDER ODHWI_ORDER OHWI_ORDER PER_CHANNEL_QDQ_OPS PER_TENSOR_QDQ_OPS QUANT_PER_CHANNEL_OP
            QUANT_PER_TENSOR_OP QUANT_PER_TENSOR_OP_T Q_OPS
        """,
    },
    "backends/arm/quantizer/arm_quantizer_utils": {
        "executorch.backends.arm.quantizer.annotations": "is_annotated",
        "published": "PatternCheck PatternQuantizer SharedQspecQuantizer",
    },
    "backends/arm/quantizer/quantization_annotator": {"published": "annotate_graph"},
    "backends/arm/quantizer/quantization_config": {
        "here": """
            QuantizationConfig TOSAQuantizationConfig get_symmetric_a16w8_quantization_config get_symmetric_a8w4_quantization_config
            get_symmetric_quantization_config get_uint8_io_quantization_config get_vgf_snorm_quantization_config
        """,
    },
    "backends/arm/tosa/dialect/__init__": {"here": "ops"},
    "backends/arm/tosa/dialect/lib": {"here": "TosaValueError"},
    "backends/arm/tosa/dialect/ops/avg_pool2d": {"here": "validate_avg_pool2d_dtype"},
    "backends/arm/tosa/dialect/ops/matmul_t_block_scaled": {"here": "MATMUL_T_BLOCK_SCALED"},
    "backends/arm/tosa/dialect/ops/shape_ops": {"here": "ASSERT_EQUAL_SHAPE"},
    "backends/arm/tosa/dialect/ops_registration": {"here": "get_registered_tosa_ops"},
    "backends/arm/tosa/mapping": {"here": "extract_tensor_meta"},
    "backends/arm/tosa/resize_utils": {"here": "is_exact_tosa_resize_boundary_downscale_case"},
    "backends/arm/tosa/schemas/__init__": {"here": ""},
    "backends/arm/util/__init__": {},
    "backends/arm/util/_factory": {"published": "create_partitioner create_quantizer parse_compile_spec"},
    "backends/arm/vgf/check_env": {
        "here": """
            STATUS_FAIL STATUS_OK STATUS_WARN VgfEnvironmentCheck VgfEnvironmentReport check_vgf_aot_environment
            check_vgf_host_emulator_environment check_vgf_runtime_environment is_vgf_aot_available is_vgf_runtime_available main
        """,
    },
    "backends/arm/vgf/model_converter": {
        "here": """
            MIN_MODEL_CONVERTER_VERSION_FOR_VGF_TESTS find_model_converter_binary get_model_converter_minimum_version_failure_reason
            get_model_converter_version_text model_converter_env parse_model_converter_version require_model_converter_binary
        """,
    },
}

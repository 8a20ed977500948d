"""The published names of backends/xnnpack; README.md says how to read and change this."""

BACKENDS_XNNPACK = {
    "backends/xnnpack/__init__": {
        "here": """
            XnnpackBackend XnnpackDynamicallyQuantizedPartitioner XnnpackFloatingPointPartitioner XnnpackPartitioner
            XnnpackQuantizedPartitioner get_xnnpack_edge_compile_config get_xnnpack_executorch_backend_config
        """,
    },
    "backends/xnnpack/_passes/__init__": {
        "executorch.backends.xnnpack.published._passes.pass_manager": "XNNPACKPassManager",
        "executorch.backends.xnnpack.published._passes.remove_clone_ops_transform": "XNNPACKRemoveCloneOpsTransform",
        "executorch.backends.xnnpack.published._passes.xnnpack_pass": "XNNPACKPass",
    },
    "backends/xnnpack/_passes/channels_last_tagged_reshape_pass": {
        "executorch.backends.xnnpack.graph.conversions": "tag_as_implicit_q_dq",
        "executorch.backends.xnnpack.published._passes.xnnpack_pass": "XNNPACKPass",
        "executorch.passes.infrastructure.pass_base": "PassResult",
        "published": "InputDimOrder ChannelsLastTaggedReshapePass",
    },
    "backends/xnnpack/_passes/conv1d_unsqueeze_pass": {
        "executorch.backends.xnnpack.published._passes.xnnpack_pass": "XNNPACKPass",
        "executorch.passes.infrastructure.pass_base": "PassResult",
        "published": "Conv1dUnsqueezePass",
    },
    "backends/xnnpack/_passes/convert_to_linear": {
        "executorch.passes.infrastructure.export_pass": "ExportPass",
        "executorch.passes.infrastructure.pass_base": "PassResult",
        "published": "ConvertToLinearPass",
    },
    "backends/xnnpack/_passes/convert_to_sdpa": {
        "executorch.backends.xnnpack.published._passes.xnnpack_pass": "XNNPACKPass",
        "executorch.passes.infrastructure.pass_base": "PassResult",
        "published": "ConvertToSDPAPass",
    },
    "backends/xnnpack/_passes/convert_to_upsample_bilinear2d": {
        "executorch.backends.xnnpack.published._passes.xnnpack_pass": "XNNPACKPass",
        "executorch.passes.infrastructure.pass_base": "PassResult",
        "published": "ConvertToUpsampleBilinear2d",
    },
    "backends/xnnpack/_passes/decompose_batch_norm": {
        "executorch.backends.xnnpack.published._passes.xnnpack_pass": "XNNPACKPass",
        "executorch.partitioner.selection.reasons": "WhyNoPartition",
        "executorch.passes.infrastructure.pass_base": "PassResult",
        "published": "DecomposeBatchNorm",
    },
    "backends/xnnpack/_passes/decompose_cat": {
        "executorch.passes.infrastructure.export_pass": "ExportPass",
        "executorch.passes.infrastructure.pass_base": "PassResult",
        "published": "DecomposeConcatenate",
    },
    "backends/xnnpack/_passes/fuse_activation_pass": {
        "executorch.backends.xnnpack.published._passes.xnnpack_pass": "XNNPACKPass",
        "executorch.backends.xnnpack.serialization.schema": "OutputMinMax",
        "executorch.passes.infrastructure.pass_base": "PassResult",
        "published": "FuseActivationPass",
    },
    "backends/xnnpack/_passes/fuse_batch_norm": {
        "executorch.backends.xnnpack.published._passes.xnnpack_pass": "XNNPACKPass",
        "executorch.partitioner.selection.reasons": "WhyNoPartition",
        "executorch.passes.infrastructure.pass_base": "PassResult",
        "published": "FuseBatchNormPass",
    },
    "backends/xnnpack/_passes/insert_pad_qdq": {
        "executorch.backends.xnnpack.graph.conversions": "tag_as_implicit_q_dq",
        "executorch.backends.xnnpack.published._passes.xnnpack_pass": "XNNPACKPass",
        "executorch.passes.infrastructure.pass_base": "PassResult",
        "published": "InsertPadQDQPass",
    },
    "backends/xnnpack/_passes/pass_manager": {"published": "XNNPACKPassManager"},
    "backends/xnnpack/_passes/prelu_reshape_pass": {
        "executorch.backends.xnnpack.published._passes.xnnpack_pass": "XNNPACKPass",
        "executorch.passes.infrastructure.pass_base": "PassResult",
        "published": "PReLUReshapePass",
    },
    "backends/xnnpack/_passes/propagate_custom_meta_pass": {
        "executorch.backends.xnnpack.graph.conversions": "is_dequant is_quant",
        "executorch.backends.xnnpack.published._passes.xnnpack_pass": "XNNPACKPass",
        "executorch.passes.infrastructure.pass_base": "PassResult",
        "published": "PropagateCustomMetaPass",
    },
    "backends/xnnpack/_passes/remove_clone_ops_transform": {"published": "XNNPACKRemoveCloneOpsTransform"},
    "backends/xnnpack/_passes/remove_noop_expand_copy_pass": {"executorch.backends.xnnpack.remove_noop_expand_copy_pass": "RemoveNoopExpandCopyPass"},
    "backends/xnnpack/_passes/remove_redundant_copy_pass": {
        "executorch.backends.xnnpack.published._passes.channels_last_tagged_reshape_pass": "ChannelsLastTaggedReshapePass",
        "executorch.backends.xnnpack.published._passes.xnnpack_pass": "XNNPACKPass",
        "executorch.passes.infrastructure.pass_base": "PassResult",
        "published": "RemoveRedundantCopyPass",
    },
    "backends/xnnpack/_passes/xnnpack_pass": {
        "executorch.passes.infrastructure.export_pass": "ExportPass",
        "published": "XNNPACKPass",
    },
    "backends/xnnpack/operators/__init__": {
        "executorch.backends.xnnpack.operators": """
            op_abs op_add op_addmm op_avg_pooling2d op_bmm op_cat op_ceiling op_clamp op_clone op_conv2d op_cos op_div
            op_dynamic_dequantize_ops op_dynamic_quantize_ops op_elu op_exp op_floor op_gelu op_hardswish op_hardtanh op_leaky_relu
            op_linear op_log op_matrix_multiplication op_max_dim op_max_pool2d op_maximum op_mean_dim op_minimum op_multiply op_negate
            op_permute op_prelu op_quant_dequant op_relu op_rsqrt op_sigmoid op_sin op_skip_ops op_slice_copy op_softmax op_square
            op_square_root op_squeeze op_static_constant_pad op_static_resize_bilinear_2d op_sub op_tanh op_to_copy op_view_copy
        """,
        "executorch.backends.xnnpack.published.operators.node_visitor": "NodeVisitor get_node_visitors register_node_visitor",
    },
    "backends/xnnpack/operators/node_visitor": {
        "executorch.partitioner": "NamedDataStore",
        "published": """
            _node_visitor_dict InputTypeToIndex get_tensor_value get_input_node NodeVisitor register_node_visitor get_node_visitors
        """,
    },
    "backends/xnnpack/operators/op_abs": {"published": "AbsVisitor"},
    "backends/xnnpack/operators/op_add": {"published": "AddVisitor"},
    "backends/xnnpack/operators/op_addmm": {"published": "AddmmVisitor"},
    "backends/xnnpack/operators/op_avg_pooling2d": {"published": "AveragePooling2d"},
    "backends/xnnpack/operators/op_bmm": {"published": "BMMVisitor"},
    "backends/xnnpack/operators/op_cat": {"published": "CatVisitor"},
    "backends/xnnpack/operators/op_ceiling": {"published": "CeilingVisitor"},
    "backends/xnnpack/operators/op_clamp": {"published": "ClampVisitor"},
    "backends/xnnpack/operators/op_clone": {"published": "CloneVisitor CloneDimOrderVisitor"},
    "backends/xnnpack/operators/op_conv2d": {"published": "Conv2d"},
    "backends/xnnpack/operators/op_cos": {"published": "CosVisitor"},
    "backends/xnnpack/operators/op_div": {"published": "DivVisitor"},
    "backends/xnnpack/operators/op_dynamic_dequantize_ops": {
        "executorch.backends.xnnpack.published.operators.node_visitor": "NodeVisitor get_input_node",
        "published": "OpDynamicDequantizePerTensor OpDynamicDequantizePerToken OpDequantizeAffine OpDynamicDequantizeNode",
    },
    "backends/xnnpack/operators/op_dynamic_quantize_ops": {
        "executorch.backends.xnnpack.published.operators.node_visitor": "NodeVisitor get_input_node",
        "published": "OpDynamicQuantizePerTensor OpDynamicQuantizePerToken OpQuantizeAffine OpDynamicQuantizeNode",
    },
    "backends/xnnpack/operators/op_elu": {"published": "ELUVisitor"},
    "backends/xnnpack/operators/op_exp": {"published": "ExpVisitor"},
    "backends/xnnpack/operators/op_floor": {"published": "Floor"},
    "backends/xnnpack/operators/op_gelu": {"published": "GeluVisitor"},
    "backends/xnnpack/operators/op_hardswish": {"published": "HardswishVisitor"},
    "backends/xnnpack/operators/op_hardtanh": {"published": "HardTanhVisitor"},
    "backends/xnnpack/operators/op_leaky_relu": {"published": "LeakyReluVisitor"},
    "backends/xnnpack/operators/op_linear": {"published": "LinearVisitor"},
    "backends/xnnpack/operators/op_log": {"published": "LogVisitor"},
    "backends/xnnpack/operators/op_matrix_multiplication": {"published": "MatrixMultiplyVisitor"},
    "backends/xnnpack/operators/op_max_dim": {"published": "ArgMaxDim MaxDim"},
    "backends/xnnpack/operators/op_max_pool2d": {"published": "MaxPooling2d"},
    "backends/xnnpack/operators/op_maximum": {"published": "MaximumVisitor"},
    "backends/xnnpack/operators/op_mean_dim": {"published": "MeanDim"},
    "backends/xnnpack/operators/op_minimum": {"published": "MinimumVisitor"},
    "backends/xnnpack/operators/op_multiply": {"published": "MultiplyVisitor"},
    "backends/xnnpack/operators/op_negate": {"published": "NegateVisitor"},
    "backends/xnnpack/operators/op_permute": {"published": "PermuteVisitor"},
    "backends/xnnpack/operators/op_prelu": {"published": "PReLUVisitor"},
    "backends/xnnpack/operators/op_quant_dequant": {
        "published": """
            OpStaticQDQNode OpQuantizePerTensor OpDeQuantizePerTensor OpQuantizePerChannelDefault OpDequantizePerChannelDefault
            OpQuantizePerChannelGroupDefault OpDequantizePerChannelGroupDefault
        """,
    },
    "backends/xnnpack/operators/op_relu": {"published": "ReluVisitor"},
    "backends/xnnpack/operators/op_rsqrt": {"published": "ReciprocalSquareRootVisitor"},
    "backends/xnnpack/operators/op_sigmoid": {"published": "Sigmoid"},
    "backends/xnnpack/operators/op_sin": {"published": "SinVisitor"},
    "backends/xnnpack/operators/op_skip_ops": {
        "executorch.backends.xnnpack.published.operators.node_visitor": "NodeVisitor",
        "published": """
            OpSkipOps OpChooseQparamsTensor OpChooseQparamsToken OpChooseQparamsAffine OpGetItem OpSymSizeInt OpTCopyDefault
        """,
    },
    "backends/xnnpack/operators/op_slice_copy": {"published": "SliceCopyVisitor"},
    "backends/xnnpack/operators/op_softmax": {"published": "SoftmaxVisitor"},
    "backends/xnnpack/operators/op_square": {"published": "SquareVisitor"},
    "backends/xnnpack/operators/op_square_root": {"published": "SquareRootVisitor"},
    "backends/xnnpack/operators/op_squeeze": {"published": "SqueezeVisitor UnsqueezeVisitor SqueezeDimVisitor"},
    "backends/xnnpack/operators/op_static_constant_pad": {"published": "StaticConstantPadVisitor"},
    "backends/xnnpack/operators/op_static_resize_bilinear_2d": {"published": "StaticResizeBilinear2DVisitor"},
    "backends/xnnpack/operators/op_sub": {"published": "SubVisitor"},
    "backends/xnnpack/operators/op_tanh": {"published": "TanhVisitor"},
    "backends/xnnpack/operators/op_to_copy": {"published": "ConvertMemoryFormat"},
    "backends/xnnpack/operators/op_view_copy": {"published": "ViewCopyVisitor"},
    "backends/xnnpack/operators/quant_params": {
        "executorch.backends.xnnpack.graph.conversions": "is_dequant is_dynamic_qdq is_per_channel is_per_channel_group is_quant",
        "published": "QuantParams",
    },
    "backends/xnnpack/partition/config/generic_node_configs": {
        "executorch.backends.xnnpack.partition.config.elementwise_configs": """
            AbsConfig AddConfig CeilConfig ClampConfig CosConfig DivConfig EluConfig ErfConfig ExpConfig FloorConfig GeluConfig
            HardswishConfig HardtanhConfig LeakyReLUConfig LogConfig MaximumConfig MinimumConfig MulConfig NegConfig PowConfig PreluConfig
            ReLUConfig ReciprocalSquareRootConfig SigmoidConfig SinConfig SoftmaxConfig SquareRootConfig SubConfig TanhConfig
        """,
        "executorch.backends.xnnpack.partition.config.gemm_configs": "BMMConfig ScaledDotProductAttentionConfig",
        "executorch.backends.xnnpack.partition.config.image_configs": """
            AdaptiveAvgPool2dConfig AvgPoolingConfig MaxPool2dConfig UpsampleBilinear2dConfig
        """,
        "executorch.backends.xnnpack.partition.config.quant_configs": """
            DeQuantizedPerTensorConfig QuantizedPerTensorConfig _get_q_dq_quantization_params
        """,
        "executorch.backends.xnnpack.partition.config.reduction_configs": """
            AMaxConfig MaxDimConfig MeanConfig MeanDimConfig NativeLayerNormConfig SumDimConfig
        """,
        "executorch.backends.xnnpack.partition.config.shape_configs": """
            CatConfig CloneConfig CloneDimOrderConfig ConstantPadConfig ExpandCopyConfig PermuteConfig SelectCopyConfig SliceCopyConfig
            SplitWithSizesConfig SqueezeCopyConfig ToDimOrderCopyConfig UnsqueezeCopyConfig ViewCopyConfig
        """,
        "executorch.backends.xnnpack.partition.config.xnnpack_config": "GenericNodePartitionerConfig",
    },
    "backends/xnnpack/partition/config/node_configs": {
        "executorch.backends.xnnpack.partition.config.elementwise_configs": "PreluConfig",
        "executorch.backends.xnnpack.partition.config.gemm_configs": "BatchNormConfig",
        "executorch.backends.xnnpack.partition.config.reduction_configs": "MaxDimConfig",
    },
    "backends/xnnpack/partition/config/quant_affine_configs": {
        "executorch.backends.xnnpack.partition.config.quant_configs": """
            ChooseQParamsAffineConfig DeQuantizeAffineConfig QDQAffineConfigs QuantizeAffineConfig
        """,
    },
    "backends/xnnpack/partition/xnnpack_partitioner": {"here": "XnnpackDynamicallyQuantizedPartitioner XnnpackPartitioner"},
    "backends/xnnpack/quantizer/xnnpack_quantizer": {"here": "XNNPACKQuantizer get_symmetric_quantization_config"},
    "backends/xnnpack/serialization/xnnpack_graph_schema": {
        "executorch.backends.xnnpack.serialization.schema": """
            * Buffer ConstantDataOffset OutputMinMax PerChannelGroupQuant PerChannelQuant PerTensorQuant PerTokenDynamicQuant
            XNNCat=_XNNCat XNNDatatype XNNGraph XNNNode1x1=_XNNNode1x1 XNNNode2x1=_XNNNode2x1 XNNNodeConv=_XNNNodeConv
            XNNPooling2D=_XNNPooling2D XNNQuantizedTensorValue XNNTensorValue XNode XValue
        """,
    },
    "backends/xnnpack/serialization/xnnpack_graph_serialize": {
        "executorch.backends.xnnpack.serialization.schema": "XNNGraph",
        "published": """
            CONSTANT_TENSOR_ALIGNMENT _HEADER_BYTEORDER XNNHeader _padding_required _aligned_size _pad_to _flatc_compile
            convert_to_flatbuffer serialize_xnnpack_binary
        """,
    },
    "backends/xnnpack/utils/configs": {"here": "get_transform_passes get_xnnpack_edge_compile_config get_xnnpack_executorch_backend_config"},
    "backends/xnnpack/utils/quant_utils": {
        "executorch.backends.xnnpack.graph.conversions": """
            IS_IMPLICIT_Q_DQ_TAG is_affine_qdq is_dequant is_dynamic_qdq is_per_channel is_per_channel_group is_per_tensor is_per_token
            is_qparam is_quant is_tagged_as_implicit_q_dq tag_as_implicit_q_dq
        """,
        "executorch.backends.xnnpack.graph.validation": "is_tensor_subnormal validate_quant_scales validate_quant_zeropoints",
        "published": "extract_qdq_affine_op_args_for_decomposed_ops",
    },
    "backends/xnnpack/utils/utils": {
        "published": """
            PERM_NCHW_TO_NHWC PERM_NHWC_TO_NCHW is_node is_getitem is_get_attr_node check_or_raise get_input_node get_relu_fused_node
            get_source_fn is_param_node get_tensor_name get_param_tensor get_groups_from_conv is_depthwise_conv normalize_pool2d_args
            normalize_mean_dims
        """,
    },
    "backends/xnnpack/utils/xnnpack_constants": {
        "published": """
            UINT32_MAX UINT64_MAX XNN_EXTRA_BYTES XNN_EXTRA_QUANTIZATION_PARAMS XNN_MAX_TENSOR_DIMS XNN_INVALID_VALUE_ID XNN_MIN_BLOCKSIZE
            XNN_VALUE_FLAG_EXTERNAL_INPUT XNN_VALUE_FLAG_EXTERNAL_OUTPUT XNN_VALUE_FLAG_PERSISTENT XNN_FLAG_HINT_SPARSE_INFERENCE
            XNN_FLAG_HINT_FP16_INFERENCE XNN_FLAG_FORCE_FP16_INFERENCE XNN_FLAG_BASIC_PROFILING XNN_FLAG_JIT XNN_FLAG_YIELD_WORKERS
            XNN_FLAG_TRANSIENT_INDIRECTION_BUFFER XNN_FLAG_DEPTHWISE_CONVOLUTION XNN_FLAG_TRANSPOSE_WEIGHTS XNN_FLAG_TRANSPOSE_B
            XNN_FLAG_TRANSPOSE_A XNN_FLAG_INPUT_NHWC XNN_FLAG_TENSORFLOW_LEGACY_MODE XNN_FLAG_TENSORFLOW_RESHAPE_2D
            XNN_FLAG_TENSORFLOW_SAME_PADDING XNN_FLAG_ALIGN_CORNERS XNN_FLAG_FP32_STATIC_WEIGHTS XNN_FLAG_KEEP_DIMS
        """,
    },
}

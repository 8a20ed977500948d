"""The published names of backends/cortex_m; README.md says how to read and change this."""

BACKENDS_CORTEX_M = {
    "backends/cortex_m/edge_compile_config": {"here": "cortex_m_edge_compile_config"},
    "backends/cortex_m/library/__init__": {},
    "backends/cortex_m/library/cmsis_nn": {
        "executorch.backends.cortex_m.target_config": "Backend=InstructionSet CortexM",
        "published": "DataType avgpool_buffer_size convolve_wrapper_buffer_size resolve_backend",
    },
    "backends/cortex_m/passes/decompose_mean_pass": {"published": "DecomposeMeanPass"},
    "backends/cortex_m/quantizer/node_finders": {
        "published": """
            GlobalNodeFinder InputNodeFinder ModuleNameNodeFinder ModuleTypeNodeFinder NodeFinder NodeNameNodeFinder NodeTargetNodeFinder
            OutputNodeFinder
        """,
    },
    "backends/cortex_m/quantizer/pattern_checkers": {
        "executorch.backends.arm.published.quantizer.arm_quantizer_utils": "PatternCheck",
        "published": "CortexMAddMulCheck",
    },
    "backends/cortex_m/quantizer/pattern_matcher": {"published": "PatternMatchResult PatternMatcher"},
    "backends/cortex_m/quantizer/quantization_configs": {
        "published": "INT16_PER_TENSOR_CONFIG INT8_PER_CHANNEL_CONFIG INT8_PER_TENSOR_CONFIG",
    },
    "backends/cortex_m/quantizer/quantizer_support": {"published": "BINARY_OP_PATTERNS"},
    "backends/cortex_m/quantizer_reporter": {
        "published": "QuantizerInfo QuantizerReport QuantizerReporter QuantizerReporterUser logger qspec_repr",
    },
    "backends/cortex_m/target_config": {"here": "CortexM CortexMTargetConfig"},
}

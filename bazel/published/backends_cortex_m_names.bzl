"""The published names of backends/cortex_m; README.md says how to read and change this."""

BACKENDS_CORTEX_M = {
    "backends/cortex_m/edge_compile_config": {"here": "cortex_m_edge_compile_config"},
    "backends/cortex_m/library/__init__": {},
    "backends/cortex_m/library/cmsis_nn": {
        "executorch.backends.cortex_m.target_config": "Backend=InstructionSet CortexM",
        "published": "DataType avgpool_buffer_size convolve_wrapper_buffer_size resolve_backend",
    },
    "backends/cortex_m/target_config": {"here": "CortexM CortexMTargetConfig"},
}

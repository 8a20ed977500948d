"""The C++ tests of the runtime and the portable kernels, by package, as programs for other platforms."""

_TESTS = {
    "kernels/portable": ["portable_test"],
    "kernels/portable/cpu/internal": [
        "distance_test",
        "moments_test",
        "vmath_test",
    ],
    "kernels/portable/cpu/util": [
        "broadcast_util_test",
        "custom_kernels_test",
        "elementwise_util_test",
        "reduce_util_test",
    ],
    "kernels/prim_ops": ["prim_ops_test"],
    "runtime": ["readme_test"],
    "runtime/backend": [
        "graph_blob_test",
        "interface_test",
        "options_test",
    ],
    "runtime/core": [
        "array_ref_test",
        "data_loader_test",
        "device_allocator_test",
        "error_test",
        "evalue_test",
        "event_tracer_hooks_off_test",
        "event_tracer_hooks_test",
        "freeable_buffer_test",
        "function_ref_test",
        "legacy_names_test",
        "little_endian_test",
        "memory_allocator_test",
        "no_heap_test",
        "tensor_layout_test",
    ],
    "runtime/core/exec_aten/testing_util": ["testing_util_test"],
    "runtime/core/exec_aten/util": [
        "dim_order_util_test",
        "scalar_type_util_test",
        "tensor_size_test",
        "tensor_util_test",
    ],
    "runtime/core/portable_type": [
        "bfloat16_test",
        "complex_test",
        "half_test",
        "scalar_test",
        "tensor_impl_test",
    ],
    "runtime/core/portable_type/c10": ["c10_util_test"],
    "runtime/core/testing_util": ["error_matchers_test"],
    "runtime/executor": [
        "allocation_failure_test",
        "call_plan_test",
        "dynamic_memory_test",
        "integrity_test",
        "memory_manager_test",
        "merged_data_map_test",
        "method_control_flow_test",
        "method_delegate_test",
        "method_device_test",
        "method_dtypes_test",
        "method_event_tracer_test",
        "method_external_data_test",
        "method_io_test",
        "method_meta_test",
        "method_test",
        "mutation_test",
        "no_heap_test",
        "platform_memory_allocator_test",
        "program_test",
        "program_threads_test",
        "program_validation_test",
        "sized_arena_test",
    ],
    "runtime/executor/test": ["managed_memory_manager_test"],
    "runtime/kernel": [
        "boxing_test",
        "kernel_runtime_context_test",
        "operator_registry_limit_test",
        "operator_registry_test",
        "scalar_extraction_test",
    ],
    "runtime/kernel/test": ["test_util_test"],
    "runtime/platform": [
        "assert_test",
        "c_header_test",
        "clock_test",
        "legacy_headers_test",
        "log_disabled_test",
        "log_test",
        "platform_test",
        "platform_weak_test",
    ],
    "runtime/platform/default": ["minimal_test"],
    "runtime/platform/test": ["stub_platform_test"],
    "schema": [
        "extended_header_test",
        "generated_headers_test",
    ],
}

#: All of them.
ALL = ["//{}:{}".format(package, name) for package, names in _TESTS.items() for name in names]

#: A few that compile quickly: what differs between processors (sizes, alignment, conversions, byte order).
LIGHT = [
    "//runtime/core:array_ref_test",
    "//runtime/core:evalue_test",
    "//runtime/core:memory_allocator_test",
    "//runtime/core/portable_type:half_test",
    "//schema:extended_header_test",
]

#: What makes programs fast on phones: the optimized kernels and the XNNPACK delegate.
FAST = [
    "//backends/xnnpack/runtime:executor_test",
    "//backends/xnnpack/runtime:packed_weights_test",
    "//backends/xnnpack/runtime:rows_test",
    "//backends/xnnpack/runtime:shapes_test",
    "//backends/xnnpack/runtime:sharing_test",
    "//backends/xnnpack/runtime:workspace_test",
    "//extension/threadpool:threadpool_test",
    "//kernels/optimized/cpu:parallel_test",
    "//kernels/optimized/cpu:simd_test",
]

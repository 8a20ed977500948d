"""The documented frameworks, as far as they are not Apple's own engines, and what is in them."""

load("//extension/apple:objective_c.bzl", "HAS_SDK", "apple")

# Where an SDK makes archives of them that applications can link.
_OBJECTIVE = {
    name: [apple("//extension/apple/{0}:{0}".format(name))] if HAS_SDK else []
    for name in ["ExecuTorch", "ExecuTorchLLM"]
}

#: Of `executorch`, with what kernels and backends share.
CORE = [
    "//extension/c_api:executorch_c",
    "//extension/module",
    "//extension/tensor",
    "//extension/threadpool",
    "//kernels/prim_ops",
] + _OBJECTIVE["ExecuTorch"]

#: Of the others.
PARTS = {
    "backend_xnnpack": ["//backends/xnnpack/runtime"],
    "executorch_llm": ["//extension/llm/runner:llm_runner_helper"] + _OBJECTIVE["ExecuTorchLLM"],
    "kernels_llm": ["//extension/llm/custom_ops:kernels"],
    "kernels_optimized": ["//kernels/optimized"],
    "kernels_quantized": ["//kernels/quantized"],
}

#: For Swift.
MODULEMAPS = {
    "executorch": ["c.modulemap"] + (["objc.modulemap"] if HAS_SDK else []),
    "executorch_llm": ["llm.modulemap"] if HAS_SDK else [],
}

#: As applications name them.
PRODUCTS = [name + suffix for suffix in ["", "_debug"] for name in ["executorch"] + sorted(PARTS)]

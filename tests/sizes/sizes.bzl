"""Programs whose kernels calculate with floats only."""

load("//bazel:transitioned.bzl", "transitioned_binary")

def _floats_impl(_settings, _attr):
    return {"//kernels/portable/cpu/util:floats_only": True}

_floats = transition(
    implementation = _floats_impl,
    inputs = [],
    outputs = ["//kernels/portable/cpu/util:floats_only"],
)

with_floats_only = rule(
    implementation = transitioned_binary,
    doc = "A binary and all that it is made of, with --//kernels/portable/cpu/util:floats_only.",
    attrs = {
        "binary": attr.label(cfg = _floats, executable = True, mandatory = True),
        "_allowlist_function_transition": attr.label(
            default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
        ),
    },
    executable = True,
)

"""Programs built for size, whatever the rest of the build is for."""

load("//bazel:transitioned.bzl", "transitioned_binary")

_SMALL = [
    "-Oz",
    "-fvisibility=hidden",
    "-fvisibility-inlines-hidden",
    # Nothing unwinds through code without exceptions.
    "-fno-exceptions",
    "-fno-rtti",
    "-fno-unwind-tables",
    "-fno-asynchronous-unwind-tables",
    # A product registers the kernels of its models, not two thousand.
    "-DMAX_KERNEL_NUM=64",
]

def _small_impl(settings, attr):
    return {
        "//runtime/core:enable_event_tracer": False,
        "//runtime/core:enable_unbounded_sizes": False,
        "//runtime/executor:enable_device_memory": False,
        "//command_line_option:compilation_mode": "opt",
        "//command_line_option:copt": settings["//command_line_option:copt"] + _SMALL + attr.copts,
    }

_small = transition(
    implementation = _small_impl,
    inputs = ["//command_line_option:copt"],
    outputs = [
        "//runtime/core:enable_event_tracer",
        "//runtime/core:enable_unbounded_sizes",
        "//runtime/executor:enable_device_memory",
        "//command_line_option:compilation_mode",
        "//command_line_option:copt",
    ],
)

smallest = rule(
    implementation = transitioned_binary,
    doc = "A binary and all that it is made of, compiled for size.",
    attrs = {
        "binary": attr.label(cfg = _small, executable = True, mandatory = True),
        "copts": attr.string_list(doc = "further arguments of every compile"),
        "_allowlist_function_transition": attr.label(
            default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
        ),
    },
    executable = True,
)

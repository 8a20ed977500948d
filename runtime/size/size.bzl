"""Programs built for size, whatever the rest of the build is for."""

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
        "//command_line_option:compilation_mode": "opt",
        "//command_line_option:copt": settings["//command_line_option:copt"] + _SMALL + attr.copts,
    }

_small = transition(
    implementation = _small_impl,
    inputs = ["//command_line_option:copt"],
    outputs = [
        "//runtime/core:enable_event_tracer",
        "//command_line_option:compilation_mode",
        "//command_line_option:copt",
    ],
)

def _smallest_impl(ctx):
    # A transition may give several; this one gives one.
    binary = ctx.attr.binary[0] if type(ctx.attr.binary) == type([]) else ctx.attr.binary
    program = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.symlink(
        is_executable = True,
        output = program,
        target_file = binary[DefaultInfo].files_to_run.executable,
    )
    return DefaultInfo(files = depset([program]), runfiles = ctx.runfiles([program]), executable = program)

smallest = rule(
    implementation = _smallest_impl,
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

"""Programs whose kernels calculate with floats only."""

def _floats_impl(_settings, _attr):
    return {"//kernels/portable/cpu/util:floats_only": True}

_floats = transition(
    implementation = _floats_impl,
    inputs = [],
    outputs = ["//kernels/portable/cpu/util:floats_only"],
)

def _with_floats_only_impl(ctx):
    # A transition may give several; this one gives one.
    binary = ctx.attr.binary[0] if type(ctx.attr.binary) == type([]) else ctx.attr.binary
    program = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.symlink(
        is_executable = True,
        output = program,
        target_file = binary[DefaultInfo].files_to_run.executable,
    )
    return DefaultInfo(files = depset([program]), runfiles = ctx.runfiles([program]), executable = program)

with_floats_only = rule(
    implementation = _with_floats_only_impl,
    doc = "A binary and all that it is made of, with --//kernels/portable/cpu/util:floats_only.",
    attrs = {
        "binary": attr.label(cfg = _floats, executable = True, mandatory = True),
        "_allowlist_function_transition": attr.label(
            default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
        ),
    },
    executable = True,
)

"""What each platform of the table gets, and a report of it: `//toolchains:all_platforms`, `//toolchains:built_ROW`."""

load("@rules_cc//cc:find_cc_toolchain.bzl", "use_cc_toolchain")
load("//bazel:dist.bzl", "archive_objects", "own_objects")
load(":cross.bzl", "platform_transition")
load(":targets.bzl", "TARGETS")

_ALLOWLIST = attr.label(default = "@bazel_tools//tools/allowlists/function_transition_allowlist")

PlatformInfo = provider(doc = "What was built for a platform.", fields = {
    "files": "depset of the files",
    "row": "dictionary for the report",
})

def _archive(ctx, name, packages, deps):
    picked, whole = own_objects(ctx.label.repo_name, packages, [dep[CcInfo] for dep in deps])
    return archive_objects(ctx, "{}/lib{}.a".format(ctx.label.name, name), picked + whole)

def _linked(ctx, name, target):
    info = target[DefaultInfo].files_to_run
    out = ctx.actions.declare_file("{}/{}".format(ctx.label.name, name))
    ctx.actions.symlink(output = out, target_file = info.executable, is_executable = True)
    return out

def _slice_impl(ctx):
    target = TARGETS[ctx.attr.platform]
    files = {
        "core": _archive(ctx, "executorch_runtime", ["runtime", "schema"], ctx.attr.core),
        "prim_ops": _archive(ctx, "executorch_prim_ops", ["kernels/prim_ops"], ctx.attr.prim_ops),
    }
    if ctx.attr.kernels:
        files["kernels"] = _archive(ctx, "executorch_kernels", ["kernels/portable"], ctx.attr.kernels)
    row = {"file_type": target.file_type, "platform": ctx.attr.platform, "unlinked": target.unlinked or ""}
    if ctx.attr.program:
        files["program"] = _linked(ctx, ctx.attr.program.label.name, ctx.attr.program)
    if ctx.file.embedded:
        files["embedded"] = ctx.file.embedded
    if ctx.attr.size_with:
        files["size_with"] = _linked(ctx, "size_with_core", ctx.attr.size_with)
        files["size_without"] = _linked(ctx, "size_without_core", ctx.attr.size_without)
    outs = depset(files.values())
    return [
        DefaultInfo(files = outs),
        PlatformInfo(files = outs, row = dict(row, **{name: file.path for name, file in files.items()})),
    ]

platform_slice = rule(
    implementation = _slice_impl,
    doc = "The runtime's core and the portable kernels as static libraries, and a program of both, for one platform.",
    attrs = {
        "core": attr.label_list(mandatory = True, providers = [CcInfo]),
        "embedded": attr.label(doc = "the model in the program", allow_single_file = True),
        "kernels": attr.label_list(doc = "empty where only sizes are asked for", providers = [CcInfo]),
        "platform": attr.string(mandatory = True, values = TARGETS.keys()),
        "prim_ops": attr.label_list(mandatory = True, providers = [CcInfo]),
        "program": attr.label(doc = "none where nothing can be linked", executable = True, cfg = "target"),
        "size_with": attr.label(doc = "the least program with the core", executable = True, cfg = "target"),
        "size_without": attr.label(doc = "the same without", executable = True, cfg = "target"),
        "_allowlist_function_transition": _ALLOWLIST,
    },
    cfg = platform_transition,
    fragments = ["cpp"],
    toolchains = use_cc_toolchain(),
)

def _report_impl(ctx):
    infos = [one[PlatformInfo] for one in ctx.attr.slices]
    manifest = ctx.actions.declare_file(ctx.label.name + ".manifest.json")
    ctx.actions.write(manifest, json.encode([info.row for info in infos]))
    table = ctx.actions.declare_file(ctx.label.name + ".txt")
    ctx.actions.run(
        arguments = [manifest.path, table.path],
        executable = ctx.executable._report,
        inputs = depset([manifest], transitive = [info.files for info in infos]),
        mnemonic = "PlatformReport",
        outputs = [table],
    )
    script = ctx.actions.declare_file(ctx.label.name + ".sh")
    ctx.actions.write(script, "#!/bin/sh\nexec cat \"${{RUNFILES_DIR:-$0.runfiles}}/_main/{}\"\n".format(table.short_path), is_executable = True)
    return DefaultInfo(
        executable = script,
        files = depset([table], transitive = [info.files for info in infos]),
        runfiles = ctx.runfiles([table]),
    )

platform_report = rule(
    implementation = _report_impl,
    doc = "Builds the platforms; `bazel run` prints the table of what came of it, read back from the files.",
    attrs = {
        "slices": attr.label_list(mandatory = True, providers = [PlatformInfo]),
        "_report": attr.label(default = ":platform_report_tool", executable = True, cfg = "exec"),
    },
    executable = True,
)

def _size_table_impl(ctx):
    infos = [one[PlatformInfo] for one in ctx.attr.slices]
    manifest = ctx.actions.declare_file(ctx.label.name + ".manifest.json")
    ctx.actions.write(manifest, json.encode([info.row for info in infos]))
    ctx.actions.run(
        arguments = [manifest.path, ctx.outputs.out.path],
        executable = ctx.executable._tool,
        inputs = depset([manifest], transitive = [info.files for info in infos]),
        mnemonic = "SizeTable",
        outputs = [ctx.outputs.out],
    )
    return DefaultInfo(files = depset([ctx.outputs.out]))

size_table = rule(
    implementation = _size_table_impl,
    doc = "The tables of docs/size.md, from what is built for bare-metal platforms.",
    attrs = {
        "out": attr.output(mandatory = True),
        "slices": attr.label_list(mandatory = True, providers = [PlatformInfo]),
        "_tool": attr.label(default = ":size_table", executable = True, cfg = "exec"),
    },
)

#: Rows whose programs are firmware.
BARE_METAL = [row for row, target in TARGETS.items() if target.link == "bare" and not target.unlinked]

def _program(row, target):
    """The program of a row: the command-line runner, or without threads and files the digits."""
    if target.unlinked:
        return None
    return "//examples/firmware:firmware" if target.link in ["bare", "wasm"] else "//extension/executor_runner:portable_runner"

def _slice(name, row, target, kernels):
    bare = row in BARE_METAL
    platform_slice(
        name = name,
        testonly = True,
        core = ["//runtime/core", "//runtime/executor:memory_manager", "//runtime/executor:program", "//runtime/platform:runtime"],
        embedded = "//examples/firmware:digits.pte" if bare else None,
        kernels = kernels,
        platform = row,
        prim_ops = ["//kernels/prim_ops"],
        program = _program(row, target),
        size_with = "//runtime/size:size_test" if bare else None,
        size_without = "//runtime/size:size_base" if bare else None,
        tags = ["manual"],
    )

def platforms(name):
    """Declares `built_ROW` for every row of the table, and `name` for all of them.

    Everything is manual: a cold build compiles the portable kernels once for each row.

    Args:
      name: of the target with all rows.
    """
    for row, target in TARGETS.items():
        _slice("slice_" + row, row, target, ["//kernels/portable"])
        if row in BARE_METAL:
            # Without the kernels that the digits do not call, which are most of the work.
            _slice("sizes_" + row, row, target, [])
        platform_report(
            name = "built_" + row,
            testonly = True,
            slices = ["slice_" + row],
            tags = ["manual"],
        )
    platform_report(
        name = name,
        testonly = True,
        slices = ["slice_" + row for row in TARGETS],
        tags = ["manual"],
    )

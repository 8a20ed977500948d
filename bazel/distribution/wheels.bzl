"""Wheels that belong to no library: all of them in one directory, and one with the C++ distributions."""

load("//bazel:wheel.bzl", "platform_tag")

def _wheel_directory_impl(ctx):
    out = ctx.actions.declare_directory(ctx.label.name)
    ctx.actions.run_shell(
        command = 'out=$1; shift; for directory in "$@"; do cp "$directory"/*.whl "$out"; done',
        arguments = [out.path] + [file.path for file in ctx.files.srcs],
        inputs = ctx.files.srcs,
        mnemonic = "Wheels",
        outputs = [out],
    )
    return DefaultInfo(files = depset([out]))

wheel_directory = rule(
    implementation = _wheel_directory_impl,
    doc = "All wheels in one directory, as pip's `--find-links` takes it.",
    attrs = {"srcs": attr.label_list(mandatory = True, doc = "of py_wheel")},
)

def _cpp_wheel_impl(ctx):
    wheel = ctx.actions.declare_directory(ctx.label.name)
    manifest = ctx.actions.declare_file(ctx.label.name + ".manifest.json")
    ctx.actions.write(manifest, json.encode({
        "distribution": "executorch_cpp",
        "files": {"executorch/cpp/" + file.basename: file.path for file in ctx.files.srcs},
        "readme": ctx.file.readme.path,
        "requires": [],
        "siblings": {},
        # Archives and headers: of a machine, but of no Python.
        "tag": "py3-none-" + platform_tag(ctx.attr.platform),
        "unpacked": {"executorch/cpp": ctx.file.dist.path},
        "version": ctx.file.version.path,
    }))
    ctx.actions.run(
        executable = ctx.executable._builder,
        arguments = [manifest.path, wheel.path],
        inputs = ctx.files.srcs + [manifest, ctx.file.dist, ctx.file.readme, ctx.file.version],
        mnemonic = "PyWheel",
        outputs = [wheel],
    )
    return DefaultInfo(files = depset([wheel]), runfiles = ctx.runfiles([wheel]))

cpp_wheel = rule(
    implementation = _cpp_wheel_impl,
    doc = "A wheel with what the C++ distributions install, below `executorch/cpp`.",
    attrs = {
        "dist": attr.label(allow_single_file = True, mandatory = True, doc = "the tar of all of them, built for `platform`"),
        "platform": attr.string(default = "linux_x86_64", doc = "row of the toolchain table"),
        "readme": attr.label(allow_single_file = True, mandatory = True),
        "srcs": attr.label_list(allow_files = True, doc = "Python that says where it lies"),
        "version": attr.label(allow_single_file = True, mandatory = True),
        "_builder": attr.label(default = "//bazel:wheel_builder", executable = True, cfg = "exec"),
    },
)

"""What Python finds in a checkout only after a build: generated modules and extension modules."""

load("@rules_python//python:defs.bzl", "PyInfo")

def _checkout_files_impl(ctx):
    found = []
    for dep in ctx.attr.deps:
        for file in dep[DefaultInfo].default_runfiles.files.to_list():
            # Of this repository: what lies below bazel-bin as it is imported. Programs are nothing to import.
            if not file.is_source and file.owner.workspace_name == ctx.label.workspace_name:
                found.append(file)
    files = depset(found + ctx.files.srcs)
    return DefaultInfo(files = files, runfiles = ctx.runfiles(transitive_files = files))

# A filegroup of the same libraries is built and stays empty: a library's own outputs are its sources alone, and what is
# nobody's output is not brought here from a cache.
checkout_files = rule(
    implementation = _checkout_files_impl,
    doc = "Makes all generated files that these libraries import, directly or not, and puts them into bazel-bin.",
    attrs = {
        "deps": attr.label_list(mandatory = True, providers = [PyInfo]),
        "srcs": attr.label_list(allow_files = True, doc = "further files"),
    },
)

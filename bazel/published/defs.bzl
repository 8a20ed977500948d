"""Modules that only hand on names, written from the table, whose format README.md describes."""

load("//bazel:defs.bzl", "py_lib")
load(":backends_arm_names.bzl", "BACKENDS_ARM")
load(":backends_cadence_names.bzl", "BACKENDS_CADENCE")
load(":backends_cortex_m_names.bzl", "BACKENDS_CORTEX_M")
load(":backends_vulkan_names.bzl", "BACKENDS_VULKAN")
load(":backends_xnnpack_names.bzl", "BACKENDS_XNNPACK")
load(":examples_names.bzl", "EXAMPLES")
load(":exir_names.bzl", "EXIR")
load(":exir_passes_names.bzl", "EXIR_PASSES")

_PUBLISHED = EXIR | EXIR_PASSES | BACKENDS_ARM | BACKENDS_CADENCE | BACKENDS_CORTEX_M | BACKENDS_VULKAN | BACKENDS_XNNPACK | EXAMPLES

def _written_modules_impl(ctx):
    package = ctx.label.package + "/"
    files = {path: ctx.actions.declare_file(path.removeprefix(package) + ".py") for path in ctx.attr.modules}
    ctx.actions.run(
        executable = ctx.executable._generator,
        arguments = [file.path for file in ctx.files._tables] + ["{}={}".format(path, file.path) for path, file in files.items()],
        inputs = ctx.files._tables,
        mnemonic = "PublishedNames",
        outputs = files.values(),
    )
    return DefaultInfo(files = depset(files.values()))

_written_modules = rule(
    implementation = _written_modules_impl,
    doc = "The modules of some rows of the table.",
    attrs = {
        "modules": attr.string_list(mandatory = True, doc = "keys of the table"),
        "_generator": attr.label(default = ":generate", executable = True, cfg = "exec"),
        "_tables": attr.label(default = ":tables"),
    },
)

def published_modules(name, deps):
    """`:NAME`, all modules of the table that lie in this package and only hand on names; `:NAME_sources`, their files.

    Args:
      name: of the target.
      deps: the libraries that the table's rows name, checked by //tests/architecture.
    """
    package = native.package_name() + "/"
    inner = [package + one + "/" for one in native.subpackages(include = ["**"], allow_empty = True)]
    modules = [
        path
        for path, row in _PUBLISHED.items()
        if path.startswith(package) and "here" not in row and not any([path.startswith(one) for one in inner])
    ]
    _written_modules(name = name + "_sources", modules = modules, visibility = ["//visibility:public"])
    py_lib(
        name = name,
        srcs = [name + "_sources"],
        deps = deps,
    )

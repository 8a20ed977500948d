"""A wheel of one microlibrary: its own files under executorch/PACKAGE, its siblings pinned by range."""

load("//toolchains:targets.bzl", "TARGETS")

#: Machines that wheels with compiled code are built for besides this build's own, and their rows of the toolchain table.
CROSS_WHEELS = {"aarch64": "linux_aarch64"}

# What extension modules are for: CPython's stable interface as 3.10 has it (runtime/python/py_abi.h).
_STABLE = "cp310-abi3"

def platform_tag(platform):
    """manylinux_2_28_x86_64: what a row of the toolchain table with glibc links for.

    Args:
      platform: name of the row.

    Returns:
      The last part of a wheel's tag.
    """
    row = TARGETS[platform]
    if not row.glibc:
        fail("{} has no manylinux tag: it does not link glibc".format(platform))
    return "manylinux_{}_{}".format(row.glibc.replace(".", "_"), row.clang_target.partition("-")[0])

def _installed(ctx, path):
    """Where a file of the checkout lies once it is installed."""
    root = ctx.attr.import_root
    return path.removeprefix(root + "/") if root else "executorch/" + path

def _own_files(ctx):
    """Files of the library's directory, source and generated; siblings and third-party stay out."""
    prefix = ctx.label.package + "/"
    files = []
    for dep in ctx.attr.deps:
        depsets = [dep[PyInfo].transitive_sources, dep[DefaultInfo].default_runfiles.files]
        for file in depset(transitive = depsets).to_list():
            path = file.short_path
            if path.startswith(prefix) and not path.endswith("_test.py"):
                files.append(file)
    return {file.short_path: file for file in files}

def _py_wheel_impl(ctx):
    files = _own_files(ctx)
    native_code = any([path.endswith(".so") for path in files])
    tag = "{}-{}".format(_STABLE, platform_tag(ctx.attr.platform)) if native_code else "py3-none-any"

    # Those of another platform in the place of this build's.
    for module in ctx.files.extension_modules:
        if module.short_path not in files:
            fail("{} is not in the wheel of {}".format(module.short_path, ctx.label.package))
        files[module.short_path] = module
    wheel = ctx.actions.declare_directory(ctx.label.name)
    manifest = ctx.actions.declare_file(ctx.label.name + ".manifest.json")
    ctx.actions.write(manifest, json.encode({
        "distribution": ctx.attr.distribution,
        "extras": ctx.attr.extras,
        "files": {_installed(ctx, path): file.path for path, file in files.items()},
        "readme": ctx.file.readme.path,
        "requires": ctx.attr.requires,
        "siblings": {name: target.files.to_list()[0].path for target, name in ctx.attr.siblings.items()},
        "tag": tag,
        "version": ctx.file.version.path,
    }))
    ctx.actions.run(
        executable = ctx.executable._builder,
        arguments = [manifest.path, wheel.path],
        inputs = depset(
            files.values() + [manifest, ctx.file.version, ctx.file.readme],
            transitive = [target.files for target in ctx.attr.siblings],
        ),
        mnemonic = "PyWheel",
        outputs = [wheel],
    )
    return DefaultInfo(files = depset([wheel]), runfiles = ctx.runfiles([wheel]))

py_wheel = rule(
    implementation = _py_wheel_impl,
    doc = "A directory with one wheel, whose name carries the version read from VERSION.",
    attrs = {
        "deps": attr.label_list(providers = [PyInfo]),
        "distribution": attr.string(mandatory = True),
        "extension_modules": attr.label_list(
            allow_files = True,
            doc = "built for `platform`, instead of those that `deps` bring",
        ),
        "extras": attr.string_list_dict(doc = "requirement strings of what pip installs with NAME[EXTRA]; @VERSION@ is this version"),
        "import_root": attr.string(doc = "the directory whose modules are imported by their names alone, where they are not the package executorch's"),
        "platform": attr.string(default = "linux_x86_64", doc = "row of the toolchain table that extension modules are built for"),
        "readme": attr.label(allow_single_file = True),
        "requires": attr.string_list(),
        "siblings": attr.label_keyed_string_dict(allow_files = True, doc = "VERSION file -> distribution name"),
        "version": attr.label(allow_single_file = True, mandatory = True),
        "_builder": attr.label(default = ":wheel_builder", executable = True, cfg = "exec"),
    },
)

"""A wheel of one microlibrary: its own files under executorch/PACKAGE, its siblings pinned by range."""

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
    tag = "cp311-cp311-manylinux_2_28_x86_64" if native_code else "py3-none-any"
    wheel = ctx.actions.declare_directory(ctx.label.name)
    manifest = ctx.actions.declare_file(ctx.label.name + ".manifest.json")
    ctx.actions.write(manifest, json.encode({
        "distribution": ctx.attr.distribution,
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
        "import_root": attr.string(doc = "the directory whose modules are imported by their names alone, where they are not the package executorch's"),
        "readme": attr.label(allow_single_file = True),
        "requires": attr.string_list(),
        "siblings": attr.label_keyed_string_dict(allow_files = True, doc = "VERSION file -> distribution name"),
        "version": attr.label(allow_single_file = True, mandatory = True),
        "_builder": attr.label(default = ":wheel_builder", executable = True, cfg = "exec"),
    },
)

"""All wheels in one directory, as pip's `--find-links` takes it."""

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
    attrs = {"srcs": attr.label_list(mandatory = True, doc = "of py_wheel")},
)

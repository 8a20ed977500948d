"""GLSL compiled into a C++ table, an action for each file."""

def _shader_table_impl(ctx):
    parts = []
    for source in ctx.files.srcs:
        part = ctx.actions.declare_file("%s/%s.json" % (ctx.label.name, source.basename))
        ctx.actions.run(
            executable = ctx.executable._compiler,
            arguments = ["compile", part.path, ctx.file.shader_tools.path, source.path],
            inputs = [source, ctx.file.shader_tools] + ctx.files.included,
            outputs = [part],
            mnemonic = "CompileShader",
            progress_message = "Compiling %{input}",
        )
        parts.append(part)
    ctx.actions.run(
        executable = ctx.executable._compiler,
        arguments = ["table", ctx.outputs.out.path] + [part.path for part in parts],
        inputs = parts,
        outputs = [ctx.outputs.out],
        mnemonic = "ShaderTable",
    )
    return [DefaultInfo(files = depset([ctx.outputs.out]))]

shader_table = rule(
    doc = "The C++ file that shaders.h declares, of the variants which each of `srcs` names.",
    implementation = _shader_table_impl,
    attrs = {
        "included": attr.label_list(doc = "What sources include.", allow_files = [".glsl"]),
        "out": attr.output(mandatory = True),
        "shader_tools": attr.label(doc = "The tree that has glslc and spirv-val.", allow_single_file = True, mandatory = True, cfg = "exec"),
        "srcs": attr.label_list(allow_files = [".glsl"], mandatory = True),
        "_compiler": attr.label(default = ":compile_shaders", executable = True, cfg = "exec"),
    },
)

"""Compiles each public header of C++ libraries alone: it must bring what it needs itself."""

load("@rules_cc//cc:find_cc_toolchain.bzl", "find_cc_toolchain", "use_cc_toolchain")
load("@rules_cc//cc/common:cc_common.bzl", "cc_common")
load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")

_Compiled = provider("Objects of headers that compiled alone.", fields = ["objects"])

def _alone(target, ctx):
    """The objects of one library's headers."""
    headers = [file for file in getattr(ctx.rule.files, "hdrs", []) if file.is_source and file.extension == "h"]
    if ctx.label.workspace_name or not headers:
        return []
    sources = []
    for header in headers:
        source = ctx.actions.declare_file("{}_alone/{}.cc".format(ctx.label.name, header.short_path.replace("/", "_")))

        # As users spell it; twice, so that what lacks its guard is found too.
        ctx.actions.write(source, "#include <executorch/{0}>\n#include <executorch/{0}>\n".format(header.short_path))
        sources.append(source)
    toolchain = find_cc_toolchain(ctx)
    _, outputs = cc_common.compile(
        name = ctx.label.name + "_alone",
        actions = ctx.actions,
        cc_toolchain = toolchain,
        feature_configuration = cc_common.configure_features(
            ctx = ctx,
            cc_toolchain = toolchain,
            requested_features = ctx.features,
            unsupported_features = ctx.disabled_features,
        ),
        compilation_contexts = [target[CcInfo].compilation_context],
        srcs = sources,
        user_compile_flags = ["-O0", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-Wno-unused-const-variable"],
    )
    return outputs.objects + outputs.pic_objects

def _aspect_impl(target, ctx):
    objects = _alone(target, ctx) if CcInfo in target else []
    deps = getattr(ctx.rule.attr, "deps", [])
    below = [dep[_Compiled].objects for dep in deps if type(deps) == "list" and _Compiled in dep]
    return [_Compiled(objects = depset(objects, transitive = below))]

_headers_alone = aspect(
    implementation = _aspect_impl,
    attr_aspects = ["deps"],
    fragments = ["cpp"],
    toolchains = use_cc_toolchain(),
)

def _headers_compile_alone_impl(ctx):
    return DefaultInfo(files = depset(transitive = [dep[_Compiled].objects for dep in ctx.attr.deps]))

headers_compile_alone = rule(
    implementation = _headers_compile_alone_impl,
    doc = "Builds if every header of these libraries, and of what they depend on in this repository, compiles alone.",
    attrs = {"deps": attr.label_list(mandatory = True, providers = [CcInfo], aspects = [_headers_alone])},
)

"""Sources of C++ libraries with all that they stand on, in one zip: for compilers that Bazel does not call."""

load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load("//toolchains:cross.bzl", "platform_transition")
load("//toolchains:targets.bzl", "TARGETS")

_Sources = provider("What libraries are compiled from.", fields = {
    "defines": "depset of all definitions that some of it is compiled with",
    "entries": "depset of (path in the zip, file)",
})

_COMPILED = ["c", "cc", "cpp"]

def _include_path(header, context):
    """How a header is included; None of one that is included by a link to it."""
    _, is_link, behind = header.path.partition("/_virtual_includes/")
    if is_link:
        return behind.partition("/")[2]
    if not header.owner.repo_name:
        return None
    directories = depset(transitive = [context.includes, context.quote_includes, context.system_includes]).to_list()
    found = [directory for directory in directories if header.path.startswith(directory + "/")]
    if not found:
        fail("{}: no directory that is searched for headers is above it".format(header.path))
    return header.path.removeprefix(sorted(found, key = len)[-1] + "/")

def _own_entries(target, ctx):
    context = target[CcInfo].compilation_context
    headers = [(_include_path(header, context), header) for header in context.direct_headers]
    entries = [("src/" + path, header) for path, header in headers if path]
    for file in getattr(ctx.rule.files, "srcs", []):
        if file.extension in _COMPILED:
            if ctx.label.repo_name:
                fail("{}: sources of third parties are not packed".format(file.path))
            entries.append(("src/executorch/" + file.short_path, file))
    return entries

def _aspect_impl(target, ctx):
    entries = _own_entries(target, ctx) if CcInfo in target and ctx.rule.kind != "alias" else []
    below = []
    for name in ["deps", "implementation_deps", "actual"]:
        value = getattr(ctx.rule.attr, name, [])
        below += [dep[_Sources] for dep in (value if type(value) == "list" else [value]) if _Sources in dep]
    defines = [target[CcInfo].compilation_context.defines] if CcInfo in target else []
    return [_Sources(
        defines = depset(transitive = defines + [one.defines for one in below]),
        entries = depset(entries, transitive = [one.entries for one in below]),
    )]

_sources = aspect(
    implementation = _aspect_impl,
    attr_aspects = ["deps", "implementation_deps", "actual"],
)

def _source_zip_impl(ctx):
    entries = depset(transitive = [dep[_Sources].entries for dep in ctx.attr.deps]).to_list()
    further = {path: target.files.to_list()[0] for target, path in ctx.attr.files.items()}
    defines = depset(ctx.attr.defines, transitive = [dep[_Sources].defines for dep in ctx.attr.deps])
    manifest = ctx.actions.declare_file(ctx.label.name + ".manifest.json")
    ctx.actions.write(manifest, json.encode({
        "defines": defines.to_list(),
        "description": ctx.attr.description,
        "files": {path: file.path for path, file in further.items()},
        "includes": ctx.attr.includes,
        "name": ctx.attr.library,
        "sources": {path: file.path for path, file in entries},
        "version": ctx.file.version.path,
    }))
    out = ctx.actions.declare_file(ctx.label.name + ".zip")
    ctx.actions.run(
        executable = ctx.executable._packer,
        arguments = [manifest.path, out.path],
        inputs = [file for _, file in entries] + further.values() + [manifest, ctx.file.version],
        mnemonic = "SourceZip",
        outputs = [out],
    )
    return DefaultInfo(files = depset([out]), runfiles = ctx.runfiles([out]))

source_zip = rule(
    implementation = _source_zip_impl,
    doc = """A library as the Arduino IDE takes it, and any compiler: `c++ -std=c++17 -Isrc` of everything below `src`.

What is configured is that of `platform`, and written into the files: nothing has to be defined by who compiles them.""",
    attrs = {
        "defines": attr.string_list(doc = "besides those of the configuration"),
        "deps": attr.label_list(aspects = [_sources], cfg = platform_transition, mandatory = True, providers = [CcInfo]),
        "description": attr.string(mandatory = True, doc = "one line"),
        "files": attr.label_keyed_string_dict(allow_files = True, cfg = platform_transition, doc = "further files -> where in the zip"),
        "includes": attr.string_list(mandatory = True, doc = "headers that NAME.h brings"),
        "library": attr.string(mandatory = True, doc = "its name, which is the zip's folder and its header's"),
        "platform": attr.string(mandatory = True, values = TARGETS.keys()),
        "version": attr.label(allow_single_file = True, mandatory = True),
        "_allowlist_function_transition": attr.label(
            default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
        ),
        "_packer": attr.label(default = ":source_packer", executable = True, cfg = "exec"),
    },
)

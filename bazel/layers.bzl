"""What C++ libraries include and what their dependencies offer, for the test that the one lies within the other."""

load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")

_Offered = provider("What may be included of a target, and descriptions of all libraries below.", fields = ["headers", "described"])

_SUFFIXES = ("h", "cc", "c", "cpp", "inc")

def _included_as(file):
    """A file's path as it is included, without `executorch/`: headers with a prefix lie in a folder of links."""
    _, is_link, behind = file.short_path.partition("/_virtual_includes/")
    return behind.partition("/executorch/")[2] if is_link else file.short_path

def _paths(targets):
    return [_included_as(file) for target in targets for file in target.files.to_list() if file.extension in _SUFFIXES]

def _offers(rule, name):
    value = getattr(rule.attr, name, [])
    targets = value if type(value) == "list" else [value]
    return [target[_Offered] for target in targets if _Offered in target]

def _headers_of(offers):
    return [header for offered in offers for header in offered.headers]

def _aspect_impl(target, ctx):
    if CcInfo not in target:
        return [_Offered(headers = [], described = depset())]
    deps = _offers(ctx.rule, "deps") + _offers(ctx.rule, "actual")
    hidden = _offers(ctx.rule, "implementation_deps")
    described = []
    if ctx.rule.kind == "cc_library" and not ctx.label.workspace_name:
        own = _paths(ctx.rule.attr.hdrs)

        # Without headers of its own it stands for what it depends on: another name, or one for several.
        headers = own or _headers_of(deps)
        sources = _paths(ctx.rule.attr.srcs)
        if own or sources:
            described.append(json.encode({
                "label": "//{}:{}".format(ctx.label.package, ctx.label.name),
                "sources": sources + own,
                "offered": {header: None for header in _headers_of(deps + hidden)}.keys(),
            }))
    elif ctx.rule.kind == "alias":
        headers = _headers_of(deps)
    else:
        headers = [_included_as(file) for file in target[CcInfo].compilation_context.direct_public_headers]
    below = [offered.described for offered in deps + hidden]
    return [_Offered(headers = headers, described = depset(described, transitive = below))]

_layers = aspect(
    implementation = _aspect_impl,
    attr_aspects = ["deps", "implementation_deps", "actual"],
)

def _cc_layers_impl(ctx):
    file = ctx.actions.declare_file(ctx.label.name + ".jsonl")
    lines = ctx.actions.args()
    lines.set_param_file_format("multiline")
    lines.add_all(depset(transitive = [dep[_Offered].described for dep in ctx.attr.deps]))
    ctx.actions.write(file, lines)
    return DefaultInfo(files = depset([file]), runfiles = ctx.runfiles([file]))

cc_layers = rule(
    implementation = _cc_layers_impl,
    doc = """Describes the C++ libraries that these are made of, in a line of JSON each.

`label`; `sources`, its own files, as they are included; `offered`, the headers of what it depends on itself.""",
    attrs = {"deps": attr.label_list(mandatory = True, aspects = [_layers])},
)

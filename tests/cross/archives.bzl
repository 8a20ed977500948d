"""Static libraries as another platform's build makes them."""

load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load("//toolchains:cross.bzl", "platform_transition")
load("//toolchains:targets.bzl", "TARGETS")

def _archives_impl(ctx):
    found = {}
    for dep in ctx.attr.deps:
        for linker_input in dep[CcInfo].linking_context.linker_inputs.to_list():
            if linker_input.owner.workspace_name == ctx.label.workspace_name:
                for library in linker_input.libraries:
                    archive = library.static_library or library.pic_static_library
                    if archive and archive.short_path not in found:
                        # By the platform: among a test's files, those of another have the same names.
                        own = ctx.actions.declare_file("{}/{}".format(ctx.label.name, archive.short_path))
                        ctx.actions.symlink(output = own, target_file = archive)
                        found[archive.short_path] = own
    files = depset(found.values())
    return DefaultInfo(files = files, runfiles = ctx.runfiles(transitive_files = files))

platform_archives = rule(
    implementation = _archives_impl,
    doc = "The archives of some libraries and of all that they stand on, for one platform.",
    attrs = {
        "deps": attr.label_list(cfg = platform_transition, mandatory = True, providers = [CcInfo]),
        "platform": attr.string(mandatory = True, values = TARGETS.keys()),
        "_allowlist_function_transition": attr.label(
            default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
        ),
    },
)

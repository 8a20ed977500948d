"""`apple_frameworks`: static libraries of C++ for Apple's systems, one for each platform, as an `.xcframework` takes them.

`apple_package` puts frameworks into a package for SwiftPM.
"""

load("@rules_cc//cc:defs.bzl", "cc_library")
load("@rules_cc//cc:find_cc_toolchain.bzl", "use_cc_toolchain")
load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load("//bazel:dist.bzl", "archive_objects")

# The row of macOS is for programs with libc++ in them, from macOS 13 on. An application has the system's, from macOS 12 on.
_MACOS_COPTS = [
    "--target=arm64-apple-macosx12.0",
    "-U_LIBCPP_HAS_VENDOR_AVAILABILITY_ANNOTATIONS",
    "-D_LIBCPP_HAS_VENDOR_AVAILABILITY_ANNOTATIONS=1",
]

#: By the documented word for each: row of the toolchain table, and what else is said to the compiler.
PLATFORMS = {
    "ios": struct(row = "ios_arm64", copts = []),
    "macos": struct(row = "macos_arm64", copts = _MACOS_COPTS),
    "simulator": struct(row = "ios_sim_arm64", copts = []),
}

_COPT = "//command_line_option:copt"
_LEVEL = "//runtime/platform:min_log_level"
_MODE = "//command_line_option:compilation_mode"
_PLATFORMS = "//command_line_option:platforms"

def _platform_impl(settings, attr):
    return {
        platform: {
            _COPT: settings[_COPT] + row.copts,
            _LEVEL: "info" if attr.logs else "none",
            _MODE: "opt",
            _PLATFORMS: ["//toolchains:" + row.row],
        }
        for platform, row in PLATFORMS.items()
    }

# Each platform's build of the same libraries.
_each_platform = transition(
    implementation = _platform_impl,
    inputs = [_COPT],
    outputs = [_COPT, _LEVEL, _MODE, _PLATFORMS],
)

AppleFramework = provider("Static libraries and headers of a framework.", fields = {
    "archives": "platform -> File",
    "headers": "path that they are included by -> File",
    "modulemaps": "Files",
    "name": "of the framework",
})

def _objects(infos):
    """Path -> File of everything that is linked."""
    found = {}
    for info in infos:
        for linker_input in info.linking_context.linker_inputs.to_list():
            for library in linker_input.libraries:
                for file in library.pic_objects or library.objects or []:
                    found[file.path] = file
    return found

_INCLUDED_AS = ["executorch", "ExecuTorch", "ExecuTorchLLM"]

def _headers(infos):
    """Include path -> File of this repository's headers, in C++ and Objective-C."""
    found = {}
    for info in infos:
        for header in info.compilation_context.headers.to_list():
            _, is_ours, rest = header.path.partition("/_virtual_includes/")
            path = rest.partition("/")[2]
            if is_ours and path.partition("/")[0] in _INCLUDED_AS:
                found[path] = header
    return found

def _without(all, others):
    return {path: file for path, file in all.items() if path not in others}

def _shared(targets):
    """Path -> File of the objects that at least two frameworks have."""
    seen = {}
    shared = {}
    for target in targets:
        for path, file in _objects([target[CcInfo]]).items():
            if path in seen:
                shared[path] = file
            seen[path] = None
    return shared

def _apple_framework_impl(ctx):
    archives = {}
    headers = {}
    for platform in PLATFORMS:
        core = [dep[CcInfo] for dep in ctx.split_attr.core[platform]]
        own = [dep[CcInfo] for dep in (ctx.split_attr.deps or {}).get(platform, [])]
        shared = _shared((ctx.split_attr.parts or {}).get(platform, []))

        # With -all_load, what two archives have would be there twice.
        objects = _without(_objects(own), _objects(core) | shared) if own else _objects(core) | shared
        archives[platform] = archive_objects(ctx, "{0}.archives/lib{0}_{1}.a".format(ctx.label.name, platform), objects.values())
        if not headers:
            headers = _without(_headers(own), _headers(core)) if own else _headers(core)
    return [
        DefaultInfo(files = depset(archives.values())),
        AppleFramework(archives = archives, headers = headers, modulemaps = ctx.files.modulemaps, name = ctx.label.name),
    ]

apple_framework = rule(
    implementation = _apple_framework_impl,
    doc = "libNAME_PLATFORM.a for each of PLATFORMS, of libraries and all that they stand on.",
    attrs = {
        "core": attr.label_list(
            cfg = _each_platform,
            mandatory = True,
            providers = [CcInfo],
            doc = "what the framework holds that is linked beside all others, besides what several of the parts have",
        ),
        "deps": attr.label_list(cfg = _each_platform, providers = [CcInfo], doc = "empty for the core itself"),
        "logs": attr.bool(doc = "whether what the runtime logs is compiled in"),
        "modulemaps": attr.label_list(allow_files = [".modulemap"], doc = "of headers that Swift imports"),
        "parts": attr.label_list(cfg = _each_platform, providers = [CcInfo], doc = "the deps of all other frameworks"),
        "_allowlist_function_transition": attr.label(
            default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
        ),
    },
    fragments = ["cpp"],
    provides = [AppleFramework],
    toolchains = use_cc_toolchain(),
)

def _apple_package_impl(ctx):
    frameworks = [target[AppleFramework] for target in ctx.attr.frameworks]
    manifest = ctx.actions.declare_file(ctx.label.name + ".manifest.json")
    ctx.actions.write(manifest, json.encode({
        "frameworks": [{
            "archives": {platform: file.path for platform, file in framework.archives.items()},
            "headers": {path: file.path for path, file in framework.headers.items()},
            "modulemaps": [file.path for file in framework.modulemaps],
            "name": framework.name,
        } for framework in frameworks],
        "licences": [file.path for file in ctx.files.licences],
        "swift": [file.path for file in ctx.files.swift],
        "version": ctx.file._version.path,
    }))
    inputs = [manifest, ctx.file._version] + ctx.files.licences + ctx.files.swift
    for framework in frameworks:
        inputs += framework.archives.values() + framework.headers.values()
        inputs += framework.modulemaps
    out = ctx.actions.declare_file(ctx.label.name + ".zip")
    ctx.actions.run(
        executable = ctx.executable._pack,
        arguments = [manifest.path, out.path],
        inputs = inputs,
        mnemonic = "ApplePackage",
        outputs = [out],
        progress_message = "Packing for SwiftPM",
    )
    return DefaultInfo(files = depset([out]), runfiles = ctx.runfiles([out]))

apple_package = rule(
    implementation = _apple_package_impl,
    doc = "NAME.zip: Package.swift and an .xcframework of each framework.",
    attrs = {
        "frameworks": attr.label_list(mandatory = True, providers = [AppleFramework]),
        "licences": attr.label_list(allow_files = True, doc = "of the third-party libraries in them"),
        "swift": attr.label_list(allow_files = [".swift"], doc = "the module ExecuTorch, over headers of Objective-C"),
        "_pack": attr.label(default = "//extension/apple/frameworks:pack", executable = True, cfg = "exec"),
        "_version": attr.label(default = "//extension:VERSION", allow_single_file = True),
    },
)

def apple_frameworks(core, parts, modulemaps, tags = ["manual"]):
    """The frameworks of an application: one that each has, and others for what its programs need, both also with logs.

    Args:
      core: libraries of the framework `executorch`.
      parts: name of a framework -> the libraries that it is.
      modulemaps: name of a framework -> module maps of its headers, for Swift.
      tags: as for every rule; a cold build compiles everything once for each platform.
    """
    libraries = {}
    for name, deps in parts.items():
        # One for each framework: what two of these have is what two frameworks have.
        libraries[name] = name + "_library"
        cc_library(
            name = libraries[name],
            tags = ["manual"],
            deps = deps,
        )
    for suffix, logs in {"": False, "_debug": True}.items():
        for name in ["executorch"] + parts.keys():
            apple_framework(
                name = name + suffix,
                core = core,
                deps = [libraries[name]] if name in libraries else [],
                logs = logs,
                modulemaps = modulemaps.get(name, []),
                parts = libraries.values(),
                tags = tags,
            )

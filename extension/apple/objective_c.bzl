"""Objective-C++ for Apple's systems and for Linux, where it is compiled over GNUstep's Foundation and run.

Without an SDK (`//toolchains:apple_sdk.bzl`) the archives for Apple's systems are compiled against stand-ins of Foundation's
headers: what comes of that is read back by tests and not packed. GNUstep's runtime is GCC's: instance variables stand in the
@interface, memory is counted by hand.
"""

load("@apple_sdk//:sdk.bzl", "SDKS")
load("@rules_cc//cc:defs.bzl", "cc_binary", "cc_library")
load("//bazel:compatibility.bzl", "HOST")
load("//bazel:defs.bzl", "cc_unit_test")
load("//third-party:foundation.bzl", "FOUNDATION", "FOUNDATION_ENV")

#: Whether archives for Apple's systems are what applications can link.
HAS_SDK = bool(SDKS)

_OBJECTIVE_CC = ["-xobjective-c++", "-fblocks"]

_LINUX_COPTS = _OBJECTIVE_CC + [
    "-fconstant-string-class=NSConstantString",
    "-fobjc-exceptions",
    "-fobjc-runtime=gcc",
    "-include",
    "extension/apple/linux/foundation.h",
]

_LINUX_DEPS = ["//extension/apple/linux:foundation"]

_STAND_INS = "//extension/apple/stand_ins:foundation"

def _frameworks(platform):
    """Arguments that name Foundation, and the system's headers behind those of the toolchain."""
    if not HAS_SDK:
        return ["-Fextension/apple/stand_ins"]
    sdk = SDKS[platform]
    return ["-isystem" + sdk + "/usr/include", "-iframework" + sdk + "/System/Library/Frameworks"]

_APPLE_COPTS = _OBJECTIVE_CC + ["-fno-objc-arc"] + select({
    "//toolchains:sdk_simulator": _frameworks("simulator"),
    "@platforms//os:macos": _frameworks("macos"),
    "//conditions:default": _frameworks("ios"),
})

_APPLE = select({
    "@platforms//os:ios": [],
    "@platforms//os:macos": [],
    "//conditions:default": ["@platforms//:incompatible"],
})

def _as_cc(name, srcs):
    """Bazel's C++ rules take no `.mm`: a file each that includes it, and a library of what they include."""
    native_sources = [source for source in srcs if source.endswith(".mm")]
    for source in native_sources:
        native.genrule(
            name = source + "_cc",
            outs = [source + ".cc"],
            cmd = "echo '#include \"{}/{}\"' > $@".format(native.package_name(), source),
        )
    cc_library(
        name = name + "_sources",
        textual_hdrs = native_sources,
    )
    others = [source for source in srcs if source not in native_sources]
    return [source + ".cc" for source in native_sources] + others, [name + "_sources"]

def apple(label):
    """The library for Apple's systems of an `objective_cc_lib`."""
    return label + "_apple"

def objective_cc_lib(name, srcs, hdrs, implementation_deps = [], is_framework = True, objective_deps = [], linux_deps = [], deps = []):
    """A library of Objective-C++.

    NAME is for Linux, `apple(NAME)` for Apple's systems.

    Args:
      name: of the target.
      srcs: `.mm` files and headers of their own.
      hdrs: public headers.
      implementation_deps: what only the sources include.
      is_framework: headers are <DIRECTORY/HEADER.h> of the directory that they lie in, as a framework's; otherwise
        <executorch/PACKAGE/HEADER.h>, as a cc_lib's.
      objective_deps: libraries of this rule that the headers, or the sources, include.
      linux_deps: what stands there for Apple's frameworks other than Foundation.
      deps: as for cc_library.
    """
    compiled, sources = _as_cc(name, srcs)
    common = {
        # Categories are found by name when a message is sent: no symbol asks for their objects.
        "alwayslink": True,
        "hdrs": hdrs,
        "implementation_deps": implementation_deps + sources,
        "include_prefix": None if is_framework else "executorch/" + native.package_name(),
        "srcs": compiled,
        "strip_include_prefix": "/" + native.package_name().rpartition("/")[0] if is_framework else None,
        "visibility": ["//visibility:public"],
    }
    cc_library(
        name = name,
        testonly = True,
        copts = _LINUX_COPTS,
        target_compatible_with = HOST,
        deps = _LINUX_DEPS + objective_deps + linux_deps + deps,
        **common
    )
    cc_library(
        name = apple(name),
        copts = _APPLE_COPTS,
        tags = ["manual"],
        target_compatible_with = _APPLE,
        deps = ([] if HAS_SDK else [_STAND_INS]) + [apple(dep) for dep in objective_deps] + deps,
        **common
    )

def objective_cc_test(name, srcs, deps, data = [], env = {}):
    """A googletest program in Objective-C++."""
    compiled, sources = _as_cc(name, srcs)
    cc_unit_test(
        name = name,
        srcs = compiled,
        copts = _LINUX_COPTS,
        data = data + [FOUNDATION],
        env = FOUNDATION_ENV | env,
        target_compatible_with = HOST,
        deps = _LINUX_DEPS + deps + sources + ["//extension/apple/linux:leaks"],
    )

def objective_cc_program(name, srcs, deps, visibility):
    """A program in Objective-C++ that tests run on Linux, with `data = [FOUNDATION]` and `env = FOUNDATION_ENV`."""
    compiled, sources = _as_cc(name, srcs)
    cc_binary(
        name = name,
        testonly = True,
        srcs = compiled,
        copts = _LINUX_COPTS,
        target_compatible_with = HOST,
        visibility = visibility,
        deps = _LINUX_DEPS + deps + sources,
    )

"""Objective-C++ on Linux, over GNUstep's Foundation: the sources are compiled and run where no Apple is.

Its runtime is GCC's: instance variables stand in the @interface, memory is counted by hand.
"""

load("@rules_cc//cc:defs.bzl", "cc_library")
load("//bazel:compatibility.bzl", "HOST")
load("//bazel:defs.bzl", "cc_unit_test")
load("//third-party:foundation.bzl", "FOUNDATION", "FOUNDATION_ENV")

_COPTS = [
    "-xobjective-c++",
    "-fblocks",
    "-fconstant-string-class=NSConstantString",
    "-fobjc-exceptions",
    "-fobjc-runtime=gcc",
    "-include",
    "extension/apple/linux/foundation.h",
]

_DEPS = ["//extension/apple/linux:foundation"]

def _as_cc(name, srcs):
    """Bazel's C++ rules take no `.mm`: a file each that includes it, and a library of what they include."""
    native_sources = [source for source in srcs if source.endswith(".mm")]
    for source in native_sources:
        native.genrule(
            name = source + "_cc",
            testonly = True,
            outs = [source + ".cc"],
            cmd = "echo '#include \"{}/{}\"' > $@".format(native.package_name(), source),
        )
    cc_library(
        name = name + "_sources",
        testonly = True,
        target_compatible_with = HOST,
        textual_hdrs = native_sources,
    )
    others = [source for source in srcs if source not in native_sources]
    return [source + ".cc" for source in native_sources] + others, [name + "_sources"]

def objective_cc_lib(name, srcs, hdrs, implementation_deps = [], **kwargs):
    """A library of Objective-C++ with headers <DIRECTORY/HEADER.h> of the directory that they lie in.

    Args:
      name: of the target.
      srcs: `.mm` files and headers of their own.
      hdrs: public headers.
      implementation_deps: what only the sources include.
      **kwargs: as for cc_library.
    """
    compiled, sources = _as_cc(name, srcs)
    cc_library(
        name = name,
        testonly = True,
        srcs = compiled,
        hdrs = hdrs,
        # Categories are found by name when a message is sent: no symbol asks for their objects.
        alwayslink = True,
        copts = _COPTS,
        implementation_deps = implementation_deps + sources,
        strip_include_prefix = "/" + native.package_name().rpartition("/")[0],
        target_compatible_with = HOST,
        visibility = ["//visibility:public"],
        deps = _DEPS + kwargs.pop("deps", []),
        **kwargs
    )

def objective_cc_test(name, srcs, deps, data = [], env = {}):
    """A googletest program in Objective-C++."""
    compiled, sources = _as_cc(name, srcs)
    cc_unit_test(
        name = name,
        srcs = compiled,
        copts = _COPTS,
        data = data + [FOUNDATION],
        env = FOUNDATION_ENV | env,
        target_compatible_with = HOST,
        deps = _DEPS + deps + sources + ["//extension/apple/linux:leaks"],
    )

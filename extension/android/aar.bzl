"""`cc_aar`: Java's classes and their natives for Android's processors, as an application's build takes them."""

load("//bazel:compatibility.bzl", "ANDROID", "HOST")
load("//bazel:defs.bzl", "cc_bin")
load("//toolchains:cross.bzl", "cross_files")

#: What Android calls a processor, and the row of the toolchain table.
ABIS = {
    "arm64-v8a": "android_arm64",
    "x86_64": "android_x86_64",
}

_CLASSES = "//extension/android/java:executorch.jar"
_RULES = "//extension/android:consumer-rules.pro"
_PACK = "//extension/android:pack_aar"
_EXPORTS = "//extension/android/java:exports.lds"

def pom(name, out, artifact, packaging, dependencies = [], testonly = False):
    """What says to Maven and Gradle which archive this is, of the version of `extension`.

    Args:
      name: of the target.
      out: the file.
      artifact: Maven's name, in the group org.pytorch.
      packaging: "aar" or "jar".
      dependencies: GROUP:ARTIFACT:VERSION of what it needs; {version} is its own.
      testonly: as for every rule.
    """
    native.genrule(
        name = name,
        testonly = testonly,
        srcs = ["//extension:VERSION"],
        outs = [out],
        cmd = " ".join([
            "$(execpath //extension/android:pom)",
            "--artifact " + artifact,
            "--packaging " + packaging,
            "--version $(location //extension:VERSION)",
            "--out $@",
        ] + ["--dependency '{}'".format(dependency) for dependency in dependencies]),
        target_compatible_with = HOST,
        tools = ["//extension/android:pom"],
        visibility = ["//visibility:public"],
    )

def cc_natives(name, deps, linkopts = [], **kwargs):
    """The library that System.loadLibrary gets; nothing but what a virtual machine looks for is seen from outside.

    Args:
      name: of the target, with .so.
      deps: the natives (//extension/android/jni), kernels and backends.
      linkopts: as for cc_binary.
      **kwargs: as for cc_bin.
    """
    cc_bin(
        name = name,
        additional_linker_inputs = [_EXPORTS],
        linkopts = ["-Wl,--version-script=$(location {})".format(_EXPORTS)] + linkopts,
        linkshared = True,
        deps = deps,
        **kwargs
    )

def cc_aar(name, artifact, deps, licences = [], abis = ABIS.keys(), tags = ["manual"], testonly = False):
    """NAME.aar and NAME.pom, which says to Maven what it is.

    The natives are one library for each processor.

    Args:
      name: of the target.
      artifact: Maven's name of it, in the group org.pytorch.
      deps: the natives (//extension/android/jni), kernels and backends.
      licences: of the third-party libraries among them.
      abis: keys of ABIS.
      tags: as for every rule; a cold build compiles everything once for each processor.
      testonly: as for every rule.
    """
    cc_natives(
        name = name + "_library.so",
        testonly = testonly,
        linkopts = ["-Wl,-soname,libexecutorch.so"],
        shared_for = ANDROID,
        tags = ["manual"],
        deps = deps,
    )
    libraries = {abi: "{}_{}".format(name, abi) for abi in abis}
    for abi, library in libraries.items():
        cross_files(
            name = library,
            testonly = testonly,
            srcs = [name + "_library.so"],
            platform = ABIS[abi],
            tags = ["manual"],
        )
    pom(
        name = name + "_pom",
        testonly = testonly,
        out = name + ".pom",
        artifact = artifact,
        packaging = "aar",
    )
    native.genrule(
        name = name + "_archive",
        testonly = testonly,
        srcs = libraries.values() + licences + [
            _CLASSES,
            _RULES,
        ],
        outs = [name + ".aar"],
        cmd = " ".join([
                           "$(execpath {})".format(_PACK),
                           "--classes $(location {})".format(_CLASSES),
                           "--rules $(location {})".format(_RULES),
                           "--out $@",
                       ] + ["--library {}=$(location {})".format(abi, library) for abi, library in libraries.items()] +
                       ["--licence $(location {})".format(licence) for licence in licences]),
        message = "Packing for Android",
        tags = tags,
        target_compatible_with = HOST,
        tools = [_PACK],
    )
    native.filegroup(
        name = name,
        testonly = testonly,
        srcs = [
            name + ".aar",
            name + ".pom",
        ],
        tags = tags,
        target_compatible_with = HOST,
        visibility = ["//visibility:public"],
    )

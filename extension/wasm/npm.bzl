"""`npm_package`: TypeScript and a WebAssembly module, a `runtime`, as the archive that npm installs."""

load("//bazel:compatibility.bzl", "HOST")
load("//bazel:defs.bzl", "cc_bin")
load("//toolchains:cross.bzl", "cross_binary")

_NODE = "//third-party:nodejs"
_TYPESCRIPT = "//third-party:typescript"

def runtime(name, kernels, testonly = False):
    """NAME.wasm: what JavaScript calls, with kernels.

    Args:
      name: of the module, without its ending.
      kernels: libraries that register them.
      testonly: as for every rule.
    """
    cc_bin(
        name = name + "_program",
        testonly = testonly,
        # Names of functions are of no use without a debugger.
        linkopts = ["-Wl,--strip-all"],
        tags = ["manual"],
        target_compatible_with = ["@platforms//os:wasi"],
        deps = ["//extension/wasm/native"] + kernels,
    )
    cross_binary(
        name = name + ".wasm",
        testonly = testonly,
        binary = name + "_program",
        platform = "wasm",
        tags = ["manual"],
    )

def npm_package(name, srcs, runtime, licences = {}, tags = [], testonly = False):
    """Compiles the TypeScript, checks its types, and packs it with the runtime, the README and package.json.

    Args:
      name: of the target; the file is NAME.tgz.
      srcs: TypeScript below src/, as modules.
      runtime: the WebAssembly module.
      licences: of the third-party code that is linked into it: name -> file.
      tags: as for every rule.
      testonly: as for every rule.
    """
    native.genrule(
        name = name,
        testonly = testonly,
        srcs = srcs + licences.values() + [
            runtime,
            "README.md",
            "package.json",
            "tsconfig.json",
            "//extension:VERSION",
        ],
        outs = [name + ".tgz"],
        cmd = " ".join([
            "$(execpath :pack_npm)",
            "--node $(location {})".format(_NODE),
            "--typescript $(location {})".format(_TYPESCRIPT),
            "--runtime $(location {})".format(runtime),
            "--version $(location //extension:VERSION)",
            "--readme $(location README.md)",
            "--package $(location package.json)",
            "--tsconfig $(location tsconfig.json)",
            "--out $@",
        ] + ["--licence {}=$(location {})".format(key, file) for key, file in licences.items()] + ["$(location {})".format(src) for src in srcs]),
        message = "Packing for npm",
        tags = tags,
        target_compatible_with = HOST,
        tools = [
            ":pack_npm",
            _NODE,
            _TYPESCRIPT,
        ],
        visibility = ["//visibility:public"],
    )

"""The hook for CMSIS-NN: a repository over a checkout of the user's, or one that says that there is none.

    CMSIS_NN=/home/me/CMSIS-NN ./bazelw build --config=cortex_m55 //...

`CMSIS_NN` is the directory with `Include/` and `Source/`. Kernels of `backends/cortex_m` then call its documented functions, where it
has one for their arguments.
"""

_LIBRARY = """\
load("@rules_cc//cc:defs.bzl", "cc_library")

cc_library(
    name = "cmsis_nn",
    srcs = glob(["Source/**/*.c"]),
    hdrs = glob(["Include/**/*.h"]),
    copts = ["-O2", "-w"],
    strip_include_prefix = "Include",
    visibility = ["//visibility:public"],
)
"""

_NONE = """\
load("@rules_cc//cc:defs.bzl", "cc_library")

# Nothing can be built with it.
cc_library(
    name = "cmsis_nn",
    target_compatible_with = ["@platforms//:incompatible"],
    visibility = ["//visibility:public"],
)
"""

def _cmsis_nn_impl(rctx):
    path = rctx.os.environ.get("CMSIS_NN", "")
    if path:
        header = "Include/arm_nnfunctions.h"
        if not rctx.path("{}/{}".format(path, header)).exists:
            fail("CMSIS_NN is {}, where there is no {}. Set it to a checkout of CMSIS-NN, or unset it for the kernels of this repository.".format(path, header))
        for directory in ["Include", "Source"]:
            rctx.symlink("{}/{}".format(path, directory), directory)
    rctx.file("BUILD.bazel", _LIBRARY if path else _NONE)
    rctx.file("found.bzl", "\"\"\"Whether CMSIS_NN names a checkout.\"\"\"\n\nFOUND = {}\n".format(bool(path)))

cmsis_nn_repository = repository_rule(
    implementation = _cmsis_nn_impl,
    doc = "Has the library `cmsis_nn`, which is compatible with no platform where there is no checkout, and `found.bzl` with FOUND.",
    configure = True,
    environ = ["CMSIS_NN"],
    local = True,
)

def _cmsis_nn_extension_impl(mctx):
    cmsis_nn_repository(name = "cmsis_nn")
    return mctx.extension_metadata(reproducible = True) if hasattr(mctx, "extension_metadata") else None

cmsis_nn = module_extension(implementation = _cmsis_nn_extension_impl)

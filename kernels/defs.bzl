"""`executorch_kernel_library`: from kernels and a `functions.yaml` to a library that registers them."""

load("@rules_cc//cc:defs.bzl", "cc_library")

_GENERATOR = Label("//kernels/codegen:gen")
_SCHEMAS = Label("//kernels/codegen:aten_schemas.txt")

_HEADER_DEPS = [
    Label("//runtime/kernel:kernel_includes"),
]
_REGISTRATION_DEPS = [
    Label("//runtime/kernel:boxing"),
    Label("//runtime/kernel:operator_registry"),
    Label("//runtime/platform:assert"),
]

def executorch_kernel_library(
        name,
        functions,
        deps,
        ops = [],
        selection = None,
        dtype_selective = False,
        include_prefix = None,
        visibility = ["//visibility:public"],
        **kwargs):
    """A library that adds kernels to the registry of every binary that links it.

    It has two headers, included as `<PREFIX/NativeFunctions.h>` (declarations of the kernels, with a context and
    without, when a failure aborts) and
    `<PREFIX/Functions.h>` (the operators as C++ functions, `torch::executor::aten::add_outf` for `aten::add.out`).
    The sources of the kernels may include the former to have their signatures checked, through `:NAME_functions`.
    Two libraries with kernels for one operator must not be linked together; merge them in one library instead.

    Args:
      name: of the library. `NAME_functions` has the headers alone.
      functions: one functions.yaml or several. Of an operator in more than one, the first file's kernels are taken.
      deps: libraries with the kernels.
      ops: the operators to keep, such as `aten::add.out`; all if empty. An operator without kernels is an error.
      selection: the yaml file of a `selected_operators` (//kernels/selective), whose operators are kept as well.
      dtype_selective: register for the dtypes and dim orders of the selection only.
      include_prefix: of the headers; `PACKAGE/NAME` if not given.
      visibility: of the library.
      **kwargs: for the cc_library that registers; `testonly` and `tags` for all targets.
    """
    common = {key: kwargs.pop(key) for key in ("tags", "testonly") if key in kwargs}
    if type(functions) == type(""):
        functions = [functions]
    prefix = include_prefix or "{}/{}".format(native.package_name(), name)
    directory = name + "_generated"
    native.genrule(
        name = name + "_codegen",
        srcs = functions + [_SCHEMAS] + ([selection] if selection else []),
        outs = [
            directory + "/" + out
            for out in ("Functions.h", "NativeFunctions.h", "RegisterKernels.cc", "WithoutContext.cc")
        ],
        cmd = " ".join(
            ["$(execpath {})".format(_GENERATOR)] +
            ["--functions $(execpath {})".format(file) for file in functions] +
            [
                "--schemas $(execpath {})".format(_SCHEMAS),
                "--out-dir $(RULEDIR)/" + directory,
                "--header-prefix " + prefix,
                "--ops '{}'".format(",".join(ops)),
            ] +
            (["--selection $(execpath {})".format(selection)] if selection else []) +
            (["--dtype-selective"] if dtype_selective else []),
        ),
        message = "Generating kernel registration",
        tools = [_GENERATOR],
        **common
    )
    cc_library(
        name = name + "_functions",
        hdrs = [directory + "/Functions.h", directory + "/NativeFunctions.h"],
        include_prefix = prefix,
        strip_include_prefix = directory,
        visibility = visibility,
        deps = _HEADER_DEPS,
        **common
    )

    # Linked where such an overload is called, and only there.
    cc_library(
        name = name + "_without_context",
        srcs = [directory + "/WithoutContext.cc"],
        copts = ["-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics"],
        visibility = visibility,
        deps = [name + "_functions"] + deps + [
            Label("//runtime/platform:assert"),
            Label("//runtime/platform:compiler"),
        ],
        **(common | kwargs)
    )
    cc_library(
        name = name,
        srcs = [directory + "/RegisterKernels.cc"],
        # Nothing refers to the registration; it runs before main.
        alwayslink = True,
        copts = ["-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics"],
        visibility = visibility,
        deps = [name + "_functions", name + "_without_context"] + deps + _REGISTRATION_DEPS,
        **(common | kwargs)
    )

"""Python bindings of the runtime with other kernels or backends inside.

`//runtime` brings the optimized and quantized kernels, those of language models, and XNNPACK. `executorch_python_bindings`
builds another extension module, and a small module that puts it in the place of the first:

    load("//runtime/python:bindings.bzl", "executorch_python_bindings")

    executorch_python_bindings(
        name = "my_bindings",
        deps = ["//backends/bytecode/runtime:bytecode_backend"],
    )

    import executorch.PACKAGE.my_bindings  # Before executorch.runtime.
    from executorch.runtime import Runtime
"""

load("//bazel:defs.bzl", "cc_bin", "py_lib")

_EXPORTS = Label("//runtime/python:exports.lds")
_NATIVE = Label("//runtime/python:native")
_KERNELS = [
    Label("//extension/llm/custom_ops:kernels"),
    Label("//kernels/optimized"),
    Label("//kernels/quantized"),
]
_PRIM_OPS = Label("//kernels/prim_ops")
_RUNTIME = Label("//runtime")
_TEMPLATE = Label("//runtime/python:use_bindings.py.in")

def executorch_python_bindings(name, deps, kernels = _KERNELS, testonly = False):
    """An importable module that makes `executorch.runtime` use bindings with `deps` linked in.

    Args:
      name: of the module, executorch.PACKAGE.NAME.
      deps: cc_lib targets that register themselves: backends, kernels of one's own.
      kernels: libraries with the kernels of the operators; those of `//runtime` by default.
      testonly: as usual.
    """

    # Of another name than the module: Python would take the extension for it.
    extension = "_{}.so".format(name)
    cc_bin(
        name = extension,
        testonly = testonly,
        additional_linker_inputs = [_EXPORTS],
        linkopts = ["-Wl,--version-script=$(location {})".format(_EXPORTS)],
        linkshared = True,
        deps = [_NATIVE, _PRIM_OPS] + kernels + deps,
    )
    native.genrule(
        name = name + "_module",
        testonly = testonly,
        srcs = [_TEMPLATE],
        outs = [name + ".py"],
        cmd = "sed 's/@EXTENSION@/{}/' $< > $@".format(extension),
    )
    py_lib(
        name = name,
        testonly = testonly,
        srcs = [name + ".py"],
        data = [extension],
        deps = [_RUNTIME],
    )

"""The hook for a licensed Xtensa toolchain: a repository that says where it is, or that there is none.

    XTENSA_SDK=/opt/xtensa/XtDevTools/install/tools/RI-2023.11-linux/XtensaTools XTENSA_CORE=hifi4_ss \\
        ./bazelw build --config=xtensa //...

| variable | what it says | if unset |
| --- | --- | --- |
| `XTENSA_SDK` | the directory with `bin/` | Debian's GCC for the LX106 |
| `XTENSA_CORE`, `XTENSA_SYSTEM` | the core, and where its configuration is registered | the SDK's own choice |
| `XTENSA_CC`, `XTENSA_CXX`, `XTENSA_AR` | names of the programs | `xt-clang`, `xt-clang++`, `xt-ar` |
| `XTENSA_HEADERS` | further directories of the compiler's headers, by colons | none |
| `XTENSA_LINK_FLAGS` | for links, such as `-mlsp=sim` | `-mlsp=sim` |
"""

def _xtensa_sdk_impl(rctx):
    path = rctx.os.environ.get("XTENSA_SDK", "")
    sdk = {}
    if path:
        sdk = {
            "ar": rctx.os.environ.get("XTENSA_AR", "xt-ar"),
            "c": rctx.os.environ.get("XTENSA_CC", "xt-clang"),
            "core": rctx.os.environ.get("XTENSA_CORE", ""),
            "cxx": rctx.os.environ.get("XTENSA_CXX", "xt-clang++"),
            "headers": [one for one in rctx.os.environ.get("XTENSA_HEADERS", "").split(":") if one],
            "link_flags": [one for one in rctx.os.environ.get("XTENSA_LINK_FLAGS", "-mlsp=sim").split(" ") if one],
            "path": path,
            "system": rctx.os.environ.get("XTENSA_SYSTEM", ""),
        }
        for program in ["ar", "c", "cxx"]:
            if not rctx.path("{}/bin/{}".format(path, sdk[program])).exists:
                fail("XTENSA_SDK is {}, where there is no bin/{}. Set it to the directory of the licensed tools, or unset it for Debian's compiler.".format(path, sdk[program]))
    rctx.file("BUILD.bazel", "")
    rctx.file("sdk.bzl", "\"\"\"What XTENSA_SDK names; nothing if it is unset.\"\"\"\n\nSDK = {}\n".format(repr(sdk)))

xtensa_sdk = repository_rule(
    implementation = _xtensa_sdk_impl,
    doc = "Has `sdk.bzl` with the dictionary SDK, empty where no licensed toolchain is named.",
    configure = True,
    environ = ["XTENSA_" + name for name in ["SDK", "CORE", "SYSTEM", "CC", "CXX", "AR", "HEADERS", "LINK_FLAGS"]],
    local = True,
)

def _xtensa_impl(mctx):
    xtensa_sdk(name = "xtensa_sdk")
    return mctx.extension_metadata(reproducible = True) if hasattr(mctx, "extension_metadata") else None

xtensa = module_extension(implementation = _xtensa_impl)

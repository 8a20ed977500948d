"""The hook for Apple's SDKs: a repository that says where they are, or that there are none.

    APPLE_SDK=/Applications/Xcode.app/Contents/Developer ./bazelw build //extension/apple/frameworks:swiftpm

`APPLE_SDK` is what `xcode-select -p` prints, or a copy of it on any machine, of which the three SDKs are read: headers alone,
since nothing is linked against them here.
"""

#: By the documented word for each platform.
_SDKS = {
    "ios": "iPhoneOS",
    "macos": "MacOSX",
    "simulator": "iPhoneSimulator",
}

_FOUNDATION = "System/Library/Frameworks/Foundation.framework"

def _apple_sdk_impl(rctx):
    path = rctx.os.environ.get("APPLE_SDK", "")
    sdks = {}
    if path:
        for platform, name in _SDKS.items():
            sdk = "{0}/Platforms/{1}.platform/Developer/SDKs/{1}.sdk".format(path, name)
            if not rctx.path("{}/{}".format(sdk, _FOUNDATION)).exists:
                fail("APPLE_SDK is {}, where there is no {}/{}. Set it to what `xcode-select -p` prints, or unset it for what needs no SDK.".format(path, sdk.removeprefix(path + "/"), _FOUNDATION))
            sdks[platform] = sdk
    rctx.file("BUILD.bazel", "")
    rctx.file("sdk.bzl", "\"\"\"What APPLE_SDK names; nothing if it is unset.\"\"\"\n\nSDKS = {}\n".format(repr(sdks)))

apple_sdk = repository_rule(
    implementation = _apple_sdk_impl,
    doc = "Has `sdk.bzl` with the dictionary SDKS, platform -> directory, empty where no SDK is named.",
    configure = True,
    environ = ["APPLE_SDK"],
    local = True,
)

def _apple_impl(mctx):
    apple_sdk(name = "apple_sdk")
    return mctx.extension_metadata(reproducible = True) if hasattr(mctx, "extension_metadata") else None

apple = module_extension(implementation = _apple_impl)

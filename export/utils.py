"""Where tools of vendors run, for choosing recipes and tests."""

import platform


def is_fbcode() -> bool:
    """Whether this is a build of another build system than this one's; never."""
    return False


def is_supported_platform_for_coreml_lowering() -> bool:
    """Whether Core ML's tools run on this machine: on Linux and macOS."""
    return platform.system() in ("Linux", "Darwin")


def is_supported_platform_for_qnn_lowering() -> bool:
    """Whether Qualcomm's tools run on this machine: on Linux for x86."""
    return platform.system() == "Linux" and platform.machine().lower() in ("x86_64", "amd64")


__all__ = [
    "is_fbcode",
    "is_supported_platform_for_coreml_lowering",
    "is_supported_platform_for_qnn_lowering",
]

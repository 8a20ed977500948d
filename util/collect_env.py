"""What a bug report should say of the machine: ``python -m executorch.util.collect_env``.

PyTorch's own report (:mod:`torch.utils.collect_env`, whose names are here too), and the versions of the installed
ExecuTorch libraries below it.
"""

from __future__ import annotations

import sys
from importlib import metadata
from typing import Any

from torch.utils import collect_env as _torch
from torch.utils.collect_env import (
    TORCH_AVAILABLE,
    SystemEnv,
    check_release_file,
    env_info_fmt,
    get_cachingallocator_config,
    get_clang_version,
    get_cmake_version,
    get_conda_packages,
    get_cpu_info,
    get_cuda_module_loading_config,
    get_cudnn_version,
    get_env_info,
    get_gcc_version,
    get_gpu_info,
    get_libc_version,
    get_lsb_version,
    get_mac_version,
    get_nvidia_driver_version,
    get_nvidia_smi,
    get_os,
    get_pip_packages,
    get_platform,
    get_python_platform,
    get_running_cuda_version,
    get_windows_version,
    is_xnnpack_available,
    run,
    run_and_parse_first_match,
    run_and_read_all,
    run_and_return_first_line,
)

_PREFIX = "executorch"


def executorch_versions() -> dict[str, str]:
    """Installed distributions of ExecuTorch libraries and their versions, in alphabetical order."""
    found = {}
    for distribution in metadata.distributions():
        name = distribution.metadata["Name"]
        if name is not None and name.lower().startswith(_PREFIX):
            found[name.lower().replace("_", "-")] = distribution.version
    return dict(sorted(found.items()))


def pretty_str(envinfo: Any) -> str:
    """A :class:`SystemEnv` as text, and the ExecuTorch libraries."""
    libraries = [f"[{name}] {version}" for name, version in executorch_versions().items()]
    listed = "\n".join(libraries) if libraries else "none installed (a checkout?)"
    return f"{_torch.pretty_str(envinfo)}\n\nExecuTorch libraries:\n{listed}"  # type: ignore[no-untyped-call]


def get_pretty_env_info() -> str:
    """The report of this machine."""
    return pretty_str(get_env_info())  # type: ignore[no-untyped-call]


def main() -> None:
    """Prints the report."""
    print("Collecting environment information...", file=sys.stderr)
    print(get_pretty_env_info())


__all__ = [
    "TORCH_AVAILABLE",
    "SystemEnv",
    "check_release_file",
    "env_info_fmt",
    "executorch_versions",
    "get_cachingallocator_config",
    "get_clang_version",
    "get_cmake_version",
    "get_conda_packages",
    "get_cpu_info",
    "get_cuda_module_loading_config",
    "get_cudnn_version",
    "get_env_info",
    "get_gcc_version",
    "get_gpu_info",
    "get_libc_version",
    "get_lsb_version",
    "get_mac_version",
    "get_nvidia_driver_version",
    "get_nvidia_smi",
    "get_os",
    "get_pip_packages",
    "get_platform",
    "get_pretty_env_info",
    "get_python_platform",
    "get_running_cuda_version",
    "get_windows_version",
    "is_xnnpack_available",
    "main",
    "pretty_str",
    "run",
    "run_and_parse_first_match",
    "run_and_read_all",
    "run_and_return_first_line",
]

if __name__ == "__main__":
    main()

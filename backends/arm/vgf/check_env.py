"""Says whether this machine can lower to VGF, and run it: ``python -m executorch.backends.arm.vgf.check_env``.

Lowering if nothing else is asked for: ``--runtime``, ``--host-emulator``, ``--source-build`` (of a build by CMake, ``--build-dir``), or
``--mode`` and one of these, or ``all``. Ends with 1 where something is missing.
"""

from __future__ import annotations

import argparse
import ctypes.util
import importlib
import importlib.metadata
import importlib.util
import os
import platform
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from executorch.backends.arm.vgf import model_converter

STATUS_OK, STATUS_WARN, STATUS_FAIL = "ok", "warn", "fail"
_LAYERS = ("VK_LAYER_ML_Graph_Emulation", "VK_LAYER_ML_Tensor_Emulation")


@dataclass(frozen=True)
class VgfEnvironmentCheck:
    """One thing that was looked at.

    Attributes:
        name: of the thing.
        status: :data:`STATUS_OK`, :data:`STATUS_WARN` or :data:`STATUS_FAIL`.
        detail: what was found.
        action: the way out, where there is something to do.
    """

    name: str
    status: str
    detail: str
    action: str | None = None


@dataclass(frozen=True)
class VgfEnvironmentReport:
    """All that was looked at for one purpose."""

    checks: list[VgfEnvironmentCheck]
    mode: str = "aot"

    @property
    def ok(self) -> bool:
        """Whether nothing is missing."""
        return all(one.status != STATUS_FAIL for one in self.checks)

    def raise_for_errors(self) -> None:
        """Stops where something is missing.

        Raises:
            RuntimeError: with the report as its message.
        """
        if not self.ok:
            raise RuntimeError(str(self))

    def __str__(self) -> str:
        lines = [f"{self.mode}: {'ready' if self.ok else 'not ready'}"]
        for one in self.checks:
            lines.append(f"  {one.status:<4}  {one.name}: {one.detail}")
            lines += [f"        {one.action}"] if one.action else []
        return "\n".join(lines)


def check_vgf_aot_environment() -> VgfEnvironmentReport:
    """What lowering takes."""
    checks = [_check_python_version(), _check_tosa_serializer(), _check_model_converter()]
    return VgfEnvironmentReport(checks, "aot")


def check_vgf_runtime_environment() -> VgfEnvironmentReport:
    """Whether the Python runtime has a device for the delegate."""
    return VgfEnvironmentReport([_check_runtime_vgf_backend()], "runtime")


def check_vgf_host_emulator_environment() -> VgfEnvironmentReport:
    """The same on a machine without such a driver, by Arm's emulation layers over another one."""
    checks = [_check_runtime_vgf_backend(), _check_vulkan_sdk(), _check_emulation_layer()]
    return VgfEnvironmentReport(checks, "host-emulator")


def check_vgf_source_build_environment(build_dir: str | Path | None = None) -> VgfEnvironmentReport:
    """Whether a build of the runtime by CMake, in ``build_dir``, has the delegate."""
    return VgfEnvironmentReport([_check_cmake_build_flags(build_dir, True)], "source-build")


def is_vgf_aot_available() -> bool:
    """Whether programs can be lowered here."""
    return check_vgf_aot_environment().ok


def is_vgf_runtime_available() -> bool:
    """Whether they can be run."""
    return check_vgf_runtime_environment().ok


def _check_python_version(version: Sequence[int] | None = None) -> VgfEnvironmentCheck:
    found = ".".join(map(str, version or sys.version_info[:2]))
    if tuple(version or sys.version_info[:2]) < (3, 12):
        # The project itself runs from 3.10 on.
        action = "nothing to do while the wheels of Arm's ML SDK install; their newest ones may ask for 3.12"
        return VgfEnvironmentCheck("Python", STATUS_WARN, found, action)
    return VgfEnvironmentCheck("Python", STATUS_OK, found)


def _check_tosa_serializer() -> VgfEnvironmentCheck:
    name = "TOSA serializer"
    if importlib.util.find_spec("tosa_serializer") is None:
        return VgfEnvironmentCheck(name, STATUS_FAIL, "not installed", "pip install tosa-tools")
    try:
        version = importlib.metadata.version("tosa-tools")
    except importlib.metadata.PackageNotFoundError:
        version = "a version that it does not say"
    return VgfEnvironmentCheck(name, STATUS_OK, version)


def _check_model_converter() -> VgfEnvironmentCheck:
    program = model_converter.find_model_converter_binary()
    install = "pip install -U ai-ml-sdk-model-converter"
    name = model_converter.PROGRAM
    if program is None:
        return VgfEnvironmentCheck(name, STATUS_FAIL, f"{name} is not on PATH", install)
    told = model_converter.get_model_converter_version_text()
    least = model_converter.MIN_MODEL_CONVERTER_VERSION_FOR_VGF_TESTS
    wanted = f"{install}: {'.'.join(map(str, least))} or later"
    if told is None:
        return VgfEnvironmentCheck(name, STATUS_FAIL, f"{program} does not run", wanted)
    if model_converter.parse_model_converter_version(told) is None:
        return VgfEnvironmentCheck(name, STATUS_FAIL, f"the version in {told!r} could not be parsed", wanted)
    why = model_converter.get_model_converter_minimum_version_failure_reason(
        told, least, requirement_name="this library"
    )
    if why is not None:
        return VgfEnvironmentCheck(name, STATUS_FAIL, why, wanted)
    return VgfEnvironmentCheck(name, STATUS_OK, f"{program} ({told})")


def _check_runtime_vgf_backend() -> VgfEnvironmentCheck:
    name = "VgfBackend"
    try:
        runtime = importlib.import_module("executorch.runtime").Runtime.get()
    except ImportError as error:
        return VgfEnvironmentCheck(name, STATUS_FAIL, str(error), "pip install executorch-runtime")
    if name not in runtime.backend_registry.registered_backend_names:
        return VgfEnvironmentCheck(name, STATUS_FAIL, "the runtime was built without it", "install its wheel")
    if not runtime.backend_registry.is_available(name):
        action = "install a driver that has them, or Arm's emulation layers (--mode host-emulator)"
        detail = "no device has VK_ARM_tensors and VK_ARM_data_graph"
        return VgfEnvironmentCheck(name, STATUS_FAIL, detail, action)
    return VgfEnvironmentCheck(name, STATUS_OK, "a device has data graphs")


def _check_vulkan_sdk() -> VgfEnvironmentCheck:
    loader = ctypes.util.find_library("vulkan")
    if loader is None:
        action = "install Vulkan's loader (libvulkan1) and a driver (mesa-vulkan-drivers has one for the processor)"
        return VgfEnvironmentCheck("Vulkan", STATUS_FAIL, "no loader", action)
    return VgfEnvironmentCheck("Vulkan", STATUS_OK, f"{loader} on {platform.system()}")


def _check_emulation_layer() -> VgfEnvironmentCheck:
    asked = os.environ.get("VK_INSTANCE_LAYERS", "").split(os.pathsep)
    name = "emulation layers"
    if not set(_LAYERS) <= set(asked):
        action = (
            f"pip install ai-ml-emulation-layer-for-vulkan; VK_INSTANCE_LAYERS={os.pathsep.join(_LAYERS)}"
        )
        return VgfEnvironmentCheck(name, STATUS_FAIL, "VK_INSTANCE_LAYERS does not name them", action)
    paths = [Path(one) for one in os.environ.get("VK_LAYER_PATH", "").split(os.pathsep) if one]
    manifests = [path for folder in paths for path in folder.glob("*.json")]
    texts = [path.read_text(encoding="utf-8", errors="replace") for path in manifests]
    missing = [layer for layer in _LAYERS if not any(layer in text for text in texts)]
    if missing:
        detail = f"no folder of VK_LAYER_PATH has {', '.join(missing)}"
        return VgfEnvironmentCheck(name, STATUS_WARN, detail, "the loader may know them from elsewhere")
    return VgfEnvironmentCheck(name, STATUS_OK, ", ".join(map(str, paths)))


def _check_cmake_build_flags(
    build_dir: str | Path | None = None,
    require_runtime_build: bool = False,
    search_roots: Sequence[Path] | None = None,
) -> VgfEnvironmentCheck:
    """Of the given build, or of those in ``cmake-out*`` below the roots, this folder by default."""
    name, option = "CMake's options", "EXECUTORCH_BUILD_VGF"
    missing = STATUS_FAIL if require_runtime_build else STATUS_WARN
    roots = [Path.cwd()] if search_roots is None else search_roots
    folders = (
        [Path(build_dir)] if build_dir else [one for root in roots for one in sorted(root.glob("cmake-out*"))]
    )
    caches = [one / "CMakeCache.txt" for one in folders if (one / "CMakeCache.txt").is_file()]
    action = f"configure with -D{option}=ON"
    if not caches:
        return VgfEnvironmentCheck(
            name, missing, "no CMakeCache.txt", f"{action}; name its folder with --build-dir"
        )
    text = caches[0].read_text(encoding="utf-8", errors="replace")
    found = dict(re.findall(r"(?m)^(EXECUTORCH_BUILD_(?:VGF|VULKAN)):\w+=(.*)$", text))
    detail = ", ".join(f"{key}={value}" for key, value in found.items()) or f"no {option} in {caches[0]}"
    if found.get(option, "").upper() not in ("ON", "TRUE", "YES", "Y", "1"):
        return VgfEnvironmentCheck(name, missing, f"{option} is off: {detail}", action)
    return VgfEnvironmentCheck(name, STATUS_OK, detail)


_MODES: dict[str, Callable[[str | None], VgfEnvironmentReport]] = {
    "aot": lambda _: check_vgf_aot_environment(),
    "runtime": lambda _: check_vgf_runtime_environment(),
    "host-emulator": lambda _: check_vgf_host_emulator_environment(),
    "source-build": lambda build_dir: check_vgf_source_build_environment(build_dir),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints reports; 1 if something is missing."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--mode", choices=[*_MODES, "all"], default="aot", help="what is looked at")
    for name in _MODES:
        which.add_argument(f"--{name}", dest="mode", action="store_const", const=name, default="aot")
    parser.add_argument("--build-dir", help="of --source-build: where CMake's cache is")
    given = parser.parse_args(arguments)
    if given.build_dir and given.mode not in ("source-build", "all"):
        parser.error("--build-dir is of --source-build")
    reports = [make(given.build_dir) for name, make in _MODES.items() if given.mode in ("all", name)]
    print("\n".join(map(str, reports)))
    return 0 if all(one.ok for one in reports) else 1


if __name__ == "__main__":
    sys.exit(main())

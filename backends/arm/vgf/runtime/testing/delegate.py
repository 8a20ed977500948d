"""Runs VGF files on the delegate: Mesa's driver for the processor under Arm's emulation layers."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
from collections.abc import Sequence

import numpy as np

_LAYERS = ("Graph", "Tensor")
#: The runtime's numbers.
_SCALAR_TYPES = {"uint8": 0, "int8": 1, "int16": 2, "int32": 3, "int64": 4, "float32": 6, "bool": 11}


class DelegateError(RuntimeError):
    """The delegate refuses the file or the call; the message is its log."""


def environment(folder: pathlib.Path) -> dict[str, str]:
    """This process's environment with the layers, which the loader takes in the order of their folders."""
    deploy = pathlib.Path(os.environ["EMULATION_LAYER"]).resolve() / "emulation_layer" / "deploy"
    for layer in _LAYERS:
        (folder / layer).mkdir(exist_ok=True)
        name = f"VkLayer_{layer}.json"
        shutil.copyfile(deploy / "share" / "vulkan" / "explicit_layer.d" / name, folder / layer / name)
    return os.environ | {
        "LD_LIBRARY_PATH": f"{os.environ['LD_LIBRARY_PATH']}:{deploy / 'lib'}",
        "VK_INSTANCE_LAYERS": ":".join(f"VK_LAYER_ML_{layer}_Emulation" for layer in _LAYERS),
        "VK_LAYER_PATH": ":".join(str(folder / layer) for layer in _LAYERS),
    }


def run(
    vgf: bytes,
    inputs: Sequence[np.ndarray],
    outputs: Sequence[np.ndarray],
    folder: pathlib.Path,
    env: dict[str, str] | None = None,
) -> list[np.ndarray]:
    """The outputs of a file.

    Args:
        vgf: the file.
        inputs: of the graph.
        outputs: arrays that say sizes and types.
        folder: for files.
        env: the environment; None for that of the emulation layers.

    Raises:
        DelegateError: the delegate refuses the file or the call.
    """
    (folder / "graph.vgf").write_bytes(vgf)
    words = []
    for kind, arrays in (("in", inputs), ("out", [np.zeros_like(one) for one in outputs])):
        for i, one in enumerate(arrays):
            path = folder / f"{kind}{i}"
            path.write_bytes(np.ascontiguousarray(one).tobytes())
            sizes = ",".join(map(str, one.shape))
            words.append(f"{kind}:{_SCALAR_TYPES[one.dtype.name]}:{sizes}:{path}")
    program = pathlib.Path(os.environ["VGF_RUN"]).resolve()
    done = subprocess.run(
        [program, folder / "graph.vgf", *words],
        capture_output=True,
        text=True,
        env=environment(folder) if env is None else env,
    )
    if done.returncode != 0:
        raise DelegateError(f"vgf_run ends with {done.returncode}: {done.stderr}")
    return [
        np.frombuffer((folder / f"out{i}").read_bytes(), one.dtype).reshape(one.shape)
        for i, one in enumerate(outputs)
    ]

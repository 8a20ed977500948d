"""Runs in the published package's process: compiles specimens and stores the files.

Usage: write_published.py PROGRAMS DIRECTORY NAME ...; PROGRAMS is the path of programs.py. Writes NAME.pte and, for
external weights, NAME.data; or NAME.error with the text of the error.
"""

import importlib.util
import pathlib
import sys
import traceback

from executorch.exir import EdgeCompileConfig, ExecutorchBackendConfig, to_edge


def load(path: str):
    spec = importlib.util.spec_from_file_location("programs", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["programs"] = module
    spec.loader.exec_module(module)
    return module


def write(specimen, directory: pathlib.Path, name: str) -> None:
    edge = to_edge(
        specimen.exported(),
        constant_methods=dict(specimen.constant_methods),
        compile_config=EdgeCompileConfig(_check_ir_validity=False),
    )
    manager = edge.to_executorch(ExecutorchBackendConfig(external_constants=specimen.is_external))
    (directory / f"{name}.pte").write_bytes(manager.buffer)
    if specimen.is_external:
        manager.write_tensor_data_to_file(str(directory))
        (written,) = directory.glob("*.ptd")
        written.rename(directory / f"{name}.data")


def main() -> None:
    programs = load(sys.argv[1])
    directory = pathlib.Path(sys.argv[2])
    for name in sys.argv[3:]:
        try:
            write(programs.make(name), directory, name)
        except Exception:
            (directory / f"{name}.error").write_text(traceback.format_exc())


if __name__ == "__main__":
    main()

"""Runs in the published package's process: compiles specimens and stores the files.

Usage: write_published.py HERE DIRECTORY NAME ...; HERE is where the specimens' files are. Writes NAME.pte and, for
external weights, NAME.data; or NAME.error with the text of the error.
"""

import importlib
import pathlib
import sys
import traceback
import types

from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import EdgeCompileConfig, ExecutorchBackendConfig, to_edge, to_edge_transform_and_lower


def load(here: str) -> types.ModuleType:
    """The specimens, which import each other from packages that the published one does not have."""
    for name in ("executorch.tests", "executorch.tests.interop"):
        package = types.ModuleType(name)
        package.__path__ = [here]
        sys.modules[name] = package
    return importlib.import_module("executorch.tests.interop.programs")


def lower(specimen):
    config = EdgeCompileConfig(_check_ir_validity=False)
    constants = dict(specimen.constant_methods)
    if not specimen.is_delegated:
        return to_edge(specimen.exported(), constant_methods=constants, compile_config=config)
    return to_edge_transform_and_lower(
        specimen.exported(),
        partitioner=[XnnpackPartitioner()],
        constant_methods=constants,
        compile_config=config,
    )


def write(specimen, directory: pathlib.Path, name: str) -> None:
    edge = lower(specimen)
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

"""Writes the models of Core ML that a program holds, each as a package that Xcode opens.

python -m executorch.examples.apple.coreml.scripts.extract_coreml_models -m model.pte
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from executorch.backends.apple.coreml.compiler.multifunction import read_reference
from executorch.backends.apple.coreml.compiler.package import ROOT, unflatten, write_files
from executorch.dialects.errors import ExportError
from executorch.emitter import deserialize_pte_binary

#: Where they go, below the current directory.
DIRECTORY = "extracted_coreml_models"
_BACKEND = "CoreMLBackend"


def extract_coreml_models(pte_data: bytes, out_dir: str | os.PathLike[str] = DIRECTORY) -> list[Path]:
    """Writes the models of a program, those of one content once.

    Args:
        pte_data: the bytes of a ``.pte`` file.
        out_dir: where; what is there is removed.

    Returns:
        the directories written.

    Raises:
        FormatError: the bytes are no program.
        ExportError: a delegate's bytes are no model.
    """
    file, directory = deserialize_pte_binary(pte_data), Path(out_dir)
    content, named = file.program, file.named_data
    blobs: list[bytes] = []
    for plan in content.execution_plan:
        for delegate in plan.delegates:
            if delegate.id != _BACKEND:
                continue
            data = bytes(content.backend_delegate_data[delegate.processed.index].data)
            # Methods that share a model name it.
            found = read_reference(data)
            if found is not None:
                if named is None or found[0] not in named.named_data:
                    raise ExportError(f"The model {found[0]} lies in another file than the program")
                data = bytes(named.buffers[named.named_data[found[0]].buffer_index])
            if data not in blobs:
                blobs.append(data)
    shutil.rmtree(directory, ignore_errors=True)
    made = []
    for number, data in enumerate(blobs, 1):
        target = directory / f"model_{number}" / ROOT
        write_files(unflatten(data), target)
        made.append(target)
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; returns the process's exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("-m", "--model_path", required=True, metavar="FILE", help="a .pte file")
    path = Path(parser.parse_args(arguments).model_path)
    try:
        made = extract_coreml_models(path.read_bytes())
    except (OSError, ValueError, ExportError) as error:
        print(f"cannot take models out of {path}: {error}", file=sys.stderr)
        return 1
    if not made:
        print(f"{path} has no delegate of Core ML", file=sys.stderr)
        return 1
    for one in made:
        print(f"wrote {one}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Writes the models of the tests, and their tokenizer, into a directory."""

import pathlib
import sys

from executorch.exir import to_edge
from executorch.extension.llm.runner.models_for_tests import (
    CACHE_CONSTANTS,
    exported_multimodal,
    exported_sum,
    tokenizer_json,
)


def main(directory: str) -> None:
    out = pathlib.Path(directory)
    for name, methods in {"text": {"forward": exported_sum()}, "multimodal": exported_multimodal()}.items():
        program = to_edge(methods, constant_methods=CACHE_CONSTANTS).to_executorch()
        (out / f"{name}.pte").write_bytes(program.buffer)
    (out / "tokenizer.json").write_text(tokenizer_json())


if __name__ == "__main__":
    main(*sys.argv[1:])

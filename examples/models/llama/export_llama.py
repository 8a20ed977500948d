"""The documented command ``python -m executorch.examples.models.llama.export_llama``; flags, or ``--config`` as `export_llm`."""

import sys

from executorch.extension.llm.export.command_line import main

__all__ = ["main"]

if __name__ == "__main__":
    sys.exit(main())

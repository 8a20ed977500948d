"""Developer tools: what looks into programs and runs."""

from executorch.devtools import inspector
from executorch.devtools.bundled_program.core import BundledProgram
from executorch.devtools.etrecord import ETRecord, generate_etrecord, parse_etrecord
from executorch.devtools.inspector import Inspector

__all__ = ["BundledProgram", "ETRecord", "Inspector", "generate_etrecord", "inspector", "parse_etrecord"]

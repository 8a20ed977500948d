"""What is in a `.pte` or `.ptd` file, and what is wrong with it."""

from executorch.emitter.inspection.inspect_file import inspect_bytes
from executorch.emitter.inspection.page import to_html
from executorch.emitter.inspection.report import Report, Section, to_text

__all__ = ["Report", "Section", "inspect_bytes", "to_html", "to_text"]

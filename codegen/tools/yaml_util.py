"""Yaml as people read it: a blank line between the entries of the outermost list or mapping."""

from __future__ import annotations

from typing import Any

import yaml


class BlankLineDumper(yaml.SafeDumper):
    """A dumper that separates the outermost entries."""

    def write_line_break(self, data: Any = None) -> None:
        super().write_line_break(data)
        if len(self.indents) == 1:
            super().write_line_break()

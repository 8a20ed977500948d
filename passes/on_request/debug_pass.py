"""Prints a graph between two passes."""

import sys
from typing import Any, TextIO

from torch.fx import GraphModule, Node

from executorch.dialects import meta_keys
from executorch.dialects.errors import source_line
from executorch.dialects.verifiers import graph_modules
from executorch.passes.infrastructure.pass_base import PassBase, PassResult


class DebugPass(PassBase):
    """Prints every node of the graph it is handed, with what is asked for; changes nothing.

    Args:
        msg: printed first, to tell several of these apart.
        enable_debug_pass: False prints nothing.
        show_src: with each node the line of the model that made it.
        show_full_path: with the file's whole path, not only its name.
        show_all_frames: with all lines that led there.
        path_filter: only nodes from files whose path has this part.
        show_spec: with each node its tensor specs.
        log_filename: append to this file; standard output otherwise.
    """

    def __init__(
        self,
        msg: str = "",
        enable_debug_pass: bool = True,
        show_src: bool = False,
        show_full_path: bool = False,
        show_all_frames: bool = False,
        path_filter: "str | None" = None,
        show_spec: bool = False,
        log_filename: "str | None" = None,
    ) -> None:
        self.msg = msg
        self.enable_debug_pass = enable_debug_pass
        self.show_src = show_src
        self.show_full_path = show_full_path
        self.show_all_frames = show_all_frames
        self.path_filter = path_filter
        self.show_spec = show_spec
        self.log_filename = log_filename

    def call(self, graph_module: GraphModule) -> PassResult:
        if self.enable_debug_pass:
            if self.log_filename is None:
                self._print(graph_module, sys.stdout)
            else:
                with open(self.log_filename, "a", encoding="utf-8") as file:
                    self._print(graph_module, file)
        return PassResult(graph_module, False)

    def _print(self, graph_module: GraphModule, out: TextIO) -> None:
        out.write(f"{self.msg}\n")
        for module in graph_modules(graph_module):
            for node in module.graph.nodes:
                if self.path_filter is None or self.path_filter in (
                    node.meta.get(meta_keys.STACK_TRACE) or ""
                ):
                    out.write(f"{node.format_node() or node}\n")
                    out.writelines(f"    {line}\n" for line in self._notes(node))

    def _notes(self, node: Node) -> "list[Any]":
        notes: list[Any] = []
        if self.show_all_frames:
            notes += (node.meta.get(meta_keys.STACK_TRACE) or "").splitlines()
        elif self.show_src and (line := source_line(node)) is not None:
            path, colon, rest = line.partition(":")
            notes.append(line if self.show_full_path else path.rsplit("/", 1)[-1] + colon + rest)
        if self.show_spec and meta_keys.SPEC in node.meta:
            notes.append(f"spec: {node.meta[meta_keys.SPEC]!r}")
        return notes


__all__ = ["DebugPass"]

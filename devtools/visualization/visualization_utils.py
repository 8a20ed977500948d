"""Programs as graphs in the browser, with the viewer Model Explorer (``pip install ai-edge-model-explorer``).

visualize(exported_program)                                  # opens a tab; blocks until the server is stopped
visualize_with_clusters(exported_program, "model.json")      # writes a file; needs no viewer
"""

from __future__ import annotations

import os
import pathlib
import tempfile
from collections.abc import Callable
from typing import Any, TypeAlias

import torch
from torch.export import ExportedProgram

from executorch.devtools.visualization.graph_json import cluster_path, collection, module_path, write_json
from executorch.exir import EdgeProgramManager, ExecutorchProgramManager

Visualizable: TypeAlias = ExportedProgram | EdgeProgramManager | ExecutorchProgramManager


def _get_exported_program(visualizable: Visualizable) -> ExportedProgram:
    if isinstance(visualizable, (EdgeProgramManager, ExecutorchProgramManager)):
        return visualizable.exported_program()
    if isinstance(visualizable, ExportedProgram):
        return visualizable
    raise RuntimeError(
        "only an ExportedProgram, an EdgeProgramManager or an ExecutorchProgramManager can be shown, not a "
        f"{type(visualizable).__name__}"
    )


def visualize(
    visualizable: Visualizable, reuse_server: bool = True, no_open_in_browser: bool = False, **kwargs: Any
) -> None:
    """Shows a program; operators are grouped by the modules of the model that they come from.

    Args:
        visualizable: The program, or a manager of programs whose ``forward`` is shown.
        reuse_server: Whether a server that runs already shows it. Otherwise one is started, which blocks.
        no_open_in_browser: Only prints the address.
        kwargs: Further arguments of ``model_explorer.visualize_from_config``.

    Raises:
        ModuleNotFoundError: Model Explorer is not installed; the message says how to get it.
    """
    _show(
        collection(_get_exported_program(visualizable), module_path), reuse_server, no_open_in_browser, kwargs
    )


def visualize_graph(
    graph_module: torch.fx.GraphModule,
    exported_program: Visualizable,
    reuse_server: bool = True,
    no_open_in_browser: bool = False,
    **kwargs: Any,
) -> None:
    """As :func:`visualize` for a graph that a pass made of a program's.

    Args:
        graph_module: The graph.
        exported_program: The program that it was made of, which has the weights.
        reuse_server: As for :func:`visualize`.
        no_open_in_browser: As for :func:`visualize`.
        kwargs: As for :func:`visualize`.
    """
    program = _get_exported_program(exported_program)
    _show(collection(program, module_path, graph_module), reuse_server, no_open_in_browser, kwargs)


def visualize_with_clusters(
    exported_program: ExportedProgram,
    json_file_name: str | os.PathLike[str] | None = None,
    no_open_in_browser: bool = False,
    reuse_server: bool = False,
    get_node_partition_name: Callable[[torch.fx.Node], str | None] = lambda node: node.meta.get(
        "delegation_tag"
    ),
    get_node_qdq_cluster_name: Callable[[torch.fx.Node], str | None] = lambda node: node.meta.get("cluster"),
    **kwargs: Any,
) -> None:
    """Shows a program; operators are grouped by partition and by cluster of quantize and dequantize operators.

    Args:
        exported_program: The program.
        json_file_name: Where to write the graph instead, for ``model-explorer FILE``; nothing is started then.
        no_open_in_browser: As for :func:`visualize`.
        reuse_server: As for :func:`visualize`.
        get_node_partition_name: Name of the partition that a node is in, or None.
        get_node_qdq_cluster_name: Name of its cluster, or None.
        kwargs: As for :func:`visualize`.
    """
    namespace_of = cluster_path(get_node_partition_name, get_node_qdq_cluster_name)
    graphs = collection(_get_exported_program(exported_program), namespace_of)
    if json_file_name is not None:
        write_json(graphs, json_file_name)
    else:
        _show(graphs, reuse_server, no_open_in_browser, kwargs)


def _show(
    graphs: dict[str, Any], reuse_server: bool, no_open_in_browser: bool, options: dict[str, Any]
) -> None:
    explorer = _model_explorer()
    settings = explorer.config()
    if reuse_server:
        settings.set_reuse_server()
    # The viewer reads the file while its server runs, which may be longer than this process.
    folder = tempfile.mkdtemp(prefix="executorch_graph_")
    path = pathlib.Path(folder, "graph.json")
    write_json(graphs, path)
    settings.add_model_from_path(str(path))
    explorer.visualize_from_config(config=settings, no_open_in_browser=no_open_in_browser, **options)


def _model_explorer() -> Any:
    try:
        import model_explorer
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "showing a graph needs Model Explorer: pip install ai-edge-model-explorer. Without it, "
            "visualize_with_clusters(program, 'model.json') writes the graph to a file"
        ) from error
    return model_explorer


__all__ = ["visualize", "visualize_graph", "visualize_with_clusters"]

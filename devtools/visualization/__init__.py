"""Programs as graphs in the browser, or in a file for it."""

from executorch.devtools.visualization.model_explorer_server import (
    ModelExplorerServer,
    SingletonModelExplorerServer,
)
from executorch.devtools.visualization.visualization_utils import (
    visualize,
    visualize_graph,
    visualize_with_clusters,
)

__all__ = [
    "ModelExplorerServer",
    "SingletonModelExplorerServer",
    "visualize",
    "visualize_graph",
    "visualize_with_clusters",
]

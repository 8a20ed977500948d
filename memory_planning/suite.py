"""Several algorithms as one: the smallest plan wins."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from torch.export.graph_signature import ExportGraphSignature
from torch.fx import GraphModule

from executorch.dialects.tensor_spec import TensorSpec
from executorch.memory_planning.algorithms import greedy, naive
from executorch.memory_planning.exact import exact
from executorch.memory_planning.lower_bound import lower_bound
from executorch.memory_planning.packing import best_of_packings
from executorch.memory_planning.plan import MemoryAlgoResult, MemoryAlgorithm
from executorch.memory_planning.skyline import search_if_small


class MemoryPlanningAlgorithmSuite:
    """Runs its algorithms and writes the plan with the smallest total size into the specs.

    An algorithm that comes after a plan without waste is not run.

    Args:
        algo_list: the algorithms; the default is `[best_of_packings, greedy, search_if_small]`.
    """

    def __init__(self, algo_list: Sequence[MemoryAlgorithm] | None = None) -> None:
        if algo_list is not None and not algo_list:
            raise ValueError("a suite needs at least one algorithm; leave algo_list out for the default ones")
        self.algo_list: tuple[MemoryAlgorithm, ...] = tuple(
            algo_list or (best_of_packings, greedy, search_if_small)
        )

    def __call__(
        self,
        alignment: int,
        specs: Collection[TensorSpec],
        graph_module: GraphModule,
        graph_signature: ExportGraphSignature | None = None,
        extra_padding: int = 0,
    ) -> list[int]:
        """Plans `specs`; returns the size in bytes of each memory, by id."""
        bound = sum(lower_bound(specs, alignment).values())
        best: MemoryAlgoResult | None = None
        for algorithm in self.algo_list:
            result = algorithm(alignment, specs, graph_module, graph_signature, extra_padding)
            if best is None or sum(result.bufsizes) < sum(best.bufsizes):
                best = result
            if sum(best.bufsizes) <= bound:
                break
        assert best is not None
        store(best)
        return best.bufsizes


def store(result: MemoryAlgoResult) -> None:
    """Writes a plan into its specs."""
    for spec, place in result.spec_dict.items():
        spec.mem_id = place.mem_id
        spec.mem_obj_id = place.mem_obj_id
        spec.mem_offset = place.mem_offset


_BY_NAME = {
    "best_of_packings": best_of_packings,
    "exact": exact,
    "greedy": greedy,
    "naive": naive,
}


def algorithm_named(name: str) -> MemoryAlgorithm:
    """The algorithm of this name.

    Raises:
        ValueError: there is none.
    """
    if name not in _BY_NAME:
        raise ValueError(f"no memory planning algorithm {name!r}; there are {sorted(_BY_NAME)}")
    return _BY_NAME[name]

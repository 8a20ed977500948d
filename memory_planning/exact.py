"""Plans of proven minimal size, by integer programming.

The program: minimise the end of the last value, where of two values that live at the same time one lies before the
other. HiGHS solves it; it comes with SciPy, which is an optional dependency. Only small graphs are worth it: the
heuristics meet the lower bound nearly always, and there the search ends before it has begun. It runs when somebody asks
for it: plans of the default suite must not depend on what is installed.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

import numpy as np
from torch.export.graph_signature import ExportGraphSignature
from torch.fx import GraphModule

from executorch.dialects.tensor_spec import TensorSpec
from executorch.memory_planning.algorithms import plan_by_memory
from executorch.memory_planning.packing import Blocks, Packing, best_packing, blocks_of, numbered
from executorch.memory_planning.plan import MemoryAlgoResult

_NODE_LIMIT = 20_000
"""Of the solver's search tree. A limit of time would make plans depend on the machine."""


def exact_packing(blocks: Blocks, node_limit: int = _NODE_LIMIT) -> Packing:
    """The smallest packing, or the smallest one known when the solver gives up at `node_limit`.

    Raises:
        ImportError: SciPy is missing.
    """
    best = best_packing(blocks)
    if best.size <= blocks.lower_bound():
        return best
    used = np.flatnonzero(blocks.sizes)
    pairs = [
        (i, j)
        for i in range(len(used))
        for j in range(i + 1, len(used))
        if blocks.contemporaries(used[i])[used[j]]
    ]
    # Smaller numbers keep the solver's tolerances meaningful: every size is a multiple of the unit.
    unit = math.gcd(*(int(size) for size in blocks.sizes[used]))
    sizes = [int(size) // unit for size in blocks.sizes[used]]
    found = _solve(sizes, pairs, best.size // unit, blocks.lower_bound() // unit, node_limit)
    if found is None:
        return best
    offsets = np.zeros(len(blocks), dtype=np.int64)
    offsets[used] = np.array(found, dtype=np.int64) * unit
    size = int((offsets + blocks.sizes).max())
    return Packing(offsets, size) if size < best.size else best


def _solve(
    sizes: Sequence[int], pairs: Sequence[tuple[int, int]], limit: int, bound: int, node_limit: int
) -> list[int] | None:
    """Offsets in units; None if nothing better than `limit` was found.

    Variables: an offset for each block, for each pair whether the first lies below the second, and the top.
    """
    try:
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import coo_array
    except ImportError as error:
        raise ImportError(
            "an exact memory plan needs SciPy; pip install scipy, or use best_of_packings"
        ) from error
    count, top = len(sizes), len(sizes) + len(pairs)
    rows: list[tuple[list[int], list[float], float]] = []
    for number, (i, j) in enumerate(pairs):
        rows.append(([i, j, count + number], [1, -1, limit], limit - sizes[i]))
        rows.append(([j, i, count + number], [1, -1, -limit], -sizes[j]))
    rows += [([i, top], [1, -1], -size) for i, size in enumerate(sizes)]
    places = [(row, column) for row, (columns, _, _) in enumerate(rows) for column in columns]
    matrix = coo_array(
        ([value for _, values, _ in rows for value in values], tuple(zip(*places, strict=True))),
        shape=(len(rows), top + 1),
    )
    objective = np.zeros(top + 1)
    objective[top] = 1
    upper = np.array([limit - size for size in sizes] + [1] * len(pairs) + [limit - 1], dtype=float)
    lower = np.zeros(top + 1)
    lower[top] = bound
    result = milp(
        objective,
        integrality=np.ones(top + 1),
        bounds=Bounds(lower, upper),
        constraints=LinearConstraint(matrix.tocsr(), -np.inf, [right for _, _, right in rows]),
        options={"node_limit": node_limit},
    )
    return None if result.x is None else [round(value) for value in result.x[:count]]


def exact(
    alignment: int,
    specs: Collection[TensorSpec],
    graph_module: GraphModule | None = None,
    graph_signature: ExportGraphSignature | None = None,
    extra_padding: int = 0,
) -> MemoryAlgoResult:
    """The smallest plan there is. Can take minutes for more than some fifty values that live together.

    Raises:
        ImportError: SciPy is missing.
    """
    return plan_by_memory(
        specs,
        alignment,
        extra_padding,
        lambda group, alignment: numbered(exact_packing(blocks_of(group, alignment))),
    )

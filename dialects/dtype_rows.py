"""Tables of element types in short: combinations that are allowed, gathered into rows of sets.

A row gives each tensor a set of types. Tensors of one row with the same set have the same type; the others take any of
theirs.
"""

import itertools
from collections.abc import Iterable, Sequence

Combination = tuple[str, ...]
#: For each tensor of an operator, the names of its types.
Row = tuple[tuple[str, ...], ...]


def gathered(combinations: Iterable[Combination]) -> list[Row]:
    """The rows for a set of combinations: first those that differ in one place, then those of equal types."""
    return merge_equal_types(merge_one_place(set(combinations)))


def merge_one_place(combinations: "set[Combination]") -> list[Row]:
    """One row for all combinations that differ in one place only; those that have no such neighbour stay alone."""
    groups: dict[tuple[int, Combination], set[str]] = {}
    for combination in combinations:
        for place in range(len(combination)):
            rest = combination[:place] + combination[place + 1 :]
            groups.setdefault((place, rest), set()).add(combination[place])
    rows: set[Row] = set()
    covered: set[Combination] = set()
    for (place, rest), types in groups.items():
        if len(types) > 1:
            singles = [(name,) for name in rest]
            rows.add((*singles[:place], tuple(sorted(types)), *singles[place:]))
            covered |= {(*rest[:place], name, *rest[place:]) for name in types}
    rows |= {tuple((name,) for name in combination) for combination in combinations - covered}
    return sorted(rows)


def merge_equal_types(rows: Sequence[Row]) -> list[Row]:
    """One row for all rows in which the same tensors are of one type and the others have the same sets."""
    groups: dict[tuple[tuple[int, ...], Row], set[str]] = {}
    result: set[Row] = set()
    for row in rows:
        places = _equal_places(row)
        if len(places) < 2:
            result.add(row)
            continue
        rest = tuple(types for place, types in enumerate(row) if place not in places)
        groups.setdefault((places, rest), set()).update(row[places[0]])
    for (places, rest), types in groups.items():
        remaining = iter(rest)
        width = len(places) + len(rest)
        merged = tuple(tuple(sorted(types)) if place in places else next(remaining) for place in range(width))
        result.add(merged)
    return sorted(result)


def _equal_places(row: Row) -> tuple[int, ...]:
    """The largest group of places with the same single type; all places of an operator with one tensor."""
    if len(row) == 1:
        return ()
    singles = [(types, place) for place, types in enumerate(row) if len(types) == 1]
    groups = [
        tuple(place for _, place in group)
        for _, group in itertools.groupby(sorted(singles), key=lambda pair: pair[0])
    ]
    return max(groups, key=len, default=())


def aliases_of(rows: Iterable[Row]) -> list[tuple[str, ...]]:
    """The sets of types that rows use, sorted; their numbers are the aliases."""
    return sorted({types for row in rows for types in row})


__all__ = ["Combination", "Row", "aliases_of", "gathered", "merge_equal_types", "merge_one_place"]

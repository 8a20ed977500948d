"""Prints how the tree stands: libraries, edges, circles of imports, concepts defined twice, lines, long files and functions.

``./bazelw run //tests/architecture:report`` reads the checkout. The last line is ``RESULT`` with the figures as JSON, to
compare two states of the tree.
"""

from __future__ import annotations

import json
import os
import pathlib
import sys
from collections.abc import Iterable

from executorch.tests.architecture import concepts, import_graph, measures, python_imports
from executorch.tests.architecture.edges import Table, load_edges, source_files


def library_edges(root: pathlib.Path, table: Table) -> dict[str, list[str]]:
    """Row of the edge table -> rows that its production Python imports, by statement or for types."""
    edges: dict[str, set[str]] = {row: set() for row in table.edges}
    for path in source_files(root, (".py",)):
        own = table.row(path)
        if own is None or not measures.is_production(path):
            continue
        for one in python_imports.detailed_imports(root, path):
            target = table.row(one.target)
            # A library's `__init__` offers what its rooms have, also those that stand above it.
            offers = path == f"{own}/__init__.py" and f"{target}/".startswith(f"{own}/")
            if target is not None and target != own and one.kind != "name" and not offers:
                edges[own].add(target)
    return {row: sorted(targets) for row, targets in edges.items()}


def production_files(root: pathlib.Path) -> Iterable[tuple[str, str]]:
    """Path and text of the Python that does the work."""
    for path in source_files(root, (".py",)):
        if measures.is_production(path):
            text = (root / path).read_text()
            if not measures.is_published_room(path, text):
                yield path, text


def report(root: pathlib.Path) -> tuple[list[str], dict[str, object]]:
    """The report's lines, and its figures."""
    table = Table(load_edges(root))
    edges = library_edges(root, table)
    lines = [f"{len(table.edges)} rows of libraries and rooms; what their Python imports:"]
    lines += [f"  {row} -> {', '.join(targets)}" for row, targets in sorted(edges.items()) if targets]

    module_circles = import_graph.circles(root)
    between = import_graph.library_circles(edges)
    lines.append(f"{len(module_circles) + len(between)} circles of imports:")
    lines += [f"  {circle}" for circle in module_circles]
    lines += [f"  between libraries: {', '.join(rows)}" for rows in between]

    found = concepts.find(production_files(root))
    twice = concepts.defined_twice(found)
    lines.append(f"{len(twice)} of {len(found)} concepts defined in several files:")
    for name in twice:
        lines.append(f"  {name}")
        lines += [f"    {definition}" for definition in found[name]]
    lines += [
        f"  {path} has {concept.name} of its own: {why}"
        for concept in concepts.CONCEPTS
        for path, why in concept.decided.items()
    ]

    work, published = measures.lines_of_the_pipeline(root)
    lines.append(f"pipeline's production Python: {work} lines, rooms for published names: {published} lines")
    made, rows = measures.table_of_published_names(root)
    lines.append(f"{made} modules that only hand on names are made from a table of {rows} lines")
    files, functions = measures.long_files(root), measures.long_functions(root)
    lines.append(f"{len(files)} files over {measures.LONG_FILE} lines:")
    lines += [f"  {one}" for one in files]
    lines.append(f"{len(functions)} functions over {measures.LONG_FUNCTION} lines (Python):")
    lines += [f"  {one}" for one in functions]
    figures: dict[str, object] = {
        "circles": len(module_circles) + len(between),
        "concepts_defined_twice": twice,
        "pipeline_lines": work,
        "published_lines": published,
        "published_table_lines": rows,
        "files_over_400": len(files),
        "functions_over_50": len(functions),
    }
    return lines, figures


def main() -> int:
    root = pathlib.Path(
        os.environ.get("BUILD_WORKSPACE_DIRECTORY") or pathlib.Path(__file__).absolute().parents[2]
    )
    lines, figures = report(root)
    print("\n".join(lines))
    print("RESULT", json.dumps(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())

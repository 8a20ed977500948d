"""``python -m executorch.exir``: export a model and write its ``.pte`` file.

::

    python -m executorch.exir --module my_package.models:make_classifier --output classifier.pte
    python -m executorch.exir --module my_package.models:make_classifier --backend my_package.npu:NpuPartitioner
    python -m executorch.exir --module my_package.models:make_classifier --recipe my_package.recipes:small
    python -m executorch.exir --module my_package.models:make_classifier --compare --backend my_package.npu:NpuPartitioner

The last tries each backend alone and says how much of the work it would take; nothing is written.

A factory takes no arguments and returns ``(module, example_inputs)`` or ``(module, example_inputs, dynamic_shapes)``.
"""

import collections
import importlib
import json
import operator
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from absl import app, flags

from executorch.dialects.verifiers import graph_modules
from executorch.exir.capture._config import EdgeCompileConfig, ExecutorchBackendConfig
from executorch.exir.edge_manager import EdgeProgramManager
from executorch.exir.entry_points import to_edge_transform_and_lower
from executorch.exir.executorch_manager import ExecutorchProgramManager
from executorch.partitioner import get_lowered_submodules
from executorch.partitioner.inspection.text_table import text_table
from executorch.partitioner.inspection.work import Work, get_work
from executorch.schema.program import Tensor

_MODULE = flags.DEFINE_string("module", None, "factory of the model: package.module:function")
_RECIPE = flags.DEFINE_string(
    "recipe", None, "package.module:name of a Recipe, of a function that returns one, or of an ExportRecipe"
)
_BACKEND = flags.DEFINE_multi_string(
    "backend",
    [],
    "package.module:Partitioner of a backend; may be given several times, in order of preference",
)
_COMPARE = flags.DEFINE_bool(
    "compare", False, "say of each --backend alone how much of the model it takes, and write nothing"
)
_OUTPUT = flags.DEFINE_string("output", "model.pte", "where to write the program")


@dataclass
class Recipe:
    """What the command line needs to know beyond the model.

    Attributes:
        partitioners: in order of preference.
        transform_passes: over the edge graph, before partitioning.
        compile_config: of the edge dialect.
        backend_config: of the last stage.
        constant_methods: method name to the constant that it returns.
        strict: how ``torch.export`` captures.
    """

    partitioners: list[Any] = field(default_factory=list)
    transform_passes: "list[Any] | None" = None
    compile_config: "EdgeCompileConfig | None" = None
    backend_config: "ExecutorchBackendConfig | None" = None
    constant_methods: "dict[str, Any] | None" = None
    strict: bool = False

    @classmethod
    def from_any(cls, made: Any) -> "Recipe":
        """A recipe from a recipe, or from anything with the fields of ``executorch.export.ExportRecipe``.

        Raises:
            app.UsageError: it is neither, or it quantizes, which only an export session does.
        """
        if isinstance(made, Recipe):
            return made
        if not hasattr(made, "lowering_recipe"):
            raise app.UsageError(f"--recipe names a {type(made).__name__}, not a recipe")
        if getattr(made, "quantization_recipe", None) is not None:
            raise app.UsageError("the recipe quantizes: use executorch.export, which runs it whole")
        lowering = made.lowering_recipe
        if lowering is None:
            return cls(backend_config=made.executorch_backend_config, strict=made.strict)
        return cls(
            partitioners=list(lowering.partitioners or ()),
            compile_config=lowering.edge_compile_config,
            backend_config=made.executorch_backend_config,
            strict=made.strict,
        )


def load(path: str, flag: str) -> Any:
    """The object that ``package.module:name`` names.

    Raises:
        app.UsageError: there is none; ``flag`` is named.
    """
    module, colon, name = path.partition(":")
    if not colon or not module or not name:
        raise app.UsageError(f"--{flag} takes package.module:name, got {path!r}")
    try:
        return operator.attrgetter(name)(importlib.import_module(module))
    except (ImportError, AttributeError) as error:
        raise app.UsageError(f"--{flag}={path}: {error}") from error


def capture(factory: Callable[[], Any], strict: bool) -> torch.export.ExportedProgram:
    """Calls the factory and captures what it made.

    Raises:
        app.UsageError: it returned something else.
    """
    made = factory()
    if not isinstance(made, tuple) or len(made) not in (2, 3) or not isinstance(made[0], torch.nn.Module):
        raise app.UsageError(
            "the factory must return (module, example_inputs) or (module, example_inputs, dynamic_shapes)"
        )
    module, inputs, *shapes = made
    dynamic = shapes[0] if shapes else None
    return torch.export.export(module.eval(), tuple(inputs), dynamic_shapes=dynamic, strict=strict)


def lower(
    program: torch.export.ExportedProgram, recipe: Recipe
) -> tuple[EdgeProgramManager, ExecutorchProgramManager]:
    """The edge programs and the executable program."""
    edge = to_edge_transform_and_lower(
        program,
        transform_passes=recipe.transform_passes,
        partitioner=recipe.partitioners or None,
        constant_methods=recipe.constant_methods,
        compile_config=recipe.compile_config,
    )
    return edge, edge.to_executorch(recipe.backend_config)


def summary(edge: EdgeProgramManager, executable: ExecutorchProgramManager) -> dict[str, Any]:
    """What there is to know of a program: methods with inputs, outputs, operators and memory; bytes of the file."""
    methods: dict[str, Any] = {}
    for plan in executable.executorch_program.execution_plan:
        methods[plan.name] = {
            "inputs": [_describe(plan.values[index].val) for index in plan.inputs],
            "outputs": [_describe(plan.values[index].val) for index in plan.outputs],
            "memory_bytes": [int(size) for size in plan.non_const_buffer_sizes[1:]],
        }
    for name in sorted(edge.methods):
        module = edge.exported_program(name).graph_module
        methods[name]["operators"] = dict(_operators(module))
        methods[name]["delegates"] = [lowered.backend_id for _, lowered, _ in get_lowered_submodules(module)]
        work = get_work(module)
        methods[name]["multiply_accumulates"] = work.macs
        methods[name]["delegated_share"] = round(work.share, 4)
        methods[name]["work"] = work.summary()
    return {"bytes": len(executable.buffer), "methods": methods}


def _operators(module: torch.fx.GraphModule) -> "list[tuple[str, int]]":
    counted = collections.Counter(
        str(node.target)
        for part in graph_modules(module)
        for node in part.graph.nodes
        if node.op == "call_function" and node.target is not operator.getitem
    )
    return counted.most_common()


def _describe(value: Any) -> str:
    if not isinstance(value, Tensor):
        return type(value).__name__
    return f"{value.scalar_type.name.lower()}{list(value.sizes)}"


def print_summary(facts: Mapping[str, Any], path: str) -> None:
    """Prints :func:`summary` for people."""
    print(f"{path}: {facts['bytes']} bytes")
    for name, method in facts["methods"].items():
        print(f"method {name}")
        print(f"  inputs   {', '.join(method['inputs']) or 'none'}")
        print(f"  outputs  {', '.join(method['outputs']) or 'none'}")
        print(f"  memory   {' + '.join(map(str, method['memory_bytes'])) or '0'} bytes")
        if "work" in method:
            print(f"  work     {method['work']}")
        for backend in method.get("delegates", ()):
            print(f"  delegate {backend}")
        for op, count in method.get("operators", {}).items():
            print(f"  {count:6} {op}")


def main(argv: list[str]) -> None:
    """Runs the command."""
    if len(argv) > 1:
        raise app.UsageError(f"unexpected arguments {argv[1:]}")
    recipe = _chosen_recipe()
    program = capture(load(_MODULE.value or "", "module"), recipe.strict)
    if _COMPARE.value:
        print_comparison(program, recipe)
        return
    edge, executable = lower(program, recipe)
    executable.save(_OUTPUT.value)
    facts = summary(edge, executable)
    print_summary(facts, _OUTPUT.value)
    print(f"RESULT {json.dumps({'output': _OUTPUT.value, **facts})}")


def print_comparison(program: torch.export.ExportedProgram, recipe: Recipe) -> None:
    """Prints, for each backend alone, the work that it takes, and what it leaves with the reasons why.

    Raises:
        app.UsageError: no backend was named.
    """
    if not recipe.partitioners:
        raise app.UsageError("--compare needs at least one --backend")
    rows: list[tuple[object, ...]] = []
    tables: list[str] = []
    for partitioner in recipe.partitioners:
        name = type(partitioner).__name__
        before = time.process_time()
        alone = to_edge_transform_and_lower(
            program, recipe.transform_passes, [partitioner], compile_config=recipe.compile_config
        )
        seconds = time.process_time() - before
        work: Work = get_work(alone.exported_program().graph_module)
        left = sum(row.nodes for row in work.outside)
        rows.append((name, f"{work.share:.1%}", sum(work.delegates.values()), left, f"{seconds:.1f}"))
        if work.outside:
            tables.append(f"{name} leaves\n{work.table()}")
    print(text_table(["backend", "of the work", "delegates", "operators outside", "seconds to lower"], rows))
    print("\n".join(["", *tables]))


def _chosen_recipe() -> Recipe:
    recipe = Recipe()
    if _RECIPE.value:
        made = load(_RECIPE.value, "recipe")
        is_function = callable(made) and not hasattr(made, "lowering_recipe") and not isinstance(made, Recipe)
        recipe = Recipe.from_any(made() if is_function else made)
    for path in _BACKEND.value:
        recipe.partitioners.append(load(path, "backend")())
    return recipe


def run() -> None:
    """The entry point of ``python -m executorch.exir``."""
    flags.mark_flag_as_required("module")
    app.run(main)


__all__ = ["Recipe", "capture", "load", "lower", "print_comparison", "print_summary", "run", "summary"]

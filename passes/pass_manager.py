"""Runs passes in order and checks the graph between them."""

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from torch.export import ExportedProgram
from torch.fx import GraphModule

from executorch.dialects.errors import ExportError, ExportErrorType, PassError
from executorch.passes.pass_base import (
    ExportedProgramPassBase,
    ExportedProgramPassResult,
    PassResult,
    PassType,
    run_pass,
)

Check = Callable[[GraphModule], None]


def flatten_passes(passes: "Iterable[Any] | None") -> list[Any]:
    """The passes of arbitrarily nested lists, in order."""
    flat: list[Any] = []
    for item in passes or ():
        flat.extend(flatten_passes(item) if isinstance(item, (list, tuple)) else [item])
    return flat


def pass_name(pass_: Any) -> str:
    """Class name of a pass object, own name of a function."""
    return getattr(pass_, "__name__", type(pass_).__name__)


class PassManager:
    """Runs a list of graph passes.

    ``PassManager(passes=[A(), B()])(graph_module)`` returns a ``PassResult`` whose ``modified`` is True when any pass
    modified the graph. Passes may come in nested lists.

    Args:
        passes: callables from ``GraphModule`` to ``PassResult``.
        run_checks_after_each_pass: run the checks after every pass, not only once at the end.
        suppress_check_failures: go on when a check fails.
        steps: how often to run the list; stops early once a round changed nothing.
    """

    def __init__(
        self,
        passes: "Sequence[Any] | None" = None,
        run_checks_after_each_pass: bool = False,
        suppress_check_failures: bool = False,
        steps: int = 1,
    ) -> None:
        self.passes: list[PassType] = flatten_passes(passes)
        self.checks: list[Check] = []
        self.run_checks_after_each_pass = run_checks_after_each_pass
        self.suppress_check_failures = suppress_check_failures
        self.steps = steps

    def add_pass(self, pass_: Any) -> None:
        """Appends a pass (or a list of passes)."""
        self.passes.extend(flatten_passes([pass_]))

    def add_checks(self, check: Check) -> None:
        """Adds a function that takes the ``GraphModule`` and raises when it is not well-formed.

        Raises:
            TypeError: ``check`` does not take exactly one argument.
        """
        parameters = inspect.signature(check).parameters
        if len(parameters) != 1:
            raise TypeError(f"a check takes one argument, the GraphModule; {check!r} takes {len(parameters)}")
        self.checks.append(check)

    def set_checks(self, check: Check) -> None:
        """Makes ``check`` the only check."""
        self.checks = []
        self.add_checks(check)

    def check(self, graph_module: GraphModule) -> None:
        """Runs the checks; their exceptions pass through unless check failures are suppressed."""
        for check in self.checks:
            try:
                check(graph_module)
            except Exception:
                if not self.suppress_check_failures:
                    raise

    def __call__(self, graph_module: GraphModule) -> PassResult:
        modified = False
        for _ in range(self.steps):
            round_modified = False
            for pass_ in self.passes:
                result = _run_named(pass_, graph_module)
                graph_module = result.graph_module
                round_modified |= result.modified
                if self.run_checks_after_each_pass:
                    self.check(graph_module)
            modified |= round_modified
            if not round_modified:
                break
        if not self.run_checks_after_each_pass:
            self.check(graph_module)
        return PassResult(graph_module, modified)


class ExportedProgramPassManager:
    """Runs a list of program passes (and graph passes) over an ``ExportedProgram``.

    Graph passes among them must change the graph in place.
    """

    def __init__(self, passes: "Sequence[Any] | None" = None) -> None:
        self.passes = flatten_passes(passes)

    def __call__(self, exported_program: ExportedProgram) -> ExportedProgramPassResult:
        modified = False
        for pass_ in self.passes:
            if isinstance(pass_, ExportedProgramPassBase):
                result = _guard(pass_, pass_, exported_program)
                exported_program = result.exported_program
                modified |= result.modified
                continue
            graph_result = _run_named(pass_, exported_program.graph_module)
            if graph_result.graph_module is not exported_program.graph_module:
                raise PassError(
                    ExportErrorType.NOT_SUPPORTED,
                    f"pass {pass_name(pass_)} replaced the graph; here it must change it in place",
                )
            modified |= graph_result.modified
        return ExportedProgramPassResult(exported_program, modified)


def _run_named(pass_: Any, graph_module: GraphModule) -> PassResult:
    return _guard(pass_, run_pass, pass_, graph_module)


def _guard(pass_: Any, function: Callable[..., Any], *args: Any) -> Any:
    """Calls ``function`` so that an exception says which pass it came from, and keeps its type."""
    try:
        return function(*args)
    except ExportError:
        raise
    except Exception as error:
        if hasattr(error, "add_note"):  # Python 3.11 and later
            error.add_note(f"while running the pass {pass_name(pass_)}")
        raise

"""Runs passes in order and checks the graph between them."""

import inspect
import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from torch.export import ExportedProgram
from torch.fx import GraphModule

from executorch.dialects.errors import ExportError, ExportErrorType, PassError
from executorch.ir.clone import copy_signature, replace_parts
from executorch.ir.signature import sync_signature
from executorch.passes.infrastructure.pass_base import (
    ExportedProgramPassBase,
    ExportedProgramPassResult,
    PassResult,
    PassType,
    run_pass,
)

Check = Callable[[GraphModule], None]


def flatten_passes(passes: Any) -> list[Any]:
    """The passes of arbitrarily nested lists, in order; one pass, or torch's ``PassManager``, is a list of itself."""
    if callable(passes) and not isinstance(passes, (list, tuple)):
        return [passes]
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
        run_checks_after_each_pass: run the checks after every pass, not only once at the end; and check that it left a
            graph of operators.
        suppress_check_failures: go on when a check fails.
        steps: how often to run the list; stops early once a round changed nothing.

    Raises:
        PassError: when called, a pass left a graph that no other pass can work on.
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
        _check_takes_one(check, "GraphModule")
        self.checks.append(check)

    def set_checks(self, check: Check) -> None:
        """Makes ``check`` the only check."""
        self.checks = []
        self.add_checks(check)

    def check(self, graph_module: GraphModule) -> None:
        """Runs the checks; their exceptions pass through unless check failures are suppressed."""
        _run_checks(self.checks, graph_module, self.suppress_check_failures)

    def __call__(self, graph_module: GraphModule) -> PassResult:
        modified = False
        for _ in range(self.steps):
            round_modified = False
            for pass_ in self.passes:
                result = _run_named(pass_, graph_module)
                graph_module = result.graph_module
                round_modified |= result.modified
                if self.run_checks_after_each_pass:
                    _check_operators(pass_, graph_module)
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

    Args:
        passes: in order, possibly in nested lists.
        constraints: each says of a pass and of one that comes later whether they may stand so.
        run_checks_after_each_pass, suppress_check_failures, steps: as for :class:`PassManager`; checks take the
            ``ExportedProgram``.
    """

    def __init__(
        self,
        passes: "Sequence[Any] | None" = None,
        constraints: "Sequence[Callable[[Any, Any], bool]] | None" = None,
        run_checks_after_each_pass: bool = False,
        suppress_check_failures: bool = False,
        steps: int = 1,
    ) -> None:
        self.passes = flatten_passes(passes)
        self.constraints = list(constraints or ())
        self.checks: list[Callable[[ExportedProgram], None]] = []
        self.run_checks_after_each_pass = run_checks_after_each_pass
        self.suppress_check_failures = suppress_check_failures
        self.steps = steps

    def add_checks(self, check: "Callable[[ExportedProgram], None]") -> None:
        """Adds a function that takes the ``ExportedProgram`` and raises when it is not well-formed.

        Raises:
            TypeError: ``check`` does not take exactly one argument.
        """
        _check_takes_one(check, "ExportedProgram")
        self.checks.append(check)

    def check(self, exported_program: ExportedProgram) -> None:
        """Runs the checks; their exceptions pass through unless check failures are suppressed."""
        _run_checks(self.checks, exported_program, self.suppress_check_failures)

    def __call__(self, exported_program: ExportedProgram) -> ExportedProgramPassResult:
        self._check_order()
        modified = False
        for _ in range(self.steps):
            round_modified = False
            for pass_ in self.passes:
                result = _run_over_program(pass_, exported_program)
                exported_program = result.exported_program
                round_modified |= result.modified
                _check_operators(pass_, exported_program.graph_module)
                if self.run_checks_after_each_pass:
                    self.check(exported_program)
            modified |= round_modified
            if not round_modified:
                break
        if not self.run_checks_after_each_pass:
            self.check(exported_program)
        return ExportedProgramPassResult(exported_program, modified)

    def _check_order(self) -> None:
        for first, second in itertools.combinations(self.passes, 2) if self.constraints else ():
            if not all(constraint(first, second) for constraint in self.constraints):
                raise PassError(
                    ExportErrorType.VIOLATION_OF_SPEC,
                    f"a constraint forbids {pass_name(first)} before {pass_name(second)}",
                )


def _run_over_program(pass_: Any, program: ExportedProgram) -> ExportedProgramPassResult:
    if isinstance(pass_, ExportedProgramPassBase):
        return _guard(pass_, pass_, program)
    result = _run_named(pass_, program.graph_module)
    if result.graph_module is not program.graph_module:
        signature = copy_signature(program.graph_signature)
        program = replace_parts(program, graph_module=result.graph_module, signature=signature)
        try:
            sync_signature(program)
        except ValueError as error:
            raise PassError(
                ExportErrorType.NOT_SUPPORTED,
                f"pass {pass_name(pass_)}: {error}\nWay out: a pass that adds or removes inputs or outputs is an "
                "ExportedProgramPassBase, which changes the signature too",
            ) from error
    return ExportedProgramPassResult(program, result.modified)


def _check_takes_one(check: Callable[..., Any], what: str) -> None:
    parameters = inspect.signature(check).parameters
    if len(parameters) != 1:
        raise TypeError(f"a check takes one argument, the {what}; {check!r} takes {len(parameters)}")


def _run_checks(checks: "Iterable[Callable[[Any], None]]", subject: Any, suppress: bool) -> None:
    for check in checks:
        try:
            check(subject)
        except Exception:
            if not suppress:
                raise


def _check_operators(pass_: Any, graph_module: GraphModule) -> None:
    for node in graph_module.graph.nodes:
        if node.op in ("call_method", "call_module"):
            raise PassError(
                ExportErrorType.VIOLATION_OF_SPEC,
                f"pass {pass_name(pass_)} left {node.format_node()}\nWay out: call an operator, torch.ops.aten....",
            )


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

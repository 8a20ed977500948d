"""The verifiers under their documented names, configured as a compile config says."""

from typing import Any

from torch._export.verifier import Verifier
from torch._ops import OpOverload
from torch.export import ExportedProgram
from torch.fx import GraphModule

from executorch.dialects.edge_ops import EdgeOpOverload
from executorch.dialects.errors import SpecViolationError
from executorch.dialects.prim_ops import ATEN_PRIM_OPS, SYM_OP_TO_PRIM
from executorch.dialects.verifiers import (
    DialectRules,
    EdgeVerifier,
    RegisteredOnce,
    edge_operator_problem,
    verify_aten_graph,
    verify_dtypes,
    verify_edge_graph,
    verify_memory_formats,
)
from executorch.exir.capture._config import EdgeCompileConfig
from executorch.exir.edge_lowering import dialect_rules

# Under these names exporters of other projects take them; the edge verifier checks element types with the rest.
_EXECUTORCH_SYM_OPS = {*SYM_OP_TO_PRIM.values(), *ATEN_PRIM_OPS}


def _check_tensor_args_matching_op_allowed_dtype(gm: GraphModule) -> None:
    """Raises ``SpecViolationError`` unless the element types of edge operators are allowed."""
    verify_dtypes(gm)


class _CallableVerifier:
    """A verifier that is called with a graph or a program."""

    rules = DialectRules()

    def __call__(self, graph: "GraphModule | ExportedProgram") -> None:
        """Checks the rules of the dialect.

        Raises:
            SpecViolationError: with every node that breaks a rule.
        """
        self.verify_graph(graph.graph_module if isinstance(graph, ExportedProgram) else graph)

    def verify_graph(self, graph_module: GraphModule) -> None:
        raise NotImplementedError

    def is_valid(self, graph: "GraphModule | ExportedProgram") -> bool:
        """True when calling the verifier with ``graph`` raises nothing."""
        try:
            self(graph)
        except SpecViolationError:
            return False
        return True

    def check_additional(self, gm: GraphModule) -> None:
        self.verify_graph(gm)


class EXIRATenDialectVerifierBase(_CallableVerifier, Verifier, metaclass=RegisteredOnce):
    """The ATen dialect: functional, core ATen and custom operators, control flow."""

    dialect = "OLD_EXIR_ATEN"

    def allowed_op_types(self) -> tuple[type[Any], ...]:
        return EdgeVerifier().allowed_op_types()

    def verify_graph(self, graph_module: GraphModule) -> None:
        verify_aten_graph(graph_module, self.rules)


class _EdgeDialectVerifier(_CallableVerifier, EdgeVerifier):
    dialect = "EDGE"

    def verify_graph(self, graph_module: GraphModule) -> None:
        verify_edge_graph(graph_module, self.rules)
        if not self.rules.dim_order:
            verify_memory_formats(graph_module)

    def check_valid_edge_op(self, op: Any) -> None:
        """Checks one operator.

        Raises:
            SpecViolationError: it is no edge operator, or none that an edge program may have.
        """
        if isinstance(op, EdgeOpOverload):
            problem = edge_operator_problem(op, self.rules)
        else:
            problem = f"is not an edge operator but a {type(op).__name__}"
        if problem is not None:
            raise SpecViolationError(f"{op} {problem}")

    def check_valid_op(self, op: Any) -> None:
        self.check_valid_edge_op(op)


def EXIRATenDialectVerifier(
    edge_compile_config: "EdgeCompileConfig | None" = None,
    class_only: bool = False,
    core_aten_ops_exception_list: "list[OpOverload] | None" = None,
    preserve_ops: "list[OpOverload] | None" = None,
) -> Any:
    """The verifier of the ATen dialect; call it with a graph or a program.

    Args:
        edge_compile_config: names operators to accept besides core ATen, and may turn verification off.
        class_only: give the class, as ``ExportedProgram(verifiers=[...])`` takes it, rather than an object.
        core_aten_ops_exception_list, preserve_ops: operators to accept besides those of the config.
    """
    rules = _rules(edge_compile_config, core_aten_ops_exception_list, preserve_ops)
    return _made(EXIRATenDialectVerifierBase, rules, edge_compile_config, class_only)


def EXIREdgeDialectVerifier(
    edge_compile_config: "EdgeCompileConfig | None" = None,
    class_only: bool = False,
    core_aten_ops_exception_list: "list[OpOverload] | None" = None,
    preserve_ops: "list[OpOverload] | None" = None,
) -> Any:
    """The verifier of the edge dialect; arguments as those of :func:`EXIRATenDialectVerifier`."""
    rules = _rules(edge_compile_config, core_aten_ops_exception_list, preserve_ops)
    return _made(_EdgeDialectVerifier, rules, edge_compile_config, class_only)


def get_aten_verifier(config: EdgeCompileConfig) -> type[Verifier]:
    """The verifier class that the lowering checks ATen programs with under ``config``."""
    verifier: type[Verifier] = EXIRATenDialectVerifier(config, class_only=True)
    return verifier


def _rules(
    config: "EdgeCompileConfig | None",
    exceptions: "list[OpOverload] | None",
    preserve: "list[OpOverload] | None",
) -> DialectRules:
    return dialect_rules(config or EdgeCompileConfig(), [*(exceptions or ()), *(preserve or ())])


def _made(base: type[Any], rules: DialectRules, config: "EdgeCompileConfig | None", class_only: bool) -> Any:
    members: dict[str, Any] = {"dialect": base.dialect, "rules": rules, "__module__": __name__}
    if config is not None and not config._check_ir_validity:
        members["verify_graph"] = lambda self, graph_module: None
    made = type(base.__name__, (base,), members)
    return made if class_only else made()

"""What goes wrong is said at export: all offending nodes, their lines in the model, the reason and the way out."""

import warnings

import pytest
import torch

from executorch.exir import (
    EdgeCompileConfig,
    ExecutorchBackendConfig,
    to_edge,
    to_edge_transform_and_lower,
    to_edge_with_preserved_ops,
)
from executorch.exir.backend.backend_details import BackendDetails, PreprocessResult
from executorch.exir.backend.partitioner import DelegationSpec, Partitioner, PartitionResult
from executorch.exir.error import (
    ExportError,
    InternalError,
    MissingOutVariantError,
    SpecViolationError,
    UnboundedShapeError,
)
from executorch.exir.missing_kernels import MissingKernelWarning
from executorch.exir.pass_base import PassResult
from executorch.exir.passes.sym_shape_eval_pass import ConstraintBasedSymShapeEvalPass

_LIB = torch.library.Library("errors_test", "DEF")
_LIB.define("no_out(Tensor x) -> Tensor")
_LIB.define("no_kernel(Tensor x) -> Tensor")
_LIB.define("no_kernel.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)")
for _name in ("no_out", "no_kernel"):
    _LIB.impl(_name, lambda x: x.clone(), "CompositeExplicitAutograd")
_LIB.impl("no_kernel.out", lambda x, *, out: out.copy_(x), "CompositeExplicitAutograd")


class _Model(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *args):
        return self.function(*args)


def _export(function, *inputs, **kwargs):
    return torch.export.export(_Model(function), inputs, **kwargs)


def _says(error, *parts):
    text = str(error.value if hasattr(error, "value") else error)
    missing = [part for part in (*parts, "Way out:", __file__) if part not in text]
    assert not missing, f"{missing} not in:\n{text}"


X = torch.rand(2, 3)


@pytest.mark.parametrize("how", ["config", "function"])
def test_views_that_are_to_stay_whole(how):
    program = _export(lambda x: x.expand(2, 2, 3) + 1, X)
    preserve = [torch.ops.aten.expand.default]
    config = EdgeCompileConfig(preserve_ops=preserve, _check_ir_validity=False)
    with pytest.raises(RuntimeError) as error:
        if how == "config":
            to_edge(program, compile_config=config)
        else:
            to_edge_with_preserved_ops(program, preserve_ops=preserve)
    _says(error, "aten.expand.default): becomes aten.expand_copy.default", "preserve_ops")
    to_edge(_export(lambda x: x + 1, X), compile_config=config)  # A program without the view is taken.


def test_views_made_of_others_do_not_stay_whole():
    config = EdgeCompileConfig(preserve_ops=[torch.ops.aten.reshape.default])
    edge = to_edge(_export(lambda x: x.reshape(6) + 1, X), compile_config=config)
    names = [str(node.target) for node in edge.exported_program().graph.nodes]
    assert any("view_copy" in name for name in names) and not any("reshape" in name for name in names)


def test_operators_outside_the_dialect():
    def function(x):
        first = torch.special.airy_ai(x)
        return first, torch.special.hermite_polynomial_h(x, 2)

    with pytest.raises(SpecViolationError) as error:
        to_edge(_export(function, X))
    _says(
        error,
        "not a core ATen operator",
        "special_airy_ai",
        "special_hermite_polynomial_h",
        "in forward",
        "2 problems",
    )


def test_types_outside_the_constraints():
    edge = to_edge(_export(lambda x: x.softmax(0), X))
    with pytest.raises(SpecViolationError) as error:
        edge.transform([_retype])
    _says(error, "element types", "are not allowed; allowed:")


def _retype(graph_module):
    """A pass that lies about a result's type."""
    for node in graph_module.graph.nodes:
        if node.op == "call_function":
            node.meta["val"] = node.meta["val"].to(torch.float64)
    return PassResult(graph_module, True)


def test_operators_without_an_out_variant():
    def function(x):
        y = torch.ops.errors_test.no_out(x)
        return torch.ops.errors_test.no_out(y + 1)

    with pytest.raises(MissingOutVariantError) as error:
        to_edge(_export(function, X)).to_executorch()
    _says(error, "2 problems", "errors_test.no_out.default", "errors_test::no_out.out(")


def test_sizes_without_bound():
    program = _export(lambda x: x + 1, X, dynamic_shapes=(({0: torch.export.Dim("rows")},),))
    config = ExecutorchBackendConfig(sym_shape_eval_pass=ConstraintBasedSymShapeEvalPass(require_bounds=True))
    with pytest.raises(UnboundedShapeError) as error:
        to_edge(program).to_executorch(config)
    text = str(error.value)
    assert "no upper bound" in text and "max=" in text and "Way out:" in text


class ErrorsTestBackend(BackendDetails):
    @staticmethod
    def preprocess(edge_program, compile_specs):
        return PreprocessResult(processed_bytes=b"compiled")


class _Tags(Partitioner):
    """Puts one tag on the operators whose names are given."""

    def __init__(self, *names):
        super().__init__()
        self.names = names

    def partition(self, exported_program):
        for node in exported_program.graph.nodes:
            if any(name in str(node.target) for name in self.names):
                node.meta["delegation_tag"] = "tag"
        return PartitionResult(exported_program, {"tag": DelegationSpec("ErrorsTestBackend", [])})


def test_a_tag_that_is_not_convex():
    program = _export(
        lambda x: (x.sin().cos() + 1).sin(), X
    )  # sin -> cos -> sin: what lies between depends on both
    with pytest.raises(ExportError) as error:
        to_edge_transform_and_lower(program, partitioner=[_Tags("aten.sin")])
    text = str(error.value)
    assert "tag" in text and "aten_sin_default" in text and "Way out:" in text


def test_a_pass_that_leaves_the_dialect():
    def back_to_aten(graph_module):
        for node in graph_module.graph.nodes:
            if node.op == "call_function":
                node.target = node.target._op
        return PassResult(graph_module, True)

    edge = to_edge(_export(lambda x: x.sin().cos(), X))
    with pytest.raises(SpecViolationError) as error:
        edge.transform([back_to_aten])
    _says(error, "2 problems", "aten.sin.default", "is not an edge operator", "ops.edge.aten.cos.default")
    edge.transform([back_to_aten], compile_config=EdgeCompileConfig(_check_ir_validity=False))


def test_operators_without_a_kernel():
    edge = to_edge(_export(lambda x: torch.ops.errors_test.no_kernel(x) + 1, X))
    with pytest.warns(MissingKernelWarning) as caught:
        edge.to_executorch()
    (warning,) = [item for item in caught if item.category is MissingKernelWarning]
    text = str(warning.message)
    assert "errors_test::no_kernel.out has no kernel" in text and __file__ in text and "Way out:" in text
    assert "aten::add" not in text
    with warnings.catch_warnings():
        warnings.simplefilter("error", MissingKernelWarning)
        edge.to_executorch(ExecutorchBackendConfig(warn_missing_kernels=False))


# ---- what is kept rather than lost ------------------------------------------------------------------------------


class _Counter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.tensor([41.0]))

    def forward(self, x):
        self.count.add_(1)
        return x + self.count


def _run(executable, *inputs):
    from executorch.runtime import Runtime

    return Runtime.get().load_program(executable.buffer).load_method("forward").execute(list(inputs))


def test_the_first_value_of_a_mutable_buffer_is_kept():
    executable = to_edge(torch.export.export(_Counter(), (X,))).to_executorch()
    (output,) = _run(executable, X)
    torch.testing.assert_close(output, X + 42)


def test_tied_weights_are_stored_once():
    class Tied(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = torch.nn.Embedding(64, 32)
            self.head = torch.nn.Linear(32, 64, bias=False)
            self.head.weight = self.embedding.weight

        def forward(self, x):
            return self.head(self.embedding(x))

    model = Tied()
    buffer = to_edge(torch.export.export(model, (torch.tensor([1, 2]),))).to_executorch().buffer
    weight = model.head.weight.detach().numpy().tobytes()
    assert buffer.count(weight) == 1 and len(buffer) < 2 * len(weight)


def test_memory_formats_that_no_kernel_knows_are_refused():
    image = torch.rand(1, 3, 4, 5)
    program = _export(lambda x: x.to(memory_format=torch.channels_last) + 1, image)
    plain = EdgeCompileConfig(_check_ir_validity=False, _skip_dim_order=True)
    edge = to_edge(program, compile_config=plain)
    with pytest.raises(InternalError, match=r"memory format torch\.channels_last is unsupported") as caught:
        edge.to_executorch()
    assert "_skip_dim_order=False" in str(caught.value) and "_to_copy" in str(caught.value)
    assert to_edge(program).to_executorch().buffer


def test_a_channels_last_input_is_a_fact_of_the_program_and_enforced():
    image = torch.rand(1, 3, 4, 5).to(memory_format=torch.channels_last)
    executable = to_edge(_export(lambda x: x + 1, image)).to_executorch()
    plan = executable.executorch_program.execution_plan[0]
    assert list(plan.values[plan.inputs[0]].val.dim_order) == [0, 2, 3, 1]
    (output,) = _run(executable, image)
    torch.testing.assert_close(output, image + 1)
    # The runtime asks for this layout, so the bindings bring other layouts into it.
    (output,) = _run(executable, image.contiguous())
    torch.testing.assert_close(output, image + 1)

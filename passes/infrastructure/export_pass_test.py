"""ExportPass: the documented patterns, and what it leaves alone."""

import pytest
import torch
from torch._higher_order_ops.map import map as torch_map
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop

from executorch.dialects.ops import ops
from executorch.passes.infrastructure.export_pass import (
    ExportPass,
    ExportPassBaseError,
    NodeMetadata,
    ProxyValue,
)
from executorch.passes.infrastructure.graph_values import map_args
from executorch.passes.programs_for_tests import call_nodes, calls, core, edge, export, find

aten = torch.ops.aten
X = torch.rand(2, 3)


class _OneToOne(ExportPass):
    def call_operator(self, op, args, kwargs, meta):
        return super().call_operator(aten.cos.default if op is aten.sin.default else op, args, kwargs, meta)


class _OneToMany(ExportPass):
    def call_operator(self, op, args, kwargs, meta):
        if op is not aten.add.Tensor:
            return super().call_operator(op, args, kwargs, meta)
        double = super().call_operator(aten.mul.Tensor, (args[0], 2), {}, meta)
        return super().call_operator(aten.sub.Tensor, (double, args[1]), {}, meta)


class _OneToNone(ExportPass):
    def call_operator(self, op, args, kwargs, meta):
        return args[0] if op is aten.clone.default else super().call_operator(op, args, kwargs, meta)


def test_one_to_one():
    result = _OneToOne()(core(lambda x: x.sin() + 1, X).graph_module)
    assert result.modified and calls(result.graph_module) == ["aten.cos.default", "aten.add.Tensor"]
    torch.testing.assert_close(result.graph_module(X)[0], X.cos() + 1)


def test_one_to_many():
    result = _OneToMany()(core(lambda x, y: x + y, X, X).graph_module)
    assert calls(result.graph_module) == ["aten.mul.Tensor", "aten.sub.Tensor"]
    torch.testing.assert_close(result.graph_module(X, X)[0], X)


def test_one_to_none():
    result = _OneToNone()(core(lambda x: (x + 1).clone() * 2, X).graph_module)
    assert calls(result.graph_module) == ["aten.add.Tensor", "aten.mul.Tensor"]


def test_metadata_is_kept():
    new = _OneToMany()(core(lambda x, y: x + y, X, X).graph_module).graph_module
    for node in call_nodes(new):
        assert "programs_for_tests.py" in node.meta["stack_trace"] and node.meta["val"].shape == X.shape


def test_a_pass_that_emits_everything_as_it_was_modifies_nothing():
    module = edge(lambda x: (x.max(0).values + 1).view(1, 3), X).graph_module
    result = ExportPass()(module)
    assert not result.modified and result.graph_module is module


def test_operators_that_stay_keep_their_values_and_names():
    module = core(lambda x: (x.sin() + 1).cos(), X).graph_module
    new = _OneToOne()(module).graph_module
    names = {node.name for node in call_nodes(new)}
    assert {node.name for node in call_nodes(module)} - names == {"sin"}


def test_new_shapes_are_propagated():
    class Flatten(ExportPass):
        def call_operator(self, op, args, kwargs, meta):
            result = super().call_operator(op, args, kwargs, meta)
            return (
                super().call_operator(aten.view.default, (result, [6]), {}, meta)
                if op is aten.sin.default
                else result
            )

    new = Flatten()(core(lambda x: x.sin().cos(), X).graph_module).graph_module
    assert find(new, "aten.cos.default").meta["val"].shape == (6,)


def test_new_tensors_become_attributes():
    class AddOne(ExportPass):
        def call_operator(self, op, args, kwargs, meta):
            result = super().call_operator(op, args, kwargs, meta)
            return super().call_operator(aten.add.Tensor, (result, torch.ones(3)), {}, meta)

    new = AddOne()(core(torch.sin, X).graph_module).graph_module
    assert len(new.graph.find_nodes(op="get_attr")) == 1
    torch.testing.assert_close(new(X)[0], X.sin() + 1)


def test_several_results():
    class Recording(ExportPass):
        keys = []

        def call_getitem(self, value, key, meta):
            assert isinstance(value, ProxyValue) and isinstance(meta, NodeMetadata)
            self.keys.append(key)
            return super().call_getitem(value, key, meta)

    assert not Recording()(edge(lambda x: x.max(0), X).graph_module).modified
    assert Recording.keys == [0, 1]


def test_edge_operators():
    class ReluToSigmoid(ExportPass):
        def call_operator(self, op, args, kwargs, meta):
            op = ops.edge.aten.sigmoid.default if op is ops.edge.aten.relu.default else op
            return super().call_operator(op, args, kwargs, meta)

    new = ReluToSigmoid()(edge(torch.relu, X).graph_module).graph_module
    (node,) = call_nodes(new)
    assert node.target is ops.edge.aten.sigmoid.default and node.name == "aten_sigmoid_default"


def test_branches_of_a_condition_are_visited():
    program = core(lambda x: torch.cond(x.sum() > 0, lambda y: y.sin(), lambda y: y.cos() * 2, (x,)), X)
    result = _OneToOne()(program.graph_module)
    assert result.modified
    bodies = [calls(child) for _, child in result.graph_module.named_children()]
    assert ["aten.cos.default"] in bodies and ["aten.cos.default", "aten.mul.Tensor"] in bodies
    torch.testing.assert_close(result.graph_module(X)[0], X.cos())
    assert not ExportPass()(program.graph_module).modified


def _while(x, n):
    def body(i, x):
        return i + 1, x.cos()

    return while_loop(lambda i, x: i < n, body, (torch.zeros((), dtype=torch.int64), x))


def _scan(x, rows):
    return scan(lambda state, row: (state.cos() + row, row.sin()), x, rows)


LOOPS = {
    "map": (lambda rows, y: torch_map(lambda row, y: row.cos() + y, rows, y), (torch.rand(4, 3), X)),
    "scan": (_scan, (X, torch.rand(4, 3))),
    "while": (_while, (X, torch.tensor(2))),
    "while of numbers": (
        lambda x: while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x.cos()), (0, x)),
        (X,),
    ),
}


@pytest.mark.parametrize("name", LOOPS)
def test_bodies_of_loops_are_visited(name):
    function, inputs = LOOPS[name]
    program = core(function, *inputs)
    assert not ExportPass()(program.graph_module).modified
    result = _CosToSin()(program.graph_module)
    assert result.modified
    bodies = [calls(child) for _, child in result.graph_module.named_children()]
    assert any("aten.sin.default" in body for body in bodies)
    assert not any("aten.cos.default" in body for body in bodies)
    # The other nodes keep what is known about them.
    old, new = (
        [str(node.meta.get("val")) for node in module.graph.nodes if node.op not in ("get_attr", "output")]
        for module in (program.graph_module, result.graph_module)
    )
    assert old == new


class _CosToSin(ExportPass):
    def call_operator(self, op, args, kwargs, meta):
        return super().call_operator(aten.sin.default if op is aten.cos.default else op, args, kwargs, meta)


def test_loops_can_be_overridden():
    class Recording(ExportPass):
        def __init__(self):
            super().__init__()
            self.seen = []

        def call_map(self, f, mapped_args, operands, meta):
            self.seen.append(("map", len(mapped_args), len(operands)))
            return super().call_map(f, mapped_args, operands, meta)

        def call_scan(self, combine_fn, init, xs, additional_inputs, meta):
            self.seen.append(("scan", len(init), len(xs), len(additional_inputs)))
            return super().call_scan(combine_fn, init, xs, additional_inputs, meta)

        def call_while(self, cond_fn, body_fn, carried_inputs, additional_inputs, meta):
            self.seen.append(("while", len(carried_inputs), len(additional_inputs)))
            return super().call_while(cond_fn, body_fn, carried_inputs, additional_inputs, meta)

    seen = []
    for function, inputs in LOOPS.values():
        recording = Recording()
        recording(core(function, *inputs).graph_module)
        seen += recording.seen
    assert seen == [("map", 1, 1), ("scan", 1, 1, 0), ("while", 2, 1), ("while", 2, 0)]


def test_sizes_are_visited():
    class Recording(ExportPass):
        seen = []

        def call_sym(self, target, args, meta):
            self.seen.append(target.__name__)
            return super().call_sym(target, args, meta)

    rows = ({0: torch.export.Dim("rows", min=2, max=8)},)
    program = core(lambda x: torch.zeros(x.shape[0] * 2) + 1, X, dynamic_shapes=rows)
    assert not Recording()(program.graph_module).modified
    assert Recording.seen == ["mul"]


def test_proxy_values():
    class Checking(ExportPass):
        def call_operator(self, op, args, kwargs, meta):
            assert args[0].is_tensor() and not args[0].is_symint() and args[0].to_tensor().shape == X.shape
            result = super().call_operator(op, args, kwargs, meta)
            assert result.node.meta["val"] is result.data
            return result

    Checking()(core(torch.sin, X).graph_module)
    with pytest.raises(TypeError, match="not a tensor"):
        ProxyValue(3, torch.fx.Graph().placeholder("x")).to_tensor()


def test_in_place_operators_of_training_graphs():
    class OutOfPlace(ExportPass):
        def call_operator(self, op, args, kwargs, meta):
            return super().call_operator(
                aten.relu.default if op is aten.relu_.default else op, args, kwargs, meta
            )

    new = OutOfPlace()(export(lambda x: torch.relu_(x + 1), X).graph_module).graph_module
    assert calls(new) == ["aten.add.Tensor", "aten.relu.default"]


def test_sizes_are_numbers_or_nodes():
    seen = []

    class Sizes(ExportPass):
        def call_operator(self, op, args, kwargs, meta):
            if op is not aten.sin.default:
                return super().call_operator(op, args, kwargs, meta)
            sizes = self.call_size_operator_all(args[0], meta)
            seen.extend(sizes)
            assert self.call_size_operator(args[0], -1, meta, edge_dialect=True) == 3
            with pytest.raises(IndexError):
                self.call_size_operator(args[0], 2, meta)
            return super().call_operator(aten.expand.default, (args[0], sizes), {}, meta)

    shapes = ({0: torch.export.Dim("batch", max=8)},)
    result = Sizes()(core(lambda x: x.sin(), X, dynamic_shapes=shapes).graph_module)
    assert isinstance(seen[0], ProxyValue) and seen[0].is_symint() and seen[1] == 3
    assert calls(result.graph_module) == ["aten.sym_size.int", "aten.expand.default"]
    assert result.graph_module(torch.rand(5, 3))[0].shape == (5, 3)


def test_numbers_that_only_the_running_program_knows_cannot_be_taken():
    class Model(torch.nn.Module):
        def forward(self, x):
            return x.reshape(x.shape[0] * 2, -1)

    seen = []

    class Coerce(ExportPass):
        def call_sym(self, target, args, meta):
            for take in (int, float, bool, range):
                with pytest.raises(ExportPassBaseError, match="known only when the program runs, cannot be"):
                    take(args[0])
                seen.append(take)
            return super().call_sym(target, args, meta)

    shapes = ({0: torch.export.Dim("n", min=2, max=8)},)
    program = torch.export.export(Model(), (torch.rand(4, 4),), dynamic_shapes=shapes)
    Coerce()(program.graph_module)
    assert len(seen) % 4 == 0 and seen


def test_a_known_number_is_one():
    node = torch.fx.Graph().placeholder("n")
    value = ProxyValue(3, node)
    assert (int(value), float(value), bool(value), list(range(value))) == (3, 3.0, True, [0, 1, 2])
    assert not ProxyValue(0, node) and ProxyValue(torch.zeros(1), node)


def test_free_sizes_of_inputs_stay_free():
    class Fix(ExportPass):
        def placeholder(self, name, arg, meta):
            return super().placeholder(name, torch.rand(4, 4), meta)

    shapes = ({0: torch.export.Dim("n", min=2, max=8)},)
    program = torch.export.export(torch.nn.ReLU(), (torch.rand(4, 4),), dynamic_shapes=shapes)
    with pytest.raises(ExportPassBaseError, match="position 0 did not preserve symbolic"):
        Fix()(program.graph_module)


def test_every_node_of_a_new_graph_has_a_value():
    class Twice(ExportPass):
        def call_operator(self, op, args, kwargs, meta):
            return super().call_operator(op, (super().call_operator(op, args, kwargs, meta),), kwargs, meta)

    program = torch.export.export(torch.nn.ReLU(), (torch.rand(3),))
    result = Twice()(program.graph_module)
    assert result.modified and all("val" in node.meta for node in result.graph_module.graph.nodes)


def test_methods_are_no_operators():
    graph = torch.fx.Graph()
    x = graph.placeholder("x")
    graph.output((graph.call_method("relu", (x,)),))
    with pytest.raises(ExportPassBaseError, match="call_method"):
        ExportPass()(torch.fx.GraphModule(torch.nn.Module(), graph))


def test_values_that_are_missing_are_found_out():
    program = torch.export.export(torch.nn.ReLU(), (torch.rand(3),))
    (relu,) = program.graph.find_nodes(op="call_function", target=aten.relu.default)
    del relu.meta["val"]
    result = ExportPass()(program.graph_module)
    assert not result.modified and relu.meta["val"].shape == (3,)


@pytest.mark.parametrize("op", [aten.add.Tensor, ops.edge.aten.add.Tensor])
def test_arguments_are_mapped_with_their_schema(op):
    def describe(value, argument):
        return argument.name, str(argument.type), value

    args, kwargs = map_args(op, describe, ("x", 2, "beyond"), {"alpha": 3, "unknown": 4})
    assert args == (("self", "Tensor", "x"), ("other", "Tensor", 2), "beyond")
    assert kwargs == {"alpha": ("alpha", kwargs["alpha"][1], 3), "unknown": 4}
    assert map_args(op, describe, (), {"other": 1}) == ((), {"other": ("other", "Tensor", 1)})

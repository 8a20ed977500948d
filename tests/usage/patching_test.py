"""Exporters that exchange parts of the lowering for the time of an export, by their published private names."""

import copy
import dataclasses
import importlib

import torch
from torch import nn
from torch.export import Dim, export
from torch.fx.passes.infra.pass_base import PassResult

from executorch.backends.xnnpack.operators import node_visitor
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.backends.xnnpack.serialization.xnnpack_graph_schema import XNNStaticReshape, XNode
from executorch.backends.xnnpack.utils.utils import get_input_node
from executorch.exir import EdgeProgramManager, ExecutorchBackendConfig, to_edge, to_edge_transform_and_lower
from executorch.exir.backend.backend_details import BackendDetails, CompileSpec, PreprocessResult
from executorch.exir.backend.partitioner import DelegationSpec, Partitioner, PartitionResult
from executorch.exir.delegate import executorch_call_delegate
from executorch.exir.dialects._ops import ops as exir_ops
from executorch.exir.pass_base import ExportPass, PassBase
from executorch.exir.passes.executorch_prim_ops_registry import _PYTHON_SYM_OPS_TO_EXECUTORCH_SYM_OPS
from executorch.exir.passes.replace_view_copy_with_view_pass import (
    _VIEW_OP,
    ReplaceViewCopyWithViewPass,
    _is_view_copy,
    _ViewSpec,
)
from executorch.exir.passes.spec_prop_pass import SpecPropPass, _is_mutable_buffer
from executorch.exir.schema import DeviceType
from executorch.exir.sym_util import eval_expr
from executorch.runtime import Runtime


class Encoder(nn.Module):
    """Convolution over time, a buffer, and views of several kinds."""

    def __init__(self):
        super().__init__()
        self.conv, self.linear = nn.Conv1d(4, 6, 3, padding=1), nn.Linear(6, 4)
        self.register_buffer("scale", torch.rand(4))

    def forward(self, x):
        states = torch.relu(self.conv(x)).transpose(1, 2)
        heads = states.reshape(states.shape[0], -1, 2, 3).softmax(-1)
        return self.linear(heads.flatten(2)) * self.scale


def _views(self, graph_module):
    """A ``call`` that leaves results of the graph alone."""
    count = 0
    for node in graph_module.graph.nodes:
        if _is_view_copy(node) and all(user.op != "output" for user in node.users):
            node.target = _VIEW_OP
            node.meta["spec"] = _ViewSpec(node.args[0].meta["spec"], node.meta["val"].shape)
            count += 1
    graph_module.recompile()
    return PassResult(graph_module, count > 0)


def _constants(self, exported_program, graph_module):
    signature = exported_program.graph_signature
    for node in graph_module.graph.find_nodes(op="placeholder"):
        is_buffer = node.target in signature.inputs_to_buffers and not _is_mutable_buffer(node, signature)
        if node.target in signature.inputs_to_parameters or is_buffer:
            node.meta["spec"].const = True


def _define_node(self, node, xnn_graph, vals_to_ids, debug_handle):
    self.define_nodes_tensor_inputs_outputs(node, xnn_graph, vals_to_ids)
    shape = [size if isinstance(size, int) else 0 for size in node.meta["val"].shape]
    reshape = XNNStaticReshape(
        num_dims=len(shape),
        new_shape=shape,
        input_id=vals_to_ids[get_input_node(node, 0)],
        output_id=vals_to_ids[node],
        flags=0,
    )
    xnn_graph.xnodes.append(XNode(xnode_union=reshape, debug_handle=debug_handle))


def test_a_lowering_with_exchanged_parts(monkeypatch):
    visitors = dict(node_visitor._node_visitor_dict)
    for name in ("aten.squeeze_copy.dim", "aten.unsqueeze_copy.default"):
        visitor = node_visitor._node_visitor_dict[name]
        visitors[name] = type(visitor.__name__, (visitor,), {"define_node": _define_node})
    monkeypatch.setattr(node_visitor, "_node_visitor_dict", visitors)
    monkeypatch.setattr(ReplaceViewCopyWithViewPass, "call", _views)
    monkeypatch.setattr(ReplaceViewCopyWithViewPass, "ensures", lambda self, graph_module: None)
    monkeypatch.setattr(SpecPropPass, "update_placeholder_tensor_specs", _constants)
    bounds = importlib.import_module("executorch.exir.sym_util").eval_upper_bound
    for module in ("executorch.exir.sym_util", "executorch.exir.passes.sym_shape_eval_pass"):
        patched = importlib.import_module(module)
        monkeypatch.setattr(patched, "eval_upper_bound", lambda size: min(bounds(size), 64))

    torch.manual_seed(0)
    model = Encoder().eval()
    time = Dim("time", min=2, max=32)
    exported = export(model, (torch.randn(2, 4, 9),), dynamic_shapes=({2: time},))
    for partitioner in ([XnnpackPartitioner()], []):
        program = to_edge_transform_and_lower(exported, partitioner=partitioner).to_executorch()
        method = Runtime.get().load_program(program.buffer).load_method("forward")
        for length in (2, 9, 32):
            x = torch.randn(2, 4, length)
            torch.testing.assert_close(method.execute([x])[0], model(x), rtol=1e-3, atol=1e-4)


def test_functions_of_sizes_have_operators():
    assert _PYTHON_SYM_OPS_TO_EXECUTORCH_SYM_OPS[torch.sym_max].name() == "executorch_prim::sym_max.Scalar"
    assert eval_expr(7) == 7


class _SumForProduct(ExportPass):
    def call_operator(self, op, args, kwargs, meta):
        replaced = exir_ops.edge.aten.add.Tensor if op == exir_ops.edge.aten.mul.Tensor else op
        return super().call_operator(replaced, args, kwargs, meta)


class Product(nn.Module):
    def forward(self, a, b):
        return a * b


def test_edge_programs_are_exchanged_in_their_manager():
    """Passes over whole programs, between two steps of the pipeline or put together to a manager of their own."""
    inputs = (torch.tensor([2.0, 3.0]), torch.tensor([4.0, 5.0]))
    edge = to_edge(export(Product(), inputs), constant_methods={"get_n": 7})
    changed = edge.transform([_SumForProduct()]).exported_program()
    again = EdgeProgramManager(dict(edge._edge_programs), copy.deepcopy(edge._config_methods))
    edge._edge_programs["forward"] = changed
    runtime = Runtime.get()
    for manager, expected in ((edge, inputs[0] + inputs[1]), (again, inputs[0] * inputs[1])):
        loaded = runtime.load_program(manager.to_executorch().buffer)
        assert loaded.load_method("get_n").execute([]) == [7]
        torch.testing.assert_close(loaded.load_method("forward").execute(inputs)[0], expected)


class InPlaceBackend(BackendDetails):
    @staticmethod
    def preprocess(edge_program, compile_specs):
        return PreprocessResult(processed_bytes=b"engine")


class _OnDevice(Partitioner):
    """Products, for a device; the buffer stays with the program, as engines that update caches in place want it."""

    def partition(self, exported_program):
        spec = DelegationSpec(InPlaceBackend.__name__, [CompileSpec("target_device", b"cuda:1")])
        for node in exported_program.graph.nodes:
            if node.target == exir_ops.edge.aten.mul.Tensor:
                node.meta["delegation_tag"] = "engine"
        return PartitionResult(tagged_exported_program=exported_program, partition_tags={"engine": spec})


class _Unstage(PassBase):
    """In place of the pass that makes out variants: the buffer itself, and no copy of it, goes to the delegate."""

    def __init__(self, inner):
        self.inner, self.moved = inner, []

    def call(self, graph_module):
        for node in graph_module.graph.find_nodes(op="call_function", target=executorch_call_delegate):
            for copied in node.all_input_nodes:
                buffer = copied.args[0] if copied.target is torch.ops.et_copy._h2d_copy.default else None
                if buffer is not None and buffer.name == "b_cache":
                    spec, staged = buffer.meta["spec"], copied.meta["spec"]
                    assert (staged.device, staged.device_index) == (DeviceType.CUDA, 1)
                    spec.device, spec.device_index = staged.device, staged.device_index
                    node.replace_input_with(copied, buffer)
                    graph_module.graph.erase_node(copied)
                    self.moved.append(buffer.name)
        graph_module.recompile()
        return self.inner(graph_module)


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("cache", torch.ones(2, 3))

    def forward(self, x):
        result = x * self.cache
        self.cache.add_(1.0)
        return result


def test_a_buffer_is_moved_to_the_device_of_its_delegate():
    edge = to_edge_transform_and_lower(export(Scaled(), (torch.ones(2, 3),)), partitioner=[_OnDevice()])
    base = ExecutorchBackendConfig(enable_non_cpu_memory_planning=True)
    unstage = _Unstage(base.to_out_var_pass)
    program = edge.to_executorch(dataclasses.replace(base, to_out_var_pass=unstage))
    assert unstage.moved == ["b_cache"]
    (plan,) = program.executorch_program.execution_plan
    (device,) = {(each.device_type, each.device_index) for each in plan.non_const_buffer_device}
    assert device == (DeviceType.CUDA, 1)

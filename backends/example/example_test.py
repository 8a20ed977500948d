"""The example backend: what is quantized, what is delegated, and what a delegate holds."""

import pytest
import torch
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

from executorch.backends.example.example_backend import ExampleBackend
from executorch.backends.example.example_backend_delegate_passes.merge_to_dim_pass import MergeToDimPass
from executorch.backends.example.example_backend_delegate_passes.permute_memory_formats_pass import (
    PermuteMemoryFormatsPass,
)
from executorch.backends.example.example_operators.ops import module_to_annotator
from executorch.backends.example.example_partitioner import ExamplePartitioner
from executorch.backends.example.example_quantizer import ExampleQuantizer
from executorch.exir import EdgeCompileConfig, to_edge

_INPUTS = (torch.rand(1, 3, 8, 8),)
_CONFIG = EdgeCompileConfig(_check_ir_validity=False)


def _quantized(model, strict=False):
    graph = torch.export.export(model.eval(), _INPUTS, strict=strict).module()
    prepared = prepare_pt2e(graph, ExampleQuantizer())
    prepared(*_INPUTS)
    return convert_pt2e(prepared)


def _classifier():
    return torch.nn.Sequential(
        torch.nn.Conv2d(3, 4, 3),
        torch.nn.ReLU(),
        torch.nn.AdaptiveAvgPool2d(1),
        torch.nn.Flatten(),
        torch.nn.Dropout(),
        torch.nn.Linear(4, 2),
    )


def test_a_quantized_model_is_delegated_layer_by_layer():
    torch.manual_seed(0)
    model = _classifier().eval()
    quantized = _quantized(model)
    torch.testing.assert_close(quantized(*_INPUTS), model(*_INPUTS), atol=0.05, rtol=0.05)
    edge = to_edge(torch.export.export(quantized, _INPUTS), compile_config=_CONFIG)
    lowered = edge.to_backend(ExamplePartitioner()).exported_program()
    delegates = [part for _, part in lowered.graph_module.named_children()]
    assert delegates
    assert {part.backend_id for part in delegates} == {"ExampleBackend"}
    text = b"".join(part.processed_bytes for part in delegates).decode()
    for operator in ("aten.convolution", "aten.relu", "aten.mean", "aten.addmm"):
        assert operator in text
    left = [str(node.target) for node in lowered.graph.nodes if node.op == "call_function"]
    assert not any("convolution" in name or "addmm" in name for name in left)


class _FunctionalPooling(torch.nn.Module):
    """Pools as torchvision's classifiers do, by a function."""

    def __init__(self):
        super().__init__()
        self.first = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.ReLU())
        self.last = torch.nn.Linear(4, 2)

    def forward(self, x):
        return self.last(torch.flatten(torch.nn.functional.adaptive_avg_pool2d(self.first(x), (1, 1)), 1))


def test_a_model_that_pools_by_a_function_is_one_delegate():
    # Which function a call comes from is known of strict captures alone.
    quantized = _quantized(_FunctionalPooling(), strict=True)
    edge = to_edge(torch.export.export(quantized, _INPUTS, strict=True), compile_config=_CONFIG)
    lowered = edge.to_backend(ExamplePartitioner()).exported_program()
    (delegate,) = [part for _, part in lowered.graph_module.named_children()]
    for operator in ("aten.convolution", "aten.mean", "aten.addmm"):
        assert operator in delegate.processed_bytes.decode()


def test_nothing_is_quantized_between_a_convolution_and_its_activation():
    quantized = _quantized(torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.ReLU()))
    (relu,) = [node for node in quantized.graph.nodes if "relu" in str(node.target)]
    assert "conv2d" in str(relu.args[0].target)
    assert "quantize_per_tensor" in str(next(iter(relu.users)).target)


def test_float_models_are_left_alone():
    edge = to_edge(torch.export.export(_classifier().eval(), _INPUTS), compile_config=_CONFIG)
    assert not list(edge.to_backend(ExamplePartitioner()).exported_program().graph_module.named_children())


def test_convolutions_in_a_row_stay_on_channels_last_data():
    model = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.Conv2d(4, 4, 3)).eval()
    program = to_edge(torch.export.export(model, _INPUTS), compile_config=_CONFIG).exported_program()
    module = program.graph_module
    assert PermuteMemoryFormatsPass()(module).modified
    copies = sum("dim_order_copy" in node.name for node in module.graph.nodes)
    assert MergeToDimPass()(module).modified
    assert sum("dim_order_copy" in node.name for node in module.graph.nodes) == copies - 2
    for node in module.graph.nodes:
        if "convolution" in node.name:
            assert node.meta["val"].is_contiguous(memory_format=torch.channels_last)
    assert not MergeToDimPass()(module).modified
    assert not PermuteMemoryFormatsPass()(module).modified
    torch.testing.assert_close(program.module()(*_INPUTS), model(*_INPUTS))


@pytest.mark.parametrize("pattern", list(module_to_annotator))
def test_the_table_goes_by_pattern(pattern):
    assert module_to_annotator[pattern].pattern == pattern


def test_the_compiled_form_is_the_graph_as_text():
    program = to_edge(
        torch.export.export(torch.nn.Conv2d(3, 4, 3), _INPUTS), compile_config=_CONFIG
    ).exported_program()
    result = ExampleBackend.preprocess(program, [])
    assert b"aten.convolution" in result.processed_bytes
    assert b"dim_order_copy" in result.processed_bytes

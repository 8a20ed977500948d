"""Decoders exported by the documented command for Vulkan, run on a driver for processors beside the eager decoder."""

import collections

import pytest
import torch

from executorch.backends.vulkan.serialization.blob import unpack
from executorch.extension.llm.export import decoder
from executorch.extension.llm.export.config.reading import from_yaml
from executorch.extension.llm.export.models_for_tests import CUSTOM, saved
from executorch.extension.llm.export.pipeline import lowered
from executorch.partitioner import get_lowered_submodules
from executorch.runtime import Runtime

_8DA4W = ["quantization.qmode=8da4w", "quantization.group_size=32"]
#: Name -> overrides, how far logits may be from the eager model's (of their size), and the calls that linear layers and tables are.
CASES = {
    # Rows whose numbers lie between two integers may be rounded the other way.
    "8da4w": (
        [*_8DA4W, "quantization.embedding_quantize='4,32'"],
        2e-2,
        {"et_vk.linear_dq8ca_q4gsw.default": 8, "et_vk.embedding_q4gsw.default": 1},
    ),
    "8da4w in halves": (
        [*_8DA4W, "backend.vulkan.force_fp16=true"],
        5e-2,
        {"et_vk.linear_dq8ca_q4gsw.default": 8},
    ),
    "4w": (
        ["quantization.qmode=4w", "quantization.group_size=32"],
        1e-5,
        {"et_vk.linear_q4gsw.default": 8},
    ),
    "vulkan_8w": (
        ["quantization.pt2e_quantize=vulkan_8w"],
        2e-2,
        {"et_vk.linear_q8csw.default": 8},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_decoder_is_one_delegate_and_as_eager(name, tmp_path):
    overrides, tolerance, calls = CASES[name]
    given = [*saved(tmp_path), *CUSTOM, *overrides, "backend.vulkan.enabled=true"]
    config = from_yaml("", [*given, f"export.output_dir={tmp_path}"])
    eager = decoder.manager(config).model
    made = lowered(config)
    graph = made.edge_manager.exported_program().graph_module
    ((_, delegate, _),) = get_lowered_submodules(graph)
    outside = [node for node in graph.graph.nodes if node.op == "call_function"]
    assert {str(node.target).rpartition(" ")[2] for node in outside} <= {
        "executorch_call_delegate",
        "getitem>",
    }
    found = collections.Counter(call.name for call in unpack(delegate.processed_bytes).chain)
    assert {one: found[one] for one in calls} == calls
    assert found["llama.custom_sdpa.default"] == 1 and found["et_vk.rotary_embedding.default"] == 2
    method = Runtime.get().load_program(made.get_saved_pte_filename()).load_method("forward")
    torch.manual_seed(1)
    for count, start in ((3, 0), (1, 3), (1, 4), (5, 5)):
        tokens, position = torch.randint(0, 96, (1, count)), torch.tensor([start])
        with torch.no_grad():
            want = eager(tokens, {"input_pos": position})
        (got,) = method.execute((tokens, position))
        assert (got - want).abs().max() / want.abs().max() < tolerance

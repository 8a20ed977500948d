"""Hugging Face models, exported with the integrations of transformers and run."""

import json

import torch
from torch import nn
from torch.export import Dim, export
from transformers import BertConfig, BertModel, GenerationConfig, LlamaConfig, LlamaForCausalLM
from transformers.integrations.executorch import (
    TorchExportableModuleForDecoderOnlyLM,
    convert_and_export_with_cache,
)

from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.devtools.backend_debug import get_delegation_info
from executorch.exir import EdgeCompileConfig, ExecutorchBackendConfig, to_edge_transform_and_lower
from executorch.exir.dialects._ops import ops as exir_ops
from executorch.exir.pass_base import ExportPass, PassResult
from executorch.exir.passes import MemoryPlanningPass
from executorch.extension.llm.custom_ops import custom_ops  # noqa: F401  # defines torch.ops.llama
from executorch.extension.pybindings.portable_lib import ExecuTorchModule, _load_for_executorch
from executorch.runtime import Runtime

CONTEXT = 24


class WithoutPaddingIndex(ExportPass):
    """The pass that exporters of language models run: embeddings forget which token is padding."""

    def call(self, graph_module: torch.fx.GraphModule) -> PassResult:
        for node in graph_module.graph.nodes:
            if node.target == exir_ops.edge.aten.embedding.default and len(node.args) == 3:
                node.args = (node.args[0], node.args[1])
        graph_module.recompile()
        return PassResult(graph_module, True)


def tiny_llama() -> LlamaForCausalLM:
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=64,
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=64,
        use_cache=True,
        attn_implementation="sdpa",
    )
    model = LlamaForCausalLM(config).eval()
    model.generation_config = GenerationConfig(
        use_cache=True,
        cache_implementation="static",
        max_length=CONTEXT,
        cache_config={"batch_size": 1, "max_cache_len": CONTEXT, "device": "cpu"},
        eos_token_id=None,
        pad_token_id=0,
        bos_token_id=1,
    )
    return model


def greedy(model: ExecuTorchModule, prompt: list[int], count: int) -> list[int]:
    """Tokens that a program with a cache goes on with, fed one by one."""
    tokens = list(prompt)
    for position in range(len(prompt) + count - 1):
        logits = model.forward((torch.tensor([[tokens[position]]]), torch.tensor([position])))[0]
        if position + 1 >= len(tokens):
            tokens.append(int(logits[0, -1].argmax()))
    return tokens


def test_a_text_encoder_with_a_mask():
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=64, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48
    )
    encoder = BertModel(config).eval()

    class Embedder(nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder = encoder

        def forward(self, input_ids, attention_mask):
            states = self.encoder(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
            weights = attention_mask.unsqueeze(-1).to(states.dtype)
            pooled = (states * weights).sum(1) / weights.sum(1).clamp(min=1e-9)
            return nn.functional.normalize(pooled, dim=-1)

    model = Embedder().eval()
    ids = torch.randint(0, 64, (2, 7))
    mask = torch.ones_like(ids)
    words = Dim("words", min=2, max=16)
    with torch.no_grad():
        exported = export(
            model, (ids, mask), dynamic_shapes={"input_ids": {1: words}, "attention_mask": {1: words}}
        )
    lowered = to_edge_transform_and_lower(exported, partitioner=[XnnpackPartitioner()])
    summary = get_delegation_info(lowered.exported_program().graph_module).get_summary()
    assert "delegated nodes" in summary
    method = Runtime.get().load_program(lowered.to_executorch().buffer).load_method("forward")
    for length in (3, 16):
        ids = torch.randint(0, 64, (2, length))
        mask = (torch.arange(length) < torch.tensor([[length], [length - 2]])).long()
        torch.testing.assert_close(method.execute([ids, mask])[0], model(ids, mask), rtol=1e-3, atol=1e-4)


def test_a_decoder_with_a_static_cache_token_by_token(tmp_path):
    """``convert_and_export_with_cache``, with metadata as constant methods, read back as runners do."""
    model = tiny_llama()
    with torch.no_grad():
        exported = convert_and_export_with_cache(model)
    metadata = {"get_max_seq_len": CONTEXT, "use_kv_cache": True, "get_bos_id": 1, "get_eos_ids": [2, 3]}
    metadata["notes"] = json.dumps({"architecture": "llama"})
    program = to_edge_transform_and_lower(
        exported,
        transform_passes=[WithoutPaddingIndex()],
        partitioner=[XnnpackPartitioner()],
        compile_config=EdgeCompileConfig(_check_ir_validity=False, _skip_dim_order=True),
        constant_methods=metadata,
    ).to_executorch(
        ExecutorchBackendConfig(extract_delegate_segments=True, do_quant_fusion_and_const_prop=True)
    )
    path = tmp_path / "model.pte"
    with open(path, "wb") as file:
        program.write_to_file(file)

    module = _load_for_executorch(str(path))
    assert "get_max_seq_len" in module.method_names()
    assert module.run_method("get_max_seq_len")[0] == CONTEXT
    assert module.run_method("use_kv_cache")[0] is True
    assert list(module.run_method("get_eos_ids")) == [2, 3]
    assert json.loads(module.run_method("notes")[0])["architecture"] == "llama"
    assert "forward" in str(module.method_meta("forward"))

    prompt = [1, 17, 5, 40]
    expected = model.generate(torch.tensor([prompt]), max_new_tokens=8, do_sample=False)[0].tolist()
    assert greedy(module, prompt, 8) == expected


def test_a_decoder_that_takes_a_whole_prompt():
    """``TorchExportableModuleForDecoderOnlyLM`` with a dynamic number of tokens, as optimum exports it."""
    model = tiny_llama()
    exportable = TorchExportableModuleForDecoderOnlyLM(model)
    words = Dim("words", max=CONTEXT - 1)
    with torch.no_grad():
        exported = exportable.export(
            input_ids=torch.zeros((1, 3), dtype=torch.long),
            cache_position=torch.arange(3),
            dynamic_shapes={"input_ids": {1: words}, "cache_position": {0: words}},
            strict=True,
        )
    program = to_edge_transform_and_lower(
        exported,
        partitioner=[XnnpackPartitioner()],
        compile_config=EdgeCompileConfig(_check_ir_validity=False),
    ).to_executorch(ExecutorchBackendConfig(memory_planning_pass=MemoryPlanningPass(alloc_graph_input=False)))
    method = Runtime.get().load_program(program.buffer).load_method("forward")

    prompt = [1, 17, 5, 40, 9]
    expected = model.generate(torch.tensor([prompt]), max_new_tokens=6, do_sample=False)[0].tolist()
    tokens, position = list(prompt), 0
    for _ in range(6):
        fresh = tokens[position:]
        logits = method.execute((torch.tensor([fresh]), torch.arange(position, len(tokens))))[0]
        position = len(tokens)
        tokens.append(int(logits[0, -1].argmax()))
    assert tokens == expected


class CachedAttention(nn.Module):
    """Attention over a cache that it writes, by the operators of language models."""

    def __init__(self):
        super().__init__()
        self.register_buffer("keys", torch.zeros(1, 8, 2, 4))
        self.register_buffer("values", torch.zeros(1, 8, 2, 4))

    def forward(self, x, start):
        position = start.item()
        torch._check(position >= 0)
        torch._check(position < 8)
        torch.ops.llama.update_cache(x, self.keys, position)
        torch.ops.llama.update_cache(2 * x, self.values, position)
        return torch.ops.llama.custom_sdpa(x, self.keys, self.values, position, is_causal=True)


def test_operators_of_language_models_run_from_python():
    torch.manual_seed(0)
    model, tokens = CachedAttention(), torch.randn(3, 1, 1, 2, 4)
    program = export(model, (tokens[0], torch.tensor([0])))
    method = (
        Runtime.get()
        .load_program(to_edge_transform_and_lower(program).to_executorch().buffer)
        .load_method("forward")
    )
    for position, token in enumerate(tokens):
        start = torch.tensor([position])
        torch.testing.assert_close(method.execute([token, start])[0], model(token, start))

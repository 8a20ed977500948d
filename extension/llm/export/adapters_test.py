"""Two adapters over one foundation: exported by the documented command, run beside the model of transformers with their products added."""

import json

import pytest
import torch
from safetensors.torch import save_file
from transformers import LlamaConfig, LlamaForCausalLM

from executorch.extension.llm.export import decoder
from executorch.extension.llm.export.export_llm import main, parse
from executorch.extension.llm.export.models_for_tests import CUSTOM, XNNPACK
from executorch.extension.llm.runner import GenerationConfig, TextLLMRunner
from executorch.extension.llm.runner.models_for_tests import END, VOCABULARY, tokenizer_json
from executorch.runtime import Runtime

SIZES = {"hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2, "vocab_size": VOCABULARY}
HEADS = {"num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 64}
PROMPT = "adapt"
TOKENS = torch.tensor([[3, 1, 4, 1, 5, 9, 2, 6]])
#: Name to rank, alpha and layers.
ADAPTERS = {
    "first": (4, 8, ("self_attn.q_proj", "self_attn.v_proj")),
    "second": (8, 8, ("self_attn.k_proj", "self_attn.o_proj", "mlp.gate_proj", "mlp.down_proj")),
}


def _adapter(model, directory, rank, alpha, modules):
    """Writes what PEFT would, and adds the products to the model's weights."""
    weights = {}
    for number in range(SIZES["num_hidden_layers"]):
        for module in modules:
            layer = model.get_submodule(f"model.layers.{number}.{module}")
            first = torch.randn(rank, layer.in_features) * 0.3
            second = torch.randn(layer.out_features, rank) * 0.3
            name = f"base_model.model.model.layers.{number}.{module}.lora_"
            weights |= {f"{name}A.weight": first, f"{name}B.weight": second}
            layer.weight.data += alpha / rank * second @ first
    directory.mkdir()
    save_file(weights, directory / "adapter_model.safetensors")
    targets = [module.partition(".")[2] for module in modules]
    config = {"peft_type": "LORA", "r": rank, "lora_alpha": alpha, "target_modules": targets}
    (directory / "adapter_config.json").write_text(json.dumps(config))


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """The directory of the foundation and its adapters, and what each is in eager mode."""
    directory = tmp_path_factory.mktemp("models")
    found = {}
    for name in (None, *ADAPTERS):
        torch.manual_seed(0)
        model = LlamaForCausalLM(LlamaConfig(**SIZES, **HEADS, tie_word_embeddings=False)).eval()
        if name is None:
            model.save_pretrained(directory / "foundation")
        else:
            torch.manual_seed(len(name))
            _adapter(model, directory / name, *ADAPTERS[name])
        found[name or "plain"] = model
    (directory / "tokenizer.json").write_text(tokenizer_json())
    return directory, found


def _exported(models, out, *more):
    """Programs by name, with their files of weights and their arguments; all have the foundation of the export without an adapter."""
    directory, _ = models
    base = [f"base.checkpoint={directory / 'foundation'}", *CUSTOM, "debug.generate_full_logits=true", *more]
    base += [f'+base.metadata={{"get_eos_ids":[{END}]}}']
    foundation, shared, programs = out / "foundation.ptd", out / "shared.ptd", {}
    for name in ("plain", *ADAPTERS):
        arguments = [f"export.output_name={out / name}.pte", f"export.foundation_weights_file={foundation}"]
        files = [str(shared)]
        if name in ADAPTERS:
            # By either name that documents have.
            key = "base" if name == "first" else "base.lora_config"
            weights = directory / name / "adapter_model.safetensors"
            arguments += [f"+{key}.adapter_checkpoint={weights}"]
            arguments += [f"+{key}.adapter_config={directory / name / 'adapter_config.json'}"]
            arguments += [f"+export.lora_weights_file={name}.ptd"]
            files.append(str(out / f"{name}.ptd"))
        assert main([*base, *arguments]) == 0
        programs[name] = (str(out / f"{name}.pte"), files, [*base, *arguments])
        if not shared.exists():
            foundation.rename(shared)
    return programs


def _logits(model, is_decoder=False):
    with torch.no_grad():
        return model(TOKENS, {"input_pos": torch.tensor([0])}) if is_decoder else model(TOKENS).logits


def _compare(programs, expected, tolerance):
    """All are loaded at once, and share what XNNPACK packs of their weights."""
    options = {"XnnpackBackend": {"weight_cache_group": "adapters"}}
    runtime, found = Runtime.get(), {}
    loaded = {
        name: runtime.load_program(path, data_path=files) for name, (path, files, _) in programs.items()
    }
    methods = {name: one.load_method("forward", backend_options=options) for name, one in loaded.items()}
    for name, method in methods.items():
        (found[name],) = method.execute((TOKENS, torch.tensor([0])))
        assert (found[name] - expected[name]).abs().max() < tolerance * expected[name].abs().max()
    assert all((found["plain"] - found[name]).abs().max() > 0.05 for name in ADAPTERS)


def test_adapters_share_their_foundation(models, tmp_path):
    programs = _exported(models, tmp_path)
    _compare(programs, {name: _logits(model) for name, model in models[1].items()}, 1e-4)
    foundation = (tmp_path / "shared.ptd").stat().st_size
    for name in ADAPTERS:
        assert sum((tmp_path / f"{name}.{kind}").stat().st_size for kind in ("pte", "ptd")) < 0.5 * foundation


@pytest.mark.parametrize("more", [[*XNNPACK, "quantization.qmode=8da4w"], ["quantization.qmode=4w"]])
def test_adapters_beside_few_bits(models, tmp_path, more):
    programs = _exported(models, tmp_path, *more)
    # Inputs are rounded to 8 bits: a number beside a border may fall on either side.
    eager = {name: decoder.manager(parse(arguments)).model for name, (*_, arguments) in programs.items()}
    _compare(programs, {name: _logits(model, is_decoder=True) for name, model in eager.items()}, 0.05)


def test_text_of_each_adapter(models, tmp_path):
    programs = _exported(models, tmp_path, *XNNPACK, "backend.xnnpack.extended_ops=true")
    _compare(programs, {name: _logits(model) for name, model in models[1].items()}, 1e-4)
    config = GenerationConfig(echo=False, max_new_tokens=12, temperature=0.0)
    said = {}
    for name, (path, files, _) in programs.items():
        runner = TextLLMRunner(path, str(models[0] / "tokenizer.json"), data_path=files)
        said[name] = runner.generate_text(PROMPT, config)
        tokens = list(PROMPT.encode())
        with torch.no_grad():
            for _ in range(12):
                tokens.append(int(models[1][name](torch.tensor([tokens])).logits[0, -1].argmax()))
        answer = bytes(one for one in tokens[len(PROMPT) :] if one < END)
        assert said[name] == answer.decode(errors="replace")
    assert len(set(said.values())) == len(programs)

"""Several methods in one program, with adapters and numbers of tokens of their own."""

import pytest
import torch
from safetensors.torch import save_file

from executorch.extension.llm.export import decoder
from executorch.extension.llm.export.config.reading import from_yaml
from executorch.extension.llm.export.methods import method_configs
from executorch.extension.llm.export.models_for_tests import CUSTOM, SIZES, XNNPACK, saved
from executorch.extension.llm.export.pipeline import export_llama
from executorch.runtime import Runtime

TOKENS = torch.tensor([[3, 1, 4, 1, 5]])


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    directory = tmp_path_factory.mktemp("model")
    torch.manual_seed(1)
    name = "base_model.model.model.layers.0.self_attn.q_proj.lora_"
    parts = {"A.weight": torch.randn(4, SIZES["dim"]), "B.weight": torch.randn(SIZES["dim"], 4)}
    save_file({name + part: value for part, value in parts.items()}, directory / "adapter.safetensors")
    return [*saved(directory), *CUSTOM, "debug.generate_full_logits=true"], directory


def _program(base, methods, *more):
    overrides, directory = base
    config = from_yaml(
        "", [*overrides, f"export.output_dir={directory}", f"multimethod.methods=[{methods}]", *more]
    )
    path = export_llama(config)
    return config, Runtime.get().load_program(path), path


@pytest.mark.parametrize("backend", [[], [*XNNPACK, "quantization.qmode=8da4w"]])
def test_adapters_are_methods_over_the_same_weights(base, backend, tmp_path):
    lora = f"{{adapter_checkpoint: {base[1] / 'adapter.safetensors'}, lora_rank: 4, lora_alpha: 8, target_modules: [q_proj]}}"
    methods = f"{{method_name: plain}}, {{method_name: tuned, lora_config: {lora}}}"
    config, program, path = _program(base, methods, "export.output_name=both", *backend)
    with open(path, "rb") as file:
        both = len(file.read())
    _, _, path = _program(base, "{method_name: plain}", "export.output_name=one", *backend)
    with open(path, "rb") as file:
        assert both < 1.4 * len(file.read())
    found = {}
    for name, one in method_configs(config).items():
        eager = decoder.manager(one).model
        with torch.no_grad():
            expected = eager(TOKENS, {"input_pos": torch.tensor([0])})
        (found[name],) = program.load_method(name).execute((TOKENS, torch.tensor([0])))
        assert (found[name] - expected).abs().max() < (0.05 if backend else 1e-5) * expected.abs().max()
    assert (found["plain"] - found["tuned"]).abs().max() > 0.05


@pytest.mark.parametrize("qmode", ["8da4w", "4w", "int8", None])
def test_weights_are_read_and_quantized_once(base, qmode, monkeypatch):
    lora = f"{{adapter_checkpoint: {base[1] / 'adapter.safetensors'}, lora_rank: 4, lora_alpha: 8, target_modules: [q_proj]}}"
    methods = f"{{method_name: one, export_seq_len: 1}}, {{method_name: many}}, {{method_name: tuned, lora_config: {lora}}}"
    quantized = [f"quantization.qmode={qmode}", "quantization.use_hqq=false"] if qmode else []
    config = from_yaml("", [*base[0], f"multimethod.methods=[{methods}]", *quantized])
    loads = []
    read = decoder.load_decoder
    monkeypatch.setattr(
        decoder, "load_decoder", lambda *args, **named: loads.append(1) or read(*args, **named)
    )
    prepare = decoder.Decoders()
    models = {name: prepare(method).model for name, method in method_configs(config).items()}
    assert len(loads) == 1
    tensors = [
        {id(one) for one in (*model.parameters(), *model.buffers()) if one.numel() > 256}
        for model in models.values()
    ]
    assert tensors[0] and tensors[0] == tensors[1] and tensors[0] <= tensors[2]
    alone = decoder.manager(method_configs(config)["tuned"]).model
    with torch.no_grad():
        plain, tuned, expected = (
            model(TOKENS, {"input_pos": torch.tensor([0])})
            for model in (models["many"], models["tuned"], alone)
        )
    torch.testing.assert_close(tuned, expected)
    assert (plain - tuned).abs().max() > 0.05


def test_a_prompt_and_a_step_share_their_cache(base):
    methods = "{method_name: prompt, export_seq_len: 4}, {method_name: step, export_seq_len: 1}"
    config, program, _ = _program(
        base, methods, "multimethod.share_mutable_buffers=true", "export.output_name=shared"
    )
    eager = decoder.manager(config).model
    with torch.no_grad():
        expected = eager(TOKENS, {"input_pos": torch.tensor([0])})
    prompt, step = program.load_method("prompt"), program.load_method("step")
    shapes = [method.metadata.input_tensor_meta(0).sizes() for method in (prompt, step)]
    assert [list(one) for one in shapes] == [[1, 4], [1, 1]]
    (first,) = prompt.execute((TOKENS[:, :4], torch.tensor([0])))
    torch.testing.assert_close(first, expected[:, :4], rtol=1e-4, atol=1e-5)


def test_what_is_refused(base):
    for methods, more, message in [
        ("{method_name: a}, {method_name: a}", [], "a name of its own"),
        ("{method_name: a, export_seq_len: 13}", [], "give a larger export.max_seq_length"),
        ("{method_name: a}", ["multimethod.share_mutable_buffers=true"], "name two of them"),
        ("{method_name: a}, {method_name: b}", ["export.export_only=true"], "writes one method"),
        ("{method_name: a}, {method_name: b}", ["base.checkpoint=null"], "give base.checkpoint"),
    ]:
        with pytest.raises(ValueError, match=message):
            _program(base, methods, *more)

"""Exports by the documented command, run beside the eager decoder; what a configuration may not ask for is one line."""

import copy
import pathlib
import re

import pytest
import torch
from torchao.quantization import IntxUnpackedToInt8Tensor

from executorch.extension.llm.export import command_line, decoder, weight_quantization
from executorch.extension.llm.export.builder import DType, LLMEdgeManager
from executorch.extension.llm.export.config.choices import Pt2eQuantize, VgfQuantizeScope
from executorch.extension.llm.export.config.llm_config import LlmConfig
from executorch.extension.llm.export.config.reading import from_yaml
from executorch.extension.llm.export.export_llm import main, parse
from executorch.extension.llm.export.models_for_tests import CACHE, CUSTOM, SIZES, XNNPACK, saved
from executorch.extension.llm.export.packed_layers import PackedLinear
from executorch.extension.llm.export.pipeline import export_llama
from executorch.extension.llm.export.quantizers import get_quantizer_and_quant_params
from executorch.extension.llm.models.model_args import ModelArgs
from executorch.extension.llm.models.static_io import StaticAttentionIOManager
from executorch.extension.llm.models.transformer import construct_transformer
from executorch.extension.pybindings.portable_lib import _load_for_executorch
from executorch.runtime import Runtime

#: Name to overrides, how far logits may be from the eager model's (of their size), and the most bytes.
CASES = {
    "no cache": ([], 1e-5, None),
    "half precision": ([*CUSTOM, "model.dtype_override=fp16"], 5e-3, 120_000),
    "bfloat16, and its cache": ([*CACHE, "model.dtype_override=bf16"], 5e-2, 120_000),
    "bfloat16, custom operators": ([*CUSTOM, "model.dtype_override=bf16"], 5e-2, 120_000),
    "half precision, XNNPACK, quantized": (
        [*CUSTOM, *XNNPACK, "model.dtype_override=fp16", "quantization.qmode=8da4w"],
        0.1,
        120_000,
    ),
    "half precision, an int8 cache": (
        [*CUSTOM, "model.dtype_override=fp16", "model.quantize_kv_cache=true"],
        5e-3,
        120_000,
    ),
    "cache, token by token": ([*CACHE, "model.enable_dynamic_shape=false"], 1e-5, None),
    # Inputs are rounded to 8 bits: a number beside a border may fall on either side.
    "8da4w": (
        [*CUSTOM, *XNNPACK, "quantization.qmode=8da4w", "quantization.embedding_quantize=4,32"],
        0.05,
        60_000,
    ),
    "int8 and an int8 cache": (
        [*CUSTOM, *XNNPACK, "quantization.qmode=int8", "model.quantize_kv_cache=true"],
        1e-3,
        110_000,
    ),
    # Keys and values of this model are between -4 and 4.
    "static int8 cache": (
        [
            *CACHE,
            "model.enable_dynamic_shape=false",
            "model.static_quantize_kv_cache=true",
            "model.static_quantize_kv_cache_scale=0.03",
        ],
        1e-5,
        None,
    ),
    "4w by rows": (
        [*CUSTOM, *XNNPACK, "quantization.qmode=4w", "quantization.group_size=0"],
        1e-3,
        75_000,
    ),
    "4w in groups": (
        [*CUSTOM, *XNNPACK, "quantization.qmode=4w", "quantization.embedding_quantize=4,32"],
        1e-3,
        70_000,
    ),
    "few bits of weights alone": (
        [*CACHE, "quantization.qmode=torchao:fpa3w", "quantization.embedding_quantize=4,32"],
        1e-3,
        70_000,
    ),
    "sink": ([*CUSTOM, "model.use_attention_sink=2,6"], 1e-5, None),
    "windows": ([*CUSTOM, "model.local_global_attention=[6]"], 1e-5, None),
    "few bits, shared": (
        [
            *CUSTOM,
            "quantization.qmode=torchao:8da4w",
            "quantization.embedding_quantize=torchao:4,32",
            "model.use_shared_embedding=true",
        ],
        0.05,
        None,
    ),
    "PT2E, all that XNNPACK can": (
        [
            *CUSTOM,
            *XNNPACK,
            "quantization.pt2e_quantize=xnnpack_dynamic",
            "backend.xnnpack.extended_ops=true",
        ],
        0.05,
        None,
    ),
}


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    """Overrides that name a small model."""
    return saved(tmp_path_factory.mktemp("model"))


def _calls(config):
    tokens = torch.randint(4, 90, (1, 10), generator=torch.Generator().manual_seed(1))
    pieces = [(0, 5), (5, 1), (6, 4)] if config.model.enable_dynamic_shape else [(at, 1) for at in range(4)]
    for at, count in pieces:
        if config.model.use_kv_cache:
            yield tokens[:, at : at + count], torch.tensor([at])
        else:
            yield (tokens[:, : at + count],)


@pytest.mark.parametrize("case", CASES)
def test_a_program_is_the_eager_decoder(case, base, tmp_path):
    overrides, tolerance, most_bytes = CASES[case]
    path = _exported([*base, *overrides], tmp_path, tolerance)
    assert most_bytes is None or path.stat().st_size < most_bytes
    # Caches have positions first, as attention by the custom operator wants them: nothing is turned.
    assert case != "8da4w" or b"aten::permute_copy" not in path.read_bytes()


@pytest.mark.parametrize("case", ["bfloat16, custom operators", "8da4w", "int8 and an int8 cache"])
def test_convolutions_carry_their_state(case, tmp_path):
    overrides, tolerance, _ = CASES[case]
    sizes = {"n_layers": 3, "layer_types": ["conv", "full_attention", "conv"]}
    _exported([*saved(tmp_path, sizes), *overrides], tmp_path, tolerance)


def _exported(overrides, tmp_path, tolerance):
    """A program by the command, whose logits are near the eager model's."""
    arguments = [*overrides, f"export.output_dir={tmp_path}", "debug.generate_full_logits=true"]
    assert main(arguments) == 0
    path, config = tmp_path / "llama3_2.pte", parse(arguments)
    eager = decoder.manager(config).model
    method = Runtime.get().load_program(path).load_method("forward")
    with torch.no_grad():
        for call in _calls(config):
            expected = eager(call[0], {"input_pos": call[1]}) if len(call) > 1 else eager(*call)
            (found,) = method.execute(call)
            assert found.shape == (1, call[0].shape[1], 96)
            error = (found - expected).abs().max() / expected.abs().max()
            assert error < tolerance
    return path


def test_a_file_an_override_and_what_is_recorded(base, tmp_path, capsys):
    file = tmp_path / "config.yaml"
    file.write_text("model: {use_kv_cache: true}\ndebug: {verbose: true}\nexport: {output_name: ignored}\n")
    arguments = [
        "--config",
        str(file),
        *base,
        f"export.output_dir={tmp_path}",
        "export.output_name=small",
        "debug.generate_etrecord=true",
        "debug.profile_memory=true",
        f"debug.profile_path={tmp_path / 'profile.html'}",
        *XNNPACK,
    ]
    assert main(arguments) == 0
    printed = capsys.readouterr().out
    assert "delegated nodes" in printed and printed.rstrip().endswith("small.pte")
    names = {one.name for one in tmp_path.iterdir()}
    assert {"small.pte", "etrecord.bin", "small_memory.json", "profile.html"} <= names
    program = Runtime.get().load_program(tmp_path / "small.pte")
    constants = {
        name: program.load_method(name).execute(()) for name in program.method_names if name != "forward"
    }
    assert constants == {
        "get_max_seq_len": [12],
        "get_max_context_len": [16],
        "get_n_layers": [1],
        "get_vocab_size": [96],
        "use_kv_cache": [True],
        "use_sdpa_with_kv_cache": [False],
        "enable_dynamic_shape": [True],
        "get_bos_id": [1],
        "get_eos_ids": [2, 3],
    }


@pytest.mark.parametrize("quantized", [[], ["quantization.qmode=8da4w", *XNNPACK]])
def test_static_shapes(base, tmp_path, quantized):
    overrides = [
        *base,
        "base.model_class=static_llama",
        "model.enable_dynamic_shape=false",
        "export.max_seq_length=4",
        f"export.output_dir={tmp_path}",
        *quantized,
    ]
    config = from_yaml("", overrides)
    method = Runtime.get().load_program(export_llama(config)).load_method("forward")
    eager = decoder.manager(config).model
    manager = StaticAttentionIOManager(eager, 4, 12)
    with torch.no_grad():
        expected = manager.prefill(eager, [3, 1, 4, 1, 5])
        manager.reset()
        found = manager.prefill(manager.decoder_of(method.execute), [3, 1, 4, 1, 5])
    assert found.shape == (1, 5, 96)
    assert (found - expected).abs().max() / expected.abs().max() < (0.05 if quantized else 1e-5)
    if not quantized:
        model = construct_transformer(ModelArgs(**SIZES, generate_full_logits=True))
        model.load_state_dict(torch.load(base[1].partition("=")[2]))
        torch.testing.assert_close(found, model(torch.tensor([[3, 1, 4, 1, 5]])), rtol=1e-4, atol=1e-4)


def test_weights_outside_the_program(base, tmp_path):
    overrides = [*base, *CUSTOM, *XNNPACK, f"export.output_dir={tmp_path}"]
    inside = export_llama(from_yaml("", [*overrides, "export.output_name=inside"]))
    outside = export_llama(
        from_yaml(
            "", [*overrides, "export.output_name=outside", "export.foundation_weights_file=foundation.ptd"]
        )
    )
    sizes = [(tmp_path / name).stat().st_size for name in ("inside.pte", "outside.pte", "foundation.ptd")]
    assert sizes[1] < 0.3 * sizes[0] and sizes[2] > 0.7 * sizes[0]
    call = (torch.tensor([[4, 5, 6]]), torch.tensor([0]))
    expected = _load_for_executorch(inside).forward(call)[0]
    found = _load_for_executorch(outside, str(tmp_path / "foundation.ptd")).forward(call)[0]
    torch.testing.assert_close(found, expected)


def test_an_adapter_in_a_file_of_its_own(base, tmp_path):
    torch.manual_seed(1)
    name = "base_model.model.model.layers.0.self_attn.v_proj"
    adapter = {f"{name}.lora_A.weight": torch.randn(8, 64), f"{name}.lora_B.weight": torch.randn(32, 8)}
    torch.save(adapter, tmp_path / "adapter.pt")
    overrides = [
        *base,
        *CUSTOM,
        *XNNPACK,
        "quantization.qmode=8da4w",
        f"export.output_dir={tmp_path}",
        f"base.lora_config.adapter_checkpoint={tmp_path / 'adapter.pt'}",
        "base.lora_config.lora_rank=8",
        "base.lora_config.lora_alpha=16",
        "base.lora_config.target_modules=[v_proj]",
        "backend.xnnpack.extended_ops=true",
        "export.lora_weights_file=adapter.ptd",
    ]
    path = export_llama(from_yaml("", overrides))
    floats = sum(one.numel() * 4 for one in adapter.values())
    assert floats <= (tmp_path / "adapter.ptd").stat().st_size < 2 * floats + 1000
    tokens, position = torch.tensor([[4, 5, 6]]), torch.tensor([0])
    expected = decoder.manager(from_yaml("", overrides)).model(tokens, {"input_pos": position})
    found = _load_for_executorch(path, str(tmp_path / "adapter.ptd")).forward((tokens, position))[0]
    assert (found - expected).abs().max() / expected.abs().max() < 0.05


def test_a_record_that_cannot_be_written_costs_nothing_else(base, tmp_path, caplog):
    (tmp_path / "etrecord.bin").mkdir()
    arguments = [
        *base,
        f"export.output_dir={tmp_path}",
        "debug.generate_etrecord=true",
        "export.output_name=small",
    ]
    assert export_llama(from_yaml("", arguments)) == str(tmp_path / "small.pte")
    assert "Could not write" in caplog.text
    assert {one.name for one in tmp_path.iterdir() if one.name != "model.pth"} >= {
        "small.pte",
        "etrecord.bin",
    }
    assert not list(tmp_path.glob("etrecord.bin?*"))


def test_quantizers_by_name():
    def asked(name, **more):
        config = LlmConfig()
        config.quantization.pt2e_quantize = Pt2eQuantize(name)
        for key, value in more.items():
            group, _, field = key.partition("__")
            setattr(getattr(config.backend, group), field, value)
        return get_quantizer_and_quant_params(config)

    assert get_quantizer_and_quant_params(LlmConfig()) == (None, [], None)
    params, (quantizer,), _ = asked("xnnpack_dynamic_qc4")
    assert params.quantize_linear.is_qc4 and type(quantizer).__name__ == "XNNPACKQuantizer"
    for name, kind in [
        ("vulkan_8w", "VulkanQuantizer"),
        ("openvino_4wo", "OpenVINOQuantizer"),
        ("openvino_8wo", "OpenVINOQuantizer"),
        ("tosa_8a8w", "TOSAQuantizer"),
        ("ethosu_8a8w", "EthosUQuantizer"),
        ("vgf_8a8w", "VgfQuantizer"),
    ]:
        params, (quantizer,), _ = asked(name)
        assert params is None and type(quantizer).__name__ == kind
    (quantizer,) = asked(
        "vgf_16a8w", vgf__compile_spec="TOSA-1.0+INT+int16", vgf__quantize_scope=VgfQuantizeScope.linear
    )[1]
    assert quantizer.global_config is None and torch.nn.Linear in quantizer.module_type_config
    with pytest.raises(ValueError, match="INT16 support"):
        asked("vgf_16a8w")
    with pytest.raises(ValueError, match=r"backend\.coreml\.quantize c4w"):
        asked("coreml_c4w")
    with pytest.raises(NotImplementedError, match="use xnnpack_dynamic"):
        asked("qnn_8a8w")


def test_large_weights_are_quantized_by_parts(monkeypatch):
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Embedding(20, 64), torch.nn.Linear(64, 40))
    made = []
    for most in (1 << 24, 64 * 7):
        monkeypatch.setattr(weight_quantization, "_SLICE", most)
        one = weight_quantization.embedding_transform("4,32")(copy.deepcopy(model))
        made.append(weight_quantization.linear_transform("8da4w", 32, use_hqq=False)(one))
    for first, second in zip(*(one.state_dict().values() for one in made), strict=True):
        assert type(first) is type(second)
        if isinstance(first, IntxUnpackedToInt8Tensor):
            assert torch.equal(first.dequantize(), second.dequantize())


def test_random_weights_come_into_being_where_they_are_quantized(base):
    config = from_yaml("", [base[2], "quantization.qmode=8da4w"])
    torch.manual_seed(0)
    model = decoder.manager(config).model
    assert not any(one.is_meta for one in model.state_dict().values())
    assert float(model.tok_embeddings.weight.std()) > 0.01


def test_only_the_exported_program(base, tmp_path):
    path = export_llama(from_yaml("", [*base, "export.export_only=true", f"export.output_dir={tmp_path}"]))
    assert torch.export.load(path).module()(torch.tensor([[4, 5]])).shape == (1, 96)


def test_what_is_refused_is_one_line(base, tmp_path, capsys):
    for arguments, message in [
        (["--config", str(tmp_path / "none.yaml")], "no configuration"),
        ([*base, "backend.coreml.preserve_sdpa=true"], "give backend.coreml.ios=18"),
        (["base.size=1"], "no key base.size"),
        ([], "sizes of the model are missing"),
        (["base.checkpoint=none.pth"], "no checkpoint none.pth"),
        (["backend.qnn.enabled=true"], "no backend qnn comes with this release"),
        ([*base, "base.use_lora=4"], "give base.preq_mode"),
        ([*base, "model.use_sdpa_with_kv_cache=true"], "set model.use_kv_cache"),
        ([*base, "quantization.qmode=8da4w-gptq"], "give quantization.calibration_data"),
        ([*base, "quantization.embedding_quantize=3,32"], r"embeddings have one of (2, 4, 8) bits, not 3"),
        ([*base, "quantization.embedding_quantize=4,24"], "groups of 24 do not divide the 64 columns"),
        ([*base, "quantization.pt2e_quantize=qnn_8a8w"], "use xnnpack_dynamic"),
        ([*base, "+base.metadata=[1]"], "no JSON object"),
        ([*base, "backend.openvino.openvino_awq=true"], "give quantization.pt2e_quantize=openvino_4wo"),
        (
            [
                *base,
                "backend.openvino.openvino_awq=true",
                "quantization.pt2e_quantize=openvino_4wo",
            ],
            "set model.use_kv_cache",
        ),
        (
            [
                *base,
                *CACHE,
                "backend.openvino.openvino_scale_estimation=true",
                "quantization.pt2e_quantize=openvino_4wo",
            ],
            "give quantization.calibration_seq_length, base.tokenizer_path",
        ),
        ([*base, "backend.coreml.enable_state=true"], "give backend.coreml.ios=18"),
        ([*base, "export.so_library=./none.so"], "none.so"),
        ([*base, "model.use_moe_quantized_op=true"], "the model has no experts"),
        (
            [*base, "quantization.use_spin_quant=native"],
            "the inside of a feed-forward network has no rotation",
        ),
        ([*base, "quantization.calibration_tasks=[wikitext]"], "give quantization.calibration_data"),
        ([*base, "base.model_class=llama3_2_vision"], "give llama3_2 for its text alone"),
        ([*base, "base.model_class=static_llama"], "give model.enable_dynamic_shape=false"),
        ([*base, "base.use_lora=[4"], "base.use_lora is of type int, and '[4' is not"),
        ([*base, f"model.input_prune_map={__file__}"], "is no JSON object of tokens and rows"),
        ([*base, "backend.tosa.enabled=true", "backend.tosa.version=TOSA-9"], "TOSA-9"),
    ]:
        assert main(arguments) == 2
        error = capsys.readouterr().err
        assert error.startswith("export_llm: ") and message in error and error.count("\n") == 1


def test_what_a_backend_refuses_is_no_trace(base, capsys):
    assert main([*base, "backend.openvino.enabled=true", "backend.openvino.device=TOASTER"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("export_llm: ") and "TOASTER" in error and "Way out" in error


@pytest.mark.parametrize("error", [ValueError, NotImplementedError, KeyError])
def test_a_mistake_of_ours_keeps_its_trace(base, error, monkeypatch, tmp_path):
    def mistaken(*_, **__):
        raise error("not enough values to unpack")

    monkeypatch.setattr(decoder, "_metadata", mistaken)
    arguments = [*base, f"export.output_dir={tmp_path}"]
    with pytest.raises(error, match="not enough values to unpack"):
        main(arguments)
    config = tmp_path / "config.yaml"
    config.write_text("model: {use_kv_cache: true}\n")
    with pytest.raises(error, match="not enough values to unpack"):
        command_line.main(["--config", str(config), *arguments])
    names = {one.partition("=")[0]: one.partition("=")[2] for one in base}
    with pytest.raises(error, match="not enough values to unpack"):
        command_line.main(["-c", names["base.checkpoint"], "-p", names["base.params"]])


def test_the_pages_examples_run():
    text = pathlib.Path(__file__).with_name("README.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    exec(compile(code, "README.md", "exec"), {"__name__": "readme"})
    file, methods = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    assert from_yaml(file).quantization.qmode == "8da4w"
    assert [one.export_seq_len for one in from_yaml(methods).multimethod.methods] == [128, 1]


def test_steps_by_hand():
    model = construct_transformer(ModelArgs(**SIZES, max_context_len=16)).eval()
    tokens = torch.tensor([[4, 5, 6]])
    manager = LLMEdgeManager(model, "small", 12, False, (tokens,), dtype=DType.fp32)
    with pytest.raises(RuntimeError, match="call export_to_edge"):
        manager.to_executorch()
    with pytest.raises(RuntimeError, match="call to_executorch"):
        manager.save_to_pte("small")
    with pytest.raises(ValueError, match="is a DType"):
        manager.to_dtype("fp32")
    made = manager.export().run_canonical_optimizations().export_to_edge().to_backend(None).to_executorch()
    found = Runtime.get().load_program(made.export_program.buffer).load_method("forward").execute((tokens,))
    torch.testing.assert_close(found[0], model(tokens), atol=1e-5, rtol=1e-5)
    assert DType.from_torch_dtype(torch.bfloat16) is DType.bf16


def test_groups_that_do_not_divide_stay_as_they_are(caplog):
    config = LlmConfig()
    config.base.params = None
    config.quantization.qmode, config.quantization.group_size = "4w", 48
    (transform,) = decoder.transforms(config, torch.float32)
    model = transform(construct_transformer(ModelArgs(**SIZES)))
    assert isinstance(model.layers[0].feed_forward.w2, PackedLinear)
    assert "rounded weights as floats" not in caplog.text
    config.backend.vulkan.enabled = True
    (transform,) = decoder.transforms(config, torch.float32)
    model = transform(construct_transformer(ModelArgs(**SIZES)))
    assert type(model.layers[0].attention.wq.weight.data) is torch.Tensor
    assert type(model.layers[0].feed_forward.w2.weight.data) is not torch.Tensor
    # Vulkan reads them as they are, in groups too.
    assert "groups of 48 do not divide" in caplog.text and "rounded weights as floats" not in caplog.text
    config.backend.vulkan.enabled, config.backend.openvino.enabled = False, True
    decoder.transforms(config, torch.float32)
    assert "rounded weights as floats" in caplog.text

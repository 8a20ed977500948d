"""Models as VGF files: the documented flow, floating point and int8 in one delegate."""

import pytest
import torch
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

from executorch.backends.arm.quantizer import VgfQuantizer, get_symmetric_quantization_config
from executorch.backends.arm.vgf import VgfCompileSpec, VgfPartitioner, check_env
from executorch.backends.arm.vgf.converter import ConverterError, vgf_compile
from executorch.backends.test.models_for_tests import SMALL, trained
from executorch.exir import to_edge_transform_and_lower
from executorch.exir.backend.utils import format_reasons
from executorch.partitioner import get_lowered_submodules


def _only_delegate(exported, spec):
    edge = to_edge_transform_and_lower(exported, partitioner=[VgfPartitioner(spec)])
    module = edge.exported_program().graph_module
    assert format_reasons(module) == "Every operator is delegated."
    ((_, lowered, _),) = get_lowered_submodules(module)
    return lowered.processed_bytes


@pytest.mark.parametrize("name", ["encoder", "unet"])
def test_floating_point(name):
    model, inputs = trained(SMALL[name])
    assert _only_delegate(torch.export.export(model, inputs), VgfCompileSpec())[:4] == b"VGF1"


@pytest.mark.parametrize("left", [None, torch.nn.Sigmoid])
def test_int8_as_documented(left):
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.sigmoid = torch.nn.Sigmoid()

        def forward(self, x, y):
            return self.sigmoid(x + y)

    spec = VgfCompileSpec()
    quantizer = VgfQuantizer(spec).set_global(get_symmetric_quantization_config(is_per_channel=False))
    if left is not None:
        quantizer.set_module_type(left, None)
    inputs = (torch.ones(1, 1, 1, 1), torch.ones(1, 1, 1, 1))
    prepared = prepare_pt2e(torch.export.export(Model(), inputs).module(), quantizer)
    prepared(*inputs)
    exported = torch.export.export(convert_pt2e(prepared), inputs)
    assert _only_delegate(exported, spec)[:4] == b"VGF1"


def test_files_are_kept(tmp_path):
    spec = VgfCompileSpec("TOSA-1.0+FP").dump_intermediate_artifacts_to(str(tmp_path))
    blob = _only_delegate(torch.export.export(torch.nn.ReLU(), (torch.randn(2, 3),)), spec)
    assert (tmp_path / "out.vgf").read_bytes() == blob


def test_what_the_converter_refuses_is_told():
    with pytest.raises(ConverterError, match="additional_checks"):
        vgf_compile(b"no TOSA", [])


def test_what_this_machine_lacks_is_told(monkeypatch, capsys, tmp_path):
    assert check_env.is_vgf_aot_available() and check_env.main(["--mode", "aot"]) == 0
    assert "model-converter" in capsys.readouterr().out
    monkeypatch.setattr(check_env.model_converter, "find_model_converter_binary", lambda: None)
    assert check_env.main(["--mode", "aot"]) == 1
    assert "pip install -U ai-ml-sdk-model-converter" in capsys.readouterr().out


def test_a_build_by_cmake_is_looked_at(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    spec = VgfCompileSpec()
    with pytest.raises(RuntimeError, match=r"no CMakeCache.txt\n.*-DEXECUTORCH_BUILD_VGF=ON"):
        spec.validate_environment(require_runtime_build=True)
    cache = tmp_path / "cmake-out" / "CMakeCache.txt"
    cache.parent.mkdir()
    cache.write_text("EXECUTORCH_BUILD_VGF:BOOL=OFF\n", encoding="utf-8")
    assert check_env.main(["--source-build", "--build-dir", str(cache.parent)]) == 1
    cache.write_text("EXECUTORCH_BUILD_VULKAN:BOOL=OFF\nEXECUTORCH_BUILD_VGF:BOOL=ON\n", encoding="utf-8")
    assert check_env.main(["--source-build"]) == 0
    assert "EXECUTORCH_BUILD_VGF=ON" in capsys.readouterr().out
    assert spec.validate_environment(cache.parent, require_runtime_build=True).mode == "source-build"
    with pytest.raises(SystemExit):
        check_env.main(["--build-dir", "."])


def test_lowering_is_looked_at_if_nothing_else_is_said(monkeypatch, capsys):
    assert check_env.main([]) == 0
    assert capsys.readouterr().out.startswith("aot: ready")
    assert VgfCompileSpec().validate_environment().ok
    monkeypatch.setattr(check_env.model_converter, "find_model_converter_binary", lambda: None)
    with pytest.raises(RuntimeError, match="model-converter is not on PATH"):
        VgfCompileSpec().validate_environment()


def test_emulation_layers_are_looked_for_where_the_loader_does(monkeypatch, tmp_path):
    def found():
        checks = check_env.check_vgf_host_emulator_environment().checks
        return {one.name: one for one in checks}["emulation layers"].status

    monkeypatch.delenv("VK_INSTANCE_LAYERS", raising=False)
    assert found() == check_env.STATUS_FAIL
    names = ["VK_LAYER_ML_Graph_Emulation", "VK_LAYER_ML_Tensor_Emulation"]
    monkeypatch.setenv("VK_INSTANCE_LAYERS", ":".join(names))
    monkeypatch.setenv("VK_LAYER_PATH", str(tmp_path))
    assert found() == check_env.STATUS_WARN
    (tmp_path / "both.json").write_text(" ".join(names), encoding="utf-8")
    assert found() == check_env.STATUS_OK

"""Models for Ethos-U: compiled by Vela in one delegate, with inputs and outputs where the blob says."""

import hashlib
import json
import math

import numpy as np
import pytest
import torch
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

from executorch.backends.arm.ethosu import (
    EthosUCompileSpec,
    EthosUPartitioner,
    VelaExternalBlockPlacements,
)
from executorch.backends.arm.ethosu.vela import pack, unpack, vela_compile
from executorch.backends.arm.quantizer import EthosUQuantizer, get_symmetric_quantization_config
from executorch.backends.test.models_for_tests import SMALL, trained
from executorch.exir import ExecutorchBackendConfig, to_edge_transform_and_lower
from executorch.exir.backend.utils import format_reasons, get_reasons
from executorch.partitioner import CompileSpec, get_lowered_submodules


def _lowered(name, spec):
    model, inputs = trained(SMALL[name])
    quantizer = EthosUQuantizer(spec).set_global(get_symmetric_quantization_config())
    prepared = prepare_pt2e(torch.export.export(model, inputs).module(), quantizer)
    prepared(*inputs)
    exported = torch.export.export(convert_pt2e(prepared), inputs)
    return inputs, to_edge_transform_and_lower(exported, partitioner=[EthosUPartitioner(spec)])


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("encoder", "ethos-u55-128"),
        ("unet", "ethos-u65-256"),
        ("mobilenet_v2", "ethos-u85-256"),
    ],
)
def test_a_model_is_one_delegate(name, target):
    inputs, edge = _lowered(name, EthosUCompileSpec(target))
    module = edge.exported_program().graph_module
    ((_, lowered, _),) = get_lowered_submodules(module)
    assert {one.op.split(".")[0] for one in get_reasons(module)} == {"quantized_decomposed"}, format_reasons(
        module
    )
    blob = unpack(lowered.processed_bytes)
    assert blob.commands[:4] == b"COP1"
    (source,), (result,) = blob.inputs, blob.outputs
    # Vela may write another shape of as many elements, where a dimension is 1.
    assert math.prod(source.shape) == inputs[0].numel() and source.element_size == 1
    for one in (source, result):
        assert one.offset >= 0 and one.offset + torch.tensor(one.shape).prod() <= blob.scratch_size
    program = edge.to_executorch(ExecutorchBackendConfig(extract_delegate_segments=False)).buffer
    assert b"EthosUBackend" in program and lowered.processed_bytes in program


def test_what_a_processor_has_not_is_left():
    _, edge = _lowered("deeplab", EthosUCompileSpec("ethos-u55-128"))
    reasons = {one.op: one.reason for one in get_reasons(edge.exported_program().graph_module)}
    assert "Ethos-U85 does" in reasons["aten.upsample_bilinear2d.vec"]


def test_intermediates_are_kept(tmp_path):
    spec = EthosUCompileSpec("ethos-u55-128").dump_intermediate_artifacts_to(str(tmp_path))
    _, edge = _lowered("keyword_net", spec)
    assert {path.suffix for path in tmp_path.iterdir()} >= {".tosa", ".npz"}
    assert str(tmp_path).encode() not in edge.to_executorch().buffer, "the folder is the developer's own"


@pytest.mark.parametrize("target", ["ethos-u99-128", "ethos-u55-512", "cortex-m55"])
def test_unknown_targets(target):
    with pytest.raises(ValueError, match="there are ethos-u55-32"):
        EthosUCompileSpec(target)


def test_units_that_are_not_named():
    spec = EthosUCompileSpec("ethos-u85")
    assert spec.target == "ethos-u85" and "--accelerator-config=ethos-u85-256" in spec.compiler_flags


def test_a_memory_mode_that_the_processor_has_not():
    with pytest.raises(ValueError, match="use Shared_Sram"):
        EthosUCompileSpec("ethos-u55-128", memory_mode="Dedicated_Sram")


def test_compile_specs_travel():
    spec = EthosUCompileSpec("ethos-u85-512", extra_flags=["--optimise=Size"])
    found = EthosUCompileSpec.from_list(spec.to_list())
    assert (found.target, found.compiler_flags) == (spec.target, spec.compiler_flags)
    assert "--optimise=Size" in found.compiler_flags and found.tosa_spec == spec.tosa_spec


def test_compile_specs_of_older_programs_are_read():
    """They had flags as JSON, and no target of their own."""
    spec = EthosUCompileSpec("ethos-u85-512", extra_flags=["--optimise=Size"])
    older = [
        CompileSpec(
            one.key, json.dumps(spec.compiler_flags).encode() if one.key == "compile_flags" else one.value
        )
        for one in spec.to_list()
        if one.key != "target"
    ]
    found = EthosUCompileSpec.from_list(older)
    assert (found.target, found.compiler_flags) == (spec.target, spec.compiler_flags)
    with pytest.raises(ValueError, match="without a target"):
        EthosUCompileSpec.from_list([one for one in older if one.key != "compile_flags"])


def test_what_vela_refuses_is_told():
    with pytest.raises(RuntimeError, match="Vela"):
        vela_compile(b"no TOSA at all", EthosUCompileSpec("ethos-u55-128").compiler_flags)


def _packed(placements=None):
    one = {
        "shape": np.ones((1, 6), int),
        "elem_size": np.ones(1, int),
        "offset": np.zeros(1, int),
        "region": np.ones(1, int),
    }
    made = {f"{kind}_{key}": value for kind in ("input", "output") for key, value in one.items()}
    return pack(
        {
            **made,
            "cmd_data": np.array(b"COP1ab\0"),
            "weight_data": np.array(b"w"),
            "scratch_size": np.array(32),
        },
        placements,
    )


def _blob():
    return _packed().processed_bytes


def test_blocks_stand_beside_the_blob():
    """A header of 32 bytes, in which byte 20 says that a key follows."""
    made = _packed({"weight_data": "mem2"})
    (block,) = made.external_blocks
    key = hashlib.sha256(b"mem2\0w").hexdigest()
    assert (block.key, block.payload, block.alignment, block.placement) == (key, b"w", 16, "mem2")
    at = made.processed_bytes.index(b"weight_data")
    assert made.processed_bytes[at + 16 : at + 32] == (64).to_bytes(4, "little") + b"\1" + bytes(11)
    assert made.processed_bytes[at + 32 :].startswith(key.encode())
    assert unpack(made.processed_bytes, {key: b"w"}) == unpack(_blob())
    with pytest.raises(ValueError, match="'weight_data' stands beside the blob"):
        unpack(made.processed_bytes)
    for wrong in ({"weights": "mem2"}, {"cmd_data": ""}):
        with pytest.raises(ValueError, match="Invalid external Vela placement"):
            _packed(wrong)


def test_a_program_goes_with_the_files_of_its_blocks():
    placements = VelaExternalBlockPlacements(cmd_data="fast", weight_data="slow")
    spec = EthosUCompileSpec("ethos-u55-128", external_block_placements=placements)
    assert EthosUCompileSpec.from_list(spec.to_list()).external_block_placements == placements
    with pytest.raises(ValueError, match="Invalid external Vela placement"):
        EthosUCompileSpec("ethos-u55-128", external_block_placements=VelaExternalBlockPlacements(cmd_data=""))
    _, edge = _lowered("keyword_net", spec)
    program = edge.to_executorch(ExecutorchBackendConfig(extract_delegate_segments=False))
    assert b"COP1" not in program.buffer
    files = {name: bytes(content) for name, content in program._tensor_data.items()}
    assert sorted(files) == ["fast", "slow"]
    assert b"COP1" in files["fast"] and b"COP1" not in files["slow"]


def test_a_blob_is_what_was_published():
    blob = _blob()
    assert len(blob) % 16 == 0 and blob[:16] == b"vela_bin_stream\0" and blob[-32:-16] == b"vela_end_stream\0"
    assert blob[32:48] == b"cmd_data".ljust(16, b"\0") and unpack(blob).commands == b"COP1ab\0"


def test_blobs_that_are_cut_off_are_refused():
    blob = _blob()
    for size in range(0, len(blob) - 32, 8):
        with pytest.raises(ValueError, match=r"missing|ends behind"):
            unpack(blob[:size])

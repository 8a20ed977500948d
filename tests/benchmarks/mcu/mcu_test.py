"""The models have their published sizes; what is embedded is what should run; what firmware says is read strictly."""

import struct

import pytest
import torch

from executorch.tests.benchmarks.mcu import embed, mcu, tiny_models

#: Multiplications of the published models; those of DS-CNN and of the autoencoder are in MLPerf Tiny's paper.
_MACS = {
    "anomaly_detection": 264_192,
    "image_classification": 12_501_632,
    "keyword_spotting": 2_656_768,
    "visual_wake_words": 7_489_664,
}
_SAID = (
    'ROW {"model": "m", "macs": 100, "instructions": 50, "right": true, "difference_e9": 0, '
    '"method_bytes": 1, "stack_bytes": 2}\n'
)


@pytest.mark.parametrize("name", tiny_models.MODELS)
def test_sizes_are_the_published_ones(name: str) -> None:
    assert tiny_models.macs(*tiny_models.make(name)) == _MACS[name]


def test_programs_are_integer_with_the_backend_and_float_without() -> None:
    own = embed.embedded("keyword_spotting", "cortex_m")
    portable = embed.embedded("keyword_spotting", "portable")
    assert b"cortex_m::quantized_depthwise_conv2d" in own.pte and b"convolution" not in own.pte
    assert b"aten::convolution" in portable.pte and b"cortex_m" not in portable.pte
    assert own.tolerance == 0 and 0 < portable.tolerance < 0.05
    assert torch.allclose(own.expected, portable.expected, atol=portable.tolerance)


def test_source_holds_the_program_and_its_numbers() -> None:
    model = embed.Embedded(
        "m", bytes(range(30)), 64, torch.ones(1, 2), torch.tensor([[0.5, -2.0, 3.0]]), 0.25, 7
    )
    text = embed.source(model)
    assert "MCU_PLANNED_MEMORY(planned, 64)" in text and "26, 27, 28, 29" in text
    assert '{"m", program, sizeof(program), planned, 64, input, sizes, 2, expected, 3,' in text
    assert "0x1.0000000000000p-1f, -0x1.0000000000000p+1f, 0x1.8000000000000p+1f" in text


def test_figures_are_read() -> None:
    said = mcu.parse("hello\n" + _SAID) | {"flash_bytes": 3}
    row = mcu.row("core", "m", {form: said for form in mcu.FORMS})
    assert row["macs_per_instruction"] == 2.0 and row["times_fewer_than_plain"] == 1.0
    assert "macs per instruction" in mcu.table([row])


def test_silence_and_wrong_outputs_are_errors() -> None:
    with pytest.raises(RuntimeError, match="FAIL m: error 33"):
        mcu.parse("FAIL m: error 33\n")
    with pytest.raises(RuntimeError, match="nothing at all"):
        mcu.parse("")
    with pytest.raises(RuntimeError, match=r"wrong by 0\.5"):
        mcu.parse(_SAID.replace("true", "false").replace('e9": 0', 'e9": 500000000'))


def test_flash_is_that_of_the_firmware_without_its_model() -> None:
    names = b"\0_ZN3mcuL7programE\0main\0"
    symbols = struct.pack("<IIIBBH", 0, 0, 0, 0, 0, 0)
    symbols += struct.pack("<IIIBBH", 1, 0x1000, 700, 0, 0, 1) + struct.pack("<IIIBBH", 19, 0, 50, 0, 0, 1)
    body = names + symbols
    # Nothing, code, data without bytes, notes, symbols, names.
    sections = [
        (0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
        (0, 1, 2, 0, 0, 1000, 0, 0, 0, 0),
        (0, 8, 2, 0, 0, 4000, 0, 0, 0, 0),
        (0, 1, 0, 0, 0, 90, 0, 0, 0, 0),
        (0, 2, 0, 0, 52 + len(names), len(symbols), 5, 0, 0, 16),
        (0, 3, 0, 0, 52, len(names), 0, 0, 0, 0),
    ]
    head = b"\x7fELF\x01\x01".ljust(32, b"\0") + struct.pack("<I", 52 + len(body))
    head = head.ljust(46, b"\0") + struct.pack("<HHH", 40, len(sections), 5)
    assert mcu.flash(head + body + b"".join(struct.pack("<10I", *one) for one in sections)) == 300
    with pytest.raises(ValueError, match="no ELF file of 32 bits"):
        mcu.flash(b"\x7fELF\x02\x01")

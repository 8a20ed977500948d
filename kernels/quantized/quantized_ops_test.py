"""Importing the module defines what programs of quantized models call: every operator that has a kernel."""

import pathlib

import torch
import yaml

import executorch.kernels.quantized  # noqa: F401

_YAML = pathlib.Path(__file__).with_name("quantized.yaml")


def test_every_operator_with_a_kernel_is_defined():
    names = [entry["func"].partition("(")[0] for entry in yaml.safe_load(_YAML.read_text())]
    assert len(names) > 20
    undefined = []
    for name in names:
        packet, overload = name.partition("::")[2].split(".")
        if (
            not hasattr(torch.ops.quantized_decomposed, packet)
            or overload not in getattr(torch.ops.quantized_decomposed, packet).overloads()
        ):
            undefined.append(name)
    # Torch has no such operators, so nothing that torch captures calls these.
    assert [name for name in undefined if "mixed_" not in name] == []


def test_an_out_variant_computes_what_the_operator_computes():
    x = torch.randn(2, 3)
    arguments = (x, 0.1, 3, -128, 127, torch.int8)
    operator = torch.ops.quantized_decomposed.quantize_per_tensor
    out = operator.out(*arguments, out=torch.empty(0, dtype=torch.int8))
    assert torch.equal(out, operator.default(*arguments))

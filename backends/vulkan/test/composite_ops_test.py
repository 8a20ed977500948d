"""Operators of ``et_vk`` that programs call: what they calculate, and what the delegate makes of them."""

import pytest
import torch
from torch.nn import functional as F

import executorch.backends.vulkan.custom_ops_lib  # noqa: F401 - registers them.
from executorch.backends.vulkan.test.harness import check, lower, names, only

ops = torch.ops.et_vk
X = torch.randn(1, 3, 4, 8)
KEYS = torch.randn(1, 3, 2, 8)
COSINES, SINES = torch.randn(3, 4), torch.randn(3, 4)
WEIGHT = torch.randn(8)
BYTES = torch.randint(-128, 128, (2, 8), dtype=torch.int8)
MATRIX = torch.randint(-127, 128, (6, 8), dtype=torch.int8)
SUMS, SCALES, BIAS = MATRIX.sum(1, dtype=torch.int32), torch.rand(6) / 100, torch.randn(6)
PLANES = torch.randint(-128, 128, (1, 8, 2, 3), dtype=torch.int8)
HALVES = torch.randn(10, 8), torch.randn(10, 8)


class Apply(torch.nn.Module):
    """A function whose other arguments are the model's own."""

    def __init__(self, function, *own):
        super().__init__()
        self.function, self.count = function, len(own)
        for position, one in enumerate(own):
            self.register_buffer(f"own{position}", one)

    def forward(self, *inputs):
        return self.function(*inputs, *(getattr(self, f"own{one}") for one in range(self.count)))


def turned(x):
    """Pairs as complex numbers."""
    found = torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous())
    return torch.view_as_real(found * torch.complex(COSINES, SINES).unsqueeze(1)).flatten(-2)


def halves(x):
    cosines, sines = (one[2:5].unsqueeze(1) for one in HALVES)
    return x * cosines + torch.cat([-x[..., 4:], x[..., :4]], -1) * sines


def floats(x, scale, zero):
    return (x.float() - zero) * scale


def rounded(x, scale, zero):
    return (torch.round(x / scale) + zero).clamp(-128, 127).to(torch.int8)


def product(x):
    return floats(x, 0.02, 3) @ floats(MATRIX, SCALES[:, None], 0).t() + BIAS


#: The operator, its inputs, what it calculates, and a call of the delegate that has it in one piece.
CASES = {
    "prepack": (Apply(ops.prepack), (X,), lambda x: x, "aten.clone.default"),
    "rms_norm": (
        Apply(lambda x, w: ops.rms_norm(x, w, 1e-5), WEIGHT),
        (X,),
        lambda x: F.rms_norm(x, (8,), WEIGHT, 1e-5),
        "aten.rms_norm.default",
    ),
    "sdpa": (
        Apply(lambda q, k: ops.sdpa(q, k, k, None, 0.3)),
        (X, X[:, :, :2] * 2),
        lambda q, k: F.scaled_dot_product_attention(q, k, k, scale=0.3),
        "aten._softmax.default",
    ),
    "apply_rotary_emb": (
        Apply(lambda q, k, c, s: ops.apply_rotary_emb(q, k, c, s), COSINES, SINES),
        (X, KEYS),
        lambda q, k: (turned(q), turned(k)),
        "et_vk.rotary_embedding.default",
    ),
    "apply_rotary_emb of given angles": (
        Apply(ops.apply_rotary_emb),
        (X, KEYS, COSINES, SINES),
        lambda q, k, c, s: (turned(q), turned(k)),
        "et_vk.rotary_embedding.default",
    ),
    "apply_rotary_emb_interleaved": (
        Apply(ops.apply_rotary_emb_interleaved, torch.stack([COSINES, SINES], -1)),
        (X[:, :, 0],),
        lambda x: turned(x.unsqueeze(2)).squeeze(2),
        "aten.cat.default",
    ),
    "apply_rotary_emb_hf": (
        Apply(lambda q, k, c, s: ops.apply_rotary_emb_hf(q, k, c, s, 2), *HALVES),
        (X, KEYS),
        lambda q, k: (halves(q), halves(k)),
        "aten.cat.default",
    ),
    "q8ta_add": (
        Apply(lambda a, b: ops.q8ta_add(a, b, 0.1, 1, 0.2, 2, 0.3, 4, 1.0)),
        (BYTES, BYTES.flip(0)),
        lambda a, b: rounded(floats(a, 0.1, 1) + floats(b, 0.2, 2), 0.3, 4),
        "et_vk.add_int8.default",
    ),
    "q8ta_add with a factor": (
        Apply(lambda a, b: ops.q8ta_add(a, b, 0.1, 1, 0.2, 2, 0.3, 4, 2.0)),
        (BYTES, BYTES.flip(0)),
        lambda a, b: rounded(floats(a, 0.1, 1) + 2 * floats(b, 0.2, 2), 0.3, 4),
        "quantized_decomposed.quantize_per_tensor.default",
    ),
    "q8ta_relu": (
        Apply(lambda x: ops.q8ta_relu(x, 0.1, 1, 0.3, 4)),
        (BYTES,),
        lambda x: rounded(floats(x, 0.1, 1).relu(), 0.3, 4),
        "aten.relu.default",
    ),
    "q8ta_pixel_shuffle": (
        Apply(lambda x: ops.q8ta_pixel_shuffle(x, 0.1, 1, 1 / 0.3, 4, 2)),
        (PLANES,),
        lambda x: rounded(F.pixel_shuffle(floats(x, 0.1, 1), 2), 0.3, 4),
        "aten.permute_copy.default",
    ),
    "q8ta_linear": (
        Apply(
            lambda x, *own: ops.q8ta_linear(x, 0.02, 3, *own[:3], 0.05, -2, own[3], "relu"),
            MATRIX,
            SUMS,
            SCALES,
            BIAS,
        ),
        (BYTES,),
        lambda x: rounded(product(x).relu(), 0.05, -2),
        "et_vk.linear_int8.default",
    ),
    "q8ta_linear_gemv": (
        Apply(
            lambda x, *own: ops.q8ta_linear_gemv(x, 0.02, 3, *own[:3], 0.05, -2, own[3]),
            MATRIX,
            SUMS,
            F.pad(SCALES, (0, 2)),
            F.pad(BIAS, (0, 2)),
        ),
        (BYTES[:1],),
        lambda x: rounded(product(x), 0.05, -2),
        "et_vk.linear_int8.default",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_operators_of_released_programs(name):
    module, inputs, expected, call = CASES[name]
    wanted = torch.utils._pytree.tree_leaves(expected(*inputs))
    # Of int8, what lies between two numbers may become either.
    step = 1 if wanted[0].dtype is torch.int8 else 1e-5
    for got, want in zip(torch.utils._pytree.tree_leaves(module(*inputs)), wanted, strict=True):
        torch.testing.assert_close(got, want, atol=step, rtol=1e-5)
    delegate = only(lower(module, inputs))
    check(delegate, module, inputs, step)
    assert call in names(delegate)


def test_another_activation_is_refused():
    with pytest.raises(ValueError, match="Way out: 'none' or 'relu'"):
        ops.q8ta_linear(BYTES, 0.02, 3, MATRIX, SUMS, SCALES, 0.05, -2, None, "tanh")

"""The schemas of the operators ``cadence::``: those that models are made of, and for each the out variant that programs call.

What operators have in common is written once: the last arguments of a quantized layer, and the names of its variants for
one kind of integers (``_asym8s`` for int8, ``_asym8u`` for uint8 and so on), which calculate the same.
"""

from __future__ import annotations

from typing import Final

_QUANTIZE: Final = "Tensor input, float scale, int zero_point, int quant_min, int quant_max, ScalarType dtype"
_KINDS: Final = ("8s", "8u", "16s", "16u", "32s")

_PADDED: Final = "int[] stride, SymInt[] padding, int[] dilation"
_CONV: Final = f"Tensor input, Tensor weight, Tensor bias, {_PADDED}, int groups, int input_zero_point"
_TO_OUT: Final = "Tensor weight_zero_point, Tensor bias_scale, float out_scale, int out_zero_point, Tensor out_multiplier, Tensor out_shift"
_TO_OUT_NUMBERS: Final = _TO_OUT.replace("Tensor bias_scale", "float bias_scale").replace("Tensor ", "int ")

_LINEAR: Final = (
    "Tensor src, Tensor weight, Tensor bias, int src_zero_point, Tensor weight_zero_point, Tensor out_multiplier, "
    "Tensor out_shift, int out_zero_point, Tensor? offset"
)
_LINEAR_NUMBERS: Final = (
    "Tensor src, Tensor weight, Tensor bias, int src_zero_point, int weight_zero_point, int out_multiplier, "
    "int out_shift, int out_zero_point, Tensor? offset"
)
_MATMUL: Final = (
    "Tensor X, int X_zero_point, Tensor Y, int Y_zero_point, Tensor? bias, int out_multiplier, int out_shift, "
    "int out_zero_point, bool transposed=False"
)
_BINARY: Final = (
    "Tensor X, Tensor X_scale, Tensor X_zero_point, Tensor Y, Tensor Y_scale, Tensor Y_zero_point, float out_scale, "
    "int out_zero_point"
)
_BINARY_NUMBERS: Final = (
    "Tensor X, float X_scale, int X_zero_point, Tensor Y, float Y_scale, int Y_zero_point, float out_scale, "
    "int out_zero_point"
)
_BINARY_SCALAR: Final = (
    "Tensor X, Tensor X_scale, Tensor X_zero_point, Scalar Y, float out_scale, int out_zero_point"
)
_RELU_NUMBERS: Final = "Tensor X, int X_zero_point, int out_zero_point, int out_multiplier, int out_shift"
_NORM: Final = (
    "int[] normalized_shape, Tensor weight, Tensor bias, float eps, float output_scale, int output_zero_point"
)
_WINDOW: Final = "int[] kernel_size, int[] stride, int[] padding, int[] dilation, bool ceil_mode"
_IM2ROW: Final = "Tensor input, int[2] kernel_size, int[2] dilation, int[2] padding, int[2] stride"
_SOFTMAX: Final = "Tensor input, Tensor mask, int dim, int mask_type, Tensor pos"
_ROPE: Final = "Tensor input, Tensor sin_tensor, Tensor cos_tensor, Tensor? pos"
_WEIGHTS_ONLY: Final = "Tensor input, Tensor weight, float w_scale, Tensor bias, float b_scale"


def _quantization() -> dict[str, str]:
    names = [f"{way}_per_tensor" for way in ("quantize", "dequantize")]
    return {
        "dequantize": "Tensor X, Tensor X_scale, Tensor X_zero_point",
        "requantize": (
            "Tensor input, Tensor in_scale, Tensor in_zero_point, Tensor out_scale, Tensor out_zero_point, ScalarType out_dtype"
        ),
        "requantize.per_tensor": (
            "Tensor input, float in_scale, int in_zero_point, float out_scale, int out_zero_point, ScalarType out_dtype"
        ),
        **dict.fromkeys(names, _QUANTIZE),
        **{f"{name}_asym{kind}": _QUANTIZE for name in names for kind in _KINDS},
    }


def _quantized_convolutions() -> dict[str, str]:
    numbers = f"{_CONV}, {_TO_OUT_NUMBERS}"
    # Those in the order of channels last can have their zero point's part of the sums calculated beforehand.
    sums = f"{numbers}, Tensor? offset=None"
    return {
        "quantized_conv1d_ncl": f"{_CONV}, {_TO_OUT}",
        "quantized_conv1d_ncl.per_tensor": numbers,
        "quantized_conv1d_nlc": f"{_CONV}, {_TO_OUT}",
        "quantized_conv1d_nlc.per_tensor": sums,
        "quantized_conv2d_depthwise_nhwc": numbers,
        "quantized_conv2d_nchw": f"{_CONV}, {_TO_OUT}",
        "quantized_conv2d_nchw.per_tensor": numbers,
        "quantized_conv2d_nhwc": f"{_CONV}, {_TO_OUT}",
        "quantized_conv2d_nhwc.per_tensor": sums,
        "quantized_depthwise_conv1d_ncl.per_tensor": numbers,
        "quantized_depthwise_conv1d_nlc.per_tensor": numbers,
        "quantized_transposed_conv": (
            f"Tensor input, Tensor weight, Tensor bias, {_PADDED}, SymInt[] output_padding, int groups, "
            f"int input_zero_point, {_TO_OUT}, bool channel_last=False"
        ),
        **{
            f"quantized_conv2d_{order}{shape}_asym8{kind}xsym8{kind}_asym8{kind}.per_tensor": numbers
            for order in ("nchw", "nhwc")
            for shape in ("", "_depthwise", "_dilated")
            for kind in "su"
        },
    }


def _quantized_layers() -> dict[str, str]:
    return {
        "quantized_add": _BINARY,
        "quantized_add.per_tensor": _BINARY_NUMBERS,
        "quantized_add_Scalar": _BINARY_SCALAR,
        "quantized_embedding_byte": (
            "Tensor weight, Tensor weight_scales, Tensor? weight_zero_points, Tensor indices, bool pruned_weights=False"
        ),
        "quantized_fully_connected": _LINEAR,
        "quantized_fully_connected.per_tensor": _LINEAR_NUMBERS,
        "quantized_layer_norm": f"Tensor X, Tensor X_scale, Tensor X_zero_point, {_NORM}",
        "quantized_layer_norm.per_tensor": f"Tensor X, float X_scale, int X_zero_point, {_NORM}",
        "quantized_linear": _LINEAR,
        "quantized_linear.per_tensor": _LINEAR_NUMBERS.replace("int ", "SymInt "),
        "quantized_matmul": _MATMUL,
        "quantized_max_pool2d_nchw": f"Tensor input, {_WINDOW}",
        "quantized_max_pool2d_nhwc": f"Tensor input, {_WINDOW}",
        "quantized_mul": _BINARY,
        "quantized_mul.per_tensor": _BINARY_NUMBERS,
        "quantized_mul_Scalar": _BINARY_SCALAR,
        "quantized_relu": "Tensor X, Tensor X_zero_point, int out_zero_point, Tensor out_multiplier, Tensor out_shift",
        "quantized_relu.per_tensor": _RELU_NUMBERS,
        "quantized_rope_rotate_stacked_halves": (
            f"{_ROPE}, float in_scale, int in_zero_point, float out_scale, int out_zero_point"
        ),
        "quantized_softmax": f"{_SOFTMAX}, Tensor in_scale, Tensor in_zero_point, Tensor out_scale, Tensor out_zero_point",
        "quantized_softmax.per_tensor": f"{_SOFTMAX}, float in_scale, int in_zero_point, float out_scale, int out_zero_point",
        "quantized_w8a32_conv": _WEIGHTS_ONLY,
        "quantized_w8a32_gru": (
            "Tensor inputs, Tensor hidden, Tensor weights_inputs, float w_i_scale, Tensor weights_hidden, float w_h_scale, "
            "Tensor bias_inputs, float b_scale, Tensor bias_hidden"
        ),
        "quantized_w8a32_linear": _WEIGHTS_ONLY,
    }


def _variants_for_bytes() -> dict[str, str]:
    return {
        name: arguments
        for kind in ("8s", "8u")
        for name, arguments in {
            f"quantized_add_asym{kind}xasym{kind}_asym{kind}.per_tensor": _BINARY_NUMBERS,
            f"quantized_fully_connected_asym{kind}xasym{kind}_asym{kind}.per_tensor": _LINEAR_NUMBERS,
            f"quantized_linear_asym{kind}xasym{kind}_asym{kind}.per_tensor": _LINEAR_NUMBERS,
            f"quantized_matmul_asym{kind}xasym{kind}_asym{kind}": _MATMUL,
            f"quantized_relu_asym{kind}_asym{kind}.per_tensor": _RELU_NUMBERS,
        }.items()
    }


def _conv(dimensions: int) -> str:
    n = dimensions
    return f"Tensor input, Tensor weight, Tensor bias, int[{n}] stride, SymInt[{n}] padding, int[{n}] dilation, int groups"


_FLOAT: Final = {
    "_softmax_f32_f32": "Tensor self, int dim, bool? half_to_float=None",
    "avg_pool2d": (
        "Tensor input, int[2] kernel_size, int[2] stride=[], int[2] padding=[], bool ceil_mode=False, "
        "bool count_include_pad=True, int? divisor_override=None, Tensor? in_zero_point=None, bool channel_last=False"
    ),
    "conv1d": _conv(1),
    "conv2d": _conv(2),
    "conv3d": _conv(3),
    "fully_connected": "Tensor input, Tensor weight, Tensor? bias=None",
    "idma_copy": "Tensor src, int task_num=0, int channel=0",
    "idma_load": "Tensor src, int task_num=0, int channel=0",
    "idma_store": "Tensor src, int task_num=0, int channel=0",
    "idma_wait": "Tensor src, int task_num=0",
    "im2row": f"{_IM2ROW}, Tensor in_zero_point, bool channel_last=False",
    "im2row.per_tensor": f"{_IM2ROW}, int in_zero_point, bool channel_last=False",
    "roi_align_box_processor": (
        "Tensor rois, int output_size_h, int output_size_w, int sampling_ratio, bool aligned"
    ),
    "rope": _ROPE,
    "rope_rotate_stacked_halves": _ROPE,
    "sdpa_bitwise_mask_gen": "Tensor mask, float threshold",
    "transposed_convolution": (
        f"Tensor input, Tensor weight, Tensor bias, {_PADDED}, SymInt[] output_padding, int groups, bool channel_last=False"
    ),
    "transposed_im2row": f"{_IM2ROW}, int[2] output_padding, Tensor in_zero_point, bool channel_last=False",
    "where_Scalar": "Tensor condition, float self, float other",
}

#: Name and overload of each operator that gives one new tensor -> its arguments.
ARGUMENTS: Final[dict[str, str]] = {
    **_quantization(),
    **_quantized_convolutions(),
    **_quantized_layers(),
    **_variants_for_bytes(),
    **_FLOAT,
}
#: What their out variants call the tensor that is written, where it is not ``out``.
_OUTPUTS: Final = {"quantized_w8a32_conv": "output", "quantized_w8a32_linear": "output"}

#: Operators of another form: the schema, and that of the out variant if there is one.
OTHERS: Final = {
    "linalg_svd": (
        "linalg_svd(Tensor A, bool full_matrices=False, bool compute_uv=True, str? driver=None) -> (Tensor U, Tensor S, Tensor Vh)",
        "linalg_svd.out(Tensor A, bool full_matrices=False, bool compute_uv=True, str? driver=None, *, "
        "Tensor(a!) U, Tensor(b!) S, Tensor(c!) Vh) -> (Tensor(a!) U, Tensor(b!) S, Tensor(c!) Vh)",
    ),
    "slice_scatter_": (
        "slice_scatter_(Tensor(a!) self, Tensor src, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor(a!)",
        None,
    ),
}


def schema(name: str) -> str:
    """The schema of an operator of ``ARGUMENTS``, without the namespace."""
    return f"{name}({ARGUMENTS[name]}) -> Tensor"


def out_name(name: str) -> str:
    """The name of its out variant."""
    return f"{name}_out" if "." in name else f"{name}.out"


def output_of(name: str) -> str:
    """What its out variant calls the tensor that is written."""
    return _OUTPUTS.get(name, "out")


def out_schema(name: str) -> str:
    """The schema of its out variant."""
    return f"{out_name(name)}({ARGUMENTS[name]}, *, Tensor(a!) {output_of(name)}) -> Tensor(a!)"

"""Every own decomposition leaves a size open that only a run tells."""

import pytest
import torch
from torch import ones, rand, randn
from torch._subclasses import FakeTensorMode
from torch.export import Dim
from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv, StatelessSymbolicContext
from torch.utils._pytree import tree_leaves, tree_map_only

from executorch.passes.decomposition.complex_functions import FUNCTIONS
from executorch.passes.decomposition.decompose import decompose
from executorch.passes.decomposition.own_decompositions import OWN_DECOMPOSITIONS
from executorch.passes.programs_for_tests import calls, export

#: The open sizes that programs are run with; the first one is exported. No other dimension of a case has it.
_SIZES = (11, 2, 15)


def _ints(*size, below=3):
    return torch.randint(0, below, size)


def _definite(b):
    x = rand(b, 3, 3)
    return x @ x.mT + torch.eye(3)


def _lower(b):
    return rand(b, 3, 3).tril() + torch.eye(3)


def _matrices(b):
    return randn(b, 3, 4)


def _rows(b):
    return randn(b, 3)


def _spectra(b):
    return torch.complex(_rows(b), _rows(b))


def _weights(b):
    return rand(b, 3)


def _volumes(b):
    return randn(b, 2, 4, 5, 3)


def _points(b):
    return rand(b, 2)


_IN_01 = [0.0, 1.0] * 2
#: Of attention over eight features, which they leave about as large as they are: nothing large cancels.
_GENERATOR = torch.Generator().manual_seed(0)
_PROJECTIONS = tuple(torch.randn(*size, generator=_GENERATOR) / 3 for size in ((24, 8), (24,), (8, 8), (8,)))
#: Stands for the open size where an operator takes no tensor that has it.
_FIRST = "first"

#: The arguments by the open size.
CASES = {
    "aten::_embedding_bag_forward_only": lambda b: (randn(3, 5), _ints(20), torch.arange(b)),
    "aten::_grouped_mm": lambda b: (randn(b, 4, 16).bfloat16(), randn(b, 16, 8).bfloat16()),
    "aten::_int_mm": lambda b: (_ints(b, 8).to(torch.int8), _ints(8, 16).to(torch.int8)),
    "aten::_is_all_true": lambda b: (_rows(b) > 0,),
    "aten::_is_any_true": lambda b: (_rows(b) > 0,),
    "aten::_native_multi_head_attention": lambda b: (*[randn(b, 3, 8)] * 3, 8, 2, *_PROJECTIONS),
    "aten::_transformer_encoder_layer_fwd": lambda b: (
        *(randn(b, 3, 8), 8, 2, *_PROJECTIONS, False, True, 1e-5, *[rand(8)] * 4),
        *(randn(16, 8), randn(16), randn(8, 16), randn(8)),
    ),
    "aten::_trilinear": lambda b: (randn(b, 5), randn(4, 5, 6), randn(b, 6), [1, 3], [0], [1, 2], [2, 3]),
    "aten::adaptive_avg_pool2d": lambda b: (randn(b, 2, 7, 5), [3, 2]),
    "aten::adaptive_max_pool2d": lambda b: (randn(b, 2, 6, 4), [3, 2]),
    "aten::adaptive_max_pool3d": lambda b: (_volumes(b), [3, 2, 2]),
    "aten::addbmm": lambda b: (randn(3, 2), randn(b, 3, 5), randn(b, 5, 2)),
    "aten::as_strided_scatter": lambda b: (randn(b, 6), randn(3, 2), [3, 2], [1, 3], 1),
    "aten::cholesky": lambda b: (_definite(b),),
    "aten::cholesky_inverse": lambda b: (_lower(b),),
    "aten::cholesky_solve": lambda b: (randn(b, 3, 2), _lower(b)),
    "aten::constant_pad_nd": lambda b: (_spectra(b), [1, 2], 1 + 2j),
    "aten::diagonal_scatter": lambda b: (_matrices(b), _rows(b), 1, 1, 2),
    "aten::embedding_renorm": lambda b: (randn(3, 5), _ints(b, 4), 0.5, 2.0),
    "aten::full": lambda b: ([_FIRST, 3], 1 + 2j),
    "aten::full_like": lambda b: (_spectra(b), 2),
    "aten::gather": lambda b: (_rows(b), 1, _ints(b, 6).to(torch.int32)),
    "aten::grid_sampler_3d": lambda b: (_volumes(b), rand(b, 3, 2, 3, 3) * 2 - 1, 0, 0, True),
    "aten::index_reduce": lambda b: (randn(3, 5), 0, _ints(b), randn(b, 5), "mean"),
    "aten::inverse": lambda b: (_definite(b),),
    "aten::linalg_cholesky": lambda b: (_definite(b),),
    "aten::linalg_inv": lambda b: (_definite(b),),
    "aten::linalg_lu": lambda b: (_matrices(b),),
    "aten::linalg_lu_factor": lambda b: (_matrices(b),),
    "aten::linalg_pinv.atol_rtol_tensor": lambda b: (_matrices(b),),
    "aten::linalg_solve": lambda b: (_definite(b), randn(b, 3, 2)),
    "aten::median": lambda b: (_matrices(b),),
    "aten::nanmedian": lambda b: (_matrices(b),),
    "aten::nanmedian.dim": lambda b: (_matrices(b), 0),
    "aten::ormqr": lambda b: (randn(b, 5, 3), _rows(b), randn(b, 5, 2)),
    "aten::polar": lambda b: (_weights(b), _rows(b)),
    "aten::put": lambda b: (_rows(b), torch.arange(b) - 1, randn(b)),
    "aten::round.decimals": lambda b: (_rows(b), {"decimals": 2}),
    "aten::rrelu_with_noise_functional": lambda b: (_rows(b), ones(b, 3)),
    "aten::scatter.reduce": lambda b: (_rows(b), 1, _ints(b, 2), randn(b, 2), {"reduce": "add"}),
    "aten::scatter.value_reduce": lambda b: (_rows(b), 1, _ints(b, 2), 2.0, {"reduce": "multiply"}),
    "aten::triangular_solve": lambda b: (randn(b, 3, 2), _lower(b), False),
    "aten::var_mean.correction": lambda b: (_matrices(b), [0]),
    # Complex numbers.
    **{name: lambda b: (_spectra(b),) for name in FUNCTIONS},
    "aten::addmm": lambda b: (_spectra(b), _spectra(b), _spectra(3), {"beta": 0.5, "alpha": 2}),
    "aten::all": lambda b: (_spectra(b),),
    "aten::all.dim": lambda b: (_spectra(b), 1),
    "aten::any": lambda b: (_spectra(b),),
    "aten::any.dim": lambda b: (_spectra(b), 1),
    "aten::any.dims": lambda b: (_spectra(b), [0]),
    "aten::cumsum": lambda b: (_spectra(b), 0),
    "aten::diag_embed": lambda b: (_spectra(b),),
    "aten::eq.Scalar": lambda b: (_spectra(b), 1 + 2j),
    "aten::eq.Tensor": lambda b: (_spectra(b), _rows(b)),
    "aten::index_put": lambda b: (_spectra(b), [_ints(4, below=2)], _spectra(4), True),
    "aten::isinf": lambda b: (_spectra(b),),
    "aten::isnan": lambda b: (_spectra(b),),
    "aten::logical_and": lambda b: (_spectra(b), _rows(b)),
    "aten::logical_not": lambda b: (_spectra(b),),
    "aten::logical_or": lambda b: (_spectra(b), _rows(b)),
    "aten::logical_xor": lambda b: (_spectra(b), _rows(b)),
    "aten::masked_fill.Scalar": lambda b: (_spectra(b), _rows(b) > 0, 1 + 2j),
    "aten::masked_fill.Tensor": lambda b: (_spectra(b), _rows(b) > 0, torch.tensor(1 + 2j)),
    "aten::mm": lambda b: (_spectra(b), _spectra(3)),
    "aten::mul.Scalar": lambda b: (_spectra(b), 1 + 2j),
    "aten::ne.Scalar": lambda b: (_spectra(b), 1 + 2j),
    "aten::ne.Tensor": lambda b: (_spectra(b), _rows(b)),
    "aten::nonzero": lambda b: (_spectra(b),),
    "aten::pow.Scalar": lambda b: (2.0, _spectra(b)),
    "aten::pow.Tensor_Scalar": lambda b: (_spectra(b), 1 + 2j),
    "aten::pow.Tensor_Tensor": lambda b: (_spectra(b), _rows(b)),
    "aten::scatter.value": lambda b: (_spectra(b), 1, _ints(b, 2), 1 + 2j),
    "aten::scatter_add": lambda b: (_spectra(b), 1, _ints(b, 2), _spectra(b)),
    "aten::select_scatter": lambda b: (_spectra(b), _spectra(b)[:, 0], 1, 2),
    "aten::sum": lambda b: (_rows(b), {"dtype": torch.complex64}),
    "aten::sum.dim_IntList": lambda b: (_rows(b), [0], {"dtype": torch.complex64}),
    "aten::tril": lambda b: (_spectra(b),),
    "aten::triu": lambda b: (_spectra(b),),
    "aten::var.correction": lambda b: (_spectra(b), [0], {"correction": 1}),
    "aten::where.self": lambda b: (_rows(b) > 0, _spectra(b), _rows(b)),
}
#: What is in these is random, or what lay there.
UNCERTAIN_CASES = {
    "aten::_standard_gamma": lambda b: (_weights(b),),
    "aten::bernoulli.Tensor": lambda b: (_rows(b), _weights(b)),
    "aten::bernoulli.p": lambda b: (_rows(b), 0.3),
    "aten::empty_permuted": lambda b: ([_FIRST, 3, 5], [0, 2, 1]),
    "aten::multinomial": lambda b: (_weights(b), 2),
    "aten::normal.Tensor_Tensor": lambda b: (_rows(b), rand(3)),
    "aten::normal.Tensor_float": lambda b: (_rows(b), 2.0),
    "aten::normal.float_Tensor": lambda b: (2.0, _weights(b)),
    "aten::normal.float_float": lambda b: (0.0, 1.0, [_FIRST, 3]),
    "aten::normal_functional": lambda b: (_rows(b), 0.0, 1.0),
    "aten::poisson": lambda b: (_weights(b),),
    "aten::rand_like": lambda b: (_rows(b),),
    "aten::randint_like": lambda b: (_rows(b), 5),
    "aten::randint_like.low_dtype": lambda b: (_rows(b), 2, 5),
    "aten::randn_like": lambda b: (_rows(b),),
    "aten::random": lambda b: (_rows(b),),
    "aten::random.to": lambda b: (_rows(b), 7),
    "aten::uniform": lambda b: (_rows(b),),
}
#: Torch exports these for the example's sizes alone: most have no rule there that says what they give.
UNEXPORTED_CASES = {
    "aten::_fake_quantize_per_tensor_affine_cachemask_tensor_qparams": lambda b: (
        (_matrices(b), ones(1), torch.zeros(1, dtype=torch.int32), ones(1), 0, 255)
    ),
    "aten::_histogramdd_bin_edges": lambda b: (_points(b), [3, 2]),
    "aten::_histogramdd_from_bin_cts": lambda b: (_points(b), [3, 2], {"range": _IN_01}),
    "aten::_histogramdd_from_bin_tensors": lambda b: (_points(b), [torch.linspace(0, 1, 4)] * 2),
    "aten::_sample_dirichlet": lambda b: (_weights(b),),
    "aten::binomial": lambda b: (ones(b, 5), rand(b, 5)),
    "aten::conv_tbc": lambda b: (randn(4, b, 3), randn(2, 3, 5), randn(5), 1),
    "aten::fake_quantize_per_channel_affine_cachemask": lambda b: (
        (_rows(b), rand(b), torch.zeros(b, dtype=torch.int32), 0, 0, 255)
    ),
    "aten::fake_quantize_per_tensor_affine_cachemask": lambda b: (_matrices(b), 0.1, 3, 0, 255),
    "aten::mean": lambda b: (_spectra(b),),
    "aten::mean.dim": lambda b: (_spectra(b), [0]),
}


@pytest.fixture(autouse=True)
def _the_same_numbers_each_time():
    torch.manual_seed(0)


class _Operator:
    """The call of an operator with the arguments of a case; ``first`` has the open size, others are its tensors."""

    def __init__(self, name, args):
        packet, _, overload = name.removeprefix("aten::").partition(".")
        self.op = getattr(getattr(torch.ops.aten, packet), overload or "default")
        self._args = args

    def __call__(self, first, *tensors):
        return self.call(self.op, first, *tensors)

    def call(self, function, first, *tensors):
        given = iter(tensors)
        args = tree_map_only(torch.Tensor, lambda _: next(given), list(self._args))
        args = tree_map_only(str, lambda arg: first.shape[0] if arg is _FIRST else arg, args)
        kwargs = args.pop() if isinstance(args[-1], dict) else {}
        return function(*args, **kwargs)


def _inputs(case, size):
    return (torch.zeros(size), *(arg for arg in tree_leaves(case(size)) if isinstance(arg, torch.Tensor)))


def _open_dims(given):
    return [dim for dim, size in enumerate(given.shape) if size == _SIZES[0]]


def _decomposed(name, case):
    """The operator, and a program of it at the first of the sizes after decomposition."""
    operator, inputs = _Operator(name, case(_SIZES[0])), _inputs(case, _SIZES[0])
    shapes = tuple(dict.fromkeys(_open_dims(given), Dim.DYNAMIC) for given in inputs)
    program = export(operator, *inputs, dynamic_shapes=shapes)
    assert str(operator.op) in calls(program)
    local = decompose(program)
    assert calls(local) != calls(program)
    return operator, local.module()


@pytest.mark.parametrize("name", CASES)
def test_any_size_runs(name):
    operator, module = _decomposed(name, CASES[name])
    for size in _SIZES:
        inputs = _inputs(CASES[name], size)
        torch.testing.assert_close(module(*inputs), operator(*inputs))


@pytest.mark.parametrize("name", UNCERTAIN_CASES)
def test_any_size_is_drawn(name):
    operator, module = _decomposed(name, UNCERTAIN_CASES[name])
    for size in _SIZES:
        inputs = _inputs(UNCERTAIN_CASES[name], size)
        assert module(*inputs).shape == operator(*inputs).shape


@pytest.mark.parametrize("name", UNEXPORTED_CASES)
def test_a_decomposition_alone_fixes_no_size(name):
    environment = ShapeEnv()
    mode = FakeTensorMode(shape_env=environment)
    inputs = []
    for given in _inputs(UNEXPORTED_CASES[name], _SIZES[0]):
        sizes = [DimDynamic.STATIC] * given.dim()
        for dim in _open_dims(given):
            sizes[dim] = DimDynamic.DYNAMIC
        inputs.append(mode.from_tensor(given, symbolic_context=StatelessSymbolicContext(sizes)))
    operator = _Operator(name, UNEXPORTED_CASES[name](_SIZES[0]))
    with mode:
        operator.call(OWN_DECOMPOSITIONS[name], *inputs)
    assert not any(size.is_number for size in environment.replacements.values())


def test_all_are_here():
    others = {"transformers::grouped_mm_fallback"}  # the one of aten::_grouped_mm, where `transformers` is
    assert OWN_DECOMPOSITIONS.keys() - others == {*CASES, *UNCERTAIN_CASES, *UNEXPORTED_CASES}

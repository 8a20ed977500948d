"""Every kernel that PyTorch's sample inputs reach: outputs that grow, and arguments that must fail.

A program comes from a file. Whatever it passes, a kernel fails through its context or computes; it never crashes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import torch

from executorch.kernels import coverage
from executorch.kernels.test.op_driver import OpDriver, Out, Result
from executorch.kernels.test.oracle import assert_same, bind, call_out, registry_name

# Whose outputs are views of nothing, have no order, or take any size.
_OUTPUT_DECIDES = ("rand", "dropout", "empty", "resize", "bernoulli", "normal")
# PyTorch's samples use what it will remove.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

_FAR = (40, -40, 1 << 62, -(1 << 62))


@dataclass
class Call:
    """A call that succeeds, as a kernel has it.

    Attributes:
        variant: The operator with outputs.
        bound: Its inputs by name.
        expected: Eager's results.
    """

    variant: Any
    bound: dict[str, Any]
    expected: list[torch.Tensor]

    @property
    def name(self) -> str:
        """The kernel's."""
        return registry_name(self.variant)

    def run(self, driver: OpDriver, outs: list[Out], /, **changed: Any) -> Result:
        """Calls the kernel; raises RuntimeError if it crashes."""
        return call_out(driver, self.variant, {**self.bound, **changed}, outs, temp_bytes=1 << 20)

    def outs(self, replaced: dict[int, torch.Tensor] | None = None) -> list[Out]:
        """Outputs like the results, but for some."""
        return [Out(like=(replaced or {}).get(i, t)) for i, t in enumerate(self.expected)]


def sample_calls() -> Iterator[Call]:
    """One call of each operator, with Float or else with Long."""
    names = coverage.registered()
    variants: dict[Any, Any] = {}
    seen = set()
    for info in coverage.op_db:
        for dtype in (torch.float32, torch.int64):
            for call in coverage.sample_calls(info, dtype, 1) if info.supports_dtype(dtype, "cpu") else ():
                func, args, kwargs, result = call
                if func in seen or not coverage.is_plain([args, kwargs, result]):
                    continue
                if func not in variants:
                    variants[func] = coverage.out_variant(func, names)
                variant = variants[func]
                if variant is None or any(word in registry_name(variant) for word in _OUTPUT_DECIDES):
                    continue
                seen.add(func)
                bound = {
                    k: coverage.dense(v) if isinstance(v, torch.Tensor) else v
                    for k, v in bind(func, args, kwargs).items()
                }
                results = [result] if isinstance(result, torch.Tensor) else list(result)
                yield Call(variant, bound, [coverage.dense(t) for t in results])


@pytest.fixture(scope="module")
def driver():
    driver = OpDriver()
    yield driver
    driver.close()


@pytest.fixture(scope="module")
def calls(driver):
    """The calls that succeed as they are."""
    found = [call for call in sample_calls() if call.run(driver, call.outs()).error == 0]
    assert len(found) > 150
    return found


def failures(calls: list[Call], check: Callable[[Call], Iterator[str]]) -> dict[str, list[str]]:
    """What a check finds, by kernel."""
    found: dict[str, list[str]] = defaultdict(list)
    for call in calls:
        for problem in check(call):
            found[call.name].append(problem)
    return dict(found)


def test_outputs_grow_to_their_bounds(driver, calls):
    free = coverage._TIES | coverage._FREE_FACTORS.keys()

    def check(call: Call) -> Iterator[str]:
        outs = []
        for t in call.expected:
            bound = torch.empty([size + 3 for size in t.shape], dtype=t.dtype)
            dynamic = t.is_contiguous() and t.dim() > 0
            sizes = [0, *(size + 1 for size in t.shape[1:])] if dynamic else None
            outs.append(Out(like=bound if dynamic else t, sizes=sizes, dynamic=dynamic))
        result = call.run(driver, outs)
        if result.error:
            yield f"fails with 0x{result.error:x}"
            return
        for actual, reference in zip(result.outputs, call.expected, strict=True):
            if actual.shape != reference.shape:
                yield f"has shape {tuple(actual.shape)} instead of {tuple(reference.shape)}"
            elif call.name not in free and reference.is_floating_point():
                try:
                    assert_same(actual, reference, (1e-3, 1e-3))
                except AssertionError as error:
                    yield str(error)

    assert failures(calls, check) == {}


def test_outputs_of_another_shape_fail(driver, calls):
    def check(call: Call) -> Iterator[str]:
        for i, t in enumerate(call.expected):
            wrong = [torch.empty(*t.shape, 2, dtype=t.dtype)]
            if t.dim() > 0:
                wrong.append(torch.empty(*t.shape[:-1], t.shape[-1] + 1, dtype=t.dtype))
            for like in wrong:
                if call.run(driver, call.outs({i: like})).error == 0:
                    yield f"output {i} of {tuple(like.shape)} instead of {tuple(t.shape)}"

    assert failures(calls, check) == {}


def test_dimensions_out_of_range_fail(driver, calls):
    def check(call: Call) -> Iterator[str]:
        for argument in call.variant._schema.arguments:
            value = call.bound.get(argument.name)
            is_dim = argument.name in ("dim", "dim0", "dim1") and str(argument.type) == "int"
            if is_dim and isinstance(value, int):
                for far in _FAR:
                    if call.run(driver, call.outs(), **{argument.name: far}).error == 0:
                        yield f"{argument.name} = {far}"

    assert failures(calls, check) == {}


def test_memory_formats_that_do_not_exist_fail(driver, calls):
    def check(call: Call) -> Iterator[str]:
        if "memory_format" in call.bound:
            for number in (-1, 4, 7):
                if call.run(driver, call.outs(), memory_format=number).error == 0:
                    yield f"memory_format = {number}"

    assert any("memory_format" in call.bound for call in calls)
    assert failures(calls, check) == {}


def test_outputs_that_cannot_hold_the_result_fail(driver, calls):
    # What eager converts, too: the output's dtype says what is calculated.
    converts = (
        "arange",
        "sum",
        "prod",
        "cumsum",
        "cumprod",
        "_to_copy",
        "full_like",
        "scalar_tensor",
        "zeros",
    )

    def check(call: Call) -> Iterator[str]:
        if call.name.removeprefix("aten::").partition(".")[0] in converts:
            return
        for i, t in enumerate(call.expected):
            integers = call.outs({i: t.to(torch.int32)})
            if t.is_floating_point() and t.numel() > 0 and call.run(driver, integers).error == 0:
                yield f"output {i} of Int instead of {t.dtype}"

    assert failures(calls, check) == {}


def test_no_integers_crash(driver, calls):
    for call in calls:
        for argument in call.variant._schema.arguments:
            value = call.bound.get(argument.name)
            kind = str(argument.type)
            if kind in ("int", "Optional[int]") and type(value) is int:
                for far in (*_FAR, 0, -1):
                    call.run(driver, call.outs(), **{argument.name: far})
            elif kind in ("List[int]", "Optional[List[int]]") and isinstance(value, (list, tuple)):
                for far in _FAR:
                    call.run(driver, call.outs(), **{argument.name: [far] * max(len(value), 1)})
                call.run(driver, call.outs(), **{argument.name: []})
                call.run(driver, call.outs(), **{argument.name: [*value, 1]})


def test_no_shapes_crash(driver, calls):
    shapes: list[tuple[int, ...]] = [(), (0,), (2, 0, 3), (5,), (1, 1), (2, 3, 1, 2, 2, 1)]
    for call in calls:
        for name, value in call.bound.items():
            if isinstance(value, torch.Tensor):
                for shape in shapes:
                    call.run(driver, call.outs(), **{name: value.new_ones(shape)})
                for dtype in (
                    torch.complex64,
                    torch.bool,
                    torch.uint8,
                    torch.float64,
                    torch.float16,
                    torch.uint16,
                ):
                    call.run(driver, call.outs(), **{name: torch.ones(value.shape).to(dtype)})

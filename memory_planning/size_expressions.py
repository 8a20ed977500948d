"""Numbers of bytes as functions of the sizes of a method's inputs, simple enough for the runtime to evaluate.

A function is a sequence of steps on a stack: a number is pushed; `$k` pushes the k-th size of the inputs; `+ - * / < >` take
two numbers and push their sum, difference, product, quotient rounded down, minimum and maximum.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import torch

Step = int | str
"""A number to push, or `$k`, or an operator."""


class NoFunctionError(Exception):
    """A size cannot be written so, or might shrink where a size of an input grows."""


def evaluate(steps: Sequence[Step], sizes: Sequence[int]) -> int:
    """What a function gives for the sizes of the inputs; as the runtime computes it.

    Raises:
        ZeroDivisionError: the function divides by zero.
    """
    stack: list[int] = []
    for step in steps:
        if isinstance(step, int):
            stack.append(step)
        elif step.startswith("$"):
            stack.append(sizes[int(step[1:])])
        else:
            right = stack.pop()
            stack[-1] = _apply(step, stack[-1], right)
    return stack.pop()


def _apply(operator: str, left: int, right: int) -> int:
    match operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/":
            return left // right
        case "<":
            return min(left, right)
    return max(left, right)


def bytes_of(value: torch.Tensor, symbols: Mapping[Any, int]) -> list[Step]:
    """The bytes of a dense tensor, which never shrink where one of the inputs' sizes grows.

    Args:
        value: with symbolic sizes.
        symbols: sympy symbol -> number of the input's size that it stands for. Other symbols count with their upper bounds.

    Raises:
        NoFunctionError: there is no such function.
    """
    steps: list[Step] = [
        value.element_size() * math.prod(size for size in value.shape if isinstance(size, int))
    ]
    for size in value.shape:
        if not isinstance(size, int):
            steps += [*_Writer(size.node.shape_env, symbols).steps(size.node.expr), "*"]
    return steps


class _Writer:
    def __init__(self, shape_env: Any, symbols: Mapping[Any, int]) -> None:
        self.shape_env = shape_env
        self.symbols = symbols

    def steps(self, expr: Any) -> list[Step]:
        """A sympy expression that grows with each of its symbols, or does not depend on them."""
        import sympy  # slow to import; only programs with symbolic sizes come here
        from torch.utils._sympy.functions import FloorDiv, Max, Min

        if expr.is_Integer:
            return [int(expr)] if expr >= 0 else [0, -int(expr), "-"]
        if expr.is_Symbol:
            return [f"${self.symbols[expr]}"] if expr in self.symbols else [self._bound(expr)]
        if isinstance(expr, sympy.Add):
            # A number to subtract comes last, so that no step begins with nothing.
            terms = sorted(expr.args, key=lambda term: bool(term.is_Integer))
            return self._joined("+", terms)
        if isinstance(expr, sympy.Mul) and all(self._is_never_negative(factor) for factor in expr.args):
            return self._joined("*", expr.args)
        if (
            isinstance(expr, sympy.Pow)
            and expr.exp.is_Integer
            and expr.exp > 0
            and self._is_never_negative(expr.base)
        ):
            return self._joined("*", [expr.base] * int(expr.exp))
        if isinstance(expr, FloorDiv) and expr.args[1].is_Integer and expr.args[1] > 0:
            return [*self.steps(expr.args[0]), int(expr.args[1]), "/"]
        if isinstance(expr, (Max, Min)):
            return self._joined(">" if isinstance(expr, Max) else "<", expr.args)
        raise NoFunctionError(f"{expr} has no simple form that grows with its symbols")

    def _joined(self, operator: str, parts: Sequence[Any]) -> list[Step]:
        steps = self.steps(parts[0])
        for part in parts[1:]:
            if operator == "+" and part.is_Integer and part < 0:
                steps += [-int(part), "-"]
            else:
                steps += [*self.steps(part), operator]
        return steps

    def _is_never_negative(self, expr: Any) -> bool:
        return bool(self._range(expr).lower >= 0)

    def _bound(self, symbol: Any) -> int:
        upper = self._range(symbol).upper
        if not upper.is_Integer or upper >= 2**31:
            raise NoFunctionError(f"{symbol} is no size of an input and has no upper bound")
        return int(upper)

    def _range(self, expr: Any) -> Any:
        from torch.utils._sympy.value_ranges import bound_sympy

        return bound_sympy(expr, self.shape_env.var_to_range)


__all__ = ["NoFunctionError", "Step", "bytes_of", "evaluate"]

"""Conditions and loops as jumps: bodies are emitted in place, their placeholders standing for other values.

A condition jumps over the branch that is not taken; each branch ends by redirecting the condition's results to
its own values.

A loop keeps what it carries from round to round in the places of its results. The initial values are copied there
first, the bodies read them there, and at the end of a round the new values are copied over the old ones. Rows
of sequences are copied out one at a time, and the rows of stacked results are copied in. Numbers are moved.

    while_loop                                   scan, map_impl
          results <- initial values                    results <- initial values
    top:  the condition's body                         count <- 0, rows <- size of the first sequence
          jump to end if false                   top:  one row of each sequence
          the body                                     the body
          results <- new values                        one row of each stacked result
          jump to top                                  results <- new values
    end:                                               count <- count + 1
                                                       jump to top unless count = rows

Torch refuses sequences without rows, and so does the copy of the first one here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from torch.fx import Node

from executorch.dialects import meta_keys
from executorch.dialects.control_flow import Loop, body_module, body_results
from executorch.dialects.tensor_spec import TensorSpec
from executorch.emitter.errors import EmissionError
from executorch.emitter.instructions import InstructionList, Scope
from executorch.schema.program import Bool, Int

EmitNodes = Callable[[Scope], None]
"""Emits all nodes of a graph whose placeholders have values."""

_SIZE: Final = ("aten::sym_size", "int")
_ROW: Final = ("aten::select_copy", "int_out")
_STACK: Final = ("executorch_prim::et_copy_index", "tensor")
_COPY: Final = ("aten::copy_", "")
_COPY_WITH_SIZE: Final = ("aten::clone", "out")
_ADD: Final = ("executorch_prim::add", "Scalar")
_EQUAL: Final = ("executorch_prim::eq", "Scalar")


@dataclass(frozen=True)
class ControlFlow:
    """Emits control flow of one method into its instruction list."""

    code: InstructionList
    emit_nodes: EmitNodes

    def condition(self, scope: Scope, node: Node, results: Sequence[int]) -> None:
        """Emits a `cond`; `results` are the values that its branches redirect."""
        predicate, true_body, false_body, operands = node.args
        arguments = [self.code.argument(scope, operand) for operand in operands]  # type: ignore[union-attr]
        to_false = self.code.jump_if_false(node, self.code.argument(scope, predicate))
        self._branch(node, scope[true_body], arguments, results)  # type: ignore[index]
        to_end = self.code.jump(node)
        to_false.destination_instruction = len(self.code)
        self._branch(node, scope[false_body], arguments, results)  # type: ignore[index]
        to_end.destination_instruction = len(self.code)

    def _branch(self, node: Node, body: Any, arguments: Sequence[int], results: Sequence[int]) -> None:
        inner = Scope(body)
        inner.numbers.update(zip(body.graph.find_nodes(op="placeholder"), arguments, strict=True))
        self.emit_nodes(inner)
        for value, result in zip(body_results(body), results, strict=True):
            self.code.move(node, self.code.argument(inner, value), result)

    def loop(self, scope: Scope, loop: Loop, results: Sequence[int]) -> None:
        """Emits a loop; `results` are its last carried values and its stacked rows."""
        initial = [self.code.argument(scope, value) for value in loop.carried]
        shared = [self.code.argument(scope, value) for value in loop.shared]
        carried = _Carried(self.code, loop.node, results[: len(initial)])
        carried.set(initial)
        if loop.condition is not None:
            self._while(scope, loop, carried, shared)
        else:
            self._rows(scope, loop, carried, results[len(initial) :], shared)

    def _while(self, scope: Scope, loop: Loop, carried: _Carried, shared: Sequence[int]) -> None:
        assert loop.condition is not None
        top = len(self.code)
        condition = self._round(scope, loop, loop.condition, carried.places, (), shared)
        (holds,) = body_results(condition.module)
        to_end = self.code.jump_if_false(loop.node, self.code.argument(condition, holds))
        body = self._round(scope, loop, loop.body, carried.places, (), shared)
        new, _ = loop.results_of_body(body.module)
        carried.set([self.code.argument(body, value) for value in new])
        self.code.jump(loop.node, top)
        to_end.destination_instruction = len(self.code)

    def _rows(
        self, scope: Scope, loop: Loop, carried: _Carried, stacked: Sequence[int], shared: Sequence[int]
    ) -> None:
        code, node, values = self.code, loop.node, self.code.values
        if not loop.sequences:
            raise EmissionError("a loop over rows has no sequence, so nothing says how often it runs")
        sequences = [code.argument(scope, sequence) for sequence in loop.sequences]
        dimension, one = values.constant(0), values.constant(1)
        rows, is_last = values.new(Int(0)), values.new(Bool(False))
        code.kernel(node, _SIZE, [sequences[0], dimension, rows])
        count = code.counter(node)
        top = len(code)
        inputs = [self._place(row) for row in loop.inputs_of_body(body_module(scope.module, loop.body))[1]]
        for sequence, row in zip(sequences, inputs, strict=True):
            code.kernel(node, _ROW, [sequence, dimension, count, row, row])
        body = self._round(scope, loop, loop.body, carried.places, inputs, shared)
        new, pieces = loop.results_of_body(body.module)
        for piece, result in zip(pieces, stacked, strict=True):
            code.kernel(node, _STACK, [result, code.argument(body, piece), count])
        carried.set([code.argument(body, value) for value in new])
        code.kernel(node, _ADD, [count, one, count])
        code.kernel(node, _EQUAL, [count, rows, is_last])
        code.jump_if_false(node, is_last, top)

    def _round(
        self,
        scope: Scope,
        loop: Loop,
        body: Node,
        carried: Sequence[int],
        rows: Sequence[int],
        shared: Sequence[int],
    ) -> Scope:
        inner = Scope(body_module(scope.module, body))
        placeholders = inner.module.graph.find_nodes(op="placeholder")
        inner.numbers.update(zip(placeholders, [*carried, *rows, *shared], strict=True))
        self.emit_nodes(inner)
        return inner

    def _place(self, placeholder: Node) -> int:
        spec = placeholder.meta.get(meta_keys.SPEC)
        if not isinstance(spec, TensorSpec):
            raise EmissionError(f"the rows of a sequence are tensors, but {placeholder.name} is {spec!r}")
        return self.code.values.tensor(spec)


@dataclass(frozen=True)
class _Carried:
    """The places of carried values."""

    code: InstructionList
    node: Node
    places: Sequence[int]

    def set(self, sources: Sequence[int]) -> None:
        """Copies new values into the places, one after the other.

        A source may be a place itself: numbers that would be overwritten before their turn are put aside first;
        `LoopResultsPass` has made copies of such tensors.
        """
        overwritten: set[int] = set()
        sources = list(sources)
        for position, place in enumerate(self.places):
            if sources[position] in overwritten:
                sources[position] = self._put_aside(sources[position])
            if sources[position] != place:
                overwritten.add(place)
        for source, place in zip(sources, self.places, strict=True):
            if source != place:
                self._copy(source, place)

    def _put_aside(self, source: int) -> int:
        if self.code.values.is_tensor(source):
            raise EmissionError(
                "a round hands on a value that it is about to overwrite. Way out: run LoopResultsPass, as "
                "to_executorch does."
            )
        number = self.code.values.new(replace(self.code.values.values[source].val))
        self.code.move(self.node, source, number)
        return number

    def _copy(self, source: int, place: int) -> None:
        values = self.code.values
        if not values.is_tensor(place):
            self.code.move(self.node, source, place)
        elif values.is_static(place):
            self.code.kernel(self.node, _COPY, [place, source, values.constant(False), place])
        else:
            # Unlike copy_, this one gives the place the size of the source.
            self.code.kernel(self.node, _COPY_WITH_SIZE, [source, values.constant(None), place, place])

"""Finds chains of operators that are quantized as one, under its published name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from torch.fx import Node
from torch.utils import _pytree as pytree
from torchao.quantization.pt2e.quantizer import QuantizationConfig

from executorch.backends.arm.published.quantizer.arm_quantizer_utils import PatternCheck

#: Observers that keep histograms end with an error above it.
_LARGEST_SCALAR = 3.4028235e15


@dataclass
class PatternMatchResult:
    """A chain of nodes; ``message`` says why it is not accepted."""

    pattern: list[Node]
    accepted: bool
    message: str | None = None


class PatternMatcher:
    """Finds the longest chains that are accepted, each node in one at most.

    Args:
        support_dict: operators one behind the other -> what they must be besides, None for nothing.
        support_dict_name: where the table stands, for reports.
    """

    Q_PATTERN_MATCHED_KEY = "quantizer_matched"
    REJECT_LARGE_SCALAR = "Tried quantizing a node with a scalar that observers cannot take."
    REJECT_UNSUPPORTED_PATTERN = "Tried quantizing an unsupported pattern."
    REJECT_UNSUPPORTED_QCONFIG = "Tried quantizing a pattern with an unsupported quantization config."

    def __init__(
        self,
        support_dict: Mapping[tuple[Any, ...], type[PatternCheck] | None],
        support_dict_name: str | None = None,
    ) -> None:
        self.support_dict = support_dict
        self.support_dict_name = support_dict_name
        self._patterns = sorted(support_dict.items(), key=lambda one: -len(one[0]))

    def find_pattern_matches(
        self, nodes: Iterator[Node], quantization_config: QuantizationConfig | None
    ) -> Iterator[PatternMatchResult]:
        """What is accepted and what is not among ``nodes``; inputs and outputs are accepted as they are.

        What is accepted is marked, and not found again.
        """
        chosen = list(nodes)
        for node in chosen:
            if self._is_taken(node):
                continue
            if node.op in ("placeholder", "output"):
                yield self._accept([node])
                continue
            for targets, check in self._patterns:
                pattern = self._chain(node, targets, set(chosen))
                if pattern is None:
                    continue
                why = self._refusal(pattern, check, quantization_config)
                yield self._accept(pattern) if why is None else PatternMatchResult(pattern, False, why)
                if why is None:
                    break

    def _is_taken(self, node: Node) -> bool:
        return bool(node.meta.get(self.Q_PATTERN_MATCHED_KEY, False))

    def _accept(self, pattern: list[Node]) -> PatternMatchResult:
        for node in pattern:
            node.meta[self.Q_PATTERN_MATCHED_KEY] = True
        return PatternMatchResult(pattern, True)

    def _chain(self, node: Node, targets: tuple[Any, ...], chosen: set[Node]) -> list[Node] | None:
        """The nodes from this one on that call ``targets``; what lies within is read by the next alone."""
        found: list[Node] = []
        for target in targets:
            if found:
                if len(found[-1].users) != 1:
                    return None
                node = next(iter(found[-1].users))
            if node.target != target or node not in chosen or self._is_taken(node):
                return None
            found.append(node)
        return found

    def _refusal(
        self, pattern: list[Node], check: type[PatternCheck] | None, config: QuantizationConfig | None
    ) -> str | None:
        numbers = [
            one
            for node in pattern
            for one in pytree.tree_leaves((node.args, node.kwargs))
            if isinstance(one, int | float)
        ]
        if any(_LARGEST_SCALAR < abs(one) < float("inf") for one in numbers):
            return self.REJECT_LARGE_SCALAR
        if check is not None and not check.check_pattern(pattern):
            return self.REJECT_UNSUPPORTED_PATTERN
        if check is not None and not check.check_quantization_config(pattern, config):
            return self.REJECT_UNSUPPORTED_QCONFIG
        return None

"""What is to be quantized, and how: rules over the names of weights, of which the first that fits counts."""

from __future__ import annotations

import re
from dataclasses import dataclass

_LAYER = re.compile(r"(?:^|\.)layers\.(\d+)(?:\.|$)")


@dataclass(frozen=True)
class QuantConfig:
    """How a weight is quantized.

    Args:
        bits: of an element.
        group_size: columns that share a scale.
        symmetric: zero is in the middle, instead of where the group's range puts it.
        method: ``min_max``, a scale of the range; or ``hqq``, half-quadratic quantization, which lessens the error.
    """

    bits: int
    group_size: int
    symmetric: bool
    method: str


@dataclass(frozen=True)
class QuantRule:
    """A regular expression that a weight's whole name has to match, and what it gets.

    Args:
        pattern: of names like ``layers.3.mlp.down_proj.weight``.
        config: None leaves these weights as they are.
        layers: numbers of layers that the rule is for; by default it is for all, and for what is in no layer.
    """

    pattern: str
    config: QuantConfig | None
    layers: set[int] | None = None


@dataclass(frozen=True)
class QuantRecipe:
    """Rules, of which the first that fits counts; a weight that none fits is left as it is."""

    rules: list[QuantRule]

    def get_config(self, fqn: str) -> QuantConfig | None:
        """How the weight of a name is to be quantized, or None."""
        layer = self._extract_layer_idx(fqn)
        for rule in self.rules:
            if rule.layers is not None and layer not in rule.layers:
                continue
            if re.fullmatch(rule.pattern, fqn):
                return rule.config
        return None

    @staticmethod
    def _extract_layer_idx(fqn: str) -> int | None:
        found = _LAYER.search(fqn)
        return None if found is None else int(found[1])

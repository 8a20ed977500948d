"""Released passes over recurrent layers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from torch.export import ExportedProgram
from torch.fx import Node

from executorch.backends.arm.quantizer.finite import DISALLOW_TFA_META_KEY
from executorch.backends.transforms.decompose_recurrent import GRU, LSTM, RNN, DecomposeRecurrent
from executorch.dialects.torch_types import OpOverload


class _RecurrentPass(DecomposeRecurrent):
    """Args: as of the other released passes."""

    _operators: ClassVar[Iterable[OpOverload]]

    def __init__(self, exported_program: ExportedProgram | None = None, *, tfa_pass: bool = False) -> None:
        super().__init__(self._operators)
        self.is_tfa_pass = tfa_pass

    def accepts(self, node: Node) -> bool:
        return not (self.is_tfa_pass and node.meta.get(DISALLOW_TFA_META_KEY, False))


class DecomposeLstmPass(_RecurrentPass):
    """``lstm`` and ``lstm_cell``, step by step."""

    _operators = LSTM


class DecomposeGruPass(_RecurrentPass):
    """``gru`` and ``gru_cell``, step by step."""

    _operators = GRU


class DecomposeRnnPass(_RecurrentPass):
    """``rnn_tanh``, ``rnn_relu`` and their cells, step by step."""

    _operators = RNN

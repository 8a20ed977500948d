"""What the tokenizers share that are a file and the class in C++ which reads it."""

from __future__ import annotations

from typing import Any


class WrappedTokenizer:
    """A class in C++ that has read its file.

    Attributes:
        model: the class in C++.
        n_words: how many tokens there are.
        bos_id, eos_id: the tokens of begin and end.
        stop_tokens: those that end a text.
    """

    def __init__(self, model: Any) -> None:
        self.model = model
        self.n_words: int = model.vocab_size()
        self.bos_id: int = model.bos_tok()
        self.eos_id: int = model.eos_tok()
        self.stop_tokens: list[int] = [self.eos_id]

    def decode(self, t: list[int]) -> str:
        """The text of tokens, without the special ones."""
        text: str = self.model.decode_batch(list(t), skip_special_tokens=True)
        return text

    def decode_token(self, t: int) -> str:
        """What one token is in the middle of a text."""
        text: str = self.model.decode(t)
        return text

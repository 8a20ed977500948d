"""The files of tiktoken, whose special tokens and pattern are those of Llama 3 unless others are given."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from collections.abc import Set as AbstractSet
from typing import Literal

from pytorch_tokenizers.constants import CL100K_PAT_STR, LLAMA_SPECIAL_TOKENS
from pytorch_tokenizers.pytorch_tokenizers_cpp import Tiktoken

_BEGIN = "<|begin_of_text|>"
_END = "<|end_of_text|>"


class TiktokenTokenizer:
    """A file of tokens in base64 with their ranks.

    Attributes:
        n_words: how many tokens there are.
        special_tokens: the special ones by their text.
        bos_id, eos_id, pad_id: those of begin and end, which are the first two where they have other names; none for padding: -1.
        stop_tokens: those that end a text.
    """

    def __init__(
        self,
        model_path: str,
        pat_str: str = CL100K_PAT_STR,
        special_tokens: list[str] = LLAMA_SPECIAL_TOKENS,
    ) -> None:
        names = list(special_tokens)
        begin = names.index(_BEGIN) if _BEGIN in names else 0
        end = names.index(_END) if _END in names else min(1, len(names) - 1)
        self.model = Tiktoken(pat_str, names, begin, end)
        self.model.load(str(model_path))
        self.n_words = self.model.vocab_size()
        first = self.n_words - len(names)
        self.special_tokens = {name: first + i for i, name in enumerate(names)}
        self.bos_id = self.model.bos_tok()
        self.eos_id = self.model.eos_tok()
        self.pad_id = -1
        ends = (self.special_tokens.get(name) for name in (_END, "<|eot_id|>"))
        self.stop_tokens = [token for token in ends if token is not None] or [self.eos_id]

    def encode(
        self,
        s: str,
        *,
        bos: bool,
        eos: bool,
        allowed_special: Literal["all"] | AbstractSet[str] | None = None,
        disallowed_special: Literal["all"] | Collection[str] = (),
    ) -> list[int]:
        """The tokens of a text.

        Args:
            s: the text.
            bos: whether the token of begin stands before it.
            eos: whether the token of end stands behind it.
            allowed_special: the special tokens that a text may have; others are text like any.
            disallowed_special: those that it must not have.

        Raises:
            ValueError: the text has one of them.
        """
        allowed = set(self.special_tokens) if allowed_special == "all" else set(allowed_special or ())
        refused = set(self.special_tokens) if disallowed_special == "all" else set(disallowed_special)
        for name in sorted(refused - allowed):
            if name in s:
                raise ValueError(f"the text has {name!r}, which disallowed_special forbids")
        tokens = self.model.encode_allowing(s, sorted(allowed))
        return [self.bos_id] * bos + tokens + [self.eos_id] * eos

    def decode(self, t: Sequence[int], skip_special_tokens: bool = False) -> str:
        return self.model.decode_batch(list(t), skip_special_tokens)

    def decode_token(self, t: int) -> str:
        return self.model.decode(t)

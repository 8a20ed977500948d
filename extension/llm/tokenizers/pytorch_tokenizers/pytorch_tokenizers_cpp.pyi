"""The C++ tokenizers. What goes wrong is a RuntimeError that says why; calls release the GIL."""

import enum
from collections.abc import Sequence

class Error(enum.IntEnum):
    """The documented codes."""

    Ok = 0
    Internal = 1
    Uninitialized = 2
    OutOfRange = 3
    LoadFailure = 4
    EncodeFailure = 5
    Base64DecodeFailure = 6
    ParseFailure = 7
    DecodeFailure = 8
    RegexFailure = 9

class TokenIndex:
    """A piece and its token."""

    @property
    def str(self) -> str: ...
    @property
    def id(self) -> int: ...

class Tokenizer:
    """What all of them have."""

    def load(self, tokenizer_path: str) -> None: ...
    def encode(self, input: str, bos: int = 0, eos: int = 0) -> list[int]:
        """The tokens of a text; `bos` and `eos` are how many of begin and of end stand around them."""

    def decode(self, token: int, skip_special_tokens: bool = False) -> str:
        """What a token is in the middle of a text, with U+FFFD for a part of a character."""

    def decode_batch(self, tokens: Sequence[int], skip_special_tokens: bool = False) -> str: ...
    def id_to_piece(self, token: int) -> bytes: ...
    def piece_to_id(self, piece: str) -> int | None: ...
    def vocab_size(self) -> int: ...
    def bos_tok(self) -> int: ...
    def eos_tok(self) -> int: ...
    def is_loaded(self) -> bool: ...

class HFTokenizer(Tokenizer):
    def __init__(self) -> None: ...
    def load_text(self, tokenizer: str, config: str = "") -> None: ...

class SPTokenizer(Tokenizer):
    def __init__(self) -> None: ...
    def score(self, token: int) -> float: ...

class Llama2cTokenizer(Tokenizer):
    def __init__(self) -> None: ...

class Tiktoken(Tokenizer):
    def __init__(self, *args: object, **kwargs: object) -> None:
        """Tiktoken(), Tiktoken(special_tokens, bos_token_index, eos_token_index), or with a pattern in front of these."""

    def encode_allowing(self, input: str, allowed_special: Sequence[str]) -> list[int]: ...

class Tekken(Tokenizer):
    """The `tekken.json` of Mistral's models. Special tokens are found by their names; encode_allowing() finds those alone that are allowed."""

    def __init__(self) -> None: ...
    def encode_allowing(self, input: str, allowed_special: Sequence[str]) -> list[int]: ...
    def get_version(self) -> str: ...

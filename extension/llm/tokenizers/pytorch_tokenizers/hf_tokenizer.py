"""The `tokenizer.json` files of Hugging Face."""

from __future__ import annotations

import pathlib

from pytorch_tokenizers.pytorch_tokenizers_cpp import HFTokenizer


class HuggingFaceTokenizer:
    """A `tokenizer.json`, or the directory that has one.

    Attributes:
        n_words: how many tokens there are.
        bos_id, eos_id: the tokens of begin and end.
        stop_tokens: those that end a text.
    """

    def __init__(self, model_path: str, config_path: str | None = None) -> None:
        """`config_path` is a `tokenizer_config.json`; without it, the one beside the file counts if there is one."""
        path = pathlib.Path(model_path)
        self.model = HFTokenizer()
        if config_path is None:
            self.model.load(str(path))
        else:
            file = path / "tokenizer.json" if path.is_dir() else path
            self.model.load_text(
                file.read_text(encoding="utf-8"), pathlib.Path(config_path).read_text(encoding="utf-8")
            )
        self.n_words = self.model.vocab_size()
        self.bos_id = self.model.bos_tok()
        self.eos_id = self.model.eos_tok()
        self.stop_tokens = [self.eos_id]

    def encode(self, s: str, *, bos: bool, eos: bool) -> list[int]:
        """The tokens of a text; with `bos` or `eos` those that the file puts around it come along."""
        return self.model.encode(s, bos=int(bos), eos=int(eos))

    def decode(self, t: list[int]) -> str:
        return self.model.decode_batch(list(t), skip_special_tokens=True)

    def decode_token(self, t: int) -> str:
        """What one token is in the middle of a text."""
        return self.model.decode(t)

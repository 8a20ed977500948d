"""The `tokenizer.json` files of Hugging Face."""

from __future__ import annotations

import pathlib

from pytorch_tokenizers.pytorch_tokenizers_cpp import HFTokenizer
from pytorch_tokenizers.wrapped import WrappedTokenizer


class HuggingFaceTokenizer(WrappedTokenizer):
    """A `tokenizer.json`, or the directory that has one."""

    def __init__(self, model_path: str, config_path: str | None = None) -> None:
        """`config_path` is a `tokenizer_config.json`; without it, the one beside the file counts if there is one."""
        path = pathlib.Path(model_path)
        model = HFTokenizer()
        if config_path is None:
            model.load(str(path))
        else:
            file = path / "tokenizer.json" if path.is_dir() else path
            model.load_text(
                file.read_text(encoding="utf-8"), pathlib.Path(config_path).read_text(encoding="utf-8")
            )
        super().__init__(model)

    def encode(self, s: str, *, bos: bool, eos: bool) -> list[int]:
        """The tokens of a text; with `bos` or `eos` those that the file puts around it come along."""
        tokens: list[int] = self.model.encode(s, bos=int(bos), eos=int(eos))
        return tokens

"""Tokens of a file that is written here: the whole of a tokenizer.json, words by white space."""

import json
import pathlib

from pytorch_tokenizers import get_tokenizer

words = {"hello": 0, "world": 1, "[UNK]": 2}
pathlib.Path("tokenizer.json").write_text(
    json.dumps(
        {
            "version": "1.0",
            "pre_tokenizer": {"type": "Whitespace"},
            "model": {"type": "WordLevel", "vocab": words, "unk_token": "[UNK]"},
        }
    )
)

tokenizer = get_tokenizer("tokenizer.json")
assert tokenizer.encode("hello world", bos=False, eos=False) == [0, 1]
assert tokenizer.n_words == len(words)

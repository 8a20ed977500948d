"""The documented classes."""

from __future__ import annotations

import pathlib
import re
import struct
import threading

import pytest
import pytorch_tokenizers
from pytorch_tokenizers import constants, get_tokenizer

from executorch.extension.llm.tokenizers.models_for_tests import (
    KINDS,
    sentencepiece_model,
    tiktoken_file,
    tiktoken_ranks,
)


@pytest.fixture
def files(tmp_path):
    """A file of each format."""
    KINDS["llama3"].train().save(str(tmp_path / "tokenizer.json"))
    (tmp_path / "tokenizer.model").write_bytes(sentencepiece_model("bpe", {"byte_fallback": True}))
    (tmp_path / "tiktoken").write_bytes(tiktoken_file(tiktoken_ranks()))
    return tmp_path


def test_the_package_says_which_release_it_stands_in_for():
    assert re.fullmatch(r"1\.\d+\.\d+", pytorch_tokenizers.__version__)


def test_the_file_says_which_tokenizer_it_is_for(files):
    for name, kind in [
        ("tokenizer.json", pytorch_tokenizers.HuggingFaceTokenizer),
        ("tokenizer.model", pytorch_tokenizers.Llama2cTokenizer),
        ("tiktoken", pytorch_tokenizers.TiktokenTokenizer),
    ]:
        tokenizer = get_tokenizer(str(files / name))
        assert type(tokenizer) is kind
        tokens = tokenizer.encode("the model reads\u00a0text \U0001f642", bos=True, eos=False)
        assert tokens[0] == tokenizer.bos_id and len(tokens) > 4
        assert tokenizer.decode(tokens[1:]).split() == ["the", "model", "reads", "text", "🙂"]
        assert max(tokens) < tokenizer.n_words and tokenizer.eos_id in tokenizer.stop_tokens
        assert isinstance(tokenizer.decode_token(tokens[-1]), str)


def test_a_configuration_names_begin_and_end(files):
    (files / "config.json").write_text('{"bos_token": "</s>", "eos_token": {"content": "<s>"}}')
    tokenizer = get_tokenizer(str(files), str(files / "config.json"))
    assert (tokenizer.bos_id, tokenizer.eos_id) == (1, 0)


def test_special_tokens_of_tiktoken_are_text_unless_they_are_allowed(files):
    tokenizer = get_tokenizer(str(files / "tiktoken"))
    begin, end = tokenizer.special_tokens["<|begin_of_text|>"], tokenizer.special_tokens["<|eot_id|>"]
    assert tokenizer.n_words - begin == len(constants.LLAMA_SPECIAL_TOKENS) == 256
    text = "a<|eot_id|>"
    assert end not in tokenizer.encode(text, bos=False, eos=False)
    assert tokenizer.encode(text, bos=True, eos=False, allowed_special="all")[::2] == [begin, end]
    with pytest.raises(ValueError, match="eot_id"):
        tokenizer.encode(text, bos=False, eos=False, disallowed_special="all")


def test_a_model_of_sentencepiece_becomes_a_file_of_llama2c(files):
    tokenizer = get_tokenizer(str(files / "tokenizer.model"))
    tokenizer.export(str(files / "tokenizer.bin"))
    other = pytorch_tokenizers.CppLlama2cTokenizer()
    other.load(str(files / "tokenizer.bin"))
    assert other.vocab_size() == tokenizer.n_words
    text = "the language model reads text"
    assert other.encode(text, bos=1) == tokenizer.encode(text, bos=True, eos=False)
    tokenizer.export(str(files / "padded.bin"), prepend_padding=True)
    _, _, length = struct.unpack_from("<IfI", (files / "padded.bin").read_bytes())
    assert length == len("<pad>")


def test_what_goes_wrong_is_said(files, tmp_path):
    (tmp_path / "broken").write_text('{"model": {"type": "BPE", "vocab": {"a": 0}, "merges": ["a b"]}}')
    with pytest.raises(RuntimeError, match=r"merge 0 .*'b'"):
        get_tokenizer(str(tmp_path / "broken"))
    with pytest.raises(FileNotFoundError):
        get_tokenizer(str(tmp_path / "nowhere"))
    with pytest.raises(RuntimeError, match=r"load\(\) a tokenizer"):
        pytorch_tokenizers.CppHFTokenizer().encode("a")
    tokenizer = pytorch_tokenizers.CppHFTokenizer()
    tokenizer.load(str(files))
    with pytest.raises(RuntimeError, match="not in the vocabulary"):
        tokenizer.decode(10**6)
    with pytest.raises(ValueError, match="counts"):
        tokenizer.encode("a", bos=-1)


def test_threads_may_share_a_tokenizer(files):
    tokenizer = pytorch_tokenizers.CppHFTokenizer()
    tokenizer.load(str(files / "tokenizer.json"))
    text = "the model reads some text, then it says what comes next " * 50
    expected = tokenizer.encode(text)
    results = []
    threads = [threading.Thread(target=lambda: results.append(tokenizer.encode(text))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 4


def test_the_example_of_the_readme_runs(files, monkeypatch):
    monkeypatch.chdir(files)
    text = (pathlib.Path(__file__).parent / "README.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    exec(compile(example, "README.md", "exec"), {})

"""The parts that cost little: text, tokenizer, training, report. whole_job_test has all of it."""

import json

import pytest
import torch

from executorch.examples.llm import run
from executorch.examples.llm.corpus import load_corpus
from executorch.examples.llm.report import FormResult, Result, plot, table
from executorch.examples.llm.run import eager_text, find_llama_main
from executorch.examples.llm.train import (
    BOUNDARY,
    SEQUENCE,
    eager_perplexity,
    encode,
    train,
    train_tokenizer,
    windows,
)


@pytest.fixture(scope="module")
def corpus():
    torch.set_num_threads(1)  # Several would wait for each other beside other tests.
    return load_corpus(60_000)


def test_text_is_bounded_and_held_out(corpus):
    assert 60_000 <= sum(map(len, corpus.train + corpus.test)) < 200_000
    assert len(corpus.test) >= 2 and len(corpus.train) > 10 * len(corpus.test)
    with pytest.raises(RuntimeError, match="Way out"):
        load_corpus(1)


def test_training_lowers_the_loss_and_is_seeded(corpus, tmp_path):
    tokenizer = train_tokenizer(corpus.train, 400, tmp_path / "tokenizer.json")
    assert tokenizer.get_vocab_size() == 400 and tokenizer.token_to_id(BOUNDARY) == 0
    assert tokenizer.decode(tokenizer.encode("None if é ∑").ids) == "None if é ∑"
    rows = windows(encode(tokenizer, corpus.test), 2)
    assert rows.shape == (2, SEQUENCE + 1)
    tokens = encode(tokenizer, corpus.train)
    (model, losses), (again, _) = (train(tokens, 400, steps=5, progress=False) for _ in range(2))
    weights, others = model.state_dict(), again.state_dict()
    assert all(torch.equal(weights[key], others[key]) for key in weights)
    assert losses[-1] < losses[0] and eager_perplexity(model, rows) < 400
    assert eager_text(model, tokenizer, "The", 3).startswith("The")


def test_the_report():
    form = FormResult("fp32", 2048, 12.5, 1.0, {"decode_tokens_s": 3.0}, {"decode_tokens_s": 4.0}, 5.0, False)
    result = Result(1, 2, 3, 4.0, 12.25, True, False, [form])
    assert json.loads(result.line().removeprefix("RESULT "))["forms"][0]["perplexity"] == 12.5
    assert "12.25" in table(result) and table(result).endswith("NO")
    colors = {color for _, color in plot([3.0, 2.0, 1.0], result).getcolors(1 << 24)}
    assert (26, 95, 180) in colors


def test_rates_are_of_all_answers_together():
    one = {"inference_start_ms": 10, "prompt_tokens": 96, "generated_tokens": 64}
    figures = [one | {"prompt_eval_end_ms": 12, "inference_end_ms": 16}]
    figures += [one | {"prompt_eval_end_ms": 11, "inference_end_ms": 14}]
    assert run._rates(figures) == (96 * 2000 / 3, 63 * 2000 / 7)
    assert run._rates([one | {"prompt_eval_end_ms": 10, "inference_end_ms": 10}]) == (0.0, 0.0)
    with pytest.raises(RuntimeError, match="differ"):
        run._same(["a", "a", "b"])


def test_the_way_out_when_the_runner_is_missing(tmp_path):
    with pytest.raises(FileNotFoundError, match="bazelw build //examples/models/llama:main"):
        find_llama_main(tmp_path)

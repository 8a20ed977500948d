"""The runner of text models, on the C++ one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from executorch.extension.llm.runner.streaming import collected, streamed
from executorch.runtime.python._C import llm_runner

if TYPE_CHECKING:
    from typing_extensions import Self

GenerationConfig = llm_runner.GenerationConfig
Stats = llm_runner.Stats


class TextLLMRunner(llm_runner.TextLLMRunner):
    """A model of text with its tokenizer; what was said is kept, if the model has a cache, until `reset()`.

    `generate(prompt, config, token_callback=None, stats_callback=None)` calls back for each piece of text, and at the end
    with the figures. It releases the GIL; what a callback raises ends it. One call at a time; `stop()` may come from anywhere.

    `data_path` is the file of weights that are not in the program (`.ptd`), or a list of them, as of a foundation and of an adapter.

    With `draft_path`, a smaller program of the same vocabulary guesses `num_draft_tokens` tokens at a time, of which this one keeps what it
    would have said; it has to give the logits of all tokens (`generate_full_logits` of an export). What is said stays the same.

    `method_name` takes tokens and gives logits, `prefill_method_name` those of prompts, over the same cache, if that is another method.

    `tokens()` are those so far, `seek(position)` goes back to that many of them, `save_session(path)` writes them with the cache to a
    file, which `restore_session(path)` takes up if it is whole and of the same program.
    """

    def generate_text(self, prompt: str, config: GenerationConfig | None = None) -> str:
        """The whole answer at once."""
        return collected(lambda take: self.generate(prompt, config or GenerationConfig(), take))

    def stream(self, prompt: str, config: GenerationConfig | None = None) -> Iterator[str]:
        """The pieces of the answer as they come, generated on a thread of its own, which ends with the iterator."""
        return streamed(lambda take: self.generate(prompt, config or GenerationConfig(), take), self.stop)

    def position(self) -> int:
        """How many tokens the conversation has; the last one of an answer runs with the next prompt."""
        return len(self.tokens())

    def fork(self) -> Self:
        """Another conversation of the same model that has said the same; both go on, one at a time.

        Weights are there once. The cache is that of whichever ran last, and is copied when another one takes its turn.
        """
        made = type(self).__new__(type(self))
        self.fork_into(made)
        return made

    def __repr__(self) -> str:
        return f"TextLLMRunner(vocab_size={self.get_vocab_size()}, is_loaded={self.is_loaded()})"

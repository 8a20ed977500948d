"""The runner of text models, on the C++ one."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator

from executorch.runtime.python._C import llm_runner

GenerationConfig = llm_runner.GenerationConfig
Stats = llm_runner.Stats


class TextLLMRunner(llm_runner.TextLLMRunner):
    """A model of text with its tokenizer; what was said is kept, if the model has a cache, until `reset()`.

    `generate(prompt, config, token_callback=None, stats_callback=None)` calls back for each piece of text, and at the end
    with the figures. It releases the GIL; what a callback raises ends it. One call at a time; `stop()` may come from anywhere.
    """

    def generate_text(self, prompt: str, config: GenerationConfig | None = None) -> str:
        """The whole answer at once."""
        pieces: list[str] = []
        self.generate(prompt, config or GenerationConfig(), pieces.append)
        return "".join(pieces)

    def stream(self, prompt: str, config: GenerationConfig | None = None) -> Iterator[str]:
        """The pieces of the answer as they come, generated on a thread of its own, which ends with the iterator."""
        pieces: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        raised: list[BaseException] = []
        left = threading.Event()

        def take(piece: str) -> None:
            if left.is_set():
                self.stop()
            pieces.put(piece)

        def run() -> None:
            try:
                self.generate(prompt, config or GenerationConfig(), take)
            except BaseException as error:
                raised.append(error)
            pieces.put(None)

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        try:
            while (piece := pieces.get()) is not None:
                yield piece
        finally:
            left.set()
            self.stop()
            thread.join()
        if raised:
            raise raised[0]

    def __repr__(self) -> str:
        return f"TextLLMRunner(vocab_size={self.get_vocab_size()}, is_loaded={self.is_loaded()})"

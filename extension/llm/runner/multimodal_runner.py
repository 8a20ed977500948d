"""The runner of models of text, images and audio, on the C++ one."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from executorch.extension.llm.runner.batches import inputs_of
from executorch.extension.llm.runner.multimodal_inputs import MultimodalInput
from executorch.extension.llm.runner.streaming import collected, streamed
from executorch.extension.llm.runner.text_llm_runner import GenerationConfig, Stats
from executorch.runtime.python._C import llm_runner


class MultimodalRunner(llm_runner.MultimodalRunner):
    """A model of several methods with its tokenizer; what was said is kept until `reset()`.

    Calls release the GIL, and what a callback raises ends them. One call at a time; `stop()` may come from anywhere.
    """

    def generate(
        self,
        inputs: Sequence[MultimodalInput],
        config: GenerationConfig | None = None,
        token_callback: Callable[[str], object] | None = None,
        stats_callback: Callable[[Stats], object] | None = None,
    ) -> None:
        """Continues a prompt of parts; calls back for each piece of text, and at the end with the figures."""
        self.generate_parts(_parts(inputs), config or GenerationConfig(), token_callback, stats_callback)

    def generate_text(self, inputs: Sequence[MultimodalInput], config: GenerationConfig | None = None) -> str:
        """The whole answer at once."""
        return collected(lambda take: self.generate(inputs, config, take))

    def generate_hf(
        self,
        inputs: Mapping[str, Any] | Sequence[MultimodalInput],
        config: GenerationConfig | None = None,
        image_token_id: int | None = None,
        token_callback: Callable[[str], object] | None = None,
        stats_callback: Callable[[Stats], object] | None = None,
    ) -> None:
        """Continues what a processor of transformers made, as :func:`~executorch.extension.llm.runner.batches.inputs_of` reads it."""
        self.generate(inputs_of(inputs, image_token_id), config, token_callback, stats_callback)

    def generate_text_hf(
        self,
        inputs: Mapping[str, Any] | Sequence[MultimodalInput],
        config: GenerationConfig | None = None,
        image_token_id: int | None = None,
    ) -> str:
        """The whole answer to it at once."""
        return self.generate_text(inputs_of(inputs, image_token_id), config)

    def stream(
        self, inputs: Sequence[MultimodalInput], config: GenerationConfig | None = None
    ) -> Iterator[str]:
        """The pieces of the answer as they come, generated on a thread of its own, which ends with the iterator."""
        return streamed(lambda take: self.generate(inputs, config, take), self.stop)

    def prefill(self, inputs: Sequence[MultimodalInput], config: GenerationConfig | None = None) -> None:
        """Runs parts without an answer; the next prompt goes on behind them."""
        self.prefill_parts(_parts(inputs), config or GenerationConfig())

    def __repr__(self) -> str:
        return f"MultimodalRunner(vocab_size={self.get_vocab_size()}, is_loaded={self.is_loaded()})"


#: The same as functions.
generate_hf = MultimodalRunner.generate_hf
generate_text_hf = MultimodalRunner.generate_text_hf


def _parts(inputs: Sequence[MultimodalInput]) -> llm_runner.Inputs:
    """As the C++ runner takes them."""
    if isinstance(inputs, (str, MultimodalInput)):
        raise TypeError(
            f"inputs is a list of MultimodalInput, not {type(inputs).__name__}: put it into a list"
        )
    parts = llm_runner.Inputs()
    for part in inputs:
        text, tokens, image = part.get_text(), part.get_tokens(), part.get_image()
        if text is not None:
            parts.text(text)
        elif tokens is not None:
            parts.tokens(array("Q", tokens).tobytes())
        elif image is not None:
            parts.image(image._bytes, image.is_float(), *image._sizes)
        elif (audio := part.get_audio()) is not None:
            parts.audio(audio._bytes, audio.is_float(), *audio._sizes)
        elif (raw := part.get_raw_audio()) is not None:
            parts.raw_audio(raw._bytes, raw.is_float(), *raw._sizes)
    return parts

"""Runs language models: text out of prompts of text, images and audio, in conversations.

runner = TextLLMRunner("model.pte", "tokenizer.json")
for piece in runner.stream("Hello, world!", GenerationConfig(echo=False, max_new_tokens=100)):
    print(piece, end="", flush=True)
"""

from executorch.extension.llm.runner.multimodal_inputs import (
    Audio,
    Image,
    MultimodalInput,
    RawAudio,
    make_audio_input,
    make_image_input,
    make_raw_audio_input,
    make_text_input,
    make_token_input,
)
from executorch.extension.llm.runner.multimodal_runner import (
    MultimodalRunner,
    generate_hf,
    generate_text_hf,
)
from executorch.extension.llm.runner.text_llm_runner import GenerationConfig, Stats, TextLLMRunner

__all__ = [
    "Audio",
    "GenerationConfig",
    "Image",
    "MultimodalInput",
    "MultimodalRunner",
    "RawAudio",
    "Stats",
    "TextLLMRunner",
    "generate_hf",
    "generate_text_hf",
    "make_audio_input",
    "make_image_input",
    "make_raw_audio_input",
    "make_text_input",
    "make_token_input",
]

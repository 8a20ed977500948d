"""Runs language models: text out of prompts, in conversations.

runner = TextLLMRunner("model.pte", "tokenizer.json")
for piece in runner.stream("Hello, world!", GenerationConfig(echo=False, max_new_tokens=100)):
    print(piece, end="", flush=True)
"""

from executorch.extension.llm.runner.text_llm_runner import GenerationConfig, Stats, TextLLMRunner

__all__ = ["GenerationConfig", "Stats", "TextLLMRunner"]

"""A cache in four bits by rotation."""

from executorch.extension.llm.modules.turboquant.kv_cache import TurboQuantKVCache

__all__ = ["TurboQuantKVCache"]

"""The published names of examples; README.md says how to read and change this."""

EXAMPLES = {
    "examples/models/llama/attention": {
        "executorch.extension.llm.cache.kv_cache": "KVCache RingKVCache",
        "executorch.extension.llm.cache.positions": "CachePositionsManager CacheUpdateStrategy",
    },
    "examples/models/llama/source_transformation/custom_kv_cache": {
        "executorch.extension.llm.cache.custom_kv_cache": "CustomKVCache CustomKVCacheWithAttentionSink CustomRingKVCache",
        "executorch.extension.llm.cache.kv_cache": "KVCache RingKVCache",
        "executorch.extension.llm.cache.positions": "CachePositionsManager",
        "executorch.extension.llm.cache.quantized_kv_cache": "QuantizedCacheType QuantizedKVCache QuantizedRingKVCache",
        "executorch.extension.llm.cache.replacements": """
            replace_kv_cache_with_custom_kv_cache replace_kv_cache_with_quantized_kv_cache
            replace_kv_cache_with_ring_kv_cache
        """,
    },
}

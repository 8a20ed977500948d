"""The published names of examples; README.md says how to read and change this."""

EXAMPLES = {
    "examples/models/deeplab_v3": {"executorch.examples.models.packaged": "DeepLabV3ResNet101Model DeepLabV3ResNet50Model"},
    "examples/models/deit_tiny": {"executorch.examples.models.packaged": "DeiTTinyModel"},
    "examples/models/edsr": {"executorch.examples.models.packaged": "EdsrModel"},
    "examples/models/emformer_rnnt": {
        "executorch.examples.models.packaged": "EmformerRnntJoinerModel EmformerRnntPredictorModel EmformerRnntTranscriberModel",
    },
    "examples/models/gemma/convert_weights": {"executorch.extension.llm.models.conversion": "convert_weights load_checkpoint main gemma_to_executorch=to_meta"},
    "examples/models/gemma2/convert_weights": {"executorch.extension.llm.models.conversion": "convert_weights load_checkpoint main gemma2_to_executorch=to_meta"},
    "examples/models/gemma3/convert_weights": {"executorch.extension.llm.models.conversion": "convert_weights load_checkpoint main gemma3_to_executorch=to_meta"},
    "examples/models/glm/convert_weights": {"executorch.extension.llm.models.conversion": "convert_weights load_checkpoint main glm_tune_to_meta=to_meta"},
    "examples/models/granite/convert_weights": {"executorch.extension.llm.models.conversion": "convert_weights load_checkpoint main granite_to_executorch=to_meta"},
    "examples/models/inception_v3": {"executorch.examples.models.packaged": "InceptionV3Model"},
    "examples/models/inception_v4": {"executorch.examples.models.packaged": "InceptionV4Model"},
    "examples/models/internvl3/convert_weights": {"executorch.extension.llm.models.conversion": "convert_weights main internvl_tune_to_meta=to_meta"},
    "examples/models/lfm2/convert_weights": {"executorch.extension.llm.models.conversion": "convert_weights load_checkpoint main lfm_2_to_meta=to_meta"},
    "examples/models/lfm2/short_conv": {"executorch.extension.llm.models.short_conv": "ShortConv"},
    "examples/models/llama/attention": {
        "executorch.extension.llm.cache.kv_cache": "KVCache RingKVCache",
        "executorch.extension.llm.cache.positions": "CachePositionsManager CacheUpdateStrategy",
        "executorch.extension.llm.models.attention": """
            ATTENTION_REGISTRY Attention AttentionMHA AttentionSkip ForwardOptions SDPA register_attention
        """,
        "executorch.extension.llm.models.gated_delta_net": "_get_gated_delta_rule_op=gated_delta_rule_op",
        "executorch.extension.llm.models.model_args": "ModelArgs",
        "executorch.extension.llm.models.rope": "Rope",
    },
    "examples/models/llama/export_llama": {"here": "main"},
    "examples/models/llama/export_llama_lib": {
        "here": """
            DType LLMEdgeManager LlmConfig _export_llama _load_llama_model_metadata _prepare_for_llama_export build_args_parser
            export_llama get_llama_model get_quantizer_and_quant_params
        """,
    },
    "examples/models/llama/feed_forward": {"executorch.extension.llm.models.feed_forward": "FeedForward"},
    "examples/models/llama/hf_download": {"here": "download_and_convert_hf_checkpoint"},
    "examples/models/llama/llama_transformer": {
        "executorch.extension.llm.models.attention": "ATTENTION_REGISTRY Attention AttentionSkip ForwardOptions",
        "executorch.extension.llm.models.feed_forward": "ConditionalFeedForward FeedForward MOEFeedForward",
        "executorch.extension.llm.models.model_args": """
            ModelArgs _is_kv_donor_layer=is_kv_donor_layer _is_kv_shared_layer=is_kv_shared_layer
        """,
        "executorch.extension.llm.models.norm": "RMSNorm",
        "executorch.extension.llm.models.rope": "Rope",
        "executorch.extension.llm.models.transformer": "Transformer TransformerBlock construct_transformer",
    },
    "examples/models/llama/lora": {"executorch.extension.llm.models.lora_linear": "LoRALinear"},
    "examples/models/llama/model": {"here": "Llama2Model"},
    "examples/models/llama/model_args": {"executorch.extension.llm.models.model_args": "ActFn ModelArgs"},
    "examples/models/llama/norm": {"executorch.extension.llm.models.norm": "RMSNorm"},
    "examples/models/llama/rope": {
        "executorch.extension.llm.models.rope": """
            Rope RotaryEmbedding apply_rotary_emb apply_rotary_emb_to_k apply_scaling hf_apply_rotary_emb
            hf_apply_rotary_emb_to_k hf_precompute_freqs_cis precompute_freqs_cis rotate_half
        """,
    },
    "examples/models/llama/runner/generation": {"here": "next_token sample_top_p"},
    "examples/models/llama/source_transformation/attention_sink": {
        "executorch.extension.llm.cache.kv_cache": "KVCacheWithAttentionSink",
        "executorch.extension.llm.cache.positions": "CachePositionsManagerWithSink",
        "executorch.extension.llm.models.attention_sink": "RopeWithAttentionSink enable_attention_sink",
    },
    "examples/models/llama/source_transformation/custom_kv_cache": {
        "executorch.extension.llm.cache.custom_kv_cache": "CustomKVCache CustomKVCacheWithAttentionSink CustomRingKVCache",
        "executorch.extension.llm.cache.kv_cache": "KVCache RingKVCache",
        "executorch.extension.llm.cache.positions": "CachePositionsManager",
        "executorch.extension.llm.cache.quantized_kv_cache": "QuantizedCacheType QuantizedKVCache QuantizedRingKVCache",
        "executorch.extension.llm.cache.replacements": """
            replace_kv_cache_with_custom_kv_cache replace_kv_cache_with_quantized_kv_cache
            replace_kv_cache_with_ring_kv_cache replace_kv_cache_with_static_quantized_kv_cache
        """,
        "executorch.extension.llm.cache.static_quantized_kv_cache": """
            StaticQuantizedKVCache enable_static_kv_cache_calibration finalize_static_kv_cache_calibration
        """,
    },
    "examples/models/llama/source_transformation/moe": {
        "executorch.extension.llm.export.packed_experts": """
            QuantizedMoEFFN _symmetric_quantize_per_group=symmetric_quantize_per_group replace_moe_with_quantized_op
        """,
    },
    "examples/models/llama/source_transformation/pre_quantization": {
        "here": """
            sanitize_checkpoint_from_pre_quantization transform_embedding_for_pre_quantization
            transform_linear_for_pre_quantization transform_output_linear_for_pre_quantization
        """,
    },
    "examples/models/llama/source_transformation/quantize": {
        "executorch.examples.models.llama.source_transformation.pre_quantization": "dynamically_quantize_per_channel",
    },
    "examples/models/llama/source_transformation/sdpa": {
        "executorch.extension.llm.models.sdpa": """
            QuantizedSDPA SDPACustom SDPASimple replace_sdpa_with_custom_op replace_sdpa_with_quantized_sdpa
            replace_sdpa_with_simple_sdpa
        """,
    },
    "examples/models/llama/source_transformation/spin_quant": {
        "executorch.extension.llm.models.rotations": """
            inject_fast_hadamard_transform_cuda_for_spin_quant=inject_hadamard
            inject_fast_hadamard_transform_native_for_spin_quant=inject_hadamard
        """,
    },
    "examples/models/llama/static_attention": {
        "executorch.extension.llm.models.static_attention": """
            StaticAttention StaticAttentionMHA transform_attention_mha_to_static_attention
        """,
        "executorch.extension.llm.models.static_cache": "StaticAttentionMask StaticKCache StaticKVCache StaticVCache",
        "executorch.extension.llm.models.static_io": "StaticAttentionIOManager",
    },
    "examples/models/lstm": {"here": "LSTMModel"},
    "examples/models/mlperf_tiny/__init__": {
        "here": """
            DSCNNKWS DSCNNKWSModel DeepAutoEncoder DeepAutoEncoderModel MobileNetV1025 MobileNetV1025Model ResNet8 ResNet8Model
        """,
    },
    "examples/models/mobilebert": {"executorch.examples.models.packaged": "MobileBertModelExample"},
    "examples/models/mobilenet_v2": {"executorch.examples.models.packaged": "MV2Model MV2UntrainedModel"},
    "examples/models/mobilenet_v3": {"executorch.examples.models.packaged": "MV3Model"},
    "examples/models/muse_glimmer/serving/tool_parsers": {"executorch.extension.llm.tool_calls.tagged": "AtemToolCallDetector"},
    "examples/models/phi_4_mini/convert_weights": {"executorch.extension.llm.models.conversion": "convert_weights load_checkpoint main"},
    "examples/models/qwen2_5/convert_weights": {"executorch.extension.llm.models.conversion": "convert_weights load_checkpoint main"},
    "examples/models/qwen3/convert_weights": {"executorch.extension.llm.models.conversion": "convert_weights load_checkpoint main qwen_3_tune_to_meta=to_meta"},
    "examples/models/qwen3_5/convert_weights": {"executorch.extension.llm.models.conversion": "convert_weights load_checkpoint main qwen_3_5_to_meta"},
    "examples/models/qwen3_5_moe/sampler": {"executorch.extension.llm.models.sampling": "sample"},
    "examples/models/resnet": {"executorch.examples.models.packaged": "ResNet18Model ResNet50Model"},
    "examples/models/silero_vad/export_silero_vad": {
        "executorch.examples.models.silero_vad.model": "CONTEXT_SIZE HIDDEN_DIM SileroVAD16k WINDOW_SIZE",
    },
    "examples/models/smollm2/convert_weights": {"executorch.extension.llm.models.conversion": "convert_weights load_checkpoint main"},
    "examples/models/smollm3/convert_weights": {"executorch.extension.llm.models.conversion": "convert_weights load_checkpoint main smollm_to_meta=to_meta"},
    "examples/models/smolvlm/convert_weights": {"executorch.extension.llm.models.conversion": "convert_weights main smolvlm_tune_to_meta=to_meta"},
    "examples/models/torchvision_vit/__init__": {"executorch.examples.models.packaged": "TorchVisionViTModel"},
    "examples/models/torchvision_vit/model": {"executorch.examples.models.packaged": "TorchVisionViTModel"},
    "examples/models/toy_model": {"here": "AddModule AddMulModule Conv1dModule LinearModule MulModule SdpaModule SoftmaxModule"},
    "examples/models/wav2letter/__init__": {"here": "Wav2LetterModel"},
    "examples/models/wav2letter/model": {"here": "Wav2LetterModel"},
    "examples/models/whisper": {"executorch.examples.models.packaged": "WhisperModel"},
}

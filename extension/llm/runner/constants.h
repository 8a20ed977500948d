#pragma once

#include <cstdint>

namespace executorch {
namespace extension {
namespace llm {

/// Methods of a program that say what the model is like. An export adds them with
/// `constant_methods`.
inline constexpr auto kEnableDynamicShape = "enable_dynamic_shape";
inline constexpr auto kBosId = "get_bos_id";
inline constexpr auto kEosIds = "get_eos_ids";
/// As optimum-executorch names it.
inline constexpr auto kEosId = "get_eos_id";
inline constexpr auto kMaxSeqLen = "get_max_seq_len";
inline constexpr auto kMaxContextLen = "get_max_context_len";
inline constexpr auto kVocabSize = "get_vocab_size";
inline constexpr auto kUseKVCache = "use_kv_cache";
inline constexpr auto kUseSDPAWithKVCache = "use_sdpa_with_kv_cache";

/// The most tokens of a prompt that run at once. What a call has between its layers grows with
/// them, and more are no faster: this many rows are enough for a weight that is read once for all.
inline constexpr int64_t kPrefillChunk = 128;

/// Methods of a program for several kinds of inputs; the second ones are older names.
inline constexpr auto kTokenEmbeddingMethod = "token_embedding";
inline constexpr auto kVisionEncoderMethod = "vision_encoder";
inline constexpr auto kImageEncoderMethod = "image_encoder";
inline constexpr auto kAudioEncoderMethod = "audio_encoder";
inline constexpr auto kTextDecoderMethod = "text_decoder";
inline constexpr auto kTextModelMethod = "text_model";

}  // namespace llm
}  // namespace extension
}  // namespace executorch

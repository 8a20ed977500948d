#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <executorch/extension/llm/runner/audio.h>
#include <executorch/extension/llm/runner/image.h>

namespace executorch {
namespace extension {
namespace llm {

/// A part of a prompt: text, tokens, an image or audio.
class MultimodalInput {
 public:
  enum class Type { TEXT, TOKENS, IMAGE, AUDIO, RAW_AUDIO };

  explicit MultimodalInput(std::string text) : value_(std::move(text)) {}
  explicit MultimodalInput(std::vector<uint64_t> tokens) : value_(std::move(tokens)) {}
  explicit MultimodalInput(Image image) : value_(std::move(image)) {}
  explicit MultimodalInput(Audio audio) : value_(std::move(audio)) {}
  explicit MultimodalInput(RawAudio audio) : value_(std::move(audio)) {}

  /// In the order of the alternatives.
  Type get_type() const { return static_cast<Type>(value_.index()); }
  bool is_text() const { return get_type() == Type::TEXT; }
  bool is_tokens() const { return get_type() == Type::TOKENS; }
  bool is_image() const { return get_type() == Type::IMAGE; }
  bool is_audio() const { return get_type() == Type::AUDIO; }
  bool is_raw_audio() const { return get_type() == Type::RAW_AUDIO; }

  /// What it is, of an input of that kind.
  const std::string& get_text() const { return std::get<std::string>(value_); }
  const std::vector<uint64_t>& get_tokens() const {
    return std::get<std::vector<uint64_t>>(value_);
  }
  const Image& get_image() const { return std::get<Image>(value_); }
  const Audio& get_audio() const { return std::get<Audio>(value_); }
  const RawAudio& get_raw_audio() const { return std::get<RawAudio>(value_); }

  /// The same, or null for an input of another kind.
  const std::string* try_get_text() const { return std::get_if<std::string>(&value_); }
  const std::vector<uint64_t>* try_get_tokens() const {
    return std::get_if<std::vector<uint64_t>>(&value_);
  }
  const Image* try_get_image() const { return std::get_if<Image>(&value_); }
  const Audio* try_get_audio() const { return std::get_if<Audio>(&value_); }
  const RawAudio* try_get_raw_audio() const { return std::get_if<RawAudio>(&value_); }

 private:
  std::variant<std::string, std::vector<uint64_t>, Image, Audio, RawAudio> value_;
};

inline MultimodalInput make_text_input(std::string text) {
  return MultimodalInput(std::move(text));
}
inline MultimodalInput make_token_input(std::vector<uint64_t> tokens) {
  return MultimodalInput(std::move(tokens));
}
inline MultimodalInput make_image_input(Image image) { return MultimodalInput(std::move(image)); }
inline MultimodalInput make_audio_input(Audio audio) { return MultimodalInput(std::move(audio)); }
inline MultimodalInput make_raw_audio_input(RawAudio audio) {
  return MultimodalInput(std::move(audio));
}

}  // namespace llm
}  // namespace extension
}  // namespace executorch

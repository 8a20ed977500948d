#pragma once

#include <string>

#include <executorch/extension/llm/tokenizer/sentencepiece.h>

namespace tokenizers {

/// Reads the bytes of a model, a message of protocol buffers. @returns false if they are none.
bool read_sentencepiece(const std::string& bytes, SPTokenizer::Model& model);

}  // namespace tokenizers

#pragma once

#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include <executorch/extension/llm/sampler/token_constraint.h>
#include <executorch/extension/llm/tokenizer/tokenizer.h>
#include <executorch/runtime/core/result.h>

namespace executorch {
namespace extension {
namespace llm {

/// What each token adds to a text; nothing for those that are no text.
std::vector<std::string> texts_of(const ::tokenizers::Tokenizer& tokenizer);

/// Of a pattern or the schema of JSON texts, not both.
///
/// @returns InvalidArgument, after saying why, for both and for what Pattern::compile() and
///     pattern_of_json_schema() refuse.
runtime::Result<std::unique_ptr<TokenConstraint>> make_constraint(
    const std::string& pattern, const std::string& json_schema,
    std::shared_ptr<const VocabularyTexts> vocabulary, std::unordered_set<uint64_t> ends);

}  // namespace llm
}  // namespace extension
}  // namespace executorch

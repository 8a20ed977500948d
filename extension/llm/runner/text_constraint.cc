#include <executorch/extension/llm/runner/text_constraint.h>
#include <executorch/extension/llm/sampler/json_schema.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace extension {
namespace llm {

using runtime::Error;
using runtime::Result;

std::vector<std::string> texts_of(const ::tokenizers::Tokenizer& tokenizer) {
  std::vector<std::string> texts(static_cast<size_t>(tokenizer.vocab_size()));
  for (size_t token = 0; token < texts.size(); ++token) {
    // Behind itself: behind the token of begin, some add other text than anywhere else.
    auto text = tokenizer.decode(token, token, /*skip_special_tokens=*/true);
    if (text.ok()) {
      texts[token] = std::move(*text);
    }
  }
  return texts;
}

Result<std::unique_ptr<TokenConstraint>> make_constraint(
    const std::string& pattern, const std::string& json_schema,
    std::shared_ptr<const VocabularyTexts> vocabulary, std::unordered_set<uint64_t> ends) {
  if (!pattern.empty() && !json_schema.empty()) {
    ET_LOG(Error, "An answer matches a pattern or a JSON schema; both are given");
    return Error::InvalidArgument;
  }
  std::string expression = pattern;
  if (pattern.empty()) {
    auto made = pattern_of_json_schema(json_schema);
    if (!made.ok()) {
      return made.error();
    }
    expression = std::move(*made);
  }
  auto compiled = Pattern::compile(expression);
  if (!compiled.ok()) {
    return compiled.error();
  }
  return std::make_unique<TokenConstraint>(std::move(*compiled), std::move(vocabulary),
                                           std::move(ends));
}

}  // namespace llm
}  // namespace extension
}  // namespace executorch

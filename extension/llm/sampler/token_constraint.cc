#include <algorithm>
#include <numeric>

#include <executorch/extension/llm/sampler/token_constraint.h>

namespace executorch {
namespace extension {
namespace llm {

namespace {

/// Answers that are kept at once; a byte for each token of a vocabulary, each.
constexpr size_t kMostKnown = 256;

}  // namespace

VocabularyTexts::VocabularyTexts(std::vector<std::string> texts) : texts_(std::move(texts)) {
  for (size_t i = 0; i < texts_.size(); ++i) {
    if (!texts_[i].empty()) {
      in_order_.push_back(static_cast<int32_t>(i));
    }
  }
  std::sort(in_order_.begin(), in_order_.end(), [this](int32_t one, int32_t other) {
    return texts_[static_cast<size_t>(one)] < texts_[static_cast<size_t>(other)];
  });
}

/// Goes through the vocabulary in order, so that what tokens have in common is followed once.
std::vector<uint8_t> TokenConstraint::find_allowed(Pattern::State state) {
  std::vector<uint8_t> may(vocabulary_->size());
  for (const uint64_t end : ends_) {
    if (end < may.size()) {
      may[end] = pattern_.matches(state) ? 1 : 0;
    }
  }
  std::vector<Pattern::State> path = {state};
  const std::string* last = nullptr;
  for (const int32_t token : vocabulary_->in_order()) {
    const std::string& text = vocabulary_->text(static_cast<size_t>(token));
    size_t same = 0;
    if (last != nullptr) {
      const size_t most = std::min({text.size(), last->size(), path.size() - 1});
      const auto end = text.begin() + static_cast<std::ptrdiff_t>(most);
      same =
          static_cast<size_t>(std::mismatch(text.begin(), end, last->begin()).first - text.begin());
    }
    path.resize(same + 1);
    while (path.size() <= text.size() && path.back() != Pattern::kNowhere) {
      path.push_back(pattern_.next(path.back(), static_cast<uint8_t>(text[path.size() - 1])));
    }
    last = &text;
    if (path.size() == text.size() + 1 && path.back() != Pattern::kNowhere &&
        ends_.count(static_cast<uint64_t>(token)) == 0) {
      may[static_cast<size_t>(token)] = 1;
    }
  }
  return may;
}

const std::vector<uint8_t>& TokenConstraint::allowed() {
  static const std::vector<uint8_t> none;
  if (has_ended_) {
    return none;
  }
  const auto found = known_.find(state_);
  if (found != known_.end()) {
    return found->second;
  }
  if (known_.size() >= kMostKnown) {
    known_.clear();
  }
  return known_.emplace(state_, find_allowed(state_)).first->second;
}

void TokenConstraint::accept(uint64_t token) {
  if (ends_.count(token) > 0 || token >= vocabulary_->size()) {
    has_ended_ = true;
    return;
  }
  for (const char byte : vocabulary_->text(token)) {
    if (state_ != Pattern::kNowhere) {
      state_ = pattern_.next(state_, static_cast<uint8_t>(byte));
    }
  }
  has_ended_ = has_ended_ || state_ == Pattern::kNowhere;
}

}  // namespace llm
}  // namespace extension
}  // namespace executorch

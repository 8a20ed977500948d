#include <algorithm>
#include <cinttypes>
#include <utility>

#include <executorch/extension/llm/runner/text_session.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace extension {
namespace llm {

using runtime::Error;
using runtime::Result;

namespace {

/// The name of a buffer without a place for each position, or nothing.
Result<std::string> without_all_positions(const runtime::MethodMeta& meta, int64_t positions) {
  for (size_t i = 0; i < meta.num_attributes(); ++i) {
    const auto info = meta.attribute_tensor_meta(i);
    if (!info.ok()) {
      return info.error();
    }
    const auto sizes = info->sizes();
    if (std::find(sizes.begin(), sizes.end(), positions) == sizes.end()) {
      return std::string(info->name());
    }
  }
  return meta.num_attributes() > 0 ? std::string() : std::string("(none is named)");
}

}  // namespace

TextSession::TextSession(std::unique_ptr<TextLLMRunner> runner, std::vector<std::string> files,
                         std::string method)
    : shared_(std::make_shared<Shared>()) {
  shared_->runner = std::move(runner);
  shared_->files = std::move(files);
  shared_->method = std::move(method);
  shared_->active = this;
}

TextSession::TextSession(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}

TextSession::~TextSession() {
  if (shared_->active == this) {
    shared_->active = nullptr;
  }
}

bool TextSession::is_loaded() const { return shared_->runner->is_loaded(); }
Error TextSession::load() { return shared_->runner->load(); }
void TextSession::stop() { shared_->runner->stop(); }

Result<SessionState> TextSession::state() const {
  if (shared_->active != this) {
    return aside_;
  }
  TextLLMRunner& runner = *shared_->runner;
  if (runner.tokens().empty()) {
    return SessionState();  // Whatever the cache holds, nothing of it counts.
  }
  auto caches = CacheState::capture(runner.module(), shared_->method);
  if (!caches.ok()) {
    return caches.error();
  }
  return SessionState{runner.tokens(), runner.pending(), std::move(*caches)};
}

/// Puts a state into the runner, which is this session's.
Error TextSession::take(const SessionState& state) {
  TextLLMRunner& runner = *shared_->runner;
  if (state.tokens.empty() && state.pending.empty()) {
    runner.reset();
    return Error::Ok;
  }
  if (static_cast<int64_t>(state.tokens.size()) > runner.max_context_len()) {
    return runner.take_up(state.tokens, state.pending);  // Which says what is wrong.
  }
  if (!state.tokens.empty()) {
    const Error error = state.caches.apply(runner.module(), shared_->method);
    if (error != Error::Ok) {
      return error;
    }
  }
  return runner.take_up(state.tokens, state.pending);
}

Error TextSession::activate() {
  if (shared_->active == this) {
    return Error::Ok;
  }
  const Error loaded = load();
  if (loaded != Error::Ok) {
    return loaded;
  }
  if (shared_->active != nullptr) {
    auto other = shared_->active->state();
    if (!other.ok()) {
      return other.error();
    }
    shared_->active->aside_ = std::move(*other);
    shared_->active = nullptr;
  }
  const Error error = take(aside_);
  if (error == Error::Ok) {
    shared_->active = this;
    aside_ = SessionState();
  }
  return error;
}

Error TextSession::generate(const std::string& prompt, const GenerationConfig& config,
                            std::function<void(const std::string&)> token_callback,
                            std::function<void(const Stats&)> stats_callback) {
  const Error error = activate();
  return error != Error::Ok ? error
                            : shared_->runner->generate(prompt, config, std::move(token_callback),
                                                        std::move(stats_callback));
}

Error TextSession::generate_from_pos(const std::string& prompt, int64_t start_pos,
                                     const GenerationConfig& config,
                                     std::function<void(const std::string&)> token_callback,
                                     std::function<void(const Stats&)> stats_callback) {
  const Error error = seek(start_pos);
  return error != Error::Ok
             ? error
             : generate(prompt, config, std::move(token_callback), std::move(stats_callback));
}

Result<uint64_t> TextSession::prefill(const std::string& prompt, int32_t num_bos, int32_t num_eos) {
  const Error error = activate();
  if (error != Error::Ok) {
    return error;
  }
  return shared_->runner->prefill(prompt, num_bos, num_eos);
}

void TextSession::reset() {
  aside_ = SessionState();
  if (shared_->active == this) {
    shared_->runner->reset();
  }
}

std::vector<uint64_t> TextSession::tokens() const {
  const bool active = shared_->active == this;
  std::vector<uint64_t> all = active ? shared_->runner->tokens() : aside_.tokens;
  const auto& pending = active ? shared_->runner->pending() : aside_.pending;
  all.insert(all.end(), pending.begin(), pending.end());
  return all;
}

Error TextSession::seek(int64_t position) {
  std::vector<uint64_t> all = tokens();
  const auto end = static_cast<int64_t>(all.size());
  if (position < 0 || position > end) {
    ET_LOG(Error, "Position %" PRId64 " has not been reached: there are %" PRId64 " tokens",
           position, end);
    return Error::InvalidArgument;
  }
  if (position == end) {
    return Error::Ok;
  }
  const Error error = activate();
  if (error != Error::Ok) {
    return error;
  }
  TextLLMRunner& runner = *shared_->runner;
  if (position > 0) {
    const auto meta = runner.module().method_meta(shared_->method);
    if (!meta.ok()) {
      return meta.error();
    }
    const auto forgets = without_all_positions(*meta, runner.max_context_len());
    if (!forgets.ok() || !forgets->empty()) {
      ET_LOG(Error,
             "Buffer %s does not keep all positions, so there is no way back to %" PRId64
             ". Way out: fork() before going on, or reset()",
             forgets.ok() ? forgets->c_str() : "", position);
      return Error::NotSupported;
    }
  }
  all.resize(static_cast<size_t>(position));
  return runner.take_up(std::move(all), {});
}

Result<std::unique_ptr<TextSession>> TextSession::fork() {
  const Error error = load();
  if (error != Error::Ok) {
    return error;
  }
  auto now = state();
  if (!now.ok()) {
    return now.error();
  }
  std::unique_ptr<TextSession> made(new TextSession(shared_));
  made->aside_ = std::move(*now);
  return made;
}

Result<uint64_t> TextSession::fingerprint() {
  if (shared_->fingerprint == 0) {
    const auto found = fingerprint_of(shared_->files);
    if (!found.ok()) {
      return found.error();
    }
    shared_->fingerprint = *found;
  }
  return shared_->fingerprint;
}

Error TextSession::save(const std::string& path) {
  const Error error = load();
  if (error != Error::Ok) {
    return error;
  }
  const auto model = fingerprint();
  if (!model.ok()) {
    return model.error();
  }
  const auto now = state();
  return now.ok() ? write_session(path, *model, *now) : now.error();
}

Error TextSession::restore(const std::string& path) {
  const auto model = fingerprint();
  if (!model.ok()) {
    return model.error();
  }
  auto read = read_session(path, *model);
  if (!read.ok()) {
    return read.error();
  }
  // A method that is loaded later would begin with an empty cache.
  const Error loaded = load();
  const Error error = loaded == Error::Ok ? activate() : loaded;
  return error == Error::Ok ? take(*read) : error;
}

}  // namespace llm
}  // namespace extension
}  // namespace executorch

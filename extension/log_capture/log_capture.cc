#include <algorithm>

#include <executorch/extension/log_capture/log_capture.h>

namespace executorch {
namespace extension {

using runtime::get_pal_impl;
using runtime::pal_emit_log_message_method;
using runtime::PalImpl;
using runtime::register_pal;

namespace {

/// A damaged file can make the runtime complain about every value in it.
constexpr size_t kMaxLines = 64;

thread_local LogCapture* current_capture = nullptr;

/// Where log lines went before install().
pal_emit_log_message_method original_emit = nullptr;

}  // namespace

LogCapture::LogCapture() : outer_(current_capture) { current_capture = this; }

LogCapture::~LogCapture() {
  current_capture = outer_;
  if (original_emit == nullptr) {
    return;
  }
  for (const Line& line : lines_) {
    original_emit(line.timestamp, line.level, line.filename, line.function, line.line,
                  line.message.c_str(), line.message.size());
  }
}

std::vector<std::string> LogCapture::take() {
  std::vector<std::string> messages;
  for (Line& line : lines_) {
    if (std::find(messages.begin(), messages.end(), line.message) == messages.end()) {
      messages.push_back(std::move(line.message));
    }
  }
  lines_.clear();
  return messages;
}

void LogCapture::install() {
  if (original_emit != nullptr) {
    return;
  }
  original_emit = get_pal_impl()->emit_log_message;
  register_pal(PalImpl::create(&LogCapture::emit, __FILE__));
}

void LogCapture::emit(et_timestamp_t timestamp, et_pal_log_level_t level, const char* filename,
                      const char* function, size_t line, const char* message, size_t length) {
  LogCapture* capture = current_capture;
  // What is fatal ends the process: it has to reach the output now.
  if (capture == nullptr || level != et_pal_log_level_t::kError) {
    original_emit(timestamp, level, filename, function, line, message, length);
    return;
  }
  if (capture->lines_.size() < kMaxLines) {
    capture->lines_.push_back(
        {timestamp, level, filename, function, line, std::string(message, length)});
  }
}

}  // namespace extension
}  // namespace executorch

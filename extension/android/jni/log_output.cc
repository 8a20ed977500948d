#include <cstdio>
#include <deque>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <executorch/extension/android/jni/log_output.h>
#include <executorch/runtime/platform/platform.h>

// Android's liblog. Weak, so that a process without it, such as a test on the host, can be linked.
extern "C" __attribute__((weak)) int __android_log_write(int priority, const char* tag,
                                                         const char* text);

namespace executorch {
namespace extension {
namespace jni {
namespace {

/// The numbers of Android's log.
int priority_of(et_pal_log_level_t level) {
  switch (level) {
    case et_pal_log_level_t::kDebug:
      return 3;
    case et_pal_log_level_t::kInfo:
      return 4;
    case et_pal_log_level_t::kError:
      return 6;
    case et_pal_log_level_t::kFatal:
      return 7;
    default:
      return 2;
  }
}

/// The letters of the runtime's own log.
char letter_of(et_pal_log_level_t level) { return static_cast<char>(level); }

struct KeptLines {
  std::mutex mutex;
  std::deque<std::string> lines;
};

/// Never destroyed: the runtime may log while the process ends.
KeptLines& kept() {
  static KeptLines* lines = new KeptLines();
  return *lines;
}

void emit(et_timestamp_t, et_pal_log_level_t level, const char* filename, const char*, size_t line,
          const char* message, size_t length) {
  const std::string text =
      std::string(filename) + ":" + std::to_string(line) + "] " + std::string(message, length);
  if (__android_log_write != nullptr) {
    __android_log_write(priority_of(level), "ExecuTorch", text.c_str());
  } else {
    std::fprintf(stderr, "%c ExecuTorch: %s\n", letter_of(level), text.c_str());
  }
  keep_log_line(letter_of(level) + (" " + text));
}

}  // namespace

bool send_logs_to_android() {
  return runtime::register_pal(runtime::PalImpl::create(&emit, __FILE__));
}

void keep_log_line(std::string line) {
  KeptLines& all = kept();
  const std::lock_guard<std::mutex> lock(all.mutex);
  all.lines.push_back(std::move(line));
  if (all.lines.size() > kKeptLogLines) {
    all.lines.pop_front();
  }
}

std::vector<std::string> kept_log_lines() {
  KeptLines& all = kept();
  const std::lock_guard<std::mutex> lock(all.mutex);
  return {all.lines.begin(), all.lines.end()};
}

}  // namespace jni
}  // namespace extension
}  // namespace executorch

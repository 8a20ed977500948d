#include <string>

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

void emit(et_timestamp_t, et_pal_log_level_t level, const char* filename, const char*, size_t line,
          const char* message, size_t length) {
  const std::string text =
      std::string(filename) + ":" + std::to_string(line) + "] " + std::string(message, length);
  __android_log_write(priority_of(level), "ExecuTorch", text.c_str());
}

}  // namespace

bool send_logs_to_android() {
  return __android_log_write != nullptr &&
         runtime::register_pal(runtime::PalImpl::create(&emit, __FILE__));
}

}  // namespace jni
}  // namespace extension
}  // namespace executorch

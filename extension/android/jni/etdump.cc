#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include <executorch/devtools/etdump/etdump_flatcc.h>
#include <executorch/extension/android/jni/calls.h>
#include <executorch/extension/android/jni/etdump.h>
#include <executorch/extension/android/jni/guarded.h>
#include <executorch/extension/c_api/tracing.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/event_tracer.h>
#include <executorch/runtime/platform/log.h>

using namespace executorch::extension::jni;
using executorch::etdump::ETDumpGen;
using executorch::runtime::Error;
using executorch::runtime::EventTracer;
namespace c_api = executorch::extension::c_api;

namespace {

/// What a module may write down before it is asked for; what comes after that is dropped.
constexpr size_t kBytes = 16 << 20;

struct Memory {
  std::unique_ptr<uint8_t[]> bytes{new uint8_t[kBytes]};
};

/// A tracer with the memory that it writes into.
class OwningTracer : private Memory, public ETDumpGen {
 public:
  OwningTracer() : ETDumpGen({bytes.get(), kBytes}) {}
};

/// Linking this file is what has modules trace.
[[maybe_unused]] const bool is_on = [] {
  c_api::set_event_tracer_maker(
      []() -> std::unique_ptr<EventTracer> { return std::make_unique<OwningTracer>(); });
  return true;
}();

Error write(ETDumpGen& events, const std::string& path) {
  const executorch::etdump::ETDumpResult dump = events.get_etdump_data();
  if (dump.buf == nullptr) {
    ET_LOG(Error, "Nothing has happened: no method was loaded or run");
    return Error::InvalidState;
  }
  std::FILE* file = std::fopen(path.c_str(), "wb");
  const bool is_written = file != nullptr && std::fwrite(dump.buf, 1, dump.size, file) == dump.size;
  const bool is_closed = file == nullptr || std::fclose(file) == 0;
  events.reset();
  if (!is_written || !is_closed) {
    ET_LOG(Error, "%s cannot be written", path.c_str());
    return Error::AccessFailed;
  }
  return Error::Ok;
}

}  // namespace

extern "C" {

JNIEXPORT void JNICALL Java_org_pytorch_executorch_NativeEtdump_write(JNIEnv* env, jclass,
                                                                      jlong module, jstring path) {
  std::string name;
  if (!to_native(env, path, "The path of an ETDump", name)) {
    return;
  }
  guarded(env, "Writing the ETDump failed", [&] {
    // Modules are given no other tracer.
    return write(*static_cast<ETDumpGen*>(c_api::event_tracer(to_module(module))), name);
  });
}

}  // extern "C"

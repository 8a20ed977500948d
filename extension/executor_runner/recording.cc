#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <executorch/extension/executor_runner/recording.h>
#include <executorch/runtime/core/event_tracer_hooks.h>
#include <executorch/runtime/core/result.h>

namespace executorch {
namespace extension {
namespace executor_runner {

using etdump::ETDumpGen;
using etdump::ETDumpResult;
using etdump::FileDataSink;
using runtime::EventTracerDebugLogLevel;
using runtime::Result;

bool Recording::open(const Options& options, std::ostream& errors) {
  if (options.etdump_path.empty()) {
    return true;
  }
  if (!runtime::internal::kEventTracerEnabled) {
    errors << "--etdump_path: this build of the runtime leaves event tracing out\n";
    return false;
  }
  owned_ = std::make_unique<ETDumpGen>();
  tracer_ = owned_.get();
  if (options.debug_output_path.empty()) {
    return true;
  }
  Result<FileDataSink> sink = FileDataSink::create(options.debug_output_path.c_str());
  if (!sink.ok()) {
    errors << "--debug_output_path: cannot write " << options.debug_output_path << ": "
           << std::strerror(errno) << "\n";
    return false;
  }
  values_.emplace(std::move(*sink));
  tracer_->set_data_sink(&*values_);
  tracer_->set_event_tracer_debug_level(EventTracerDebugLogLevel::kIntermediateOutputs);
  return true;
}

bool Recording::save(const Options& options, std::ostream& errors) {
  if (tracer_ == nullptr) {
    return true;
  }
  const ETDumpResult events = tracer_->get_etdump_data();
  std::FILE* const file = std::fopen(options.etdump_path.c_str(), "wb");
  bool written = file != nullptr;
  if (written && events.size > 0) {
    written = std::fwrite(events.buf, 1, events.size, file) == events.size;
  }
  if (file != nullptr) {
    written = std::fclose(file) == 0 && written;
  }
  std::free(events.buf);
  if (!written) {
    errors << "--etdump_path: cannot write " << options.etdump_path << ": " << std::strerror(errno)
           << "\n";
  }
  return written;
}

}  // namespace executor_runner
}  // namespace extension
}  // namespace executorch

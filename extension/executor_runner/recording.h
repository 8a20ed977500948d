#pragma once

#include <memory>
#include <optional>
#include <ostream>
#include <utility>

#include <executorch/devtools/etdump/data_sinks/file_data_sink.h>
#include <executorch/devtools/etdump/etdump_flatcc.h>
#include <executorch/extension/executor_runner/options.h>
#include <executorch/runtime/core/event_tracer.h>

namespace executorch {
namespace extension {
namespace executor_runner {

/// What `--etdump_path` and `--debug_output_path` ask for: events, and values of operators and
/// outputs.
class Recording {
 public:
  /// Prepares the files. False, and one line in `errors`, when that is not possible.
  bool open(const Options& options, std::ostream& errors);

  /// What records, for the Module to own; null when nothing is asked for. It stays usable here as
  /// long as the Module lives.
  std::unique_ptr<runtime::EventTracer> take_tracer() { return std::move(owned_); }

  /// Writes the events; before the Module is gone. False, and one line in `errors`, when that
  /// fails.
  bool save(const Options& options, std::ostream& errors);

 private:
  std::unique_ptr<etdump::ETDumpGen> owned_;
  etdump::ETDumpGen* tracer_ = nullptr;
  std::optional<etdump::FileDataSink> values_;
};

}  // namespace executor_runner
}  // namespace extension
}  // namespace executorch

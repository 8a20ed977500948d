/// @file
/// An EventTracer that counts what it is told; for tests of the hooks.
#pragma once

#include <string>
#include <vector>

#include <executorch/runtime/core/event_tracer.h>

namespace executorch {
namespace runtime {
namespace testing {

class RecordingTracer : public EventTracer {
 public:
  std::vector<std::string> log;

  void create_event_block(const char* name) override { add("block", name); }
  EventTracerEntry start_profiling(const char* name, ChainID, DebugHandle) override {
    add("start", name);
    last_chain = current_chain_id();
    last_handle = current_debug_handle();
    EventTracerEntry entry{};
    entry.event_id = 17;
    return entry;
  }
  void end_profiling(EventTracerEntry entry) override {
    add("end", std::to_string(entry.event_id));
  }
  EventTracerEntry start_profiling_delegate(const char* name, DelegateDebugIntId id) override {
    add("start_delegate", name != nullptr ? name : std::to_string(id));
    EventTracerEntry entry{};
    entry.event_id = 18;
    return entry;
  }
  void end_profiling_delegate(EventTracerEntry entry, const void*, size_t len) override {
    add("end_delegate", std::to_string(entry.event_id) + "/" + std::to_string(len));
  }
  void log_profiling_delegate(const char* name, DelegateDebugIntId id, et_timestamp_t start,
                              et_timestamp_t end, const void*, size_t) override {
    add("log_delegate",
        (name != nullptr ? name : std::to_string(id)) + "/" + std::to_string(end - start));
  }
  void track_allocation(AllocatorID id, size_t size) override {
    add("allocation", std::to_string(id) + "/" + std::to_string(size));
  }
  AllocatorID track_allocator(const char* name) override {
    add("allocator", name);
    return 5;
  }
  Result<bool> log_evalue(const EValue&, LoggedEValueType type) override {
    add("evalue", type == LoggedEValueType::kProgramOutput ? "output" : "intermediate");
    return true;
  }
  Result<bool> log_intermediate_output_delegate(const char*, DelegateDebugIntId,
                                                const ::executorch::aten::Tensor&) override {
    return add("delegate_output", "tensor");
  }
  Result<bool> log_intermediate_output_delegate(
      const char*, DelegateDebugIntId,
      const ::executorch::aten::ArrayRef<::executorch::aten::Tensor>) override {
    return add("delegate_output", "tensors");
  }
  Result<bool> log_intermediate_output_delegate(const char*, DelegateDebugIntId,
                                                const int&) override {
    return add("delegate_output", "int");
  }
  Result<bool> log_intermediate_output_delegate(const char*, DelegateDebugIntId,
                                                const bool&) override {
    return add("delegate_output", "bool");
  }
  Result<bool> log_intermediate_output_delegate(const char*, DelegateDebugIntId,
                                                const double&) override {
    return add("delegate_output", "double");
  }
  void set_delegation_intermediate_output_filter(EventTracerFilterBase*) override {}

  ChainID last_chain = kUnsetChainId;
  DebugHandle last_handle = kUnsetDebugHandle;

 private:
  bool add(const std::string& what, const std::string& detail) {
    log.push_back(what + " " + detail);
    return true;
  }
};

}  // namespace testing
}  // namespace runtime
}  // namespace executorch

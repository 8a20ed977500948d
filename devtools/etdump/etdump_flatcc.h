/// @file
/// ETDumpGen: an EventTracer that writes an ETDump (schema/etdump.fbs), for the Inspector to read.
///
/// The name of the header is the documented one; the library flatcc is not needed.
#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/devtools/etdump/data_sinks/buffer_data_sink.h>
#include <executorch/devtools/etdump/data_sinks/data_sink_base.h>
#include <executorch/devtools/etdump/emitter.h>
#include <executorch/runtime/core/event_tracer.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/platform/platform.h>

/// Version of the format.
#define ETDUMP_VERSION 0

namespace executorch {
namespace etdump {

/// An ETDump in memory: a size-prefixed flatbuffer.
struct ETDumpResult {
  void* buf;
  size_t size;
};
using etdump_result = ETDumpResult;

/// Records what a Method does: times, allocations, and values if there is a debug level and a place
/// for them (set_debug_buffer(), set_data_sink()).
///
/// The runtime reports only if built with ET_EVENT_TRACER_ENABLED. Not thread safe; must outlive
/// the methods that were loaded with it. When memory runs out, what comes later is dropped and said
/// once in the log, and what is there stays readable.
class ETDumpGen : public runtime::EventTracer {
 public:
  /// Records into `buffer`, which must outlive this object; or into memory from malloc() that grows
  /// with the events if it is empty.
  ETDumpGen(runtime::Span<uint8_t> buffer = {nullptr, static_cast<size_t>(0)});
  ~ETDumpGen() override;
  ETDumpGen(const ETDumpGen&) = delete;
  ETDumpGen& operator=(const ETDumpGen&) = delete;

  /// Forgets all events.
  void clear_builder();
  void reset() { clear_builder(); }

  void create_event_block(const char* name) override;
  runtime::EventTracerEntry start_profiling(
      const char* name, runtime::ChainID chain_id = runtime::kUnsetChainId,
      runtime::DebugHandle debug_handle = runtime::kUnsetDebugHandle) override;
  void end_profiling(runtime::EventTracerEntry prof_entry) override;
  runtime::EventTracerEntry start_profiling_delegate(
      const char* name, runtime::DelegateDebugIntId delegate_debug_index) override;
  void end_profiling_delegate(runtime::EventTracerEntry event_tracer_entry,
                              const void* metadata = nullptr, size_t metadata_len = 0) override;
  void log_profiling_delegate(const char* name, runtime::DelegateDebugIntId delegate_debug_index,
                              et_timestamp_t start_time, et_timestamp_t end_time,
                              const void* metadata = nullptr, size_t metadata_len = 0) override;
  void track_allocation(runtime::AllocatorID id, size_t size) override;
  runtime::AllocatorID track_allocator(const char* name) override;

  /// Errors: InvalidState when a tensor comes and there is no place for its data, InvalidArgument
  /// for a kind of value that the format does not know, and what the data sink says.
  runtime::Result<bool> log_evalue(const runtime::EValue& evalue,
                                   runtime::LoggedEValueType evalue_type =
                                       runtime::LoggedEValueType::kIntermediateOutput) override;
  runtime::Result<bool> log_intermediate_output_delegate(
      const char* name, runtime::DelegateDebugIntId delegate_debug_index,
      const aten::Tensor& output) override;
  runtime::Result<bool> log_intermediate_output_delegate(
      const char* name, runtime::DelegateDebugIntId delegate_debug_index,
      const aten::ArrayRef<aten::Tensor> output) override;
  runtime::Result<bool> log_intermediate_output_delegate(
      const char* name, runtime::DelegateDebugIntId delegate_debug_index,
      const int& output) override;
  runtime::Result<bool> log_intermediate_output_delegate(
      const char* name, runtime::DelegateDebugIntId delegate_debug_index,
      const bool& output) override;
  runtime::Result<bool> log_intermediate_output_delegate(
      const char* name, runtime::DelegateDebugIntId delegate_debug_index,
      const double& output) override;
  void set_delegation_intermediate_output_filter(
      runtime::EventTracerFilterBase* event_tracer_filter) override;

  /// Where the data of logged tensors go: memory of the caller's ...
  ///
  /// @retval Error::InvalidArgument The buffer is too small for anything.
  runtime::Result<bool> set_debug_buffer(runtime::Span<uint8_t> buffer);

  /// ... or a sink of the caller's. Either must outlive this object.
  void set_data_sink(DataSinkBase* data_sink);
  /// Where tensors go; null if nowhere.
  DataSinkBase* get_data_sink() const { return data_sink_; }

  /// Bytes that logged tensors take in the debug buffer or the data sink.
  size_t debug_data_size() const {
    return data_sink_ == nullptr ? 0 : data_sink_->get_used_bytes();
  }

  /// The ETDump of all events so far; {nullptr, 0} if there are none.
  ///
  /// With memory from malloc() the caller has to free(buf); otherwise it lies in the buffer that
  /// the constructor got. The next event starts a new ETDump, and overwrites that buffer.
  ETDumpResult get_etdump_data();

  /// The number of event blocks so far.
  size_t get_num_blocks() const { return num_blocks_; }

  /// Whether this writes into a buffer of the caller's.
  bool is_static_etdump() const { return emitter_.is_static(); }

 private:
  using Emitter = internal::Emitter;

  /// What an event is known by.
  struct EventId {
    Emitter::Ref name = Emitter::kNone;
    runtime::DelegateDebugIntId delegate_int = runtime::kUnsetDelegateDebugIntId;
    Emitter::Ref delegate_string = Emitter::kNone;
  };

  /// Names live as long as the ETDump they are in; an event may outlive that.
  int64_t name_token(const char* name);
  Emitter::Ref name_of(int64_t token) const;

  bool begin_event();
  void open_block(const char* name);
  void close_block();
  void add_event(uint16_t slot, Emitter::Ref event);
  void add_profile_event(const EventId& id, const runtime::EventTracerEntry& entry,
                         et_timestamp_t end_time, const void* metadata, size_t metadata_len);
  EventId delegate_id(const char* name, runtime::DelegateDebugIntId index);
  void warn_once();

  runtime::Result<Emitter::Ref> write_tensor(const aten::Tensor& tensor);
  runtime::Result<Emitter::Ref> write_tensors(aten::ArrayRef<aten::Tensor> tensors);
  runtime::Result<Emitter::Ref> write_value(const runtime::EValue& evalue, bool is_output);
  runtime::Result<Emitter::Ref> write_output(const aten::Tensor& output);
  runtime::Result<Emitter::Ref> write_output(int output);
  runtime::Result<Emitter::Ref> write_output(bool output);
  runtime::Result<Emitter::Ref> write_output(double output);
  runtime::Result<Emitter::Ref> write_output(aten::ArrayRef<aten::Tensor> output);
  template <typename T>
  runtime::Result<bool> log_delegate_output(const char* name, runtime::DelegateDebugIntId index,
                                            const T& output);
  void add_debug_event(Emitter::Ref value, const char* name, runtime::DelegateDebugIntId index,
                       bool is_delegate);

  Emitter emitter_;
  uint32_t generation_ = 1;  // Counts ETDumps, so that a token is never 0.
  size_t num_blocks_ = 0;
  Emitter::Ref block_name_ = Emitter::kNone;
  size_t block_marks_ = 0;  // Marks before those of the open block.
  bool block_is_open_ = false;
  int block_input_index_ = runtime::kUnsetBundledInputIndex;
  uint32_t num_allocators_ = 0;
  ETDumpResult result_ = {nullptr, 0};
  bool is_done_ = false;
  bool warned_ = false;
  runtime::EventTracerFilterBase* filter_ = nullptr;
  DataSinkBase* data_sink_ = nullptr;
  BufferDataSink buffer_sink_;
};

}  // namespace etdump
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::etdump::etdump_result;
using ::executorch::etdump::ETDumpGen;
}  // namespace executor
}  // namespace torch

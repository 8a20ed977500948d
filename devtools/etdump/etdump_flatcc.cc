#include <cstdlib>
#include <cstring>

#include <executorch/devtools/etdump/etdump_flatcc.h>
#include <executorch/devtools/etdump/schema_slots.h>
#include <executorch/runtime/platform/log.h>
#include <executorch/runtime/platform/platform.h>

namespace executorch {
namespace etdump {

using runtime::AllocatorID;
using runtime::ChainID;
using runtime::DebugHandle;
using runtime::DelegateDebugIdType;
using runtime::DelegateDebugIntId;
using runtime::EventTracerEntry;

namespace slots = internal::slots;

namespace {

// What a mark stands for.
constexpr unsigned kEventMark = 0;
constexpr unsigned kAllocatorMark = 1;
constexpr unsigned kRunMark = 2;

}  // namespace

ETDumpGen::ETDumpGen(runtime::Span<uint8_t> buffer) : emitter_(buffer) {}

ETDumpGen::~ETDumpGen() = default;

void ETDumpGen::clear_builder() {
  emitter_.clear();
  generation_ = (generation_ + 1) & 0x7fffffff;
  num_blocks_ = 0;
  block_is_open_ = false;
  num_allocators_ = 0;
  is_done_ = false;
  warned_ = false;
  result_ = {nullptr, 0};
}

void ETDumpGen::warn_once() {
  if (!emitter_.ok() && !warned_) {
    warned_ = true;
    ET_LOG(Error, "The ETDump is full: later events are dropped. Give ETDumpGen a larger buffer");
  }
}

void ETDumpGen::open_block(const char* name) {
  close_block();
  block_name_ = emitter_.write_string(name);
  block_marks_ = emitter_.mark_count();
  block_input_index_ = bundled_input_index();
  num_allocators_ = 0;
  block_is_open_ = emitter_.ok();
  num_blocks_ += block_is_open_ ? 1 : 0;
  warn_once();
}

void ETDumpGen::close_block() {
  if (!block_is_open_) {
    return;
  }
  block_is_open_ = false;
  emitter_.set_closing(true);
  Emitter::Table run;
  run.set_ref(slots::kRunDataName, block_name_);
  run.set_int(slots::kRunDataBundledInputIndex, block_input_index_);
  if (num_allocators_ > 0) {
    run.set_ref(slots::kRunDataAllocators, emitter_.close_vector(block_marks_, kAllocatorMark));
  }
  run.set_ref(slots::kRunDataEvents, emitter_.close_vector(block_marks_, kEventMark));
  emitter_.drop_marks(block_marks_);
  emitter_.mark(emitter_.write_table(run), kRunMark);
  emitter_.set_closing(false);
}

void ETDumpGen::create_event_block(const char* name) {
  if (is_done_) {
    clear_builder();
  }
  open_block(name);
}

int64_t ETDumpGen::name_token(const char* name) {
  const Emitter::Ref ref = begin_event() ? emitter_.write_string(name) : Emitter::kNone;
  return static_cast<int64_t>(generation_) << 32 | ref;
}

ETDumpGen::Emitter::Ref ETDumpGen::name_of(int64_t token) const {
  const bool is_current = !is_done_ && token >> 32 == static_cast<int64_t>(generation_);
  return is_current ? static_cast<Emitter::Ref>(token & 0xffffffff) : Emitter::kNone;
}

// Events without a block, for instance of a backend that runs on its own, get one.
bool ETDumpGen::begin_event() {
  if (is_done_) {
    clear_builder();
  }
  if (!block_is_open_ && emitter_.ok()) {
    open_block("Default");
  }
  return block_is_open_ && emitter_.ok();
}

void ETDumpGen::add_event(uint16_t slot, Emitter::Ref event) {
  Emitter::Table table;
  table.set_ref(slot, event);
  if (event != Emitter::kNone) {
    emitter_.mark(emitter_.write_table(table), kEventMark);
  }
  warn_once();
}

void ETDumpGen::add_profile_event(const EventId& id, const EventTracerEntry& entry,
                                  et_timestamp_t end_time, const void* metadata,
                                  size_t metadata_len) {
  Emitter::Table event;
  if (metadata != nullptr && metadata_len > 0) {
    event.set_ref(slots::kProfileMetadata, emitter_.write_bytes(metadata, metadata_len));
  }
  event.set_ref(slots::kProfileName, id.name);
  event.set_int(slots::kProfileChain, entry.chain_id);
  event.set_int(slots::kProfileInstruction, static_cast<int32_t>(entry.debug_handle));
  if (id.delegate_int != runtime::kUnsetDelegateDebugIntId) {
    event.set_int(slots::kProfileDelegateInt, id.delegate_int);
  }
  event.set_ref(slots::kProfileDelegateString, id.delegate_string);
  event.set_long(slots::kProfileStart, entry.start_time);
  event.set_long(slots::kProfileEnd, end_time);
  add_event(slots::kEventProfile, emitter_.write_table(event));
}

ETDumpGen::EventId ETDumpGen::delegate_id(const char* name, DelegateDebugIntId index) {
  EventId id;
  id.delegate_int = index;
  if (index == runtime::kUnsetDelegateDebugIntId) {
    id.delegate_string = emitter_.write_string(name);
  }
  return id;
}

EventTracerEntry ETDumpGen::start_profiling(const char* name, ChainID chain_id,
                                            DebugHandle debug_handle) {
  EventTracerEntry entry{};
  entry.event_id = name_token(name);
  entry.delegate_event_id_type = DelegateDebugIdType::kNone;
  // Chain -1 means that the event is told nothing of its own place.
  const bool is_unset = chain_id == runtime::kUnsetChainId;
  entry.chain_id = is_unset ? chain_id_ : chain_id;
  entry.debug_handle = is_unset ? debug_handle_ : debug_handle;
  entry.start_time = runtime::pal_current_ticks();
  return entry;
}

void ETDumpGen::end_profiling(EventTracerEntry prof_entry) {
  const et_timestamp_t end_time = runtime::pal_current_ticks();
  EventId id;
  id.name = name_of(prof_entry.event_id);
  if (id.name == Emitter::kNone || !begin_event()) {
    return;
  }
  add_profile_event(id, prof_entry, end_time, nullptr, 0);
}

EventTracerEntry ETDumpGen::start_profiling_delegate(const char* name,
                                                     DelegateDebugIntId delegate_debug_index) {
  EventTracerEntry entry{};
  const bool is_named = delegate_debug_index == runtime::kUnsetDelegateDebugIntId;
  entry.delegate_event_id_type = is_named ? DelegateDebugIdType::kStr : DelegateDebugIdType::kInt;
  entry.event_id = is_named ? name_token(name) : delegate_debug_index;
  entry.chain_id = chain_id_;
  entry.debug_handle = debug_handle_;
  entry.start_time = runtime::pal_current_ticks();
  return entry;
}

void ETDumpGen::end_profiling_delegate(EventTracerEntry event_tracer_entry, const void* metadata,
                                       size_t metadata_len) {
  const et_timestamp_t end_time = runtime::pal_current_ticks();
  const bool is_named = event_tracer_entry.delegate_event_id_type == DelegateDebugIdType::kStr;
  EventId id;
  if (is_named) {
    id.delegate_string = name_of(event_tracer_entry.event_id);
  } else {
    id.delegate_int = static_cast<DelegateDebugIntId>(event_tracer_entry.event_id);
  }
  if ((is_named && id.delegate_string == Emitter::kNone) || !begin_event()) {
    return;
  }
  add_profile_event(id, event_tracer_entry, end_time, metadata, metadata_len);
}

void ETDumpGen::log_profiling_delegate(const char* name, DelegateDebugIntId delegate_debug_index,
                                       et_timestamp_t start_time, et_timestamp_t end_time,
                                       const void* metadata, size_t metadata_len) {
  if (!begin_event()) {
    return;
  }
  EventTracerEntry entry{};
  entry.chain_id = chain_id_;
  entry.debug_handle = debug_handle_;
  entry.start_time = start_time;
  add_profile_event(delegate_id(name, delegate_debug_index), entry, end_time, metadata,
                    metadata_len);
}

void ETDumpGen::track_allocation(AllocatorID id, size_t size) {
  if (!begin_event()) {
    return;
  }
  Emitter::Table event;
  event.set_int(slots::kAllocationId, static_cast<int32_t>(id));
  event.set_long(slots::kAllocationSize, size);
  add_event(slots::kEventAllocation, emitter_.write_table(event));
}

AllocatorID ETDumpGen::track_allocator(const char* name) {
  if (!begin_event()) {
    return 0;
  }
  Emitter::Table allocator;
  allocator.set_ref(slots::kAllocatorName, emitter_.write_string(name));
  if (emitter_.mark(emitter_.write_table(allocator), kAllocatorMark)) {
    ++num_allocators_;
  }
  warn_once();
  return num_allocators_;
}

ETDumpResult ETDumpGen::get_etdump_data() {
  if (!is_done_) {
    close_block();
    is_done_ = true;
    if (num_blocks_ > 0) {
      emitter_.set_closing(true);
      Emitter::Table root;
      root.set_int(slots::kETDumpVersion, 0);
      root.set_ref(slots::kETDumpRunData, emitter_.close_vector(0, kRunMark));
      const runtime::Span<uint8_t> bytes =
          emitter_.finish(emitter_.write_table(root), slots::kIdentifier);
      result_ = {bytes.data(), bytes.size()};
    }
  }
  if (result_.size == 0 || emitter_.is_static()) {
    return result_;
  }
  void* const copy = std::malloc(result_.size);
  if (copy == nullptr) {
    ET_LOG(Error, "No memory for an ETDump of %zu bytes", result_.size);
    return {nullptr, 0};
  }
  std::memcpy(copy, result_.buf, result_.size);
  return {copy, result_.size};
}

void ETDumpGen::set_delegation_intermediate_output_filter(
    runtime::EventTracerFilterBase* event_tracer_filter) {
  filter_ = event_tracer_filter;
}

}  // namespace etdump
}  // namespace executorch

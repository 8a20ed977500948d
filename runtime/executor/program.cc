#include <cinttypes>
#include <cstring>
#include <limits>
#include <utility>

#include <executorch/runtime/core/defines.h>
#include <executorch/runtime/core/event_tracer_hooks.h>
#include <executorch/runtime/executor/flatbuffer_util.h>
#include <executorch/runtime/executor/integrity.h>
#include <executorch/runtime/executor/method_loader.h>
#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/executor/program_validation.h>
#include <executorch/runtime/platform/log.h>
#include <executorch/schema/extended_header.h>
#include <executorch/schema/program_generated.h>

namespace executorch {
namespace runtime {

namespace fb = executorch_flatbuffer;
using internal::in_bounds;
using internal::is_aligned;
using internal::size_of;
using internal::view_of;

namespace {

// The last version of schema/program.fbs that this runtime knows. A newer one may say what would be
// misread here.
constexpr uint32_t kSchemaVersion = 0;

// Where the parts of a file lie, all checked to be inside of it.
struct FileLayout {
  size_t program_size;
  // 0 if the file has no segments.
  size_t segment_base_offset;
  // Bytes available to segments.
  size_t segment_data_size;
};

Result<FileLayout> read_layout(DataLoader* loader) {
  Result<size_t> file_size = loader->size();
  if (!file_size.ok()) {
    return file_size.error();
  }
  ET_CHECK_OR_RETURN_ERROR(*file_size >= Program::kMinHeadBytes, InvalidProgram,
                           "File has %zu bytes, a program has at least %zu", *file_size,
                           Program::kMinHeadBytes);
  Result<FreeableBuffer> head =
      loader->load(0, ExtendedHeader::kNumHeadBytes,
                   DataLoader::SegmentInfo(DataLoader::SegmentInfo::Type::Program));
  if (!head.ok()) {
    return head.error();
  }
  ET_CHECK_OR_RETURN_ERROR(
      Program::check_header(head->data(), head->size()) == Program::CompatibleVersion,
      InvalidProgram, "The file is not a program that this runtime can read: no '%s' at byte 4",
      fb::ProgramIdentifier());
  Result<ExtendedHeader> header = ExtendedHeader::Parse(head->data(), head->size());
  if (header.error() == Error::NotFound) {
    return FileLayout{*file_size, 0, 0};
  }
  if (!header.ok()) {
    return header.error();
  }
  ET_CHECK_OR_RETURN_ERROR(
      header->program_size >= Program::kMinHeadBytes && header->program_size <= *file_size,
      InvalidProgram, "Program of %" PRIu64 " bytes in a file of %zu", header->program_size,
      *file_size);
  if (header->segment_base_offset == 0) {
    return FileLayout{static_cast<size_t>(header->program_size), 0, 0};
  }
  ET_CHECK_OR_RETURN_ERROR(
      header->segment_base_offset >= header->program_size &&
          in_bounds(header->segment_base_offset, header->segment_data_size, *file_size),
      InvalidProgram,
      "Segments of %" PRIu64 " bytes at %" PRIu64
      " in a file of %zu bytes with a program of %" PRIu64,
      header->segment_data_size, header->segment_base_offset, *file_size, header->program_size);
  const auto base = static_cast<size_t>(header->segment_base_offset);
  const auto data_size = static_cast<size_t>(header->segment_data_size);
  return FileLayout{static_cast<size_t>(header->program_size), base,
                    data_size != 0 ? data_size : *file_size - base};
}

// Everything read later relies on this, on both levels: without it any offset in the file could
// lead anywhere. It reads each byte of the tables once and none of the data.
Error verify_flatbuffer(const void* data, size_t size) {
#if ET_ENABLE_PROGRAM_VERIFICATION
  ET_CHECK_OR_RETURN_ERROR(size < FLATBUFFERS_MAX_BUFFER_SIZE, InvalidProgram,
                           "Program of %zu bytes is too large", size);
  flatbuffers::Verifier::Options options;
  // A table is reached through an offset of four bytes, so an honest program has fewer. References
  // that share tables could otherwise make a small file take very long.
  options.max_tables = static_cast<flatbuffers::uoffset_t>(size / 4);
  flatbuffers::Verifier verifier(static_cast<const uint8_t*>(data), size, options);
  ET_CHECK_OR_RETURN_ERROR(fb::VerifyProgramBuffer(verifier), InvalidProgram,
                           "The program is not a valid flatbuffer: truncated or damaged");
#else
  (void)data;
  (void)size;
#endif
  return Error::Ok;
}

Error check_segments(const fb::Program* program, const FileLayout& layout) {
  const auto* segments = program->segments();
  for (uint32_t i = 0; i < size_of(segments); ++i) {
    const fb::DataSegment* segment = segments->Get(i);
    ET_CHECK_OR_RETURN_ERROR(
        in_bounds(segment->offset(), segment->size(), layout.segment_data_size), InvalidProgram,
        "Segment %u has %" PRIu64 " bytes at %" PRIu64 ", the file has %zu bytes of segments",
        static_cast<unsigned>(i), segment->size(), segment->offset(), layout.segment_data_size);
  }
  return Error::Ok;
}

// Where the last segment ends; 0 for a file without a header, whose program is the whole file.
size_t data_end(const FileLayout& layout) {
  return layout.segment_base_offset == 0 ? 0
                                         : layout.segment_base_offset + layout.segment_data_size;
}

Result<FreeableBuffer> load_segment(DataLoader* loader, size_t segment_base_offset,
                                    const fb::DataSegment& segment,
                                    const DataLoader::SegmentInfo& info) {
  // check_segments has seen that the segment lies within the file.
  Result<FreeableBuffer> buffer =
      loader->load(segment_base_offset + static_cast<size_t>(segment.offset()),
                   static_cast<size_t>(segment.size()), info);
  ET_CHECK_OR_RETURN_ERROR(!buffer.ok() || buffer->size() >= segment.size(), AccessFailed,
                           "Data loader gave %zu bytes of a segment of %" PRIu64, buffer->size(),
                           segment.size());
  return buffer;
}

// Loads the segment with all constant tensors, an empty buffer if there are none.
Result<FreeableBuffer> load_constants(DataLoader* loader, const FileLayout& layout,
                                      const fb::Program* program) {
  for (uint32_t i = 0; i < size_of(program->constant_buffer()); ++i) {
    ET_CHECK_OR_RETURN_ERROR(
        size_of(program->constant_buffer()->Get(i)->storage()) == 0, InvalidProgram,
        "The program keeps constants inside its flatbuffer, a form that is no longer supported. "
        "Export it again");
  }
  const fb::SubsegmentOffsets* constants = program->constant_segment();
  // Entry 0 only keeps the place of "not a constant".
  if (constants == nullptr || size_of(constants->offsets()) < 2) {
    return FreeableBuffer();
  }
  const uint32_t index = constants->segment_index();
  ET_CHECK_OR_RETURN_ERROR(index < size_of(program->segments()), InvalidProgram,
                           "Constants are in segment %u, the program has %zu",
                           static_cast<unsigned>(index), size_of(program->segments()));
  const fb::DataSegment* segment = program->segments()->Get(index);
  if (segment->size() == 0) {
    return FreeableBuffer();
  }
  return load_segment(loader, layout.segment_base_offset, *segment,
                      DataLoader::SegmentInfo(DataLoader::SegmentInfo::Type::Constant, index));
}

Result<const fb::ExecutionPlan*> find_plan(const fb::Program* program, const char* method_name) {
  ET_CHECK_OR_RETURN_ERROR(method_name != nullptr, InvalidArgument, "The method's name is null");
  const auto* plans = program->execution_plan();
  for (uint32_t i = 0; i < size_of(plans); ++i) {
    if (internal::is_name(plans->Get(i)->name()) && view_of(plans->Get(i)->name()) == method_name) {
      return plans->Get(i);
    }
  }
  ET_LOG(Error, "The program has no method '%s'", method_name);
  for (uint32_t i = 0; i < size_of(plans); ++i) {
    ET_LOG(Error, "  it has '%s'", internal::c_str(plans->Get(i)->name()));
  }
  return Error::InvalidArgument;
}

}  // namespace

Program::Program(DataLoader* loader, size_t segment_base_offset, FreeableBuffer&& program_data,
                 const fb::Program* internal_program, FreeableBuffer&& constant_segment_data,
                 std::optional<internal::PteDataMap>&& named_data)
    : loader_(loader),
      segment_base_offset_(segment_base_offset),
      program_data_(std::move(program_data)),
      internal_program_(internal_program),
      constant_segment_data_(std::move(constant_segment_data)),
      named_data_(std::move(named_data)) {}

/* static */ Result<Program> Program::load(DataLoader* loader, Verification verification) {
  ET_CHECK_OR_RETURN_ERROR(loader != nullptr, InvalidArgument, "The data loader is null");
  Result<FileLayout> layout = read_layout(loader);
  if (!layout.ok()) {
    return layout.error();
  }

  Result<FreeableBuffer> program_data = loader->load(
      0, layout->program_size, DataLoader::SegmentInfo(DataLoader::SegmentInfo::Type::Program));
  if (!program_data.ok()) {
    return program_data.error();
  }
  ET_CHECK_OR_RETURN_ERROR(program_data->size() >= layout->program_size, AccessFailed,
                           "Data loader gave %zu bytes of a program of %zu", program_data->size(),
                           layout->program_size);
  ET_CHECK_OR_RETURN_ERROR(
      reinterpret_cast<uintptr_t>(program_data->data()) % alignof(std::max_align_t) == 0,
      InvalidArgument, "Program data at %p is not aligned to %zu bytes", program_data->data(),
      alignof(std::max_align_t));
  ET_CHECK_OK_OR_RETURN_ERROR(verify_flatbuffer(program_data->data(), layout->program_size));

  const fb::Program* program = fb::GetProgram(program_data->data());
  ET_CHECK_OR_RETURN_ERROR(program->version() <= kSchemaVersion, InvalidProgram,
                           "The program has schema version %" PRIu32
                           ", this runtime reads up to %" PRIu32
                           ": export it with an older release, or update the runtime",
                           program->version(), kSchemaVersion);
  ET_CHECK_OK_OR_RETURN_ERROR(check_segments(program, *layout));
  if (verification == Verification::InternalConsistency) {
#if ET_ENABLE_PROGRAM_VERIFICATION
    ET_CHECK_OK_OR_RETURN_ERROR(validate_program(program));
    ET_CHECK_OK_OR_RETURN_ERROR(internal::check_integrity(loader, data_end(*layout)));
#else
    ET_LOG(Error, "This runtime was built without program verification");
    return Error::NotSupported;
#endif
  }

  Result<FreeableBuffer> constants = load_constants(loader, *layout, program);
  if (!constants.ok()) {
    return constants.error();
  }
  std::optional<internal::PteDataMap> named_data;
  if (size_of(program->named_data()) > 0) {
    Result<internal::PteDataMap> map = internal::PteDataMap::create(
        loader, layout->segment_base_offset, program->named_data(), program->segments());
    if (!map.ok()) {
      return map.error() == Error::InvalidArgument ? Error::InvalidProgram : map.error();
    }
    named_data.emplace(std::move(*map));
  }
  return Program(loader, layout->segment_base_offset, std::move(*program_data), program,
                 std::move(*constants), std::move(named_data));
}

/* static */ Program::HeaderStatus Program::check_header(const void* data, size_t size) {
  if (data == nullptr || size < kMinHeadBytes) {
    return HeaderStatus::ShortData;
  }
  const char* identifier = static_cast<const char*>(data) + sizeof(flatbuffers::uoffset_t);
  if (std::memcmp(identifier, fb::ProgramIdentifier(), flatbuffers::kFileIdentifierLength) == 0) {
    return HeaderStatus::CompatibleVersion;
  }
  // "ET" and another version number.
  if (std::memcmp(identifier, fb::ProgramIdentifier(), 2) == 0) {
    return HeaderStatus::IncompatibleVersion;
  }
  return HeaderStatus::NotPresent;
}

size_t Program::num_methods() const { return size_of(internal_program_->execution_plan()); }

Result<const char*> Program::get_method_name(size_t method_index) const {
  ET_CHECK_OR_RETURN_ERROR(method_index < num_methods(), InvalidArgument,
                           "There is no method %zu, the program has %zu", method_index,
                           num_methods());
  const auto* name =
      internal_program_->execution_plan()->Get(static_cast<uint32_t>(method_index))->name();
  ET_CHECK_OR_RETURN_ERROR(internal::is_name(name), InvalidProgram, "Method %zu has no valid name",
                           method_index);
  return name->c_str();
}

Result<MethodMeta> Program::method_meta(const char* method_name) const {
  Result<const fb::ExecutionPlan*> plan = find_plan(internal_program_, method_name);
  if (!plan.ok()) {
    return plan.error();
  }
  return MethodMeta(*plan);
}

Result<Method> Program::load_method(const char* method_name, MemoryManager* memory_manager,
                                    EventTracer* event_tracer, const NamedDataMap* named_data_map,
                                    const LoadBackendOptionsMap* backend_options,
                                    Span<const Kernel> kernels) const {
  internal::event_tracer_create_event_block(event_tracer, "Default");
  internal::EventTracerProfileMethodScope scope(event_tracer, "Program::load_method");
  Result<const fb::ExecutionPlan*> plan = find_plan(internal_program_, method_name);
  if (!plan.ok()) {
    return plan.error();
  }
  return internal::MethodLoader::load(
      {*plan, this, memory_manager, event_tracer, named_data_map, backend_options, kernels});
}

Result<const void*> Program::get_constant_buffer_data(size_t buffer_index, size_t nbytes) const {
  const fb::SubsegmentOffsets* constants = internal_program_->constant_segment();
  const size_t num_buffers = constants == nullptr ? 0 : size_of(constants->offsets());
  ET_CHECK_OR_RETURN_ERROR(buffer_index < num_buffers && is_aligned(constants->offsets()),
                           InvalidArgument, "There is no constant buffer %zu, the program has %zu",
                           buffer_index, num_buffers);
  const uint64_t offset = constants->offsets()->Get(static_cast<uint32_t>(buffer_index));
  ET_CHECK_OR_RETURN_ERROR(
      in_bounds(offset, nbytes, constant_segment_data_.size()), InvalidArgument,
      "Constant buffer %zu at %" PRIu64 " has no %zu bytes, the constant segment has %zu",
      buffer_index, offset, nbytes, constant_segment_data_.size());
  return static_cast<const void*>(static_cast<const uint8_t*>(constant_segment_data_.data()) +
                                  offset);
}

Result<const NamedDataMap*> Program::get_named_data_map() const {
  if (!named_data_.has_value()) {
    return Error::NotFound;
  }
  return static_cast<const NamedDataMap*>(&*named_data_);
}

Result<const char*> Program::get_output_flattening_encoding(const char* method_name) const {
  Result<const fb::ExecutionPlan*> plan = find_plan(internal_program_, method_name);
  if (!plan.ok()) {
    return plan.error();
  }
  const fb::ContainerMetadata* container = (*plan)->container_meta_type();
  ET_CHECK_OR_RETURN_ERROR(container != nullptr && container->encoded_out_str() != nullptr,
                           InvalidProgram, "Method %s does not say how its outputs nest",
                           method_name);
  return container->encoded_out_str()->c_str();
}

Error Program::get_backend_delegate_data(size_t index, const void** out_data,
                                         size_t* out_size) const {
  const auto* entries = internal_program_->backend_delegate_data();
  ET_CHECK_OR_RETURN_ERROR(index < size_of(entries), NotFound,
                           "There is no delegate data %zu, the program has %zu", index,
                           size_of(entries));
  const auto* data = entries->Get(static_cast<uint32_t>(index))->data();
  *out_data = data == nullptr ? nullptr : data->data();
  *out_size = size_of(data);
  return Error::Ok;
}

Result<FreeableBuffer> Program::LoadSegment(const DataLoader::SegmentInfo& segment_info) const {
  const size_t index = segment_info.segment_index;
  ET_CHECK_OR_RETURN_ERROR(segment_base_offset_ != 0, NotFound,
                           "There is no segment %zu, the program has none", index);
  const size_t num_segments = size_of(internal_program_->segments());
  ET_CHECK_OR_RETURN_ERROR(index < num_segments, NotFound,
                           "There is no segment %zu, the program has %zu", index, num_segments);
  return load_segment(loader_, segment_base_offset_,
                      *internal_program_->segments()->Get(static_cast<uint32_t>(index)),
                      segment_info);
}

Error Program::load_mutable_subsegment_into(size_t mutable_data_segments_index, size_t offset_index,
                                            size_t size, void* buffer) const {
  ET_CHECK_OR_RETURN_ERROR(segment_base_offset_ != 0, NotFound, "The program has no segments");
  const auto* parts = internal_program_->mutable_data_segments();
  ET_CHECK_OR_RETURN_ERROR(mutable_data_segments_index < size_of(parts), NotFound,
                           "There is no mutable data segment %zu, the program has %zu",
                           mutable_data_segments_index, size_of(parts));
  const fb::SubsegmentOffsets* part =
      parts->Get(static_cast<uint32_t>(mutable_data_segments_index));
  ET_CHECK_OR_RETURN_ERROR(offset_index < size_of(part->offsets()) && is_aligned(part->offsets()),
                           NotFound,
                           "There is no offset %zu in mutable data segment %zu, it has %zu",
                           offset_index, mutable_data_segments_index, size_of(part->offsets()));
  ET_CHECK_OR_RETURN_ERROR(part->segment_index() < size_of(internal_program_->segments()),
                           InvalidProgram, "Mutable data is in segment %u, the program has %zu",
                           static_cast<unsigned>(part->segment_index()),
                           size_of(internal_program_->segments()));
  const fb::DataSegment* segment = internal_program_->segments()->Get(part->segment_index());
  const uint64_t offset = part->offsets()->Get(static_cast<uint32_t>(offset_index));
  ET_CHECK_OR_RETURN_ERROR(in_bounds(offset, size, segment->size()), InvalidProgram,
                           "Mutable data of %zu bytes at %" PRIu64
                           " exceeds its segment of %" PRIu64 " bytes",
                           size, offset, segment->size());
  const size_t file_offset =
      segment_base_offset_ + static_cast<size_t>(segment->offset()) + static_cast<size_t>(offset);
  const DataLoader::SegmentInfo info(DataLoader::SegmentInfo::Type::Mutable, part->segment_index());
  const Error error = loader_->load_into(file_offset, size, info, buffer);
  if (error != Error::NotImplemented) {
    return error;
  }
  // Loaders need not support load_into.
  Result<FreeableBuffer> data = loader_->load(file_offset, size, info);
  if (!data.ok()) {
    return data.error();
  }
  ET_CHECK_OR_RETURN_ERROR(data->size() >= size, AccessFailed,
                           "Data loader gave %zu bytes instead of %zu", data->size(), size);
  if (size > 0) {
    std::memcpy(buffer, data->data(), size);
  }
  return Error::Ok;
}

}  // namespace runtime
}  // namespace executorch

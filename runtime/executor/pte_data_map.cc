#include <limits>

#include <executorch/runtime/executor/flatbuffer_util.h>
#include <executorch/runtime/executor/pte_data_map.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace runtime {
namespace internal {

/* static */ Result<PteDataMap> PteDataMap::create(DataLoader* loader, size_t segment_base_offset,
                                                   const NamedDataVector* named_data,
                                                   const SegmentVector* segments) {
  ET_CHECK_OR_RETURN_ERROR(loader != nullptr && named_data != nullptr && segments != nullptr,
                           InvalidArgument,
                           "Named data of a program needs a loader, keys and segments");
  for (uint32_t i = 0; i < named_data->size(); ++i) {
    const executorch_flatbuffer::NamedData* entry = named_data->Get(i);
    ET_CHECK_OR_RETURN_ERROR(is_name(entry->key()), InvalidProgram,
                             "Named data %u has no valid key", static_cast<unsigned>(i));
    ET_CHECK_OR_RETURN_ERROR(entry->segment_index() < segments->size(), InvalidProgram,
                             "Named data %s is in segment %u, the program has %u",
                             entry->key()->c_str(), static_cast<unsigned>(entry->segment_index()),
                             static_cast<unsigned>(segments->size()));
  }
  return PteDataMap(loader, segment_base_offset, named_data, segments, named_data->size());
}

uint32_t PteDataMap::find(std::string_view key) const {
  const uint32_t count = num_keys_;
  const uint32_t start = search_start_.load(std::memory_order_relaxed);
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t position = start + i < count ? start + i : start + i - count;
    if (view_of(named_data_->Get(position)->key()) == key) {
      search_start_.store(position + 1 < count ? position + 1 : 0, std::memory_order_relaxed);
      return position;
    }
  }
  return count;
}

Result<FreeableBuffer> PteDataMap::load(std::string_view key) const {
  const uint32_t position = find(key);
  if (position == num_keys_) {
    // Quiet: a map that is merged with others is asked for their keys too.
    return Error::NotFound;
  }
  const uint32_t index = named_data_->Get(position)->segment_index();
  const executorch_flatbuffer::DataSegment* segment = segments_->Get(index);
  const uint64_t offset = segment->offset();
  const uint64_t size = segment->size();
  ET_CHECK_OR_RETURN_ERROR(
      in_bounds(offset, size, std::numeric_limits<size_t>::max() - segment_base_offset_),
      InvalidProgram, "Segment %u lies outside of any file", static_cast<unsigned>(index));
  return loader_->load(segment_base_offset_ + static_cast<size_t>(offset),
                       static_cast<size_t>(size),
                       DataLoader::SegmentInfo(DataLoader::SegmentInfo::Type::Constant, index,
                                               c_str(named_data_->Get(position)->key())));
}

Result<const char*> PteDataMap::key_at(uint32_t index) const {
  ET_CHECK_OR_RETURN_ERROR(index < num_keys_, InvalidArgument,
                           "There is no key %u, the program has %u", static_cast<unsigned>(index),
                           static_cast<unsigned>(num_keys_));
  return named_data_->Get(index)->key()->c_str();
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch

#include <algorithm>
#include <cinttypes>
#include <cstring>
#include <limits>
#include <numeric>

#include <executorch/extension/flat_tensor/flat_tensor_data_map.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/core/exec_aten/util/tensor_dimension_limit.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/platform/log.h>
#include <executorch/schema/flat_tensor_generated.h>

namespace executorch {
namespace extension {

namespace fb = flat_tensor_flatbuffer;

using executorch::aten::ScalarType;
using executorch::aten::string_view;
using runtime::DataLoader;
using runtime::Error;
using runtime::FreeableBuffer;
using runtime::Result;
using runtime::Span;
using runtime::TensorLayout;

namespace {

/// Flatbuffer offsets are 32 bits wide, so a larger table of contents cannot be right.
constexpr uint64_t kLargestFlatbuffer = uint64_t{1} << 31;

/// The last version of schema/flat_tensor.fbs that this reader knows.
constexpr uint32_t kSchemaVersion = 0;

const DataLoader::SegmentInfo kExternal(DataLoader::SegmentInfo::Type::External);

string_view key_of(const fb::NamedData* entry) {
  return string_view(entry->key()->c_str(), entry->key()->size());
}

int compare(string_view a, string_view b) {
  const int order = std::memcmp(a.data(), b.data(), std::min(a.size(), b.size()));
  if (order != 0) {
    return order;
  }
  return a.size() < b.size() ? -1 : (a.size() > b.size() ? 1 : 0);
}

/// Length to print a key with: keys come out of a file.
int printed(string_view key) { return static_cast<int>(std::min<size_t>(key.size(), 120)); }

Result<TensorLayout> to_layout(const fb::TensorLayout* layout, string_view key) {
  const auto* sizes = layout->sizes();
  const auto* dim_order = layout->dim_order();
  const size_t rank = sizes == nullptr ? 0 : sizes->size();
  const size_t ordered = dim_order == nullptr ? 0 : dim_order->size();
  if (rank > runtime::kTensorDimensionLimit || rank != ordered) {
    ET_LOG(Error, "%.*s: %zu sizes and a dim order of %zu entries", printed(key), key.data(), rank,
           ordered);
    return Error::InvalidExternalData;
  }
  const auto type = static_cast<ScalarType>(layout->scalar_type());
  if (!runtime::isValid(type)) {
    ET_LOG(Error, "%.*s: unknown scalar type %d", printed(key), key.data(),
           static_cast<int>(layout->scalar_type()));
    return Error::InvalidExternalData;
  }
  const Result<const TensorLayout> result = TensorLayout::create(
      Span<const int32_t>(rank == 0 ? nullptr : sizes->data(), rank),
      Span<const uint8_t>(rank == 0 ? nullptr : dim_order->data(), rank), type);
  if (!result.ok()) {
    ET_LOG(Error, "%.*s: sizes and dim order make no tensor", printed(key), key.data());
    return Error::InvalidExternalData;
  }
  return *result;
}

/// Holds one entry of the table of contents against its segment.
Error check_entry(const fb::FlatTensor* table, const fb::NamedData* entry, size_t index) {
  if (entry == nullptr || entry->key() == nullptr) {
    ET_LOG(Error, "Named data %zu has no key", index);
    return Error::InvalidExternalData;
  }
  const string_view key = key_of(entry);
  if (entry->segment_index() >= table->segments()->size()) {
    ET_LOG(Error, "%.*s: segment %" PRIu32 " of %" PRIu32, printed(key), key.data(),
           entry->segment_index(), static_cast<uint32_t>(table->segments()->size()));
    return Error::InvalidExternalData;
  }
  if (entry->tensor_layout() == nullptr) {
    return Error::Ok;
  }
  const Result<TensorLayout> layout = to_layout(entry->tensor_layout(), key);
  if (!layout.ok()) {
    return layout.error();
  }
  const uint64_t size = table->segments()->Get(entry->segment_index())->size();
  if (layout->nbytes() > size) {
    ET_LOG(Error, "%.*s: the tensor needs %zu bytes, its segment has %" PRIu64, printed(key),
           key.data(), layout->nbytes(), size);
    return Error::InvalidExternalData;
  }
  return Error::Ok;
}

Error check_segments(const fb::FlatTensor* table, const FlatTensorHeader& header,
                     size_t file_size) {
  if (table->segments() == nullptr || table->named_data() == nullptr) {
    ET_LOG(Error, "The .ptd file has no table of segments or no table of names");
    return Error::InvalidExternalData;
  }
  if (header.segment_base_offset > file_size) {
    ET_LOG(Error, "The segments start at byte %" PRIu64 " of a file of %zu bytes",
           header.segment_base_offset, file_size);
    return Error::InvalidExternalData;
  }
  const uint64_t available = file_size - header.segment_base_offset;
  for (uint32_t i = 0; i < table->segments()->size(); ++i) {
    const fb::DataSegment* segment = table->segments()->Get(i);
    if (segment == nullptr || segment->offset() > available ||
        segment->size() > available - segment->offset()) {
      ET_LOG(Error, "Segment %" PRIu32 " reaches past the end of the file of %zu bytes", i,
             file_size);
      return Error::InvalidExternalData;
    }
  }
  return Error::Ok;
}

/// Checks all entries and sorts their indices by key.
Result<std::vector<uint32_t>> index_entries(const fb::FlatTensor* table) {
  const auto* entries = table->named_data();
  for (uint32_t i = 0; i < entries->size(); ++i) {
    const Error error = check_entry(table, entries->Get(i), i);
    if (error != Error::Ok) {
      return error;
    }
  }
  std::vector<uint32_t> by_key(entries->size());
  std::iota(by_key.begin(), by_key.end(), 0);
  std::sort(by_key.begin(), by_key.end(), [&](uint32_t a, uint32_t b) {
    return compare(key_of(entries->Get(a)), key_of(entries->Get(b))) < 0;
  });
  for (size_t i = 1; i < by_key.size(); ++i) {
    const string_view key = key_of(entries->Get(by_key[i]));
    if (compare(key_of(entries->Get(by_key[i - 1])), key) == 0) {
      ET_LOG(Error, "The key %.*s occurs twice", printed(key), key.data());
      return Error::InvalidExternalData;
    }
  }
  return by_key;
}

/// The header, held against the size of the file.
Result<FlatTensorHeader> load_header(DataLoader* loader, size_t file_size) {
  if (file_size < FlatTensorHeader::kNumHeadBytes) {
    ET_LOG(Error, "Not a .ptd file: only %zu bytes", file_size);
    return Error::InvalidExternalData;
  }
  const Result<FreeableBuffer> head = loader->load(0, FlatTensorHeader::kNumHeadBytes, kExternal);
  if (!head.ok()) {
    return head.error();
  }
  if (std::memcmp(static_cast<const uint8_t*>(head->data()) + flatbuffers::kFileIdentifierLength,
                  fb::FlatTensorIdentifier(), flatbuffers::kFileIdentifierLength) != 0) {
    ET_LOG(Error, "Not a .ptd file: expected %s at byte 4", fb::FlatTensorIdentifier());
    return Error::InvalidExternalData;
  }
  const Result<FlatTensorHeader> header = FlatTensorHeader::Parse(head->data(), head->size());
  if (!header.ok()) {
    return Error::InvalidExternalData;
  }
  const uint64_t end = header->flatbuffer_offset + header->flatbuffer_size;
  if (end > file_size || end > kLargestFlatbuffer || end < FlatTensorHeader::kNumHeadBytes) {
    ET_LOG(Error,
           "The flatbuffer of the .ptd file should end at byte %" PRIu64 ", the file has %zu bytes",
           end, file_size);
    return Error::InvalidExternalData;
  }
  return *header;
}

}  // namespace

Result<FlatTensorDataMap> FlatTensorDataMap::load(DataLoader* loader) {
  if (loader == nullptr) {
    ET_LOG(Error, "No loader to read a .ptd file with");
    return Error::InvalidArgument;
  }
  const Result<size_t> file_size = loader->size();
  if (!file_size.ok()) {
    return file_size.error();
  }
  const Result<FlatTensorHeader> header = load_header(loader, *file_size);
  if (!header.ok()) {
    return header.error();
  }
  const auto size = static_cast<size_t>(header->flatbuffer_offset + header->flatbuffer_size);
  Result<FreeableBuffer> contents = loader->load(0, size, kExternal);
  if (!contents.ok()) {
    return contents.error();
  }
  if (reinterpret_cast<uintptr_t>(contents->data()) % alignof(uint64_t) != 0) {
    ET_LOG(Error, "The .ptd data has to start at a multiple of %zu bytes", alignof(uint64_t));
    return Error::InvalidArgument;
  }
  flatbuffers::Verifier verifier(static_cast<const uint8_t*>(contents->data()), contents->size());
  if (!fb::VerifyFlatTensorBuffer(verifier)) {
    ET_LOG(Error, "The flatbuffer of the .ptd file is damaged");
    return Error::InvalidExternalData;
  }
  const fb::FlatTensor* table = fb::GetFlatTensor(contents->data());
  if (table->version() > kSchemaVersion) {
    ET_LOG(Error,
           "The .ptd file has schema version %" PRIu32 ", this runtime reads up to %" PRIu32
           ": export it with an older release, or update the runtime",
           table->version(), kSchemaVersion);
    return Error::InvalidExternalData;
  }
  const Error error = check_segments(table, *header, *file_size);
  if (error != Error::Ok) {
    return error;
  }
  Result<std::vector<uint32_t>> by_key = index_entries(table);
  if (!by_key.ok()) {
    return by_key.error();
  }
  return FlatTensorDataMap(*header, std::move(*contents), table, loader, std::move(*by_key));
}

Result<const fb::NamedData*> FlatTensorDataMap::find(string_view key) const {
  const auto* entries = table_->named_data();
  const auto position = std::lower_bound(by_key_.begin(), by_key_.end(), key,
                                         [&](uint32_t index, string_view wanted) {
                                           return compare(key_of(entries->Get(index)), wanted) < 0;
                                         });
  if (position == by_key_.end() || compare(key_of(entries->Get(*position)), key) != 0) {
    return Error::NotFound;
  }
  return entries->Get(*position);
}

Result<const TensorLayout> FlatTensorDataMap::get_tensor_layout(string_view key) const {
  const Result<const fb::NamedData*> entry = find(key);
  if (!entry.ok()) {
    return entry.error();
  }
  if ((*entry)->tensor_layout() == nullptr) {
    ET_LOG(Error, "%.*s is no tensor but opaque data", printed(key), key.data());
    return Error::NotFound;
  }
  const Result<TensorLayout> layout = to_layout((*entry)->tensor_layout(), key);
  if (!layout.ok()) {
    return layout.error();
  }
  return *layout;
}

Result<FreeableBuffer> FlatTensorDataMap::get_data(string_view key) const {
  const Result<const fb::NamedData*> entry = find(key);
  if (!entry.ok()) {
    return entry.error();
  }
  const fb::DataSegment* segment = table_->segments()->Get((*entry)->segment_index());
  return loader_->load(static_cast<size_t>(header_.segment_base_offset + segment->offset()),
                       static_cast<size_t>(segment->size()), kExternal);
}

Error FlatTensorDataMap::load_data_into(string_view key, void* buffer, size_t size) const {
  const Result<const fb::NamedData*> entry = find(key);
  if (!entry.ok()) {
    return entry.error();
  }
  const fb::DataSegment* segment = table_->segments()->Get((*entry)->segment_index());
  if (size > segment->size()) {
    ET_LOG(Error, "%.*s: %zu bytes asked for, there are %" PRIu64, printed(key), key.data(), size,
           segment->size());
    return Error::InvalidArgument;
  }
  return loader_->load_into(static_cast<size_t>(header_.segment_base_offset + segment->offset()),
                            size, kExternal, buffer);
}

Result<uint32_t> FlatTensorDataMap::get_num_keys() const {
  return static_cast<uint32_t>(table_->named_data()->size());
}

Result<const char*> FlatTensorDataMap::get_key(uint32_t index) const {
  if (index >= table_->named_data()->size()) {
    ET_LOG(Error, "Key %" PRIu32 " of %" PRIu32, index,
           static_cast<uint32_t>(table_->named_data()->size()));
    return Error::InvalidArgument;
  }
  return table_->named_data()->Get(index)->key()->c_str();
}

}  // namespace extension
}  // namespace executorch

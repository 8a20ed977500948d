#include <cinttypes>
#include <cstdlib>
#include <cstring>

#include <flatbuffers/verifier.h>

#include <executorch/backends/xnnpack/runtime/blob.h>
#include <executorch/backends/xnnpack/runtime/margin.h>
#include <executorch/runtime/backend/graph_blob.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace backends {
namespace xnnpack {

using runtime::Error;
using runtime::FreeableBuffer;
using runtime::GraphBlob;
using runtime::NamedDataMap;
using runtime::Result;
using runtime::Span;

namespace {

constexpr uint64_t kNamed = UINT64_MAX;

Bytes bytes_of(Span<const uint8_t> part) { return {part.data(), part.size(), nullptr}; }

bool has_known_identifier(Bytes flatbuffer) {
  return flatbuffer.size >= 8 && (flatbuffers::BufferHasIdentifier(flatbuffer.data, "XN00") ||
                                  flatbuffers::BufferHasIdentifier(flatbuffer.data, "XN01"));
}

}  // namespace

Result<Blob> Blob::parse(const void* data, size_t size) {
  Blob blob;
  // Without a header, all of it is the graph.
  Bytes flatbuffer = {data, size, nullptr};
  const Result<GraphBlob> parts =
      GraphBlob::parse({static_cast<const uint8_t*>(data), size}, "XH00");
  if (parts.error() != Error::NotFound) {
    ET_CHECK_OR_RETURN_ERROR(parts.ok(), DelegateInvalidCompatibility,
                             "XNNPACK: the delegate's blob of %zu bytes is cut off", size);
    flatbuffer = bytes_of(parts->flatbuffer);
    blob.constants_ = parts->constants;
  }
  ET_CHECK_OR_RETURN_ERROR(has_known_identifier(flatbuffer), DelegateInvalidCompatibility,
                           "XNNPACK: the delegate's blob is no graph of a known version");
  // Where it lies is what a header says, or a file around it.
  if (reinterpret_cast<uintptr_t>(flatbuffer.data) % alignof(uint64_t) != 0) {
    blob.copy_.resize(flatbuffer.size / sizeof(uint64_t) + 1);
    std::memcpy(blob.copy_.data(), flatbuffer.data, flatbuffer.size);
    flatbuffer.data = blob.copy_.data();
  }
  flatbuffers::Verifier verifier(static_cast<const uint8_t*>(flatbuffer.data), flatbuffer.size);
  ET_CHECK_OR_RETURN_ERROR(verifier.VerifyBuffer<fb_xnnpack::XNNGraph>(nullptr),
                           DelegateInvalidCompatibility,
                           "XNNPACK: the delegate's graph is damaged");
  blob.graph_ = flatbuffers::GetRoot<fb_xnnpack::XNNGraph>(flatbuffer.data);
  ET_CHECK_OR_RETURN_ERROR(blob.graph_->xnodes() != nullptr && blob.graph_->xvalues() != nullptr,
                           DelegateInvalidCompatibility,
                           "XNNPACK: the delegate's graph has no values or no nodes");
  return blob;
}

Result<Bytes> Blob::constant(uint32_t index, size_t alignment, const NamedDataMap* named,
                             std::vector<FreeableBuffer>& held) const {
  Result<Bytes> found = stored_constant(index, named, held);
  if (!found.ok() || found->size == 0 ||
      (reinterpret_cast<uintptr_t>(found->data) % alignment == 0 &&
       has_margin(found->data, found->size))) {
    return found;
  }
  void* const copy = allocate_with_margin(found->size);
  ET_CHECK_OR_RETURN_ERROR(copy != nullptr, MemoryAllocationFailed,
                           "XNNPACK: no memory for a copy of a constant of %zu bytes that is not "
                           "aligned or ends with its page",
                           found->size);
  std::memcpy(copy, found->data, found->size);
  held.emplace_back(copy, found->size, [](void*, void* data, size_t) { std::free(data); });
  return Bytes{copy, found->size, found->key};
}

Result<Bytes> Blob::stored_constant(uint32_t index, const NamedDataMap* named,
                                    std::vector<FreeableBuffer>& held) const {
  const auto* places = graph_->constant_data();
  if (places == nullptr || places->size() == 0) {
    const auto* buffers = graph_->constant_buffer();
    ET_CHECK_OR_RETURN_ERROR(
        buffers != nullptr && index < buffers->size() && buffers->Get(index)->storage() != nullptr,
        DelegateInvalidCompatibility, "XNNPACK: no constant number %" PRIu32, index);
    const auto* storage = buffers->Get(index)->storage();
    return Bytes{storage->data(), storage->size(), nullptr};
  }
  ET_CHECK_OR_RETURN_ERROR(index < places->size(), DelegateInvalidCompatibility,
                           "XNNPACK: no constant number %" PRIu32, index);
  const auto* place = places->Get(index);
  if (place->offset() != kNamed) {
    const auto found = GraphBlob::part_of(constants_, place->offset(), place->size());
    ET_CHECK_OR_RETURN_ERROR(found.ok(), DelegateInvalidCompatibility,
                             "XNNPACK: constant number %" PRIu32 " lies outside of the blob",
                             index);
    return bytes_of(*found);
  }
  const char* key = place->named_key() == nullptr ? "" : place->named_key()->c_str();
  ET_CHECK_OR_RETURN_ERROR(named != nullptr, InvalidExternalData,
                           "XNNPACK: the weight '%s' is not in the program, and there is no other "
                           "data; load the .ptd file that belongs to it",
                           key);
  Result<FreeableBuffer> data = named->get_data(key);
  if (!data.ok()) {
    ET_LOG(Error, "XNNPACK: no data for the weight '%s'", key);
    return data.error();
  }
  held.push_back(std::move(data.get()));
  return Bytes{held.back().data(), held.back().size(), key};
}

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch

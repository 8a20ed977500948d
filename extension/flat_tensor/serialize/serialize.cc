#include <cinttypes>
#include <cstdint>
#include <fstream>
#include <ostream>
#include <vector>

#include <executorch/extension/flat_tensor/serialize/flat_tensor_header.h>
#include <executorch/extension/flat_tensor/serialize/serialize.h>
#include <executorch/runtime/platform/log.h>
#include <executorch/schema/flat_tensor_generated.h>

namespace executorch {
namespace extension {
namespace flat_tensor {
namespace {

using runtime::Error;
using Tensors = std::map<std::string, aten::Tensor>;

// The root's offset and the file's identifier stand before the header.
constexpr size_t kRootSize = FlatTensorHeader::kHeaderOffset;
constexpr size_t kHeaderSize = FlatTensorHeader::kHeaderExpectedLength;
// Of the files that are written; newer ones are not read.
constexpr uint32_t kFormatVersion = 0;

uint64_t align_up(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

template <typename T>
void append_little_endian(std::string& to, T value) {
  for (size_t i = 0; i < sizeof(T); ++i) {
    to.push_back(static_cast<char>(static_cast<uint8_t>(value >> (8 * i))));
  }
}

/// Where each tensor's bytes begin behind the tables; returns the end of the last one.
uint64_t lay_out(const Tensors& tensors, size_t alignment, std::vector<uint64_t>& offsets) {
  uint64_t end = 0;
  for (const auto& [name, tensor] : tensors) {
    offsets.push_back(align_up(end, alignment));
    end = offsets.back() + tensor.nbytes();
  }
  return end;
}

void build(flatbuffers::FlatBufferBuilder& builder, const Tensors& tensors,
           const std::vector<uint64_t>& offsets) {
  std::vector<flatbuffers::Offset<flat_tensor_flatbuffer::DataSegment>> segments;
  std::vector<flatbuffers::Offset<flat_tensor_flatbuffer::NamedData>> names;
  for (const auto& [name, tensor] : tensors) {
    const std::vector<int32_t> sizes(tensor.sizes().begin(), tensor.sizes().end());
    const std::vector<uint8_t> dim_order(tensor.dim_order().begin(), tensor.dim_order().end());
    const auto layout = flat_tensor_flatbuffer::CreateTensorLayoutDirect(
        builder, static_cast<executorch_flatbuffer::ScalarType>(tensor.scalar_type()), &sizes,
        &dim_order);
    const size_t number = segments.size();
    segments.push_back(
        flat_tensor_flatbuffer::CreateDataSegment(builder, offsets[number], tensor.nbytes()));
    names.push_back(flat_tensor_flatbuffer::CreateNamedDataDirect(
        builder, name.c_str(), static_cast<uint32_t>(number), layout));
  }
  builder.Finish(
      flat_tensor_flatbuffer::CreateFlatTensorDirect(builder, kFormatVersion, &segments, &names),
      flat_tensor_flatbuffer::FlatTensorIdentifier());
}

/// The file up to the first tensor: a header between the flatbuffer's first eight bytes and the
/// rest.
std::string head(const flatbuffers::FlatBufferBuilder& builder, uint64_t data_size,
                 uint64_t alignment) {
  const uint8_t* const tables = builder.GetBufferPointer();
  const uint64_t size = builder.GetSize() - kRootSize;
  const uint64_t base = align_up(kRootSize + kHeaderSize + size, alignment);
  std::string head;
  append_little_endian(
      head, flatbuffers::ReadScalar<uint32_t>(tables) + static_cast<uint32_t>(kHeaderSize));
  head.append(reinterpret_cast<const char*>(tables) + sizeof(uint32_t),
              kRootSize - sizeof(uint32_t));
  head.append(FlatTensorHeader::kMagic, FlatTensorHeader::kMagicSize);
  append_little_endian(head, FlatTensorHeader::kHeaderExpectedLength);
  for (const uint64_t number : {uint64_t{kRootSize + kHeaderSize}, size, base, data_size}) {
    append_little_endian(head, number);
  }
  head.append(reinterpret_cast<const char*>(tables) + kRootSize, size);
  head.append(base - head.size(), '\0');
  return head;
}

Error check(const Tensors& tensors, size_t alignment) {
  if (alignment == 0 || (alignment & (alignment - 1)) != 0) {
    ET_LOG(Error, "Tensors cannot be aligned to %zu bytes, which is no power of two", alignment);
    return Error::InvalidArgument;
  }
  for (const auto& [name, tensor] : tensors) {
    if (tensor.nbytes() > 0 && tensor.const_data_ptr() == nullptr) {
      ET_LOG(Error, "Tensor %s cannot be saved: it has no memory", name.c_str());
      return Error::InvalidArgument;
    }
  }
  return Error::Ok;
}

}  // namespace

Error save_ptd(std::ostream& out, const Tensors& tensor_map, size_t tensor_alignment) {
  const Error error = check(tensor_map, tensor_alignment);
  if (error != Error::Ok) {
    return error;
  }
  std::vector<uint64_t> offsets;
  const uint64_t data_size = lay_out(tensor_map, tensor_alignment, offsets);
  flatbuffers::FlatBufferBuilder builder;
  build(builder, tensor_map, offsets);
  const std::string front = head(builder, data_size, tensor_alignment);
  out.write(front.data(), static_cast<std::streamsize>(front.size()));
  uint64_t written = 0;
  size_t number = 0;
  for (const auto& [name, tensor] : tensor_map) {
    const std::string padding(offsets[number++] - written, '\0');
    out.write(padding.data(), static_cast<std::streamsize>(padding.size()));
    out.write(static_cast<const char*>(tensor.const_data_ptr()),
              static_cast<std::streamsize>(tensor.nbytes()));
    written += padding.size() + tensor.nbytes();
  }
  out.flush();
  if (!out.good()) {
    ET_LOG(Error, "Writing %zu tensors of %" PRIu64 " bytes failed", tensor_map.size(), data_size);
    return Error::AccessFailed;
  }
  return Error::Ok;
}

Error save_ptd(const std::string& path, const Tensors& tensor_map, size_t tensor_alignment) {
  // Before the file is touched: what is there stays if nothing can be written.
  const Error error = check(tensor_map, tensor_alignment);
  if (error != Error::Ok) {
    return error;
  }
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  if (!file.is_open()) {
    ET_LOG(Error, "%s cannot be opened for writing", path.c_str());
    return Error::AccessFailed;
  }
  return save_ptd(file, tensor_map, tensor_alignment);
}

}  // namespace flat_tensor
}  // namespace extension
}  // namespace executorch

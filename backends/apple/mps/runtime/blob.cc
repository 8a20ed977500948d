#include <cstring>

#include <executorch/backends/apple/mps/runtime/blob.h>
#include <executorch/runtime/core/little_endian.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace backends {
namespace mps {

using mpsgraph::MPSDataType;
using runtime::Error;
using runtime::Result;

namespace {

constexpr size_t kHeaderSize = 24;
constexpr char kMagic[] = "MP00";
/// Released files write it where there will be others.
constexpr char kVersion[] = "0";
/// Metal's arrays have no more.
constexpr uint32_t kMostDimensions = 16;
/// MPSGraph counts elements with 32 bits.
constexpr uint64_t kMostElements = (uint64_t(1) << 31) - 1;

struct Header {
  uint64_t begin;
  uint64_t size;
};

Error refuse(const char* why) {
  ET_LOG(Error, "MPS: the delegate's bytes are no graph: %s", why);
  return Error::DelegateInvalidCompatibility;
}

Result<Header> read_header(const uint8_t* data, size_t size) {
  Header header;
  if (size < kHeaderSize || std::memcmp(data + 4, kMagic, 4) != 0) {
    return refuse("they do not begin as one");
  }
  header.begin = runtime::read_little_endian<uint64_t>(data + 8);
  header.size = runtime::read_little_endian<uint64_t>(data + 16);
  if (header.begin < kHeaderSize || header.begin > size || header.size > size - header.begin) {
    return refuse("its constants are cut off");
  }
  return header;
}

/// Null, or what is wrong.
const char* check_value(const mpsgraph::MPSTensor* value) {
  if (value == nullptr || element_size(value->datatype()) == 0) {
    return "a value has a type that is not known";
  }
  uint64_t count = 1;
  const uint32_t rank = value->dims() == nullptr ? 0 : value->dims()->size();
  for (uint32_t i = 0; i < rank && i <= kMostDimensions; ++i) {
    const int32_t one = value->dims()->Get(i);
    if (one < 0 || (count *= uint64_t(one)) > kMostElements) {
      return "a value has sizes that nothing has";
    }
  }
  return rank > kMostDimensions ? "a value has more than 16 dimensions" : nullptr;
}

const char* check_constant(const mpsgraph::MPSTensor& value, uint64_t available) {
  const uint64_t begin = value.segment_offset();
  const uint64_t size = value.constant_buffer_size();
  if (begin > available || size > available - begin) {
    return "a constant is cut off. Files of releases before 0.3 have them elsewhere: lower the "
           "model again";
  }
  const uint64_t wanted = element_count(value) * element_size(value.datatype());
  return size == wanted ? nullptr : "a constant has other bytes than its sizes ask for";
}

bool are_values(const flatbuffers::Vector<int32_t>* ids, uint32_t count) {
  for (uint32_t i = 0; ids != nullptr && i < ids->size(); ++i) {
    if (ids->Get(i) < 0 || uint32_t(ids->Get(i)) >= count) {
      return false;
    }
  }
  return true;
}

const char* check(const mpsgraph::MPSGraph& graph, uint64_t available) {
  if (graph.version() == nullptr || std::strcmp(graph.version()->c_str(), kVersion) != 0) {
    return "it is of another version of the format";
  }
  if (graph.graph_type() != mpsgraph::OpType::mps_graph) {
    return "it is for kernels of the delegate's own. Way out: lower without weights of four bits";
  }
  const auto* const values = graph.mps_values();
  const uint32_t count = values == nullptr ? 0 : values->size();
  for (uint32_t i = 0; i < count; ++i) {
    if (const char* const wrong = check_value(values->Get(i))) {
      return wrong;
    }
  }
  if (!are_values(graph.input_ids(), count) || !are_values(graph.output_ids(), count) ||
      !are_values(graph.constant_ids(), count)) {
    return "an input, output or constant is no value";
  }
  for (uint32_t i = 0; graph.constant_ids() != nullptr && i < graph.constant_ids()->size(); ++i) {
    const auto* const value = values->Get(uint32_t(graph.constant_ids()->Get(i)));
    if (const char* const wrong = check_constant(*value, available)) {
      return wrong;
    }
  }
  return nullptr;
}

}  // namespace

size_t element_size(MPSDataType type) {
  switch (type) {
    case MPSDataType::mps_data_type_bool:
    case MPSDataType::mps_data_type_int8:
    case MPSDataType::mps_data_type_uint8:
      return 1;
    case MPSDataType::mps_data_type_float16:
    case MPSDataType::mps_data_type_int16:
      return 2;
    case MPSDataType::mps_data_type_float32:
    case MPSDataType::mps_data_type_int32:
      return 4;
    case MPSDataType::mps_data_type_int64:
      return 8;
    default:
      return 0;
  }
}

size_t element_count(const mpsgraph::MPSTensor& value) {
  size_t count = 1;
  for (uint32_t i = 0; value.dims() != nullptr && i < value.dims()->size(); ++i) {
    count *= size_t(value.dims()->Get(i));
  }
  return count;
}

Result<Blob> read_blob(const void* data, size_t size) {
  const auto* const bytes = static_cast<const uint8_t*>(data);
  const Result<Header> header = read_header(bytes, size);
  if (!header.ok()) {
    return header.error();
  }
  Blob blob;
  const uint8_t* root = bytes + kHeaderSize;
  const size_t length = size_t(header->begin) - kHeaderSize;
  // Where it lies is what a file says.
  if (reinterpret_cast<uintptr_t>(root) % alignof(uint64_t) != 0) {
    blob.copy.resize(length / sizeof(uint64_t) + 1);
    std::memcpy(blob.copy.data(), root, length);
    root = reinterpret_cast<const uint8_t*>(blob.copy.data());
  }
  flatbuffers::Verifier verifier(root, length);
  if (length < 8 || !mpsgraph::VerifyMPSGraphBuffer(verifier)) {
    return refuse("its flatbuffer is damaged");
  }
  blob.graph = mpsgraph::GetMPSGraph(root);
  blob.constants = bytes + header->begin;
  if (const char* const wrong = check(*blob.graph, header->size)) {
    return refuse(wrong);
  }
  return blob;
}

}  // namespace mps
}  // namespace backends
}  // namespace executorch

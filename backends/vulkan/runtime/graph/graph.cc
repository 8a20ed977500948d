#include <executorch/backends/vulkan/runtime/graph/graph.h>

namespace executorch {
namespace backends {
namespace vulkan {
namespace {

int64_t product(const std::vector<int64_t>& sizes) {
  int64_t result = 1;
  for (const int64_t size : sizes) {
    result *= size;
  }
  return result;
}

}  // namespace

size_t size_of(DType type) {
  switch (type) {
    case DType::Half:
      return 2;
    case DType::Int32:
    case DType::Float:
      return 4;
    case DType::Double:
    case DType::Int64:
      return 8;
    default:
      return 1;
  }
}

size_t size_of(Element element) {
  switch (element) {
    case Element::Byte:
      return 1;
    case Element::Half:
      return 2;
    default:
      return 4;
  }
}

const char* name_of(Element element) {
  switch (element) {
    case Element::Half:
      return "half";
    case Element::Int:
      return "int";
    case Element::Byte:
      return "byte";
    default:
      return "float";
  }
}

Element GraphTensor::element() const {
  switch (dtype) {
    case DType::Half:
      return Element::Half;
    case DType::Float:
    case DType::Double:
      return Element::Float;
    case DType::Int8:
      return Element::Byte;
    default:
      return Element::Int;
  }
}

int64_t GraphTensor::numel() const { return product(sizes); }

int64_t GraphTensor::most_elements() const { return product(bounds); }

}  // namespace vulkan
}  // namespace backends
}  // namespace executorch

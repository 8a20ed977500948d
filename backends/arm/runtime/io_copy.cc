#include <cstring>

#include <executorch/backends/arm/runtime/io_copy.h>
#include <executorch/runtime/core/exec_aten/util/tensor_dimension_limit.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace backends {
namespace arm {

using aten::Tensor;
using runtime::Error;
using runtime::kTensorDimensionLimit;

namespace {

// In which order of the tensor's dimensions the blob has the elements.
struct Order {
  size_t rank;
  uint8_t dimensions[kTensorDimensionLimit];
};

Order logical(const Tensor& tensor) {
  Order order{static_cast<size_t>(tensor.dim()), {}};
  for (size_t i = 0; i < order.rank; ++i) {
    order.dimensions[i] = static_cast<uint8_t>(i);
  }
  return order;
}

Order channels_last(const Tensor& tensor) {
  Order order = logical(tensor);
  for (size_t i = 1; i + 1 < order.rank; ++i) {
    order.dimensions[i] = static_cast<uint8_t>(i + 1);
  }
  order.dimensions[order.rank - 1] = 1;
  return order;
}

// Whether the tensor's sizes in this order are the blob's, but for ones.
bool is_shape(const Tensor& tensor, const Order& order, const VelaIo& io) {
  size_t at = 0;
  for (size_t i = 0; i < order.rank; ++i) {
    const auto size = static_cast<uint32_t>(tensor.size(order.dimensions[i]));
    if (size == 1) {
      continue;
    }
    while (at < kVelaDimensions && io.shape[at] == 1) {
      ++at;
    }
    if (at == kVelaDimensions || io.shape[at] != size) {
      return false;
    }
    ++at;
  }
  return true;
}

// Whether walking through the dimensions in this order is walking through memory.
bool is_memory(const Tensor& tensor, const Order& order) {
  int64_t stride = 1;
  for (size_t i = order.rank; i > 0; --i) {
    const size_t dimension = order.dimensions[i - 1];
    const int64_t size = tensor.size(static_cast<ssize_t>(dimension));
    if (size != 1 && tensor.strides()[dimension] != stride) {
      return false;
    }
    stride *= size;
  }
  return true;
}

// Where both orders have the blob's sizes, it is the order of memory: what is lowered lies in the
// blob as in the tensor.
Order order_of(const Tensor& tensor, const VelaIo& io) {
  const Order plain = logical(tensor);
  if (tensor.dim() < 4) {
    return plain;
  }
  const Order last = channels_last(tensor);
  const bool fits = is_shape(tensor, last, io);
  if (is_shape(tensor, plain, io)) {
    return fits && is_memory(tensor, last) ? last : plain;
  }
  // What is neither has been reshaped by Vela, where dimensions are one.
  return fits ? last : plain;
}

// Calls `move(bytes from the tensor's start, bytes from the place's start, bytes)` for all
// elements.
template <typename Move>
void walk(const Tensor& tensor, const VelaIo& io, Move move) {
  const Order order = order_of(tensor, io);
  if (is_memory(tensor, order)) {
    move(size_t{0}, size_t{0}, io.bytes());
    return;
  }
  int32_t index[kTensorDimensionLimit] = {};
  size_t element = 0;
  for (size_t at = 0; at < io.bytes(); at += io.element_size) {
    move(element * io.element_size, at, size_t{io.element_size});
    for (size_t i = order.rank; i > 0; --i) {
      const size_t dimension = order.dimensions[i - 1];
      const auto stride = static_cast<size_t>(tensor.strides()[dimension]);
      const auto size = static_cast<size_t>(tensor.size(static_cast<ssize_t>(dimension)));
      element += stride;
      if (static_cast<size_t>(++index[i - 1]) < size) {
        break;
      }
      index[i - 1] = 0;
      element -= stride * size;
    }
  }
}

}  // namespace

Error check_tensor(const Tensor& tensor, const VelaIo& io, const char* kind, size_t index) {
  ET_CHECK_OR_RETURN_ERROR(
      static_cast<size_t>(tensor.numel()) == io.elements &&
          static_cast<size_t>(tensor.element_size()) == io.element_size,
      InvalidArgument,
      "Ethos-U: %s %zu has %zd elements of %zd bytes; the delegate was compiled for %u of %u", kind,
      index, static_cast<ssize_t>(tensor.numel()), static_cast<ssize_t>(tensor.element_size()),
      static_cast<unsigned>(io.elements), static_cast<unsigned>(io.element_size));
  return Error::Ok;
}

void copy_in(const Tensor& tensor, const VelaIo& io, uint8_t* place) {
  const auto* const data = static_cast<const uint8_t*>(tensor.const_data_ptr());
  walk(tensor, io, [data, place](size_t from, size_t to, size_t bytes) {
    std::memcpy(place + to, data + from, bytes);
  });
}

void copy_out(const Tensor& tensor, const VelaIo& io, const uint8_t* place) {
  auto* const data = static_cast<uint8_t*>(tensor.mutable_data_ptr());
  walk(tensor, io, [data, place](size_t to, size_t from, size_t bytes) {
    std::memcpy(data + to, place + from, bytes);
  });
}

}  // namespace arm
}  // namespace backends
}  // namespace executorch

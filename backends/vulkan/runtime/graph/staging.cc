#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include <executorch/backends/vulkan/runtime/graph/staging.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace backends {
namespace vulkan {

using executorch::aten::Half;
using runtime::Error;

namespace {

template <typename To, typename From>
To converted(From value) {
  if constexpr (std::is_same_v<To, bool>) {
    return value != From(0);
  } else if constexpr (std::is_same_v<To, Half>) {
    return Half(static_cast<float>(value));
  } else {
    return static_cast<To>(value);
  }
}

template <typename From, typename To>
bool copy(const void* from, void* to, size_t count) {
  const uint8_t* in = static_cast<const uint8_t*>(from);
  uint8_t* out = static_cast<uint8_t*>(to);
  bool fits = true;
  for (size_t i = 0; i < count; ++i, in += sizeof(From), out += sizeof(To)) {
    From value;
    std::memcpy(&value, in, sizeof(value));
    if constexpr (std::is_same_v<From, int64_t> && std::is_same_v<To, int32_t>) {
      fits = fits && value >= INT32_MIN && value <= INT32_MAX;
    }
    const To made = converted<To>(value);
    std::memcpy(out, &made, sizeof(made));
  }
  return fits;
}

using Copy = bool (*)(const void*, void*, size_t);

template <typename From, typename To>
Copy in_or_out(bool is_in) {
  return is_in ? &copy<From, To> : &copy<To, From>;
}

/// Null where one is a float and the other is not.
Copy copy_between(DType type, Element element, bool is_in) {
  const bool is_half = element == Element::Half;
  const bool is_float = is_half || element == Element::Float;
  switch (type) {
    case DType::Half:
      return !is_float ? nullptr
                       : (is_half ? in_or_out<Half, Half>(is_in) : in_or_out<Half, float>(is_in));
    case DType::Float:
      return !is_float ? nullptr
                       : (is_half ? in_or_out<float, Half>(is_in) : in_or_out<float, float>(is_in));
    case DType::Double:
      return !is_float
                 ? nullptr
                 : (is_half ? in_or_out<double, Half>(is_in) : in_or_out<double, float>(is_in));
    default:
      break;
  }
  if (element != Element::Int) {
    return nullptr;
  }
  switch (type) {
    case DType::Bool:
      return in_or_out<bool, int32_t>(is_in);
    case DType::UInt8:
      return in_or_out<uint8_t, int32_t>(is_in);
    case DType::Int8:
      return in_or_out<int8_t, int32_t>(is_in);
    case DType::Int64:
      return in_or_out<int64_t, int32_t>(is_in);
    default:
      return in_or_out<int32_t, int32_t>(is_in);
  }
}

bool lies_the_same(DType type, Element element) {
  return (type == DType::Float && element == Element::Float) ||
         (type == DType::Half && element == Element::Half) ||
         (type == DType::Int32 && element == Element::Int) ||
         (type == DType::Int8 && element == Element::Byte);
}

Error move(const void* from, void* to, DType type, Element element, size_t count, bool is_in) {
  if (count == 0) {
    return Error::Ok;
  }
  if (lies_the_same(type, element)) {
    std::memcpy(to, from, count * size_of(element));
    return Error::Ok;
  }
  const Copy copies = copy_between(type, element, is_in);
  ET_CHECK_OR_RETURN_ERROR(copies != nullptr, NotSupported,
                           "Vulkan: elements of type %d of the program are no %s", int(type),
                           name_of(element));
  ET_CHECK_OR_RETURN_ERROR(copies(from, to, count), InvalidArgument,
                           "Vulkan: an integer of an input has more than 32 bits");
  return Error::Ok;
}

}  // namespace

Error copy_in(const void* from, DType type, void* to, Element element, size_t count) {
  return move(from, to, type, element, count, true);
}

Error copy_out(const void* from, Element element, void* to, DType type, size_t count) {
  return move(from, to, type, element, count, false);
}

}  // namespace vulkan
}  // namespace backends
}  // namespace executorch

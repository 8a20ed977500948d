#include <cinttypes>
#include <limits>

#include <executorch/runtime/core/exec_aten/util/scalar_type_basics.h>
#include <executorch/runtime/core/exec_aten/util/tensor_size.h>
#include <executorch/runtime/core/portable_type/c10/c10/util/safe_numerics.h>

namespace executorch {
namespace runtime {

Result<size_t> checked_numel(Span<const int32_t> sizes) {
  constexpr size_t kMax = std::numeric_limits<size_t>::max() / 2;  // largest ssize_t
  size_t numel = 1;
  bool overflow = false;
  bool has_zero = false;
  for (size_t i = 0; i < sizes.size(); ++i) {
    ET_CHECK_OR_RETURN_ERROR(sizes[i] >= 0, InvalidArgument,
                             "size of dimension %zu is negative: %" PRId32, i, sizes[i]);
    has_zero |= sizes[i] == 0;
    overflow |= c10::mul_overflows(numel, static_cast<size_t>(sizes[i]), &numel) || numel > kMax;
  }
  if (has_zero) {
    return size_t{0};
  }
  ET_CHECK_OR_RETURN_ERROR(!overflow, InvalidArgument,
                           "a shape of rank %zu has more elements than can be addressed",
                           sizes.size());
  return numel;
}

Result<size_t> checked_nbytes(Span<const int32_t> sizes, etensor::ScalarType type) {
  constexpr size_t kMax = std::numeric_limits<size_t>::max() / 2;
  ET_CHECK_OR_RETURN_ERROR(isValid(type), InvalidArgument, "%d is not a scalar type",
                           static_cast<int>(type));
  auto numel = checked_numel(sizes);
  if (!numel.ok()) {
    return numel.error();
  }
  size_t nbytes = 0;
  const bool overflow = c10::mul_overflows(*numel, elementSize(type), &nbytes) || nbytes > kMax;
  ET_CHECK_OR_RETURN_ERROR(!overflow, InvalidArgument,
                           "%zu elements of type %s are more bytes than can be addressed", *numel,
                           toString(type));
  return nbytes;
}

}  // namespace runtime
}  // namespace executorch

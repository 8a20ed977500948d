/// @file
/// TensorLayout: shape, dim order and element type of stored tensor data.
#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>

namespace executorch {
namespace runtime {

/// Describes a dense tensor. Refers to arrays that must outlive it.
class TensorLayout final {
 public:
  TensorLayout() = delete;

  /// @param sizes     Sizes, none negative.
  /// @param dim_order A permutation of 0..rank-1, of the length of `sizes`.
  ///
  /// @retval Error::InvalidArgument The arguments describe no tensor, or one too large to address.
  static Result<const TensorLayout> create(Span<const int32_t> sizes, Span<const uint8_t> dim_order,
                                           ::executorch::aten::ScalarType scalar_type);

  Span<const int32_t> sizes() const { return sizes_; }
  Span<const uint8_t> dim_order() const { return dim_order_; }
  ::executorch::aten::ScalarType scalar_type() const { return scalar_type_; }

  /// Bytes of the tensor's data.
  size_t nbytes() const { return nbytes_; }

 private:
  TensorLayout(Span<const int32_t> sizes, Span<const uint8_t> dim_order,
               ::executorch::aten::ScalarType scalar_type, size_t nbytes)
      : sizes_(sizes), dim_order_(dim_order), scalar_type_(scalar_type), nbytes_(nbytes) {}

  Span<const int32_t> sizes_;
  Span<const uint8_t> dim_order_;
  ::executorch::aten::ScalarType scalar_type_;
  size_t nbytes_;
};

}  // namespace runtime
}  // namespace executorch

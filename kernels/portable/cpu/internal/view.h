/**
 * @file
 * Strided views and the one engine behind all operators that only move data: slices, permutations,
 * concatenations, expansions, in any mixture of dim orders and for every element size.
 */
#pragma once

#include <executorch/kernels/portable/cpu/internal/compute.h>

namespace torch::executor::native::util {

/// Sizes, strides (in elements) and memory of a tensor or of a part of one.
struct View {
  char* data = nullptr;
  ScalarType dtype = ScalarType::Undefined;
  size_t element_size = 0;
  size_t rank = 0;
  size_t size[kMaxRank];
  ptrdiff_t stride[kMaxRank];

  View() = default;

  /// The whole tensor. The memory is only read unless the view is the target of `copy`.
  explicit View(const Tensor& t);

  /// The elements start, start + step, ... (`count` of them) of dimension `dim`. `step` may be
  /// negative.
  View narrow(size_t dim, size_t start, size_t count, ptrdiff_t step = 1) const;

  /// The view without dimension `dim`, at `index`.
  View select(size_t dim, size_t index) const;

  /// The view with one more dimension, of size 1, before dimension `dim`.
  View unsqueeze(size_t dim) const;

  /// Dimension i of the result is dimension `order[i]` of this view.
  View permute(const size_t* order) const;

  /// Repeats dimensions of size 1, and adds leading ones, up to the sizes of `target`.
  View expand(const View& target) const;

  /// Number of elements.
  size_t numel() const;
};

/// The dtype of the real and the imaginary part; Undefined if `t` is not complex.
inline ScalarType real_part(ScalarType t) {
  switch (t) {
    case ScalarType::ComplexHalf:
      return ScalarType::Half;
    case ScalarType::ComplexFloat:
      return ScalarType::Float;
    case ScalarType::ComplexDouble:
      return ScalarType::Double;
    default:
      return ScalarType::Undefined;
  }
}

/// True for complex dtypes.
inline bool is_complex(ScalarType t) { return real_part(t) != ScalarType::Undefined; }

/// The real (0) or imaginary (1) parts of a complex view's elements.
View part_of(const View& view, size_t which);

/**
 * A copy between two views of the same sizes and one dtype, prepared for many places in memory.
 */
class CopyPlan {
 public:
  CopyPlan(const View& src, const View& dst);

  /// Copies between views whose first elements are at `src` and `dst`.
  void run(const char* src, char* dst) const;

  /// The same, with the threads of the library in use if it is much.
  void run_shared(const char* src, char* dst) const;

  /// One dimension: its size, and its strides in elements.
  struct Step {
    size_t size;
    ptrdiff_t src;
    ptrdiff_t dst;
  };

 private:
  // Merged and ordered; 0 is the innermost of `dst`.
  Step steps_[kMaxRank];
  size_t rank_ = 0;
  size_t element_size_;
  bool transposed_ = false;  // steps_[1] is the innermost of `src`
  bool empty_;
};

/**
 * Copies `src` to `dst`, element by element in index order, with conversion where the dtypes
 * differ. Both have the same sizes, and no memory in common. A real `dst` takes the real part of a
 * complex `src`.
 */
void copy(const View& src, const View& dst);

}  // namespace torch::executor::native::util

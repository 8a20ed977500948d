/**
 * @file
 * Loops over several tensors of one shape at once, line by line.
 */
#pragma once

#include <executorch/kernels/portable/cpu/internal/view.h>

namespace torch::executor::native::util {

/**
 * Steps through the lines (along the last dimension) of a shape, in index order, with an offset
 * into each of N tensors.
 */
template <size_t N>
class Lines {
 public:
  /// @param shape Gives the sizes. Views added later have the same ones, or are expanded to them.
  explicit Lines(const View& shape) : rank_(shape.rank) {
    for (size_t d = 0; d < rank_; ++d) {
      size_[d] = shape.size[d];
      empty_ = empty_ || size_[d] == 0;
    }
  }

  /// Sets tensor k's strides, in elements.
  void set(size_t k, const View& view) {
    for (size_t d = 0; d < rank_; ++d) {
      stride_[k][d] = view.stride[d];
    }
  }

  /// Sets tensor k's stride of one dimension.
  void set_stride(size_t k, size_t d, ptrdiff_t stride) { stride_[k][d] = stride; }

  bool empty() const { return empty_; }

  /// Elements of a line.
  size_t length() const { return rank_ == 0 ? 1 : size_[rank_ - 1]; }

  /// Distance of neighbours of a line in tensor k, in elements.
  ptrdiff_t step(size_t k) const { return rank_ == 0 ? 0 : stride_[k][rank_ - 1]; }

  /// Where the present line begins in tensor k, in elements.
  ptrdiff_t offset(size_t k) const { return offset_[k]; }

  /// The present line's index along dimension d.
  size_t index(size_t d) const { return index_[d]; }

  /// Goes to the next line. @returns false after the last one.
  bool next() {
    for (size_t d = rank_ == 0 ? 0 : rank_ - 1; d-- > 0;) {
      move(d, 1);
      if (++index_[d] < size_[d]) {
        return true;
      }
      move(d, -static_cast<ptrdiff_t>(size_[d]));
      index_[d] = 0;
    }
    return false;
  }

 private:
  void move(size_t d, ptrdiff_t count) {
    for (size_t k = 0; k < N; ++k) {
      offset_[k] += stride_[k][d] * count;
    }
  }

  size_t rank_;
  bool empty_ = false;
  size_t size_[kMaxRank];
  ptrdiff_t stride_[N][kMaxRank] = {};
  ptrdiff_t offset_[N] = {};
  size_t index_[kMaxRank] = {};
};

/// Calls `fn(offset)` for each element of `view` in index order.
template <typename Fn>
void for_each_offset(const View& view, Fn&& fn) {
  Lines<1> lines(view);
  if (lines.empty()) {
    return;
  }
  lines.set(0, view);
  do {
    for (size_t i = 0; i < lines.length(); ++i) {
      fn(lines.offset(0) + static_cast<ptrdiff_t>(i) * lines.step(0));
    }
  } while (lines.next());
}

/// Copies one element of a size that is known at run time only.
inline void copy_element(const char* src, char* dst, size_t size) {
  switch (size) {
    case 1:
      *dst = *src;
      return;
    case 2:
      __builtin_memcpy(dst, src, 2);
      return;
    case 4:
      __builtin_memcpy(dst, src, 4);
      return;
    case 8:
      __builtin_memcpy(dst, src, 8);
      return;
    default:
      __builtin_memcpy(dst, src, size);
  }
}

/// Reads element `offset` of an index tensor, which is Int or Long.
inline int64_t read_index(const Tensor& t, ptrdiff_t offset) {
  return t.scalar_type() == ScalarType::Int
             ? static_cast<const int32_t*>(t.const_data_ptr())[offset]
             : static_cast<const int64_t*>(t.const_data_ptr())[offset];
}

/// True for the dtypes of index tensors.
inline bool is_index_dtype(ScalarType t) { return t == ScalarType::Int || t == ScalarType::Long; }

}  // namespace torch::executor::native::util

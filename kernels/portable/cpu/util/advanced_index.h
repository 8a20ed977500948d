/**
 * @file
 * Indexing of a tensor by tensors, `self[i, :, j]`: index tensors that broadcast against each
 * other, or one mask.
 */
#pragma once

#include <executorch/kernels/portable/cpu/util/lines.h>
#include <executorch/kernels/portable/cpu/util/shape.h>

namespace torch::executor::native::util {

/**
 * The places of a tensor that a list of optional index tensors names.
 *
 * There is one place for each element of the index tensors' common shape; a place is a part of the
 * tensor with the dimensions that are not indexed.
 */
class AdvancedIndex {
 public:
  /// Checks the index tensors against `self`. @returns false after setting the context's failure
  /// state.
  bool init(KernelRuntimeContext& ctx, const Tensor& self, ArrayRef<optional<Tensor>> indices);

  /// The shape of `self[indices]`.
  const Shape& result_shape() const { return result_; }

  /// The first place of a tensor with `self`'s shape.
  View place(const Tensor& self) const;

  /// The first place's part of a view that has, or is expanded to, the result's shape.
  View result_place(const View& result) const;

  /**
   * Calls `fn(self_offset, result_offset)`, in elements, for each place.
   * @returns false, after setting the context's failure state, if an index is out of range; places
   * before it have been visited.
   */
  template <typename Fn>
  bool for_each(KernelRuntimeContext& ctx, const View& self, const View& result, Fn&& fn) const {
    return mask_ != nullptr ? for_each_true(self, result, fn)
                            : for_each_index(ctx, self, result, fn);
  }

 private:
  bool add_mask(KernelRuntimeContext& ctx, const Tensor& self, const Tensor& mask, size_t dim);
  bool add_index(KernelRuntimeContext& ctx, const Tensor& self, const Tensor& index, size_t dim);
  void make_result(const Tensor& self);

  template <typename Fn>
  bool for_each_index(KernelRuntimeContext& ctx, const View& self, const View& result,
                      Fn& fn) const;
  template <typename Fn>
  bool for_each_true(const View& self, const View& result, Fn& fn) const;

  size_t rank_ = 0;                     // of self
  const Tensor* index_[kMaxRank] = {};  // by dimension of self; null where it is not indexed
  bool indexed_[kMaxRank] = {};         // by dimension of self
  const Tensor* mask_ = nullptr;
  size_t mask_dim_ = 0;
  Shape common_;          // the index tensors' common shape
  size_t common_at_ = 0;  // where it stands in the result
  Shape result_;
};

template <typename Fn>
bool AdvancedIndex::for_each_index(KernelRuntimeContext& ctx, const View& self, const View& result,
                                   Fn& fn) const {
  View shape;
  shape.rank = common_.rank;
  for (size_t d = 0; d < common_.rank; ++d) {
    shape.size[d] = static_cast<size_t>(common_.sizes[d]);
  }
  // Tensors 0 .. kMaxRank - 1 are the indices, the last one is the result.
  Lines<kMaxRank + 1> lines(shape);
  if (lines.empty()) {
    return true;
  }
  size_t dims[kMaxRank];
  size_t count = 0;
  for (size_t d = 0; d < rank_; ++d) {
    if (index_[d] != nullptr) {
      lines.set(count, View(*index_[d]).expand(shape));
      dims[count++] = d;
    }
  }
  for (size_t d = 0; d < common_.rank; ++d) {
    lines.set_stride(kMaxRank, d, result.stride[common_at_ + d]);
  }
  do {
    for (size_t i = 0; i < lines.length(); ++i) {
      const ptrdiff_t at = static_cast<ptrdiff_t>(i);
      ptrdiff_t offset = 0;
      for (size_t k = 0; k < count; ++k) {
        const int64_t size = static_cast<int64_t>(self.size[dims[k]]);
        int64_t index = read_index(*index_[dims[k]], lines.offset(k) + at * lines.step(k));
        if (!require(ctx, index >= -size && index < size, "an index is out of range")) {
          return false;
        }
        index += index < 0 ? size : 0;
        offset += static_cast<ptrdiff_t>(index) * self.stride[dims[k]];
      }
      fn(offset, lines.offset(kMaxRank) + at * lines.step(kMaxRank));
    }
  } while (lines.next());
  return true;
}

template <typename Fn>
bool AdvancedIndex::for_each_true(const View& self, const View& result, Fn& fn) const {
  const View mask(*mask_);
  Lines<2> lines(mask);
  if (lines.empty()) {
    return true;
  }
  lines.set(0, mask);
  for (size_t d = 0; d < mask.rank; ++d) {
    lines.set_stride(1, d, self.stride[mask_dim_ + d]);
  }
  const uint8_t* truth = static_cast<const uint8_t*>(mask_->const_data_ptr());
  ptrdiff_t result_offset = 0;
  do {
    for (size_t i = 0; i < lines.length(); ++i) {
      const ptrdiff_t at = static_cast<ptrdiff_t>(i);
      if (truth[lines.offset(0) + at * lines.step(0)] != 0) {
        fn(lines.offset(1) + at * lines.step(1), result_offset);
        result_offset += result.stride[common_at_];
      }
    }
  } while (lines.next());
  return true;
}

}  // namespace torch::executor::native::util

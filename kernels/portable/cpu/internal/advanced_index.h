/**
 * @file
 * Indexing of a tensor by tensors, `self[i, :, mask]`: index tensors that broadcast against each
 * other, and masks, which stand for the index tensors of their true elements.
 */
#pragma once

#include <executorch/kernels/portable/cpu/internal/lines.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native::util {

/// Steps through the true elements of masks, each of which begins at a dimension of the tensor that
/// is indexed. All arrays are by dimension of that tensor.
class MaskWalk {
 public:
  /// Adds a mask on the dimensions of `self` from `dim` on.
  void start(size_t dim, const Tensor& mask, const View& self);

  /// The offset in `self` of the mask's true element number `position`, which must exist.
  ptrdiff_t seek(size_t dim, size_t position);

 private:
  void rewind(size_t dim);
  /// Goes to the mask's next element in index order.
  void step(size_t dim);

  const uint8_t* truth_[kMaxRank];  // at the present element
  ptrdiff_t offset_[kMaxRank];      // of the present element in `self`
  size_t position_[kMaxRank];       // how many true elements there are before it
  size_t rank_[kMaxRank];
  size_t size_[kMaxRank];
  size_t index_[kMaxRank];
  ptrdiff_t mask_stride_[kMaxRank];
  ptrdiff_t self_stride_[kMaxRank];
};

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
  bool for_each(KernelRuntimeContext& ctx, const View& self, const View& result, Fn&& fn) const;

 private:
  bool add_mask(KernelRuntimeContext& ctx, const Tensor& self, const Tensor& mask, size_t dim);
  bool add_index(KernelRuntimeContext& ctx, const Tensor& index, size_t dim);
  void make_result(const Tensor& self);

  size_t rank_ = 0;                     // of self
  const Tensor* index_[kMaxRank] = {};  // by dimension of self; a mask by its first one, else null
  bool is_mask_[kMaxRank] = {};         // by dimension of self
  size_t true_count_[kMaxRank] = {};    // of the mask
  bool indexed_[kMaxRank] = {};         // by dimension of self
  Shape common_;                        // the index tensors' common shape
  size_t common_at_ = 0;                // where it stands in the result
  Shape result_;
};

template <typename Fn>
bool AdvancedIndex::for_each(KernelRuntimeContext& ctx, const View& self, const View& result,
                             Fn&& fn) const {
  View shape;
  shape.rank = common_.rank;
  for (size_t d = 0; d < common_.rank; ++d) {
    shape.size[d] = static_cast<size_t>(common_.sizes[d]);
  }
  // Tensors 0 .. kMaxRank - 1 are the indices and masks, the last one is the result.
  Lines<kMaxRank + 1> lines(shape);
  if (lines.empty()) {
    return true;
  }
  size_t dims[kMaxRank];
  size_t count = 0;
  MaskWalk walk;
  for (size_t d = 0; d < rank_; ++d) {
    if (index_[d] == nullptr) {
      continue;
    }
    if (is_mask_[d]) {
      // A mask counts as the list of its true elements, along the last dimension.
      walk.start(d, *index_[d], self);
      lines.set_stride(count, common_.rank - 1, true_count_[d] == 1 ? 0 : 1);
    } else {
      lines.set(count, View(*index_[d]).expand(shape));
    }
    dims[count++] = d;
  }
  for (size_t d = 0; d < common_.rank; ++d) {
    lines.set_stride(kMaxRank, d, result.stride[common_at_ + d]);
  }
  do {
    for (size_t i = 0; i < lines.length(); ++i) {
      const ptrdiff_t at = static_cast<ptrdiff_t>(i);
      ptrdiff_t offset = 0;
      for (size_t k = 0; k < count; ++k) {
        const ptrdiff_t from = lines.offset(k) + at * lines.step(k);
        if (is_mask_[dims[k]]) {
          offset += walk.seek(dims[k], static_cast<size_t>(from));
          continue;
        }
        const int64_t size = static_cast<int64_t>(self.size[dims[k]]);
        int64_t index = read_index(*index_[dims[k]], from);
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

}  // namespace torch::executor::native::util

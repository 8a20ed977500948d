#include <executorch/kernels/portable/cpu/internal/advanced_index.h>

namespace torch::executor::native::util {
namespace {

size_t count_true(const Tensor& mask) {
  const uint8_t* truth = static_cast<const uint8_t*>(mask.const_data_ptr());
  size_t count = 0;
  for (ssize_t i = 0; i < mask.numel(); ++i) {
    count += truth[i] != 0 ? 1 : 0;
  }
  return count;
}

/// Widens `shape` to the common shape of itself and a line of `count` elements.
bool broadcast_line(Shape& shape, size_t count) {
  if (shape.rank == 0) {
    shape.push(1);
  }
  SizesType& last = shape.sizes[shape.rank - 1];
  const SizesType size = static_cast<SizesType>(count);
  if (last != 1 && size != 1 && last != size) {
    return false;
  }
  last = last == 1 ? size : last;
  return true;
}

bool is_mask(const Tensor& t) {
  return t.scalar_type() == ScalarType::Bool || t.scalar_type() == ScalarType::Byte;
}

}  // namespace

void MaskWalk::start(size_t dim, const Tensor& mask, const View& self) {
  truth_[dim] = static_cast<const uint8_t*>(mask.const_data_ptr());
  offset_[dim] = 0;
  position_[dim] = 0;
  rank_[dim] = static_cast<size_t>(mask.dim());
  for (size_t d = 0; d < rank_[dim]; ++d) {
    size_[dim + d] = self.size[dim + d];
    index_[dim + d] = 0;
    mask_stride_[dim + d] = mask.strides()[d];
    self_stride_[dim + d] = self.stride[dim + d];
  }
}

void MaskWalk::rewind(size_t dim) {
  for (size_t d = dim; d < dim + rank_[dim]; ++d) {
    const ptrdiff_t back = static_cast<ptrdiff_t>(index_[d]);
    truth_[dim] -= back * mask_stride_[d];
    offset_[dim] -= back * self_stride_[d];
    index_[d] = 0;
  }
  position_[dim] = 0;
}

void MaskWalk::step(size_t dim) {
  position_[dim] += *truth_[dim] != 0 ? 1 : 0;
  for (size_t d = dim + rank_[dim]; d-- > dim;) {
    truth_[dim] += mask_stride_[d];
    offset_[dim] += self_stride_[d];
    if (++index_[d] < size_[d]) {
      return;
    }
    const ptrdiff_t size = static_cast<ptrdiff_t>(size_[d]);
    truth_[dim] -= size * mask_stride_[d];
    offset_[dim] -= size * self_stride_[d];
    index_[d] = 0;
  }
}

ptrdiff_t MaskWalk::seek(size_t dim, size_t position) {
  if (position < position_[dim]) {
    rewind(dim);
  }
  while (position_[dim] < position || *truth_[dim] == 0) {
    step(dim);
  }
  return offset_[dim];
}

bool AdvancedIndex::add_mask(KernelRuntimeContext& ctx, const Tensor& self, const Tensor& mask,
                             size_t dim) {
  const size_t rank = static_cast<size_t>(mask.dim());
  if (!require(ctx, rank >= 1 && dim + rank <= rank_, "a mask has too many dimensions")) {
    return false;
  }
  for (size_t d = 0; d < rank; ++d) {
    if (!require(ctx,
                 mask.size(static_cast<ssize_t>(d)) == self.size(static_cast<ssize_t>(dim + d)),
                 "a mask does not have the tensor's sizes")) {
      return false;
    }
    indexed_[dim + d] = true;
  }
  index_[dim] = &mask;
  is_mask_[dim] = true;
  true_count_[dim] = count_true(mask);
  return require(ctx, broadcast_line(common_, true_count_[dim]),
                 "a mask's true elements do not broadcast with the index tensors");
}

bool AdvancedIndex::add_index(KernelRuntimeContext& ctx, const Tensor& index, size_t dim) {
  if (!require(ctx, is_index_dtype(index.scalar_type()), "an index must be Int, Long or a mask") ||
      !require(ctx, dim < rank_, "there are more indices than dimensions") ||
      !require(ctx, broadcast(common_, index), "the index tensors do not broadcast")) {
    return false;
  }
  index_[dim] = &index;
  indexed_[dim] = true;
  return true;
}

void AdvancedIndex::make_result(const Tensor& self) {
  size_t first = rank_;
  size_t last = 0;
  size_t count = 0;
  for (size_t d = 0; d < rank_; ++d) {
    if (indexed_[d]) {
      first = first == rank_ ? d : first;
      last = d;
      ++count;
    }
  }
  // Neighbouring indices leave their place to the common shape; others send it to the front.
  common_at_ = count > 0 && last - first + 1 == count ? first : 0;
  for (size_t d = 0; d < common_at_; ++d) {
    result_.push(self.size(static_cast<ssize_t>(d)));
  }
  for (size_t i = 0; i < common_.rank; ++i) {
    result_.push(common_.sizes[i]);
  }
  for (size_t d = common_at_; d < rank_; ++d) {
    if (!indexed_[d]) {
      result_.push(self.size(static_cast<ssize_t>(d)));
    }
  }
}

bool AdvancedIndex::init(KernelRuntimeContext& ctx, const Tensor& self,
                         ArrayRef<optional<Tensor>> indices) {
  rank_ = static_cast<size_t>(self.dim());
  size_t dim = 0;
  for (const optional<Tensor>& index : indices) {
    if (!index.has_value()) {
      ++dim;
      continue;
    }
    const bool mask = is_mask(*index);
    if (mask ? !add_mask(ctx, self, *index, dim) : !add_index(ctx, *index, dim)) {
      return false;
    }
    dim += mask ? static_cast<size_t>(index->dim()) : 1;
  }
  if (!require(ctx, dim <= rank_, "there are more indices than dimensions")) {
    return false;
  }
  size_t kept = 0;
  for (size_t d = 0; d < rank_; ++d) {
    kept += indexed_[d] ? 0 : 1;
  }
  if (!require(ctx, kept + common_.rank <= kMaxRank, "the result's rank is above the limit")) {
    return false;
  }
  make_result(self);
  return true;
}

View AdvancedIndex::place(const Tensor& self) const {
  View view(self);
  for (size_t d = rank_; d-- > 0;) {
    if (indexed_[d]) {
      view = view.select(d, 0);
    }
  }
  return view;
}

View AdvancedIndex::result_place(const View& result) const {
  View view = result;
  for (size_t i = 0; i < common_.rank; ++i) {
    view = view.select(common_at_, 0);
  }
  return view;
}

}  // namespace torch::executor::native::util

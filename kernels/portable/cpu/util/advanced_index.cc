#include <executorch/kernels/portable/cpu/util/advanced_index.h>

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

bool is_mask(const Tensor& t) {
  return t.scalar_type() == ScalarType::Bool || t.scalar_type() == ScalarType::Byte;
}

}  // namespace

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
  mask_ = &mask;
  mask_dim_ = dim;
  common_.rank = 0;
  common_.push(static_cast<int64_t>(count_true(mask)));
  return true;
}

bool AdvancedIndex::add_index(KernelRuntimeContext& ctx, const Tensor& self, const Tensor& index,
                              size_t dim) {
  (void)self;
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
  size_t given = 0;
  for (const optional<Tensor>& index : indices) {
    if (!index.has_value()) {
      ++dim;
      continue;
    }
    ++given;
    const bool mask = is_mask(*index);
    if (!require(ctx, (!mask && mask_ == nullptr) || given == 1,
                 "a mask beside other indices is not supported; use nonzero() on it") ||
        (mask ? !add_mask(ctx, self, *index, dim) : !add_index(ctx, self, *index, dim))) {
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

/**
 * @file
 * Loops over an output and the inputs that are broadcast to it.
 *
 *     for (const auto [out_index, a_index, b_index] : BroadcastIndexesRange<2>(out, a, b)) {
 *       out_data[out_index] = a_data[a_index] + b_data[b_index];
 *     }
 *
 * Positions are in elements from the tensor's first one. The output is walked along its memory, so
 * that its position counts 0, 1, 2, ...; inputs may have any layout.
 */
#pragma once

#include <array>
#include <cstddef>
#include <iterator>

#include <executorch/kernels/portable/cpu/util/tensor_names.h>

namespace torch::executor {
namespace internal {

/// True if the shapes are the same but for sizes of 1 in front.
inline bool sizes_match_ignoring_leading_1s(ArrayRef<SizesType> lhs, ArrayRef<SizesType> rhs) {
  const ArrayRef<SizesType>& longer = lhs.size() < rhs.size() ? rhs : lhs;
  const ArrayRef<SizesType>& shorter = lhs.size() < rhs.size() ? lhs : rhs;
  const size_t extra = longer.size() - shorter.size();
  for (size_t d = 0; d < extra; ++d) {
    if (longer[d] != 1) {
      return false;
    }
  }
  for (size_t d = 0; d < shorter.size(); ++d) {
    if (longer[extra + d] != shorter[d]) {
      return false;
    }
  }
  return true;
}

/// The strides of `t`, which has its own or is contiguous.
inline void read_strides(const Tensor& t, ptrdiff_t* strides) {
  const size_t rank = t.sizes().size();
  ptrdiff_t dense = 1;
  for (size_t d = rank; d-- > 0;) {
    strides[d] = t.strides().data() != nullptr ? t.strides()[d] : dense;
    dense *= t.sizes()[d];
  }
}

/// What BroadcastIndexesRange steps with.
template <size_t kNumInputs, bool support_noncontiguous_tensors>
class BroadcastIndexesIterator {
 public:
  using difference_type = ssize_t;
  using value_type = std::array<ssize_t, kNumInputs + 1>;
  using reference = const value_type&;
  using pointer = const value_type*;
  using iterator_category = std::forward_iterator_tag;

  BroadcastIndexesIterator() = default;

  /// @param args The inputs; their shapes broadcast to the output's.
  template <typename... Args>
  explicit BroadcastIndexesIterator(const Tensor& output, const Args&... args)
      : rank_(output.sizes().size()) {
    static_assert(sizeof...(args) == kNumInputs, "one tensor for each input");
    // Dimension 0 here is the output's innermost one in memory.
    for (size_t d = 0; d < rank_; ++d) {
      const auto order = output.dim_order();
      dim_[d] = order.data() != nullptr ? order[rank_ - 1 - d] : rank_ - 1 - d;
      size_[d] = output.sizes()[dim_[d]];
    }
    size_t input = 0;
    (add_input(input++, args), ...);
  }

  /// The iterator after the output's last element.
  struct MakeEnd {};
  BroadcastIndexesIterator(MakeEnd, const Tensor& output) { current_[0] = output.numel(); }

  bool operator==(const BroadcastIndexesIterator& other) const {
    return current_[0] == other.current_[0];
  }
  bool operator!=(const BroadcastIndexesIterator& other) const { return !(*this == other); }

  reference operator*() const { return current_; }
  pointer operator->() const { return &current_; }

  BroadcastIndexesIterator& operator++() {
    ++current_[0];
    for (size_t d = 0; d < rank_; ++d) {
      move(d, 1);
      if (++index_[d] < size_[d]) {
        return *this;
      }
      move(d, -size_[d]);
      index_[d] = 0;
    }
    return *this;
  }

  BroadcastIndexesIterator operator++(int) {
    BroadcastIndexesIterator before = *this;
    ++*this;
    return before;
  }

  /// Goes `n` elements on; up to the end, not beyond it.
  BroadcastIndexesIterator& operator+=(difference_type n) {
    current_[0] += n;
    difference_type position = current_[0];
    for (size_t d = 0; d < rank_; ++d) {
      const ssize_t size = size_[d] == 0 ? 1 : size_[d];
      const ssize_t index = position % size;
      position /= size;
      move(d, index - index_[d]);
      index_[d] = index;
    }
    return *this;
  }

  BroadcastIndexesIterator operator+(difference_type n) const {
    BroadcastIndexesIterator result = *this;
    result += n;
    return result;
  }

  difference_type operator-(const BroadcastIndexesIterator& other) const {
    return current_[0] - other.current_[0];
  }

 private:
  void add_input(size_t input, const Tensor& t) {
    ET_CHECK_MSG(t.sizes().size() <= rank_, "an input has rank %zu, the output %zu",
                 t.sizes().size(), rank_);
    const size_t missing = rank_ - t.sizes().size();
    ptrdiff_t strides[kTensorDimensionLimit];
    read_strides(t, strides);
    for (size_t d = 0; d < rank_; ++d) {
      const bool repeats = dim_[d] < missing || t.sizes()[dim_[d] - missing] == 1;
      step_[d][input] = repeats ? 0 : strides[dim_[d] - missing];
    }
  }

  void move(size_t d, ssize_t count) {
    for (size_t k = 0; k < kNumInputs; ++k) {
      current_[k + 1] += step_[d][k] * count;
    }
  }

  value_type current_{};
  size_t rank_ = 0;
  std::array<size_t, kTensorDimensionLimit> dim_{};
  std::array<ssize_t, kTensorDimensionLimit> size_{};
  std::array<ssize_t, kTensorDimensionLimit> index_{};
  std::array<std::array<ptrdiff_t, kNumInputs>, kTensorDimensionLimit> step_{};
};

}  // namespace internal

/**
 * The positions of an output's elements and of the elements of `kNumInputs` inputs that belong to
 * them, as arrays with the output's position first. The tensors must outlive the range.
 *
 * @tparam support_noncontiguous_tensors For callers that ask for inputs with any strides; the range
 *     reads the strides in either case.
 */
template <size_t kNumInputs, bool support_noncontiguous_tensors = false>
class BroadcastIndexesRange {
 public:
  using iterator = internal::BroadcastIndexesIterator<kNumInputs, support_noncontiguous_tensors>;

  /// @param args The inputs; their shapes broadcast to the output's.
  template <typename... Args>
  explicit BroadcastIndexesRange(const Tensor& output, const Args&... args)
      : begin_(output, args...), end_(typename iterator::MakeEnd{}, output) {}

  iterator begin() const { return begin_; }
  iterator end() const { return end_; }

 private:
  iterator begin_;
  iterator end_;
};

}  // namespace torch::executor

#include <cstring>

#include <executorch/backends/cortex_m/kernels/common.h>

namespace cortex_m::native {

namespace {

constexpr size_t kMostRank = torch::executor::native::util::kMaxRank;

/// Copies what has these sizes and strides to where it is contiguous.
void move(const int8_t* from, const int64_t* sizes, const size_t* strides, size_t rank,
          int8_t* to) {
  // The last two dimensions are loops of their own, which most of the time goes to.
  const auto rows = rank < 2 ? size_t{1} : static_cast<size_t>(sizes[rank - 2]);
  const size_t row_step = rank < 2 ? 0 : strides[rank - 2];
  const auto run = rank < 1 ? size_t{1} : static_cast<size_t>(sizes[rank - 1]);
  const size_t step = rank < 1 ? 0 : strides[rank - 1];
  size_t blocks = 1;
  for (size_t d = 0; d + 2 < rank; ++d) {
    blocks *= static_cast<size_t>(sizes[d]);
  }
  size_t at[kMostRank] = {};
  for (; blocks > 0; --blocks) {
    const int8_t* row = from;
    for (size_t d = 0; d + 2 < rank; ++d) {
      row += at[d] * strides[d];
    }
    for (size_t y = 0; y < rows; ++y, row += row_step) {
      const int8_t* source = row;
      for (size_t x = 0; x < run; ++x, source += step) {
        *to++ = *source;
      }
    }
    for (size_t d = rank < 3 ? 0 : rank - 2; d-- > 0 && ++at[d] == static_cast<size_t>(sizes[d]);) {
      at[d] = 0;
    }
  }
}

}  // namespace

Tensor& transpose_out(KernelRuntimeContext& ctx, const Tensor& input, IntArrayRef perm,
                      Tensor& out) {
  const auto rank = static_cast<size_t>(input.dim());
  if (!require_int8(ctx, input) || !require_int8(ctx, out) ||
      !require(ctx,
               rank <= kMostRank && perm.size() == rank && static_cast<size_t>(out.dim()) == rank,
               "a permutation names every dimension")) {
    return out;
  }
  int64_t sizes[kMostRank] = {};
  size_t strides[kMostRank] = {};
  unsigned seen = 0;
  for (size_t d = 0; d < rank; ++d) {
    const int64_t from = perm[d] < 0 ? perm[d] + input.dim() : perm[d];
    if (!require(ctx, from >= 0 && from < input.dim() && (seen & (1u << from)) == 0,
                 "a permutation names every dimension once")) {
      return out;
    }
    seen |= 1u << from;
    sizes[d] = input.size(from);
    strides[d] = static_cast<size_t>(input.strides()[from]);
  }
  if (!resize(ctx, IntArrayRef(sizes, rank), out) ||
      !require(ctx, is_contiguous(out), "the output must be contiguous") || out.numel() == 0) {
    return out;
  }
  move(input.const_data_ptr<int8_t>(), sizes, strides, rank, out.mutable_data_ptr<int8_t>());
  return out;
}

Tensor& pad_out(KernelRuntimeContext& ctx, const Tensor& input, IntArrayRef pre_pad,
                IntArrayRef post_pad, int64_t pad_value, Tensor& out) {
  constexpr size_t kRank = 4;
  const auto rank = static_cast<size_t>(input.dim());
  if (!require_int8(ctx, input) || !require_int8(ctx, out) ||
      !require(ctx,
               rank <= kRank && static_cast<size_t>(out.dim()) == rank && pre_pad.size() == kRank &&
                   post_pad.size() == kRank,
               "tensors have at most four dimensions, paddings are given for four") ||
      !require(ctx, pad_value >= -128 && pad_value <= 127, "the padding is one of int8")) {
    return out;
  }
  // Dimensions that are missing stand in front.
  int64_t in_sizes[kRank] = {1, 1, 1, 1};
  int64_t out_sizes[kRank] = {1, 1, 1, 1};
  int64_t strides[kRank] = {};
  for (size_t d = 0; d < kRank; ++d) {
    const bool exists = d + rank >= kRank;
    if (!require(ctx,
                 pre_pad[d] >= 0 && post_pad[d] >= 0 && pre_pad[d] <= INT16_MAX &&
                     post_pad[d] <= INT16_MAX && (exists || pre_pad[d] + post_pad[d] == 0),
                 "paddings are not negative, and 0 where there is no dimension")) {
      return out;
    }
    if (exists) {
      const auto from = static_cast<ssize_t>(d + rank - kRank);
      in_sizes[d] = input.size(from);
      strides[d] = input.strides()[from];
    }
    out_sizes[d] = in_sizes[d] + pre_pad[d] + post_pad[d];
  }
  if (!resize(ctx, IntArrayRef(out_sizes + kRank - rank, rank), out) || out.numel() == 0) {
    return out;
  }
  int64_t out_strides[kRank] = {};
  for (size_t d = kRank - rank; d < kRank; ++d) {
    out_strides[d] = out.strides()[static_cast<ssize_t>(d + rank - kRank)];
  }
  int8_t* const to = out.mutable_data_ptr<int8_t>();
  std::memset(to, static_cast<int8_t>(pad_value), static_cast<size_t>(out.numel()));
  const int8_t* const from = input.const_data_ptr<int8_t>();
  for (int64_t a = 0; a < in_sizes[0]; ++a) {
    for (int64_t b = 0; b < in_sizes[1]; ++b) {
      for (int64_t c = 0; c < in_sizes[2]; ++c) {
        const int64_t source = a * strides[0] + b * strides[1] + c * strides[2];
        const int64_t target = (a + pre_pad[0]) * out_strides[0] +
                               (b + pre_pad[1]) * out_strides[1] +
                               (c + pre_pad[2]) * out_strides[2] + pre_pad[3] * out_strides[3];
        for (int64_t d = 0; d < in_sizes[3]; ++d) {
          to[target + d * out_strides[3]] = from[source + d * strides[3]];
        }
      }
    }
  }
  return out;
}

}  // namespace cortex_m::native

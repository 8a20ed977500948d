/**
 * @file
 * Mean and variance over any set of dimensions.
 */
#pragma once

#include <executorch/kernels/portable/cpu/internal/reduce.h>

namespace torch::executor::native::util {

/// Writes the mean over `dim` (all dimensions if empty) to `out`, which has a floating dtype.
/// @returns false after setting the context's failure state.
bool mean(KernelRuntimeContext& ctx, const Tensor& in, const OptionalArrayRef<int64_t>& dim,
          bool keepdim, Tensor& out);

/// Writes the variance over `dim` to `out`: the squared distances from the mean, divided by the
/// number of elements minus `correction`. Both tensors have floating dtypes.
/// @returns false after setting the context's failure state.
bool variance(KernelRuntimeContext& ctx, const Tensor& in, const OptionalArrayRef<int64_t>& dim,
              double correction, bool keepdim, Tensor& out);

/// Mean of some elements, and the sum of their squared distances from it; no numbers if there are
/// none.
struct Moments {
  double mean;
  double squares;
};

/// The moments of each channel, a place in dimension 1 of a floating tensor [n, c, ...].
class ChannelMoments {
 public:
  /// @param per_channel A tensor [c].
  ChannelMoments(const Tensor& in, const Tensor& per_channel);

  Moments of(size_t channel) const;

  /// Elements of a channel.
  size_t count() const { return plan_.reduced_count(); }

 private:
  const Tensor& in_;
  ReductionPlan plan_;
};

}  // namespace torch::executor::native::util

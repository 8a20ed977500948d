#include <executorch/kernels/optimized/cpu/simd.h>
#include <executorch/kernels/portable/NativeFunctions.h>
#include <executorch/kernels/portable/cpu/internal/parallel.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

// The first half of a contiguous Float tensor times the logistic function of the second.

namespace torch::executor::native {
namespace {

using optimized::simd;

/// The fewest elements that are worth a thread, and those that are calculated with at a time.
constexpr size_t kGrain = 8192;
constexpr size_t kChunk = 1024;

bool run_glu(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim, Tensor& out) {
  const ssize_t rank = in.dim();
  if (in.scalar_type() != ScalarType::Float || out.scalar_type() != ScalarType::Float ||
      dim < -rank || dim >= rank || in.numel() == 0) {
    return false;
  }
  const ssize_t along = static_cast<ssize_t>(dim < 0 ? dim + rank : dim);
  if (in.size(along) % 2 != 0) {
    return false;
  }
  const size_t at = static_cast<size_t>(along);
  util::Shape shape(in);
  shape.sizes[at] = static_cast<SizesType>(in.size(along) / 2);
  if (!util::resize(ctx, shape, out)) {
    return true;
  }
  if (!util::is_contiguous(in) || !util::is_contiguous(out)) {
    return false;
  }
  const size_t half = util::product(out, at, static_cast<size_t>(rank));
  const size_t outer = static_cast<size_t>(out.numel()) / half;
  const size_t blocks = (half + kChunk - 1) / kChunk;
  const auto times = simd->elementwise.binary[static_cast<size_t>(optimized::Binary::kMul)]
                                             [static_cast<size_t>(optimized::Form::kBoth)];
  const float* x = static_cast<const float*>(in.const_data_ptr());
  float* to = static_cast<float*>(out.mutable_data_ptr());
  const size_t work = half < kChunk ? half : kChunk;
  util::parallel_for(outer * blocks, 1 + kGrain / work, [=](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const size_t first = i % blocks * kChunk;
      const size_t n = half - first < kChunk ? half - first : kChunk;
      const float* a = x + i / blocks * 2 * half + first;
      float* result = to + i / blocks * half + first;
      simd->loops.sigmoid(a + half, n, result);
      times(a, result, n, 0, result);
    }
  });
  return true;
}

}  // namespace

Tensor& opt_glu_out(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim, Tensor& out) {
  return run_glu(ctx, in, dim, out) ? out : glu_out(ctx, in, dim, out);
}

}  // namespace torch::executor::native

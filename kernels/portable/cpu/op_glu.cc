#include <executorch/kernels/portable/cpu/internal/lines.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>
#include <executorch/kernels/portable/cpu/internal/vmath.h>

namespace torch::executor::native {
namespace {

/// a * sigmoid(b) for two views of one shape.
template <typename C>
void gate(const util::View& a, const util::View& b, const util::View& out) {
  constexpr util::Compute c = util::ComputeOf<C>::value;
  constexpr size_t kMost = util::kChunkBytes / sizeof(C);
  C x[kMost];
  C y[kMost];
  util::Lines<3> lines(out);
  lines.set(0, a);
  lines.set(1, b);
  lines.set(2, out);
  const ptrdiff_t bytes = static_cast<ptrdiff_t>(a.element_size);
  const ptrdiff_t out_bytes = static_cast<ptrdiff_t>(out.element_size);
  do {
    for (size_t first = 0; first < lines.length(); first += kMost) {
      const size_t n = lines.length() - first < kMost ? lines.length() - first : kMost;
      const ptrdiff_t at = static_cast<ptrdiff_t>(first);
      util::load(c, a.dtype, a.data + (lines.offset(0) + at * lines.step(0)) * bytes, lines.step(0),
                 n, x);
      util::load(c, b.dtype, b.data + (lines.offset(1) + at * lines.step(1)) * bytes, lines.step(1),
                 n, y);
      for (size_t i = 0; i < n; ++i) {
        x[i] = x[i] * util::fast_sigmoid(y[i]);
      }
      util::store(c, out.dtype, x, n, out.data + (lines.offset(2) + at * lines.step(2)) * out_bytes,
                  lines.step(2));
    }
  } while (lines.next());
}

}  // namespace

Tensor& glu_out(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim, Tensor& out) {
  const size_t rank = static_cast<size_t>(in.dim());
  if (!util::require_floating(ctx, in) || !util::require_floating(ctx, out) ||
      !util::require(ctx, rank > 0, "glu needs a tensor with dimensions") ||
      !util::wrap_dim(ctx, dim, rank) ||
      !util::require(ctx, in.size(dim) % 2 == 0, "the dimension must have an even size")) {
    return out;
  }
  const size_t at = static_cast<size_t>(dim);
  const size_t half = static_cast<size_t>(in.size(dim)) / 2;
  util::Shape shape(in);
  shape.sizes[at] = static_cast<SizesType>(half);
  if (!util::resize(ctx, shape, out) || out.numel() == 0) {
    return out;
  }
  const util::View source(in);
  const util::View a = source.narrow(at, 0, half);
  const util::View b = source.narrow(at, half, half);
  if (in.scalar_type() == ScalarType::Double) {
    gate<double>(a, b, util::View(out));
  } else {
    gate<float>(a, b, util::View(out));
  }
  return out;
}

}  // namespace torch::executor::native

#include <executorch/kernels/portable/cpu/internal/lines.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
namespace {

/// Calls `fn(lines, i)` for the elements that are not zero, in index order.
template <typename Fn>
void for_each_nonzero(const util::View& in, Fn&& fn) {
  constexpr size_t kMost = util::kChunkBytes;
  uint8_t truth[kMost];
  util::Lines<1> lines(in);
  if (lines.empty()) {
    return;
  }
  lines.set(0, in);
  do {
    for (size_t first = 0; first < lines.length(); first += kMost) {
      const size_t n = lines.length() - first < kMost ? lines.length() - first : kMost;
      const ptrdiff_t offset = lines.offset(0) + static_cast<ptrdiff_t>(first) * lines.step(0);
      util::load(util::Compute::kBool, in.dtype,
                 in.data + offset * static_cast<ptrdiff_t>(in.element_size), lines.step(0), n,
                 truth);
      for (size_t i = 0; i < n; ++i) {
        if (truth[i] != 0) {
          fn(lines, first + i);
        }
      }
    }
  } while (lines.next());
}

}  // namespace

Tensor& nonzero_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  if (!util::require_real(ctx, in) ||
      !util::require(ctx, out.scalar_type() == ScalarType::Long, "the indices must be Long")) {
    return out;
  }
  const util::View source(in);
  int64_t sizes[2] = {0, static_cast<int64_t>(source.rank)};
  for_each_nonzero(source, [&](const util::Lines<1>&, size_t) { ++sizes[0]; });
  if (!util::resize(ctx, IntArrayRef(sizes, 2), out)) {
    return out;
  }
  int64_t* target = static_cast<int64_t*>(out.mutable_data_ptr());
  const ptrdiff_t row = out.strides()[0];
  const ptrdiff_t column = out.strides()[1];
  ptrdiff_t found = 0;
  for_each_nonzero(source, [&](const util::Lines<1>& lines, size_t i) {
    for (size_t d = 0; d < source.rank; ++d) {
      const size_t index = d + 1 == source.rank ? i : lines.index(d);
      target[found * row + static_cast<ptrdiff_t>(d) * column] = static_cast<int64_t>(index);
    }
    ++found;
  });
  return out;
}

}  // namespace torch::executor::native

#include <executorch/kernels/optimized/cpu/masks.h>
#include <executorch/kernels/optimized/cpu/true_elements.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native::optimized {
namespace {

template <typename T>
void select(const Tensor& in, const uint8_t* mask, Tensor& out) {
  const T* from = static_cast<const T*>(in.const_data_ptr());
  T* to = static_cast<T*>(out.mutable_data_ptr());
  const size_t total = static_cast<size_t>(in.numel());
  for (size_t first = 0; first < total; first += kTruths) {
    const size_t n = total - first < kTruths ? total - first : kTruths;
    const size_t found = count_true(mask + first, n);
    for_each_true(mask + first, found, [=](size_t k, size_t i) { to[k] = from[first + i]; });
    to += found;
  }
}

}  // namespace

bool run_masked_select(KernelRuntimeContext& ctx, const Tensor& in, const Tensor& mask,
                       Tensor& out) {
  if (in.scalar_type() != out.scalar_type() || mask.scalar_type() != ScalarType::Bool ||
      in.dim() == 0 || !util::same_shape(in, mask) || !util::is_contiguous(in) ||
      !util::is_contiguous(mask) || in.element_size() > static_cast<ssize_t>(sizeof(uint64_t))) {
    return false;
  }
  const uint8_t* truth = static_cast<const uint8_t*>(mask.const_data_ptr());
  const int64_t count = static_cast<int64_t>(count_true(truth, static_cast<size_t>(in.numel())));
  if (!util::resize(ctx, IntArrayRef(&count, 1), out)) {
    return true;
  }
  switch (in.element_size()) {
    case 1:
      select<uint8_t>(in, truth, out);
      break;
    case 2:
      select<uint16_t>(in, truth, out);
      break;
    case 4:
      select<uint32_t>(in, truth, out);
      break;
    default:
      select<uint64_t>(in, truth, out);
  }
  return true;
}

}  // namespace torch::executor::native::optimized

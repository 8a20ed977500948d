#include <executorch/kernels/portable/NativeFunctions.h>
#include <executorch/kernels/portable/cpu/internal/parallel.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

// Contiguous tensors of one dtype beside each other, by blocks of lines that stay in the cache
// until all tensors have written their parts of them.

namespace torch::executor::native {
namespace {

/// The bytes of a block of lines, and those that are worth a thread.
constexpr size_t kBlockBytes = 16 * 1024;
constexpr size_t kGrainBytes = 128 * 1024;

/// The least bytes of a line that are worth a call.
constexpr size_t kShort = 16;

/// Whether all are contiguous, of the output's dtype, and of one shape but for `dim`.
bool are_plain(TensorList tensors, ssize_t dim, const Tensor& out) {
  if (tensors.size() < 2 || util::float_loops.copy_lines == nullptr) {
    return false;
  }
  const Tensor& first = tensors[0];
  const ssize_t rank = first.dim();
  for (const Tensor& t : tensors) {
    if (t.scalar_type() != out.scalar_type() || t.dim() != rank || t.numel() == 0 ||
        !util::is_contiguous(t)) {
      return false;
    }
    for (ssize_t d = 0; d < rank; ++d) {
      if (d != dim && t.size(d) != first.size(d)) {
        return false;
      }
    }
  }
  return true;
}

bool run_cat(KernelRuntimeContext& ctx, TensorList tensors, int64_t dim, Tensor& out) {
  const ssize_t rank = tensors.size() == 0 ? 0 : tensors[0].dim();
  if (dim < -rank || dim >= rank) {
    return false;
  }
  const ssize_t along = static_cast<ssize_t>(dim < 0 ? dim + rank : dim);
  // With nothing before the dimension each tensor is one line, which threads had better share.
  if (along == 0 || !are_plain(tensors, along, out)) {
    return false;
  }
  const size_t at = static_cast<size_t>(along);
  const size_t size = static_cast<size_t>(out.element_size());
  util::Shape shape(tensors[0]);
  int64_t total = 0;
  for (const Tensor& t : tensors) {
    total += t.size(along);
  }
  const size_t mean = util::product(tensors[0], at + 1, shape.rank) * static_cast<size_t>(total) *
                      size / tensors.size();
  if (size > sizeof(int64_t) || total > INT32_MAX || mean < kShort) {
    return false;
  }
  shape.sizes[at] = static_cast<SizesType>(total);
  if (!util::resize(ctx, shape, out)) {
    return true;
  }
  if (!util::is_contiguous(out)) {
    return false;
  }
  const size_t outer = util::product(out, 0, at);
  const size_t line = static_cast<size_t>(out.numel()) / outer * size;
  const size_t block = 1 + kBlockBytes / line;
  char* to = static_cast<char*>(out.mutable_data_ptr());
  util::parallel_for(outer, 1 + kGrainBytes / line, [&](size_t begin, size_t end) {
    for (size_t o = begin; o < end; o += block) {
      const size_t lines = end - o < block ? end - o : block;
      char* part = to + o * line;
      for (const Tensor& t : tensors) {
        const size_t count = static_cast<size_t>(t.numel()) / outer;
        const char* from = static_cast<const char*>(t.const_data_ptr()) + o * count * size;
        util::float_loops.copy_lines({from, static_cast<ptrdiff_t>(count * size),
                                      static_cast<ptrdiff_t>(size), part,
                                      static_cast<ptrdiff_t>(line), size, count, lines});
        part += count * size;
      }
    }
  });
  return true;
}

}  // namespace

Tensor& opt_cat_out(KernelRuntimeContext& ctx, TensorList tensors, int64_t dim, Tensor& out) {
  return run_cat(ctx, tensors, dim, out) ? out : cat_out(ctx, tensors, dim, out);
}

}  // namespace torch::executor::native

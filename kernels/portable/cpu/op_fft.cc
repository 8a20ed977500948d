#include <cmath>

#include <executorch/kernels/portable/cpu/internal/complex.h>
#include <executorch/kernels/portable/cpu/internal/element.h>
#include <executorch/kernels/portable/cpu/internal/fft.h>
#include <executorch/kernels/portable/cpu/internal/lines.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
namespace {

using util::ComplexValue;
using util::View;

/// The view of a complex tensor's real parts; the imaginary ones stand one element behind.
View real_parts(const Tensor& t) {
  View view = util::as_parts(t);
  --view.rank;
  return view;
}

bool require_complex(KernelRuntimeContext& ctx, const Tensor& t) {
  return util::require(ctx, util::real_part(t.scalar_type()) != ScalarType::Undefined,
                       "the tensor must be complex") &&
         util::require(ctx, static_cast<size_t>(t.dim()) < util::kMaxRank,
                       "the rank is at its limit");
}

/// Reads the dimensions, wrapped, in the order given. @returns false after failing the kernel.
bool read_dims(KernelRuntimeContext& ctx, const Tensor& in, IntArrayRef dims, size_t* wrapped) {
  bool seen[util::kMaxRank] = {};
  if (!util::require(ctx, in.dim() > 0 && !dims.empty() && dims.size() <= util::kMaxRank,
                     "a transform needs a dimension")) {
    return false;
  }
  for (size_t i = 0; i < dims.size(); ++i) {
    int64_t dim = dims[i];
    if (!util::wrap_dim(ctx, dim, static_cast<size_t>(in.dim())) ||
        !util::require(ctx, !seen[dim] && in.size(dim) > 0,
                       "a dimension is empty or named twice")) {
      return false;
    }
    seen[dim] = true;
    wrapped[i] = static_cast<size_t>(dim);
  }
  return true;
}

/// What results are multiplied by. @param normalization 0 none, 1 by the root of the size, 2 by it.
bool read_scale(KernelRuntimeContext& ctx, int64_t normalization, double size, double* scale) {
  *scale = normalization == 0 ? 1 : normalization == 1 ? 1 / std::sqrt(size) : 1 / size;
  return util::require(ctx, normalization >= 0 && normalization <= 2,
                       "normalization must be 0, 1 or 2");
}

ComplexValue get(const View& v, ptrdiff_t at, bool complex) {
  return {util::get_element<double>(v, at), complex ? util::get_element<double>(v, at + 1) : 0};
}

void put(const View& v, ptrdiff_t at, ComplexValue value, bool complex) {
  util::put_element(v, at, value.re);
  if (complex) {
    util::put_element(v, at + 1, value.im);
  }
}

/// One dimension of a transform.
struct Pass {
  View from;
  View to;
  size_t dim;
  size_t n;       // length of the transform
  size_t stored;  // results that `to` has
  bool from_complex;
  bool to_complex;
  bool half;  // `from` has the first half of a Hermitian line
  double sign;
  double scale;
};

void load_line(const Pass& p, ptrdiff_t offset, ComplexValue* line) {
  const ptrdiff_t stride = p.from.stride[p.dim];
  const size_t present = p.half ? p.n / 2 + 1 : p.n;
  for (size_t i = 0; i < present; ++i) {
    line[i] = get(p.from, offset + static_cast<ptrdiff_t>(i) * stride, p.from_complex);
  }
  if (p.half) {
    // The ends of a real line's transform are real.
    line[0].im = 0;
    if (p.n % 2 == 0) {
      line[p.n / 2].im = 0;
    }
    for (size_t i = present; i < p.n; ++i) {
      line[i] = {line[p.n - i].re, -line[p.n - i].im};
    }
  }
}

void run(KernelRuntimeContext& ctx, const Pass& p) {
  util::FourierMemory memory(ctx, p.n);
  if (!memory.ok()) {
    return;
  }
  const View rest = p.to.select(p.dim, 0);
  util::Lines<2> lines(rest);
  if (lines.empty()) {
    return;
  }
  lines.set(0, p.from.select(p.dim, 0));
  lines.set(1, rest);
  do {
    for (size_t l = 0; l < lines.length(); ++l) {
      const ptrdiff_t at = static_cast<ptrdiff_t>(l);
      load_line(p, lines.offset(0) + at * lines.step(0), memory.in());
      memory.run(p.sign);
      const ptrdiff_t to = lines.offset(1) + at * lines.step(1);
      for (size_t i = 0; i < p.stored; ++i) {
        const ComplexValue value = memory.out()[i];
        put(p.to, to + static_cast<ptrdiff_t>(i) * p.to.stride[p.dim],
            {value.re * p.scale, value.im * p.scale}, p.to_complex);
      }
    }
  } while (lines.next());
}

/// Transforms a complex tensor in place along one dimension.
void run_in_place(KernelRuntimeContext& ctx, const View& view, size_t dim, double sign,
                  double scale) {
  const size_t n = view.size[dim];
  run(ctx, {view, view, dim, n, n, true, true, false, sign, scale});
}

/// The second half of each line along `last`, from the symmetry of a real tensor's transform.
void fill_half(const View& out, const size_t* dims, size_t count, size_t last) {
  const size_t n = out.size[last];
  const View upper = out.narrow(last, n / 2 + 1, n - n / 2 - 1);
  util::Lines<1> lines(upper);
  if (lines.empty()) {
    return;
  }
  lines.set(0, upper);
  const size_t line_dim = out.rank - 1;
  do {
    for (size_t l = 0; l < lines.length(); ++l) {
      ptrdiff_t mirror = 0;
      for (size_t d = 0; d < out.rank; ++d) {
        size_t index = d == line_dim ? l : lines.index(d);
        index += d == last ? n / 2 + 1 : 0;
        bool transformed = false;
        for (size_t i = 0; i < count; ++i) {
          transformed = transformed || dims[i] == d;
        }
        const size_t opposite = transformed && index != 0 ? out.size[d] - index : index;
        mirror += static_cast<ptrdiff_t>(opposite) * out.stride[d];
      }
      const ComplexValue value = get(out, mirror, true);
      put(upper, lines.offset(0) + static_cast<ptrdiff_t>(l) * lines.step(0), {value.re, -value.im},
          true);
    }
  } while (lines.next());
}

double product(const Tensor& t, const size_t* dims, size_t count) {
  double size = 1;
  for (size_t i = 0; i < count; ++i) {
    size *= static_cast<double>(t.size(static_cast<ssize_t>(dims[i])));
  }
  return size;
}

}  // namespace

Tensor& _fft_r2c_out(KernelRuntimeContext& ctx, const Tensor& in, IntArrayRef dim,
                     int64_t normalization, bool onesided, Tensor& out) {
  size_t dims[util::kMaxRank];
  double scale;
  if (!util::require_floating(ctx, in) || !require_complex(ctx, out) ||
      !util::require(ctx, util::real_part(out.scalar_type()) == in.scalar_type(),
                     "the output must be the complex type of the input") ||
      !read_dims(ctx, in, dim, dims) ||
      !read_scale(ctx, normalization, product(in, dims, dim.size()), &scale)) {
    return out;
  }
  const size_t last = dims[dim.size() - 1];
  const size_t n = static_cast<size_t>(in.size(static_cast<ssize_t>(last)));
  util::Shape shape(in);
  if (onesided) {
    shape.sizes[last] = static_cast<SizesType>(n / 2 + 1);
  }
  if (!util::resize(ctx, shape, out) || out.numel() == 0) {
    return out;
  }
  const View target = real_parts(out);
  const View half = target.narrow(last, 0, n / 2 + 1);
  run(ctx, {View(in), half, last, n, n / 2 + 1, false, true, false, -1, scale});
  for (size_t i = 0; i + 1 < dim.size(); ++i) {
    run_in_place(ctx, half, dims[i], -1, 1);
  }
  if (!onesided) {
    fill_half(target, dims, dim.size(), last);
  }
  return out;
}

Tensor& _fft_c2c_out(KernelRuntimeContext& ctx, const Tensor& in, IntArrayRef dim,
                     int64_t normalization, bool forward, Tensor& out) {
  size_t dims[util::kMaxRank];
  double scale = 1;
  if (!require_complex(ctx, in) || !util::require_same_dtype(ctx, in, out) ||
      (!dim.empty() && !read_dims(ctx, in, dim, dims)) ||
      !read_scale(ctx, normalization, product(in, dims, dim.size()), &scale) ||
      !util::resize_like(ctx, in, out)) {
    return out;
  }
  util::copy(View(in), View(out));
  for (size_t i = 0; i < dim.size(); ++i) {
    run_in_place(ctx, real_parts(out), dims[i], forward ? -1 : 1, i == 0 ? scale : 1);
  }
  return out;
}

Tensor& _fft_c2r_out(KernelRuntimeContext& ctx, const Tensor& in, IntArrayRef dim,
                     int64_t normalization, int64_t last_dim_size, Tensor& out) {
  size_t dims[util::kMaxRank];
  double scale;
  if (!require_complex(ctx, in) ||
      !util::require(ctx, util::real_part(in.scalar_type()) == out.scalar_type(),
                     "the output must be the real type of the input") ||
      !read_dims(ctx, in, dim, dims)) {
    return out;
  }
  const size_t last = dims[dim.size() - 1];
  const int64_t stored = in.size(static_cast<ssize_t>(last));
  if (!util::require(
          ctx, last_dim_size >= 1 && last_dim_size <= INT32_MAX && last_dim_size / 2 + 1 == stored,
          "last_dim_size must be the length of a line whose half is given") ||
      !read_scale(ctx, normalization,
                  product(in, dims, dim.size() - 1) * static_cast<double>(last_dim_size), &scale)) {
    return out;
  }
  util::Shape shape(in);
  shape.sizes[last] = static_cast<SizesType>(last_dim_size);
  if (!util::resize(ctx, shape, out) || out.numel() == 0) {
    return out;
  }
  View source = real_parts(in);
  if (dim.size() > 1) {
    // The other dimensions come first, and need a complex copy.
    const auto memory = ctx.allocate_temp(in.nbytes(), alignof(ComplexValue));
    ET_KERNEL_CHECK_MSG(ctx, memory.ok(), MemoryAllocationFailed, out,
                        "a transform of several dimensions takes %zu bytes of temporary memory: "
                        "give the memory manager a temp allocator",
                        in.nbytes());
    View copy = View(in);
    copy.data = static_cast<char*>(*memory);
    util::copy(View(in), copy);
    source.data = copy.data;
    for (size_t i = 0; i + 1 < dim.size(); ++i) {
      run_in_place(ctx, source, dims[i], 1, 1);
    }
  }
  const size_t n = static_cast<size_t>(last_dim_size);
  run(ctx, {source, View(out), last, n, n, true, false, true, 1, scale});
  return out;
}

}  // namespace torch::executor::native

#include <executorch/kernels/portable/cpu/internal/complex_pointwise.h>
#include <executorch/kernels/portable/cpu/internal/element.h>
#include <executorch/kernels/portable/cpu/internal/lines.h>

namespace torch::executor::native::util {
namespace {

/// The parts of an operand, expanded to the result's shape; a real one has no imaginary part.
struct Parts {
  View real;
  View imaginary;
  bool complex;

  Parts(const View& whole, const View& shape) : complex(is_complex(whole.dtype)) {
    const View expanded = whole.expand(shape);
    real = complex ? part_of(expanded, 0) : expanded;
    imaginary = complex ? part_of(expanded, 1) : expanded;
  }

  ComplexValue get(ptrdiff_t offset) const {
    return {get_element<double>(real, offset),
            complex ? get_element<double>(imaginary, offset) : 0};
  }

  void put(ptrdiff_t offset, ComplexValue value) const {
    put_element(real, offset, value.real);
    if (complex) {
      put_element(imaginary, offset, value.imaginary);
    }
  }
};

/// Calls `fn(target offset, first offset, second offset)` for every element.
template <typename Fn>
void for_each(const Parts& target, const Parts& first, const Parts& second, Fn&& fn) {
  Lines<3> lines(target.real);
  lines.set(0, target.real);
  lines.set(1, first.real);
  lines.set(2, second.real);
  do {
    for (size_t i = 0; i < lines.length(); ++i) {
      const ptrdiff_t step = static_cast<ptrdiff_t>(i);
      fn(lines.offset(0) + step * lines.step(0), lines.offset(1) + step * lines.step(1),
         lines.offset(2) + step * lines.step(2));
    }
  } while (lines.next());
}

bool require_complex(KernelRuntimeContext& ctx, const Tensor& out) {
  return require(ctx, is_complex(out.scalar_type()),
                 "the result is complex, the output is not; make the output complex");
}

bool require_number(KernelRuntimeContext& ctx, const Tensor& t) {
  return is_complex(t.scalar_type()) || require_real(ctx, t);
}

}  // namespace

Tensor& complex_unary(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out, ComplexUnary fn,
                      const void* op) {
  if (!require(ctx,
               is_complex(out.scalar_type()) || out.scalar_type() == real_part(in.scalar_type()),
               "the output must be complex, or have the dtype of the input's parts") ||
      !resize_like(ctx, in, out) || out.numel() == 0) {
    return out;
  }
  const View shape(out);
  const Parts target(shape, shape);
  const Parts source(View(in), shape);
  for_each(target, source, source, [&](ptrdiff_t to, ptrdiff_t from, ptrdiff_t) {
    target.put(to, fn(op, source.get(from)));
  });
  return out;
}

Tensor& complex_binary(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, Tensor& out,
                       ComplexBinary fn, const void* op) {
  if (!require_number(ctx, a) || !require_number(ctx, b) || !require_complex(ctx, out) ||
      !resize_broadcast(ctx, a, b, out) || out.numel() == 0) {
    return out;
  }
  const View shape(out);
  const Parts target(shape, shape);
  const Parts left(View(a), shape);
  const Parts right(View(b), shape);
  for_each(target, left, right, [&](ptrdiff_t to, ptrdiff_t first, ptrdiff_t second) {
    target.put(to, fn(op, left.get(first), right.get(second)));
  });
  return out;
}

Tensor& complex_binary(KernelRuntimeContext& ctx, const Tensor& a, const Scalar& b, Tensor& out,
                       ComplexBinary fn, const void* op) {
  if (!require_complex(ctx, out) || !resize_like(ctx, a, out) || out.numel() == 0) {
    return out;
  }
  const ComplexValue number{ScalarValue(b).as<double>(), 0};
  const View shape(out);
  const Parts target(shape, shape);
  const Parts left(View(a), shape);
  for_each(target, left, left, [&](ptrdiff_t to, ptrdiff_t from, ptrdiff_t) {
    target.put(to, fn(op, left.get(from), number));
  });
  return out;
}

}  // namespace torch::executor::native::util

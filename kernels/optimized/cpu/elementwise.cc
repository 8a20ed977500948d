#include <executorch/kernels/optimized/cpu/elementwise.h>
#include <executorch/kernels/optimized/cpu/operand_lines.h>
#include <executorch/kernels/optimized/cpu/simd.h>
#include <executorch/kernels/portable/cpu/internal/parallel.h>
#include <executorch/kernels/portable/cpu/internal/promote.h>
#include <executorch/kernels/portable/cpu/internal/scalar_cast.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native::optimized {
namespace {

/// Elements of half types that are calculated with at a time.
constexpr size_t kChunk = 512;

bool is_half(ScalarType dtype) {
  return dtype == ScalarType::Half || dtype == ScalarType::BFloat16;
}

const ConvertLoop* conversions_from(ScalarType dtype) {
  return simd->elementwise.convert[static_cast<size_t>(element_of(dtype))];
}

ConvertLoop conversion(ScalarType from, ScalarType to) {
  return conversions_from(from)[static_cast<size_t>(element_of(to))];
}

/// Whether a number beside elements of half types keeps the precision that these have no room for,
/// as in eager.
bool keeps_precision(Binary function) {
  return function == Binary::kMul || function == Binary::kDiv || function == Binary::kFloorDivide ||
         function == Binary::kTruncDivide;
}

/// The loop of a dtype other than Float; null if there is none.
TypedLoop typed_loop(ScalarType dtype, Binary function) {
  const Element element = element_of(dtype);
  return element == Element::kCount
             ? nullptr
             : simd->elementwise.typed[static_cast<size_t>(element)][static_cast<size_t>(function)];
}

bool has_loop(ScalarType dtype, Binary function) {
  return dtype == ScalarType::Float || typed_loop(dtype, function) != nullptr;
}

/// Calls `run(loop)` with the `loop(a, b, n, out)` of a dtype that has one.
template <typename Run>
void run_loop(ScalarType dtype, Binary function, Operands operands, const Run& run) {
  if (dtype == ScalarType::Float) {
    const BinaryLoop loop =
        simd->elementwise.binary[static_cast<size_t>(function)][static_cast<size_t>(operands.form)];
    run([=](const char* a, const char* b, size_t n, char* out) {
      loop(reinterpret_cast<const float*>(a), reinterpret_cast<const float*>(b), n, operands.alpha,
           reinterpret_cast<float*>(out));
    });
    return;
  }
  const TypedLoop loop = typed_loop(dtype, function);
  run([=](const char* a, const char* b, size_t n, char* out) {
    Operands line = operands;
    line.a = a;
    line.b = b;
    loop(line, n, out);
  });
}

/// Runs `loop(x, n, results)` on parts of tensors in one memory order.
/// @returns false if they are not; nothing was written then.
template <typename Loop>
bool run_in_order(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out, const Loop& loop) {
  if (!util::resize_like(ctx, in, out)) {
    return true;
  }
  if (!util::same_layout(in, out)) {
    return false;
  }
  const char* x = static_cast<const char*>(in.const_data_ptr());
  char* results = static_cast<char*>(out.mutable_data_ptr());
  const size_t size = static_cast<size_t>(in.element_size());
  const size_t out_size = static_cast<size_t>(out.element_size());
  util::parallel_for(static_cast<size_t>(in.numel()), kElementGrain, [&](size_t begin, size_t end) {
    loop(x + begin * size, end - begin, results + begin * out_size);
  });
  return true;
}

}  // namespace

Element element_of(ScalarType dtype) {
  switch (dtype) {
    case ScalarType::Byte:
      return Element::kByte;
    case ScalarType::Char:
      return Element::kChar;
    case ScalarType::Int:
      return Element::kInt;
    case ScalarType::Long:
      return Element::kLong;
    case ScalarType::Half:
      return Element::kHalf;
    case ScalarType::Float:
      return Element::kFloat;
    case ScalarType::Double:
      return Element::kDouble;
    case ScalarType::Bool:
      return Element::kBool;
    case ScalarType::BFloat16:
      return Element::kBFloat16;
    default:
      return Element::kCount;
  }
}

bool write_number(const Scalar& value, ScalarType dtype, char* to) {
  const util::ScalarValue number(value);
  if (util::is_floating(dtype)) {
    const util::Compute c = util::Compute::kDouble;
    util::store(c, dtype, &number.d, 1, to);
    return true;
  }
  // Integers that the dtype has no room for are an error, which the portable kernels describe.
  const util::Compute c = util::Compute::kInt64;
  util::store(c, dtype, &number.i, 1, to);
  int64_t stored = 0;
  util::load(c, dtype, to, 1, 1, &stored);
  return stored == number.i;
}

bool run_unary(KernelRuntimeContext& ctx, Unary function, const Tensor& in, Tensor& out,
               const float* parameters) {
  const ScalarType dtype = in.scalar_type();
  if (dtype != out.scalar_type() || (dtype != ScalarType::Float && !is_half(dtype))) {
    return false;
  }
  const UnaryLoop loop = simd->elementwise.unary[static_cast<size_t>(function)];
  if (dtype == ScalarType::Float) {
    return run_in_order(ctx, in, out, [=](const char* x, size_t n, char* results) {
      loop(reinterpret_cast<const float*>(x), n, parameters, reinterpret_cast<float*>(results));
    });
  }
  const ConvertLoop widen = conversion(dtype, ScalarType::Float);
  const ConvertLoop narrow = conversion(ScalarType::Float, dtype);
  return run_in_order(ctx, in, out, [=](const char* x, size_t n, char* results) {
    float chunk[kChunk];
    for (size_t i = 0; i < n; i += kChunk) {
      const size_t count = n - i < kChunk ? n - i : kChunk;
      widen(x + i * sizeof(uint16_t), count, chunk);
      loop(chunk, count, parameters, chunk);
      narrow(chunk, count, results + i * sizeof(uint16_t));
    }
  });
}

bool run_binary(KernelRuntimeContext& ctx, Binary function, const Tensor& a, const Tensor& b,
                Tensor& out, float alpha) {
  const ScalarType dtype = out.scalar_type();
  if (a.scalar_type() != dtype || b.scalar_type() != dtype || !has_loop(dtype, function)) {
    return false;
  }
  if (!util::resize_broadcast(ctx, a, b, out) || out.numel() == 0) {
    return true;
  }
  const Lines lines(a, b, out);
  const size_t size = static_cast<size_t>(out.element_size());
  if (!are_lines(lines, size)) {
    return false;
  }
  const Elements elements = {static_cast<const char*>(a.const_data_ptr()),
                             static_cast<const char*>(b.const_data_ptr()),
                             static_cast<char*>(out.mutable_data_ptr()), size, size};
  run_loop(dtype, function, {nullptr, nullptr, loop_form(lines), false, alpha},
           [&](const auto& loop) {
             run_lines(lines, static_cast<size_t>(out.numel()), elements, loop);
           });
  return true;
}

bool run_binary(KernelRuntimeContext& ctx, Binary function, const Tensor& a, const Scalar& b,
                Tensor& out, float alpha) {
  const ScalarType dtype = a.scalar_type();
  if (out.scalar_type() != dtype || util::result_dtype(a, b) != dtype ||
      !has_loop(dtype, function)) {
    return false;
  }
  char number[sizeof(int64_t)];
  // Loops for half types take a float.
  const Scalar value = is_half(dtype) && !keeps_precision(function)
                           ? Scalar(util::as_element(b, dtype).as<double>())
                           : b;
  if (!write_number(value, is_half(dtype) ? ScalarType::Float : dtype, number)) {
    return false;
  }
  const Operands operands = {nullptr, nullptr, Form::kRightSingle, is_half(dtype), alpha};
  bool done = false;
  run_loop(dtype, function, operands, [&](const auto& loop) {
    done = run_in_order(
        ctx, a, out, [&](const char* x, size_t n, char* results) { loop(x, number, n, results); });
  });
  return done;
}

bool run_binary(KernelRuntimeContext& ctx, Binary function, const Scalar& a, const Tensor& b,
                Tensor& out) {
  if (b.scalar_type() != ScalarType::Float || out.scalar_type() != ScalarType::Float ||
      util::result_dtype(b, a) != ScalarType::Float) {
    return false;
  }
  const BinaryLoop loop =
      simd->elementwise
          .binary[static_cast<size_t>(function)][static_cast<size_t>(Form::kLeftSingle)];
  const float left = util::ScalarValue(a).as<float>();
  return run_in_order(ctx, b, out, [&](const char* right, size_t n, char* results) {
    loop(&left, reinterpret_cast<const float*>(right), n, 0, reinterpret_cast<float*>(results));
  });
}

bool run_sign(KernelRuntimeContext& ctx, Sign function, const Tensor& in, Tensor& out) {
  const Element element = element_of(in.scalar_type());
  if (in.scalar_type() != out.scalar_type() || element == Element::kCount) {
    return false;
  }
  const SignLoop loop =
      simd->elementwise.sign[static_cast<size_t>(element)][static_cast<size_t>(function)];
  if (loop == nullptr) {
    return false;
  }
  return run_in_order(ctx, in, out, loop);
}

bool run_clamp(KernelRuntimeContext& ctx, const Tensor& in, int64_t low, int64_t high,
               Tensor& out) {
  const ScalarType dtype = in.scalar_type();
  alignas(int64_t) char bounds[2][sizeof(int64_t)];
  if (dtype != out.scalar_type() || util::is_floating(dtype) ||
      !has_loop(dtype, Binary::kMaximum) || !write_number(Scalar(low), dtype, bounds[0]) ||
      !write_number(Scalar(high), dtype, bounds[1])) {
    return false;
  }
  const ClampLoop loop = simd->elementwise.clamp[static_cast<size_t>(element_of(dtype))];
  return run_in_order(ctx, in, out, [&](const char* x, size_t n, char* results) {
    loop(x, n, bounds[0], bounds[1], results);
  });
}

bool run_convert(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  const Element from = element_of(in.scalar_type());
  const Element to = element_of(out.scalar_type());
  if (from == Element::kCount || to == Element::kCount || from == to) {
    return false;
  }
  return run_in_order(ctx, in, out, conversion(in.scalar_type(), out.scalar_type()));
}

}  // namespace torch::executor::native::optimized

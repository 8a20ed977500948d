#include <executorch/kernels/optimized/cpu/elementwise.h>
#include <executorch/kernels/optimized/cpu/simd.h>
#include <executorch/kernels/portable/cpu/util/parallel.h>
#include <executorch/kernels/portable/cpu/util/promote.h>
#include <executorch/kernels/portable/cpu/util/shape.h>

namespace torch::executor::native::optimized {
namespace {

/// The fewest elements that are worth a thread.
constexpr size_t kGrain = 16384;
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

/// One or two operands, line by line in the memory order of the output, which has no gaps.
/// Dimensions that can be stepped over as one are merged; 0 is the innermost.
struct Lines {
  size_t rank = 0;
  size_t size[util::kMaxRank] = {1};
  ptrdiff_t stride[2][util::kMaxRank] = {};

  Lines(const Tensor& a, const Tensor& b, const Tensor& out) {
    const size_t out_rank = static_cast<size_t>(out.dim());
    const auto order = out.dim_order();
    for (size_t k = out_rank; k-- > 0;) {
      const size_t d = order[k];
      const size_t length = static_cast<size_t>(out.size(static_cast<ssize_t>(d)));
      if (length != 1) {
        push(length, stride_of(a, d, out_rank), stride_of(b, d, out_rank));
      }
    }
    if (rank == 0) {
      push(1, 1, 1);
    }
  }

  /// True if the innermost dimension of each operand is contiguous, or one element for all of it.
  bool is_simple() const {
    const ptrdiff_t a = stride[0][0];
    const ptrdiff_t b = stride[1][0];
    return (a == 0 || a == 1) && (b == 0 || b == 1) && a + b != 0;
  }

  Form form() const {
    return stride[0][0] == 0   ? Form::kLeftSingle
           : stride[1][0] == 0 ? Form::kRightSingle
                               : Form::kBoth;
  }

  /// A line, by its index along each dimension, and where it begins in both operands.
  struct Place {
    size_t index[util::kMaxRank] = {};
    ptrdiff_t offset[2] = {};
  };

  Place place_of(size_t line) const {
    Place place;
    for (size_t d = 1; d < rank; ++d) {
      place.index[d] = line % size[d];
      for (size_t k = 0; k < 2; ++k) {
        place.offset[k] += static_cast<ptrdiff_t>(place.index[d]) * stride[k][d];
      }
      line /= size[d];
    }
    return place;
  }

  void next(Place& place) const {
    for (size_t d = 1; d < rank; ++d) {
      const bool done = ++place.index[d] == size[d];
      const ptrdiff_t steps = done ? 1 - static_cast<ptrdiff_t>(size[d]) : 1;
      place.offset[0] += steps * stride[0][d];
      place.offset[1] += steps * stride[1][d];
      if (!done) {
        return;
      }
      place.index[d] = 0;
    }
  }

 private:
  static ptrdiff_t stride_of(const Tensor& t, size_t d, size_t out_rank) {
    const size_t missing = out_rank - static_cast<size_t>(t.dim());
    const bool repeated = d < missing || t.size(static_cast<ssize_t>(d - missing)) == 1;
    return repeated ? 0 : t.strides()[d - missing];
  }

  void push(size_t length, ptrdiff_t a, ptrdiff_t b) {
    if (rank > 0) {
      const ptrdiff_t below = static_cast<ptrdiff_t>(size[rank - 1]);
      if (a == stride[0][rank - 1] * below && b == stride[1][rank - 1] * below) {
        size[rank - 1] *= length;
        return;
      }
    }
    size[rank] = length;
    stride[0][rank] = a;
    stride[1][rank] = b;
    ++rank;
  }
};

/// Calls `line(a, b, out, n)` with offsets for the lines, or parts of the only one.
template <typename Line>
void for_each_line(const Lines& lines, size_t total, const Line& line) {
  const size_t length = lines.size[0];
  if (lines.rank == 1) {
    util::parallel_for(total, kGrain, [&](size_t begin, size_t end) {
      const ptrdiff_t at = static_cast<ptrdiff_t>(begin);
      line(at * lines.stride[0][0], at * lines.stride[1][0], at, end - begin);
    });
    return;
  }
  util::parallel_for(total / length, 1 + kGrain / length, [&](size_t begin, size_t end) {
    Lines::Place place = lines.place_of(begin);
    for (size_t i = begin; i < end; ++i) {
      line(place.offset[0], place.offset[1], static_cast<ptrdiff_t>(i * length), length);
      lines.next(place);
    }
  });
}

/// Elements of a line that is written out several times, so that short lines become long ones.
constexpr size_t kRepeated = 2048;

/// The operand that is one short line for each of the other's, or 2 if none is.
size_t repeated_operand(const Lines& lines) {
  if (lines.rank != 2 || lines.form() != Form::kBoth || lines.size[0] > kRepeated / 8) {
    return 2;
  }
  const ptrdiff_t dense = static_cast<ptrdiff_t>(lines.size[0]);
  for (size_t k = 0; k < 2; ++k) {
    if (lines.stride[k][1] == 0 && lines.stride[1 - k][1] == dense) {
      return k;
    }
  }
  return 2;
}

/// Runs `loop` on some lines at a time, of which one operand has but one.
template <typename T, typename Loop>
void run_repeated(const Lines& lines, size_t repeated, const T* left, const T* right, T* results,
                  const Loop& loop) {
  const size_t length = lines.size[0];
  const size_t copies = kRepeated / length;
  util::parallel_for(lines.size[1], 1 + kGrain / length, [&](size_t begin, size_t end) {
    T lines_out[kRepeated];
    const T* line = repeated == 0 ? left : right;
    const size_t used = copies < end - begin ? copies : end - begin;
    for (size_t i = 0; i < used * length; ++i) {
      lines_out[i] = line[i % length];
    }
    for (size_t i = begin; i < end; i += copies) {
      const size_t n = (end - i < copies ? end - i : copies) * length;
      const size_t at = i * length;
      loop(repeated == 0 ? lines_out : left + at, repeated == 1 ? lines_out : right + at, n,
           results + at);
    }
  });
}

/// A function of two lines of a half type, by way of floats.
struct HalfLine {
  ConvertLoop widen;
  ConvertLoop narrow;
  BinaryLoop loop;
  Form form;
  float alpha;

  void run(const uint16_t* a, const uint16_t* b, size_t n, uint16_t* out) const {
    float left[kChunk];
    float right[kChunk];
    if (form == Form::kLeftSingle) {
      widen(a, 1, left);
    }
    if (form == Form::kRightSingle) {
      widen(b, 1, right);
    }
    for (size_t begin = 0; begin < n; begin += kChunk) {
      const size_t count = n - begin < kChunk ? n - begin : kChunk;
      float results[kChunk];
      if (form != Form::kLeftSingle) {
        widen(a + begin, count, left);
      }
      if (form != Form::kRightSingle) {
        widen(b + begin, count, right);
      }
      loop(left, right, count, alpha, results);
      narrow(results, count, out + begin);
    }
  }
};

/// Runs `loop` on elements of T.
template <typename T, typename Loop>
void run_lines(const Lines& lines, const Tensor& a, const Tensor& b, Tensor& out,
               const Loop& loop) {
  const T* left = static_cast<const T*>(a.const_data_ptr());
  const T* right = static_cast<const T*>(b.const_data_ptr());
  T* results = static_cast<T*>(out.mutable_data_ptr());
  const size_t repeated = repeated_operand(lines);
  if (repeated < 2) {
    run_repeated(lines, repeated, left, right, results, loop);
    return;
  }
  for_each_line(lines, static_cast<size_t>(out.numel()),
                [&](ptrdiff_t i, ptrdiff_t j, ptrdiff_t to, size_t n) {
                  loop(left + i, right + j, n, results + to);
                });
}

/// The loop for integers, if there is one.
IntegerLoop integer_loop(ScalarType dtype, Binary function, Form form) {
  const size_t index = static_cast<size_t>(function);
  if (index >= kIntegerBinaryCount) {
    return nullptr;
  }
  const size_t column = static_cast<size_t>(form);
  return dtype == ScalarType::Int    ? simd->elementwise.int_binary[index][column]
         : dtype == ScalarType::Long ? simd->elementwise.long_binary[index][column]
                                     : nullptr;
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

bool run_unary(KernelRuntimeContext& ctx, Unary function, const Tensor& in, Tensor& out,
               const float* parameters) {
  const ScalarType dtype = in.scalar_type();
  if (dtype != out.scalar_type() || (dtype != ScalarType::Float && !is_half(dtype))) {
    return false;
  }
  if (!util::resize_like(ctx, in, out)) {
    return true;
  }
  if (!util::same_layout(in, out)) {
    return false;
  }
  const UnaryLoop loop = simd->elementwise.unary[static_cast<size_t>(function)];
  const size_t total = static_cast<size_t>(in.numel());
  if (dtype == ScalarType::Float) {
    const float* x = static_cast<const float*>(in.const_data_ptr());
    float* results = static_cast<float*>(out.mutable_data_ptr());
    util::parallel_for(total, kGrain, [=](size_t begin, size_t end) {
      loop(x + begin, end - begin, parameters, results + begin);
    });
    return true;
  }
  const ConvertLoop widen = conversion(dtype, ScalarType::Float);
  const ConvertLoop narrow = conversion(ScalarType::Float, dtype);
  const uint16_t* x = static_cast<const uint16_t*>(in.const_data_ptr());
  uint16_t* results = static_cast<uint16_t*>(out.mutable_data_ptr());
  util::parallel_for(total, kGrain, [=](size_t begin, size_t end) {
    float chunk[kChunk];
    for (size_t i = begin; i < end; i += kChunk) {
      const size_t count = end - i < kChunk ? end - i : kChunk;
      widen(x + i, count, chunk);
      loop(chunk, count, parameters, chunk);
      narrow(chunk, count, results + i);
    }
  });
  return true;
}

bool run_binary(KernelRuntimeContext& ctx, Binary function, const Tensor& a, const Tensor& b,
                Tensor& out, float alpha) {
  const ScalarType dtype = out.scalar_type();
  const bool is_integer = dtype == ScalarType::Int || dtype == ScalarType::Long;
  if (a.scalar_type() != dtype || b.scalar_type() != dtype ||
      (dtype != ScalarType::Float && !is_half(dtype) && !is_integer)) {
    return false;
  }
  if (!util::resize_broadcast(ctx, a, b, out) || out.numel() == 0) {
    return true;
  }
  const Lines lines(a, b, out);
  // Short lines cost more than they save.
  constexpr size_t kShort = 16;
  if (!lines.is_simple() ||
      (lines.rank > 1 && lines.size[0] < kShort && repeated_operand(lines) == 2)) {
    return false;
  }
  const Form form = lines.form();
  if (is_integer) {
    const IntegerLoop loop = integer_loop(dtype, function, form);
    if (loop == nullptr) {
      return false;
    }
    if (dtype == ScalarType::Int) {
      run_lines<int32_t>(lines, a, b, out, loop);
    } else {
      run_lines<int64_t>(lines, a, b, out, loop);
    }
    return true;
  }
  const BinaryLoop loop =
      simd->elementwise.binary[static_cast<size_t>(function)][static_cast<size_t>(form)];
  if (is_half(dtype)) {
    const HalfLine half = {conversion(dtype, ScalarType::Float),
                           conversion(ScalarType::Float, dtype), loop, form, alpha};
    run_lines<uint16_t>(lines, a, b, out,
                        [&](const uint16_t* left, const uint16_t* right, size_t n,
                            uint16_t* results) { half.run(left, right, n, results); });
    return true;
  }
  run_lines<float>(lines, a, b, out,
                   [=](const float* left, const float* right, size_t n, float* results) {
                     loop(left, right, n, alpha, results);
                   });
  return true;
}

bool run_binary(KernelRuntimeContext& ctx, Binary function, const Tensor& a, const Scalar& b,
                Tensor& out, float alpha) {
  if (a.scalar_type() != ScalarType::Float || out.scalar_type() != ScalarType::Float ||
      util::result_dtype(a, b) != ScalarType::Float) {
    return false;
  }
  if (!util::resize_like(ctx, a, out)) {
    return true;
  }
  if (!util::same_layout(a, out)) {
    return false;
  }
  const BinaryLoop loop =
      simd->elementwise
          .binary[static_cast<size_t>(function)][static_cast<size_t>(Form::kRightSingle)];
  const float right = util::ScalarValue(b).as<float>();
  const float* left = static_cast<const float*>(a.const_data_ptr());
  float* results = static_cast<float*>(out.mutable_data_ptr());
  const size_t total = static_cast<size_t>(a.numel());
  util::parallel_for(total, kGrain, [=](size_t begin, size_t end) {
    loop(left + begin, &right, end - begin, alpha, results + begin);
  });
  return true;
}

bool run_convert(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  const Element from = element_of(in.scalar_type());
  const Element to = element_of(out.scalar_type());
  if (from == Element::kCount || to == Element::kCount || from == to) {
    return false;
  }
  if (!util::resize_like(ctx, in, out)) {
    return true;
  }
  if (!util::same_layout(in, out)) {
    return false;
  }
  const ConvertLoop loop = conversion(in.scalar_type(), out.scalar_type());
  const char* x = static_cast<const char*>(in.const_data_ptr());
  char* results = static_cast<char*>(out.mutable_data_ptr());
  const size_t from_size = static_cast<size_t>(in.element_size());
  const size_t to_size = static_cast<size_t>(out.element_size());
  util::parallel_for(static_cast<size_t>(in.numel()), kGrain, [=](size_t begin, size_t end) {
    loop(x + begin * from_size, end - begin, results + begin * to_size);
  });
  return true;
}

}  // namespace torch::executor::native::optimized

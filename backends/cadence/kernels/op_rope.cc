#include <executorch/backends/cadence/kernels/common.h>
#include <executorch/kernels/portable/cpu/internal/element.h>

// Rotations of pairs along the last dimension by angles of the position: [1, sequence, heads,
// size].
namespace impl::generic::native {

namespace util = torch::executor::native::util;

namespace {

/// Sines and cosines, [positions, size / 2], and which row each element of the sequence reads.
struct Angles {
  const Tensor& sin;
  const Tensor& cos;
  const optional<Tensor>& rows;

  bool check(KernelRuntimeContext& ctx, const Tensor& input) const {
    const ssize_t half = input.size(3) / 2;
    return require_plain(ctx, sin, ScalarType::Float) &&
           require_plain(ctx, cos, ScalarType::Float) &&
           require(ctx, sin.dim() == 2 && same_shape(sin, cos) && sin.size(1) == half,
                   "sines and cosines are [positions, size / 2]") &&
           (rows.has_value()
                ? require_rows(ctx, input.size(1))
                : require(ctx, sin.size(0) == input.size(1), "one angle for each position"));
  }

  /// The row for an element of the sequence.
  int64_t row(ssize_t at) const {
    return rows.has_value() ? util::get_element<int64_t>(util::View(*rows), at) : at;
  }

 private:
  bool require_rows(KernelRuntimeContext& ctx, ssize_t sequence) const {
    const ScalarType dtype = rows->scalar_type();
    if (!require(ctx, dtype == ScalarType::Long || dtype == ScalarType::Int,
                 "positions are Int or Long") ||
        !require_plain(ctx, *rows, dtype) ||
        !require(ctx, rows->numel() == sequence, "one position for each element")) {
      return false;
    }
    for (ssize_t i = 0; i < sequence; ++i) {
      if (!require(ctx, row(i) >= 0 && row(i) < sin.size(0), "a position is out of range")) {
        return false;
      }
    }
    return true;
  }
};

/// Where the two elements of a pair stand.
struct Pairs {
  ptrdiff_t step;      // from one pair to the next
  ptrdiff_t distance;  // from the first element to the second
};
constexpr Pairs kNeighbours = {2, 1};

Pairs halves(const Tensor& input) { return {1, static_cast<ptrdiff_t>(input.size(3) / 2)}; }

bool check(KernelRuntimeContext& ctx, const Tensor& input, const Angles& angles, Tensor& out) {
  return require(ctx, input.dim() == 4 && input.size(0) == 1 && input.size(3) % 2 == 0,
                 "the input is [1, sequence, heads, size] of an even size") &&
         require_plain(ctx, input, input.scalar_type()) &&
         require_plain(ctx, out, input.scalar_type()) && angles.check(ctx, input) &&
         resize_like(ctx, input, out);
}

/// Calls `read(index)` and `write(index, value)` for the elements of all pairs.
template <typename Read, typename Write>
void rotate(const Tensor& input, const Angles& angles, const Pairs& pairs, Read&& read,
            Write&& write) {
  const auto size = static_cast<ptrdiff_t>(input.size(3));
  ptrdiff_t head = 0;
  for (ssize_t at = 0; at < input.size(1); ++at) {
    const ptrdiff_t row = static_cast<ptrdiff_t>(angles.row(at)) * (size / 2);
    const float* const sin = angles.sin.const_data_ptr<float>() + row;
    const float* const cos = angles.cos.const_data_ptr<float>() + row;
    for (ssize_t h = 0; h < input.size(2); ++h, head += size) {
      for (ptrdiff_t i = 0; i < size / 2; ++i) {
        const ptrdiff_t one = head + i * pairs.step;
        const ptrdiff_t two = one + pairs.distance;
        const float first = read(one);
        const float second = read(two);
        write(one, first * cos[i] - second * sin[i]);
        write(two, first * sin[i] + second * cos[i]);
      }
    }
  }
}

Tensor& rotate_floats(KernelRuntimeContext& ctx, const Tensor& input, const Angles& angles,
                      bool neighbours, Tensor& out) {
  if (require_plain(ctx, input, ScalarType::Float) && check(ctx, input, angles, out)) {
    const float* const from = input.const_data_ptr<float>();
    float* const to = out.mutable_data_ptr<float>();
    rotate(
        input, angles, neighbours ? kNeighbours : halves(input),
        [&](ptrdiff_t i) { return from[i]; }, [&](ptrdiff_t i, float value) { to[i] = value; });
  }
  return out;
}

}  // namespace

Tensor& rope_out(KernelRuntimeContext& ctx, const Tensor& input, const Tensor& sin_tensor,
                 const Tensor& cos_tensor, const optional<Tensor>& pos, Tensor& out) {
  return rotate_floats(ctx, input, {sin_tensor, cos_tensor, pos}, true, out);
}

Tensor& rope_rotate_stacked_halves_out(KernelRuntimeContext& ctx, const Tensor& input,
                                       const Tensor& sin_tensor, const Tensor& cos_tensor,
                                       const optional<Tensor>& pos, Tensor& out) {
  return rotate_floats(ctx, input, {sin_tensor, cos_tensor, pos}, false, out);
}

Tensor& quantized_rope_rotate_stacked_halves_out(KernelRuntimeContext& ctx, const Tensor& input,
                                                 const Tensor& sin_tensor, const Tensor& cos_tensor,
                                                 const optional<Tensor>& pos, double in_scale,
                                                 int64_t in_zero_point, double out_scale,
                                                 int64_t out_zero_point, Tensor& out) {
  const ScalarType dtype = input.scalar_type();
  const Angles angles = {sin_tensor, cos_tensor, pos};
  Quant before;
  Quant behind;
  if (!require_activation(ctx, input) || !read_quant(ctx, dtype, in_scale, in_zero_point, before) ||
      !read_quant(ctx, dtype, out_scale, out_zero_point, behind) ||
      !check(ctx, input, angles, out)) {
    return out;
  }
  with_activation(dtype, [&](auto zero) {
    using T = decltype(zero);
    const T* const from = input.const_data_ptr<T>();
    T* const to = out.mutable_data_ptr<T>();
    rotate(
        input, angles, halves(input), [&](ptrdiff_t i) { return before.real(from[i]); },
        [&](ptrdiff_t i, float value) {
          to[i] = to_integer<T>(value * behind.inverse, behind.zero_point);
        });
  });
  return out;
}

}  // namespace impl::generic::native

#include <executorch/kernels/portable/cpu/internal/lines.h>
#include <executorch/kernels/quantized/cpu/util/affine.h>

namespace torch::executor::native {
namespace {

/// Rows of packed weights of 2, 4 or 8 bits, with a scale and a zero point for each group of a row.
struct Table {
  const Tensor& weight;
  const Tensor& scales;
  const Tensor* zero_points;
  size_t bits;
  size_t columns;  // unpacked
  size_t groups;   // of a row

  /// Element `i` of a row. Four bits: the first of two is the high half; two bits: the first of
  /// four is the lowest. Packed values are stored without a sign.
  int32_t get(const uint8_t* row, size_t i) const {
    switch (bits) {
      case 2:
        return ((row[i / 4] >> (2 * (i % 4))) & 3) - 2;
      case 4:
        return ((i % 2 == 0 ? row[i / 2] >> 4 : row[i / 2] & 15)) - 8;
      default:
        return weight.scalar_type() == ScalarType::Char
                   ? static_cast<int32_t>(static_cast<int8_t>(row[i]))
                   : static_cast<int32_t>(row[i]);
    }
  }
};

bool check(KernelRuntimeContext& ctx, const Table& table, int64_t quant_min, int64_t quant_max,
           const Tensor& indices, const optional<ScalarType>& dtype, const Tensor& out) {
  const ScalarType weight = table.weight.scalar_type();
  const bool packed = table.bits < 8;
  return util::require(ctx, weight == ScalarType::Byte || (!packed && weight == ScalarType::Char),
                       "the weight must be Byte, or Char if it is not packed") &&
         util::require(ctx,
                       table.bits == 8 || (quant_min == -(1 << (table.bits - 1)) &&
                                           quant_max == (1 << (table.bits - 1)) - 1),
                       "quant_min and quant_max must be the range of the packed integers") &&
         util::require(ctx, quant_min <= quant_max, "quant_min exceeds quant_max") &&
         util::require(ctx, table.weight.dim() == 2 && util::is_contiguous(table.weight),
                       "the weight must be a contiguous matrix") &&
         util::require_floating(ctx, table.scales) &&
         util::require(ctx,
                       (table.scales.dim() == 1 || table.scales.dim() == 2) &&
                           table.scales.size(0) == table.weight.size(0) &&
                           util::is_contiguous(table.scales) && table.groups > 0 &&
                           table.columns % table.groups == 0,
                       "the scales must be [rows] or [rows, groups], and groups divide a row") &&
         (table.zero_points == nullptr ||
          (util::require_real(ctx, *table.zero_points) &&
           util::require(ctx,
                         util::same_shape(*table.zero_points, table.scales) &&
                             util::is_contiguous(*table.zero_points),
                         "the zero points must have the shape of the scales"))) &&
         util::require(ctx, util::is_index_dtype(indices.scalar_type()),
                       "the indices must be Int or Long") &&
         util::require(ctx, util::is_contiguous(indices), "the indices must be contiguous") &&
         util::require_floating(ctx, out) &&
         util::require(ctx, !dtype.has_value() || *dtype == out.scalar_type(),
                       "dtype must be the output's") &&
         util::require(ctx, static_cast<size_t>(indices.dim()) < util::kMaxRank,
                       "the rank is at its limit");
}

/// Writes one row, dequantized.
void write_row(const Table& table, size_t row, const util::View& out, ptrdiff_t at) {
  const size_t row_bytes = table.columns * table.bits / 8;
  const uint8_t* from =
      static_cast<const uint8_t*>(table.weight.const_data_ptr()) + row * row_bytes;
  const size_t size = table.columns / table.groups;
  constexpr size_t kMost = util::kChunkBytes / sizeof(float);
  float buffer[kMost];
  for (size_t g = 0; g < table.groups; ++g) {
    const ptrdiff_t group = static_cast<ptrdiff_t>(row * table.groups + g);
    const float scale = util::get_element<float>(util::View(table.scales), group);
    const float zero_point = table.zero_points == nullptr
                                 ? 0.0f
                                 : util::get_element<float>(util::View(*table.zero_points), group);
    for (size_t done = 0; done < size; done += kMost) {
      const size_t n = size - done < kMost ? size - done : kMost;
      for (size_t i = 0; i < n; ++i) {
        const float q = static_cast<float>(table.get(from, g * size + done + i));
        buffer[i] = (q - zero_point) * scale;
      }
      util::store(util::Compute::kFloat, out.dtype, buffer, n,
                  util::element_at(out, at + static_cast<ptrdiff_t>(g * size + done)));
    }
  }
}

Tensor& embed(KernelRuntimeContext& ctx, size_t bits, const Tensor& weight, const Tensor& scales,
              const optional<Tensor>& zero_points, int64_t quant_min, int64_t quant_max,
              const Tensor& indices, const optional<ScalarType>& dtype, Tensor& out) {
  const size_t width = weight.dim() == 2 ? static_cast<size_t>(weight.size(1)) : 0;
  const size_t groups = scales.dim() == 2 ? static_cast<size_t>(scales.size(1)) : 1;
  const Table table = {
      weight, scales, zero_points.has_value() ? &*zero_points : nullptr, bits, width * (8 / bits),
      groups};
  if (!check(ctx, table, quant_min, quant_max, indices, dtype, out)) {
    return out;
  }
  util::Shape shape(indices);
  shape.push(static_cast<int64_t>(table.columns));
  if (!util::require(ctx, table.columns <= INT32_MAX, "a row is too long") ||
      !util::resize(ctx, shape, out) ||
      !util::require(ctx, util::is_contiguous(out), "the output must be contiguous")) {
    return out;
  }
  const util::View target(out);
  for (ssize_t i = 0; i < indices.numel(); ++i) {
    const int64_t index = util::read_index(indices, i);
    if (!util::require(ctx, index >= 0 && index < weight.size(0), "an index is out of range")) {
      return out;
    }
    write_row(table, static_cast<size_t>(index), target, i * static_cast<ptrdiff_t>(table.columns));
  }
  return out;
}

}  // namespace

#define DEFINE_EMBEDDING(name, bits)                                                               \
  Tensor& name##_out(KernelRuntimeContext& ctx, const Tensor& weight, const Tensor& weight_scales, \
                     const optional<Tensor>& weight_zero_points, int64_t weight_quant_min,         \
                     int64_t weight_quant_max, const Tensor& indices, Tensor& out) {               \
    return embed(ctx, bits, weight, weight_scales, weight_zero_points, weight_quant_min,           \
                 weight_quant_max, indices, {}, out);                                              \
  }                                                                                                \
  Tensor& name##_dtype_out(                                                                        \
      KernelRuntimeContext& ctx, const Tensor& weight, const Tensor& weight_scales,                \
      const optional<Tensor>& weight_zero_points, int64_t weight_quant_min,                        \
      int64_t weight_quant_max, const Tensor& indices, optional<ScalarType> dtype, Tensor& out) {  \
    return embed(ctx, bits, weight, weight_scales, weight_zero_points, weight_quant_min,           \
                 weight_quant_max, indices, dtype, out);                                           \
  }

DEFINE_EMBEDDING(quantized_embedding_byte, 8)
DEFINE_EMBEDDING(quantized_embedding_4bit, 4)
DEFINE_EMBEDDING(quantized_embedding_2bit, 2)

#undef DEFINE_EMBEDDING

}  // namespace torch::executor::native

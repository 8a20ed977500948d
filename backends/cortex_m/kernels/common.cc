#include <executorch/backends/cortex_m/kernels/common.h>

namespace cortex_m::native {

namespace {

/// Whether memory has the order n, h, w, c; dimensions of size 1 do not count.
bool is_channels_last(const Tensor& tensor) {
  constexpr ssize_t kOrder[] = {1, 3, 2, 0};
  int64_t expected = 1;
  for (const ssize_t d : kOrder) {
    if (tensor.size(d) != 1 && tensor.strides()[d] != expected) {
      return false;
    }
    expected *= tensor.size(d);
  }
  return true;
}

bool has_layout(const Tensor& tensor, Layout layout) {
  if (tensor.numel() == 0) {
    return true;
  }
  return layout == Layout::kNhwc ? is_contiguous(tensor) : is_channels_last(tensor);
}

bool require_type(KernelRuntimeContext& ctx, const Tensor& tensor, ScalarType type) {
  return type == ScalarType::Char ? require_int8(ctx, tensor)
                                  : require_integers<int16_t>(ctx, tensor);
}

}  // namespace

bool require_int8(KernelRuntimeContext& ctx, const Tensor& tensor) {
  return require(ctx, tensor.scalar_type() == ScalarType::Char, "the tensor must be Char");
}

bool read_images(KernelRuntimeContext& ctx, const Tensor& tensor, Layout layout, Images& images,
                 ScalarType type) {
  if (!require_type(ctx, tensor, type) || !require(ctx, tensor.dim() == 4, "images have rank 4") ||
      !require(ctx, has_layout(tensor, layout),
               layout == Layout::kNhwc ? "images [n, h, w, c] must be contiguous"
                                       : "images must be in the memory format channels_last")) {
    return false;
  }
  const bool nhwc = layout == Layout::kNhwc;
  images.batch = static_cast<int32_t>(tensor.size(0));
  images.height = static_cast<int32_t>(tensor.size(nhwc ? 1 : 2));
  images.width = static_cast<int32_t>(tensor.size(nhwc ? 2 : 3));
  images.channels = static_cast<int32_t>(tensor.size(nhwc ? 3 : 1));
  images.data = static_cast<const int8_t*>(tensor.const_data_ptr());
  return true;
}

bool write_images(KernelRuntimeContext& ctx, const Images& like, Layout layout, Tensor& out,
                  int8_t*& data, ScalarType type) {
  const bool nhwc = layout == Layout::kNhwc;
  const int64_t sizes[] = {like.batch, nhwc ? like.height : like.channels,
                           nhwc ? like.width : like.height, nhwc ? like.channels : like.width};
  if (!require_type(ctx, out, type) || !require(ctx, out.dim() == 4, "images have rank 4") ||
      !resize(ctx, IntArrayRef(sizes, 4), out) ||
      !require(ctx, has_layout(out, layout),
               "the output must be channels last in memory, as the input is")) {
    return false;
  }
  data = static_cast<int8_t*>(out.mutable_data_ptr());
  return true;
}

bool read_pair(KernelRuntimeContext& ctx, IntArrayRef list, int32_t least, int32_t (&pair)[2]) {
  constexpr int64_t kMost = 1 << 15;
  if (!require(ctx, list.size() == 1 || list.size() == 2, "one number or two are needed")) {
    return false;
  }
  const int64_t first = list[0];
  const int64_t second = list[list.size() - 1];
  if (!require(ctx, first >= least && second >= least && first <= kMost && second <= kMost,
               "strides, dilations and kernels begin at 1, paddings at 0, and end at 32,768")) {
    return false;
  }
  pair[0] = static_cast<int32_t>(first);
  pair[1] = static_cast<int32_t>(second);
  return true;
}

bool require_offset(KernelRuntimeContext& ctx, int64_t offset, ScalarType type) {
  if (type == ScalarType::Short) {
    return require(ctx, offset == 0, "zero points of int16 are 0");
  }
  return require(ctx, offset >= -128 && offset <= 128,
                 "zero points of int8 are between -128 and 127");
}

bool read_output(KernelRuntimeContext& ctx, int64_t offset, int64_t min, int64_t max,
                 Output& output, ScalarType type) {
  const int64_t most = most_of(type);
  if (!require_offset(ctx, offset, type) ||
      !require(ctx, min >= -most - 1 && max <= most && min <= max,
               "bounds must be those of the integers' type")) {
    return false;
  }
  output = {static_cast<int32_t>(offset), static_cast<int32_t>(min), static_cast<int32_t>(max)};
  return true;
}

bool read_factor(KernelRuntimeContext& ctx, int64_t multiplier, int64_t shift, Factor& factor) {
  if (!require(ctx,
               multiplier >= -INT32_MAX && multiplier <= INT32_MAX && shift >= -kMostShift &&
                   shift <= kMostShift,
               "a factor is a multiplier of 31 bits and a shift between -31 and 31")) {
    return false;
  }
  factor = {static_cast<int32_t>(multiplier), static_cast<int32_t>(shift)};
  return true;
}

bool read_factors(KernelRuntimeContext& ctx, const Tensor& multipliers, const Tensor& shifts,
                  size_t channels, Factors& factors) {
  const auto fits = [&](const Tensor& one) {
    return one.scalar_type() == ScalarType::Int && is_contiguous(one) &&
           static_cast<size_t>(one.numel()) == channels;
  };
  if (!require(ctx, fits(multipliers) && fits(shifts),
               "multipliers and shifts are Ints, one for each channel")) {
    return false;
  }
  factors = {multipliers.const_data_ptr<int32_t>(), shifts.const_data_ptr<int32_t>(), true};
  for (size_t c = 0; c < channels; ++c) {
    Factor factor;
    if (!read_factor(ctx, factors.multipliers[c], factors.shifts[c], factor)) {
      return false;
    }
  }
  return true;
}

bool require_wide(KernelRuntimeContext& ctx, const Factors& factors, size_t channels) {
  for (size_t c = 0; c < channels; ++c) {
    if (!require(ctx, factors.of(c).shift < kWideBits, "shifts to int16 are below 15")) {
      return false;
    }
  }
  return true;
}

bool read_bias(KernelRuntimeContext& ctx, const optional<Tensor>& bias, size_t channels,
               const int32_t*& values) {
  values = nullptr;
  if (!bias.has_value()) {
    return true;
  }
  if (!require(ctx,
               bias->scalar_type() == ScalarType::Int && is_contiguous(*bias) &&
                   static_cast<size_t>(bias->numel()) == channels,
               "the bias is Ints, one for each channel")) {
    return false;
  }
  values = bias->const_data_ptr<int32_t>();
  return true;
}

uint8_t* scratch_memory(KernelRuntimeContext& ctx, const Tensor* planned, size_t bytes) {
  if (planned != nullptr && planned->nbytes() >= bytes) {
    auto* const memory = static_cast<uint8_t*>(const_cast<void*>(planned->const_data_ptr()));
    if (memory != nullptr && reinterpret_cast<uintptr_t>(memory) % 8 == 0) {
      return memory;
    }
  }
  executorch::runtime::Result<void*> memory = ctx.allocate_temp(bytes, 8);
  if (!memory.ok()) {
    ET_LOG(Error,
           "A kernel works in %zu bytes: plan a scratch tensor of that size, or give the method a "
           "temporary allocator",
           bytes);
    ctx.fail(memory.error());
    return nullptr;
  }
  return static_cast<uint8_t*>(*memory);
}

}  // namespace cortex_m::native

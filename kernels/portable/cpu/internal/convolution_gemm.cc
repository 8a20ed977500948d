#include <cstring>

#include <executorch/kernels/portable/cpu/internal/convolution_impl.h>
#include <executorch/kernels/portable/cpu/internal/gemm.h>

namespace torch::executor::native::util {
namespace {

/// Neighbouring output pixels of one line.
struct Segment {
  size_t column;  // of the panel
  int64_t count;
  int64_t at[kMaxSpatial];  // the first pixel
};

/// The patches of one group's channels of one image.
struct Patches {
  const ConvolutionImage* image;
  const char* in;  // the group's first channel
  size_t taps;
  size_t channels;
  /// The inner dimension runs over the channels first (else over the taps first).
  bool channels_inner;
};

/// The position of a tap in the kernel.
struct Tap {
  int64_t at[kMaxSpatial];
};

Tap tap_at(const Convolution& conv, size_t index) {
  Tap tap;
  int64_t rest = static_cast<int64_t>(index);
  for (size_t d = kMaxSpatial; d-- > 0;) {
    tap.at[d] = rest % conv.dim[d].kernel;
    rest /= conv.dim[d].kernel;
  }
  return tap;
}

/// Cuts output pixels [n, n + columns) into segments. @returns their number.
size_t cut(const Convolution& conv, size_t n, size_t columns, Segment* segments) {
  int64_t at[kMaxSpatial];
  int64_t rest = static_cast<int64_t>(n);
  for (size_t d = kMaxSpatial; d-- > 0;) {
    at[d] = rest % conv.dim[d].out;
    rest /= conv.dim[d].out;
  }
  constexpr size_t kLast = kMaxSpatial - 1;
  size_t count = 0;
  for (size_t column = 0; column < columns; ++count) {
    Segment& segment = segments[count];
    const int64_t left = static_cast<int64_t>(columns - column);
    const int64_t line = conv.dim[kLast].out - at[kLast];
    segment.column = column;
    segment.count = line < left ? line : left;
    std::memcpy(segment.at, at, sizeof(at));
    column += static_cast<size_t>(segment.count);
    at[kLast] = 0;
    for (size_t d = kLast; d-- > 0;) {
      if (++at[d] < conv.dim[d].out) {
        break;
      }
      at[d] = 0;
    }
  }
  return count;
}

/// The input position that a tap reads for an output position; -1 if it is in the padding.
int64_t input_position(const ConvolutionDim& dim, bool transposed, int64_t out, int64_t tap) {
  int64_t in;
  if (transposed) {
    in = out + dim.padding - tap * dim.dilation;
    if (in < 0 || in % dim.stride != 0) {
      return -1;
    }
    in /= dim.stride;
  } else {
    in = out * dim.stride - dim.padding + tap * dim.dilation;
  }
  return in >= 0 && in < dim.in ? in : -1;
}

/// Copies `n` elements `stride` apart to `dst`, whose elements are `dst_stride` apart.
template <typename C>
void gather(const Patches& patches, const char* from, ptrdiff_t stride, size_t n, C* dst) {
  const ScalarType dtype = patches.image->in_dtype;
  if (sizeof(C) == 4 ? dtype == ScalarType::Float : dtype == ScalarType::Double) {
    const C* src = reinterpret_cast<const C*>(from);
    if (stride == 1) {
      std::memcpy(dst, src, n * sizeof(C));
      return;
    }
    for (size_t i = 0; i < n; ++i) {
      dst[i] = src[static_cast<ptrdiff_t>(i) * stride];
    }
  } else {
    const Compute c = arithmetic_compute(dtype);
    load(c, dtype, from, stride, n, dst);
  }
}

/// Packs one row of the panel: what one tap of one channel reads for a segment's pixels.
template <typename C>
void pack_segment(const Patches& patches, size_t channel, const Tap& tap, const Segment& segment,
                  C* row) {
  const Convolution& conv = *patches.image->conv;
  C* dst = row + segment.column;
  ptrdiff_t offset = static_cast<ptrdiff_t>(channel) * patches.image->in_channel_stride;
  for (size_t d = 0; d + 1 < kMaxSpatial; ++d) {
    const int64_t in = input_position(conv.dim[d], conv.transposed, segment.at[d], tap.at[d]);
    if (in < 0) {
      std::memset(dst, 0, static_cast<size_t>(segment.count) * sizeof(C));
      return;
    }
    offset += static_cast<ptrdiff_t>(in) * conv.dim[d].in_stride;
  }
  const ptrdiff_t size =
      static_cast<ptrdiff_t>(executorch::runtime::elementSize(patches.image->in_dtype));
  const ConvolutionDim& line = conv.dim[kMaxSpatial - 1];
  const int64_t first = segment.at[kMaxSpatial - 1];
  if (conv.transposed) {
    for (int64_t i = 0; i < segment.count; ++i) {
      const int64_t in = input_position(line, true, first + i, tap.at[kMaxSpatial - 1]);
      if (in < 0) {
        dst[i] = 0;
      } else {
        gather(patches, patches.in + (offset + static_cast<ptrdiff_t>(in) * line.in_stride) * size,
               1, 1, dst + i);
      }
    }
    return;
  }
  const int64_t start =
      first * line.stride - line.padding + tap.at[kMaxSpatial - 1] * line.dilation;
  const ValidRange valid = valid_range(start, line.stride, line.in, segment.count);
  for (int64_t i = 0; i < valid.begin; ++i) {
    dst[i] = 0;
  }
  if (valid.begin < valid.end) {
    const ptrdiff_t at = static_cast<ptrdiff_t>(start + valid.begin * line.stride);
    gather(patches, patches.in + (offset + at * line.in_stride) * size,
           line.in_stride * static_cast<ptrdiff_t>(line.stride),
           static_cast<size_t>(valid.end - valid.begin), dst + valid.begin);
  }
  for (int64_t i = valid.end; i < segment.count; ++i) {
    dst[i] = 0;
  }
}

/// Packs with the taps inside the channels, as a contiguous weight has them.
template <typename C>
void pack_taps_inner(const Patches& patches, size_t k, size_t depth, const Segment* segments,
                     size_t segment_count, C* panel) {
  size_t channel = k / patches.taps;
  size_t index = k % patches.taps;
  for (size_t i = 0; i < depth; ++i) {
    const Tap tap = tap_at(*patches.image->conv, index);
    for (size_t s = 0; s < segment_count; ++s) {
      pack_segment(patches, channel, tap, segments[s], panel + i * GemmTile<C>::kColumns);
    }
    if (++index == patches.taps) {
      index = 0;
      ++channel;
    }
  }
}

/// Packs with the channels inside the taps: a pixel's channels are a run of the input's memory.
template <typename C>
void pack_channels_inner(const Patches& patches, size_t k, size_t depth, const Segment* segments,
                         size_t segment_count, C* panel) {
  const Convolution& conv = *patches.image->conv;
  const ptrdiff_t size =
      static_cast<ptrdiff_t>(executorch::runtime::elementSize(patches.image->in_dtype));
  constexpr size_t kColumns = GemmTile<C>::kColumns;
  C line[GemmTile<C>::kDepth];
  for (size_t i = 0; i < depth;) {
    const size_t channel = (k + i) % patches.channels;
    const Tap tap = tap_at(conv, (k + i) / patches.channels);
    const size_t left = patches.channels - channel;
    const size_t run = left < depth - i ? left : depth - i;
    for (size_t s = 0; s < segment_count; ++s) {
      for (int64_t p = 0; p < segments[s].count; ++p) {
        ptrdiff_t offset = static_cast<ptrdiff_t>(channel) * patches.image->in_channel_stride;
        bool inside = true;
        for (size_t d = 0; d < kMaxSpatial; ++d) {
          const int64_t at = segments[s].at[d] + (d + 1 == kMaxSpatial ? p : 0);
          const int64_t in = input_position(conv.dim[d], conv.transposed, at, tap.at[d]);
          inside = inside && in >= 0;
          offset += static_cast<ptrdiff_t>(in) * conv.dim[d].in_stride;
        }
        C* column = panel + i * kColumns + segments[s].column + p;
        if (inside) {
          gather(patches, patches.in + offset * size, patches.image->in_channel_stride, run, line);
        }
        for (size_t j = 0; j < run; ++j) {
          column[j * kColumns] = inside ? line[j] : C(0);
        }
      }
    }
    i += run;
  }
}

template <typename C>
void pack(const void* self, size_t k, size_t depth, size_t n, size_t columns, void* panel_bytes) {
  const Patches& patches = *static_cast<const Patches*>(self);
  constexpr size_t kColumns = GemmTile<C>::kColumns;
  C* panel = static_cast<C*>(panel_bytes);
  if (columns < kColumns) {
    std::memset(panel, 0, depth * kColumns * sizeof(C));
  }
  Segment segments[kColumns];
  const size_t count = cut(*patches.image->conv, n, columns, segments);
  if (patches.channels_inner) {
    pack_channels_inner(patches, k, depth, segments, count, panel);
  } else {
    pack_taps_inner(patches, k, depth, segments, count, panel);
  }
}

/// The weight of one group of a transposed convolution, whose output channels are not its rows.
struct TransposedWeight {
  const Patches* patches;
  const char* data;
  ptrdiff_t in_stride;   // of input channels, elements
  ptrdiff_t out_stride;  // of output channels, elements
  ptrdiff_t tap_stride;  // of taps, elements
};

void load_transposed_row(const void* self, size_t row, size_t k, size_t depth, void* dst_bytes) {
  const TransposedWeight& weight = *static_cast<const TransposedWeight*>(self);
  const Patches& patches = *weight.patches;
  const ScalarType dtype = patches.image->in_dtype;
  const ptrdiff_t size = static_cast<ptrdiff_t>(executorch::runtime::elementSize(dtype));
  const Compute c = arithmetic_compute(dtype);
  char* dst = static_cast<char*>(dst_bytes);
  const size_t inner = patches.channels_inner ? patches.channels : patches.taps;
  for (size_t i = 0; i < depth;) {
    const size_t at_inner = (k + i) % inner;
    const size_t at_outer = (k + i) / inner;
    const size_t left = inner - at_inner;
    const size_t run = left < depth - i ? left : depth - i;
    const size_t channel = patches.channels_inner ? at_inner : at_outer;
    const size_t tap = patches.channels_inner ? at_outer : at_inner;
    const ptrdiff_t offset = static_cast<ptrdiff_t>(channel) * weight.in_stride +
                             static_cast<ptrdiff_t>(row) * weight.out_stride +
                             static_cast<ptrdiff_t>(tap) * weight.tap_stride;
    load(c, dtype, weight.data + offset * size,
         patches.channels_inner ? weight.in_stride : weight.tap_stride, run, dst);
    dst += run * compute_size(c);
    i += run;
  }
}

/// Distance between neighbouring taps; they are evenly spaced in every supported dim order.
ptrdiff_t tap_stride(const Convolution& conv) {
  for (size_t d = kMaxSpatial; d-- > 0;) {
    if (conv.dim[d].kernel > 1) {
      return conv.dim[d].weight_stride;
    }
  }
  return 1;
}

}  // namespace

void convolve_gemm(const ConvolutionImage& image) {
  const Convolution& conv = *image.conv;
  const ScalarType dtype = image.in_dtype;
  const ptrdiff_t size = static_cast<ptrdiff_t>(executorch::runtime::elementSize(dtype));
  const Compute c = arithmetic_compute(dtype);
  size_t pixels = 1;
  Patches patches = {&image, nullptr, 1, conv.in_channels, false};
  for (const ConvolutionDim& dim : conv.dim) {
    patches.taps *= static_cast<size_t>(dim.kernel);
    pixels *= static_cast<size_t>(dim.out);
  }
  const ptrdiff_t stride = tap_stride(conv);
  const ptrdiff_t channel_stride = image.weight_stride[conv.transposed ? 0 : 1];
  // The inner dimension follows the weight's memory; with one tap, the input's.
  patches.channels_inner = patches.taps > 1 ? conv.in_channels > 1 && channel_stride < stride
                                            : image.in_channel_stride == 1;
  GemmRight right = {&patches, pack<float>};
  if constexpr (has_loops(Compute::kDouble)) {
    right.pack = c == Compute::kDouble ? pack<double> : right.pack;
  }
  if constexpr (has_loops(Compute::kInt64)) {
    right.pack = c == Compute::kInt64 ? pack<uint64_t> : right.pack;
  }
  const ptrdiff_t column_stride = conv.dim[kMaxSpatial - 1].out_stride;
  for (size_t g = 0; g < conv.groups; ++g) {
    const ptrdiff_t first_in = static_cast<ptrdiff_t>(g * conv.in_channels);
    const ptrdiff_t first_out = static_cast<ptrdiff_t>(g * conv.out_channels);
    patches.in = image.in + first_in * image.in_channel_stride * size;
    const ptrdiff_t weight_rows = conv.transposed ? first_in : first_out;
    const char* weight = image.weight + weight_rows * image.weight_stride[0] * size;
    const TransposedWeight transposed = {&patches, weight, image.weight_stride[0],
                                         image.weight_stride[1], stride};
    GemmLeft left = {weight, dtype, image.weight_stride[0], 1};
    if (conv.transposed) {
      left.load_row = load_transposed_row;
      left.self = &transposed;
    }
    GemmOut out = {image.out + first_out * image.out_channel_stride * size, dtype,
                   image.out_channel_stride, column_stride};
    if (image.bias != nullptr) {
      const ptrdiff_t bias_size =
          static_cast<ptrdiff_t>(executorch::runtime::elementSize(image.bias_dtype));
      out.bias = image.bias + first_out * bias_size;
      out.bias_dtype = image.bias_dtype;
      out.bias_row_stride = 1;
    }
    gemm(c, conv.out_channels, pixels, conv.in_channels * patches.taps, left, right, out);
  }
}

}  // namespace torch::executor::native::util

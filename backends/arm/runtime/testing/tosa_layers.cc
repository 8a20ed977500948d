// Convolutions, products of matrices, pools, images of other sizes.

#include <executorch/backends/arm/runtime/testing/tosa_call.h>

namespace executorch {
namespace backends {
namespace arm {
namespace tosa_test {

using runtime::Error;

namespace {

// Sums have as many bits as the result: they wrap where the reference model does not allow them to.
int64_t bias_of(const Call& call, size_t channel) {
  const Value& bias = call.inputs[2];
  return load(bias, bias.elements == 1 ? 0 : channel);
}

struct Window {
  int32_t top, left;  // Padding.
  int32_t stride_y, stride_x;
  int32_t dilation_y, dilation_x;
};

template <typename Attribute>
Window window_of(const Attribute& a) {
  return {a.pad()->Get(0),    a.pad()->Get(2),      a.stride()->Get(0),
          a.stride()->Get(1), a.dilation()->Get(0), a.dilation()->Get(1)};
}

struct Place {
  int32_t n, y, x, c;
};

// Calls `set(place, index)` for each element of a tensor with channels last.
template <typename Set>
void for_each_place(const Value& value, Set set) {
  size_t index = 0;
  for (Place at{0, 0, 0, 0}; at.n < value.sizes[0]; ++at.n) {
    for (at.y = 0; at.y < value.sizes[1]; ++at.y) {
      for (at.x = 0; at.x < value.sizes[2]; ++at.x) {
        for (at.c = 0; at.c < value.sizes[3]; ++at.c) {
          set(at, index++);
        }
      }
    }
  }
}

size_t index_of(const Value& value, int32_t n, int32_t y, int32_t x, int32_t c) {
  return ((static_cast<size_t>(n) * static_cast<size_t>(value.sizes[1]) + static_cast<size_t>(y)) *
              static_cast<size_t>(value.sizes[2]) +
          static_cast<size_t>(x)) *
             static_cast<size_t>(value.sizes[3]) +
         static_cast<size_t>(c);
}

bool is_inside(const Value& image, int32_t y, int32_t x) {
  return y >= 0 && y < image.sizes[1] && x >= 0 && x < image.sizes[2];
}

// Calls `use(y, x, ky, kx)` for each pixel of the image under a window.
template <typename Use>
void for_each_pixel(const Value& image, const Window& window, const Place& at, int32_t rows,
                    int32_t columns, Use use) {
  for (int32_t ky = 0; ky < rows; ++ky) {
    for (int32_t kx = 0; kx < columns; ++kx) {
      const int32_t y = at.y * window.stride_y - window.top + ky * window.dilation_y;
      const int32_t x = at.x * window.stride_x - window.left + kx * window.dilation_x;
      if (is_inside(image, y, x)) {
        use(y, x, ky, kx);
      }
    }
  }
}

Error conv2d(const Call& call) {
  const Value& image = call.inputs[0];
  const Value& weight = call.inputs[1];  // Outputs, rows, columns, inputs.
  const int64_t zero = only(call.inputs[3]);
  const int64_t weight_zero = only(call.inputs[4]);
  const Window window = window_of(*call.op->attribute_as_Conv2dAttribute());
  for_each_place(call.output, [&](const Place& at, size_t index) {
    int64_t sum = bias_of(call, static_cast<size_t>(at.c));
    for_each_pixel(image, window, at, weight.sizes[1], weight.sizes[2],
                   [&](int32_t y, int32_t x, int32_t ky, int32_t kx) {
                     const size_t from = index_of(image, at.n, y, x, 0);
                     const size_t by = index_of(weight, at.c, ky, kx, 0);
                     for (size_t i = 0; i < static_cast<size_t>(image.sizes[3]); ++i) {
                       sum += (load(image, from + i) - zero) * (load(weight, by + i) - weight_zero);
                     }
                   });
    store(call.output, index, sum);
  });
  return Error::Ok;
}

Error depthwise(const Call& call) {
  const Value& image = call.inputs[0];
  const Value& weight = call.inputs[1];  // Rows, columns, channels, multiples.
  const int64_t zero = only(call.inputs[3]);
  const int64_t weight_zero = only(call.inputs[4]);
  const Window window = window_of(*call.op->attribute_as_DepthwiseConv2dAttribute());
  for_each_place(call.output, [&](const Place& at, size_t index) {
    int64_t sum = bias_of(call, static_cast<size_t>(at.c));
    const int32_t channel = at.c / weight.sizes[3];
    const int32_t multiple = at.c % weight.sizes[3];
    for_each_pixel(image, window, at, weight.sizes[0], weight.sizes[1],
                   [&](int32_t y, int32_t x, int32_t ky, int32_t kx) {
                     sum +=
                         (load(image, index_of(image, at.n, y, x, channel)) - zero) *
                         (load(weight, index_of(weight, ky, kx, channel, multiple)) - weight_zero);
                   });
    store(call.output, index, sum);
  });
  return Error::Ok;
}

// Each output gathers what the inputs spread: the same sum as the specification's.
Error transpose_conv2d(const Call& call) {
  const Value& image = call.inputs[0];
  const Value& weight = call.inputs[1];
  const int64_t zero = only(call.inputs[3]);
  const int64_t weight_zero = only(call.inputs[4]);
  const auto& a = *call.op->attribute_as_TransposeConv2dAttribute();
  for_each_place(call.output, [&](const Place& at, size_t index) {
    int64_t sum = bias_of(call, static_cast<size_t>(at.c));
    for (int32_t ky = 0; ky < weight.sizes[1]; ++ky) {
      for (int32_t kx = 0; kx < weight.sizes[2]; ++kx) {
        const int32_t y = at.y - a.out_pad()->Get(0) - ky;
        const int32_t x = at.x - a.out_pad()->Get(2) - kx;
        if (y % a.stride()->Get(0) != 0 || x % a.stride()->Get(1) != 0 ||
            !is_inside(image, y < 0 ? -1 : y / a.stride()->Get(0),
                       x < 0 ? -1 : x / a.stride()->Get(1))) {
          continue;
        }
        const size_t from =
            index_of(image, at.n, y / a.stride()->Get(0), x / a.stride()->Get(1), 0);
        const size_t by = index_of(weight, at.c, ky, kx, 0);
        for (size_t i = 0; i < static_cast<size_t>(image.sizes[3]); ++i) {
          sum += (load(image, from + i) - zero) * (load(weight, by + i) - weight_zero);
        }
      }
    }
    store(call.output, index, sum);
  });
  return Error::Ok;
}

Error matmul(const Call& call) {
  const Value& a = call.inputs[0];
  const Value& b = call.inputs[1];
  const int64_t a_zero = only(call.inputs[2]);
  const int64_t b_zero = only(call.inputs[3]);
  const auto rows = static_cast<size_t>(a.sizes[1]);
  const auto depth = static_cast<size_t>(a.sizes[2]);
  const auto columns = static_cast<size_t>(b.sizes[2]);
  for (size_t index = 0; index < call.output.elements; ++index) {
    const size_t column = index % columns;
    const size_t row = index / columns;
    const size_t batch = row / rows;
    int64_t sum = 0;
    for (size_t i = 0; i < depth; ++i) {
      sum += (load(a, row * depth + i) - a_zero) *
             (load(b, (batch * depth + i) * columns + column) - b_zero);
    }
    store(call.output, index, sum);
  }
  return Error::Ok;
}

template <typename Attribute>
Window pool_window(const Attribute& a) {
  return {a.pad()->Get(0), a.pad()->Get(2), a.stride()->Get(0), a.stride()->Get(1), 1, 1};
}

Error max_pool(const Call& call) {
  const auto& a = *call.op->attribute_as_MaxPool2dAttribute();
  const Value& image = call.inputs[0];
  for_each_place(call.output, [&](const Place& at, size_t index) {
    int64_t most = lowest(image.type);
    for_each_pixel(image, pool_window(a), at, a.kernel()->Get(0), a.kernel()->Get(1),
                   [&](int32_t y, int32_t x, int32_t, int32_t) {
                     const int64_t one = load(image, index_of(image, at.n, y, x, at.c));
                     most = one > most ? one : most;
                   });
    store(call.output, index, most);
  });
  return Error::Ok;
}

// The specification's division by the number of pixels: a product with a reciprocal of 31 bits.
int64_t divided(int64_t sum, int64_t count) {
  int64_t bits = 0;
  while ((int64_t{1} << bits) < count) {
    ++bits;
  }
  const int64_t multiplier = (((int64_t{1} << 30) + 1) << bits) / count;
  return scaled(sum, multiplier, 30 + bits);
}

Error avg_pool(const Call& call) {
  const auto& a = *call.op->attribute_as_AvgPool2dAttribute();
  const Value& image = call.inputs[0];
  const int64_t zero = only(call.inputs[1]);
  const int64_t zero_out = only(call.inputs[2]);
  for_each_place(call.output, [&](const Place& at, size_t index) {
    int64_t sum = 0;
    int64_t count = 0;
    for_each_pixel(image, pool_window(a), at, a.kernel()->Get(0), a.kernel()->Get(1),
                   [&](int32_t y, int32_t x, int32_t, int32_t) {
                     sum += load(image, index_of(image, at.n, y, x, at.c)) - zero;
                     ++count;
                   });
    const Type type = call.output.type;
    store(call.output, index, clamped(divided(sum, count) + zero_out, lowest(type), highest(type)));
  });
  return Error::Ok;
}

// Where an output pixel lies between two of the input's, in one dimension.
struct Between {
  int32_t before, after;  // Within the image.
  int64_t part;           // The distance from `before`, in `whole`ths.
  int64_t whole;
};

Between between(int32_t out, const Call& call, size_t dimension, int32_t size) {
  const int64_t whole = load(call.inputs[1], 2 * dimension);
  const int64_t at =
      out * load(call.inputs[1], 2 * dimension + 1) + load(call.inputs[2], dimension);
  const int64_t first = at >= 0 ? at / whole : -((-at + whole - 1) / whole);
  return {static_cast<int32_t>(clamped(first, 0, size - 1)),
          static_cast<int32_t>(clamped(first + 1, 0, size - 1)), at - first * whole, whole};
}

Error resize(const Call& call) {
  const bool is_nearest =
      call.op->attribute_as_ResizeAttribute()->mode() == tosa::ResizeMode_NEAREST;
  const Value& image = call.inputs[0];
  for_each_place(call.output, [&](const Place& at, size_t index) {
    const Between y = between(at.y, call, 0, image.sizes[1]);
    const Between x = between(at.x, call, 1, image.sizes[2]);
    const auto pixel = [&](int32_t row, int32_t column) {
      return load(image, index_of(image, at.n, row, column, at.c));
    };
    if (is_nearest) {
      store(call.output, index,
            pixel(2 * y.part >= y.whole ? y.after : y.before,
                  2 * x.part >= x.whole ? x.after : x.before));
      return;
    }
    const int64_t above =
        pixel(y.before, x.before) * (x.whole - x.part) + pixel(y.before, x.after) * x.part;
    const int64_t below =
        pixel(y.after, x.before) * (x.whole - x.part) + pixel(y.after, x.after) * x.part;
    store(call.output, index, above * (y.whole - y.part) + below * y.part);
  });
  return Error::Ok;
}

}  // namespace

Operator find_layer(tosa::Op op) {
  switch (op) {
    case tosa::Op_CONV2D:
      return conv2d;
    case tosa::Op_DEPTHWISE_CONV2D:
      return depthwise;
    case tosa::Op_TRANSPOSE_CONV2D:
      return transpose_conv2d;
    case tosa::Op_MATMUL:
      return matmul;
    case tosa::Op_MAX_POOL2D:
      return max_pool;
    case tosa::Op_AVG_POOL2D:
      return avg_pool;
    case tosa::Op_RESIZE:
      return resize;
    default:
      return nullptr;
  }
}

}  // namespace tosa_test
}  // namespace arm
}  // namespace backends
}  // namespace executorch

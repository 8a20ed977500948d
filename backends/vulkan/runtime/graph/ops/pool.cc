#include <algorithm>
#include <cmath>

#include <executorch/backends/vulkan/runtime/graph/ops/ops.h>

namespace executorch {
namespace backends {
namespace vulkan {
namespace {

constexpr uint32_t kGreatest = 0;
constexpr uint32_t kMean = 1;
constexpr uint32_t kAdaptiveMean = 2;
constexpr uint32_t kNearest = 0;
constexpr uint32_t kBilinear = 1;
constexpr uint32_t kAlignedCorners = 2;

struct Pool {
  int64_t kernel[2], stride[2], padding[2], dilation[2];
  bool is_ceil;
};

void take(const Sizes& from, const int64_t (&otherwise)[2], int64_t (&into)[2]) {
  for (size_t d = 0; d < 2; ++d) {
    into[d] = from.empty() ? otherwise[d] : from[std::min(d, from.size() - 1)];
  }
}

bool is_sane(const Pool& pool) {
  bool fits = true;
  for (size_t d = 0; d < 2; ++d) {
    constexpr int64_t kMost = 1 << 20;
    fits = fits && pool.kernel[d] > 0 && pool.kernel[d] < kMost && pool.stride[d] > 0 &&
           pool.stride[d] < kMost && pool.padding[d] >= 0 &&
           pool.padding[d] <= pool.kernel[d] / 2 && pool.dilation[d] > 0 &&
           pool.dilation[d] < kMost;
  }
  return fits;
}

int64_t out_size(const Pool& pool, size_t d, int64_t size) {
  const int64_t reach = pool.dilation[d] * (pool.kernel[d] - 1) + 1;
  const int64_t rest = size + 2 * pool.padding[d] - reach;
  if (rest < 0) {
    return pool.is_ceil && rest > -pool.stride[d] ? 1 : 0;
  }
  const int64_t extra = pool.is_ceil ? pool.stride[d] - 1 : 0;
  const int64_t count = (rest + extra) / pool.stride[d] + 1;
  // The last window begins inside, or in the padding before.
  return (count - 1) * pool.stride[d] >= size + pool.padding[d] ? count - 1 : count;
}

bool is_image(Call& call, const GraphTensor& x) {
  return call.expect(x.rank() == 3 || x.rank() == 4, "its input is no image") &&
         call.expect(x.element() != Element::Int, "it takes no integers");
}

Sizes with_plane(const GraphTensor& x, int64_t height, int64_t width) {
  Sizes sizes = x.sizes;
  sizes[sizes.size() - 2] = height;
  sizes[sizes.size() - 1] = width;
  return sizes;
}

void record_pool(Call& call, const Pool& pool, uint32_t what, int64_t is_padding_counted,
                 int64_t divisor) {
  const size_t out = call.num_arguments() - 1;
  const GraphTensor& x = call.tensor(0);
  if (!call.expect(is_sane(pool), "its kernel, stride or padding is out of range")) {
    return;
  }
  const int64_t height = x.sizes[x.rank() - 2];
  const int64_t width = x.sizes[x.rank() - 1];
  const Sizes sizes = with_plane(x, out_size(pool, 0, height), out_size(pool, 1, width));
  if (!call.expect(product_of(sizes) > 0, "its kernel is larger than its input")) {
    return;
  }
  call.resize(out, sizes);
  Parameters parameters;
  const int64_t count = product_of(sizes);
  parameters.set(
      0, {count, 0, height, width, is_padding_counted, sizes[sizes.size() - 2],
          sizes[sizes.size() - 1], pool.kernel[0], pool.kernel[1], pool.stride[0], pool.stride[1],
          pool.padding[0], pool.padding[1], pool.dilation[0], pool.dilation[1], divisor});
  Buffers buffers = {call.out(out), call.in(0)};
  std::string shader = shader_for("pool2d", x);
  if (what == kGreatest && call.has_tensor(out, 1)) {
    call.resize(out, sizes, 1);
    if (!call.expect(call.output(out, 1).element() == Element::Int,
                     "its indices are no integers")) {
      return;
    }
    shader += "_indices";
    buffers.push_back(buffers[1]);
    buffers[1] = call.out(out, 1);
    call.set_num_written(2);
  }
  call.dispatch_elements(shader, buffers, parameters, count, {what});
}

}  // namespace

void record_max_pool(Call& call, int kind) {
  (void)kind;
  if (!is_image(call, call.tensor(0))) {
    return;
  }
  Pool pool = {};
  take(call.integers(1), {0, 0}, pool.kernel);
  take(call.integers(2), pool.kernel, pool.stride);
  take(call.integers(3), {0, 0}, pool.padding);
  take(call.integers(4), {1, 1}, pool.dilation);
  pool.is_ceil = call.integer(5) != 0;
  record_pool(call, pool, kGreatest, 0, 0);
}

void record_avg_pool(Call& call, int kind) {
  (void)kind;
  if (!is_image(call, call.tensor(0))) {
    return;
  }
  Pool pool = {};
  take(call.integers(1), {0, 0}, pool.kernel);
  take(call.integers(2), pool.kernel, pool.stride);
  take(call.integers(3), {0, 0}, pool.padding);
  take({}, {1, 1}, pool.dilation);
  pool.is_ceil = call.integer(4) != 0;
  record_pool(call, pool, kMean, call.integer(5), call.integer_or(6, 0));
}

void record_adaptive_avg_pool(Call& call, int kind) {
  (void)kind;
  const GraphTensor& x = call.tensor(0);
  const Sizes plane = call.integers(1);
  if (!is_image(call, x) || !call.expect(plane.size() == 2 && plane[0] > 0 && plane[1] > 0,
                                         "its output size is out of range")) {
    return;
  }
  const Sizes sizes = with_plane(x, plane[0], plane[1]);
  call.resize(2, sizes);
  Parameters parameters;
  const int64_t count = product_of(sizes);
  parameters.set(0, {count, 0, x.sizes[x.rank() - 2], x.sizes[x.rank() - 1], 0, plane[0], plane[1],
                     1, 1, 1, 1, 0, 0, 1, 1, 0});
  call.dispatch_elements(shader_for("pool2d", x), {call.out(2), call.in(0)}, parameters, count,
                         {kAdaptiveMean});
}

void record_upsample(Call& call, int kind) {
  const bool is_nearest = kind == 0;
  const GraphTensor& x = call.tensor(0);
  if (!is_image(call, x)) {
    return;
  }
  const bool is_aligned = !is_nearest && call.integer(2) != 0;
  const std::vector<double> scales = call.numbers(is_nearest ? 2 : 3);
  Sizes plane = call.integers(1);
  const int64_t from[2] = {x.sizes[x.rank() - 2], x.sizes[x.rank() - 1]};
  if (plane.empty() && call.expect(scales.size() == 2, "it has neither sizes nor scales")) {
    for (size_t d = 0; d < 2; ++d) {
      plane.push_back(static_cast<int64_t>(
          std::floor(std::fmin(static_cast<double>(from[d]) * scales[d], 1e9))));
    }
  }
  if (!call.expect(plane.size() == 2 && plane[0] > 0 && plane[1] > 0 && from[0] > 0 && from[1] > 0,
                   "its output size is out of range")) {
    return;
  }
  const Sizes sizes = with_plane(x, plane[0], plane[1]);
  const size_t out = call.num_arguments() - 1;
  call.resize(out, sizes);
  Parameters parameters;
  for (size_t d = 0; d < 2; ++d) {
    double step = static_cast<double>(from[d]) / static_cast<double>(plane[d]);
    if (is_aligned) {
      step =
          plane[d] > 1 ? static_cast<double>(from[d] - 1) / static_cast<double>(plane[d] - 1) : 0;
    } else if (scales.size() == 2 && scales[d] > 0) {
      step = 1 / scales[d];
    }
    parameters.set(5 + d, static_cast<float>(step));
  }
  const int64_t count = product_of(sizes);
  parameters.set(0, {count, from[0], from[1], plane[0], plane[1]});
  call.dispatch_elements(shader_for("upsample2d", x), {call.out(out), call.in(0)}, parameters,
                         count,
                         {is_nearest ? kNearest : (is_aligned ? kAlignedCorners : kBilinear)});
}

void record_grid_sampler(Call& call, int kind) {
  (void)kind;
  const GraphTensor& x = call.tensor(0);
  const GraphTensor& grid = call.tensor(1);
  const int64_t mode = call.integer(2);
  const int64_t padding = call.integer(3);
  const bool is_grid = x.rank() == 4 && grid.rank() == 4 && grid.sizes[3] == 2 &&
                       grid.sizes[0] == x.sizes[0] && grid.element() == x.element();
  if (!call.expect(is_grid, "its grid is none for its input") ||
      !call.expect(mode == 0 || mode == 1, "it interpolates in no way that is known") ||
      !call.expect(padding >= 0 && padding <= 2, "its padding is none that is known")) {
    return;
  }
  const Sizes sizes = {x.sizes[0], x.sizes[1], grid.sizes[1], grid.sizes[2]};
  const size_t out = call.num_arguments() - 1;
  call.resize(out, sizes);
  Parameters parameters;
  const int64_t count = product_of(sizes);
  parameters.set(0, {count, x.sizes[1], x.sizes[2], x.sizes[3], sizes[2], sizes[3]});
  call.dispatch_elements(shader_for("grid_sampler", x), {call.out(out), call.in(0), call.in(1)},
                         parameters, count,
                         {static_cast<uint32_t>(mode), static_cast<uint32_t>(padding),
                          call.integer(4) != 0 ? 1u : 0u});
}

}  // namespace vulkan
}  // namespace backends
}  // namespace executorch

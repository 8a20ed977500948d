#include <cstdint>

#include <xnnpack.h>

#include <executorch/backends/xnnpack/runtime/node_sizes.h>

namespace executorch {
namespace backends {
namespace xnnpack {

namespace {

/// How much larger than the file says a result may be.
constexpr uint64_t kTimes = 2;
constexpr uint64_t kMore = 16;

bool is_about(uint64_t calculated, size_t stored) {
  return calculated <= kTimes * uint64_t{stored} + kMore;
}

bool are_images(const Dims& input, const Dims& output) {
  return input.size() == 4 && output.size() == 4;
}

/// Pixels that one window covers, from its first to its last; 0 if there are none.
uint64_t extent(const Windows& windows, size_t axis) {
  const uint64_t size = windows.size[axis];
  return size == 0 ? 0 : (size - 1) * uint64_t{windows.dilation[axis]} + 1;
}

uint64_t padding(const Windows& windows, size_t axis) {
  return uint64_t{windows.padding_before[axis]} + windows.padding_after[axis];
}

}  // namespace

Dims sizes_of(const flatbuffers::Vector<uint32_t>* stored, uint32_t wanted) {
  if (stored == nullptr || stored->size() != wanted || wanted > XNN_MAX_TENSOR_DIMS) {
    return {};
  }
  return Dims(stored->begin(), stored->end());
}

// Every number comes out of 32 bits of a file, so that products of two fit 64.

Windows windows_of(const fb_xnnpack::_XNNNodeConv& node) {
  return {{node.padding_top(), node.padding_left()},
          {node.padding_bottom(), node.padding_right()},
          {node.kernel_height(), node.kernel_width()},
          {node.subsampling_height(), node.subsampling_width()},
          {node.dilation_height(), node.dilation_width()},
          {node.adjustment_height(), node.adjustment_width()}};
}

Windows windows_of(const fb_xnnpack::_XNNPooling2D& node) {
  // Averages have no dilation, and some writers store 0 there.
  const auto dilation = [](uint32_t stored) { return stored == 0 ? size_t{1} : size_t{stored}; };
  return {{node.padding_top(), node.padding_left()},
          {node.padding_bottom(), node.padding_right()},
          {node.pooling_height(), node.pooling_width()},
          {node.stride_height(), node.stride_width()},
          {dilation(node.dilation_height()), dilation(node.dilation_width())},
          {0, 0}};
}

Windows windows_of(const fb_xnnpack::XNNArgMaxPooling2d& node) {
  return {{node.padding_top(), node.padding_left()},
          {node.padding_bottom(), node.padding_right()},
          {node.pooling_height(), node.pooling_width()},
          {node.pooling_height(), node.pooling_width()},
          {1, 1},
          {0, 0}};
}

bool fits_windows(const Windows& windows, const Dims& input, const Dims& output) {
  if (!are_images(input, output)) {
    return false;
  }
  for (size_t axis = 0; axis < 2; ++axis) {
    const uint64_t padded = input[axis + 1] + padding(windows, axis);
    const uint64_t covered = extent(windows, axis);
    if (covered == 0 || !is_about(covered, padded) || windows.stride[axis] == 0) {
      return false;
    }
    const uint64_t steps = covered > padded ? 0 : (padded - covered) / windows.stride[axis];
    if (!is_about(steps + 1, output[axis + 1])) {
      return false;
    }
  }
  return true;
}

bool fits_transposed_windows(const Windows& windows, const Dims& input, const Dims& output) {
  if (!are_images(input, output)) {
    return false;
  }
  for (size_t axis = 0; axis < 2; ++axis) {
    const uint64_t between = uint64_t{input[axis + 1] - 1} * windows.stride[axis];
    const uint64_t covered = extent(windows, axis);
    const uint64_t whole = between + windows.adjustment[axis] + covered;
    const uint64_t cut = padding(windows, axis);
    // Less than nothing would be a number without end to XNNPACK.
    if (covered == 0 || (between | covered) >> 62 != 0 || whole < cut ||
        !is_about(whole - cut, output[axis + 1])) {
      return false;
    }
  }
  return true;
}

size_t least_pixels(const Windows& windows, size_t axis) {
  const uint64_t covered = extent(windows, axis);
  const uint64_t added = padding(windows, axis);
  return covered > added ? size_t(covered - added) : 1;
}

bool fits_padding(const Dims& before, const Dims& after, const Dims& input, const Dims& output) {
  if (output.size() != input.size() || before.size() != input.size() ||
      after.size() != input.size()) {
    return false;
  }
  for (size_t i = 0; i < input.size(); ++i) {
    if (!is_about(uint64_t{input[i]} + before[i] + after[i], output[i])) {
      return false;
    }
  }
  return true;
}

bool fits_resize(size_t height, size_t width, const Dims& output) {
  return output.size() == 4 && is_about(height, output[1]) && is_about(width, output[2]);
}

bool fits_reshape(const Dims& shape, const Dims& input) {
  uint64_t elements = 1;
  for (const size_t size : input) {
    elements *= size;
  }
  // XNNPACK divides by this, in what the device's addresses take.
  const uint64_t most = elements > SIZE_MAX / kTimes ? SIZE_MAX : kTimes * elements;
  uint64_t wanted = 1;
  for (const size_t size : shape) {
    if (size != 0 && wanted > most / size) {
      return false;
    }
    wanted *= size == 0 ? 1 : size;
  }
  return true;
}

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch

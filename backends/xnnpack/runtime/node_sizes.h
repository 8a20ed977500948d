#pragma once

#include <cstddef>
#include <vector>

#include <executorch/backends/xnnpack/serialization/schema_generated.h>

namespace executorch {
namespace backends {
namespace xnnpack {

// Whether the parameters of a node fit the shapes that the file itself has for its input and its
// result. XNNPACK calculates shapes from the parameters alone, when it runs, so that one wrong
// number, a padding of 2^31 say, asks for memory without end. Shapes in files are those of an
// example where sizes are dynamic, so that results may be some times as large as the file says.

using Dims = std::vector<size_t>;

/// Numbers of a flatbuffer as XNNPACK takes them; the wrong number of them is none.
Dims sizes_of(const flatbuffers::Vector<uint32_t>* stored, uint32_t wanted);

/// How windows lie over height and width of an image; the first of two is for the height.
struct Windows {
  size_t padding_before[2];
  size_t padding_after[2];
  size_t size[2];
  size_t stride[2];
  size_t dilation[2];
  /// Of a transposed convolution.
  size_t adjustment[2];
};

Windows windows_of(const fb_xnnpack::_XNNNodeConv& node);
Windows windows_of(const fb_xnnpack::_XNNPooling2D& node);
Windows windows_of(const fb_xnnpack::XNNArgMaxPooling2d& node);

/// For convolutions and pools; images are NHWC.
bool fits_windows(const Windows& windows, const Dims& input, const Dims& output);

bool fits_transposed_windows(const Windows& windows, const Dims& input, const Dims& output);

/// Pixels along an axis, 0 for the height, of the smallest image that a window lies in, with its
/// padding. Of a smaller one, XNNPACK has a convolution read where nothing is.
size_t least_pixels(const Windows& windows, size_t axis);

/// For padding by `before` and `after`, in each dimension.
bool fits_padding(const Dims& before, const Dims& after, const Dims& input, const Dims& output);

/// For images of another size.
bool fits_resize(size_t height, size_t width, const Dims& output);

/// For the same elements in the shape `shape`, where zeros stand for sizes of the input.
bool fits_reshape(const Dims& shape, const Dims& input);

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch

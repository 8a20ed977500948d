/// @file
/// Convolutions and pools.

#include <executorch/backends/apple/mps/runtime/values.h>

namespace executorch {
namespace backends {
namespace mps {

using mpsgraph::MPSNodeUnion;

namespace {

/// How windows go over one dimension.
struct Windows {
  int64_t kernel;
  int64_t stride;
  int64_t dilation;
  int64_t before;
  int64_t behind;
};

/// More would only be a way to overflow.
constexpr int64_t kMost = int64_t(1) << 24;

/// How many windows a dimension has.
///
/// @param is_up The last one may reach beyond the padding, if it begins before its end.
int64_t window_count(const Windows& windows, int64_t size, bool is_up = false) {
  for (const int64_t one : {windows.kernel, windows.stride, windows.dilation}) {
    require(one > 0 && one <= kMost, @"windows without size, or steps without length");
  }
  require(windows.before >= 0 && windows.behind >= 0 && windows.before <= kMost &&
              windows.behind <= kMost,
          @"a negative padding");
  const int64_t room =
      size + windows.before + windows.behind - windows.dilation * (windows.kernel - 1) - 1;
  require(room >= 0, @"windows that are larger than the image");
  int64_t count = (room + (is_up ? windows.stride - 1 : 0)) / windows.stride + 1;
  if (is_up && (count - 1) * windows.stride >= size + windows.before) {
    --count;
  }
  return count;
}

/// Rows are images of one row.
Value as_image(Values& values, const Value& value) {
  if (value.sizes.size() != 3) {
    require(value.sizes.size() == 4, @"windows over what is no image");
    return value;
  }
  return values.reshape(value, {value.sizes[0], value.sizes[1], 1, value.sizes[2]});
}

Value convolved(Values& values, const mpsgraph::MPSConv& held, const Value& image,
                const Value& weight) {
  const int64_t groups = held.groups();
  const Windows y = {weight.sizes[2], held.stride_y(), held.dilation_y(), held.padding_top(),
                     held.padding_bottom()};
  const Windows x = {weight.sizes[3], held.stride_x(), held.dilation_x(), held.padding_left(),
                     held.padding_right()};
  const Sizes sizes = {image.sizes[0], weight.sizes[0], window_count(y, image.sizes[2]),
                       window_count(x, image.sizes[3])};
  const auto number = [](int64_t one) { return static_cast<NSUInteger>(one); };
  MPSGraphConvolution2DOpDescriptor* descriptor =
      [MPSGraphConvolution2DOpDescriptor descriptorWithStrideInX:number(x.stride)
                                                       strideInY:number(y.stride)
                                                 dilationRateInX:number(x.dilation)
                                                 dilationRateInY:number(y.dilation)
                                                          groups:number(groups)
                                                     paddingLeft:number(x.before)
                                                    paddingRight:number(x.behind)
                                                      paddingTop:number(y.before)
                                                   paddingBottom:number(y.behind)
                                                    paddingStyle:MPSGraphPaddingStyleExplicit
                                                      dataLayout:MPSGraphTensorNamedDataLayoutNCHW
                                                   weightsLayout:MPSGraphTensorNamedDataLayoutOIHW];
  return {[values.graph() convolution2DWithSourceTensor:image.tensor
                                          weightsTensor:weight.tensor
                                             descriptor:descriptor
                                                   name:nil],
          sizes, image.type};
}

void add_convolved(Values& values, const mpsgraph::MPSConv& held) {
  const Value& source = values.at(held.input1_id());
  const Value image = as_image(values, source);
  const Value weight = as_image(values, values.at(held.input2_id()));
  const int64_t groups = held.groups();
  require(is_float(image.type) && image.type == weight.type && groups > 0 &&
              image.sizes[1] % groups == 0 && weight.sizes[0] % groups == 0 &&
              weight.sizes[1] == image.sizes[1] / groups,
          @"a convolution whose weight does not fit the image");
  Value made = convolved(values, held, image, weight);
  if (const Value* const bias = values.find(held.input3_id())) {
    require(bias->sizes == Sizes{weight.sizes[0]} && bias->type == made.type,
            @"a bias of other sizes or another type");
    const Value shaped = values.reshape(*bias, {1, weight.sizes[0], 1, 1});
    made.tensor = [values.graph() additionWithPrimaryTensor:made.tensor
                                            secondaryTensor:shaped.tensor
                                                       name:nil];
  }
  if (source.sizes.size() == 3) {
    made = values.reshape(made, {made.sizes[0], made.sizes[1], made.sizes[3]});
  }
  values.set(held.output_id(), made);
}

MPSGraphPooling2DOpDescriptor* descriptor_of(const Windows& x, const Windows& y) {
  const auto number = [](int64_t one) { return static_cast<NSUInteger>(one); };
  return
      [MPSGraphPooling2DOpDescriptor descriptorWithKernelWidth:number(x.kernel)
                                                  kernelHeight:number(y.kernel)
                                                     strideInX:number(x.stride)
                                                     strideInY:number(y.stride)
                                               dilationRateInX:number(x.dilation)
                                               dilationRateInY:number(y.dilation)
                                                   paddingLeft:number(x.before)
                                                  paddingRight:number(x.behind)
                                                    paddingTop:number(y.before)
                                                 paddingBottom:number(y.behind)
                                                  paddingStyle:MPSGraphPaddingStyleExplicit
                                                    dataLayout:MPSGraphTensorNamedDataLayoutNCHW];
}

void add_pool(Values& values, const mpsgraph::MPSPooling2D& held, bool is_mean) {
  const Value& image = values.at(held.input1_id());
  require(is_float(image.type) && image.sizes.size() == 4, @"a pool of what is no image");
  const Windows y = {held.kernel_height(), held.stride_height(), held.dilation_height(),
                     held.padding_top(), held.padding_bottom()};
  const Windows x = {held.kernel_width(), held.stride_width(), held.dilation_width(),
                     held.padding_left(), held.padding_right()};
  Value made = {nil, image.sizes, image.type};
  made.sizes[2] = window_count(y, image.sizes[2]);
  made.sizes[3] = window_count(x, image.sizes[3]);
  MPSGraphPooling2DOpDescriptor* descriptor = descriptor_of(x, y);
  // Files of this version say with the padding what rounding up adds; those of released ones ask
  // for it.
  if (held.ceil_mode() && made.sizes != sizes_of(values.declared(held.output1_id()))) {
    made.sizes[2] = window_count(y, image.sizes[2], true);
    made.sizes[3] = window_count(x, image.sizes[3], true);
    [descriptor setCeilMode:YES];
  }
  if (!is_mean) {
    made.tensor = [values.graph() maxPooling2DWithSourceTensor:image.tensor
                                                    descriptor:descriptor
                                                          name:nil];
  } else {
    const int64_t divisor = held.divisor_override();
    require(divisor >= 0, @"a mean by a negative number");
    [descriptor setIncludeZeroPadToAverage:held.count_include_pad() || divisor > 0];
    made.tensor = [values.graph() avgPooling2DWithSourceTensor:image.tensor
                                                    descriptor:descriptor
                                                          name:nil];
    if (divisor > 0) {
      const Value share = values.number(double(x.kernel * y.kernel) / double(divisor), made.type);
      made.tensor = [values.graph() multiplicationWithPrimaryTensor:made.tensor
                                                    secondaryTensor:share.tensor
                                                               name:nil];
    }
  }
  values.set(held.output1_id(), made);
}

}  // namespace

bool add_convolution(Values& values, const mpsgraph::MPSNode& node) {
  if (const auto* const dense = node.mpsnode_union_as_MPSConv2D()) {
    add_convolved(values, *dense);
  } else if (const auto* const depthwise = node.mpsnode_union_as_MPSDepthwiseConv2D()) {
    // As many groups as channels: MPSGraph finds its kernels for them.
    add_convolved(values, *depthwise);
  } else if (const auto* const most = node.mpsnode_union_as_MPSMaxPool2DWithIndices()) {
    add_pool(values, *most, false);
  } else if (const auto* const mean = node.mpsnode_union_as_MPSAvgPool2D()) {
    add_pool(values, *mean, true);
  } else {
    return false;
  }
  return true;
}

}  // namespace mps
}  // namespace backends
}  // namespace executorch

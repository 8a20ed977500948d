#pragma once

#include <cstddef>

#include <xnnpack.h>

#include <executorch/backends/xnnpack/serialization/schema_generated.h>

namespace executorch {
namespace backends {
namespace xnnpack {

/// The elementwise operator of one input that a node is; `xnn_unary_invalid` for another node.
inline xnn_unary_operator unary_of(fb_xnnpack::XNodeUnion kind) {
  switch (kind) {
    case fb_xnnpack::XNodeUnion::XNNAbs:
      return xnn_unary_abs;
    case fb_xnnpack::XNodeUnion::XNNCeiling:
      return xnn_unary_ceiling;
    case fb_xnnpack::XNodeUnion::XNNConvert:
      return xnn_unary_convert;
    case fb_xnnpack::XNodeUnion::XNNCos:
      return xnn_unary_cosine;
    case fb_xnnpack::XNodeUnion::XNNExp:
      return xnn_unary_exp;
    case fb_xnnpack::XNodeUnion::XNNFloor:
      return xnn_unary_floor;
    case fb_xnnpack::XNodeUnion::XNNGelu:
      return xnn_unary_gelu;
    case fb_xnnpack::XNodeUnion::XNNHardswish:
      return xnn_unary_hardswish;
    case fb_xnnpack::XNodeUnion::XNNLog:
      return xnn_unary_log;
    case fb_xnnpack::XNodeUnion::XNNNegate:
      return xnn_unary_negate;
    case fb_xnnpack::XNodeUnion::XNNReciprocalSquareRoot:
      return xnn_unary_reciprocal_square_root;
    case fb_xnnpack::XNodeUnion::XNNSigmoid:
      return xnn_unary_sigmoid;
    case fb_xnnpack::XNodeUnion::XNNSin:
      return xnn_unary_sine;
    case fb_xnnpack::XNodeUnion::XNNSquare:
      return xnn_unary_square;
    case fb_xnnpack::XNodeUnion::XNNSquareRoot:
      return xnn_unary_square_root;
    case fb_xnnpack::XNodeUnion::XNNTanh:
      return xnn_unary_tanh;
    default:
      return xnn_unary_invalid;
  }
}

/// Same, of two inputs.
inline xnn_binary_operator binary_of(fb_xnnpack::XNodeUnion kind) {
  switch (kind) {
    case fb_xnnpack::XNodeUnion::XNNAdd:
      return xnn_binary_add;
    case fb_xnnpack::XNodeUnion::XNNDiv:
      return xnn_binary_divide;
    case fb_xnnpack::XNodeUnion::XNNMaximum:
      return xnn_binary_maximum;
    case fb_xnnpack::XNodeUnion::XNNMinimum:
      return xnn_binary_minimum;
    case fb_xnnpack::XNodeUnion::XNNMultiply:
      return xnn_binary_multiply;
    case fb_xnnpack::XNodeUnion::XNNPReLU:
      return xnn_binary_prelu;
    case fb_xnnpack::XNodeUnion::XNNSubtract:
      return xnn_binary_subtract;
    default:
      return xnn_binary_invalid;
  }
}

/// How many values a node puts one behind the other, 0 for one that does not.
inline size_t parts_of(fb_xnnpack::XNodeUnion kind) {
  switch (kind) {
    case fb_xnnpack::XNodeUnion::XNNConcatenate2:
      return 2;
    case fb_xnnpack::XNodeUnion::XNNConcatenate3:
      return 3;
    case fb_xnnpack::XNodeUnion::XNNConcatenate4:
      return 4;
    case fb_xnnpack::XNodeUnion::XNNConcatenate5:
      return 5;
    default:
      return 0;
  }
}

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch

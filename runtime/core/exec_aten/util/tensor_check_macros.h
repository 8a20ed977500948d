/// @file
/// Check macros for tensor arguments. Include tensor_util.h instead.
///
/// Three families: those that return false from a predicate after logging, those that fail a
/// kernel, and older ones that abort.
#pragma once

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/platform/assert.h>
#include <executorch/runtime/platform/log.h>

/// In a function that returns bool: if `cond` is false, logs it and returns false.
#define ET_LOG_AND_RETURN_IF_FALSE(cond)         \
  do {                                           \
    if (ET_UNLIKELY(!(cond))) {                  \
      ET_LOG(Error, "Check failed (%s)", #cond); \
      return false;                              \
    }                                            \
  } while (0)

/// As above, with a printf-style message.
#define ET_LOG_MSG_AND_RETURN_IF_FALSE(cond, message, ...)                \
  do {                                                                    \
    if (ET_UNLIKELY(!(cond))) {                                           \
      ET_LOG(Error, "Check failed (%s): " message, #cond, ##__VA_ARGS__); \
      return false;                                                       \
    }                                                                     \
  } while (0)

// ET_CHECK_OR_RETURN_FALSE, the current spelling of the same, is in core/error.h.

/// Unless `cond` holds: logs it, fails the kernel with `Error::error` and returns `retval`.
/// For kernels without a return value leave `retval` empty.
#define ET_KERNEL_CHECK(context, cond, error, retval)      \
  do {                                                     \
    if (ET_UNLIKELY(!(cond))) {                            \
      ET_LOG(Error, "Check failed: %s", #cond);            \
      (context).fail(::executorch::runtime::Error::error); \
      return retval;                                       \
    }                                                      \
  } while (0)

/// As `ET_KERNEL_CHECK`, with a message for the log that says what was expected and what came.
#define ET_KERNEL_CHECK_MSG(context, cond, error, retval, message, ...)  \
  do {                                                                   \
    if (ET_UNLIKELY(!(cond))) {                                          \
      ET_LOG(Error, "Check failed: %s; " message, #cond, ##__VA_ARGS__); \
      (context).fail(::executorch::runtime::Error::error);               \
      return retval;                                                     \
    }                                                                    \
  } while (0)

/// Makes a negative index count from the end.
#define ET_NORMALIZE_IX(IX, UPPER_BOUND) (IX) < 0 ? (IX) + (UPPER_BOUND) : (IX)

#define ET_MIN2(a, b) ((a) < (b) ? (a) : (b))
#define ET_MIN3(a, b, c) ET_MIN2(a, ET_MIN2(b, c))

// The macros below abort: for tests and code whose arguments are known to be right.

/// Reads the only element of `tensor` into the variable `out_val`; aborts if the tensor has another
/// number of elements, or its element does not fit.
#ifndef ET_EXTRACT_SCALAR_TENSOR
#define ET_EXTRACT_SCALAR_TENSOR(tensor, out_val)                                \
  ET_CHECK_MSG(::executorch::runtime::extract_scalar_tensor(tensor, &(out_val)), \
               #tensor " has not one element, or one that does not fit " #out_val)
#endif

#define ET_CHECK_VALID_DIM(DIM, UPPER_BOUND)                                                    \
  ET_CHECK_MSG(                                                                                 \
      (DIM) >= -static_cast<int64_t>(UPPER_BOUND) && (DIM) < static_cast<int64_t>(UPPER_BOUND), \
      "dim %" PRId64 " must be within [-%" PRId64 ", %" PRId64 ")", static_cast<int64_t>(DIM),  \
      static_cast<int64_t>(UPPER_BOUND), static_cast<int64_t>(UPPER_BOUND))

#define ET_CHECK_VALID_IX(IX, UPPER_BOUND) ET_CHECK_VALID_DIM(IX, UPPER_BOUND)

#define ET_CHECK_NON_ZERO_DIM_SIZE(DIM, T)                              \
  ET_CHECK_MSG(::executorch::runtime::tensor_has_non_empty_dim(T, DIM), \
               "dim %" PRId64 " must exist and not be empty", static_cast<int64_t>(DIM))

#define ET_CHECK_SAME_SHAPE2(a, b) \
  ET_CHECK_MSG(::executorch::runtime::tensors_have_same_shape((a), (b)), "shapes differ")
#define ET_CHECK_SAME_SHAPE3(a, b, c) \
  ET_CHECK_MSG(::executorch::runtime::tensors_have_same_shape((a), (b), (c)), "shapes differ")
#define ET_CHECK_SAME_DTYPE2(a, b) \
  ET_CHECK_MSG(::executorch::runtime::tensors_have_same_dtype((a), (b)), "dtypes differ")
#define ET_CHECK_SAME_DTYPE3(a, b, c) \
  ET_CHECK_MSG(::executorch::runtime::tensors_have_same_dtype((a), (b), (c)), "dtypes differ")
#define ET_CHECK_SAME_SHAPE_AND_DTYPE2(a, b)                                       \
  ET_CHECK_MSG(::executorch::runtime::tensors_have_same_shape_and_dtype((a), (b)), \
               "shapes or dtypes differ")
#define ET_CHECK_SAME_SHAPE_AND_DTYPE3(a, b, c)                                         \
  ET_CHECK_MSG(::executorch::runtime::tensors_have_same_shape_and_dtype((a), (b), (c)), \
               "shapes or dtypes differ")
#define ET_CHECK_CONTIGUOUS(a) \
  ET_CHECK_MSG(::executorch::runtime::tensor_is_contiguous(a), "tensor is not contiguous")
#define ET_CHECK_SAME_STRIDES2(a, b) \
  ET_CHECK_MSG(::executorch::runtime::tensors_have_same_strides((a), (b)), "strides differ")
#define ET_CHECK_SAME_STRIDES3(a, b, c) \
  ET_CHECK_MSG(::executorch::runtime::tensors_have_same_strides((a), (b), (c)), "strides differ")
#define ET_CHECK_DEFAULT_OR_CHANNELSLAST_DIMORDER(t)                                   \
  ET_CHECK_MSG(::executorch::runtime::tensor_is_default_or_channels_last_dim_order(t), \
               "tensor must be contiguous or channels last")

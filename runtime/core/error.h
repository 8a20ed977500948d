/// @file
/// The runtime's one vocabulary for failure: Error codes, and macros for early exit that log once.
#pragma once

#include <cstdint>

#include <executorch/runtime/platform/compiler.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace runtime {

/// Underlying type of Error.
using error_code_t = uint32_t;

/// Result codes. The values are part of the ABI and of documented messages ("error 0x12").
enum class Error : error_code_t {
  // System errors.
  Ok = 0x00,             ///< Success.
  Internal = 0x01,       ///< Something went wrong inside the runtime.
  InvalidState = 0x02,   ///< The object is not in a state that allows the call.
  EndOfMethod = 0x03,    ///< Step-wise execution has no instruction left.
  AlreadyLoaded = 0x04,  ///< The resource is loaded already.

  // Logical errors.
  NotSupported = 0x10,                     ///< Not supported in this configuration.
  NotImplemented = 0x11,                   ///< Not implemented.
  InvalidArgument = 0x12,                  ///< An argument is out of its domain.
  InvalidType = 0x13,                      ///< A value has another type than expected.
  OperatorMissing = 0x14,                  ///< No kernel is registered for an operator.
  RegistrationExceedingMaxKernels = 0x15,  ///< The kernel table is full.
  RegistrationAlreadyRegistered = 0x16,    ///< The name is registered already.

  // Resource errors.
  NotFound = 0x20,                ///< A named thing does not exist.
  MemoryAllocationFailed = 0x21,  ///< An allocator is exhausted.
  AccessFailed = 0x22,            ///< Reading or opening failed.
  InvalidProgram = 0x23,          ///< The program's bytes are not valid.
  InvalidExternalData = 0x24,     ///< External data (.ptd) is not valid or does not fit.
  OutOfResources = 0x25,          ///< A resource other than memory is exhausted.

  // Delegate errors.
  DelegateInvalidCompatibility = 0x30,    ///< The backend cannot run this blob.
  DelegateMemoryAllocationFailed = 0x31,  ///< The backend failed to allocate.
  DelegateInvalidHandle = 0x32,           ///< The delegate handle is not valid.
};

/// The enumerator as C++ code names it, e.g. "Error::InvalidProgram"; "Error::Unknown" for other
/// values. Never null.
constexpr const char* to_string(Error error) {
  switch (error) {
    case Error::Ok:
      return "Error::Ok";
    case Error::Internal:
      return "Error::Internal";
    case Error::InvalidState:
      return "Error::InvalidState";
    case Error::EndOfMethod:
      return "Error::EndOfMethod";
    case Error::AlreadyLoaded:
      return "Error::AlreadyLoaded";
    case Error::NotSupported:
      return "Error::NotSupported";
    case Error::NotImplemented:
      return "Error::NotImplemented";
    case Error::InvalidArgument:
      return "Error::InvalidArgument";
    case Error::InvalidType:
      return "Error::InvalidType";
    case Error::OperatorMissing:
      return "Error::OperatorMissing";
    case Error::RegistrationExceedingMaxKernels:
      return "Error::RegistrationExceedingMaxKernels";
    case Error::RegistrationAlreadyRegistered:
      return "Error::RegistrationAlreadyRegistered";
    case Error::NotFound:
      return "Error::NotFound";
    case Error::MemoryAllocationFailed:
      return "Error::MemoryAllocationFailed";
    case Error::AccessFailed:
      return "Error::AccessFailed";
    case Error::InvalidProgram:
      return "Error::InvalidProgram";
    case Error::InvalidExternalData:
      return "Error::InvalidExternalData";
    case Error::OutOfResources:
      return "Error::OutOfResources";
    case Error::DelegateInvalidCompatibility:
      return "Error::DelegateInvalidCompatibility";
    case Error::DelegateMemoryAllocationFailed:
      return "Error::DelegateMemoryAllocationFailed";
    case Error::DelegateInvalidHandle:
      return "Error::DelegateInvalidHandle";
  }
  return "Error::Unknown";
}

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::Error;
using ::executorch::runtime::error_code_t;
}  // namespace executor
}  // namespace torch

/// If `cond__` is false, logs the printf-style message and returns Error::`error__` from the
/// enclosing function, which returns Error or Result<T>.
///
///   ET_CHECK_OR_RETURN_ERROR(i < n, InvalidArgument, "index %zu, but only %zu inputs", i, n);
#define ET_CHECK_OR_RETURN_ERROR(cond__, error__, message__, ...) \
  do {                                                            \
    if (ET_UNLIKELY(!(cond__))) {                                 \
      ET_LOG(Error, message__, ##__VA_ARGS__);                    \
      return ::executorch::runtime::Error::error__;               \
    }                                                             \
  } while (0)

/// In a function that returns bool: if `cond__` is false, logs it with the printf-style message and
/// returns false.
#define ET_CHECK_OR_RETURN_FALSE(cond__, message__, ...)                      \
  do {                                                                        \
    if (ET_UNLIKELY(!(cond__))) {                                             \
      ET_LOG(Error, "Check failed (%s): " message__, #cond__, ##__VA_ARGS__); \
      return false;                                                           \
    }                                                                         \
  } while (0)

/// If the Error expression is not Ok, returns it from the enclosing function. With further
/// arguments, logs them first as a printf-style message.
#define ET_CHECK_OK_OR_RETURN_ERROR(...)                                                           \
  ET_INTERNAL_CHECK_OK_SELECT(__VA_ARGS__, MSG, MSG, MSG, MSG, MSG, MSG, MSG, MSG, MSG, MSG, BARE, \
                              unused)(__VA_ARGS__)

#define ET_INTERNAL_CHECK_OK_SELECT(_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, KIND, ...) \
  ET_INTERNAL_CHECK_OK_##KIND

#define ET_INTERNAL_CHECK_OK_BARE(error__)                             \
  do {                                                                 \
    const auto et_error__ = (error__);                                 \
    if (ET_UNLIKELY(et_error__ != ::executorch::runtime::Error::Ok)) { \
      return et_error__;                                               \
    }                                                                  \
  } while (0)

#define ET_INTERNAL_CHECK_OK_MSG(error__, message__, ...)              \
  do {                                                                 \
    const auto et_error__ = (error__);                                 \
    if (ET_UNLIKELY(et_error__ != ::executorch::runtime::Error::Ok)) { \
      ET_LOG(Error, message__, ##__VA_ARGS__);                         \
      return et_error__;                                               \
    }                                                                  \
  } while (0)

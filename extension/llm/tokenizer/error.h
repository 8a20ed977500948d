#pragma once

#include <type_traits>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/result.h>

namespace tokenizers {

using ::executorch::runtime::Result;

/// What a tokenizer says of a failure: the runtime's codes, and their names in the library of
/// tokenizers that applications know. It goes where a runtime::Error goes, and into a `switch`.
class Error {
 public:
  using Code = ::executorch::runtime::Error;

  static constexpr Code Ok = Code::Ok;
  static constexpr Code Internal = Code::Internal;
  static constexpr Code InvalidState = Code::InvalidState;
  static constexpr Code NotSupported = Code::NotSupported;
  static constexpr Code NotImplemented = Code::NotImplemented;
  static constexpr Code InvalidArgument = Code::InvalidArgument;
  static constexpr Code NotFound = Code::NotFound;
  static constexpr Code MemoryAllocationFailed = Code::MemoryAllocationFailed;
  static constexpr Code AccessFailed = Code::AccessFailed;
  static constexpr Code InvalidExternalData = Code::InvalidExternalData;

  // The same by other names.
  static constexpr Code Uninitialized = Code::InvalidState;
  static constexpr Code OutOfRange = Code::InvalidArgument;
  static constexpr Code LoadFailure = Code::AccessFailed;
  static constexpr Code ParseFailure = Code::InvalidExternalData;

  // Nothing here gives these: files with parts that cannot be read are refused when they are
  // loaded. They are for tokenizers of an application, and for a `switch` with a case for each.
  static constexpr Code EncodeFailure = static_cast<Code>(0x1001);
  static constexpr Code DecodeFailure = static_cast<Code>(0x1002);
  static constexpr Code Base64DecodeFailure = static_cast<Code>(0x1003);
  static constexpr Code RegexFailure = static_cast<Code>(0x1004);

  constexpr Error() = default;
  constexpr Error(Code code) : code_(code) {}        // NOLINT(google-explicit-constructor)
  constexpr operator Code() const { return code_; }  // NOLINT(google-explicit-constructor)

  template <typename T>
  operator Result<T>() const {  // NOLINT(google-explicit-constructor)
    return Result<T>(code_);
  }

  /// For logs, as of an enumeration.
  template <typename T,
            typename = std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>>>
  constexpr explicit operator T() const {
    return static_cast<T>(code_);
  }

 private:
  Code code_ = Code::Ok;
};

}  // namespace tokenizers

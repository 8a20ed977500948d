/// @file
/// Field numbers of schema/etdump.fbs, as far as ETDumpGen writes them.
#pragma once

#include <cstdint>

namespace executorch {
namespace etdump {
namespace internal {
namespace slots {

constexpr char kIdentifier[] = "ED00";

constexpr uint16_t kETDumpVersion = 0;
constexpr uint16_t kETDumpRunData = 1;

constexpr uint16_t kRunDataName = 0;
constexpr uint16_t kRunDataBundledInputIndex = 1;
constexpr uint16_t kRunDataAllocators = 2;
constexpr uint16_t kRunDataEvents = 3;

constexpr uint16_t kEventProfile = 0;
constexpr uint16_t kEventAllocation = 1;
constexpr uint16_t kEventDebug = 2;

constexpr uint16_t kAllocatorName = 0;

constexpr uint16_t kAllocationId = 0;
constexpr uint16_t kAllocationSize = 1;

constexpr uint16_t kProfileName = 0;
constexpr uint16_t kProfileChain = 1;
constexpr uint16_t kProfileInstruction = 2;
constexpr uint16_t kProfileDelegateInt = 3;
constexpr uint16_t kProfileDelegateString = 4;
constexpr uint16_t kProfileMetadata = 5;
constexpr uint16_t kProfileStart = 6;
constexpr uint16_t kProfileEnd = 7;

constexpr uint16_t kDebugChain = 0;
constexpr uint16_t kDebugInstruction = 1;
constexpr uint16_t kDebugEntry = 2;
constexpr uint16_t kDebugDelegateInt = 3;
constexpr uint16_t kDebugDelegateString = 4;
constexpr uint16_t kDebugName = 5;

constexpr uint16_t kValueKind = 0;
constexpr uint16_t kValueTensor = 1;
constexpr uint16_t kValueTensorList = 2;
constexpr uint16_t kValueInt = 3;
constexpr uint16_t kValueDouble = 5;
constexpr uint16_t kValueBool = 6;
constexpr uint16_t kValueOutput = 7;

/// The one field of Int, Bool, Double and TensorList.
constexpr uint16_t kOnlyField = 0;

constexpr uint16_t kTensorScalarType = 0;
constexpr uint16_t kTensorSizes = 1;
constexpr uint16_t kTensorStrides = 2;
constexpr uint16_t kTensorOffset = 3;

/// ValueType.
constexpr int8_t kInt = 1;
constexpr int8_t kBool = 2;
constexpr int8_t kDouble = 4;
constexpr int8_t kTensor = 5;
constexpr int8_t kTensorList = 6;

}  // namespace slots
}  // namespace internal
}  // namespace etdump
}  // namespace executorch

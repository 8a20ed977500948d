/// @file
/// Where a tensor's data lives.
#pragma once

#include <cstdint>

namespace executorch {
namespace runtime {
namespace etensor {

/// Kind of device. Values are those of the program format.
enum class DeviceType : int8_t {
  CPU = 0,
  CUDA = 1,
};

/// Number of device kinds; bounds tables indexed by DeviceType.
constexpr int kNumDeviceTypes = 2;

/// Which of several devices of a kind, from 0. -1: the current one.
using DeviceIndex = int8_t;

/// A device: kind and index.
struct Device final {
  using Type = DeviceType;

  /* implicit */ constexpr Device(DeviceType type, DeviceIndex index = 0)
      : type_(type), index_(index) {}

  constexpr bool operator==(const Device& other) const {
    return type_ == other.type_ && index_ == other.index_;
  }
  constexpr bool operator!=(const Device& other) const { return !(*this == other); }

  constexpr DeviceType type() const { return type_; }
  constexpr DeviceIndex index() const { return index_; }
  constexpr bool is_cpu() const { return type_ == DeviceType::CPU; }

 private:
  DeviceType type_;
  DeviceIndex index_;
};

}  // namespace etensor
}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::etensor::Device;
using ::executorch::runtime::etensor::DeviceIndex;
using ::executorch::runtime::etensor::DeviceType;
}  // namespace executor
}  // namespace torch

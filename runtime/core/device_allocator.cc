#include <executorch/runtime/core/device_allocator.h>

namespace executorch {
namespace runtime {
namespace {

// Constant-initialized, so registration from static constructors in any order is safe.
DeviceAllocatorRegistry registry;

bool is_known(etensor::DeviceType type) {
  const int number = static_cast<int>(type);
  return number >= 0 && number < etensor::kNumDeviceTypes;
}

}  // namespace

DeviceAllocatorRegistry& DeviceAllocatorRegistry::instance() { return registry; }

Error DeviceAllocatorRegistry::register_allocator(DeviceAllocator* allocator) {
  ET_CHECK_OR_RETURN_ERROR(allocator != nullptr, InvalidArgument, "device allocator is null");
  const etensor::DeviceType type = allocator->device_type();
  ET_CHECK_OR_RETURN_ERROR(is_known(type), InvalidArgument, "device type %d is not known",
                           static_cast<int>(type));
  DeviceAllocator*& slot = allocators_[static_cast<int>(type)];
  ET_CHECK_OR_RETURN_ERROR(slot == nullptr, RegistrationAlreadyRegistered,
                           "device type %d has an allocator already", static_cast<int>(type));
  slot = allocator;
  return Error::Ok;
}

DeviceAllocator* DeviceAllocatorRegistry::get_allocator(etensor::DeviceType type) const {
  return is_known(type) ? allocators_[static_cast<int>(type)] : nullptr;
}

Error register_device_allocator(DeviceAllocator* allocator) {
  return DeviceAllocatorRegistry::instance().register_allocator(allocator);
}

DeviceAllocator* get_device_allocator(etensor::DeviceType type) {
  return DeviceAllocatorRegistry::instance().get_allocator(type);
}

}  // namespace runtime
}  // namespace executorch

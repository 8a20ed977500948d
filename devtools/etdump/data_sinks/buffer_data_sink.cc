#include <cstring>

#include <executorch/devtools/etdump/data_sinks/buffer_data_sink.h>
#include <executorch/devtools/etdump/utils.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace etdump {

using runtime::Error;
using runtime::Result;

Result<BufferDataSink> BufferDataSink::create(runtime::Span<uint8_t> buffer,
                                              size_t alignment) noexcept {
  ET_CHECK_OR_RETURN_ERROR(alignment != 0 && (alignment & (alignment - 1)) == 0, InvalidArgument,
                           "An alignment of %zu is no power of two", alignment);
  ET_CHECK_OR_RETURN_ERROR(!buffer.empty(), InvalidArgument, "A data sink needs a buffer");
  return BufferDataSink(buffer, alignment);
}

Result<BufferDataSink> BufferDataSink::create(void* ptr, size_t size, size_t alignment) noexcept {
  return create(runtime::Span<uint8_t>(static_cast<uint8_t*>(ptr), size), alignment);
}

Result<size_t> BufferDataSink::write(const void* ptr, size_t size) {
  const uint8_t* const begin = buffer_.data();
  size_t offset = used_;
  if (size > 0 && begin != nullptr) {
    offset = static_cast<size_t>(internal::align_pointer(buffer_.data() + used_, alignment_) -
                                 buffer_.data());
  }
  if (offset > buffer_.size() || size > buffer_.size() - offset) {
    if (!said_full_) {
      said_full_ = true;
      ET_LOG(Error,
             "The debug buffer of %zu bytes is full: no room for %zu more. Tensors that do not fit "
             "are not logged",
             buffer_.size(), size);
    }
    return Error::OutOfResources;
  }
  if (size > 0) {
    if (ptr == nullptr) {
      return Error::InvalidArgument;
    }
    std::memcpy(buffer_.data() + offset, ptr, size);
    used_ = offset + size;
  }
  return offset;
}

}  // namespace etdump
}  // namespace executorch

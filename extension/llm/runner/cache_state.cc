#include <cinttypes>
#include <cstring>
#include <utility>

#include <executorch/extension/llm/runner/cache_state.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace extension {
namespace llm {

using executorch::aten::Tensor;
using runtime::Error;
using runtime::Result;

namespace {

/// The names of all buffers of a method.
Result<std::vector<std::string>> names_of(runtime::Method& method, const std::string& name) {
  const auto meta = method.method_meta();
  std::vector<std::string> names;
  for (size_t i = 0; i < meta.num_attributes(); ++i) {
    const auto info = meta.attribute_tensor_meta(i);
    if (!info.ok()) {
      return info.error();
    }
    names.emplace_back(info->name());
  }
  if (names.empty()) {
    ET_LOG(Error,
           "Method %s names no buffer that it changes, so that its caches cannot be kept. Programs "
           "of this release's exporter name them; it may also have none",
           name.c_str());
    return Error::NotSupported;
  }
  return names;
}

bool fits(const CacheState::Buffer& buffer, const Tensor& tensor) {
  bool same = buffer.dtype == tensor.scalar_type() && buffer.bytes.size() == tensor.nbytes() &&
              buffer.sizes.size() == static_cast<size_t>(tensor.dim());
  for (size_t i = 0; same && i < buffer.sizes.size(); ++i) {
    same = buffer.sizes[i] == static_cast<int32_t>(tensor.size(static_cast<ssize_t>(i)));
  }
  return same;
}

}  // namespace

Result<CacheState> CacheState::capture(Module& module, const std::string& method) {
  auto loaded = module.method(method);
  if (!loaded.ok()) {
    return loaded.error();
  }
  const auto names = names_of(**loaded, method);
  if (!names.ok()) {
    return names.error();
  }
  std::vector<Buffer> buffers;
  for (const std::string& name : *names) {
    const auto tensor = (*loaded)->get_attribute(name);
    if (!tensor.ok()) {
      return tensor.error();
    }
    const auto* const data = static_cast<const uint8_t*>(tensor->const_data_ptr());
    if (data == nullptr && tensor->nbytes() > 0) {
      ET_LOG(Error, "Buffer %s of method %s has no memory", name.c_str(), method.c_str());
      return Error::NotSupported;
    }
    Buffer buffer = {name, tensor->scalar_type(), {}, {}};
    for (ssize_t i = 0; i < tensor->dim(); ++i) {
      buffer.sizes.push_back(static_cast<int32_t>(tensor->size(i)));
    }
    buffer.bytes.assign(data, data + tensor->nbytes());
    buffers.push_back(std::move(buffer));
  }
  return CacheState(std::move(buffers));
}

Error CacheState::apply(Module& module, const std::string& method) const {
  auto loaded = module.method(method);
  if (!loaded.ok()) {
    return loaded.error();
  }
  const auto names = names_of(**loaded, method);
  if (!names.ok()) {
    return names.error();
  }
  bool same = names->size() == buffers_.size();
  std::vector<void*> places;
  for (size_t i = 0; same && i < buffers_.size(); ++i) {
    const auto tensor = (*loaded)->get_attribute((*names)[i]);
    same = tensor.ok() && buffers_[i].name == (*names)[i] && fits(buffers_[i], *tensor);
    places.push_back(same ? tensor->mutable_data_ptr() : nullptr);
  }
  if (!same) {
    const size_t which = places.empty() ? 0 : places.size() - 1;
    ET_LOG(Error, "Method %s has %zu buffers, the state %zu; number %zu is not the same",
           method.c_str(), names->size(), buffers_.size(), which);
    return Error::InvalidArgument;
  }
  for (size_t i = 0; i < buffers_.size(); ++i) {
    std::memcpy(places[i], buffers_[i].bytes.data(), buffers_[i].bytes.size());
  }
  return Error::Ok;
}

}  // namespace llm
}  // namespace extension
}  // namespace executorch

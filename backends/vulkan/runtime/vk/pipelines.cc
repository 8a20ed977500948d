#include <algorithm>
#include <cstring>

#include <executorch/backends/vk/status.h>
#include <executorch/backends/vulkan/runtime/vk/context.h>
#include <executorch/backends/vulkan/runtime/vk/pipeline_file.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace backends {
namespace vulkan {

using runtime::Error;
using runtime::Result;
using vk::check;
using vk::described;

bool Context::fits_texels(const Shader& shader, const Dispatch& dispatch) const {
  bool fits = true;
  uint32_t count = 0;
  for (size_t i = 0; i < dispatch.buffers.size(); ++i) {
    const char format = shader.formats[i];
    if (format != '.') {
      ++count;
      fits = fits && dispatch.buffers[i]->size() / texel_size(format) <= most_texels_;
    }
  }
  return fits && count <= most_texel_buffers_;
}

Result<const Shader*> Context::shader_for(const Dispatch& dispatch) const {
  const size_t num_buffers = dispatch.buffers.size();
  const Shader* found = find_shader(dispatch.shader + "_texel");
  if (found == nullptr || std::strlen(found->formats) != num_buffers ||
      !fits_texels(*found, dispatch)) {
    found = find_shader(dispatch.shader);
  }
  ET_CHECK_OR_RETURN_ERROR(found != nullptr && std::strlen(found->formats) == num_buffers,
                           NotSupported, "Vulkan: there is no shader '%s' of %zu buffers",
                           dispatch.shader.c_str(), num_buffers);
  return found;
}

Error Context::layout_for(const std::string& formats, Pipeline& made) {
  const size_t num_buffers = formats.size();
  const size_t num_stored = static_cast<size_t>(std::count(formats.begin(), formats.end(), '.'));
  ET_CHECK_OR_RETURN_ERROR(num_stored <= most_buffers_, NotSupported,
                           "Vulkan: a shader has %zu buffers, this device (%s) binds %u",
                           num_stored, device_name().c_str(), unsigned(most_buffers_));
  auto& [buffers, layout] = layouts_[formats];
  if (layout == VK_NULL_HANDLE) {
    std::vector<VkDescriptorSetLayoutBinding> bindings(num_buffers);
    for (size_t i = 0; i < num_buffers; ++i) {
      bindings[i].binding = static_cast<uint32_t>(i);
      bindings[i].descriptorType = formats[i] == '.' ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER
                                                     : VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
      bindings[i].descriptorCount = 1;
      bindings[i].stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
    }
    auto info = described<VkDescriptorSetLayoutCreateInfo>(
        VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO);
    info.bindingCount = static_cast<uint32_t>(num_buffers);
    info.pBindings = bindings.data();
    ET_CHECK_OK_OR_RETURN_ERROR(
        check(vkCreateDescriptorSetLayout(device(), &info, nullptr, &buffers), "making a layout"));
    // As many bytes as every device has.
    const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0,
                                       Parameters::kCount * sizeof(int32_t)};
    auto whole =
        described<VkPipelineLayoutCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
    whole.setLayoutCount = 1;
    whole.pSetLayouts = &buffers;
    whole.pushConstantRangeCount = 1;
    whole.pPushConstantRanges = &range;
    ET_CHECK_OK_OR_RETURN_ERROR(
        check(vkCreatePipelineLayout(device(), &whole, nullptr, &layout), "making a layout"));
  }
  made.buffers = buffers;
  made.layout = layout;
  made.formats = formats;
  return Error::Ok;
}

Result<VkShaderModule> Context::module_for(const Shader& shader) {
  VkShaderModule& module = modules_[shader.name];
  if (module == VK_NULL_HANDLE) {
    auto info = described<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
    info.codeSize = shader.size;
    info.pCode = shader.code;
    ET_CHECK_OK_OR_RETURN_ERROR(
        check(vkCreateShaderModule(device(), &info, nullptr, &module), shader.name));
  }
  return module;
}

Error Context::compile(const Dispatch& dispatch, const Shader& shader, Pipeline& made) {
  const Result<VkShaderModule> module = module_for(shader);
  if (!module.ok()) {
    return module.error();
  }
  ET_CHECK_OK_OR_RETURN_ERROR(layout_for(shader.formats, made));
  std::vector<uint32_t> constants(dispatch.local.begin(), dispatch.local.end());
  constants.insert(constants.end(), dispatch.constants.begin(), dispatch.constants.end());
  std::vector<VkSpecializationMapEntry> entries(constants.size());
  for (uint32_t i = 0; i < entries.size(); ++i) {
    entries[i] = {i, static_cast<uint32_t>(i * sizeof(uint32_t)), sizeof(uint32_t)};
  }
  VkSpecializationInfo specialization = {};
  specialization.mapEntryCount = static_cast<uint32_t>(entries.size());
  specialization.pMapEntries = entries.data();
  specialization.dataSize = constants.size() * sizeof(uint32_t);
  specialization.pData = constants.data();
  auto info =
      described<VkComputePipelineCreateInfo>(VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO);
  info.stage = described<VkPipelineShaderStageCreateInfo>(
      VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO);
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = *module;
  info.stage.pName = "main";
  info.stage.pSpecializationInfo = &specialization;
  info.layout = made.layout;
  return check(
      vkCreateComputePipelines(device(), pipeline_cache_, 1, &info, nullptr, &made.pipeline),
      dispatch.shader.c_str());
}

Result<const Pipeline*> Context::pipeline(const Dispatch& dispatch) {
  const Result<const Shader*> shader = shader_for(dispatch);
  if (!shader.ok()) {
    return shader.error();
  }
  std::vector<uint32_t> key(dispatch.local.begin(), dispatch.local.end());
  key.insert(key.end(), dispatch.constants.begin(), dispatch.constants.end());
  const std::lock_guard<std::mutex> lock(pipelines_mutex_);
  Pipeline& found = pipelines_[{(*shader)->name, std::move(key)}];
  if (found.pipeline == VK_NULL_HANDLE) {
    ET_CHECK_OK_OR_RETURN_ERROR(compile(dispatch, **shader, found));
  }
  return static_cast<const Pipeline*>(&found);
}

Error Context::read_cache(VkPipelineCache cache, std::vector<uint8_t>& data) const {
  size_t size = 0;
  ET_CHECK_OK_OR_RETURN_ERROR(
      check(vkGetPipelineCacheData(device(), cache, &size, nullptr), "reading pipelines"));
  data.resize(size);
  ET_CHECK_OK_OR_RETURN_ERROR(
      check(vkGetPipelineCacheData(device(), cache, &size, data.data()), "reading pipelines"));
  data.resize(size);
  return Error::Ok;
}

void Context::load_pipelines(const std::string& path) {
  const std::lock_guard<std::mutex> lock(pipelines_mutex_);
  if (files_.count(path) != 0) {
    return;
  }
  files_[path] = 0;
  const std::vector<uint8_t> data = read_pipelines(path, identity_);
  auto info = described<VkPipelineCacheCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO);
  info.initialDataSize = data.size();
  info.pInitialData = data.data();
  VkPipelineCache read = VK_NULL_HANDLE;
  if (data.empty() || check(vkCreatePipelineCache(device(), &info, nullptr, &read),
                            "taking pipelines from a file") != Error::Ok) {
    return;
  }
  (void)check(vkMergePipelineCaches(device(), pipeline_cache_, 1, &read),
              "taking pipelines from a file");
  vkDestroyPipelineCache(device(), read, nullptr);
}

Error Context::save_pipelines(const std::string& path) {
  const std::lock_guard<std::mutex> lock(pipelines_mutex_);
  size_t& num_known = files_[path];
  if (num_known == pipelines_.size()) {
    return Error::Ok;
  }
  std::vector<uint8_t> data;
  ET_CHECK_OK_OR_RETURN_ERROR(read_cache(pipeline_cache_, data));
  // Once is enough, whether it can be written or not.
  num_known = pipelines_.size();
  return data == read_pipelines(path, identity_) ? Error::Ok
                                                 : write_pipelines(path, identity_, data);
}

}  // namespace vulkan
}  // namespace backends
}  // namespace executorch

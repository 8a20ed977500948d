#include <algorithm>
#include <cstring>
#include <limits>
#include <tuple>

#include <executorch/backends/arm/vgf/runtime/vgf_file.h>
#include <executorch/backends/arm/vgf/runtime/vgf_generated.h>
#include <executorch/runtime/core/little_endian.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace backends {
namespace arm {

using runtime::Error;
using runtime::read_little_endian;
using runtime::Result;

namespace vgf_format = ::executorch::arm::vgf_file;

namespace {

constexpr size_t kHeader = 128;
constexpr size_t kFirstSection = 16;
constexpr char kMagic[] = {'V', 'G', 'F', '1'};
constexpr char kConstantsMagic[] = {'C', 'O', 'N', 'S', 'T', '0', '0', '\0'};
constexpr size_t kConstantsHeader = 16;
constexpr size_t kConstantRow = 24;
constexpr uint32_t kUnset = std::numeric_limits<uint32_t>::max();
constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
// More than any device binds.
constexpr uint32_t kMostSets = 8;
constexpr int32_t kTensorDescriptor = 1000460000;

enum Section { kModules, kSequence, kResources, kConstants, kSections };
constexpr const char* kSectionNames[kSections] = {"modules", "sequence", "resources", "constants"};

struct Bytes {
  const uint8_t* data;
  size_t size;
};

Error find_sections(const uint8_t* data, size_t size, Bytes (&sections)[kSections]) {
  ET_CHECK_OR_RETURN_ERROR(
      size >= kHeader && std::memcmp(data, kMagic, sizeof(kMagic)) == 0,
      DelegateInvalidCompatibility,
      "VGF: the delegate's %zu bytes are no VGF file; lower the model again with VgfPartitioner",
      size);
  ET_CHECK_OR_RETURN_ERROR(data[8] == 0 && data[9] <= 5, DelegateInvalidCompatibility,
                           "VGF: the file has version %d.%d, this runtime knows up to 0.5; update "
                           "it, or lower with ai-ml-sdk-model-converter 0.11",
                           int(data[8]), int(data[9]));
  for (size_t i = 0; i < kSections; ++i) {
    const uint8_t* const row = data + kFirstSection + i * 16;
    const auto offset = read_little_endian<uint64_t>(row);
    const auto bytes = read_little_endian<uint64_t>(row + 8);
    ET_CHECK_OR_RETURN_ERROR(
        offset >= kHeader && offset <= size && bytes <= size - offset, DelegateInvalidCompatibility,
        "VGF: section %s does not lie in the file's %zu bytes", kSectionNames[i], size);
    sections[i] = {data + offset, static_cast<size_t>(bytes)};
  }
  return Error::Ok;
}

/// The section's root; null, with a word in the log, for what is no such flatbuffer.
template <typename Root>
const Root* root_of(const Bytes& section, Section which, std::vector<uint64_t>& aligned) {
  // Flatbuffers are read where eight bytes begin; also of nothing there is a place to copy to.
  aligned.resize(section.size / 8 + 1);
  std::memcpy(aligned.data(), section.data, section.size);
  const auto* const copy = reinterpret_cast<const uint8_t*>(aligned.data());
  flatbuffers::Verifier verifier(copy, section.size);
  if (section.size < 8 || !verifier.VerifyBuffer<Root>(nullptr)) {
    ET_LOG(Error, "VGF: section %s is damaged", kSectionNames[which]);
    return nullptr;
  }
  return flatbuffers::GetRoot<Root>(copy);
}

template <typename Vector>
uint32_t size_of(const Vector* vector) {
  return vector == nullptr ? 0 : vector->size();
}

/// Bytes of a tensor whose elements have some; 0 for more than can be counted.
size_t bytes_of(const flatbuffers::Vector<int64_t>& shape, size_t element) {
  uint64_t bytes = element;
  for (const int64_t size : shape) {
    if (size <= 0 || size > kMost || bytes > static_cast<uint64_t>(kMost / size)) {
      return 0;
    }
    bytes *= static_cast<uint64_t>(size);
  }
  return static_cast<size_t>(bytes);
}

Error read_tensors(const vgf_format::ResourceTable& table, VgfFile& file) {
  const uint32_t count = size_of(table.resources());
  for (uint32_t i = 0; i < count; ++i) {
    const vgf_format::Resource& resource = *table.resources()->Get(i);
    const bool is_constant = resource.category() == vgf_format::Category::CONSTANT;
    ET_CHECK_OR_RETURN_ERROR(
        is_constant || resource.descriptor_type() == kTensorDescriptor, NotSupported,
        "VGF: resource %u is no tensor but descriptor type %d, which this runtime does not bind",
        unsigned(i), int(resource.descriptor_type()));
    const vgf_format::Description* const description = resource.description();
    ET_CHECK_OR_RETURN_ERROR(description != nullptr && description->shape() != nullptr,
                             DelegateInvalidCompatibility, "VGF: tensor %u has no shape",
                             unsigned(i));
    ET_CHECK_OR_RETURN_ERROR(
        size_of(description->strides()) == 0 && resource.alias_group() == kUnset, NotSupported,
        "VGF: tensor %u has strides or shares memory, which this runtime does not do", unsigned(i));
    const size_t element = vgf_element_size(resource.format());
    ET_CHECK_OR_RETURN_ERROR(element != 0, NotSupported,
                             "VGF: tensor %u has format %d, which this runtime does not know",
                             unsigned(i), int(resource.format()));
    const size_t bytes = bytes_of(*description->shape(), element);
    ET_CHECK_OR_RETURN_ERROR(bytes != 0, DelegateInvalidCompatibility,
                             "VGF: the shape of tensor %u cannot be", unsigned(i));
    file.tensors.push_back({resource.format(),
                            {description->shape()->begin(), description->shape()->end()},
                            bytes,
                            is_constant});
  }
  return Error::Ok;
}

/// All constants of the file by their number; ids are those of segments.
Error read_constants(const Bytes& section, const VgfFile& file,
                     std::vector<VgfConstant>& constants) {
  const uint64_t count =
      section.size < kConstantsHeader || std::memcmp(section.data, kConstantsMagic, 8) != 0
          ? std::numeric_limits<uint64_t>::max()
          : read_little_endian<uint64_t>(section.data + 8);
  ET_CHECK_OR_RETURN_ERROR(count <= section.size / kConstantRow &&
                               count * kConstantRow <= section.size - kConstantsHeader,
                           DelegateInvalidCompatibility, "VGF: section constants is damaged");
  const size_t begin = kConstantsHeader + static_cast<size_t>(count) * kConstantRow;
  for (size_t i = 0; i < count; ++i) {
    const uint8_t* const row = section.data + kConstantsHeader + i * kConstantRow;
    const auto tensor = read_little_endian<uint32_t>(row);
    const auto sparsity = static_cast<int32_t>(read_little_endian<uint32_t>(row + 4));
    const auto bytes = read_little_endian<uint64_t>(row + 8);
    const auto offset = read_little_endian<uint64_t>(row + 16);
    ET_CHECK_OR_RETURN_ERROR(tensor < file.tensors.size() && file.tensors[tensor].is_constant,
                             DelegateInvalidCompatibility,
                             "VGF: constant %zu belongs to no constant tensor", i);
    ET_CHECK_OR_RETURN_ERROR(sparsity == -1, NotSupported,
                             "VGF: constant %zu is sparse, which this runtime does not hand on", i);
    ET_CHECK_OR_RETURN_ERROR(offset <= section.size - begin &&
                                 bytes <= section.size - begin - offset &&
                                 bytes == file.tensors[tensor].bytes,
                             DelegateInvalidCompatibility,
                             "VGF: the bytes of constant %zu are not those of its tensor", i);
    constants.push_back({0, tensor, section.data + begin + offset});
  }
  return Error::Ok;
}

Error read_module(const vgf_format::ModuleTable& table, uint32_t index, VgfSegment& segment) {
  ET_CHECK_OR_RETURN_ERROR(index < size_of(table.modules()), DelegateInvalidCompatibility,
                           "VGF: there is no module %u", unsigned(index));
  const vgf_format::Module& module = *table.modules()->Get(index);
  ET_CHECK_OR_RETURN_ERROR(module.type() == vgf_format::ModuleType::GRAPH, NotSupported,
                           "VGF: module %u is a shader; this runtime runs graphs", unsigned(index));
  const vgf_format::Spirv* const spirv = module.code_as_Spirv();
  ET_CHECK_OR_RETURN_ERROR(
      spirv != nullptr && size_of(spirv->words()) >= 5 && spirv->words()->Get(0) == 0x07230203 &&
          module.entry_point() != nullptr,
      DelegateInvalidCompatibility, "VGF: module %u has no SPIR-V", unsigned(index));
  segment.spirv.assign(spirv->words()->begin(), spirv->words()->end());
  segment.entry_point = module.entry_point()->str();
  return Error::Ok;
}

Error read_bindings(const vgf_format::Segment& from, const VgfFile& file, VgfSegment& segment) {
  segment.num_sets = size_of(from.sets());
  ET_CHECK_OR_RETURN_ERROR(segment.num_sets >= 1 && segment.num_sets <= kMostSets,
                           DelegateInvalidCompatibility, "VGF: a segment with %u descriptor sets",
                           unsigned(segment.num_sets));
  for (uint32_t i = 0; i < segment.num_sets; ++i) {
    const vgf_format::DescriptorSet& set = *from.sets()->Get(i);
    const uint32_t index = set.set_index() == kUnset ? i : set.set_index();
    ET_CHECK_OR_RETURN_ERROR(index < segment.num_sets, NotSupported, "VGF: descriptor set %u of %u",
                             unsigned(index), unsigned(segment.num_sets));
    for (uint32_t j = 0; j < size_of(set.bindings()); ++j) {
      const vgf_format::BindingSlot& slot = *set.bindings()->Get(j);
      ET_CHECK_OR_RETURN_ERROR(
          slot.resource() < file.tensors.size() && !file.tensors[slot.resource()].is_constant,
          DelegateInvalidCompatibility, "VGF: binding %u has no tensor", unsigned(slot.binding()));
      segment.bindings.push_back({index, slot.binding(), slot.resource()});
    }
  }
  const auto place = [](const VgfBinding& one) { return std::tie(one.set, one.binding); };
  std::sort(segment.bindings.begin(), segment.bindings.end(),
            [&](const VgfBinding& a, const VgfBinding& b) { return place(a) < place(b); });
  const auto twice = std::adjacent_find(
      segment.bindings.begin(), segment.bindings.end(),
      [&](const VgfBinding& a, const VgfBinding& b) { return place(a) == place(b); });
  ET_CHECK_OR_RETURN_ERROR(twice == segment.bindings.end() && !segment.bindings.empty(),
                           DelegateInvalidCompatibility,
                           "VGF: a segment binds nothing, or one place twice");
  return Error::Ok;
}

Error bind_constants(const vgf_format::Segment& from, const std::vector<VgfConstant>& constants,
                     VgfSegment& segment) {
  std::vector<std::pair<uint32_t, uint32_t>> pairs;
  for (uint32_t i = 0; i < size_of(from.constant_bindings()); ++i) {
    const vgf_format::ConstantBinding& one = *from.constant_bindings()->Get(i);
    pairs.emplace_back(one.graph_constant(), one.constant());
  }
  for (uint32_t i = 0; pairs.empty() && i < size_of(from.constants()); ++i) {
    pairs.emplace_back(from.constants()->Get(i), from.constants()->Get(i));
  }
  for (const auto& [id, index] : pairs) {
    ET_CHECK_OR_RETURN_ERROR(index < constants.size(), DelegateInvalidCompatibility,
                             "VGF: a segment takes constant %u of %zu", unsigned(index),
                             constants.size());
    segment.constants.push_back({id, constants[index].tensor, constants[index].data});
  }
  return Error::Ok;
}

Error read_segments(const vgf_format::Sequence& sequence, const vgf_format::ModuleTable& modules,
                    const std::vector<VgfConstant>& constants, VgfFile& file) {
  for (uint32_t i = 0; i < size_of(sequence.segments()); ++i) {
    const vgf_format::Segment& from = *sequence.segments()->Get(i);
    ET_CHECK_OR_RETURN_ERROR(
        from.type() == vgf_format::ModuleType::GRAPH && size_of(from.push_constants()) == 0,
        NotSupported, "VGF: segment %u is a shader; this runtime runs graphs", unsigned(i));
    VgfSegment& segment = file.segments.emplace_back();
    ET_CHECK_OK_OR_RETURN_ERROR(read_module(modules, from.module_index(), segment));
    ET_CHECK_OK_OR_RETURN_ERROR(read_bindings(from, file, segment));
    ET_CHECK_OK_OR_RETURN_ERROR(bind_constants(from, constants, segment));
  }
  ET_CHECK_OR_RETURN_ERROR(!file.segments.empty(), DelegateInvalidCompatibility,
                           "VGF: the file has no segment to run");
  return Error::Ok;
}

Error read_ends(const flatbuffers::Vector<flatbuffers::Offset<vgf_format::BindingSlot>>* slots,
                const char* kind, const VgfFile& file, std::vector<uint32_t>& ends) {
  for (uint32_t i = 0; i < size_of(slots); ++i) {
    const uint32_t tensor = slots->Get(i)->resource();
    ET_CHECK_OR_RETURN_ERROR(tensor < file.tensors.size() && !file.tensors[tensor].is_constant,
                             DelegateInvalidCompatibility, "VGF: %s %u is no tensor", kind,
                             unsigned(i));
    ends.push_back(tensor);
  }
  return Error::Ok;
}

}  // namespace

size_t vgf_element_size(int32_t format) {
  switch (format) {
    case 1000460000:  // VK_FORMAT_R8_BOOL_ARM
    case 13:          // VK_FORMAT_R8_UINT
    case 14:          // VK_FORMAT_R8_SINT
      return 1;
    case 74:  // VK_FORMAT_R16_UINT
    case 75:  // VK_FORMAT_R16_SINT
    case 76:  // VK_FORMAT_R16_SFLOAT
      return 2;
    case 98:   // VK_FORMAT_R32_UINT
    case 99:   // VK_FORMAT_R32_SINT
    case 100:  // VK_FORMAT_R32_SFLOAT
      return 4;
    case 111:  // VK_FORMAT_R64_SINT
      return 8;
    default:
      return 0;
  }
}

Result<VgfFile> read_vgf_file(const void* data, size_t size) {
  ET_CHECK_OR_RETURN_ERROR(data != nullptr, DelegateInvalidCompatibility,
                           "VGF: the delegate has no bytes");
  Bytes sections[kSections] = {};
  ET_CHECK_OK_OR_RETURN_ERROR(find_sections(static_cast<const uint8_t*>(data), size, sections));
  std::vector<uint64_t> copies[kConstants];
  const auto* const modules =
      root_of<vgf_format::ModuleTable>(sections[kModules], kModules, copies[kModules]);
  const auto* const sequence =
      root_of<vgf_format::Sequence>(sections[kSequence], kSequence, copies[kSequence]);
  const auto* const resources =
      root_of<vgf_format::ResourceTable>(sections[kResources], kResources, copies[kResources]);
  if (modules == nullptr || sequence == nullptr || resources == nullptr) {
    return Error::DelegateInvalidCompatibility;
  }
  VgfFile file;
  std::vector<VgfConstant> constants;
  ET_CHECK_OK_OR_RETURN_ERROR(read_tensors(*resources, file));
  ET_CHECK_OK_OR_RETURN_ERROR(read_constants(sections[kConstants], file, constants));
  ET_CHECK_OK_OR_RETURN_ERROR(read_segments(*sequence, *modules, constants, file));
  ET_CHECK_OK_OR_RETURN_ERROR(read_ends(sequence->inputs(), "input", file, file.inputs));
  ET_CHECK_OK_OR_RETURN_ERROR(read_ends(sequence->outputs(), "output", file, file.outputs));
  return file;
}

}  // namespace arm
}  // namespace backends
}  // namespace executorch

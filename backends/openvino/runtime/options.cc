#include <array>
#include <cstring>

#include <executorch/backends/openvino/runtime/options.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace backends {
namespace openvino {

using runtime::ArrayRef;
using runtime::BackendInitContext;
using runtime::BackendOption;
using runtime::CompileSpec;
using runtime::Error;
using runtime::Result;
using runtime::internal::is_option;

namespace {

using Text = std::array<char, runtime::kMaxOptionValueLength>;

std::string text_of(const runtime::OptionValue& value) {
  if (const Text* const text = std::get_if<Text>(&value)) {
    return std::string(text->data(), strnlen(text->data(), text->size()));
  }
  if (const bool* const flag = std::get_if<bool>(&value)) {
    return *flag ? "YES" : "NO";
  }
  return std::to_string(std::get<int>(value));
}

void write_text(const std::string& text, BackendOption& option) {
  Text value = {};
  (void)runtime::internal::copy_option_text(value.data(), value.size(), text.c_str());
  option.value = value;
}

/// Whether a key names a property of OpenVINO.
bool is_property(const std::string& key) {
  return key.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == std::string::npos;
}

/// The key where it names a property of OpenVINO, else empty.
std::string property_of(const BackendOption& option) {
  const std::string key(option.key, strnlen(option.key, sizeof(option.key)));
  return is_property(key) ? key : std::string();
}

void assign(Properties& properties, const std::string& key, const std::string& value) {
  if (value.empty()) {
    properties.erase(key);
  } else {
    properties[key] = value;
  }
}

}  // namespace

Error Options::set_option(const BackendOption& option) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (is_option(option, library_path_option_key)) {
    const char* path = nullptr;
    ET_CHECK_OK_OR_RETURN_ERROR(runtime::internal::read_option_value(option, path));
    library_path_ = path;
    return Error::Ok;
  }
  const std::string key = property_of(option);
  if (key.empty()) {
    ET_LOG(Info, "OpenVINO: there is no option %.*s", int(sizeof(option.key)), option.key);
    return Error::Ok;
  }
  assign(properties_, key, text_of(option.value));
  return Error::Ok;
}

void Options::get_option(BackendOption& option) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (is_option(option, library_path_option_key)) {
    write_text(library_path_, option);
    return;
  }
  const auto found = properties_.find(property_of(option));
  if (found != properties_.end()) {
    write_text(found->second, option);
  }
}

std::string Options::library_path() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return library_path_;
}

Result<Settings> Options::settings(const BackendInitContext& context,
                                   ArrayRef<CompileSpec> compile_specs) const {
  Settings made;
  // As ahead of time; the exported bytes do not say what they were compiled with.
  made.properties = {{"INFERENCE_PRECISION_HINT", "f32"}, {"PERFORMANCE_HINT", "LATENCY"}};
  for (const CompileSpec& spec : compile_specs) {
    ET_CHECK_OR_RETURN_ERROR(
        spec.key != nullptr && (spec.value.buffer != nullptr || spec.value.nbytes == 0),
        InvalidProgram, "OpenVINO: a compile spec has no key or no value");
    const char* const text = static_cast<const char*>(spec.value.buffer);
    const std::string value(text == nullptr ? "" : text,
                            text == nullptr ? 0 : strnlen(text, spec.value.nbytes));
    if (std::strcmp(spec.key, "device") == 0) {
      made.device = value;
    } else if (is_property(spec.key)) {
      assign(made.properties, spec.key, value);
    }
  }
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& [key, value] : properties_) {
      made.properties[key] = value;
    }
  }
  for (const BackendOption& option : context.runtime_specs()) {
    const std::string key = property_of(option);
    if (!key.empty()) {
      assign(made.properties, key, text_of(option.value));
    }
  }
  return made;
}

}  // namespace openvino
}  // namespace backends
}  // namespace executorch

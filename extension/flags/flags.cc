#include <cmath>
#include <cstdlib>

#include <executorch/extension/flags/flags.h>

namespace executorch {
namespace extension {
namespace flags {

bool CommandLine::read(Argument& argument) {
  const std::string text = argv_[next_];
  const size_t start = text.find_first_not_of('-');
  if (start == 0 || start > 2 || start == std::string::npos) {
    errors_ << "unexpected argument '" << text << "'; see --help\n";
    return false;
  }
  ++next_;
  const size_t equals = text.find('=');
  argument.has_value = equals != std::string::npos;
  argument.name = text.substr(start, argument.has_value ? equals - start : equals);
  argument.value = argument.has_value ? text.substr(equals + 1) : "";
  return true;
}

bool CommandLine::read_value(const FlagText& flag, Argument& argument) {
  if (argument.has_value) {
    return true;
  }
  if (flag.value == nullptr) {
    argument.value = "true";
  } else if (!at_end()) {
    argument.value = argv_[next_++];
  } else {
    errors_ << "--" << flag.name << " takes a value: " << flag.value << "\n";
    return false;
  }
  return true;
}

bool CommandLine::refuse_unknown(const Argument& argument) {
  errors_ << "unknown flag --" << argument.name << "; see --help\n";
  return false;
}

bool CommandLine::refuse_value(const FlagText& flag, const Argument& argument) {
  errors_ << "--" << flag.name << " takes "
          << (flag.value == nullptr ? "true or false" : flag.value) << ", found '" << argument.value
          << "'\n";
  return false;
}

void print_flag(std::ostream& out, const FlagText& flag) {
  out << "  --" << flag.name;
  if (flag.value != nullptr) {
    out << "=" << flag.value;
  }
  out << "\n      " << flag.help << "\n";
}

bool parse_real(const std::string& text, float& value) {
  // Not every standard library has from_chars() for floating point.
  char* end = nullptr;
  value = std::strtof(text.c_str(), &end);
  return !text.empty() && *end == '\0' && std::isfinite(value) && value >= 0.0f;
}

bool parse_switch(const std::string& text, bool& value) {
  value = text == "true" || text == "1" || text == "yes";
  return value || text == "false" || text == "0" || text == "no";
}

std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> parts;
  size_t start = 0;
  while (start <= text.size() && !text.empty()) {
    const size_t comma = text.find(',', start);
    const size_t end = comma == std::string::npos ? text.size() : comma;
    parts.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return parts;
}

}  // namespace flags
}  // namespace extension
}  // namespace executorch

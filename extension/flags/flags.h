/// @file
/// Flags of command-line programs, from one table that says what there is: it is read by it, and
/// the help text is the table.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <system_error>
#include <vector>

namespace executorch {
namespace extension {
namespace flags {

/// What every flag has.
struct FlagText {
  const char* name;
  const char* value;  ///< Name of the value in the help text; null for a switch.
  const char* help;
};

/// One flag of a program that keeps its settings in `Options`.
template <typename Options>
struct Flag : FlagText {
  /// Takes a value over; false if it is not such a value.
  bool (*apply)(Options& options, const std::string& value);

  constexpr Flag(const char* flag_name, const char* flag_value, const char* flag_help,
                 bool (*flag_apply)(Options&, const std::string&))
      : FlagText{flag_name, flag_value, flag_help}, apply(flag_apply) {}
};

/// One argument of the command line, or two, taken apart.
struct Argument {
  std::string name;
  std::string value;
  bool has_value = false;
};

/// Goes through a command line. Flags take the forms `--name=value`, `--name value` and, for
/// switches, `--name`; one dash does as well.
class CommandLine {
 public:
  CommandLine(int argc, const char* const* argv, std::ostream& errors)
      : argc_(argc), argv_(argv), errors_(errors) {}

  bool at_end() const { return next_ >= argc_; }
  /// The name of the next argument, and its value if that is in it. False, and a line in `errors`,
  /// if it is none of a flag.
  bool read(Argument& argument);
  /// The value of `argument` if it has none yet: the next argument's text, or true for a switch.
  /// False, and a line in `errors`, if there is none.
  bool read_value(const FlagText& flag, Argument& argument);

  /// A line in `errors`; false.
  bool refuse_unknown(const Argument& argument);
  bool refuse_value(const FlagText& flag, const Argument& argument);

 private:
  int argc_;
  const char* const* argv_;
  std::ostream& errors_;
  int next_ = 1;
};

/// Reads the command line into `options`. On a mistake it is false, and `errors` has one line that
/// names the flag and what it takes.
template <typename Options, size_t kCount>
bool parse(int argc, const char* const* argv, const Flag<Options> (&all)[kCount], Options& options,
           std::ostream& errors) {
  CommandLine line(argc, argv, errors);
  while (!line.at_end()) {
    Argument argument;
    if (!line.read(argument)) {
      return false;
    }
    const Flag<Options>* found = nullptr;
    for (const Flag<Options>& flag : all) {
      found = argument.name == flag.name ? &flag : found;
    }
    if (found == nullptr) {
      return line.refuse_unknown(argument);
    }
    if (!line.read_value(*found, argument)) {
      return false;
    }
    if (!found->apply(options, argument.value)) {
      return line.refuse_value(*found, argument);
    }
  }
  return true;
}

/// One flag of the help text.
void print_flag(std::ostream& out, const FlagText& flag);

/// Every flag with its help.
template <typename Options, size_t kCount>
void print_help(std::ostream& out, const Flag<Options> (&all)[kCount]) {
  for (const Flag<Options>& flag : all) {
    print_flag(out, flag);
  }
}

// What values are read by: false if the whole text is not such a value.

/// An integer in the range of `T`.
template <typename T>
bool parse_integer(const std::string& text, T& value) {
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  return result.ec == std::errc() && result.ptr == end;
}

/// Any text but an empty one.
inline bool parse_text(const std::string& text, std::string& value) {
  value = text;
  return !text.empty();
}

/// A finite number that is not negative.
bool parse_real(const std::string& text, float& value);

/// true, 1 or yes; false, 0 or no.
bool parse_switch(const std::string& text, bool& value);

/// The parts between commas; none of an empty text.
std::vector<std::string> split_at_commas(const std::string& text);

}  // namespace flags
}  // namespace extension
}  // namespace executorch
